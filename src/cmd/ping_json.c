/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The document of holdoff ping: what was asked, then what came. What was not observed is absent. */
#include <stdio.h>

#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/ping.h"
#include "cmd/spans.h"
#include "report/json_writer.h"

static void put_way(struct json_writer *writer, const struct ping_command *command)
{
	const struct route *const route = &command->route;

	json_put_string(writer, "host", command->name);
	json_put_string(writer, "address", command->host.text);
	json_put_unsigned(writer, "ip_version", command->host.is_ipv6 ? 6 : 4);
	if (route->device[0]) {
		json_put_string(writer, "interface", route->device);
	}
	json_put_boolean(writer, "is_local", route->is_local);
	json_put_boolean(writer, "is_on_link", route_is_on_link(route));
	if (route->mtu) {
		json_put_unsigned(writer, "mtu_bytes", route->mtu);
	}
}

static void put_sizes(struct json_writer *writer, const struct ping_command *command)
{
	const unsigned frame_bytes = ping_frame_bytes(command, command->payload_bytes);

	if (command->mode == PING_STEPS) {
		json_put_unsigned(writer, "payload_low_bytes", command->low_bytes);
		json_put_unsigned(writer, "payload_high_bytes", command->high_bytes);
		return;
	}
	json_put_unsigned(writer, "payload_bytes", command->payload_bytes);
	if (frame_bytes) {
		json_put_unsigned(writer, "frame_bytes", frame_bytes);
	}
}

static void put_floor(struct json_writer *writer, const struct ping_command *command)
{
	if (command->has_floor) {
		ping_json_histogram(writer, "floor_to_kernel_ns", &command->floor.rtt[PING_TO_KERNEL]);
	}
}

void ping_json_begin(struct json_writer *writer, const struct ping_command *command)
{
	static const char *const kinds[] = {
		[PING_SERIES] = "series", [PING_STEPS] = "steps", [PING_GAPS] = "gaps", [PING_BURSTS] = "bursts"
	};

	json_begin(writer, stdout);
	json_begin_object(writer, NULL);
	json_put_string(writer, "schema", PING_SCHEMA);
	json_put_string(writer, "version", HOLDOFF_VERSION);
	json_put_string(writer, "kind", kinds[command->mode]);
	put_way(writer, command);
	put_sizes(writer, command);
	if (command->mode != PING_GAPS) {
		json_put_integer(writer, "interval_ns", ping_default_interval(command));
		json_put_boolean(writer, "is_fixed", command->is_fixed);
	}
	json_put_integer(writer, "timeout_ns", command->timeout_ns);
	json_put_unsigned(writer, "seed", command->seed);
	put_floor(writer, command);
}

int ping_json_end(struct json_writer *writer)
{
	const struct err err = { "" };

	json_end_object(writer);
	const int ret = json_end(writer);

	if (ret < 0 && ferror(writer->out)) {
		return CMD_USAGE;
	}
	return ret < 0 ? cmd_fail(ret, &err) : CMD_FINE;
}

void ping_json_histogram(struct json_writer *writer, const char *key, const struct histogram *histogram)
{
	static const struct {
		const char *key;
		unsigned ppm;
	} percentiles[] = { { "p50", 500000 }, { "p90", 900000 }, { "p99", 990000 }, { "p999", 999000 } };

	json_begin_object(writer, key);
	json_put_unsigned(writer, "count", histogram->count);
	if (histogram->count) {
		json_put_integer(writer, "min", histogram->min_ns);
		json_put_integer(writer, "mean", histogram_mean(histogram));
		for (unsigned i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++) {
			if (spans_has_percentile(histogram, percentiles[i].ppm)) {
				json_put_integer(writer, percentiles[i].key,
						 histogram_percentile(histogram, percentiles[i].ppm));
			}
		}
		json_put_integer(writer, "max", histogram->max_ns);
		json_put_integer(writer, "stddev", histogram_stddev(histogram));
	}
	json_end_object(writer);
}

/* ---- what came ---- */

static void put_counts(struct json_writer *writer, const struct ping_result *result)
{
	const struct tally_counts *const counts = &result->counts;

	json_begin_object(writer, "counts");
	json_put_unsigned(writer, "sent", counts->sent);
	json_put_unsigned(writer, "received", counts->received);
	json_put_unsigned(writer, "late", counts->late);
	json_put_unsigned(writer, "spoiled", counts->spoiled);
	json_put_unsigned(writer, "lost", counts->lost);
	json_put_unsigned(writer, "waiting", result->waiting);
	json_put_unsigned(writer, "duplicate", counts->duplicate);
	json_put_unsigned(writer, "corrupt", counts->corrupt);
	json_put_unsigned(writer, "reordered", counts->reordered);
	json_put_unsigned(writer, "foreign", counts->foreign);
	json_put_unsigned(writer, "unsent", result->unsent);
	json_put_unsigned(writer, "send_retries", result->no_buffer);
	json_put_unsigned(writer, "unstamped", result->unstamped);
	json_put_unsigned(writer, "clock_stepped", result->stepped);
	json_put_unsigned(writer, "overrun", result->overrun);
	json_end_object(writer);
}

static void put_trouble(struct json_writer *writer, const struct trouble *trouble)
{
	static const char *const origins[] = { [TROUBLE_SENDING] = "sending",
					       [TROUBLE_LOCAL] = "local",
					       [TROUBLE_ICMP] = "icmp",
					       [TROUBLE_ICMPV6] = "icmpv6" };
	char text[TROUBLE_TEXT_MAX], name[ERR_NAME_MAX];
	const bool is_icmp = trouble->origin == TROUBLE_ICMP || trouble->origin == TROUBLE_ICMPV6;

	json_begin_object(writer, NULL);
	json_put_unsigned(writer, "count", trouble->count);
	json_put_string(writer, "origin", origins[trouble->origin]);
	json_put_string(writer, "text", trouble_print(trouble, text));
	if (is_icmp) {
		json_put_unsigned(writer, "type", trouble->type);
		json_put_unsigned(writer, "code", trouble->code);
	} else {
		json_put_string(writer, "errno", err_name(trouble->error, name));
	}
	if (trouble->mtu) {
		json_put_unsigned(writer, "mtu_bytes", trouble->mtu);
	}
	if (trouble->from[0]) {
		json_put_string(writer, "from", trouble->from);
	}
	json_end_object(writer);
}

static void put_events(struct json_writer *writer, const struct ping_result *result)
{
	static const char *const names[] = {
		[LINK_WENT_DOWN] = "down",      [LINK_CAME_UP] = "up",      [LINK_LOST_CARRIER] = "no_carrier",
		[LINK_HAS_CARRIER] = "carrier", [LINK_RENAMED] = "renamed", [LINK_GONE] = "gone",
	};

	json_begin_array(writer, "events");
	for (unsigned i = 0; i < result->event_count; i++) {
		json_begin_object(writer, NULL);
		json_put_integer(writer, "at_ns", result->events[i].at_ns);
		json_put_string(writer, "interface", result->events[i].name);
		json_put_string(writer, "event", names[result->events[i].change]);
		json_end_object(writer);
	}
	json_end_array(writer);
}

void ping_json_result(struct json_writer *writer, const struct ping_result *result)
{
	static const char *const ends[] = {
		[PING_ENDED_BY_COUNT] = "count",
		[PING_ENDED_BY_DURATION] = "duration",
		[PING_ENDED_BY_STOP] = "signal",
		[PING_ENDED_BY_INTERFACE] = "interface_gone",
	};

	json_put_string(writer, "socket", result->is_raw ? "raw" : "datagram");
	json_put_string(writer, "ended_by", ends[result->end]);
	json_put_integer(writer, "elapsed_ns", result->elapsed_ns);
	put_counts(writer, result);
	for (enum ping_span span = 0; span < PING_SPANS; span++) {
		if (result->rtt[span].count) {
			ping_json_histogram(writer, ping_span_key(span), &result->rtt[span]);
		}
	}
	if (!result->has_stamps) {
		json_put_string(writer, "no_stamps", result->no_stamps.text);
	}
	json_begin_array(writer, "troubles");
	for (unsigned i = 0; i < result->troubles.count; i++) {
		put_trouble(writer, &result->troubles.trouble[i]);
	}
	json_end_array(writer);
	put_events(writer, result);
}
