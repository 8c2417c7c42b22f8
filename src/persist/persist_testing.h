/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of the formats share: a text, the settings it has to come to, and the findings it has to give. */
#ifndef HOLDOFF_PERSIST_PERSIST_TESTING_H
#define HOLDOFF_PERSIST_PERSIST_TESTING_H

#include <stdlib.h>
#include <string.h>

#include "persist/persist.h"
#include "tap.h"

struct reading_case {
	const char *name, *text;
	const char *settings; /* as coalesce_print writes them */
	/* "LINE SEVERITY PART" of each finding in order, separated by |; "" for none. The PART has to stand in it. */
	const char *findings;
};

static inline bool testing_finding_is(const struct persist_finding *finding, const char *expected, size_t length)
{
	char copy[256], start[32];
	const int start_length =
		snprintf(start, sizeof(start), "%u %s ", finding->line, persist_severity_name(finding->severity));

	snprintf(copy, sizeof(copy), "%.*s", (int)length, expected);
	return strncmp(copy, start, (size_t)start_length) == 0 && strstr(finding->text, copy + start_length);
}

static inline void testing_findings(const struct persist_file *file, const char *expected, const char *what)
{
	unsigned at = 0;
	bool is_right = true;

	while (*expected && is_right) {
		const size_t length = strcspn(expected, "|");

		is_right = at < file->finding_count && testing_finding_is(&file->findings[at], expected, length);
		at++;
		expected += length + (expected[length] == '|');
	}
	is_right = is_right && at == file->finding_count;
	if (!tap_ok(is_right, "%s: findings", what)) {
		for (unsigned i = 0; i < file->finding_count; i++) {
			tap_note("%u %s %s", file->findings[i].line, persist_severity_name(file->findings[i].severity),
				 file->findings[i].text);
		}
	}
}

static inline void testing_reading(const struct reading_case *row)
{
	static struct persist_file file;
	char printed[COALESCE_TEXT_MAX], what[96];
	struct err err = { "" };

	snprintf(what, sizeof(what), "%s: %.60s", row->name, row->text);
	for (char *at = what; *at; at++) {
		*at = *at == '\n' ? '/' : *at == '#' ? '+' : *at; /* # means something in TAP */
	}
	if (!tap_is(persist_read(&file, row->name, row->text, &err), 0, "%s: is read", what)) {
		return;
	}
	tap_is_text(coalesce_print(&file.settings, printed), row->settings, "%s: settings", what);
	testing_findings(&file, row->findings, what);
}

/* A file of test/data/persist; the caller frees it. */
static inline char *testing_load(const char *name)
{
	char path[200];
	const size_t most = 16384;
	char *const text = calloc(1, most);

	snprintf(path, sizeof(path), "test/data/persist/%s", name);
	FILE *const file = fopen(path, "rb");
	if (!file || !text) {
		tap_ok(false, "%s can be read", path);
		return text;
	}
	if (fread(text, 1, most - 1, file) == 0) {
		tap_ok(false, "%s has something in it", path);
	}
	fclose(file);
	return text;
}

static inline void testing_sample(const char *name, const char *settings, const char *findings)
{
	char *const text = testing_load(name);

	if (text) {
		testing_reading(&(struct reading_case){ name, text, settings, findings });
	}
	free(text);
}

#endif
