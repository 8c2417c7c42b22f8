/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * p from tables of the rank sum test and by counting every order; and what the promises are worth on values whose truth is
 * known: how often alike sets are called different, and how often the interval holds the true difference.
 */
#include "stats/difference.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tap.h"

#define TRIALS 3000

/* By trying every choice of which of n + m values are b's. */
static uint32_t counted_ppm(const int64_t *a, unsigned n, const int64_t *b, unsigned m)
{
	unsigned observed = 0, as_far = 0, all = 0;

	for (unsigned i = 0; i < n; i++) {
		for (unsigned j = 0; j < m; j++) {
			observed += b[j] > a[i];
		}
	}
	observed = observed < n * m - observed ? observed : n * m - observed;
	for (unsigned mask = 0; mask < 1u << (n + m); mask++) {
		unsigned u = 0, seen = 0;

		if ((unsigned)__builtin_popcount(mask) != m) {
			continue;
		}
		for (unsigned i = 0; i < n + m; i++) {
			seen += !(mask >> i & 1);
			u += mask >> i & 1 ? seen : 0;
		}
		as_far += u <= observed || u >= n * m - observed;
		all++;
	}
	return (uint32_t)((as_far * UINT64_C(1000000) + all - 1) / all);
}

static void test_p(void)
{
	static const struct {
		unsigned n, m, u;
		uint32_t p_ppm; /* two-sided, of the tables in Hollander and Wolfe, A.6, doubled; by hand for 60 */
	} rows[] = {
		{ 3, 3, 0, 100000 }, { 4, 4, 0, 28572 },  { 5, 5, 2, 31747 }, { 6, 6, 5, 41126 },
		{ 8, 8, 13, 49884 }, { 3, 10, 3, 48952 }, { 60, 60, 0, 1 },
	};
	int64_t a[60], b[60];

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		/* a below b, but for u pairs: the first values of b are moved down past so many of a. */
		unsigned left = rows[i].u;

		for (unsigned j = 0; j < rows[i].n; j++) {
			a[j] = 1000 + 10 * j;
		}
		for (unsigned j = 0; j < rows[i].m; j++) {
			const unsigned past = left < rows[i].n ? left : rows[i].n;

			b[j] = 1000 + 10 * (int64_t)(rows[i].n - past) - 5 + j % 4;
			left -= past;
		}
		const uint32_t p_ppm = difference_find(a, rows[i].n, b, rows[i].m).p_ppm;

		tap_is(p_ppm, rows[i].p_ppm, "p of %u and %u values with %u pairs the other way round", rows[i].n,
		       rows[i].m, rows[i].u);
		if (rows[i].n + rows[i].m <= 16) {
			tap_within(p_ppm, counted_ppm(a, rows[i].n, b, rows[i].m),
				   counted_ppm(a, rows[i].n, b, rows[i].m) + 1, "as counted");
		}
	}
}

static void test_values(void)
{
	int64_t a[] = { 5, 1, 3, 2, 4, 6 }, b[] = { 15, 11, 13, 12, 14, 16 }, same[] = { 7, 7, 7, 7, 7, 7 };
	struct difference found = difference_find(a, 6, b, 6);

	tap_is(found.median, 10, "the difference of the medians");
	tap_ok(found.has_interval && found.low == 5 && found.high == 15, "its interval, from the ends of both");
	tap_is(found.delta_ppm, 1000000, "every b is above every a");
	tap_ok(difference_is_significant(&found, found.p_ppm), "that is significant");
	tap_ok(!difference_is_significant(&found, 50001), "unless too much was asked");
	found = difference_find(b, 6, a, 6);
	tap_is(found.delta_ppm, -1000000, "the other way round");
	found = difference_find(same, 6, same, 6);
	tap_ok(found.p_ppm == 1000000 && found.delta_ppm == 0, "all equal: nothing differs");
	found = difference_find(a, 5, b, 6);
	tap_ok(!found.has_interval && found.p_ppm < 10000, "five have no interval, but a p");
	tap_ok(!difference_is_significant(&found, found.p_ppm), "which is not enough to say so");
	found = difference_find(a, 0, b, 6);
	tap_ok(!found.has_interval && found.p_ppm == 1000000, "against nothing there is nothing");
}

static void test_holm(void)
{
	uint32_t p_ppm[] = { 30000, 10000, 900000, 20000 };

	difference_adjust(p_ppm, 4);
	tap_is(p_ppm[1], 40000, "the smallest times four");
	tap_is(p_ppm[3], 60000, "the next times three");
	tap_is(p_ppm[0], 60000, "one that would be the same");
	tap_is(p_ppm[2], 900000, "and the largest as it is");
}

/* ---- values whose truth is known ---- */

enum shape { NORMAL, SKEWED, LUMPY, SHAPES };

static const char *const shape_names[SHAPES] = { "normal", "skewed", "lumpy" };

/* With median 0, but for the last bits of it. */
static int64_t draw(struct random *random, enum shape shape, int64_t spread)
{
	switch (shape) {
	case NORMAL:
		return random_normal(random, 0, spread);
	case SKEWED:
		return random_exponential(random, spread) - spread * 693147 / 1000000;
	default: /* two lumps below and above, as of two idle states */
		return (random_below(random, 2) ? spread : -spread) + random_normal(random, 0, spread / 10 + 1);
	}
}

struct truth {
	enum shape shape;
	unsigned n, m;
	int64_t spread_a, spread_b, difference;
};

static void try(const struct truth *truth, unsigned *wrong, unsigned *covered)
{
	struct random random;
	int64_t a[60], b[60];

	random_init(&random, 11, truth->n * 100 + truth->m);
	*wrong = *covered = 0;
	for (unsigned trial = 0; trial < TRIALS; trial++) {
		for (unsigned i = 0; i < truth->n; i++) {
			a[i] = draw(&random, truth->shape, truth->spread_a);
		}
		for (unsigned i = 0; i < truth->m; i++) {
			b[i] = truth->difference + draw(&random, truth->shape, truth->spread_b);
		}
		const struct difference found = difference_find(a, truth->n, b, truth->m);

		*wrong += difference_is_significant(&found, found.p_ppm);
		*covered += found.low <= truth->difference && truth->difference <= found.high;
	}
}

static void test_promises(void)
{
	static const unsigned sizes[][2] = { { 6, 6 }, { 10, 10 }, { 8, 20 }, { 20, 8 } };
	static const int64_t spreads[][2] = { { 1000, 1000 }, { 1000, 4000 }, { 1000, 50000 } };

	for (enum shape shape = 0; shape < SHAPES; shape++) {
		unsigned worst_wrong = 0, worst_covered = TRIALS;

		for (unsigned i = 0; i < 12; i++) {
			const unsigned *const size = sizes[i % 4];
			const int64_t *const spread = spreads[i / 4];
			const struct truth truth = { shape, size[0], size[1], spread[0], spread[1], 0 };
			unsigned wrong, covered;

			try(&truth, &wrong, &covered);
			worst_wrong = wrong > worst_wrong ? wrong : worst_wrong;
			worst_covered = covered < worst_covered ? covered : worst_covered;
		}
		tap_within(worst_wrong, 0, TRIALS * 5 / 100,
			   "%s values of equal medians: called different in at most 5 %%", shape_names[shape]);
		tap_within(worst_covered, TRIALS * 95 / 100, TRIALS,
			   "and the interval holds the truth in at least 95 %%");
	}
}

/* Six questions at once, all of whose answers are "alike". */
static void test_family(void)
{
	struct random random;
	unsigned families = 0;

	random_init(&random, 12, 0);
	for (unsigned trial = 0; trial < TRIALS; trial++) {
		struct difference found[6];
		uint32_t p_ppm[6];
		bool is_any = false;

		for (unsigned i = 0; i < 6; i++) {
			int64_t a[10], b[10];

			for (unsigned j = 0; j < 10; j++) {
				a[j] = draw(&random, NORMAL, 1000);
				b[j] = draw(&random, NORMAL, 1000);
			}
			found[i] = difference_find(a, 10, b, 10);
			p_ppm[i] = found[i].p_ppm;
		}
		difference_adjust(p_ppm, 6);
		for (unsigned i = 0; i < 6; i++) {
			is_any |= difference_is_significant(&found[i], p_ppm[i]);
		}
		families += is_any;
	}
	tap_within(families, 0, TRIALS * 5 / 100, "any of six alike figures called different: in at most 5 %%");
}

static void test_power(void)
{
	const struct truth truth = { NORMAL, 10, 10, 1000, 1000, 3000 };
	unsigned found, covered;

	try(&truth, &found, &covered);
	tap_within(found, TRIALS * 90 / 100, TRIALS, "a difference of three spreads is found in at least 90 %%");
}

int main(void)
{
	test_p();
	test_values();
	test_holm();
	test_promises();
	test_family();
	test_power();
	return tap_done();
}
