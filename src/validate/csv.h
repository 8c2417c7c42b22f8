/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables as comma-separated text: lines that begin with # are comments, the first other line names the columns. Fields may be
 * quoted ("" within quotes is one quote), hold no line breaks, and are found by the name of their column.
 */
#ifndef HOLDOFF_VALIDATE_CSV_H
#define HOLDOFF_VALIDATE_CSV_H

#include "base/err.h"

#define CSV_COLUMNS_MAX 128

struct csv {
	const char *name; /* for errors: the file */
	char *next;       /* text not yet read */
	unsigned line;    /* of the present row */
	unsigned column_count;
	const char *column[CSV_COLUMNS_MAX]; /* names */
	const char *field[CSV_COLUMNS_MAX];  /* of the present row */
};

/* Takes the names from text, which is cut up in place and has to outlive the table. -EINVAL: there are none. */
int csv_open(struct csv *csv, char *text, const char *name, struct err *err);

/* The next row: 1, 0 at the end, or -EINVAL for one with another number of fields than there are columns. */
int csv_next(struct csv *csv, struct err *err);

/* The field of the present row in that column; "" where the table has no such column. */
const char *csv_field(const struct csv *csv, const char *column);

#endif
