/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replays what the real drivers did (test/data/vectors): each line is one check of errno, refusing party, refused
 * field, read-back and registers. Run from the root of the source tree.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coalesce/settings.h"
#include "driver/driver.h"
#include "tap.h"

#define COLUMNS_MAX 8
#define SHADOW_BYTES 0x200

struct recording {
	const char *path, *variant;
	unsigned lines;
	struct driver_config config;
	bool reports_frames;
	struct shown_register {
		const char *name;
		uint32_t offset;
		int digits;
	} registers[2];
};

static const struct recording recordings[] = {
	{
		.path = "test/data/vectors/fec_6.1.0-50-armmp_ahb132MHz.txt",
		.variant = "fec@6.12",
		.lines = 75,
		.config = { .family = CHIP_FEC, .has_coalesce = true, .queues = 1, .clock_hz = 132000000 },
		.reports_frames = true,
		.registers = { { "TXIC0", 0x0f0, 8 }, { "RXIC0", 0x100, 8 } },
	},
	{
		.path = "test/data/vectors/r8169_6.1.0-57_xid283.txt",
		.variant = "r8169@6.12",
		.lines = 137,
		.config = { .family = CHIP_RTL8168, .has_coalesce = true, .queues = 1 },
		.reports_frames = true,
		.registers = { { "CPlus", 0xe0, 4 }, { "IM", 0xe2, 4 } },
	},
	{
		.path = "test/data/vectors/tsnep_6.12.95.txt",
		.variant = "tsnep@6.12",
		.lines = 40,
		.config = { .family = CHIP_TSNEP, .has_coalesce = true, .queues = 1 },
	},
};

/* ---- what a line says ---- */

static unsigned split(char *line, char *columns[COLUMNS_MAX])
{
	unsigned count = 0;
	line[strcspn(line, "\n")] = '\0';
	for (char *rest = line; rest && count < COLUMNS_MAX; count++) {
		columns[count] = rest;
		rest = strchr(rest, '|');
		if (rest) {
			*rest++ = '\0';
		}
	}
	return count;
}

static int recorded_error(const char *exit_status, const char *text)
{
	if (strcmp(exit_status, "rc=0") == 0) {
		return 0;
	}
	return strstr(text, "Numerical result out of range") ? -ERANGE
	       : strstr(text, "Invalid argument")            ? -EINVAL
							     : -EIO;
}

/* The line that fec leaves in the kernel log names the field, others do not. */
static const char *recorded_field(const char *log)
{
	if (strncmp(log, "dmesg: ", 7) != 0) {
		return "?";
	}
	bool receives = strstr(log, "Rx coalesced"), counts = strstr(log, "coalesced frame");
	return receives ? counts ? "rx-frames" : "rx-usecs" : counts ? "tx-frames" : "tx-usecs";
}

/* The numbers of a read-back, with single spaces. */
static void recorded_numbers(const char *text, char *numbers)
{
	*numbers = '\0';
	const char *equals = strchr(text, '=');
	for (const char *at = equals ? equals : text; *at;) {
		char *end = NULL;
		unsigned long value = strtoul(at, &end, 10);
		if (end != at && *at != '-' && *at != '+') {
			sprintf(numbers + strlen(numbers), " %lu", value);
			at = end;
		} else {
			at++;
		}
	}
}

/* ---- what the model does ---- */

static void perform(uint32_t shadow[SHADOW_BYTES], const struct driver_result *result)
{
	for (unsigned i = 0; i < result->write_count; i++) {
		if (result->writes[i].offset < SHADOW_BYTES) {
			shadow[result->writes[i].offset] = result->writes[i].value;
		}
	}
}

static void replay(const struct recording *recording, const char *speed, const char *words, char *got,
		   const char *expected_field)
{
	uint32_t shadow[SHADOW_BYTES] = { 0 };
	struct driver driver;
	struct driver_result result;
	struct coalesce request, reported;
	struct err err = { "" };
	if (driver_init(&driver, driver_variant_find(recording->variant), &recording->config, &err) ||
	    coalesce_parse_text(&request, words, &err)) {
		sprintf(got, "%s", err.text);
		return;
	}
	if (strcmp(speed, "down") != 0) {
		driver_open(&driver, &result);
		perform(shadow, &result);
		driver_link(&driver, (unsigned)atoi(speed), &result);
		perform(shadow, &result);
	}
	driver_set(&driver, &request, &result);
	perform(shadow, &result);
	const char *field = "?";
	if (expected_field[0] != '?' && result.field < COALESCE_FIELDS) {
		field = coalesce_fields[result.field].name;
	}
	got += sprintf(got, "%d core %d %s:", result.error, result.core_refused, field);
	driver_get(&driver, &reported);
	got += sprintf(got, " %u", reported.value[COALESCE_RX_USECS]);
	if (recording->reports_frames) {
		got += sprintf(got, " %u", reported.value[COALESCE_RX_FRAMES]);
	}
	got += sprintf(got, " %u", reported.value[COALESCE_TX_USECS]);
	if (recording->reports_frames) {
		got += sprintf(got, " %u", reported.value[COALESCE_TX_FRAMES]);
	}
	for (unsigned i = 0; i < 2 && recording->registers[i].name; i++) {
		const struct shown_register *shown = &recording->registers[i];
		got += sprintf(got, " %s=%0*x", shown->name, shown->digits, shadow[shown->offset]);
	}
}

static void check_line(const struct recording *recording, char *line)
{
	char *columns[COLUMNS_MAX], got[512], expected[512], numbers[128];
	unsigned count = split(line, columns);
	if (count < 5) {
		tap_ok(false, "%s: a line has at least five columns, got %u", recording->path, count);
		return;
	}
	const char *registers = recording->registers[0].name ? columns[count - 1] : "";
	const char *field = recorded_field(columns[5 < count ? 5 : count - 1]);
	recorded_numbers(columns[4], numbers);
	sprintf(expected, "%d core %d %s:%s%s%s", recorded_error(columns[2], columns[3]),
		strstr(columns[3], "cannot modify an unsupported parameter") != NULL, field, numbers,
		registers[0] ? " " : "", registers);
	replay(recording, columns[0], columns[1], got, field);
	tap_is_text(got, expected, "%s: %s: %s", recording->variant, columns[0], columns[1]);
}

static void check_recording(const struct recording *recording)
{
	FILE *file = fopen(recording->path, "r");
	if (!file) {
		tap_ok(false, "%s can be read", recording->path);
		return;
	}
	char line[512];
	unsigned lines = 0;
	while (fgets(line, sizeof(line), file)) {
		check_line(recording, line);
		lines++;
	}
	fclose(file);
	tap_is(lines, recording->lines, "%s: every line was replayed", recording->path);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(recordings) / sizeof(recordings[0]); i++) {
		check_recording(&recordings[i]);
	}
	return tap_done();
}
