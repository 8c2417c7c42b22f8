/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a curve of round trips over gaps says, on curves whose cause is known. */
#include "live/gap_shape.c"

#include <stdlib.h>

#include "base/random.h"
#include "tap.h"

#define POINTS 13
#define SAMPLES 60
#define LEAST_NS (5 * NS_PER_US)
#define BASE_NS (40 * NS_PER_US)

static const int64_t gaps_us[POINTS] = { 0, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000 };

/* The round trip after this gap. */
typedef int64_t curve_fn(int64_t gap_ns);

static int64_t flat(int64_t gap_ns)
{
	(void)gap_ns;
	return BASE_NS;
}

static int64_t held(int64_t gap_ns)
{
	(void)gap_ns;
	return BASE_NS + 240 * NS_PER_US;
}

/* A reply's interrupt is delayed to 200 us after the one before. */
static int64_t throttled(int64_t gap_ns)
{
	return time_max(BASE_NS, 200 * NS_PER_US - gap_ns);
}

/* Ends just before a point of the sweep, whose period is nearly the same. */
static int64_t throttled_480(int64_t gap_ns)
{
	return time_max(BASE_NS, 480 * NS_PER_US - gap_ns);
}

/* What was sent opens the throttle every other time. */
static int64_t throttled_by_turns(int64_t gap_ns)
{
	static unsigned turn;

	return turn++ % 2 ? BASE_NS : throttled(gap_ns);
}

static int64_t sleepy(int64_t gap_ns)
{
	return BASE_NS + (gap_ns >= 2 * NS_PER_MS ? 80 * NS_PER_US : 0);
}

static int64_t twice_sleepy(int64_t gap_ns)
{
	return BASE_NS + (gap_ns >= 500 * NS_PER_US ? 30 * NS_PER_US : 0) +
	       (gap_ns >= 10 * NS_PER_MS ? 150 * NS_PER_US : 0);
}

/* A hold-off that is not paid while NAPI still polls. */
static int64_t polling(int64_t gap_ns)
{
	return gap_ns < 20 * NS_PER_US ? BASE_NS : BASE_NS + 240 * NS_PER_US;
}

static int64_t throttled_and_sleepy(int64_t gap_ns)
{
	return throttled(gap_ns) + (gap_ns >= 2 * NS_PER_MS ? 80 * NS_PER_US : 0);
}

/* Adds up to nothing in particular. */
static int64_t left_over(int64_t gap_ns)
{
	return BASE_NS + (gap_ns <= 20 * NS_PER_US ? 70 * NS_PER_US : 0);
}

/* Falls with the gap, but far less than the gap grows. */
static int64_t fading(int64_t gap_ns)
{
	return 300 * NS_PER_US + time_max(0, 20 * NS_PER_US - gap_ns);
}

static int64_t bump(int64_t gap_ns)
{
	return BASE_NS + (gap_ns >= 200 * NS_PER_US && gap_ns < 500 * NS_PER_US ? 80 * NS_PER_US : 0);
}

static struct gap_shape shape;
static int64_t tail_ns = 4 * NS_PER_US; /* of the noise */

static void look(curve_fn *curve, unsigned samples, uint64_t seed)
{
	struct gap_point points[POINTS];
	struct random random;

	random_init(&random, seed, 0);
	for (unsigned i = 0; i < POINTS; i++) {
		int64_t rtt_ns[SAMPLES], period_ns[SAMPLES];
		const int64_t gap_ns = gaps_us[i] * NS_PER_US;

		for (unsigned sample = 0; sample < samples; sample++) {
			/* The gap is never quite what was wanted. */
			const int64_t actual_ns = gap_ns + 2 * NS_PER_US + random_exponential(&random, NS_PER_US);

			rtt_ns[sample] = curve(actual_ns) + random_exponential(&random, tail_ns);
			period_ns[sample] = actual_ns + rtt_ns[sample];
		}
		points[i] = (struct gap_point){ .gap_ns = gap_ns, .actual_ns = gap_ns };
		gap_point_find(&points[i], rtt_ns, period_ns, samples);
	}
	gap_shape_find(&shape, points, POINTS, LEAST_NS);
}

/* A finding of this kind between these gaps, of so many us within a tenth. */
static bool has(unsigned at, enum gap_kind kind, int64_t us, int64_t from_us, int64_t until_us)
{
	const struct gap_finding *const finding = &shape.finding[at];
	const int64_t miss_ns = finding->ns - us * NS_PER_US;

	return at < shape.count && finding->kind == kind && labs(miss_ns) * 10 <= us * NS_PER_US &&
	       finding->from_ns == from_us * NS_PER_US && finding->until_ns == until_us * NS_PER_US;
}

static void test_curves(uint64_t seed)
{
	look(flat, SAMPLES, seed);
	tap_ok(shape.is_flat && shape.count == 0, "seed %d: nothing", (int)seed);
	look(held, SAMPLES, seed);
	tap_ok(shape.is_flat && shape.count == 0, "a hold-off from the first frame is flat too");
	look(throttled, SAMPLES, seed);
	tap_ok(shape.count == 1 && has(0, GAP_THROTTLE, 200, 100, 200), "a throttle of 200 us, gone at that gap");
	look(throttled_480, SAMPLES, seed);
	tap_ok(shape.count == 1 && shape.finding[0].kind == GAP_THROTTLE && shape.finding[0].ns >= 475 * NS_PER_US &&
		       shape.finding[0].ns <= 490 * NS_PER_US,
	       "one of 480 us, of which 500 us of gap are the end");
	look(throttled_by_turns, SAMPLES, seed);
	tap_ok(shape.count == 1 && has(0, GAP_THROTTLE, 200, 100, 200), "also when every other reply is not delayed");
	look(sleepy, SAMPLES, seed);
	tap_ok(shape.count == 1 && has(0, GAP_RISE, 80, 1000, 2000), "an idle state from 2 ms on");
	look(twice_sleepy, SAMPLES, seed);
	tap_ok(shape.count == 2 && has(0, GAP_RISE, 30, 200, 500) && has(1, GAP_RISE, 150, 5000, 10000), "two of them");
	look(polling, SAMPLES, seed);
	tap_ok(shape.count == 1 && has(0, GAP_RISE, 240, 10, 20), "NAPI that still polls after 10 us");
	look(throttled_and_sleepy, SAMPLES, seed);
	tap_ok(shape.count == 2 && has(0, GAP_THROTTLE, 200, 100, 200) && has(1, GAP_RISE, 80, 1000, 2000),
	       "a throttle and an idle state");
	look(left_over, SAMPLES, seed);
	tap_ok(shape.count == 1 && has(0, GAP_FALL, 70, 10, 20), "something else that ends after 20 us is no throttle");
	look(fading, SAMPLES, seed);
	tap_ok(shape.count >= 1 && shape.finding[0].kind == GAP_FALL, "nor is what falls by less than the gap grows");
	look(bump, SAMPLES, seed);
	tap_ok(shape.count == 2 && has(0, GAP_RISE, 80, 100, 200) && has(1, GAP_FALL, 80, 200, 500),
	       "up and down are two");
}

/* Medians of sixty values differ by more than what is of interest, and are still the same. */
static void test_noise(void)
{
	unsigned quiet = 0;

	tail_ns = 200 * NS_PER_US;
	for (uint64_t seed = 1; seed <= 50; seed++) {
		look(flat, SAMPLES, seed);
		quiet += shape.is_flat;
	}
	tail_ns = 4 * NS_PER_US;
	tap_within(quiet, 49, 50, "noise makes no finding");
}

static void test_too_few(void)
{
	look(sleepy, 10, 1);
	tap_ok(!shape.is_flat && shape.count == 0 && shape.unsure == POINTS,
	       "too few round trips say nothing, not even that all is flat");
	gap_shape_find(&shape, NULL, 0, LEAST_NS);
	tap_ok(!shape.is_flat && shape.count == 0, "nor do no points at all");
}

int main(void)
{
	for (uint64_t seed = 1; seed <= 5; seed++) {
		test_curves(seed);
	}
	test_noise();
	test_too_few();
	return tap_done();
}
