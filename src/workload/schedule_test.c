/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stddef.h>

#include "base/time.h"
#include "base/wide.h"
#include "tap.h"
#include "workload/workload.h"

static struct workload_schedule started(const char *text, int64_t start_at_ns, uint64_t seed)
{
	struct workload workload;
	struct workload_schedule schedule;

	if (workload_parse(&workload, text, NULL)) {
		tap_ok(false, "\"%s\" is understood", text);
	}
	workload_schedule_init(&schedule, &workload, start_at_ns, seed);
	return schedule;
}

/* Rates that do and do not divide a second. */
static void test_constant(uint64_t rate)
{
	struct workload workload = { .kind = WORKLOAD_UDP, .rate_per_s = rate };
	struct workload_schedule schedule;
	unsigned wrong = 0;

	workload_schedule_init(&schedule, &workload, 1000, 1);
	for (uint64_t frame = 0; frame < 100000; frame++) {
		const int64_t expected_ns = 1000 + (int64_t)wide_scale(frame, (uint64_t)NS_PER_S, rate);

		wrong += workload_schedule_next(&schedule) != expected_ns;
	}
	tap_is(wrong, 0, "constant %llu/s: frame n leaves at start + n / rate, rounded down", (unsigned long long)rate);
	tap_is((int64_t)schedule.sent, 100000, "constant %llu/s: sent is counted", (unsigned long long)rate);
}

static void test_line_rate(void)
{
	struct workload_schedule schedule = started("udp rate=max", 77, 1);

	workload_schedule_next(&schedule);
	workload_schedule_next(&schedule);
	tap_is(workload_schedule_next(&schedule), 77, "as fast as the wire: always the start");
}

static void test_burst(void)
{
	static const int64_t expected_ns[] = { 10, 10, 10, 5010, 5010, 5010, 10010 };
	struct workload_schedule schedule = started("udp pattern=burst count=3 every=5us", 10, 1);

	for (unsigned frame = 0; frame < sizeof(expected_ns) / sizeof(expected_ns[0]); frame++) {
		tap_is(workload_schedule_next(&schedule), expected_ns[frame], "burst: frame %u", frame);
	}
}

static void test_voip(void)
{
	struct workload_schedule schedule = started("voip", 0, 1);

	tap_is(workload_schedule_next(&schedule), 0, "voip: the first frame at the start");
	tap_is(workload_schedule_next(&schedule), 2 * NS_PER_MS, "voip: the next 2 ms later");
}

static void test_poisson(const char *text, int64_t rate)
{
	struct workload_schedule schedule = started(text, 0, 1);
	const int64_t frames = 200000;
	int64_t last_ns = 0, back = 0, beyond_mean = 0;

	for (int64_t frame = 0; frame < frames; frame++) {
		const int64_t at_ns = workload_schedule_next(&schedule);

		back += at_ns < last_ns;
		beyond_mean += (at_ns - last_ns) * rate > NS_PER_S;
		last_ns = at_ns;
	}
	const int64_t expected_ns = frames * NS_PER_S / rate;

	tap_is(back, 0, "%s: never goes back", text);
	/* The sum of n gaps spreads by sqrt(n) gaps: 0.22 %, and three times that is allowed. */
	tap_within(last_ns, expected_ns - expected_ns / 150, expected_ns + expected_ns / 150, "%s: the rate comes out",
		   text);
	/* exp(-1) of the gaps are longer than their mean; whole ns move that a little at high rates. */
	tap_within(beyond_mean, frames * 36 / 100, frames * 38 / 100,
		   "%s: 37 in a hundred gaps are longer than the mean", text);
}

/* Gaps of 2 and a third ns: rounding each to whole ns would be off by a seventh. */
static void test_poisson_fraction(void)
{
	struct workload workload = { .kind = WORKLOAD_UDP, .rate_per_s = 428571428, .pattern = WORKLOAD_POISSON };
	struct workload_schedule schedule;
	int64_t at_ns = 0;

	workload_schedule_init(&schedule, &workload, 0, 1);
	for (unsigned frame = 0; frame < 1000000; frame++) {
		at_ns = workload_schedule_next(&schedule);
	}
	tap_within(at_ns, 2326000, 2341000, "poisson: fractions of a ns are carried");
}

static void test_seeds(void)
{
	struct workload_schedule one = started("udp rate=20k pattern=poisson", 0, 1);
	struct workload_schedule same = started("udp rate=20k pattern=poisson", 0, 1);
	struct workload_schedule other = started("udp rate=20k pattern=poisson", 0, 2);
	unsigned equal = 0, equal_other = 0;

	for (unsigned frame = 0; frame < 100; frame++) {
		const int64_t at_ns = workload_schedule_next(&one);

		equal += at_ns == workload_schedule_next(&same);
		equal_other += at_ns == workload_schedule_next(&other);
	}
	tap_is(equal, 100, "poisson: one seed, one stream of instants");
	tap_within(equal_other, 0, 2, "poisson: another seed, another stream");
}

int main(void)
{
	test_constant(1);
	test_constant(3);
	test_constant(20000);
	test_constant(1488095);
	test_constant(999999999);
	test_constant(1000000000);
	test_line_rate();
	test_burst();
	test_voip();
	test_poisson("udp rate=100 pattern=poisson", 100);
	test_poisson("udp rate=1 pattern=poisson", 1);
	test_poisson("udp rate=1488095 pattern=poisson", 1488095);
	test_poisson_fraction();
	test_seeds();
	return tap_done();
}
