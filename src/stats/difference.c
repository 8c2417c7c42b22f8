/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/difference.h"

#include "base/wide.h"

#define SUMS_MAX (DIFFERENCE_VALUES_MAX * DIFFERENCE_VALUES_MAX + 1)
#define WHOLE_PPM 1000000

/*
 * In how many of the orders of n and m values u pairs stand the wrong way round, for each u: the coefficients of the
 * Gaussian binomial, the product of (1 - q^(m + i)) / (1 - q^i) for i from 1 to n. What is in between is right modulo
 * 2^128, and the last ones, of at most 60 and 60 values, fit.
 */
static void count_orders(unsigned n, unsigned m, struct wide counts[SUMS_MAX])
{
	const unsigned sums = n * m + 1;

	for (unsigned u = 0; u < sums; u++) {
		counts[u] = wide_of(u == 0);
	}
	for (unsigned i = 1; i <= n; i++) {
		for (unsigned u = sums; u-- > m + i;) {
			counts[u] = wide_subtract(counts[u], counts[u - m - i]);
		}
		for (unsigned u = i; u < sums; u++) {
			counts[u] = wide_add(counts[u], counts[u - i]);
		}
	}
}

static struct wide halved(struct wide value)
{
	return wide_shift_right(value, 1);
}

/* part / whole in ppm, rounded up; whole is made to fit 40 bits, which part is rounded up for. */
static uint32_t share_ppm(struct wide part, struct wide whole)
{
	while (whole.high || whole.low >> 40) {
		whole = halved(whole);
		part = wide_add(halved(part), wide_of(part.low & 1));
	}
	const uint64_t ppm = (part.low * WHOLE_PPM + whole.low - 1) / whole.low;

	return ppm > WHOLE_PPM ? WHOLE_PPM : (uint32_t)ppm;
}

/* P(U <= u or U >= nm - u) of sets that are alike. */
static uint32_t two_sided_ppm(unsigned u, unsigned n, unsigned m)
{
	struct wide counts[SUMS_MAX], tail = wide_of(0), whole = wide_of(0);

	count_orders(n, m, counts);
	for (unsigned i = 0; i <= n * m; i++) {
		whole = wide_add(whole, counts[i]);
		if (i <= u) {
			tail = wide_add(tail, counts[i]);
		}
	}
	return share_ppm(wide_add(tail, tail), whole);
}

/* Twice the number of pairs with b above a, ties as half. */
static unsigned pairs_above(const int64_t *a, unsigned n, const int64_t *b, unsigned m)
{
	unsigned twice = 0;

	for (unsigned i = 0; i < n; i++) {
		for (unsigned j = 0; j < m; j++) {
			twice += b[j] > a[i] ? 2 : b[j] == a[i];
		}
	}
	return twice;
}

struct difference difference_find(int64_t *a, unsigned a_count, int64_t *b, unsigned b_count)
{
	struct difference found = { .p_ppm = WHOLE_PPM };
	const unsigned n = a_count < DIFFERENCE_VALUES_MAX ? a_count : DIFFERENCE_VALUES_MAX;
	const unsigned m = b_count < DIFFERENCE_VALUES_MAX ? b_count : DIFFERENCE_VALUES_MAX;

	found.a_has_interval = interval_of_median(a, n, &found.a);
	found.b_has_interval = interval_of_median(b, m, &found.b);
	if (n == 0 || m == 0) {
		return found;
	}
	const unsigned above = pairs_above(a, n, b, m), below = 2 * n * m - above;

	found.median = found.b.median - found.a.median;
	found.has_interval = found.a_has_interval && found.b_has_interval;
	if (found.has_interval) {
		found.low = found.b.low - found.a.high;
		found.high = found.b.high - found.a.low;
	}
	/* Half a pair is taken for a whole one, towards the middle. */
	found.p_ppm = two_sided_ppm(((above < below ? above : below) + 1) / 2, n, m);
	found.delta_ppm = (int32_t)(((int64_t)above - (int64_t)below) * WHOLE_PPM / (2 * (int64_t)n * m));
	return found;
}

/* By the rank of each: the smallest times their number, the next times one less, and none below the one before. */
void difference_adjust(uint32_t *p_ppm, unsigned count)
{
	bool is_done[DIFFERENCE_QUESTIONS_MAX] = { false };
	uint32_t last = 0;

	for (unsigned left = count; left > 0; left--) {
		unsigned least = count;

		for (unsigned i = 0; i < count; i++) {
			if (!is_done[i] && (least == count || p_ppm[i] < p_ppm[least])) {
				least = i;
			}
		}
		const uint64_t adjusted = (uint64_t)p_ppm[least] * left;

		last = adjusted > WHOLE_PPM ? WHOLE_PPM : adjusted > last ? (uint32_t)adjusted : last;
		p_ppm[least] = last;
		is_done[least] = true;
	}
}

bool difference_is_significant(const struct difference *difference, uint32_t adjusted_p_ppm)
{
	return difference->has_interval && adjusted_p_ppm <= DIFFERENCE_LEVEL_PPM &&
	       (difference->low > 0 || difference->high < 0);
}
