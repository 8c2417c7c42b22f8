/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Seeded random numbers, the same on every compiler and machine: integers only, no libm.
 * xoshiro256** by Blackman and Vigna (2018), seeded through splitmix64.
 */
#ifndef HOLDOFF_BASE_RANDOM_H
#define HOLDOFF_BASE_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t state[4];
};

/* Streams of one seed with different stream numbers are independent for our purposes. */
void random_init(struct random *random, uint64_t seed, uint64_t stream);

uint64_t random_u64(struct random *random);

/* Uniform in 0 .. bound-1; bound > 0. Unbiased. */
uint64_t random_below(struct random *random, uint64_t bound);

/* Exponentially distributed with the given mean (0 .. 2^40 ns), rounded to a whole ns; relative error of the
 * quantile function below 1e-6. A mean of 0 gives 0. */
int64_t random_exponential(struct random *random, int64_t mean_ns);

/* Approximately normal (sum of twelve uniforms: within 6 sd), mean and sd in ns, sd 0 .. 2^40. May be negative. */
int64_t random_normal(struct random *random, int64_t mean_ns, int64_t sd_ns);

#endif
