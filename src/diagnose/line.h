/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of a text, and what a line is scanned with. Lines come without blanks at their beginning, cut to what fits. */
#ifndef HOLDOFF_DIAGNOSE_LINE_H
#define HOLDOFF_DIAGNOSE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINE_MAX_BYTES 512

struct lines {
	const char *next;  /* NULL-free text that ends in NUL */
	const char *start; /* of the present line, with its blanks */
	unsigned number;   /* of the present line; 0 before the first */
	bool is_indented;  /* the present line began with a blank */
	char text[LINE_MAX_BYTES];
};

/* first: the number of the first line. */
void lines_begin(struct lines *lines, const char *text, unsigned first);
/* False at the end. */
bool lines_next(struct lines *lines);

bool line_is_blank(const char *line);
bool line_begins(const char *line, const char *start);
bool line_ends(const char *line, const char *end);
/* What stands behind the first `mark` of the line, without blanks; NULL where there is none. */
const char *line_behind(const char *line, const char *mark);
const char *line_skip_blanks(const char *at);

/* A number of digits alone, which *at is moved behind; false: there is none, or it does not fit. */
bool line_number(const char **at, uint64_t *value);
/* A decimal number of so many ns each ("1.32" with 1000000), to the ns, rounded down; at most ten days. */
bool line_decimal(const char **at, int64_t unit_ns, int64_t *value_ns);
/* The word at the beginning (up to a blank, the end of the line or one of `stops`); cut to size. */
void line_word(const char *at, const char *stops, char *word, size_t size);
/* True where the rest is nothing but blanks. */
bool line_is_over(const char *at);

#endif
