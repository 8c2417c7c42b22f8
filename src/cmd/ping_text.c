/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What holdoff ping prints for people: as ping does where people expect it, and more between. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "cmd/cmd.h"
#include "cmd/ping.h"
#include "cmd/spans.h"
#include "coalesce/settings.h"
#include "live/echo.h"
#include "live/stamp.h"
#include "nic/nic.h"

#define LABEL_WIDTH 10
#define HEADERS_IPV4 28
#define HEADERS_IPV6 48

static const char *const span_titles[] = {
	[PING_TO_KERNEL] = "to kernel",
	[PING_TO_APPLICATION] = "to application",
	[PING_FROM_DRIVER] = "from driver",
	[PING_ON_WIRE] = "on wire",
};

unsigned ping_frame_bytes(const struct ping_command *command, unsigned payload_bytes)
{
	return command->route.is_ethernet && !command->route.is_local
		       ? echo_frame_bytes(command->host.is_ipv6, payload_bytes)
		       : 0;
}

/* ---- heading ---- */

static void print_sizes(const struct ping_command *command, FILE *out)
{
	const unsigned payload_bytes = command->payload_bytes;
	const unsigned frame_bytes = ping_frame_bytes(command, payload_bytes);

	if (command->mode == PING_STEPS) {
		fprintf(out, "%u..%u bytes of payload", command->low_bytes, command->high_bytes);
		if (frame_bytes) {
			fprintf(out, ", frames of %u..%u bytes", ping_frame_bytes(command, command->low_bytes),
				ping_frame_bytes(command, command->high_bytes));
		}
		return;
	}
	fprintf(out, "%u(%u) bytes of data", payload_bytes,
		payload_bytes + (command->host.is_ipv6 ? HEADERS_IPV6 : HEADERS_IPV4));
	if (frame_bytes) {
		fprintf(out, ", frames of %u bytes", frame_bytes);
	}
}

static void print_gaps(const struct ping_command *command, FILE *out)
{
	const int64_t interval_ns = ping_default_interval(command);
	char low[TEXT_DURATION_MAX], high[TEXT_DURATION_MAX];
	const char *const what = command->mode == PING_BURSTS  ? "bursts"
				 : command->mode == PING_STEPS ? "after each reply"
							       : "probes";

	if (command->mode == PING_GAPS) {
		fprintf(out, "gaps after each reply as listed, in mixed order\n");
	} else if (interval_ns == 0) {
		fprintf(out, "each probe goes when the reply to the one before is in, or after 10ms\n");
	} else if (command->is_fixed) {
		fprintf(out, "%s: fixed gaps of %s\n", what, text_print_duration(interval_ns, low));
	} else {
		fprintf(out, "%s: gaps drawn evenly from %s to %s\n", what, text_print_duration(interval_ns / 2, low),
			text_print_duration(interval_ns / 2 + interval_ns, high));
	}
}

void ping_print_heading(const struct ping_command *command, FILE *out)
{
	fprintf(out, "PING %s (%s) ", command->name, command->host.text);
	print_sizes(command, out);
	fputs("\n", out);
	print_gaps(command, out);
}

/* ---- counts ---- */

/* As ping: whole percent are printed as such. */
static void print_loss(const struct tally_counts *counts, FILE *out)
{
	const uint64_t done = counts->received + counts->late + counts->spoiled + counts->lost;
	const uint64_t ppm = done ? counts->lost * 1000000 / done : 0;

	fprintf(out, "%" PRIu64, ppm / 10000);
	if (ppm % 10000) {
		fprintf(out, ".%04" PRIu64, ppm % 10000);
	}
	fputs("% packet loss", out);
}

/* A count of what should not be, and what it is. */
static void print_count(uint64_t count, const char *what, FILE *out)
{
	if (count) {
		fprintf(out, "%" PRIu64 " %s\n", count, what);
	}
}

static void print_events(const struct ping_result *result, FILE *out)
{
	char at[TEXT_DURATION_MAX];

	for (unsigned i = 0; i < result->event_count; i++) {
		const struct ping_event *const event = &result->events[i];

		fprintf(out, "%s %s, %s into the measurement\n", event->name, link_change_words(event->change),
			text_print_duration(event->at_ns / NS_PER_MS * NS_PER_MS, at));
	}
	print_count(result->other_events, "more changes of the interface", out);
}

static void print_troubles(const struct troubles *troubles, FILE *out)
{
	char text[TROUBLE_TEXT_MAX];

	for (unsigned i = 0; i < troubles->count; i++) {
		fprintf(out, "%" PRIu64 " %s: %s\n", troubles->trouble[i].count,
			troubles->trouble[i].origin == TROUBLE_SENDING ? "not sent" : "errors",
			trouble_print(&troubles->trouble[i], text));
	}
	print_count(troubles->others, "errors of other kinds", out);
}

void ping_print_counts(const struct ping_command *command, const struct ping_result *result, FILE *out)
{
	const struct tally_counts *const counts = &result->counts;

	fprintf(out, "\n--- %s ping statistics ---\n", command->name);
	fprintf(out, "%" PRIu64 " packets transmitted, %" PRIu64 " received, ", counts->sent, counts->received);
	if (counts->duplicate) {
		fprintf(out, "+%" PRIu64 " duplicates, ", counts->duplicate);
	}
	if (counts->corrupt) {
		fprintf(out, "+%" PRIu64 " corrupted, ", counts->corrupt);
	}
	print_loss(counts, out);
	fprintf(out, ", time %" PRId64 "ms\n", result->elapsed_ns / NS_PER_MS);
	print_count(counts->late, "late: after the timeout, neither received nor lost", out);
	print_count(counts->reordered, "reordered: received after the reply to a later probe", out);
	print_count(counts->spoiled, "answered by nothing but corrupted replies, neither received nor lost", out);
	print_count(counts->foreign, "foreign: replies from elsewhere, or to what was not asked", out);
	print_count(result->waiting, "still waited for when it was stopped", out);
	print_count(result->overrun, "replies for which this host's socket had no room", out);
	print_count(result->no_buffer, "times there was no room for sending, and it was tried again", out);
	print_count(result->stepped, "round trips dropped: the clock was stepped during them", out);
	print_count(result->unstamped, "round trips without the kernel's receive stamp", out);
	print_troubles(&result->troubles, out);
	print_events(result, out);
	if (!result->has_stamps) {
		fprintf(out, "no time stamps: %s\n", result->no_stamps.text);
	}
}

/* ---- the distribution ---- */

/* Why a span is missing that could have been there. */
static void print_missing(const struct ping_command *command, const struct ping_result *result, FILE *out)
{
	const bool has_asked = ping_base_request(command).transmit_every > 0 && result->has_stamps;
	const char *const device = command->route.device;
	struct stamp_offer offer;

	if (has_asked && !result->rtt[PING_FROM_DRIVER].count) {
		fprintf(out, "  %s: no transmit stamps came, the driver makes none\n", span_titles[PING_FROM_DRIVER]);
	}
	if (!result->rtt[PING_ON_WIRE].count && stamp_offer_get(device, &offer, NULL) == 0 && offer.has_hardware) {
		fprintf(out, "  %s: %s can stamp, but does not: hwstamp_ctl -i %s -r 1 -t 1 turns it on\n",
			span_titles[PING_ON_WIRE], device, device);
	}
}

void ping_print_spans(const struct ping_command *command, const struct ping_result *result, FILE *out)
{
	if (result->counts.received == 0) {
		return;
	}
	putc('\n', out);
	spans_print_heading("round trip", "mdev", out);
	for (enum ping_span span = 0; span < PING_SPANS; span++) {
		if (result->rtt[span].count) {
			spans_print_row(span_titles[span], &result->rtt[span], out);
		}
	}
	if (command->has_floor) {
		spans_print_row("floor: loopback", &command->floor.rtt[PING_TO_KERNEL], out);
	}
	for (enum ping_span span = 0; span < PING_SPANS; span++) {
		if (result->rtt[span].count) {
			fprintf(out, "  %s: %s\n", span_titles[span], ping_span_words(span));
		}
	}
	print_missing(command, result, out);
	putc('\n', out);
}

static void print_ms(int64_t value_ns, FILE *out)
{
	const int64_t us = (value_ns + NS_PER_US / 2) / NS_PER_US;

	fprintf(out, "%" PRId64 ".%03" PRId64, us / 1000, us % 1000);
}

void ping_print_last_line(const struct ping_result *result, FILE *out)
{
	const struct histogram *const rtt =
		&result->rtt[result->rtt[PING_TO_KERNEL].count ? PING_TO_KERNEL : PING_TO_APPLICATION];

	if (rtt->count == 0) {
		return;
	}
	fputs("rtt min/avg/max/mdev = ", out);
	print_ms(rtt->min_ns, out);
	putc('/', out);
	print_ms(histogram_mean(rtt), out);
	putc('/', out);
	print_ms(rtt->max_ns, out);
	putc('/', out);
	print_ms(histogram_stddev(rtt), out);
	fputs(" ms\n", out);
}

/* ---- the local end ---- */

void ping_print_local(const struct ping_command *command, int width, FILE *out)
{
	struct nic_identity identity;
	struct coalesce coalesce = { 0 };
	char text[COALESCE_TEXT_MAX];
	struct nic nic;

	if (command->route.is_local || nic_open(&nic, command->route.device, NULL) < 0) {
		return;
	}
	const bool has_driver = nic_identify(&nic, &identity, NULL) == 0 && identity.has & NIC_HAS_DRIVER;
	const bool has_settings = nic_coalesce_get(&nic, &coalesce, NULL) == 0 && coalesce.present;

	cmd_print_labelled(out, width, "local", "%s: %s, %s", nic.name, has_driver ? identity.driver : "no driver",
			   has_settings ? coalesce_print(&coalesce, text) : "no coalescing that can be set");
	nic_close(&nic);
}
