/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/gap_shape.h"

#include <stddef.h>

#include "base/time.h"

#define POINTS_MAX 64
#define THROTTLE_POINTS 2 /* fewer could be chance */
#define THROTTLE_TENTHS 1 /* gap and round trip add up to the same within a tenth */

/* Those that are sure. */
static unsigned choose(struct gap_shape *shape, const struct gap_point *points, unsigned count,
		       const struct gap_point *chosen[POINTS_MAX])
{
	unsigned sure = 0;

	for (unsigned i = 0; i < count; i++) {
		if (!points[i].rtt.is_sure || sure == POINTS_MAX) {
			shape->unsure++;
		} else {
			chosen[sure++] = &points[i];
		}
	}
	return sure;
}

/* A difference that is certain, and large enough: -1, 0 or 1 as b is below, like or above a. */
static int compare(const struct gap_shape *shape, const struct middle *a, const struct middle *b)
{
	const int64_t difference_ns = b->median_ns - a->median_ns;

	if (difference_ns >= shape->least_ns && b->low_ns > a->high_ns) {
		return 1;
	}
	return -difference_ns >= shape->least_ns && b->high_ns < a->low_ns ? -1 : 0;
}

static void add(struct gap_shape *shape, const struct gap_finding *finding)
{
	if (shape->count < GAP_FINDINGS_MAX) {
		shape->finding[shape->count++] = *finding;
	}
}

static bool is_near(int64_t a_ns, int64_t b_ns)
{
	return (a_ns > b_ns ? a_ns - b_ns : b_ns - a_ns) * 10 <= a_ns * THROTTLE_TENTHS;
}

/*
 * The first points whose periods are equal though their gaps differ, while behind them the round trip is shorter. The
 * shortest round trip behind the end must be less than the throttle, else nothing ends.
 */
static unsigned find_throttle(struct gap_shape *shape, const struct gap_point *const *points, unsigned count)
{
	unsigned alike = 1;

	while (alike < count && is_near(points[0]->period_ns, points[alike]->period_ns)) {
		alike++;
	}
	if (alike < THROTTLE_POINTS || alike == count) {
		return 0;
	}
	/* Gaps that are all next to nothing make equal periods too. */
	const int64_t fall_ns = points[0]->rtt.median_ns - points[alike - 1]->rtt.median_ns;

	if (compare(shape, &points[alike - 1]->rtt, &points[0]->rtt) <= 0 || fall_ns < points[0]->period_ns / 5 ||
	    compare(shape, &points[alike]->rtt, &points[0]->rtt) <= 0) {
		return 0;
	}
	int64_t sum_ns = 0;

	for (unsigned i = 0; i < alike; i++) {
		sum_ns += points[i]->period_ns;
	}
	add(shape, &(struct gap_finding){
			   .kind = GAP_THROTTLE,
			   .ns = sum_ns / alike,
			   .from_ns = points[alike - 1]->gap_ns,
			   .until_ns = points[alike]->gap_ns,
			   .points = alike,
		   });
	return alike;
}

/*
 * Rises and falls: from a point on, what differs from it is one change; where it happens is where neighbours differ
 * most.
 */
static void find_changes(struct gap_shape *shape, const struct gap_point *const *points, unsigned count)
{
	unsigned from = 0;

	while (from + 1 < count) {
		unsigned to = from + 1;

		while (to < count && compare(shape, &points[from]->rtt, &points[to]->rtt) == 0) {
			to++;
		}
		if (to == count) {
			return;
		}
		const int sign = compare(shape, &points[from]->rtt, &points[to]->rtt);

		/* As long as it goes on in the same direction it is the same change. */
		while (to + 1 < count && compare(shape, &points[to]->rtt, &points[to + 1]->rtt) == sign) {
			to++;
		}
		const int64_t change_ns = points[to]->rtt.median_ns - points[from]->rtt.median_ns;
		unsigned begin = to - 1;

		while (begin > from && compare(shape, &points[from]->rtt, &points[begin]->rtt) == sign) {
			begin--;
		}
		add(shape, &(struct gap_finding){
				   .kind = sign > 0 ? GAP_RISE : GAP_FALL,
				   .ns = sign > 0 ? change_ns : -change_ns,
				   .from_ns = points[begin]->gap_ns,
				   .until_ns = points[to]->gap_ns,
			   });
		from = to;
	}
}

void gap_shape_find(struct gap_shape *shape, const struct gap_point *points, unsigned count, int64_t least_ns)
{
	const struct gap_point *sure[POINTS_MAX];

	*shape = (struct gap_shape){ .least_ns = least_ns };
	const unsigned sure_count = choose(shape, points, count, sure);

	if (sure_count < 2) {
		return;
	}
	const unsigned throttled = find_throttle(shape, sure, sure_count);

	find_changes(shape, sure + throttled, sure_count - throttled);
	shape->is_flat = shape->count == 0;
}
