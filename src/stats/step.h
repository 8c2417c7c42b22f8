/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds where a quantity jumps: for which x the median of y(x) is suddenly another one, as a round trip is from a frame
 * of 127 bytes to one of 128 where a NIC holds only longer frames. Pure: it says which x to measure next, and is told
 * what came.
 *
 * First a survey: points over the whole range, measured in turn, in an order drawn anew each round, so that whatever
 * drifts meets all alike. The slope that most neighbours share (the median of their slopes: time on the wire) is taken
 * off. Between neighbours whose medians still differ, the middle is measured together with both ends, and the half, or
 * both halves, in which a difference is left are looked at next; a rise without a jump spreads over the halves and gets
 * lost. Two neighbouring x with a difference between them are measured until its interval is narrow: only such a pair is
 * called a step. A bump that rises and falls between two points of the survey is not seen.
 *
 * Each decision is between medians with their order-statistics intervals (99.9 % each, whatever the distribution is),
 * and is put off, with twice as many measurements, until it is clear or these are too many. Outliers do not matter to
 * medians; a step that only few measurements show is none here.
 */
#ifndef HOLDOFF_STATS_STEP_H
#define HOLDOFF_STATS_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"

#define STEP_POINTS_MAX 130
#define STEP_SAMPLES_MAX 768
#define STEP_INTERVALS_MAX 160
#define STEPS_MAX 16

struct step_options {
	int64_t low, high;  /* x from .. to, low < high */
	int64_t spacing;    /* of the survey's points; 0: a sixteenth of the range. Raised where there were too many */
	int64_t least_ns;   /* what is smaller is of no interest; above 0 */
	unsigned least_ppm; /* neither what is smaller than this part of the survey's smallest median */
	uint64_t budget;    /* measurements in all; 0: no limit */
	uint64_t seed;
};

struct step {
	int64_t below, above; /* the last x before it and the first behind it */
	bool is_narrow;       /* they are neighbours, and the step is sure; else the search ended before */
	int64_t height_ns, low_ns, high_ns; /* of the median, and the interval that it is in (99.8 % or more) */
	int64_t height_of_min_ns;           /* of the smallest values */
	int64_t median_below_ns, median_above_ns;
	unsigned count_below, count_above; /* measurements that this comes from; 0: no more is known than where */
	unsigned pairs, rising;            /* measured one after the other; in how many of them above was larger */
};

struct step_point {
	int64_t x;
	bool is_active; /* more of it is needed */
	unsigned count;
	int64_t value_ns[STEP_SAMPLES_MAX]; /* in the order in which they came */
	unsigned round[STEP_SAMPLES_MAX];   /* of which round */
};

enum step_phase { STEP_SURVEY, STEP_HALVES, STEP_PAIR, STEP_DONE };

struct step_interval {
	int64_t low, high;
};

struct step_search {
	struct step_options options;
	struct random random;
	enum step_phase phase;
	int64_t slope_ps; /* per unit of x, as the survey has it */
	int64_t least_ns; /* of interest, by both options */

	/* the points that are measured in turn */
	struct step_point point[STEP_POINTS_MAX];
	unsigned point_count;
	unsigned order[STEP_POINTS_MAX], order_count, position;
	unsigned round, rounds;

	/* what is still to be looked at */
	struct step_interval interval[STEP_INTERVALS_MAX];
	unsigned interval_count;

	uint64_t asked;
	bool is_cut;       /* ended by the budget or by step_end, before all was looked at */
	int64_t unseen_ns; /* a step that is smaller may have been passed over in the survey */
	unsigned step_count;
	struct step steps[STEPS_MAX]; /* in order of x once the search is done */
	int64_t sorted[STEP_SAMPLES_MAX];
};

/* About 1.6 MB: the caller allocates it. */
void step_begin(struct step_search *search, const struct step_options *options);

/* The next x to measure; false when the search is done. */
bool step_next(struct step_search *search, int64_t *x);
/* A measurement of an x that was asked for; others are passed over. One that fails needs not be told. */
void step_take(struct step_search *search, int64_t x, int64_t value_ns);
/* Ends the search: what is not narrowed yet stays as wide as it is. */
void step_end(struct step_search *search);

#endif
