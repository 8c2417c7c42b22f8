/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What scripts for gnuplot have in common. Only the program's own words and numbers go into them: settings and workloads
 * as the parsers print them, and those through drawing_put_label as well.
 */
#ifndef HOLDOFF_PAGE_DRAWING_H
#define HOLDOFF_PAGE_DRAWING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define DRAWING_WIDTH 600

/* Colours that can be told apart with any kind of sight (Okabe and Ito), dark enough for white and light enough for black. */
#define DRAWING_BLUE "#3b82c4"
#define DRAWING_ORANGE "#d9730d"
#define DRAWING_GREEN "#2f9e62"
#define DRAWING_GREY "#8a8f98"
#define DRAWING_PURPLE "#b05fa3"
#define DRAWING_YELLOW "#b59a00"

void drawing_begin(FILE *out, unsigned height);
void drawing_put_key(FILE *out, unsigned entries, unsigned columns);
/* In single quotes; what might mean something to gnuplot becomes '?'. */
void drawing_put_label(FILE *out, const char *text);
/* "12.345" */
void drawing_put_milli(FILE *out, int64_t thousandths);
/* The base-two logarithm in 1/16, of a positive value. */
int64_t drawing_logarithm(int64_t value);

struct drawing_range {
	int64_t low, high;
	bool is_known;
};

void drawing_widen(struct drawing_range *range, int64_t value);
/* Spans so much that a linear axis would hide the small end. */
bool drawing_is_wide(const struct drawing_range *range);
/* "set logscale x" with ranges that have a margin, in thousandths; a linear axis begins at 0. */
void drawing_put_axis(FILE *out, char axis, const struct drawing_range *range, const char *label);
/* Where a value lies on that axis, in thousandths of its length. */
int64_t drawing_position(const struct drawing_range *range, int64_t value);

#endif
