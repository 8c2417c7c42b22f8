/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the dependence of round trips on the gap before them says, and what it does not. Pure.
 *
 * The gap is the quiet time from one reply to the next request. A throttle (a least time T between interrupts) delays a
 * reply that comes sooner than T after the one before, by what is left: gap and round trip add up to T, and from gap T
 * on the throttle costs nothing. Where other interrupts (of what was sent) open the throttle in between, only some of
 * the replies are delayed: the slow ones tell. A hold-off from the first frame costs the same after every gap. What
 * rises with the gap is something that went to sleep, or that was still awake: idle states, power saving on the link, a
 * NAPI instance that had stayed in polling.
 */
#ifndef HOLDOFF_LIVE_GAP_SHAPE_H
#define HOLDOFF_LIVE_GAP_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/middle.h"

struct gap_point {
	int64_t gap_ns;    /* that was asked for */
	int64_t actual_ns; /* median of those that were */
	struct middle rtt;
	int64_t period_ns; /* median of the times from the reply before the gap to the reply behind it, by one clock */
	int64_t slow_ns;   /* four of five round trips take no longer */
	int64_t slow_period_ns; /* as period_ns, of those that are in the longer half of the range up to slow_ns */
};

enum gap_kind {
	GAP_THROTTLE, /* ns: the least time between interrupts */
	GAP_RISE,     /* ns: by how much the round trip is longer from gap `until` on than up to gap `from` */
	GAP_FALL,     /* ns: by how much it is shorter, without a throttle's shape */
};

struct gap_finding {
	enum gap_kind kind;
	int64_t ns;
	int64_t from_ns,
		until_ns; /* neighbouring points of the sweep between which it happens; throttle: where it ends */
	unsigned points;  /* throttle: that have its shape */
};

#define GAP_FINDINGS_MAX 8

struct gap_shape {
	int64_t least_ns; /* smaller differences are not looked at */
	bool is_flat;     /* no difference at all */
	unsigned unsure;  /* points with too few measurements, left out */
	unsigned count;
	struct gap_finding finding[GAP_FINDINGS_MAX];
};

#define GAP_SAMPLES_MAX 256

/* All of a point but its gaps, from round trips and the periods that belong to them; sorts the periods. */
void gap_point_find(struct gap_point *point, int64_t *rtt_ns, int64_t *period_ns, unsigned count);

/* Points in order of gap. least_ns: what is smaller is of no interest. */
void gap_shape_find(struct gap_shape *shape, const struct gap_point *points, unsigned count, int64_t least_ns);

#endif
