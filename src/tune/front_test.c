/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fronts that can be seen with the naked eye, and drawn ones against the definition. */
#include "tune/front.h"

#include "base/random.h"
#include "tap.h"

enum { LATENCY, CPU, GOODPUT };

static struct front_value exactly(int64_t median, int64_t spread)
{
	return (struct front_value){
		.is_known = true,
		.has_interval = spread > 0,
		.value = { .median = median, .low = median - spread, .high = median + spread },
	};
}

static struct front_point point_of(int64_t latency, int64_t cpu, int64_t spread)
{
	return (struct front_point){ .axis = { exactly(latency, spread), exactly(cpu, spread) } };
}

static void test_places(void)
{
	struct front_point points[] = {
		point_of(100, 900, 5),                        /* no moderation */
		point_of(200, 400, 5), point_of(203, 420, 5), /* beaten by the one before: clearly in CPU */
		point_of(201, 401, 5),                        /* beaten by it too, not clearly */
		point_of(900, 100, 5), point_of(200, 400, 5), /* the same as another */
		point_of(150, 950, 0),                        /* one run, without interval */
		point_of(50, 50, 5), /* would beat them all, but something of it is not known */
	};
	const struct front front = { .axes = 2, .count = 8, .point = points };

	points[7].axis[CPU].is_known = false;
	front_find(&front);
	tap_is(points[0].place, FRONT_ON, "the fastest setting is on the front");
	tap_is(points[1].place, FRONT_ON, "what no other beats is");
	tap_is(points[2].place, FRONT_BEHIND, "what is beaten beyond the intervals is behind");
	tap_is(points[2].beaten_by, 1, "and by whom is told");
	tap_is(points[3].place, FRONT_UNSURE, "within the intervals it is not sure");
	tap_is(points[3].beaten_by, 1, "by whom is told as well");
	tap_is(points[4].place, FRONT_ON, "the cheapest setting is on the front");
	tap_is(points[5].place, FRONT_ON, "equal settings are on it both");
	tap_is(points[6].place, FRONT_UNSURE, "where there is no interval nothing is sure");
	tap_is(points[7].place, FRONT_LEFT_OUT, "what is not known on an axis neither has a place nor beats others");
}

static void test_more_is_better(void)
{
	struct front_point points[] = { point_of(100, 900, 0), point_of(100, 900, 0), point_of(100, 900, 0) };
	const struct front front = { .axes = 3, .more_is_better = { [GOODPUT] = true }, .count = 3, .point = points };

	points[0].axis[GOODPUT] = exactly(500, 20);
	points[1].axis[GOODPUT] = exactly(941, 20);
	points[2].axis[GOODPUT] = exactly(930, 20);
	front_find(&front);
	tap_is(points[0].place, FRONT_BEHIND, "less throughput at the same price is behind");
	tap_is(points[1].place, FRONT_ON, "most throughput is on the front");
	tap_is(points[2].place, FRONT_UNSURE, "a little less is not told from it");
}

static void test_a_sure_one_counts(void)
{
	struct front_point points[] = { point_of(100, 100, 5), point_of(99, 99, 5), point_of(50, 99, 5) };
	const struct front front = { .axes = 2, .count = 3, .point = points };

	front_find(&front);
	tap_is(points[0].place, FRONT_BEHIND, "one that beats it surely decides");
	tap_is(points[0].beaten_by, 2, "and is named, not the one that is not sure");
}

static void test_knee(void)
{
	struct front_point points[] = { point_of(900, 100, 0), point_of(100, 900, 0), point_of(150, 300, 0),
					point_of(400, 200, 0), point_of(160, 310, 0) };
	const struct front front = { .axes = 2, .count = 5, .point = points };
	unsigned knee = 99;

	front_find(&front);
	tap_ok(front_knee(&front, LATENCY, CPU, &knee), "a front that bends has a knee");
	tap_is(knee, 2, "at the setting where both are small");

	const struct front two = { .axes = 2, .count = 2, .point = points };

	tap_ok(!front_knee(&two, LATENCY, CPU, &knee), "two settings have none");

	struct front_point line[] = { point_of(100, 300, 0), point_of(200, 200, 0), point_of(300, 100, 0) };
	const struct front straight = { .axes = 2, .count = 3, .point = line };

	front_find(&straight);
	tap_ok(!front_knee(&straight, LATENCY, CPU, &knee), "nor has a straight line");

	struct front_point same[] = { point_of(100, 300, 0), point_of(100, 300, 0), point_of(100, 300, 0) };
	const struct front equal = { .axes = 2, .count = 3, .point = same };

	front_find(&equal);
	tap_ok(!front_knee(&equal, LATENCY, CPU, &knee), "nor have settings that are all equal");
}

/* Hours of latency and hundreds of CPUs: nothing overflows. */
static void test_large(void)
{
	const int64_t most = (INT64_C(1) << 48) - 1;
	struct front_point points[] = { point_of(0, most, 0), point_of(most / 8, most / 8, 0), point_of(most, 0, 0) };
	const struct front front = { .axes = 2, .count = 3, .point = points };
	unsigned knee = 99;

	front_find(&front);
	tap_ok(front_knee(&front, LATENCY, CPU, &knee) && knee == 1, "values of 48 bits have a knee");
}

/* Whether another point is as good on both and better on one, said in another way than by front.c. */
static bool is_beaten(const struct front_point *points, unsigned count, unsigned which)
{
	for (unsigned i = 0; i < count; i++) {
		const int64_t latency = points[which].axis[LATENCY].value.median - points[i].axis[LATENCY].value.median;
		const int64_t cpu = points[which].axis[CPU].value.median - points[i].axis[CPU].value.median;

		if (latency >= 0 && cpu >= 0 && latency + cpu > 0) {
			return true;
		}
	}
	return false;
}

static void test_drawn(void)
{
	struct front_point points[40];
	const struct front front = { .axes = 2, .count = 40, .point = points };
	struct random random;
	unsigned wrong = 0, unnamed = 0;

	random_init(&random, 7, 0);
	for (unsigned round = 0; round < 200; round++) {
		for (unsigned i = 0; i < 40; i++) {
			points[i] = point_of((int64_t)random_below(&random, 30), (int64_t)random_below(&random, 30),
					     (int64_t)random_below(&random, 6));
		}
		front_find(&front);
		for (unsigned i = 0; i < 40; i++) {
			wrong += is_beaten(points, 40, i) != (points[i].place != FRONT_ON);
			unnamed += points[i].place != FRONT_ON && points[i].beaten_by == i;
		}
	}
	tap_is(wrong, 0, "8000 drawn settings are where the definition puts them");
	tap_is(unnamed, 0, "and none is beaten by itself");
}

int main(void)
{
	test_places();
	test_more_is_better();
	test_a_sure_one_counts();
	test_knee();
	test_large();
	test_drawn();
	return tap_done();
}
