/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings beside each other, each with what it costs on several axes (latency, CPU time, throughput): which of them no
 * other one beats (the front of Pareto), which cannot be told from those, and where the front bends (the knee).
 *
 * What stands on the front by its medians alone may stand there by chance: of a setting behind it, it is told apart
 * whether another one beats it beyond both intervals or whether more runs might turn it round.
 */
#ifndef HOLDOFF_TUNE_FRONT_H
#define HOLDOFF_TUNE_FRONT_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/interval.h"

#define FRONT_AXES_MAX 15
#define FRONT_POINTS_MAX 512

/* One setting on one axis. */
struct front_value {
	bool is_known;
	bool has_interval;     /* else low and high say nothing */
	struct interval value; /* in the unit of the axis; 0 or above */
};

enum front_place {
	FRONT_LEFT_OUT, /* an axis is not known: it cannot be compared */
	FRONT_ON,       /* no other setting has medians that are all as good and one that is better */
	FRONT_UNSURE,   /* another one has, but not beyond the intervals: more runs may turn it round */
	FRONT_BEHIND    /* another one has, and on an axis its interval is clear of this one's */
};

struct front_point {
	struct front_value axis[FRONT_AXES_MAX];
	enum front_place place; /* filled in by front_find */
	/* What puts it behind, filled in by front_find where place is FRONT_UNSURE or FRONT_BEHIND: of the settings that do,
	 * one that does so surely, if there is any, the first of them. */
	unsigned beaten_by;
};

struct front {
	unsigned axes;                       /* 1 to FRONT_AXES_MAX: that many of the first */
	bool more_is_better[FRONT_AXES_MAX]; /* throughput */
	unsigned count;                      /* at most FRONT_POINTS_MAX */
	struct front_point *point;           /* the caller's */
};

/* Fills in the place of every point. Settings that are equal on every axis are all on the front, or none of them is. */
void front_find(const struct front *front);

/*
 * Of the points on the front, which bends most: the one farthest from the straight line between the ends, each axis taken
 * from 0 at its best end to 1 at its worst (Satopaa and others, Finding a "Kneedle" in a Haystack, 2011). x and y are
 * axes of which less is better. False when there is none: fewer than three points that differ, or none of them on the
 * side of the line where both are small.
 */
bool front_knee(const struct front *front, unsigned x, unsigned y, unsigned *knee);

#endif
