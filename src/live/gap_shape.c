/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/gap_shape.h"

#include <stddef.h>
#include <string.h>

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
 * The first points whose slow periods are equal though their gaps differ, while behind them slow round trips are
 * shorter. That gaps which are all next to nothing make equal periods too means nothing: it has to be a fifth of the
 * period, by which the round trip falls.
 */
static unsigned find_throttle(struct gap_shape *shape, const struct gap_point *const *points, unsigned count)
{
	unsigned alike = 1;

	while (alike < count && is_near(points[0]->slow_period_ns, points[alike]->slow_period_ns)) {
		alike++;
	}
	if (alike < THROTTLE_POINTS || alike == count) {
		return 0;
	}
	const int64_t fall_ns = points[0]->slow_ns - points[alike - 1]->slow_ns;

	if (fall_ns < shape->least_ns || fall_ns < points[0]->slow_period_ns / 5 ||
	    points[alike]->slow_ns - points[alike - 1]->slow_ns > shape->least_ns) {
		return 0;
	}
	int64_t periods_ns[POINTS_MAX];

	/* The last of them may be just beyond the throttle. */
	for (unsigned i = 0; i < alike; i++) {
		periods_ns[i] = points[i]->slow_period_ns;
	}
	add(shape, &(struct gap_finding){
			   .kind = GAP_THROTTLE,
			   .ns = middle_find(periods_ns, alike).median_ns,
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

void gap_point_find(struct gap_point *point, int64_t *rtt_ns, int64_t *period_ns, unsigned count)
{
	int64_t slow_periods_ns[GAP_SAMPLES_MAX], sorted_ns[GAP_SAMPLES_MAX];
	unsigned slow = 0;

	memcpy(sorted_ns, rtt_ns, count * sizeof(sorted_ns[0]));
	point->rtt = middle_find(sorted_ns, count); /* sorts */
	if (count == 0) {
		return;
	}
	point->slow_ns = sorted_ns[(count - 1) * 4 / 5];
	for (unsigned i = 0; i < count; i++) {
		if (2 * rtt_ns[i] >= point->rtt.min_ns + point->slow_ns && rtt_ns[i] <= point->slow_ns) {
			slow_periods_ns[slow++] = period_ns[i];
		}
	}
	point->slow_period_ns = middle_find(slow_periods_ns, slow).median_ns;
	point->period_ns = middle_find(period_ns, count).median_ns;
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
