/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether values in the order of time go up or down: Kendall's rank correlation of value and time (the test of Mann and
 * Kendall), which asks nothing of their distribution.
 */
#ifndef HOLDOFF_STATS_TREND_H
#define HOLDOFF_STATS_TREND_H

#include <stdint.h>

#define TREND_VALUES_MAX 256

struct trend {
	/* Pairs where the later value is the larger one, less those where it is the smaller one. */
	int32_t score;
	/* The chance, in ppm, of a score at least that far from 0 where there is no trend. Exact up to 20 values; above, by the
	 * normal distribution and rounded up to one of a few limits. Ties make it larger than it is. */
	uint32_t chance_ppm;
};

/* Of more than TREND_VALUES_MAX values the first are taken. Fewer than two: score 0, a chance of one. */
struct trend trend_of(const int64_t *values, unsigned count);

#endif
