/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "histogram.c"

#include "base/random.h"
#include "tap.h"

#define LARGEST ((INT64_C(1) << 48) - 1)

static struct histogram histogram, other, all;

static void test_buckets(void)
{
	unsigned wrong_end = 0, wrong_start = 0, too_wide = 0;
	int64_t start = 0;

	for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
		const int64_t end = histogram_bucket_end(bucket);

		wrong_end += histogram_bucket_of((uint64_t)end) != bucket;
		wrong_start += histogram_bucket_of((uint64_t)start) != bucket;
		too_wide += (end - start) * 128 >= (start ? start : 1);
		start = end + 1;
	}
	unsigned wrong_bit = 0;

	for (unsigned bit = 0; bit < 64; bit++) {
		wrong_bit += histogram_leading_bit_by_halves(UINT64_C(1) << bit) != bit;
		wrong_bit += histogram_leading_bit_by_halves((UINT64_C(2) << bit) - 1) != bit;
	}
	tap_is(wrong_bit, 0, "the leading bit is found by halves as well");
	tap_is(start, LARGEST + 1, "the buckets cover 0 .. 2^48 - 1");
	tap_is(wrong_start, 0, "the first value of each bucket falls into it");
	tap_is(wrong_end, 0, "the last value of each bucket falls into it");
	tap_is(too_wide, 0, "no bucket is wider than 1/128 of its values");
	tap_is(histogram_bucket_end(255), 255, "255 has a bucket of its own");
	tap_is(histogram_bucket_end(256), 257, "256 shares one");
}

static void test_load(void)
{
	histogram_init(&histogram);
	for (int64_t value = 1; value < 100000; value += 37) {
		histogram_record(&histogram, value);
	}
	histogram_load(&other, histogram.bucket, histogram.sum.low, histogram.min_ns, histogram.max_ns);
	tap_is((int64_t)other.count, (int64_t)histogram.count, "loaded: the count");
	tap_is(histogram_mean(&other), histogram_mean(&histogram), "loaded: the mean");
	tap_is(histogram_percentile(&other, 900000), histogram_percentile(&histogram, 900000), "loaded: a percentile");
	tap_within(histogram_stddev(&other), histogram_stddev(&histogram) * 99 / 100,
		   histogram_stddev(&histogram) * 102 / 100, "loaded: the deviation, nearly");
}

static void test_empty(void)
{
	histogram_init(&histogram);
	tap_is(histogram_percentile(&histogram, 500000), 0, "empty: median 0");
	tap_is(histogram_mean(&histogram), 0, "empty: mean 0");
	tap_is(histogram_stddev(&histogram), 0, "empty: deviation 0");
}

static void test_range(void)
{
	histogram_init(&histogram);
	tap_ok(!histogram_record(&histogram, -1), "a negative value is refused");
	tap_ok(!histogram_record(&histogram, LARGEST + 1), "2^48 is refused");
	tap_ok(!histogram_record(&histogram, INT64_MAX), "the largest number is refused");
	tap_is((int64_t)histogram.out_of_range, 3, "and they are counted apart");
	tap_is((int64_t)histogram.count, 0, "not among the values");
	tap_ok(histogram_record(&histogram, LARGEST), "2^48 - 1 is taken");
	tap_is(histogram.min_ns, LARGEST, "a single value is the minimum");
	tap_is(histogram_percentile(&histogram, 1000000), LARGEST, "and the maximum");
	tap_is(histogram_mean(&histogram), LARGEST, "and the mean");
	tap_is(histogram_stddev(&histogram), 0, "without deviation");
	tap_ok(histogram_record(&histogram, 0), "0 is taken");
	tap_is(histogram.min_ns, 0, "0 is the minimum");
	tap_is(histogram_mean(&histogram), (LARGEST + 1) / 2, "half a ns is rounded up");
	tap_is(histogram_stddev(&histogram), LARGEST / 2, "half the distance, rounded down");
}

static void test_percentiles(void)
{
	histogram_init(&histogram);
	for (int64_t value_ns = 1; value_ns <= 100; value_ns++) {
		histogram_record(&histogram, value_ns);
	}
	tap_is(histogram_percentile(&histogram, 0), 1, "0 ppm: the minimum");
	tap_is(histogram_percentile(&histogram, 500000), 50, "1 .. 100: median");
	tap_is(histogram_percentile(&histogram, 500001), 51, "one ppm more is the next value");
	tap_is(histogram_percentile(&histogram, 990000), 99, "p99");
	tap_is(histogram_percentile(&histogram, 999000), 100, "p99.9");
	tap_is(histogram_percentile(&histogram, 5000000), 100, "more than all is all");
	tap_is(histogram_mean(&histogram), 51, "mean 50.5 is rounded to 51");
	tap_is(histogram_stddev(&histogram), 28, "deviation 28.866 is rounded down");

	histogram_init(&histogram);
	histogram_record(&histogram, 1000000);
	histogram_record(&histogram, 2000000);
	tap_within(histogram_percentile(&histogram, 500000), 1000000, 1007812, "at most 1/128 above, never below");
	tap_is(histogram_percentile(&histogram, 990000), 2000000, "never above the maximum");
}

static void test_exact_deviation(void)
{
	/* Variance 2/9 + a constant must not be lost beside a mean of 2^47. */
	const int64_t base_ns = INT64_C(1) << 47;

	histogram_init(&histogram);
	histogram_record(&histogram, base_ns);
	histogram_record(&histogram, base_ns + 3);
	histogram_record(&histogram, base_ns + 3);
	tap_is(histogram_stddev(&histogram), 1, "deviation of 0 3 3 on a large base is 1.41");
	histogram_record(&histogram, base_ns);
	tap_is(histogram_stddev(&histogram), 1, "of 0 3 3 0 is 1.5");
	histogram_record(&histogram, base_ns + 9);
	tap_is(histogram_stddev(&histogram), 3, "of 0 3 3 0 9 is 3.28");

	histogram_init(&histogram);
	histogram_record(&histogram, 0);
	histogram_record(&histogram, 1);
	tap_is(histogram_stddev(&histogram), 0, "of 0 1 is 0.5");
	histogram_record(&histogram, 4);
	histogram_record(&histogram, 3);
	histogram_record(&histogram, 3);
	histogram_record(&histogram, 3);
	/* squares about 2: 4 1 4 1 1 1 = 12, 12 / 6 = 2, minus (2/6)^2 */
	tap_is(histogram_stddev(&histogram), 1, "of 0 1 4 3 3 3 is 1.37");
	histogram_init(&histogram);
	histogram_record(&histogram, 0);
	histogram_record(&histogram, 2);
	histogram_record(&histogram, 1);
	histogram_record(&histogram, 3);
	/* squares about 1: 1 1 0 4 = 6 / 4 = 1.5, minus (2/4)^2 = 1.25 */
	tap_is(histogram_stddev(&histogram), 1, "of 0 1 2 3 is 1.118");
	histogram_init(&histogram);
	histogram_record(&histogram, 0);
	histogram_record(&histogram, 0);
	histogram_record(&histogram, 2);
	histogram_record(&histogram, 1);
	/* squares about 0: 5 / 4 = 1.25, minus (3/4)^2 = 0.6875: the whole part goes down to 0 */
	tap_is(histogram_stddev(&histogram), 0, "of 0 0 1 2 is 0.83");
}

static void test_add(void)
{
	struct random random;

	random_init(&random, 1, 0);
	histogram_init(&histogram);
	histogram_init(&other);
	histogram_init(&all);
	for (unsigned draw = 0; draw < 10000; draw++) {
		const int64_t value_ns = 7 + random_exponential(&random, 100000);

		histogram_record(draw % 3 ? &histogram : &other, value_ns);
		histogram_record(&all, value_ns);
	}
	histogram_record(&other, -1);
	histogram_add(&histogram, &other);
	tap_is((int64_t)histogram.count, 10000, "added: count");
	tap_is((int64_t)histogram.out_of_range, 1, "added: out of range");
	tap_is(histogram.min_ns, all.min_ns, "added: minimum");
	tap_is(histogram.max_ns, all.max_ns, "added: maximum");
	tap_is(histogram_mean(&histogram), histogram_mean(&all), "added: mean");
	tap_is(histogram_stddev(&histogram), histogram_stddev(&all), "added: deviation");
	tap_is(histogram_percentile(&histogram, 990000), histogram_percentile(&all, 990000), "added: p99");

	histogram_init(&other);
	other.out_of_range = 2;
	histogram_add(&histogram, &other);
	tap_is(histogram.min_ns, all.min_ns, "adding an empty one leaves the minimum");
	tap_is((int64_t)histogram.out_of_range, 3, "but brings what was out of range");
	histogram_add(&other, &all);
	tap_is(other.min_ns, all.min_ns, "adding to an empty one brings the minimum");
}

static void test_saturation(void)
{
	histogram_init(&histogram);
	histogram_record(&histogram, 5);
	histogram.bucket[5] = UINT32_MAX;
	histogram_record(&histogram, 5);
	tap_is(histogram.bucket[5], UINT32_MAX, "a full bucket stays full");
	tap_is((int64_t)histogram.count, 2, "the count goes on");
	histogram_init(&other);
	histogram_record(&other, 5);
	histogram_add(&histogram, &other);
	tap_is(histogram.bucket[5], UINT32_MAX, "a full bucket does not wrap when added to");
}

int main(void)
{
	test_buckets();
	test_load();
	test_empty();
	test_range();
	test_percentiles();
	test_exact_deviation();
	test_add();
	test_saturation();
	return tap_done();
}
