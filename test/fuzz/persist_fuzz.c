/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text under the name of every format: findings stay in order and printable, and the settings can be
 * written again. */
#include <stdio.h>

#include "base/err.h"
#include "fuzz/fuzz.h"
#include "persist/persist.h"

static const char *const names[] = { "10-x.link", "x.nmconnection", "99-x.rules", "x.sh", "x.yaml" };

#define NAMES (sizeof(names) / sizeof(names[0]))

static unsigned count_lines(const char *text)
{
	unsigned lines = 1;

	for (; *text; text++) {
		lines += *text == '\n';
	}
	return lines;
}

static void check_finding(const struct persist_finding *finding, unsigned least, unsigned most)
{
	fuzz_require(finding->line >= least && finding->line <= most);
	fuzz_require(finding->severity <= PERSIST_WRONG && finding->text[0]);
	fuzz_require(memchr(finding->text, '\0', sizeof(finding->text)) != NULL);
	for (const char *at = finding->text; *at; at++) {
		fuzz_require((unsigned char)*at >= 0x20 && *at != 0x7f);
	}
}

static void check_file(const struct persist_file *file, unsigned lines)
{
	fuzz_require(file->format < PERSIST_FORMATS && file->finding_count <= PERSIST_FINDINGS_MAX);
	fuzz_require(file->condition_count <= PERSIST_CONDITIONS_MAX);
	for (unsigned i = 0; i < file->finding_count; i++) {
		check_finding(&file->findings[i], i ? file->findings[i - 1].line : 1, lines);
	}
	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		fuzz_require(!coalesce_has(&file->settings, field) ||
			     (file->lines[field] && file->lines[field] <= lines));
	}
}

/* What was read is written in its format and read back the same, but for what the format cannot say. */
static void turn_round(const struct persist_file *file, const char *name)
{
	static struct persist_file again;
	struct coalesce expressed = file->settings;
	struct persist_match match = { "eth0", "", "pci-0000:00:03.0", "" };
	char text[8192];
	uint32_t left_out;
	FILE *const out = fmemopen(text, sizeof(text), "w");

	fuzz_require(out != NULL);
	const int ret = persist_write(out, file->format, &match, &file->settings, &left_out);
	fuzz_require(fclose(out) == 0);
	expressed.present &= ~left_out;
	fuzz_require((ret == 0) == (expressed.present != 0));
	if (ret == 0) {
		fuzz_require(persist_read(&again, name, text, NULL) == 0);
		fuzz_require(coalesce_difference(&again.settings, &expressed) == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct persist_file files[NAMES];
	struct persist_file *const pair[] = { &files[0], &files[0] };
	const char *const pair_names[] = { "10-x.link", "20-x.link" };
	char *const text = fuzz_text(data, size);
	const unsigned lines = count_lines(text);
	struct err err = { "" };

	for (size_t i = 0; i < NAMES; i++) {
		if (persist_read(&files[i], names[i], text, &err)) {
			fuzz_require(err.text[0] != '\0');
			continue;
		}
		check_file(&files[i], lines);
		turn_round(&files[i], names[i]);
	}
	persist_check_order(pair, pair_names, 2);
	check_file(&files[0], lines);
	free(text);
	return 0;
}
