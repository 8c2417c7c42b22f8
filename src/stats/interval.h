/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The median of some values and an interval that holds the median of what they were drawn from, whatever its
 * distribution: between two of the values in order, chosen by the binomial distribution (the sign test turned round).
 */
#ifndef HOLDOFF_STATS_INTERVAL_H
#define HOLDOFF_STATS_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

/* The fewest values that have a 95 % interval: 2 / 2^6 is the chance that all of them lie on one side. */
#define INTERVAL_VALUES_MIN 6
#define INTERVAL_VALUES_MAX 60

struct interval {
	int64_t median, low, high;
};

/* Sorts values. False, with the median alone, for fewer than INTERVAL_VALUES_MIN; of more than INTERVAL_VALUES_MAX
 * values the first are taken; count 0 gives 0. */
bool interval_of_median(int64_t *values, unsigned count, struct interval *interval);

#endif
