/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of times, one histogram a row, for the commands that measure. */
#ifndef HOLDOFF_CMD_SPANS_H
#define HOLDOFF_CMD_SPANS_H

#include <stdbool.h>
#include <stdio.h>

#include "stats/histogram.h"

/* Whether there are values enough beyond it: ten for p90, a hundred for p99, a thousand for p99.9. */
bool spans_has_percentile(const struct histogram *histogram, unsigned ppm);

/* The head of the table; deviation is what its users call the last column. */
void spans_print_heading(const char *title, const char *deviation, FILE *out);
/* Times from 1 ms on are cut to three digits behind the point; "-" for a percentile without values enough. */
void spans_print_row(const char *title, const struct histogram *histogram, FILE *out);

#endif
