/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/middle.h"

#include <stdlib.h>

#define Z_HUNDREDTHS 329 /* 99.9 % of a normal distribution lie within so many deviations */

static int compare(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Rounded up. */
static unsigned square_root(uint64_t value)
{
	uint64_t root = 0;

	while (root * root < value) {
		root++;
	}
	return (unsigned)root;
}

struct middle middle_find(int64_t *values_ns, unsigned count)
{
	/* Ranks n/2 -+ z sqrt(n) / 2, and one more since ranks are whole. */
	const unsigned reach = (Z_HUNDREDTHS * square_root((uint64_t)count * 10000) + 19999) / 20000 + 1;
	struct middle middle = { .count = count };

	if (count == 0) {
		return middle;
	}
	qsort(values_ns, count, sizeof(*values_ns), compare);
	middle.min_ns = values_ns[0];
	middle.median_ns = values_ns[count / 2];
	middle.is_sure = count / 2 >= reach && count / 2 + reach < count;
	if (middle.is_sure) {
		middle.low_ns = values_ns[count / 2 - reach];
		middle.high_ns = values_ns[count / 2 + reach];
	}
	return middle;
}
