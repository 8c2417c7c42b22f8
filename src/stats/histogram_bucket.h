/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which bucket of a histogram (stats/histogram.h) a value falls into; for programs in the kernel as well. */
#ifndef HOLDOFF_STATS_HISTOGRAM_BUCKET_H
#define HOLDOFF_STATS_HISTOGRAM_BUCKET_H

#define HISTOGRAM_EXACT 256 /* below: one bucket a value */
#define HISTOGRAM_STEPS 128 /* buckets of each power of two above */
#define HISTOGRAM_STEP_BITS 7
#define HISTOGRAM_BUCKETS (HISTOGRAM_EXACT + 40 * HISTOGRAM_STEPS)

/* The place of the leading bit, by halves: clang 14 has no __builtin_clzll for programs in the kernel. */
static inline unsigned histogram_leading_bit_by_halves(unsigned long long value)
{
	const unsigned of_four_bits = 0xffffaa50; /* 0, 0, 1, 1, 2, ...: two bits for each value */
	unsigned place = 0;

	for (unsigned half = 32; half >= 4; half /= 2) {
		if (value >> half) {
			value >>= half;
			place += half;
		}
	}
	return place + (of_four_bits >> (2 * value) & 3);
}

static inline unsigned histogram_leading_bit(unsigned long long value)
{
#ifdef __bpf__
	return histogram_leading_bit_by_halves(value);
#else
	return 63 - (unsigned)__builtin_clzll(value);
#endif
}

/* Of a value below 2^48. */
static inline unsigned histogram_bucket_of(unsigned long long value)
{
	if (value < HISTOGRAM_EXACT) {
		return (unsigned)value;
	}
	/* The leading bit and seven more say which bucket. */
	const unsigned shift = histogram_leading_bit(value) - HISTOGRAM_STEP_BITS;

	return HISTOGRAM_EXACT + (shift - 1) * HISTOGRAM_STEPS + (unsigned)(value >> shift) - HISTOGRAM_STEPS;
}

#endif
