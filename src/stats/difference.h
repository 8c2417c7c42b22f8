/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How two sets of values differ, each value the result of an experiment of its own: nothing is taken for granted about
 * their distributions but that the values of one set are drawn alike and independently.
 *
 * The difference is that of the medians. Its interval is from the lower end of b's to that of a's upper, and the other way
 * round, each the exact 95 % interval of a median (interval.h): the difference is in it with at least 95 %, also when the
 * sets differ in spread and shape, where intervals from ranks of both sets together are not to be trusted. It is up to 1.4
 * times as wide as one that knew them to be alike.
 *
 * p is the exact one of Mann and Whitney's rank sum test, two-sided, of both sets being drawn alike; ties count as half
 * and make it no smaller than it is. The effect is Cliff's delta: how much more often b is above a than below, -1 to 1.
 */
#ifndef HOLDOFF_STATS_DIFFERENCE_H
#define HOLDOFF_STATS_DIFFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/interval.h"

#define DIFFERENCE_VALUES_MAX INTERVAL_VALUES_MAX
#define DIFFERENCE_LEVEL_PPM 50000 /* of error */
#define DIFFERENCE_QUESTIONS_MAX 256

struct difference {
	struct interval a, b;
	bool a_has_interval, b_has_interval;
	int64_t median; /* of b less that of a */
	bool has_interval;
	int64_t low, high;
	uint32_t p_ppm; /* rounded up; 1000000 when either is empty */
	int32_t delta_ppm;
};

/* Sorts both. Of more than DIFFERENCE_VALUES_MAX values the first are taken. */
struct difference difference_find(int64_t *a, unsigned a_count, int64_t *b, unsigned b_count);

/*
 * Holm's adjustment of several p for having asked several questions at once: none of those whose true answer is "alike"
 * falls below 5 % but in 5 % of all cases. In place; at most DIFFERENCE_QUESTIONS_MAX of them.
 */
void difference_adjust(uint32_t *p_ppm, unsigned count);

/* The adjusted p and the interval both say so: the first keeps its promise over all figures, the second whatever the spreads. */
bool difference_is_significant(const struct difference *difference, uint32_t adjusted_p_ppm);

#endif
