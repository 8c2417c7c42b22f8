/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DIM: the walk from a cold start, turns, edges, and that a change of a tenth wakes nothing. */
#include "driver/dim.h"

#include "tap.h"

/* What traffic comes to while a measurement of so many us lasts: frames and bytes per ms, 64 events. */
static bool measure(struct dim *dim, struct dim_sample *total, int64_t us, uint32_t frames, uint32_t bytes)
{
	if (!dim->measures) {
		dim_look(dim, total);
	}
	total->at_ns += us * 1000;
	total->events = (uint16_t)(total->events + 64);
	total->frames += (uint32_t)((uint64_t)frames * (uint64_t)us / 1000);
	total->bytes += (uint32_t)((uint64_t)bytes * (uint64_t)us / 1000);
	return dim_look(dim, total);
}

static void test_cold_start(void)
{
	struct dim_sample total = { 0 };
	struct dim dim;

	dim_init(&dim);
	tap_is(dim.level, 1, "it begins at level 1");
	tap_ok(measure(&dim, &total, 1000, 80, 120000) && dim.level == 0, "traffic is better than none: a step left");
	tap_ok(measure(&dim, &total, 1000, 80, 120000) && dim.level == 1, "no better there: it turns");
	tap_ok(measure(&dim, &total, 2000, 80, 120000) && dim.level == 2, "half the interrupts are better: on");
	tap_ok(measure(&dim, &total, 4000, 80, 120000) && dim.level == 3, "and on");
	tap_ok(measure(&dim, &total, 8000, 80, 120000) && dim.level == 4, "and on");
	tap_ok(!measure(&dim, &total, 16000, 80, 120000) && dim.level == 4, "the edge: it parks");
	tap_ok(!measure(&dim, &total, 16000, 87, 130000) && dim.level == 4, "8 %% more wake nothing");
	tap_ok(measure(&dim, &total, 16000, 160, 240000) && dim.level == 3, "twice the traffic does: left");
}

static void test_limits(void)
{
	struct dim_sample total = { 0 };
	struct dim dim;

	dim_init(&dim);
	dim_look(&dim, &total);
	total.events = 63;
	total.at_ns = 1000000;
	tap_ok(!dim_look(&dim, &total), "63 events are no measurement");
	total.events = 64;
	total.at_ns = 900;
	tap_ok(!dim_look(&dim, &total), "nor is less than a us");
	struct dim_sample wrapped = { .events = 65530 };

	dim_init(&dim);
	dim_look(&dim, &wrapped);
	wrapped = (struct dim_sample){ .events = 58, .at_ns = 1000000, .frames = 80, .bytes = 120000 };
	tap_ok(dim_look(&dim, &wrapped), "events are counted modulo 2^16");
}

/* Rates that never settle tire it. */
static void test_tired(void)
{
	struct dim_sample total = { 0 };
	struct dim dim;
	unsigned changes = 0;

	dim_init(&dim);
	for (unsigned i = 0; i < 200; i++) {
		changes += measure(&dim, &total, 1000, 80 + i % 2 * 80, 120000 + i % 2 * 120000);
		if (dim.level >= DIM_LEVELS || dim.tired > 10) {
			tap_ok(false, "level %u, tired %u", dim.level, dim.tired);
			return;
		}
	}
	tap_ok(changes > 20 && changes < 180, "rates that swing keep it walking, with pauses: %u changes in 200",
	       changes);
}

int main(void)
{
	test_cold_start();
	test_limits();
	test_tired();
	tap_is(dim_levels[DIM_RX_EQE][4].usecs, 256, "the longest time of the default receive profile");
	return tap_done();
}
