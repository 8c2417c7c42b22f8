/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A streaming writer of JSON documents: what is put is written, in that order, two spaces a level. Numbers are
 * integers or decimals made from integers: no floating point, so the same run gives the same bytes everywhere.
 *
 * A key is needed inside an object and must be NULL inside an array and for the outermost value. Keys are the
 * program's own words and are written as they are; texts are escaped. The first failure (full disk, closed pipe,
 * no memory) is kept and said by json_end.
 */
#ifndef HOLDOFF_REPORT_JSON_WRITER_H
#define HOLDOFF_REPORT_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_WRITER_DEPTH_MAX 16

struct json_writer {
	FILE *out;
	unsigned depth;
	bool has_values[JSON_WRITER_DEPTH_MAX]; /* a comma is due before the next one */
	int error;                              /* first failure as negative errno, or 0 */
};

/* Borrows out until json_end. */
void json_begin(struct json_writer *writer, FILE *out);
/* Ends the document with a newline and flushes. 0, or the negative errno of the first failure. */
int json_end(struct json_writer *writer);

void json_begin_object(struct json_writer *writer, const char *key);
void json_end_object(struct json_writer *writer);
void json_begin_array(struct json_writer *writer, const char *key);
void json_end_array(struct json_writer *writer);

/* A byte that is no UTF-8 is written as U+FFFD. */
void json_put_string(struct json_writer *writer, const char *key, const char *text);
void json_put_integer(struct json_writer *writer, const char *key, int64_t value);
void json_put_unsigned(struct json_writer *writer, const char *key, uint64_t value);
void json_put_boolean(struct json_writer *writer, const char *key, bool value);
/* A decimal with exactly three digits behind the point: 1234 is written as 1.234. */
void json_put_milli(struct json_writer *writer, const char *key, uint64_t thousandths);
void json_put_signed_milli(struct json_writer *writer, const char *key, int64_t thousandths);

#endif
