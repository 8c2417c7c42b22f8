/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/histogram.h"

#include <assert.h>

typedef unsigned __int128 uint128;

#define EXACT 256 /* below: one bucket a value */
#define STEPS 128 /* buckets of each power of two above */
#define STEP_BITS 7
#define RANGE_BITS 48

static_assert(HISTOGRAM_BUCKETS == EXACT + (RANGE_BITS - STEP_BITS - 1) * STEPS, "every value in range has a bucket");

static unsigned bucket_of(uint64_t value)
{
	if (value < EXACT) {
		return (unsigned)value;
	}
	/* The leading bit and seven more say which bucket. */
	const unsigned shift = 63 - (unsigned)__builtin_clzll(value) - STEP_BITS;

	return EXACT + (shift - 1) * STEPS + (unsigned)(value >> shift) - STEPS;
}

static int64_t upper_end(unsigned bucket)
{
	if (bucket < EXACT) {
		return bucket;
	}
	const unsigned shift = (bucket - EXACT) / STEPS + 1;
	const int64_t step = (bucket - EXACT) % STEPS + STEPS;

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
	uint32_t *const bucket = &histogram->bucket[bucket_of(value)];

	*bucket += *bucket < UINT32_MAX;
	if (histogram->count == 0 || value_ns < histogram->min_ns) {
		histogram->min_ns = value_ns;
	}
	if (value_ns > histogram->max_ns) {
		histogram->max_ns = value_ns;
	}
	histogram->count++;
	histogram->sum += value;
	histogram->sum_of_squares += (uint128)value * value;
	return true;
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
	into->sum += from->sum;
	into->sum_of_squares += from->sum_of_squares;
	for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
		const uint32_t room = UINT32_MAX - into->bucket[bucket];
		const uint32_t more = from->bucket[bucket];

		into->bucket[bucket] += more < room ? more : room;
	}
}

int64_t histogram_percentile(const struct histogram *histogram, unsigned ppm)
{
	const uint128 share = (uint128)histogram->count * (ppm < 1000000 ? ppm : 1000000);
	uint64_t rank = (uint64_t)((share + 999999) / 1000000);
	uint64_t passed = 0;

	rank = rank ? rank : 1;
	for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
		passed += histogram->bucket[bucket];
		if (passed >= rank) {
			return upper_end(bucket) < histogram->max_ns ? upper_end(bucket) : histogram->max_ns;
		}
	}
	return histogram->max_ns; /* empty, or a bucket is saturated */
}

int64_t histogram_mean(const struct histogram *histogram)
{
	const uint64_t count = histogram->count;

	return count ? (int64_t)((histogram->sum + count / 2) / count) : 0;
}

/* The whole part of the square root, digit by digit. */
static uint64_t square_root(uint128 value)
{
	uint128 root = 0;

	for (uint128 bit = (uint128)1 << 126; bit; bit >>= 2) {
		if (value >= root + bit) {
			value -= root + bit;
			root = (root >> 1) + bit;
		} else {
			root >>= 1;
		}
	}
	return (uint64_t)root;
}

/*
 * count^2 times the variance does not fit in 128 bits, so the squares are taken about the mean's whole part m. With
 * sum = m * count + rest and D = sum of (x - m)^2, the variance is D / count - (rest / count)^2, and the second
 * term is below one: it can take the whole part of the first down by one, no more.
 */
int64_t histogram_stddev(const struct histogram *histogram)
{
	const uint128 count = histogram->count;

	if (count == 0) {
		return 0;
	}
	const uint128 mean = histogram->sum / count;
	const uint128 rest = histogram->sum % count;
	const uint128 squares = histogram->sum_of_squares - 2 * mean * histogram->sum + count * mean * mean;
	const uint128 variance = squares / count;
	const bool borrows = squares % count * count < rest * rest;

	return (int64_t)square_root(variance - borrows);
}
