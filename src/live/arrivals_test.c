/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arrivals.c"

#include "base/random.h"
#include "tap.h"

static struct arrivals arrivals;

static bool take(uint32_t sequence)
{
	return arrivals_take(&arrivals, sequence, 100, ARRIVALS_UNKNOWN_NS, ARRIVALS_UNKNOWN_NS);
}

static void test_order(void)
{
	arrivals_init(&arrivals, UINT64_MAX, 0);
	for (uint32_t i = 0; i < 10; i++) {
		take(i);
	}
	tap_is((int64_t)arrivals.received, 10, "ten in order");
	tap_is((int64_t)arrivals.reordered, 0, "none out of it");
	tap_is((int64_t)arrivals.bytes, 1000, "with their bytes");
	take(15);
	tap_ok(take(12), "an earlier one is new");
	tap_is((int64_t)arrivals.reordered, 1, "but out of order");
	tap_ok(!take(12) && !take(15) && !take(0), "again, they are not");
	tap_is((int64_t)arrivals.duplicated, 3, "they are duplicates");
	tap_is((int64_t)arrivals.received, 12, "and not counted as received");
	tap_is((int64_t)arrivals.bytes, 1200, "nor are their bytes");
}

static void test_limit(void)
{
	arrivals_init(&arrivals, 100, 0);
	tap_ok(take(99) && !take(100) && !take(0x7fffffff), "only what can have been sent is new");
	tap_is((int64_t)arrivals.unexpected, 2, "the rest was expected by nobody");
	tap_is((int64_t)arrivals.next, 100, "and does not move the window");
	tap_ok(take(0), "what is in it can still come");
}

static void test_window(void)
{
	arrivals_init(&arrivals, UINT64_MAX, 0);
	take(0);
	take(ARRIVALS_WINDOW - 1);
	tap_ok(take(1), "a window back is known");
	take(ARRIVALS_WINDOW);
	tap_ok(!take(0) && arrivals.unexpected == 1, "before that nothing can be told");
	take(10 * ARRIVALS_WINDOW);
	tap_ok(take(10 * ARRIVALS_WINDOW - 1), "after a jump the window is empty");
	tap_ok(!take(10 * ARRIVALS_WINDOW), "but for what jumped");
}

static void test_wrap(void)
{
	uint64_t last = 0;

	arrivals_init(&arrivals, UINT64_MAX, 0);
	for (uint64_t number = 0; number < UINT64_C(0x300000000); number += 0x40000000) {
		last = number;
		take((uint32_t)number);
	}
	tap_is((int64_t)arrivals.next, (int64_t)last + 1, "32 bits may wrap");
	tap_is((int64_t)arrivals.duplicated, 0, "and no number comes twice by it");
}

static void test_times(void)
{
	static const int64_t at_ns[] = { 1000, 1010, 1010, 6000, 6010 };

	arrivals_init(&arrivals, UINT64_MAX, 2500);
	for (uint32_t i = 0; i < 5; i++) {
		arrivals_take(&arrivals, i, 1, at_ns[i], 7);
	}
	tap_is((int64_t)arrivals.gap.count, 4, "four gaps between five");
	tap_is(arrivals.gap.max_ns, 4990, "the largest");
	tap_is((int64_t)arrivals.bursts, 2, "two bursts");
	tap_is((int64_t)arrivals.burst_packets_max, 3, "of three at most");
	tap_is((int64_t)arrivals.one_way.count, 5, "five delays");
	arrivals_take(&arrivals, 5, 1, 5000, 7);
	tap_is((int64_t)arrivals.gap.out_of_range, 1, "a clock that was set back is no gap");
	arrivals_take(&arrivals, 5, 1, 9000, 7);
	tap_is(arrivals.last_at_ns, 5000, "a duplicate has no time");
}

/* Against a plain list of what came. */
static void test_random(void)
{
	enum { NUMBERS = 5000, TAKES = 20000 };
	static bool seen[NUMBERS];
	struct random random;
	uint64_t received = 0, duplicated = 0;

	arrivals_init(&arrivals, NUMBERS, 0);
	random_init(&random, 1, 0);
	for (unsigned i = 0; i < TAKES; i++) {
		const uint32_t number = (uint32_t)random_below(&random, NUMBERS);

		received += !seen[number];
		duplicated += seen[number];
		seen[number] = true;
		take(number);
	}
	tap_is((int64_t)arrivals.received, (int64_t)received, "random numbers: as many received as a list says");
	tap_is((int64_t)arrivals.duplicated, (int64_t)duplicated, "and as many duplicated");
}

int main(void)
{
	test_order();
	test_limit();
	test_window();
	test_wrap();
	test_times();
	test_random();
	return tap_done();
}
