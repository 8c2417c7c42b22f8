/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a change did, field by field: the rows that holdoff set prints, as text and as JSON. */
#ifndef HOLDOFF_CMD_CHANGE_ROWS_H
#define HOLDOFF_CMD_CHANGE_ROWS_H

#include <stdbool.h>
#include <stdio.h>

#include "change/advice.h"
#include "change/change.h"
#include "report/json_writer.h"

enum change_outcome {
	OUTCOME_ALREADY_SO,
	OUTCOME_AS_ASKED,
	OUTCOME_ROUNDED,   /* taken, and reported otherwise */
	OUTCOME_NO_EFFECT, /* accepted, and what is reported is what it was before */
	OUTCOME_TOO,       /* not asked for, and changed with the others */
	OUTCOME_NOT_SENT,  /* a dry run, or refused before */
};

enum change_scope { SCOPE_OF_DEVICE, SCOPE_OF_QUEUE, SCOPE_OF_NAPI };

/* How a value is told: in text as holdoff show does it, in JSON as a boolean or a number. */
enum change_value { VALUE_COUNT, VALUE_SWITCH, VALUE_SPAN_NS, VALUE_THREADED };

struct change_row {
	enum change_scope scope;
	uint32_t number; /* of the queue or instance */
	const char *name, *json_key;
	enum change_value value;
	bool is_requested;
	uint64_t was, requested, reported;
	enum change_outcome outcome;
};

#define CHANGE_ROWS_MAX (COALESCE_FIELDS * (CHANGE_QUEUES_MAX + 1) + 8 * CHANGE_NAPIS_MAX)

struct change_rows {
	unsigned count;
	struct change_row rows[CHANGE_ROWS_MAX];
	/* A device, queue or instance of which something was sent and nothing changed, though no rounding explains it. */
	bool has_idle_scope;
};

/* was_sent false: of a dry run. */
void change_rows_make(struct change_rows *rows, const struct change *change, const struct change_advice *advice,
		      bool was_sent);
void change_rows_print(const struct change_rows *rows, FILE *out);
/* An array under the key "fields". */
void change_rows_put(const struct change_rows *rows, struct json_writer *writer);

/* An array of the fields of a set with their values, under the key; and the same as lines of text. */
void change_set_put(const struct change_set *set, const char *key, struct json_writer *writer);
void change_set_print(const struct change_set *set, const char *label, FILE *out);

#endif
