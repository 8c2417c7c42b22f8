/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a workload's runs say about which setting to take: the front of latency, CPU time and throughput, whether the
 * settings matter at all, and of those that meet a goal the best.
 *
 * Rules:
 *  1. A setting surely meets a goal when the whole interval of each figure does. Of those, the pick is the one that
 *     is best by the objective; only when there is none, of those whose medians meet it, which is said.
 *  2. Settings whose objective cannot be told from the best one's (the intervals overlap; without intervals within 1
 *     %), or where the objective does not matter all of them, count as equal. Of them the one with the least latency
 *     is taken, unless today's cannot be told from it in latency either: nothing is changed for nothing.
 *  3. Without an objective it is CPU time, or latency where the goal limits CPU time. With neither goal nor objective
 *     the pick is the knee of latency and CPU time, or the only setting on the front.
 *  4. A figure matters when its best and its worst setting differ by more than a margin, and beyond their intervals.
 *     It does not when everything, intervals included, lies within the margin: 5 % of the least value, and at least 1
 *     us of latency or one percentage point. Else that cannot be told. What does not matter has no say in the front,
 *     and throughput has one only where it does; where nothing matters there is no front.
 *  5. CPU time is that of all CPUs, as a share of one. Where the next frame waits for the last one's reply less
 *     latency is more frames, and a share would say that the fast setting costs more: there it is the time for each
 *     frame; of a real machine that in interrupts and softirqs, as the rest may be of any program.
 *  6. The regimes are those that Andrew Lunn told apart (netdev, 31 July 2024): each frame has an interrupt of its
 *     own, so that waiting saves nothing; NAPI polls without interrupts, so that they cannot be held off; or between
 *     the two.
 */
#ifndef HOLDOFF_TUNE_TUNING_H
#define HOLDOFF_TUNE_TUNING_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/difference.h"
#include "tune/front.h"
#include "tune/goal.h"
#include "tune/grid.h"

struct tuning_question {
	struct goal goal;               /* count 0: none */
	const struct figure *objective; /* NULL: of these two, what the workload has of it; else rule 3 */
	bool is_latency_wanted, is_cpu_wanted;
	bool maximise; /* objective */
};

/* The figures of a grid; further ones are those that the question names. */
enum tuning_axis {
	TUNING_LATENCY,
	TUNING_CPU,
	TUNING_THROUGHPUT,
	TUNING_TOLD, /* so many are told of each setting */
	TUNING_FRAMES_PER_IRQ = TUNING_TOLD,
	TUNING_IRQ_MASKED,
	TUNING_BUSY, /* as a share of one CPU, whatever TUNING_CPU is */
	TUNING_IRQ_RATE,
	TUNING_TX_RATE,
	TUNING_FURTHER
};

enum tuning_matter { TUNING_NOT_KNOWN, TUNING_MATTERS, TUNING_MATTERS_NOT, TUNING_CANNOT_TELL };

enum tuning_regime { TUNING_REGIME_NOT_KNOWN, TUNING_EACH_FRAME, TUNING_BETWEEN, TUNING_POLLING };

enum tuning_verdict {
	TUNING_PICKED,
	TUNING_PICKED_BY_MEDIAN, /* rule 1 */
	TUNING_INDIFFERENT,      /* nothing that is asked for matters, nor latency; the goal is met */
	TUNING_ONE_SETTING,      /* nothing to choose from; the goal is met */
	TUNING_NO_KNEE,          /* rule 3: the front has several settings and no bend */
	TUNING_UNMET,            /* by no setting */
	TUNING_UNOBSERVED        /* no complete run, or none that observed the figures asked for */
};

#define TUNING_NONE UINT32_MAX /* in place of the number of a cell */

/* Cells that the pick is put beside. */
enum tuning_neighbour {
	TUNING_TODAY,
	TUNING_FASTER, /* on the front, the next with less latency */
	TUNING_LEANER, /* on the front, the next with more latency */
	TUNING_NEIGHBOURS
};

/* How they differ: that cell's value less the pick's. */
struct tuning_beside {
	uint32_t cell; /* TUNING_NONE: there is none; TUNING_TODAY: may be the pick itself */
	struct difference difference[TUNING_TOLD];
	uint32_t adjusted_p_ppm[TUNING_TOLD]; /* for all questions of all neighbours together */
};

struct tuning {
	struct tuning_question question;
	bool is_sent; /* the workload's data leave: the frames that have interrupts are those that are sent */
	struct grid grid;
	struct front_point point
		[GRID_CELLS_MAX]; /* with all axes; place is that of the front, FRONT_LEFT_OUT where there is none */
	unsigned told_axes, front_axes; /* what prices are told in; what the front is of, by rule 4 */
	enum tuning_axis told_axis[TUNING_TOLD], front_axis[TUNING_TOLD];
	unsigned limit_axis[GOAL_LIMITS_MAX];
	unsigned objective_axis; /* TUNING_NONE: the knee is asked for */
	bool more_is_better;     /* of the objective */

	enum tuning_verdict verdict;
	enum tuning_matter matter[TUNING_TOLD];
	enum tuning_regime regime; /* that of all cells; TUNING_BETWEEN when they are in several */
	uint32_t knee;
	uint32_t pick;    /* TUNING_NONE: there is none; TUNING_INDIFFERENT: today's, if it is known */
	uint32_t nearest; /* TUNING_UNMET: to meeting the goal */
	unsigned equals;  /* others than the pick, by rule 2 */
	struct tuning_beside beside[TUNING_NEIGHBOURS];
};

/* Of a run of the workload, which decides what figures there are. Some 7 MB: the caller allocates it. */
void tuning_begin(struct tuning *tuning, const struct tuning_question *question, const struct run *first);
/* As grid_add. */
bool tuning_add(struct tuning *tuning, const struct run *run, const char *machine, bool is_today);
void tuning_conclude(struct tuning *tuning);

/* The cell with the same settings, or TUNING_NONE. */
uint32_t tuning_find(const struct tuning *tuning, const struct grid_cell *cell);
/* Whether they have the same medians in all that the front is of. */
bool tuning_are_equal(const struct tuning *tuning, uint32_t a, uint32_t b);
enum tuning_regime tuning_regime_of(const struct tuning *tuning, uint32_t cell);
/* The least sure of the answers to all limits; GOAL_MET when there are none. */
enum goal_answer tuning_answer(const struct tuning *tuning, uint32_t cell);

#endif
