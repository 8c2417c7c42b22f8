/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Without a trend every order of the values is as likely as any other. The score is the number of pairs less twice the number of
 * inversions of that order, so its distribution is that of inversions of permutations: those of n things are those of n - 1, with the last
 * one put before 0 .. n - 1 of them (Mahonian numbers). 20! fits in 64 bits.
 */
#include "stats/trend.h"

#include <stdbool.h>

#define EXACT_MAX 20
#define PAIRS_MAX (EXACT_MAX * (EXACT_MAX - 1) / 2)
#define ONE_PPM UINT32_C(1000000)

/* Permutations of n things with at most so many inversions, and of all. */
static uint64_t count_permutations(unsigned n, unsigned inversions_max, uint64_t *all)
{
	uint64_t counts[PAIRS_MAX + 1] = { 1 }, next[PAIRS_MAX + 1], sum = 0;

	*all = 1;
	for (unsigned size = 2; size <= n; size++) {
		const unsigned most = size * (size - 1) / 2;

		for (unsigned i = 0; i <= most; i++) {
			next[i] = 0;
			for (unsigned k = 0; k < size && k <= i; k++) {
				next[i] += i - k <= (size - 1) * (size - 2) / 2 ? counts[i - k] : 0;
			}
		}
		for (unsigned i = 0; i <= most; i++) {
			counts[i] = next[i];
		}
		*all *= size;
	}
	for (unsigned i = 0; i <= inversions_max; i++) {
		sum += counts[i];
	}
	return sum;
}

static uint32_t exact_ppm(unsigned count, uint32_t distance)
{
	const unsigned pairs = count * (count - 1) / 2;
	uint64_t all;
	const uint64_t tail = count_permutations(count, (pairs - distance) / 2, &all);

	if (distance == 0 || 2 * tail >= all) {
		return ONE_PPM;
	}
	/* 20! has 61 bits: there dividing first rounds up by less than one in 10^11. */
	return (uint32_t)(all >> 43 ? 2 * tail / (all / ONE_PPM) + 1 : (2 * tail * ONE_PPM + all - 1) / all);
}

/* Two-sided limits of the normal distribution: thousandths of its deviation, and the chance beyond them. */
static uint32_t normal_ppm(unsigned count, uint32_t distance)
{
	static const struct {
		uint64_t milli;
		uint32_t ppm;
	} limits[] = { { 4417, 10 },    { 3891, 100 },   { 3291, 1000 },  { 2807, 5000 },
		       { 2576, 10000 }, { 2241, 25000 }, { 1960, 50000 }, { 1645, 100000 } };
	const uint64_t n = count, variance_18 = n * (n - 1) * (2 * n + 5);
	const uint64_t square_18 = distance ? 18 * (uint64_t)(distance - 1) * (distance - 1) : 0;

	for (unsigned i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		if (square_18 >= variance_18 / 1000000 * limits[i].milli * limits[i].milli +
					 variance_18 % 1000000 * limits[i].milli * limits[i].milli / 1000000) {
			return limits[i].ppm;
		}
	}
	return ONE_PPM;
}

struct trend trend_of(const int64_t *values, unsigned count)
{
	struct trend trend = { .chance_ppm = ONE_PPM };

	count = count < TREND_VALUES_MAX ? count : TREND_VALUES_MAX;
	for (unsigned later = 1; later < count; later++) {
		for (unsigned earlier = 0; earlier < later; earlier++) {
			trend.score += (values[later] > values[earlier]) - (values[later] < values[earlier]);
		}
	}
	const uint32_t distance = (uint32_t)(trend.score < 0 ? -trend.score : trend.score);

	if (count >= 2) {
		trend.chance_ppm = count <= EXACT_MAX ? exact_ppm(count, distance) : normal_ppm(count, distance);
	}
	return trend;
}
