/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/trend.h"

#include "base/random.h"
#include "tap.h"

/* Tables of Kendall's statistic (Hollander and Wolfe, Nonparametric Statistical Methods, table A.30). */
static void check_known(void)
{
	const int64_t up[] = { 1, 2, 3, 4, 5 }, nearly[] = { 1, 2, 4, 3, 5 }, same[] = { 7, 7, 7, 7, 7 };
	const int64_t down[] = { 9, 8, 6, 5, 4, 3 };

	tap_is(trend_of(up, 5).score, 10, "five that go up have a score of 10");
	tap_within(trend_of(up, 5).chance_ppm, 16665, 16669, "which has a chance of 2 in 120");
	tap_within(trend_of(nearly, 5).chance_ppm, 83331, 83335, "with one pair out of order 10 in 120");
	tap_is(trend_of(down, 6).score, -15, "six that go down");
	tap_within(trend_of(down, 6).chance_ppm, 2776, 2780, "2 in 720");
	tap_is(trend_of(same, 5).chance_ppm, 1000000, "equal values have no trend");
	tap_is(trend_of(up, 1).chance_ppm, 1000000, "nor has one");
	tap_is(trend_of(up, 0).chance_ppm, 1000000, "or none");
}

static unsigned count_alarms(unsigned count, int64_t step, unsigned tries)
{
	struct random random;
	unsigned alarms = 0;

	random_init(&random, 7, count);
	for (unsigned i = 0; i < tries; i++) {
		int64_t values[TREND_VALUES_MAX];

		for (unsigned k = 0; k < count; k++) {
			values[k] = random_normal(&random, 100000 + (int64_t)k * step, 2000);
		}
		alarms += trend_of(values, count).chance_ppm <= 50000;
	}
	return alarms;
}

static void check_rates(void)
{
	static const unsigned counts[] = { 6, 12, 20, 21, 40, 100 };

	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		const unsigned alarms = count_alarms(counts[i], 0, 2000);

		tap_ok(alarms <= 125 && alarms >= 20,
		       "%u values without a trend: 5 in 100 or fewer alarms (%u of 2000)", counts[i], alarms);
	}
	tap_ok(count_alarms(12, 1000, 200) > 190, "a drift of six deviations in twelve values is seen");
	tap_ok(count_alarms(60, 200, 200) > 190, "and in sixty");
}

int main(void)
{
	check_known();
	check_rates();
	return tap_done();
}
