/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The median and its interval: how often the interval holds the true one. */
#include "stats/middle.c"

#include "base/random.h"
#include "tap.h"

static void test_small(void)
{
	int64_t values[] = { 5, 1, 9, 3, 7 };
	struct middle middle = middle_find(values, 5);

	tap_is(middle.median_ns, 5, "the middle one of five");
	tap_is(middle.min_ns, 1, "and the smallest");
	tap_ok(!middle.is_sure, "which are too few for an interval");
	middle = middle_find(values, 0);
	tap_ok(middle.count == 0 && middle.median_ns == 0 && !middle.is_sure, "none at all");
}

static void test_enough(void)
{
	int64_t values[1000];
	unsigned least = 0;

	for (unsigned count = 1; count <= 1000; count++) {
		for (unsigned i = 0; i < count; i++) {
			values[i] = (int64_t)(count - i);
		}
		const struct middle middle = middle_find(values, count);

		least = !least && middle.is_sure ? count : least;
		if (middle.is_sure && (middle.low_ns > middle.median_ns || middle.high_ns < middle.median_ns ||
				       middle.low_ns < middle.min_ns)) {
			tap_ok(false, "%u values have their median within its interval", count);
		}
	}
	tap_is(least, 17, "seventeen values are the fewest");
	const struct middle middle = middle_find(values, 1000);

	/* 500 -+ 3.29 * sqrt(1000) / 2 */
	tap_within(middle.low_ns, 446, 449, "of a thousand: rank 448");
	tap_within(middle.high_ns, 553, 556, "and 554");
}

/*
 * 20000 times, of exponential values: at 99.9 % some twenty miss, with a chance of 1 in 10^5 more than forty; fewer where
 * ranks, being whole, make the interval wider.
 */
static void test_coverage(unsigned count, unsigned fewest)
{
	struct random random;
	int64_t values[400];
	unsigned missed = 0;

	random_init(&random, count, 1);
	for (unsigned trial = 0; trial < 20000; trial++) {
		for (unsigned i = 0; i < count; i++) {
			values[i] = random_exponential(&random, 1000000);
		}
		const struct middle middle = middle_find(values, count);

		missed += middle.low_ns > 693147 || middle.high_ns < 693147;
	}
	tap_within(missed, fewest, 40, "%u values: the interval misses the true median in 1 of 1000", count);
}

int main(void)
{
	test_small();
	test_enough();
	test_coverage(24, 0);
	test_coverage(95, 1);
	test_coverage(400, 3);
	return tap_done();
}
