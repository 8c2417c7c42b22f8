/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/outcome.h"

#include <string.h>

#include "base/text.h"

/* Those of qemu/run. */
#define RUN_USAGE 2
#define RUN_UNAVAILABLE 77

#define STATUS_MAX 255
#define LINE_MAX_BYTES 1024

static const struct {
	const char *name;
	int status; /* of holdoff bench; for a failed script see outcome_status */
} kinds[OUTCOME_KINDS] = {
	[OUTCOME_DONE] = { "done", 0 },
	[OUTCOME_FAILED] = { "failed", 1 },
	[OUTCOME_LATE] = { "late", 124 },
	[OUTCOME_DIED] = { "died", 125 },
	[OUTCOME_UNAVAILABLE] = { "unavailable", 3 },
	[OUTCOME_REFUSED] = { "refused", 2 },
	[OUTCOME_INTERRUPTED] = { "interrupted", 130 },
};

const char *outcome_kind_name(enum outcome_kind kind)
{
	return kinds[kind].name;
}

static void take_kind(struct outcome *outcome, const char *name)
{
	for (enum outcome_kind kind = 0; kind < OUTCOME_KINDS; kind++) {
		if (strcmp(kinds[kind].name, name) == 0) {
			outcome->kind = kind;
		}
	}
}

/* "NAME STATUS": names have no blanks. */
static void take_exit(struct outcome *outcome, const char *text)
{
	const char *const blank = strrchr(text, ' ');
	uint32_t status;

	if (blank && outcome->script_count < OUTCOME_SCRIPTS_MAX &&
	    text_parse_u32(blank + 1, "status", &status, NULL) == 0 && status <= STATUS_MAX) {
		outcome->script_status[outcome->script_count++] = (int)status;
	}
}

static void take_time(int64_t *at_ns, const char *text)
{
	if (text_parse_i64(text, "time", 0, INT64_MAX, at_ns, NULL) < 0) {
		*at_ns = OUTCOME_UNKNOWN_NS;
	}
}

static void take_text(char *to, size_t size, const char *text)
{
	snprintf(to, size, "%s", text);
}

static void take_line(struct outcome *outcome, const char *word, const char *value)
{
	if (strcmp(word, "outcome") == 0) {
		take_kind(outcome, value);
	} else if (strcmp(word, "why") == 0) {
		take_text(outcome->why, sizeof(outcome->why), value);
	} else if (strcmp(word, "qemu") == 0) {
		take_text(outcome->qemu, sizeof(outcome->qemu), value);
	} else if (strcmp(word, "release") == 0) {
		take_text(outcome->kernel, sizeof(outcome->kernel), value);
	} else if (strcmp(word, "driver") == 0) {
		take_text(outcome->driver, sizeof(outcome->driver), value);
	} else if (strcmp(word, "ready") == 0) {
		take_time(&outcome->ready_at_ns, value);
	} else if (strcmp(word, "over") == 0) {
		take_time(&outcome->over_at_ns, value);
	} else if (strcmp(word, "exit") == 0) {
		take_exit(outcome, value);
	}
}

static enum outcome_kind kind_without_report(int run_status)
{
	switch (run_status) {
	case RUN_UNAVAILABLE:
		return OUTCOME_UNAVAILABLE;
	case RUN_USAGE:
		return OUTCOME_REFUSED;
	default:
		return OUTCOME_DIED;
	}
}

void outcome_read(struct outcome *outcome, FILE *report, int run_status)
{
	char line[LINE_MAX_BYTES];

	*outcome = (struct outcome){ .kind = kind_without_report(run_status),
				     .ready_at_ns = OUTCOME_UNKNOWN_NS,
				     .over_at_ns = OUTCOME_UNKNOWN_NS };
	while (report && fgets(line, sizeof(line), report)) {
		line[strcspn(line, "\r\n")] = '\0';
		char *const blank = strchr(line, ' ');

		if (blank) {
			*blank = '\0';
			take_line(outcome, line, blank + 1);
		}
	}
	outcome->is_said = outcome->why[0] || outcome->kind == OUTCOME_DONE;
	if (!outcome->is_said) {
		snprintf(outcome->why, sizeof(outcome->why), "the harness ended with status %d and does not say why",
			 run_status);
	}
}

int outcome_status(const struct outcome *outcome)
{
	for (unsigned i = 0; outcome->kind == OUTCOME_FAILED && i < outcome->script_count; i++) {
		if (outcome->script_status[i]) {
			return outcome->script_status[i];
		}
	}
	return kinds[outcome->kind].status;
}
