/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The members of a run as tables, from which records are both written and read. For record_*.c alone. */
#ifndef HOLDOFF_REPORT_RECORD_PRIVATE_H
#define HOLDOFF_REPORT_RECORD_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/run.h"

enum record_type {
	RECORD_BOOL,
	RECORD_U32,
	RECORD_U64,
	RECORD_I64,
	RECORD_SPAN, /* int64_t, 0 .. RECORD_SPAN_MAX: what may be added up */
	RECORD_TEXT,
	RECORD_HOLD_KIND, /* const char *, static text */
	RECORD_SETTINGS,
	RECORD_WORKLOAD,
	RECORD_SOURCE
};

/* Thirty-six of them fit 63 bits: four kinds of time on nine rows of CPUs. */
#define RECORD_SPAN_MAX (INT64_C(1) << 57)

struct record_field {
	const char *key;
	enum record_type type;
	size_t offset; /* in the object that the table is of */
	size_t size;   /* of a text, with its end */
};

/* An array in the object, with as many elements as a field of the same object says. */
struct record_list {
	const char *key;
	size_t count_offset; /* of an unsigned */
	size_t offset, stride;
	unsigned most;
	bool counts_on; /* the count may be more than there is room for */
	const struct record_field *fields;
	unsigned field_count;
};

struct record_object {
	const char *key;
	size_t offset; /* in struct run */
	const struct record_field *fields;
	unsigned field_count;
	const struct record_list *lists;
	unsigned list_count;
};

#define RECORD_OBJECTS 3

/* conditions, measured, findings */
extern const struct record_object record_objects[RECORD_OBJECTS];

#define RECORD_HISTOGRAM_FIELDS 8

/* Of a histogram but for its buckets. */
extern const struct record_field record_histogram_fields[RECORD_HISTOGRAM_FIELDS];

/* Whether the object is written at all. */
static inline bool record_has_object(const struct record_object *object, const struct run *run)
{
	return object != &record_objects[1] || run->conditions.source == RUN_MEASURED;
}

#endif
