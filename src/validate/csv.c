/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "validate/csv.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* The next line without its end, or NULL; counts lines. */
static char *next_line(struct csv *csv)
{
	char *line = csv->next;

	if (!*line) {
		return NULL;
	}
	char *end = line + strcspn(line, "\n");

	csv->next = *end ? end + 1 : end;
	if (end > line && end[-1] == '\r') {
		end[-1] = '\0';
	}
	*end = '\0';
	csv->line++;
	return line;
}

/* The next line that says something, or NULL. */
static char *next_content(struct csv *csv)
{
	char *line;

	do {
		line = next_line(csv);
	} while (line && (*line == '\0' || *line == '#'));
	return line;
}

/* Cuts a quoted field out of *at, behind its first quote; false where the quote is never closed. */
static bool cut_quoted(char **at)
{
	char *from = *at, *to = *at;

	for (; *from && (*from != '"' || from[1] == '"'); from++) {
		*to++ = *from;
		from += *from == '"';
	}
	if (!*from) {
		return false;
	}
	from++;
	*to = '\0';
	*at = from;
	return true;
}

/* Cuts a line into at most CSV_COLUMNS_MAX fields: their number, 0 where a quote is not closed or there are too many. */
static unsigned cut(char *line, const char *fields[CSV_COLUMNS_MAX])
{
	unsigned count = 0;

	for (;;) {
		if (count == CSV_COLUMNS_MAX) {
			return 0;
		}
		fields[count++] = *line == '"' ? line + 1 : line;
		if (*line == '"') {
			line++;
			if (!cut_quoted(&line)) {
				return 0;
			}
		}
		line += strcspn(line, ",");
		if (!*line) {
			return count;
		}
		*line++ = '\0';
	}
}

int csv_open(struct csv *csv, char *text, const char *name, struct err *err)
{
	*csv = (struct csv){ .name = name, .next = text };
	char *line = next_content(csv);

	csv->column_count = line ? cut(line, csv->column) : 0;
	return csv->column_count ? 0 : err_set(err, -EINVAL, "%s: a line with the names of columns is expected", name);
}

int csv_next(struct csv *csv, struct err *err)
{
	char *line = next_content(csv);

	if (!line) {
		return 0;
	}
	const unsigned count = cut(line, csv->field);

	if (count != csv->column_count) {
		return err_set(err, -EINVAL, "%s:%u: %u fields, but %u columns", csv->name, csv->line, count,
			       csv->column_count);
	}
	return 1;
}

const char *csv_field(const struct csv *csv, const char *column)
{
	for (unsigned i = 0; i < csv->column_count; i++) {
		if (strcmp(csv->column[i], column) == 0) {
			return csv->field[i];
		}
	}
	return "";
}
