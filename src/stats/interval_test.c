/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ranks from tables of the sign test (e.g. Conover, Practical Nonparametric Statistics), and the coverage itself. */
#include "stats/interval.h"

#include "base/random.h"
#include "tap.h"

static void test_ranks(void)
{
	/* For n values the interval runs from the k-th smallest to the k-th largest. */
	static const struct {
		unsigned count, k;
	} rows[] = { { 6, 1 },  { 8, 1 },  { 9, 2 },   { 11, 2 },  { 12, 3 },
		     { 15, 4 }, { 20, 6 }, { 30, 10 }, { 50, 18 }, { 60, 22 } };
	int64_t values[INTERVAL_VALUES_MAX];
	struct interval interval;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (unsigned j = 0; j < rows[i].count; j++) {
			values[j] = rows[i].count - j;
		}
		tap_ok(interval_of_median(values, rows[i].count, &interval), "%u values have an interval",
		       rows[i].count);
		tap_is(interval.low, rows[i].k, "from this value on");
		tap_is(interval.high, rows[i].count + 1 - rows[i].k, "to that one");
	}
}

static void test_few(void)
{
	int64_t values[] = { 9, 1, 5, 3, 7 };
	struct interval interval;

	tap_ok(!interval_of_median(values, 5, &interval), "five values have none");
	tap_is(interval.median, 5, "but a median");
	tap_ok(!interval_of_median(values, 4, &interval) && interval.median == 4,
	       "of an even number, the middle of two");
	tap_ok(!interval_of_median(values, 0, &interval) && interval.median == 0, "nothing has nothing");
}

/* Values drawn from 0 .. 999: the true median is 499.5. */
static void test_coverage(void)
{
	struct random random;
	unsigned holds = 0;

	random_init(&random, 1, 0);
	for (unsigned round = 0; round < 2000; round++) {
		int64_t values[10];
		struct interval interval;

		for (unsigned i = 0; i < 10; i++) {
			values[i] = (int64_t)random_below(&random, 1000);
		}
		interval_of_median(values, 10, &interval);
		holds += interval.low <= 499 && interval.high >= 500;
	}
	/* 97.85 % by calculation; four standard deviations of 2000 draws are 1.3 %. */
	tap_within(holds, 1931, 1983, "of 2000 intervals so many hold the median");
}

int main(void)
{
	test_ranks();
	test_few();
	test_coverage();
	return tap_done();
}
