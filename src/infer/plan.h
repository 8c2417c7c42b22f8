/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What to send next to find out what a NIC does, and what is concluded from it: a step function without a clock, so that
 * a real NIC and a model are asked by the same code. The owner sets what a block wants, waits until that has settled, sends
 * the block's trains, and hands in how long the frames took.
 *
 *  P0 The other direction, when round trips are to tell: of the ways to hold it little that the owner has, the one with
 *     which frames that are sent drain soonest. Which it is cannot be read: usecs 0 is none to some drivers, no limit to
 *     others, and ignored by some.
 *  P1 Survey: in rounds, each with all settings in an order drawn anew (what drifts meets all alike). At each setting some
 *     lone frames and some pairs, in mixed order; gaps cover, evenly by their logarithm and at random within each part,
 *     from two frames' time on the wire to two and a half times the longest span. Each train follows a quiet time of
 *     random length that is longer than any span, so that all timers have ended and no phase is preferred.
 *  P1b Edges, of round trips, where a hold-off is likely: at each setting that holds, pairs whose second frame is sent while
 *     the first waits and whose reply comes after that was told. When that reply waits longer than a lone one, the second
 *     frame's sending has found the timer running and did not start it: sent and received frames share it. From the gap on
 *     at which it no longer does, what is sent starts it, which says when that is.
 *  P2 Sizes, where lone frames are held: at the setting that holds most, smallest and largest frames, and at the floor as
 *     well; if one of them is held and the other is not, halves down to two neighbouring lengths, which are compared. The
 *     other direction is held as long, so that its interrupts do not take these along; a span of less than two paths is too short for that.
 *  P3 Frames, where lone frames are held: bursts of 2, 4, 8 ... frames back to back at that setting; when the first of them
 *     is told early, halves down to the number that does it. A burst has to be over in half the span. The other
 *     direction is held as long here too.
 */
#ifndef HOLDOFF_INFER_PLAN_H
#define HOLDOFF_INFER_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "infer/fit.h"

#define PLAN_TRAINS_MAX 64
#define PLAN_BURST_MAX 256

struct plan_options {
	enum fit_direction direction;
	unsigned setting_count;
	int64_t requested_ns[FIT_SETTINGS_MAX];     /* -1: not known */
	unsigned other_count;                       /* P0; 0 or 1: nothing to choose */
	int64_t longest_ns;                         /* that a span may be */
	unsigned payload_bytes;                     /* of the survey */
	unsigned smallest_payload, largest_payload; /* P2 */
	int64_t frame_ns;                           /* on the wire, at most, of the survey's frames */
	unsigned rounds;                            /* P1 */
	bool skips_sizes, skips_frames;
	uint64_t seed;
};

struct plan_train {
	unsigned frames; /* 1: lone; 2: a pair; more: back to back */
	unsigned payload_bytes;
	int64_t quiet_ns; /* before it: from the end of the train before */
	int64_t gap_ns;   /* between the two of a pair */
};

struct plan_block {
	enum fit_direction
		direction; /* FIT_RX: echo requests, round trips; FIT_TX: frames without an answer, drain times */
	unsigned setting;
	unsigned other;   /* the way to hold the other direction little */
	bool holds_other; /* P2, P3: it is to be held like this one instead, as far as that can be */
	unsigned count;
	struct plan_train trains[PLAN_TRAINS_MAX];
};

struct plan_answer {
	int64_t gap_ns;            /* as it was */
	int64_t first_ns, last_ns; /* of the train's first and last frame; -1: did not come */
};

enum plan_phase { PLAN_OTHER, PLAN_SURVEY, PLAN_EDGES, PLAN_SIZES, PLAN_FRAMES, PLAN_DONE };

/* A boundary that is being searched: below `low` one thing holds, from `high` on the other. */
struct plan_search {
	bool is_begun, is_checked;
	unsigned low, high;
};

struct plan {
	struct plan_options options;
	struct random random;
	enum plan_phase phase;
	unsigned round, position;
	unsigned order[FIT_SETTINGS_MAX];
	unsigned other;     /* P0: the one that was chosen, */
	int64_t drained_ns; /* and what frames took; -1: none came */
	unsigned sample_count;
	struct fit fit; /* once the survey is over */
	unsigned most;  /* the setting with the longest span */
	struct plan_search search;
	int64_t floor_small_ns, floor_large_ns, most_small_ns, most_large_ns; /* P2: medians */

	bool looked_at_sizes, has_bypass;
	unsigned bypass_below_payload; /* shorter ones are not held */
	bool small_are_held;           /* the other way round: bypass_below_payload and more are not */
	bool looked_at_frames, has_frames;
	unsigned frames;      /* that end the wait */
	unsigned frames_seen; /* P3: so many do not */

	struct fit_work work;
};

/* About 550 KB: the caller's. */
void plan_begin(struct plan *plan, const struct plan_options *options);
/* False when all is known. */
bool plan_next(struct plan *plan, struct plan_block *block);
/* As many answers as the block has trains. */
void plan_take(struct plan *plan, const struct plan_block *block, const struct plan_answer *answers);

#endif
