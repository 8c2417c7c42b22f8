/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A text is a sequence of pieces with lines between them that mean nothing here. A piece begins with a line that a row
 * of the table below knows, the first row that does; it goes on as long as its row says so. A line that is not known
 * within a piece is counted and kept out, never a reason to drop the piece: ethtool gains lines with every year.
 */
#include "diagnose/reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "diagnose/clean.h"

static const struct recogniser recognisers[DIAGNOSE_KINDS] = {
	{ DIAGNOSE_COMMAND, "command", "a command", command_begins, NULL, NULL, false, command_read },
	{ DIAGNOSE_SETTINGS, "settings", "ethtool -c", settings_begin, settings_go_on, NULL, true, settings_read },
	{ DIAGNOSE_QUEUES, "queues", "ethtool -Q", queues_begin, queues_go_on, NULL, true, queues_read },
	{ DIAGNOSE_DRIVER, "driver", "ethtool -i", driver_begins, driver_goes_on, NULL, false, driver_read },
	{ DIAGNOSE_CHANNELS, "channels", "ethtool -l", channels_begin, counts_go_on, NULL, false, channels_read },
	{ DIAGNOSE_RINGS, "rings", "ethtool -g", rings_begin, counts_go_on, NULL, false, rings_read },
	{ DIAGNOSE_FEATURES, "features", "ethtool -k", features_begin, features_go_on, NULL, false, features_read },
	{ DIAGNOSE_STATISTICS, "statistics", "ethtool -S", statistics_begin, statistics_go_on, NULL, false,
	  statistics_read },
	{ DIAGNOSE_LINK, "link", "ethtool DEV", link_begins, link_goes_on, NULL, false, link_read },
	{ DIAGNOSE_STAMPS, "stamps", "ethtool -T", stamps_begin, stamps_go_on, NULL, false, stamps_read },
	{ DIAGNOSE_REGISTERS, "registers", "ethtool -d", registers_begin, registers_go_on, NULL, true, registers_read },
	{ DIAGNOSE_INTERRUPTS, "interrupts", "/proc/interrupts", interrupts_begin_here, interrupts_go_on, NULL, false,
	  interrupts_read },
	{ DIAGNOSE_AFFINITY, "affinity", "smp_affinity", affinity_begins, NULL, NULL, false, affinity_read },
	{ DIAGNOSE_SOFTNET, "softnet", "/proc/net/softnet_stat", softnet_begins, softnet_goes_on, NULL, false,
	  softnet_read },
	{ DIAGNOSE_KNOBS, "knobs", "deferral of NAPI", knobs_begin, NULL, NULL, false, knobs_read },
	{ DIAGNOSE_RATES, "rates", "dstat", rates_begin, rates_go_on, NULL, false, rates_read },
	{ DIAGNOSE_PING, "ping", "ping", ping_begins, ping_goes_on, NULL, true, ping_read },
	{ DIAGNOSE_PAIRS, "pairs", "times of frames out and back", pairs_begin, pairs_go_on, NULL, false, pairs_read },
	{ DIAGNOSE_TRACE, "trace", "lines of the kernel's tracer", trace_begins, trace_goes_on, NULL, false,
	  trace_read },
	{ DIAGNOSE_IPERF3, "iperf3", "iperf3 -J", iperf3_begins, iperf3_goes_on, iperf3_ends, true, iperf3_read },
	{ DIAGNOSE_IPERF3_TEXT, "iperf3_text", "iperf3", iperf3_text_begins, iperf3_text_goes_on, iperf3_text_ends,
	  true, iperf3_text_read },
	{ DIAGNOSE_COUNTERS, "counters", "ip -s link", counters_begin, counters_go_on, NULL, false, counters_read },
	{ DIAGNOSE_COMPLAINT, "complaint", "an error of ethtool", complaint_begins, complaint_goes_on, NULL, false,
	  complaint_read },
	{ DIAGNOSE_KERNEL, "kernel", "uname, log of the kernel", kernel_begins, NULL, NULL, false, kernel_read },
	{ DIAGNOSE_CONFIG, "config", "a file with settings", config_begins, config_goes_on, NULL, true, config_read },
};

const char *diagnose_kind_name(enum diagnose_kind kind)
{
	return recognisers[kind].name;
}

const char *diagnose_kind_title(enum diagnose_kind kind)
{
	return recognisers[kind].title;
}

/* ---- interfaces ---- */

static int find_device(const struct diagnosis *diagnosis, const char *name)
{
	for (unsigned i = 0; i < diagnosis->device_count; i++) {
		if (strcmp(diagnosis->devices[i].name, name) == 0) {
			return (int)i;
		}
	}
	return -1;
}

static void make_device(struct diagnose_device *device, const char *name)
{
	const struct diagnose_counts none = { { -1, -1, -1, -1 } };

	memset(device, 0, sizeof(*device));
	snprintf(device->name, sizeof(device->name), "%s", name);
	device->channels = device->channels_max = device->rings = device->rings_max = none;
	device->drops = (struct diagnose_drops){ -1, -1, -1 };
	device->family = CHIP_FAMILIES;
}

/* Of several interfaces an output without a name may be anybody's; of one it is that one's. */
int reader_device(struct reader *reader, const char *name)
{
	struct diagnosis *const diagnosis = reader->diagnosis;
	const bool is_only = diagnosis->device_count == 1;

	if (!name[0] && diagnosis->options.device) {
		name = diagnosis->options.device;
	}
	if (is_only && (!name[0] || !diagnosis->devices[0].name[0])) {
		if (name[0]) {
			snprintf(diagnosis->devices[0].name, sizeof(diagnosis->devices[0].name), "%s", name);
		}
		return 0;
	}
	const int found = find_device(diagnosis, name);

	if (found >= 0 || diagnosis->device_count == DIAGNOSE_DEVICES_MAX) {
		return found;
	}
	make_device(&diagnosis->devices[diagnosis->device_count], name);
	return (int)diagnosis->device_count++;
}

struct diagnose_device *reader_piece_device(struct reader *reader, const char *heading)
{
	char name[sizeof(reader->device)];

	line_word(heading ? heading : reader->device, ":", name, sizeof(name));
	if (heading) {
		memcpy(reader->device, name, sizeof(name));
	}
	const int device = reader_device(reader, name);

	reader->piece->device = device;
	return device < 0 ? NULL : &reader->diagnosis->devices[device];
}

/* ---- pieces ---- */

void reader_odd(struct reader *reader)
{
	reader->piece->odd++;
}

static const struct recogniser *recognise(const struct reader *reader, const struct lines *lines)
{
	for (unsigned i = 0; i < DIAGNOSE_KINDS; i++) {
		if (recognisers[i].begins(reader, lines)) {
			return &recognisers[i];
		}
	}
	return NULL;
}

static void note_unread(struct diagnosis *diagnosis, unsigned file, const struct lines *lines)
{
	struct diagnose_unread *const last = diagnosis->unread_count ? &diagnosis->unread[diagnosis->unread_count - 1]
								     : NULL;

	diagnosis->unread_lines++;
	if (last && last->file == file && last->last + 1 == lines->number) {
		last->last = lines->number;
	} else if (diagnosis->unread_count < DIAGNOSE_UNREAD_MAX) {
		struct diagnose_unread *const unread = &diagnosis->unread[diagnosis->unread_count++];

		*unread = (struct diagnose_unread){ .file = file, .first = lines->number, .last = lines->number };
		snprintf(unread->text, sizeof(unread->text), "%.60s", lines->text);
	}
}

/* Reads what lies between start and end, which are the first sign of the piece and the end of its last line. */
static void read_piece(struct reader *reader, const struct recogniser *row, char *start, char *end, unsigned first,
		       unsigned last)
{
	struct diagnosis *const diagnosis = reader->diagnosis;
	struct diagnose_piece piece = {
		.kind = row->kind, .file = reader->file, .first = first, .last = last, .device = -1
	};
	const char behind = *end;

	*end = '\0';
	reader->piece = &piece;
	row->read(reader, start);
	*end = behind;
	if (diagnosis->piece_count < DIAGNOSE_PIECES_MAX) {
		diagnosis->pieces[diagnosis->piece_count++] = piece;
	} else {
		diagnosis->pieces_left_out++;
	}
}

/* The piece that begins with the present line; afterwards lines stands on its last one. */
static void take_piece(struct reader *reader, const struct recogniser *row, struct lines *lines, char *text)
{
	struct lines ahead = *lines, last = *lines;
	const unsigned first = lines->number;
	char *const start = text + (lines->start - text);
	bool is_over = !row->goes_on || (row->ends && row->ends(lines));

	while (!is_over && lines_next(&ahead)) {
		if (line_is_blank(ahead.text)) {
			is_over = !row->over_blanks;
		} else if (row->goes_on(&ahead)) {
			last = ahead;
			is_over = row->ends && row->ends(&ahead);
		} else {
			is_over = true;
		}
	}
	char *const end = text + (last.start - text) + strcspn(last.start, "\n");

	*lines = last;
	read_piece(reader, row, start, end, first, last.number);
}

static void read_text(struct reader *reader, char *text)
{
	struct lines lines;

	lines_begin(&lines, text, 1);
	while (lines_next(&lines)) {
		const struct recogniser *const row = line_is_blank(lines.text) ? NULL : recognise(reader, &lines);

		if (row) {
			take_piece(reader, row, &lines, text);
		} else if (!line_is_blank(lines.text)) {
			note_unread(reader->diagnosis, reader->file, &lines);
		}
	}
}

/* Collectors of bug reports name files after the command: "ethtool_-i_eth0". */
static void take_name(struct reader *reader, const char *name)
{
	const char *const slash = strrchr(name, '/');
	char command[128];

	snprintf(command, sizeof(command), "%s", slash ? slash + 1 : name);
	if (!line_begins(command, "ethtool_")) {
		return;
	}
	for (char *at = command; *at; at++) {
		*at = *at == '_' ? ' ' : *at;
	}
	struct diagnose_piece piece = { .device = -1 };

	reader->piece = &piece;
	command_read(reader, command);
}

void diagnosis_begin(struct diagnosis *diagnosis, const struct diagnose_options *options)
{
	memset(diagnosis, 0, sizeof(*diagnosis));
	diagnosis->options = *options;
	diagnosis->idle_permille = -1;
}

int diagnosis_read(struct diagnosis *diagnosis, const char *name, char *text, size_t size, struct err *err)
{
	if (diagnosis->file_count == DIAGNOSE_FILES_MAX) {
		return err_set(err, -E2BIG, "too many texts: at most %d", DIAGNOSE_FILES_MAX);
	}
	struct reader reader = {
		.diagnosis = diagnosis, .file = diagnosis->file_count++, .change = -1, .ping_payload = -1
	};

	diagnosis->files[reader.file] = name;
	diagnose_clean(text, size);
	take_name(&reader, name);
	read_text(&reader, text);
	return 0;
}

bool diagnosis_has(const struct diagnosis *diagnosis, enum diagnose_remark_kind kind)
{
	for (unsigned i = 0; i < diagnosis->remark_count; i++) {
		if (diagnosis->remarks[i].kind == kind) {
			return true;
		}
	}
	return false;
}

const char *diagnose_remark_kind_name(enum diagnose_remark_kind kind)
{
	static const char *const names[] = {
		[DIAGNOSE_MEANS] = "means",         [DIAGNOSE_NOTE] = "note", [DIAGNOSE_CAUSE] = "cause",
		[DIAGNOSE_ACQUITTED] = "acquitted", [DIAGNOSE_TRY] = "try",
	};

	return names[kind];
}
