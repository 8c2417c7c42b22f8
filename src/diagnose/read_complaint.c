/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What ethtool and the kernel complain of, and files with settings: src/persist knows the words of ethtool and the
 * files; here stands what a complaint means by what was tried.
 */
#include <stdio.h>
#include <string.h>

#include "diagnose/reader.h"
#include "diagnose/remark.h"

/* ---- ethtool ---- */

static bool is_about_coalescing(const char *line)
{
	return strstr(line, "oalesce") != NULL;
}

bool complaint_goes_on(const struct lines *line)
{
	static const char *const starts[] = { "netlink error:",   "Cannot get device", "Cannot set device",
					      "Cannot set ring",  "ethtool: bad",      "ethtool (-",
					      "no device matches" };

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (line_begins(line->text, starts[i])) {
			return true;
		}
	}
	return false;
}

bool complaint_begins(const struct reader *reader, const struct lines *line)
{
	(void)reader;
	return complaint_goes_on(line);
}

/* What the words mean, by src/persist; line by line, so that each has its sentence. */
static void explain_lines(struct reader *reader, const char *text, const struct remark_origin *origin)
{
	struct lines lines;

	lines_begin(&lines, text, reader->piece->first);
	while (lines_next(&lines)) {
		struct remark_origin at = *origin;

		at.line = lines.number;
		if (persist_read(&reader->persisted, "complaint.sh", lines.text, NULL)) {
			continue;
		}
		for (unsigned i = 0; i < reader->persisted.finding_count; i++) {
			remark_add(reader->diagnosis, &at, DIAGNOSE_CAUSE, "%s", reader->persisted.findings[i].text);
		}
	}
}

/* Nothing to get: a driver without coalescing, which is no error. True if that is what the words say. */
static bool take_no_settings(struct reader *reader, const char *text)
{
	const bool is_set = strstr(text, "annot set") || reader->command == COMMAND_SET ||
			    reader->command == COMMAND_CHANNELS;
	const bool is_other = line_begins(text, "Cannot get") && !is_about_coalescing(text);

	if (is_set || is_other || !strstr(text, "Operation not supported")) {
		return false;
	}
	struct diagnose_device *const device = reader_piece_device(reader, NULL);

	if (device && !device->has_settings) {
		device->support = DIAGNOSE_SUPPORT_NONE;
	}
	return device && !device->has_settings;
}

void complaint_read(struct reader *reader, char *text)
{
	const struct remark_origin origin = {
		.rule = "complaint",
		.source = "texts of ethtool 4.8 to 6.15 and of the kernel's netlink handler (net/ethtool)",
		.device = -1,
		.file = reader->file,
		.line = reader->piece->first,
	};

	if (reader->change >= 0 && reader->command == COMMAND_SET) {
		reader->diagnosis->changes[reader->change].is_refused = true;
	}
	if (!take_no_settings(reader, text)) {
		explain_lines(reader, text, &origin);
	}
}

/* ---- the kernel ---- */

static bool is_release(const char *line)
{
	return line[0] >= '0' && line[0] <= '9' && strspn(line, "0123456789") <= 2 && strchr(line, '.') &&
	       strcspn(line, " ") == strlen(line);
}

/* "%Cpu(s):  1.0 us, ... 48.0 id," of top; "Average: all 0.10 ... 48.00" of mpstat, whose last column it is. */
static const char *find_idle(const char *line)
{
	const char *at = NULL;

	if (line_begins(line, "%Cpu(s):") || line_begins(line, "Cpu(s):")) {
		at = strstr(line, " id,");
		at = at ? at : strstr(line, "%id,");
	} else if (line_begins(line, "Average:") && line_begins(line_skip_blanks(line + strlen("Average:")), "all")) {
		at = line + strlen(line);
	}
	while (at && at > line && at[-1] == ' ') {
		at--;
	}
	while (at && at > line && strchr("0123456789.", at[-1])) {
		at--;
	}
	return at && *at >= '0' && *at <= '9' ? at : NULL;
}

bool kernel_begins(const struct reader *reader, const struct lines *line)
{
	static const char *const signs[] = { "NETDEV WATCHDOG", "transmit queue", "Interrupt Throttling Rate",
					     ": RTL8" };

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (strstr(line->text, signs[i])) {
			return true;
		}
	}
	if (find_idle(line->text)) {
		return true;
	}
	return line_begins(line->text, "Linux version ") || strstr(line->text, "Linux version ") ||
	       (line_begins(line->text, "Linux ") && strstr(line->text, " SMP")) ||
	       (reader->command == COMMAND_UNAME && is_release(line->text));
}

/* "Linux host 6.1.0-57-amd64 #1 SMP ...", "Linux version 6.1.0-57-amd64 (...)", "6.1.0-57-amd64" */
static void take_release(struct diagnosis *diagnosis, const char *line)
{
	const char *at = strstr(line, "Linux ");

	for (at = at ? at : line; *at; at = line_skip_blanks(at + strcspn(at, " "))) {
		char word[64];

		line_word(at, "", word, sizeof(word));
		if (is_release(word)) {
			memcpy(diagnosis->kernel, word, sizeof(word));
			return;
		}
	}
}

/* "NETDEV WATCHDOG: eth0 (bcmgenet): transmit queue 1 timed out" */
static void take_timeout(struct reader *reader, const char *line)
{
	const struct remark_origin origin = {
		.rule = "transmit-timeout",
		.source = "raspberrypi/linux issue 4485; net/sched/sch_generic.c (dev_watchdog: 5 s by default)",
		.device = reader->piece->device,
		.file = reader->file,
		.line = reader->piece->first,
	};

	if (!strstr(line, "timed out")) {
		return;
	}
	remark_add(reader->diagnosis, &origin, DIAGNOSE_CAUSE,
		   "the kernel's watchdog found a transmit queue stopped for seconds: the driver or the chip lost a "
		   "completion");
	remark_add(
		reader->diagnosis, &origin, DIAGNOSE_ACQUITTED,
		"interrupt coalescing: it holds frames for microseconds to milliseconds, not for the watchdog's 5 s; "
		"if it depends on the frame's size, look at buffers and offloads");
}

/* e1000e says its mode in words when it is loaded. */
static void take_mode(struct reader *reader, const char *line)
{
	const struct remark_origin origin = {
		.rule = "mode-code",
		.source = "ethernet/intel/e1000e/param.c; OpenEtherCATsociety/SOEM issue 254",
		.device = reader->piece->device,
		.file = reader->file,
		.line = reader->piece->first,
	};
	const bool is_conservative = strstr(line, "dynamic conservative") != NULL;

	if (is_conservative || strstr(line, "dynamic mode")) {
		remark_add(reader->diagnosis, &origin, DIAGNOSE_MEANS,
			   "e1000e starts in the mode that ethtool shows as rx-usecs %d: a mode code, not %d us",
			   is_conservative ? 3 : 1, is_conservative ? 3 : 1);
	}
}

/* "r8169 0000:03:00.0 eth0: RTL8168h/8111h, 02:00:..., XID 541, IRQ 127": what the driver says of the chip at load. */
static void take_chip(struct reader *reader, const char *text)
{
	const char *const driver = strstr(text, "r8169 ");
	const char *const bus = driver ? line_behind(driver, "r8169 ") : NULL;
	const char *const name = bus ? line_behind(bus, " ") : NULL;
	const char *const chip = name ? line_behind(name, ": ") : NULL;

	if (!chip || !line_begins(chip, "RTL8") || !strstr(chip, "XID")) {
		reader_odd(reader);
		return;
	}
	struct diagnose_device *const device = reader_piece_device(reader, name);

	if (device) {
		snprintf(device->driver, sizeof(device->driver), "r8169");
		line_word(bus, "", device->bus, sizeof(device->bus));
		line_word(chip, ",", device->chip, sizeof(device->chip));
	}
}

void kernel_read(struct reader *reader, char *text)
{
	const char *const watchdog = line_behind(text, "NETDEV WATCHDOG:");

	if (watchdog) {
		reader_piece_device(reader, watchdog);
	}
	const char *idle = find_idle(text);
	int64_t idle_ns;

	if (idle) {
		/* A percent as ten permille, by the scanner of decimals. */
		reader->diagnosis->idle_permille = line_decimal(&idle, 10, &idle_ns) && idle_ns <= 1000 ? (int)idle_ns
													: -1;
	} else if (strstr(text, "transmit queue")) {
		take_timeout(reader, text);
	} else if (strstr(text, "Interrupt Throttling Rate")) {
		take_mode(reader, text);
	} else if (strstr(text, ": RTL8")) {
		take_chip(reader, text);
	} else {
		take_release(reader->diagnosis, text);
	}
}

/* ---- files of others ---- */

static bool is_section(const char *line)
{
	static const char *const sections[] = { "[Match]", "[Link]", "[ethtool]", "[connection]" };

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		if (line_begins(line, sections[i])) {
			return true;
		}
	}
	return false;
}

bool config_begins(const struct reader *reader, const struct lines *line)
{
	(void)reader;
	return is_section(line->text) || (strstr(line->text, "SUBSYSTEM==\"net\"") != NULL) ||
	       (strcmp(line->text, "network:") == 0 && !line->is_indented);
}

bool config_goes_on(const struct lines *line)
{
	const size_t key = strcspn(line->text, " :=\t");

	return line->text[0] == '[' || line->text[key] == '=' || strstr(line->text, "==\"") ||
	       (line->is_indented && strchr(line->text, ':'));
}

void config_read(struct reader *reader, char *text)
{
	struct persist_file *const file = &reader->persisted;
	struct remark_origin origin = {
		.rule = "configuration", .source = "holdoff lint, which says more", .device = -1, .file = reader->file
	};

	if (persist_read(file, reader->diagnosis->files[reader->file], text, NULL)) {
		reader_odd(reader);
		return;
	}
	for (unsigned i = 0; i < file->finding_count; i++) {
		const struct persist_finding *const finding = &file->findings[i];

		origin.line = reader->piece->first + finding->line - 1;
		remark_add(reader->diagnosis, &origin,
			   finding->severity == PERSIST_NOTE ? DIAGNOSE_NOTE : DIAGNOSE_CAUSE, "%s", finding->text);
	}
}
