/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tune/front.h"

#include <assert.h>

#include "run/run.h"

#define WHOLE_PPM 1000000

static bool is_comparable(const struct front *front, const struct front_point *point)
{
	for (unsigned axis = 0; axis < front->axes; axis++) {
		if (!point->axis[axis].is_known) {
			return false;
		}
	}
	return true;
}

/* Above 0 when a is better than b by the median. */
static int better(const struct front *front, unsigned axis, const struct front_value *a, const struct front_value *b)
{
	const int less = (a->value.median < b->value.median) - (a->value.median > b->value.median);

	return front->more_is_better[axis] ? -less : less;
}

static bool is_clear_of(const struct front_value *a, const struct front_value *b)
{
	return a->has_interval && b->has_interval && (a->value.high < b->value.low || a->value.low > b->value.high);
}

/* FRONT_ON: a does not beat b. */
static enum front_place beats(const struct front *front, const struct front_point *a, const struct front_point *b)
{
	enum front_place place = FRONT_ON;

	for (unsigned axis = 0; axis < front->axes; axis++) {
		const int by = better(front, axis, &a->axis[axis], &b->axis[axis]);

		if (by < 0) {
			return FRONT_ON;
		}
		if (by > 0 && is_clear_of(&a->axis[axis], &b->axis[axis])) {
			place = FRONT_BEHIND;
		} else if (by > 0 && place == FRONT_ON) {
			place = FRONT_UNSURE;
		}
	}
	return place;
}

static void place_point(const struct front *front, struct front_point *point)
{
	point->place = FRONT_ON;
	for (unsigned i = 0; i < front->count && point->place != FRONT_BEHIND; i++) {
		if (!is_comparable(front, &front->point[i])) {
			continue;
		}
		const enum front_place place = beats(front, &front->point[i], point);

		if (place > point->place) {
			point->place = place;
			point->beaten_by = i;
		}
	}
}

void front_find(const struct front *front)
{
	assert(front->axes >= 1 && front->axes <= FRONT_AXES_MAX && front->count <= FRONT_POINTS_MAX);
	for (unsigned i = 0; i < front->count; i++) {
		struct front_point *const point = &front->point[i];

		if (is_comparable(front, point)) {
			place_point(front, point);
		} else {
			point->place = FRONT_LEFT_OUT;
		}
	}
}

/* ---- the knee ---- */

struct range {
	int64_t low, high;
};

static void widen(struct range *range, int64_t value)
{
	range->low = value < range->low ? value : range->low;
	range->high = value > range->high ? value : range->high;
}

static int64_t part_of(const struct range *range, int64_t value)
{
	return (int64_t)run_ppm(value - range->low, range->high - range->low);
}

/*
 * On a front of two axes the ends are (0, 1) and (1, 0), and how far a point is below the line between them is what x and
 * y together lack of 1. A front of more axes may have points above it, or two with the same x: they are no knee.
 */
bool front_knee(const struct front *front, unsigned x, unsigned y, unsigned *knee)
{
	struct range range[2] = { { INT64_MAX, INT64_MIN }, { INT64_MAX, INT64_MIN } };
	int64_t farthest = 0;

	assert(x < front->axes && y < front->axes && !front->more_is_better[x] && !front->more_is_better[y]);
	for (unsigned i = 0; i < front->count; i++) {
		if (front->point[i].place == FRONT_ON) {
			widen(&range[0], front->point[i].axis[x].value.median);
			widen(&range[1], front->point[i].axis[y].value.median);
		}
	}
	for (unsigned i = 0; i < front->count; i++) {
		const struct front_point *const point = &front->point[i];

		if (point->place != FRONT_ON || range[0].low == range[0].high || range[1].low == range[1].high) {
			continue;
		}
		const int64_t distance = WHOLE_PPM - part_of(&range[0], point->axis[x].value.median) -
					 part_of(&range[1], point->axis[y].value.median);

		if (distance > farthest) {
			farthest = distance;
			*knee = i;
		}
	}
	return farthest > 0;
}
