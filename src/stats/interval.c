/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/interval.h"

#include <stdlib.h>

#include "base/wide.h"

static int compare(const void *left, const void *right)
{
	const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

/*
 * How many values may be left off at each end: the largest k with P(B < k + 1) <= 2.5 %, B binomial of count and 1/2; the
 * interval runs from value k to value count - 1 - k. Binomial coefficients of up to 60, and 60 times the largest, fit 64 bits.
 */
static unsigned cut(unsigned count)
{
	const struct wide whole = count < 64 ? wide_of(UINT64_C(1) << count)
					     : (struct wide){ UINT64_C(1) << (count - 64), 0 };
	const struct wide limit = wide_divide(whole, 40, NULL);
	struct wide coefficient = wide_of(1), sum = wide_of(1); /* of 0 */

	for (unsigned k = 0;; k++) {
		coefficient = wide_divide(wide_times(coefficient, count - k), k + 1, NULL);
		sum = wide_add(sum, coefficient);
		if (wide_less(limit, sum)) {
			return k;
		}
	}
}

bool interval_of_median(int64_t *values, unsigned count, struct interval *interval)
{
	*interval = (struct interval){ 0 };
	if (count > INTERVAL_VALUES_MAX) {
		count = INTERVAL_VALUES_MAX;
	}
	if (count == 0) {
		return false;
	}
	qsort(values, count, sizeof(*values), compare);
	const int64_t below = values[(count - 1) / 2], above = values[count / 2];

	interval->median = below + (above - below) / 2;
	if (count < INTERVAL_VALUES_MIN) {
		return false;
	}
	const unsigned k = cut(count);

	interval->low = values[k];
	interval->high = values[count - 1 - k];
	return true;
}
