/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which runs of a store are meant, as text, the same for every command that has --filter:
 *
 *	source=measured,device=eth*,rx-usecs=0|100,rtt-p99<200us,taken>=2026-12-01
 *
 * Terms are joined by commas and all have to hold. A term is FIELD, one of = != < <= > >=, and a value; for = and != also
 * several, joined by |, of which one, or none, has to be so. Fields are those of store_filter_fields(), every coalescing
 * setting by its name (as requested, else as reported), and every figure of run/figure.h with its unit. A text may have
 * * and ?; a value with a comma or | in it stands in "double quotes". What a run does not have fits no term, != neither.
 * Reading is pure; what becomes of it in SQL is store/query.c.
 */
#ifndef HOLDOFF_STORE_FILTER_H
#define HOLDOFF_STORE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "coalesce/settings.h"
#include "run/figure.h"

#define STORE_FILTER_TERMS_MAX 16
#define STORE_FILTER_VALUES_MAX 8
#define STORE_FILTER_TEXT_MAX 256

enum store_field_kind {
	STORE_FIELD_TEXT,
	STORE_FIELD_PREFIX, /* of a UUID */
	STORE_FIELD_NUMBER,
	STORE_FIELD_SWITCH,
	STORE_FIELD_TIME,     /* UTC: 2026-12-01, 2026-12-01T10:00, 2026-12-01T10:00:30 */
	STORE_FIELD_TAINT,    /* any of several texts */
	STORE_FIELD_SETTINGS, /* all settings of a run, as words */
	STORE_FIELD_WORKLOAD
};

struct store_field {
	const char *name;
	const char *column; /* in the table of runs */
	enum store_field_kind kind;
	const char *meaning; /* one line, no full stop */
};

const struct store_field *store_filter_fields(unsigned *count);

enum store_operation { STORE_EQUAL, STORE_UNEQUAL, STORE_LESS, STORE_AT_MOST, STORE_MORE, STORE_AT_LEAST };

struct store_value {
	char text[STORE_FILTER_TEXT_MAX];
	int64_t number; /* of everything that is no text; of a figure in thousandths, of a time in ns since 1970 */
};

struct store_term {
	const struct store_field *field; /* or NULL, then ... */
	const struct figure *figure;     /* ... this, or when it is NULL too ... */
	enum coalesce_field setting;     /* ... this */
	enum store_operation operation;
	unsigned value_count;
	struct store_value value[STORE_FILTER_VALUES_MAX];
};

struct store_filter {
	unsigned count; /* 0: every run */
	struct store_term term[STORE_FILTER_TERMS_MAX];
};

/* "" is every run. -EINVAL names the nearest field, or says what was wrong with the value; *filter is then as it was. */
int store_filter_parse(struct store_filter *filter, const char *text, struct err *err);

/* Adds the terms of another text. */
int store_filter_add(struct store_filter *filter, const char *text, struct err *err);

#endif
