/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A diagnosis as pages for a terminal: what was read, interfaces, interrupts, measurements, what it means. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "cmd/cmd.h"
#include "cmd/diagnose.h"
#include "cmd/show_text.h"

#define LABEL_WIDTH 12

static const char *device_name(const struct diagnosis *diagnosis, int device)
{
	const struct diagnose_device *const of = &diagnosis->devices[device];

	return of->name[0] ? of->name : of->bus[0] ? of->bus : "unnamed";
}

static void append_lines(struct show_line *line, unsigned first, unsigned last)
{
	show_append(line, first == last ? "line %u" : "lines %u to %u", first, last);
}

/* ---- what was read ---- */

static void print_piece(const struct diagnosis *diagnosis, const struct diagnose_piece *piece, FILE *out)
{
	struct show_line line = { "" };

	append_lines(&line, piece->first, piece->last);
	show_append(&line, ": %s", diagnose_kind_title(piece->kind));
	if (piece->device >= 0 && diagnosis->devices[piece->device].name[0]) {
		show_append(&line, ", %s", device_name(diagnosis, piece->device));
	}
	if (piece->odd) {
		show_append(&line, " (%u line%s in it not understood)", piece->odd, piece->odd == 1 ? "" : "s");
	}
	cmd_print_labelled(out, LABEL_WIDTH, "  read", "%s", line.text);
}

static void print_unread(const struct diagnose_unread *unread, FILE *out)
{
	struct show_line line = { "" };

	append_lines(&line, unread->first, unread->last);
	cmd_print_labelled(out, LABEL_WIDTH, "  not read", "%s: \"%s\"", line.text, unread->text);
}

static void print_read(const struct diagnosis *diagnosis, FILE *out)
{
	for (unsigned file = 0; file < diagnosis->file_count; file++) {
		unsigned pieces = 0;

		fprintf(out, "%s:\n", diagnosis->files[file]);
		for (unsigned i = 0; i < diagnosis->piece_count; i++) {
			if (diagnosis->pieces[i].file == file) {
				print_piece(diagnosis, &diagnosis->pieces[i], out);
				pieces++;
			}
		}
		for (unsigned i = 0; i < diagnosis->unread_count; i++) {
			if (diagnosis->unread[i].file == file) {
				print_unread(&diagnosis->unread[i], out);
			}
		}
		if (!pieces) {
			cmd_print_labelled(out, LABEL_WIDTH, "  read", "nothing of it was recognised");
		}
	}
	if (diagnosis->pieces_left_out) {
		fprintf(out, "%u further pieces were read and are not listed\n", diagnosis->pieces_left_out);
	}
}

/* ---- interfaces ---- */

static void append_fact(struct show_line *line, const char *what, const char *text)
{
	if (text[0]) {
		show_append(line, "%s%s %s", line->text[0] ? ", " : "", what, text);
	}
}

static void append_counts(struct show_line *line, const char *what, const struct diagnose_counts *counts)
{
	show_append(line, "%s%s", line->text[0] ? "; " : "", what);
	for (unsigned i = 0; i < DIAGNOSE_COUNTS; i++) {
		if (counts->count[i] >= 0) {
			show_append(line, " %s %" PRId64, diagnose_count_names[i], counts->count[i]);
		}
	}
}

static void print_facts(const struct diagnose_device *device, FILE *out)
{
	struct show_line line = { "" };

	append_fact(&line, "driver", device->driver);
	append_fact(&line, "version", device->version);
	append_fact(&line, "firmware", device->firmware);
	append_fact(&line, "bus", device->bus);
	append_fact(&line, "chip", device->chip);
	if (device->speed_mbps) {
		show_append(&line, "%s%u Mb/s", line.text[0] ? ", " : "", device->speed_mbps);
	}
	if (line.text[0]) {
		cmd_print_labelled(out, SHOW_LABEL_WIDTH, "  device", "%s", line.text);
	}
	line.text[0] = '\0';
	if (device->has_channels) {
		append_counts(&line, "now", &device->channels);
		append_counts(&line, "at most", &device->channels_max);
	}
	if (line.text[0]) {
		cmd_print_labelled(out, SHOW_LABEL_WIDTH, "  channels", "%s", line.text);
	}
	line.text[0] = '\0';
	if (device->has_rings) {
		append_counts(&line, "now", &device->rings);
		append_counts(&line, "at most", &device->rings_max);
		cmd_print_labelled(out, SHOW_LABEL_WIDTH, "  rings", "%s", line.text);
	}
}

static const char *support_text(const struct diagnose_device *device)
{
	static const char *const texts[] = {
		[DIAGNOSE_SUPPORT_SAID] = "",
		[DIAGNOSE_SUPPORT_UNKNOWN] = " (old table: a 0 may be no support)",
		[DIAGNOSE_SUPPORT_NONE] = "",
	};

	return texts[device->support];
}

/* Zeros of an old table say nothing, and there are twenty of them. */
static void print_settings(const struct diagnose_device *device, FILE *out)
{
	struct coalesce shown = device->settings;
	char text[COALESCE_TEXT_MAX];

	for (enum coalesce_field field = 0; device->support == DIAGNOSE_SUPPORT_UNKNOWN && field < COALESCE_FIELDS;
	     field++) {
		if (shown.value[field] == 0) {
			shown.present &= ~COALESCE_BIT(field);
		}
	}
	if (device->has_settings) {
		cmd_print_labelled(out, SHOW_LABEL_WIDTH, "  coalescing", "%s%s",
				   shown.present ? coalesce_print(&shown, text) : "every field is 0",
				   support_text(device));
	} else if (device->support == DIAGNOSE_SUPPORT_NONE) {
		cmd_print_labelled(out, SHOW_LABEL_WIDTH, "  coalescing", "not supported by the driver");
	}
	for (unsigned i = 0; i < device->queue_count; i++) {
		cmd_print_labelled(out, SHOW_LABEL_WIDTH, "", "queue %u: %s", device->queues[i].queue,
				   coalesce_print(&device->queues[i].settings, text));
	}
}

/* ---- interrupts ---- */

/* Interrupts a second, in thousandths; false: there are no two looks, or nobody knows how far apart. */
static bool rate_of(const struct diagnosis *diagnosis, const struct diagnose_vector *vector, uint64_t *milli_per_s)
{
	const int64_t apart_ms =
		(diagnosis->options.interval_ns ? diagnosis->options.interval_ns : diagnosis->snapshots_apart_ns) /
		NS_PER_MS;

	if (vector->seen < 2 || apart_ms <= 0 || vector->last < vector->first ||
	    vector->last - vector->first > UINT64_MAX / 1000000) {
		return false;
	}
	*milli_per_s = (vector->last - vector->first) * 1000000 / (uint64_t)apart_ms;
	return true;
}

static void print_vector(const struct diagnosis *diagnosis, const struct diagnose_vector *vector, FILE *out)
{
	struct show_line line = { "" };
	uint64_t rate;

	show_append(&line, "%5" PRIu32 " %12" PRIu64, vector->irq, vector->last);
	if (vector->seen > 1 && vector->last >= vector->first) {
		show_append(&line, " +%" PRIu64, vector->last - vector->first);
	}
	if (rate_of(diagnosis, vector, &rate)) {
		show_append(&line, " %" PRIu64 ".%03" PRIu64 "/s", rate / 1000, rate % 1000);
	}
	if (vector->cpu_count) {
		show_append(&line, "  CPU %u mostly", vector->cpu);
	}
	show_append(&line, "  %s%s%s", vector->action, vector->is_data ? "" : "  (no queue)",
		    vector->is_shared ? "  (shared: an upper bound)" : "");
	fprintf(out, "  %s\n", line.text);
}

static void print_vectors(const struct diagnosis *diagnosis, unsigned device, FILE *out)
{
	uint64_t sum = 0;
	unsigned count = 0;

	for (unsigned i = 0; i < diagnosis->vector_count; i++) {
		const struct diagnose_vector *const vector = &diagnosis->vectors[i];

		if (vector->devices >> device & 1) {
			if (count++ == 0) {
				cmd_print_labelled(out, SHOW_LABEL_WIDTH, "  interrupts", "%s",
						   "by their names in /proc/interrupts:");
			}
			print_vector(diagnosis, vector, out);
			sum += vector->is_data ? vector->last : 0;
		}
	}
	if (count) {
		cmd_print_labelled(out, SHOW_LABEL_WIDTH, "", "of queues together %" PRIu64, sum);
	}
}

static void print_devices(const struct diagnosis *diagnosis, const struct show_device *shown, FILE *out)
{
	for (unsigned i = 0; i < diagnosis->device_count; i++) {
		const struct diagnose_device *const device = &diagnosis->devices[i];

		fprintf(out, "\n%s:\n", device_name(diagnosis, (int)i));
		print_facts(device, out);
		print_settings(device, out);
		if (device->has_settings || device->support == DIAGNOSE_SUPPORT_NONE || device->driver[0]) {
			show_print_layers(out, &shown[i]);
		}
		print_vectors(diagnosis, i, out);
	}
}

/* ---- measurements ---- */

static void print_ping(const struct diagnose_ping *ping, FILE *out)
{
	struct show_line line = { "" };
	struct diagnose_span span;
	char min[TEXT_DURATION_MAX], mean[TEXT_DURATION_MAX], max[TEXT_DURATION_MAX], text[COALESCE_TEXT_MAX];

	show_append(&line, "%s", ping->target[0] ? ping->target : "a host");
	if (ping->payload_bytes >= 0) {
		show_append(&line, ", %" PRId64 " bytes (frame %" PRId64 " with FCS)", ping->payload_bytes,
			    ping->payload_bytes + 46);
	}
	if (diagnose_ping_span(ping, &span)) {
		show_append(&line, ": min/mean/max %s/%s/%s, n %" PRIu64, text_print_duration(span.min_ns, min),
			    text_print_duration(span.mean_ns, mean), text_print_duration(span.max_ns, max), span.n);
	}
	if (ping->has_counts && ping->received < ping->sent) {
		show_append(&line, ", %" PRIu64 " of %" PRIu64 " lost", ping->sent - ping->received, ping->sent);
	}
	if (ping->below) {
		show_append(&line, ", %u of them only known to be below", ping->below);
	}
	if (ping->settings.present) {
		show_append(&line, "; at %s", coalesce_print(&ping->settings, text));
	}
	cmd_print_labelled(out, LABEL_WIDTH, "  ping", "%s", line.text);
}

static void print_measured(const struct diagnosis *diagnosis, FILE *out)
{
	if (diagnosis->ping_count) {
		fputs("\nmeasurements:\n", out);
	}
	for (unsigned i = 0; i < diagnosis->ping_count; i++) {
		print_ping(&diagnosis->pings[i], out);
	}
}

/* ---- what it means ---- */

static const char *const headings[DIAGNOSE_REMARK_KINDS] = {
	[DIAGNOSE_MEANS] = "what it means",    [DIAGNOSE_NOTE] = "worth knowing",
	[DIAGNOSE_CAUSE] = "likely, or wrong", [DIAGNOSE_ACQUITTED] = "not the cause",
	[DIAGNOSE_TRY] = "what to try",
};

static void print_remark(const struct diagnosis *diagnosis, const struct diagnose_remark *remark, FILE *out)
{
	char place[300] = "";

	if (remark->line && diagnosis->file_count > 1) {
		snprintf(place, sizeof(place), " (%.200s:%u)", diagnosis->files[remark->file], remark->line);
	} else if (remark->line) {
		snprintf(place, sizeof(place), " (line %u)", remark->line);
	}
	if (remark->command[0]) {
		fprintf(out, "  %s\n", remark->command);
		cmd_print_labelled(out, 6, "", "%s%s", remark->text, place);
	} else {
		cmd_print_labelled(out, 4, "  -", "%s%s", remark->text, place);
	}
}

static void print_remarks(const struct diagnosis *diagnosis, enum diagnose_remark_kind kind, FILE *out)
{
	bool is_first = true;

	for (unsigned i = 0; i < diagnosis->remark_count; i++) {
		if (diagnosis->remarks[i].kind == kind) {
			if (is_first) {
				fprintf(out, "\n%s:\n", headings[kind]);
			}
			is_first = false;
			print_remark(diagnosis, &diagnosis->remarks[i], out);
		}
	}
}

void diagnose_print(const struct diagnosis *diagnosis, const struct show_device *shown, FILE *out)
{
	static const enum diagnose_remark_kind order[] = { DIAGNOSE_MEANS, DIAGNOSE_CAUSE, DIAGNOSE_ACQUITTED,
							   DIAGNOSE_NOTE, DIAGNOSE_TRY };

	print_read(diagnosis, out);
	print_devices(diagnosis, shown, out);
	print_measured(diagnosis, out);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		print_remarks(diagnosis, order[i], out);
	}
	if (diagnosis->remarks_left_out) {
		fprintf(out, "\n%u further remarks did not fit\n", diagnosis->remarks_left_out);
	}
}
