/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ethtool says besides settings, and the knobs of deferral: tables of "name: value". */
#include <stdio.h>
#include <string.h>

#include "diagnose/reader.h"

/* The value of a line "name: value", without blanks; NULL: it is another line. */
static const char *value_of(const char *line, const char *name)
{
	const size_t length = strlen(name);

	return strncmp(line, name, length) == 0 && line[length] == ':' ? line_skip_blanks(line + length + 1) : NULL;
}

static void copy_value(char *to, size_t size, const char *from)
{
	size_t length = strlen(from);

	while (length && (from[length - 1] == ' ' || from[length - 1] == '\t')) {
		length--;
	}
	length = length < size ? length : size - 1;
	memcpy(to, from, length);
	to[length] = '\0';
}

/* ---- ethtool -i ---- */

bool driver_begins(const struct reader *reader, const struct lines *line)
{
	(void)reader;
	return value_of(line->text, "driver") != NULL;
}

bool driver_goes_on(const struct lines *line)
{
	static const char *const names[] = { "version", "firmware-version", "expansion-rom-version", "bus-info" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (value_of(line->text, names[i])) {
			return true;
		}
	}
	return line_begins(line->text, "supports-");
}

void driver_read(struct reader *reader, char *text)
{
	struct diagnose_device *const device = reader_piece_device(reader, NULL);
	struct lines lines;

	lines_begin(&lines, text, 1);
	while (device && lines_next(&lines)) {
		const struct {
			const char *name;
			char *to;
			size_t size;
		} fields[] = {
			{ "driver", device->driver, sizeof(device->driver) },
			{ "version", device->version, sizeof(device->version) },
			{ "firmware-version", device->firmware, sizeof(device->firmware) },
			{ "bus-info", device->bus, sizeof(device->bus) },
		};

		for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
			const char *const value = value_of(lines.text, fields[i].name);

			if (value) {
				copy_value(fields[i].to, fields[i].size, value);
			}
		}
	}
}

/* ---- ethtool -l, -g ---- */

bool channels_begin(const struct reader *reader, const struct lines *line)
{
	(void)reader;
	return line_begins(line->text, "Channel parameters for ");
}

bool rings_begin(const struct reader *reader, const struct lines *line)
{
	(void)reader;
	return line_begins(line->text, "Ring parameters for ");
}

bool counts_go_on(const struct lines *line)
{
	static const char *const starts[] = {
		"Pre-set maximums:", "Current hardware settings:", "RX", "TX", "Other:", "Combined:", "CQE", "Header"
	};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (line_begins(line->text, starts[i])) {
			return true;
		}
	}
	return false;
}

const char *const diagnose_count_names[DIAGNOSE_COUNTS] = {
	[DIAGNOSE_COUNT_RX] = "rx",
	[DIAGNOSE_COUNT_TX] = "tx",
	[DIAGNOSE_COUNT_OTHER] = "other",
	[DIAGNOSE_COUNT_COMBINED] = "combined",
};

static void take_count(struct diagnose_counts *counts, const char *line)
{
	static const char *const words[DIAGNOSE_COUNTS] = { "RX", "TX", "Other", "Combined" };

	for (unsigned i = 0; i < DIAGNOSE_COUNTS; i++) {
		const char *at = value_of(line, words[i]);
		uint64_t number;

		if (at) {
			counts->count[i] = line_number(&at, &number) && number <= UINT32_MAX ? (int64_t)number : -1;
		}
	}
}

static void read_counts(const char *text, struct diagnose_counts *most, struct diagnose_counts *now)
{
	struct diagnose_counts *into = most;
	struct lines lines;

	lines_begin(&lines, text, 1);
	while (lines_next(&lines)) {
		if (line_begins(lines.text, "Current hardware settings:")) {
			into = now;
		} else {
			take_count(into, lines.text);
		}
	}
}

void channels_read(struct reader *reader, char *text)
{
	struct diagnose_device *const device = reader_piece_device(reader, line_behind(text, "parameters for "));

	if (device) {
		read_counts(text, &device->channels_max, &device->channels);
		device->has_channels = true;
	}
}

void rings_read(struct reader *reader, char *text)
{
	struct diagnose_device *const device = reader_piece_device(reader, line_behind(text, "parameters for "));

	if (device) {
		read_counts(text, &device->rings_max, &device->rings);
		device->has_rings = true;
	}
}

/* ---- ethtool -k ---- */

bool features_begin(const struct reader *reader, const struct lines *line)
{
	(void)reader;
	return line_begins(line->text, "Features for ") || line_begins(line->text, "Offload parameters for ");
}

bool features_go_on(const struct lines *line)
{
	const char *const value = line_behind(line->text, ":");

	return value && !line_begins(line->text, "Features for ") &&
	       (line_begins(value, "on") || line_begins(value, "off"));
}

void features_read(struct reader *reader, char *text)
{
	struct diagnose_device *const device = reader_piece_device(reader, line_behind(text, " for "));
	struct lines lines;

	lines_begin(&lines, text, 1);
	while (device && lines_next(&lines)) {
		const char *const gro = value_of(lines.text, "generic-receive-offload");
		const char *const lro = value_of(lines.text, "large-receive-offload");

		if (gro) {
			device->has_gro = true;
			device->gro = line_begins(gro, "on");
		} else if (lro) {
			device->has_lro = true;
			device->lro = line_begins(lro, "on");
		}
	}
}

/* ---- ethtool -S ---- */

bool statistics_begin(const struct reader *reader, const struct lines *line)
{
	(void)reader;
	return line_begins(line->text, "NIC statistics:");
}

bool statistics_go_on(const struct lines *line)
{
	const char *const value = line_behind(line->text, ": ");

	return line->is_indented && value && strspn(value, "0123456789") > 0;
}

/* Names of counters, as drivers of Linux 6.12 have them, by what they count. */
static void take_statistic(struct diagnose_drops *drops, const char *line)
{
	const struct {
		const char *name;
		int64_t *to;
	} rows[] = {
		{ "rx_missed_errors", &drops->missed },
		{ "rx_missed", &drops->missed },
		{ "port.rx_dropped", &drops->missed },
		{ "rx_fifo_errors", &drops->missed },
		{ "rx_dropped", &drops->dropped },
		{ "rx_discards", &drops->dropped },
		{ "rx_no_buffer_count", &drops->no_buffer },
		{ "rx_out_of_buffer", &drops->no_buffer },
		{ "rx_no_dma_resources", &drops->no_buffer },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *at = value_of(line, rows[i].name);
		uint64_t number;

		if (at && line_number(&at, &number) && number <= INT64_MAX && (int64_t)number > *rows[i].to) {
			*rows[i].to = (int64_t)number;
		}
	}
}

void statistics_read(struct reader *reader, char *text)
{
	struct diagnose_device *const device = reader_piece_device(reader, NULL);
	struct lines lines;

	lines_begin(&lines, text, 1);
	while (device && lines_next(&lines)) {
		take_statistic(&device->drops, lines.text);
		device->has_drops = true;
	}
}

/* ---- ethtool DEV ---- */

bool link_begins(const struct reader *reader, const struct lines *line)
{
	(void)reader;
	return line_begins(line->text, "Settings for ");
}

bool link_goes_on(const struct lines *line)
{
	return line->is_indented;
}

void link_read(struct reader *reader, char *text)
{
	struct diagnose_device *const device = reader_piece_device(reader, line_behind(text, "Settings for "));
	struct lines lines;

	lines_begin(&lines, text, 1);
	while (device && lines_next(&lines)) {
		const char *at = value_of(lines.text, "Speed");
		uint64_t mbps;

		if (at && line_number(&at, &mbps) && line_begins(at, "Mb/s") && mbps && mbps <= 1000000) {
			device->speed_mbps = (unsigned)mbps;
		}
	}
}

/* ---- ethtool -T ---- */

bool stamps_begin(const struct reader *reader, const struct lines *line)
{
	(void)reader;
	return line_begins(line->text, "Time stamping parameters for ");
}

bool stamps_go_on(const struct lines *line)
{
	return line->is_indented || line_begins(line->text, "Capabilities:") ||
	       line_begins(line->text, "PTP Hardware Clock:") || line_begins(line->text, "Hardware ");
}

void stamps_read(struct reader *reader, char *text)
{
	struct diagnose_device *const device = reader_piece_device(reader, line_behind(text, " for "));

	if (device) {
		device->has_rx_stamps = strstr(text, "hardware-receive") != NULL;
	}
}

/* ---- deferral ---- */

static const char *const knob_names[] = { "napi_defer_hard_irqs", "gro_flush_timeout" };

/* Which knob a line is of: by its name, or alone behind cat. *at is set to the value. */
static int find_knob(const struct reader *reader, const char *line, const char **at)
{
	for (int knob = 0; knob < 2; knob++) {
		const char *const name = strstr(line, knob_names[knob]);

		if (name) {
			*at = name + strlen(knob_names[knob]);
			*at += strspn(*at, ":= \t");
			return **at >= '0' && **at <= '9' ? knob : -1;
		}
	}
	*at = line;
	if (reader->command != COMMAND_DEFER && reader->command != COMMAND_GRO_TIMEOUT) {
		return -1;
	}
	return *line >= '0' && *line <= '9' && line_is_over(line + strspn(line, "0123456789"))
		       ? reader->command == COMMAND_GRO_TIMEOUT
		       : -1;
}

bool knobs_begin(const struct reader *reader, const struct lines *line)
{
	const char *at;

	return find_knob(reader, line->text, &at) >= 0;
}

void knobs_read(struct reader *reader, char *text)
{
	const char *const net = strstr(text, "/net/"), *at;
	char name[16] = "";

	if (net) {
		line_word(net + 5, "/", name, sizeof(name));
	}
	const int knob = find_knob(reader, line_skip_blanks(text), &at);
	struct diagnose_device *const device = reader_piece_device(reader, name[0] ? name : NULL);
	uint64_t value;

	if (!device || knob < 0 || !line_number(&at, &value)) {
		return;
	}
	device->has_knobs[knob] = true;
	if (knob) {
		device->gro_flush_timeout_ns = value;
	} else {
		device->defer_hard_irqs = value;
	}
}
