/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "random.c"

#include <stddef.h>

#include "tap.h"

#define DRAWS 400000

/* Published outputs that many implementations test: splitmix64 for seed 1234567, xoshiro256** for state 1 2 3 4. */
static void test_published(void)
{
	uint64_t state = 1234567;
	struct random random = { { 1, 2, 3, 4 } };

	tap_ok(splitmix64(&state) == UINT64_C(6457827717110365317), "splitmix64: first published output");
	tap_ok(splitmix64(&state) == UINT64_C(3203168211198807973), "splitmix64: second");
	tap_ok(random_u64(&random) == 11520, "xoshiro256**: first published output");
	tap_ok(random_u64(&random) == 0, "xoshiro256**: second");
	tap_ok(random_u64(&random) == 1509978240, "xoshiro256**: third");
	tap_ok(random_u64(&random) == UINT64_C(1215971899390074240), "xoshiro256**: fourth");
}

static void test_streams(void)
{
	struct random a, b, other_stream, other_seed;
	unsigned same = 0, same_stream = 0, same_seed = 0;

	random_init(&a, 7, 1);
	random_init(&b, 7, 1);
	random_init(&other_stream, 7, 2);
	random_init(&other_seed, 8, 1);
	for (unsigned draw = 0; draw < 1000; draw++) {
		const uint64_t word = random_u64(&a);

		same += word == random_u64(&b);
		same_stream += word == random_u64(&other_stream);
		same_seed += word == random_u64(&other_seed);
	}
	tap_is(same, 1000, "one seed and stream: the same numbers");
	tap_is(same_stream, 0, "another stream: others");
	tap_is(same_seed, 0, "another seed: others");
}

static void test_below(void)
{
	struct random random;
	unsigned count[6] = { 0 }, outside = 0, thirds = 0;

	random_init(&random, 1, 0);
	for (unsigned draw = 0; draw < 60000; draw++) {
		const uint64_t value = random_below(&random, 6);

		outside += value >= 6;
		count[value % 6]++;
	}
	tap_is(outside, 0, "below 6: nothing outside");
	for (unsigned face = 0; face < 6; face++) {
		tap_within(count[face], 9600, 10400, "below 6: %u comes up a sixth of the time", face);
	}
	tap_is((int64_t)random_below(&random, 1), 0, "below 1: only 0");
	/* Four words for three values: without rejection every third value would come up twice as often. */
	for (unsigned draw = 0; draw < 30000; draw++) {
		thirds += random_below(&random, UINT64_C(3) << 62) % 3 == 0;
	}
	tap_within(thirds, 9700, 10300, "a huge bound is not biased");
}

/* -ln(word / 2^64) * 2^40, computed with 60 decimal digits. */
static const struct {
	uint64_t word;
	int64_t quantile_ns;
} quantiles[] = {
	{ UINT64_C(0x1), INT64_C(48775896626292) },
	{ UINT64_C(0x2), INT64_C(48013773241506) },
	{ UINT64_C(0x3), INT64_C(47567959640484) },
	{ UINT64_C(0x100003039), INT64_C(24387945152830) },
	{ UINT64_C(0x4000000000000000), INT64_C(1524246769572) },
	{ UINT64_C(0x7fffffffffffffff), INT64_C(762123384786) },
	{ UINT64_C(0x8000000000000000), INT64_C(762123384786) },
	{ UINT64_C(0x8000000000000001), INT64_C(762123384786) },
	{ UINT64_C(0xb504f333f9de6484), INT64_C(381061692393) },
	{ UINT64_C(0x8200000000000000), INT64_C(745076351410) },
	{ UINT64_C(0x81ffffffffffffff), INT64_C(745076351410) },
	{ UINT64_C(0xc90fdaa22168c234), INT64_C(265602949418) },
	{ UINT64_C(0xffff000000000000), INT64_C(16777344) },
	{ UINT64_C(0xfffffff000000000), INT64_C(4096) },
};

static void test_quantiles(void)
{
	for (unsigned row = 0; row < sizeof(quantiles) / sizeof(quantiles[0]); row++) {
		const int64_t expected_ns = quantiles[row].quantile_ns;
		const int64_t slack_ns = expected_ns / 1000000 + 1;

		tap_within(exponential_quantile(quantiles[row].word, INT64_C(1) << 40), expected_ns - slack_ns,
			   expected_ns + slack_ns, "quantile of %016llx within 1e-6",
			   (unsigned long long)quantiles[row].word);
	}
	tap_is(exponential_quantile(UINT64_MAX, INT64_C(1) << 40), 0, "the largest word gives 0");
	tap_is(exponential_quantile(UINT64_C(1) << 63, 1000), 693, "the median of mean 1000 is 693");
}

static void test_monotone(void)
{
	int64_t before_ns = INT64_MAX;
	unsigned rising = 0;

	/* Crosses every step of the table at eight octaves: the edges must fit. */
	for (uint64_t word = UINT64_C(1) << 56; word >= UINT64_C(1) << 56; word += UINT64_C(1) << 48) {
		const int64_t quantile_ns = exponential_quantile(word, INT64_C(1) << 40);

		rising += quantile_ns > before_ns;
		before_ns = quantile_ns;
	}
	tap_is(rising, 0, "a larger word never gives a longer wait");
}

static void test_exponential_moments(void)
{
	const int64_t mean_ns = 1000000;
	struct random random;
	uint64_t sum = 0;
	struct wide squares = { 0 };
	unsigned below_median = 0, above_p99 = 0;

	random_init(&random, 1, 0);
	for (unsigned draw = 0; draw < DRAWS; draw++) {
		const uint64_t value_ns = (uint64_t)random_exponential(&random, mean_ns);

		sum += value_ns;
		squares = wide_add(squares, wide_product(value_ns, value_ns));
		below_median += value_ns < 693147; /* ln 2 */
		above_p99 += value_ns > 4605170;   /* ln 100 */
	}
	/* Four standard errors each. */
	tap_within((int64_t)(sum / DRAWS), mean_ns - 6400, mean_ns + 6400, "exponential: mean");
	tap_within((int64_t)wide_divide(squares, DRAWS * UINT64_C(1000000), NULL).low, 1971000, 2029000,
		   "exponential: second moment is twice the mean squared");
	tap_within(below_median, DRAWS / 2 - 1300, DRAWS / 2 + 1300, "exponential: half are below ln 2");
	tap_within(above_p99, DRAWS / 100 - 260, DRAWS / 100 + 260, "exponential: one in a hundred is above ln 100");
	tap_is(random_exponential(&random, 0), 0, "mean 0 gives 0");
}

static void test_normal(void)
{
	struct random random;
	int64_t sum = 0, squares = 0;
	unsigned within_one = 0, outside_six = 0;

	random_init(&random, 1, 0);
	for (unsigned draw = 0; draw < DRAWS; draw++) {
		const int64_t deviation_ns = random_normal(&random, 50000, 1000) - 50000;

		sum += deviation_ns;
		squares += deviation_ns * deviation_ns;
		within_one += deviation_ns >= -1000 && deviation_ns <= 1000;
		outside_six += deviation_ns < -6000 || deviation_ns > 6000;
	}
	tap_within(sum / DRAWS, -7, 7, "normal: mean");
	tap_within(squares / DRAWS, 990000, 1010000, "normal: variance");
	tap_within(within_one, DRAWS / 1000 * 676, DRAWS / 1000 * 690, "normal: 68 in a hundred within one sd");
	tap_is(outside_six, 0, "normal: none outside six sd");
	tap_is(random_normal(&random, -5, 0), -5, "normal: sd 0 gives the mean");
}

/* Pins the numbers themselves: a change here changes every simulated result. */
static void test_pinned(void)
{
	struct random random;

	random_init(&random, 1, 0);
	tap_ok(random_u64(&random) == UINT64_C(17254933023648552173), "seed 1 stream 0: first word");
	tap_is(random_exponential(&random, 1000000), 585272, "seed 1 stream 0: then an exponential");
	tap_is(random_normal(&random, 0, 1000000), 704526, "seed 1 stream 0: then a normal");
}

int main(void)
{
	test_published();
	test_streams();
	test_below();
	test_quantiles();
	test_monotone();
	test_exponential_moments();
	test_normal();
	test_pinned();
	return tap_done();
}
