/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run with nothing left out, as JSON that is read back to the same value: what is kept in files. Schema
 * holdoff.record/1, described in holdoff-store(5). Not for people, who have holdoff.run/1 (run_json.h): no figure is
 * derived, and every histogram has its buckets.
 *
 * Values that are 0, false or empty are left out; what was not observed is told by the run's own `has` and `lacks`.
 * A number above 2^63 - 1 is a text of its digits, since few readers of JSON take it. A byte that is no UTF-8 is
 * written as U+FFFD: that alone does not come back.
 */
#ifndef HOLDOFF_REPORT_RECORD_H
#define HOLDOFF_REPORT_RECORD_H

#include <stddef.h>

#include "base/err.h"
#include "report/json_writer.h"
#include "run/run.h"

#define RECORD_SCHEMA "holdoff.record/1"

/* The longest time that a record may be of, so that what is summed over CPUs fits 63 bits: 104 days. */
#define RECORD_DURATION_MAX_NS (INT64_C(1) << 53)

/* The object, as a member or element of a larger document. */
void record_put(struct json_writer *writer, const char *key, const struct run *run);

struct json_t;

/*
 * From an object that jansson has read. Strict: an unknown key, a wrong type, a number that does not fit, a list that is
 * not as long as its count, a histogram whose parts contradict each other are -EINVAL with a sentence that names the
 * place. *run is then of no use.
 */
int record_take(struct run *run, const struct json_t *object, struct err *err);

/* The same from text, which needs no end. -ENOMEM or -EINVAL. */
int record_parse(struct run *run, const char *text, size_t length, struct err *err);

/* The text in memory, which the caller frees; NULL when there is none left. */
char *record_print(const struct run *run, size_t *length);

#endif
