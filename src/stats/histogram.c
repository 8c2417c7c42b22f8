/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/histogram.h"

#include <assert.h>
#include <stddef.h>

#include "base/time.h"

#define RANGE_BITS 48

static_assert(HISTOGRAM_BUCKETS == HISTOGRAM_EXACT + (RANGE_BITS - HISTOGRAM_STEP_BITS - 1) * HISTOGRAM_STEPS,
	      "every value in range has a bucket");

int64_t histogram_bucket_end(unsigned bucket)
{
	if (bucket < HISTOGRAM_EXACT) {
		return bucket;
	}
	const unsigned shift = (bucket - HISTOGRAM_EXACT) / HISTOGRAM_STEPS + 1;
	const int64_t step = (bucket - HISTOGRAM_EXACT) % HISTOGRAM_STEPS + HISTOGRAM_STEPS;

	return ((step + 1) << shift) - 1;
}

void histogram_init(struct histogram *histogram)
{
	*histogram = (struct histogram){ 0 };
}

bool histogram_record(struct histogram *histogram, int64_t value_ns)
{
	if (value_ns < 0 || value_ns >= INT64_C(1) << RANGE_BITS) {
		histogram->out_of_range++;
		return false;
	}
	const uint64_t value = (uint64_t)value_ns;
	uint32_t *const bucket = &histogram->bucket[histogram_bucket_of(value)];

	*bucket += *bucket < UINT32_MAX;
	if (histogram->count == 0 || value_ns < histogram->min_ns) {
		histogram->min_ns = value_ns;
	}
	if (value_ns > histogram->max_ns) {
		histogram->max_ns = value_ns;
	}
	histogram->count++;
	histogram->sum = wide_add(histogram->sum, wide_of(value));
	histogram->sum_of_squares = wide_add(histogram->sum_of_squares, wide_product(value, value));
	return true;
}

void histogram_load(struct histogram *histogram, const uint32_t bucket[HISTOGRAM_BUCKETS], uint64_t sum_ns,
		    int64_t min_ns, int64_t max_ns)
{
	histogram_init(histogram);
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		const uint64_t end = (uint64_t)time_min(histogram_bucket_end(i), max_ns);

		histogram->bucket[i] = bucket[i];
		histogram->count += bucket[i];
		histogram->sum_of_squares =
			wide_add(histogram->sum_of_squares, wide_times(wide_product(end, end), bucket[i]));
	}
	if (histogram->count) {
		histogram->sum = wide_of(sum_ns);
		histogram->min_ns = min_ns;
		histogram->max_ns = max_ns;
	}
}

void histogram_add(struct histogram *into, const struct histogram *from)
{
	into->out_of_range += from->out_of_range;
	if (from->count == 0) {
		return;
	}
	if (into->count == 0 || from->min_ns < into->min_ns) {
		into->min_ns = from->min_ns;
	}
	if (from->max_ns > into->max_ns) {
		into->max_ns = from->max_ns;
	}
	into->count += from->count;
	into->sum = wide_add(into->sum, from->sum);
	into->sum_of_squares = wide_add(into->sum_of_squares, from->sum_of_squares);
	for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
		const uint32_t room = UINT32_MAX - into->bucket[bucket];
		const uint32_t more = from->bucket[bucket];

		into->bucket[bucket] += more < room ? more : room;
	}
}

int64_t histogram_percentile(const struct histogram *histogram, unsigned ppm)
{
	const struct wide share = wide_product(histogram->count, ppm < 1000000 ? ppm : 1000000);
	uint64_t rank = wide_divide(wide_add(share, wide_of(999999)), 1000000, NULL).low;
	uint64_t passed = 0;

	rank = rank ? rank : 1;
	for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
		passed += histogram->bucket[bucket];
		if (passed >= rank) {
			return histogram_bucket_end(bucket) < histogram->max_ns ? histogram_bucket_end(bucket)
										: histogram->max_ns;
		}
	}
	return histogram->max_ns; /* empty, or a bucket is saturated */
}

int64_t histogram_mean(const struct histogram *histogram)
{
	const uint64_t count = histogram->count;

	return count ? (int64_t)wide_divide(wide_add(histogram->sum, wide_of(count / 2)), count, NULL).low : 0;
}

/* The whole part of the square root, digit by digit, of the square of at most 2^RANGE_BITS. */
static uint64_t square_root(struct wide value)
{
	uint64_t root = 0;

	for (uint64_t bit = UINT64_C(1) << RANGE_BITS; bit; bit >>= 1) {
		if (!wide_less(value, wide_product(root + bit, root + bit))) {
			root += bit;
		}
	}
	return root;
}

/*
 * count^2 times the variance does not fit in 128 bits, so the squares are taken about the mean's whole part m. With
 * sum = m * count + rest and D = sum of (x - m)^2, the variance is D / count - (rest / count)^2, and the second
 * term is below one: it can take the whole part of the first down by one, no more.
 */
int64_t histogram_stddev(const struct histogram *histogram)
{
	const uint64_t count = histogram->count;
	uint64_t sum_rest, squares_rest;

	if (count == 0) {
		return 0;
	}
	const uint64_t mean = wide_divide(histogram->sum, count, &sum_rest).low;
	const struct wide mean_squares = wide_times(wide_product(count, mean), mean);
	const struct wide mixed = wide_times(histogram->sum, 2 * mean);
	const struct wide squares = wide_add(wide_subtract(histogram->sum_of_squares, mixed), mean_squares);
	const struct wide variance = wide_divide(squares, count, &squares_rest);
	const bool borrows = wide_less(wide_product(squares_rest, count), wide_product(sum_rest, sum_rest));

	return (int64_t)square_root(wide_subtract(variance, wide_of(borrows)));
}
