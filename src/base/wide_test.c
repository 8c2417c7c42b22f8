/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of 128 bits, against each other: what was multiplied can be divided again, on machines of either width. */
#include <stddef.h>

#include "base/random.h"
#include "base/wide.h"
#include "tap.h"

#define DRAWS 20000

static bool same(struct wide a, struct wide b)
{
	return a.high == b.high && a.low == b.low;
}

static void is(struct wide got, uint64_t high, uint64_t low, const char *what)
{
	if (!tap_ok(got.high == high && got.low == low, "%s", what)) {
		tap_note("got %llx:%llx", (unsigned long long)got.high, (unsigned long long)got.low);
	}
}

/* Of any length, so that small numbers and full ones meet. */
static uint64_t draw(struct random *random)
{
	return random_u64(random) >> random_below(random, 64);
}

static void test_corners(void)
{
	const struct wide largest = { UINT64_MAX, UINT64_MAX };

	is(wide_product(UINT64_MAX, UINT64_MAX), UINT64_MAX - 1, 1, "the largest product");
	is(wide_product_of_halves(UINT64_MAX, UINT64_MAX), UINT64_MAX - 1, 1, "the largest product, by halves");
	is(wide_product_of_halves(UINT64_C(0xffffffff00000001), UINT64_C(0xfffffffeffffffff)),
	   UINT64_C(0xfffffffe00000000), UINT64_MAX, "halves with carries");
	is(wide_add(largest, wide_of(1)), 0, 0, "a sum wraps");
	is(wide_add(wide_of(UINT64_MAX), wide_of(1)), 1, 0, "a carry");
	is(wide_subtract(wide_of(0), wide_of(1)), UINT64_MAX, UINT64_MAX, "a difference wraps");
	is(wide_subtract((struct wide){ 1, 0 }, wide_of(1)), 0, UINT64_MAX, "a borrow");
	is(wide_times((struct wide){ 3, UINT64_MAX }, 4), 15, UINT64_MAX - 3, "a product with 64 bits");
	is(wide_shift_right((struct wide){ 5, 0 }, 1), 2, UINT64_C(1) << 63, "a shift across the halves");
	is(wide_divide(largest, UINT64_MAX, NULL), 1, 1, "the largest by the largest");
	is(wide_divide(largest, 1, NULL), UINT64_MAX, UINT64_MAX, "the largest by one");
	tap_ok(wide_saturated((struct wide){ 1, 0 }) == UINT64_MAX, "what does not fit 64 bits is their maximum");
	tap_ok(wide_saturated(wide_of(7)) == 7, "what fits is itself");
}

static void test_less(void)
{
	static const struct wide rising[] = { { 0, 0 }, { 0, 1 },          { 0, UINT64_MAX },         { 1, 0 },
					      { 1, 1 }, { UINT64_MAX, 0 }, { UINT64_MAX, UINT64_MAX } };
	const unsigned count = sizeof(rising) / sizeof(rising[0]);
	unsigned wrong = 0;

	for (unsigned a = 0; a < count; a++) {
		for (unsigned b = 0; b < count; b++) {
			wrong += wide_less(rising[a], rising[b]) != (a < b);
			wrong += wide_less_by_parts(rising[a], rising[b]) != (a < b);
		}
	}
	tap_is(wrong, 0, "less, both ways");
}

static void test_product_and_quotient(void)
{
	struct random random;
	unsigned unequal = 0, not_back = 0, rest_wrong = 0;

	random_init(&random, 1, 0);
	for (unsigned i = 0; i < DRAWS; i++) {
		const uint64_t a = draw(&random), b = draw(&random) | 1;
		const uint64_t rest = random_below(&random, b);
		const struct wide product = wide_product(a, b);
		uint64_t rest_found;
		const struct wide quotient = wide_divide(wide_add(product, wide_of(rest)), b, &rest_found);

		unequal += !same(product, wide_product_of_halves(a, b)) || !same(product, wide_times(wide_of(b), a));
		not_back += quotient.high != 0 || quotient.low != a;
		rest_wrong += rest_found != rest;
	}
	tap_is(unequal, 0, "a product by halves and either way round is the same");
	tap_is(not_back, 0, "a product divided by one factor is the other");
	tap_is(rest_wrong, 0, "what was added is left");
}

/* Dividends of all 128 bits: quotient times divisor and the rest make the dividend again. */
static void test_long_quotient(void)
{
	struct random random;
	unsigned wrong = 0;

	random_init(&random, 2, 0);
	for (unsigned i = 0; i < DRAWS; i++) {
		const struct wide dividend = { draw(&random), draw(&random) };
		const uint64_t divisor = draw(&random) | 1;
		uint64_t rest;
		const struct wide quotient = wide_divide(dividend, divisor, &rest);

		wrong += rest >= divisor || !same(wide_add(wide_times(quotient, divisor), wide_of(rest)), dividend);
	}
	tap_is(wrong, 0, "quotient and rest of any dividend");
}

static void test_scale(void)
{
	tap_is((int64_t)wide_scale(1000000007, 3, 2), 1500000010, "scaled down to a whole number");
	tap_is((int64_t)wide_scale_to_nearest(1000000007, 3, 2), 1500000011, "halves go up");
	tap_is((int64_t)wide_scale_to_nearest(10, 1, 3), 3, "a third goes down");
	tap_is((int64_t)wide_scale(INT64_MAX, 1000, 1001), 9214157878975800006,
	       "where the product needs more than 64 bits");
	tap_ok(wide_scale(UINT64_MAX, UINT64_MAX, 1) == UINT64_MAX, "too large is the maximum");
	tap_ok(wide_scale_to_nearest(UINT64_MAX, 3, 2) == UINT64_MAX, "also to nearest");
}

int main(void)
{
	test_corners();
	test_less();
	test_product_and_quotient();
	test_long_quotient();
	test_scale();
	return tap_done();
}
