/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The median of some values, and between which it lies for all that they tell: two order statistics (the sign test turned
 * round), at 99.9 %, whatever the distribution is. For many values, out of which much is concluded;
 * interval.h is for a few.
 */
#ifndef HOLDOFF_STATS_MIDDLE_H
#define HOLDOFF_STATS_MIDDLE_H

#include <stdbool.h>
#include <stdint.h>

struct middle {
	unsigned count;
	int64_t min_ns, median_ns;
	bool is_sure; /* there were enough values, 17 and more, for */
	int64_t low_ns, high_ns;
};

/* Sorts the values. All 0 when there are none. */
struct middle middle_find(int64_t *values_ns, unsigned count);

#endif
