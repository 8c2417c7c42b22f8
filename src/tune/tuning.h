/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a workload's runs say about which setting to take: the front of latency, CPU time and throughput, whether the
 * settings matter at all, and of those that meet a goal the best.
 *
 * Rules:
 *  1. A setting surely meets a goal when the whole interval of each figure does. Of those, the pick is the one that is best
 *     by the objective; only when there is none, of those whose medians meet it, which is said.
 *  2. Of settings whose objective cannot be told from the best one's (the intervals overlap; without intervals within
 *     1 %) the one with the least latency is taken.
 *  3. Without an objective it is CPU time, or latency where the goal limits CPU time. With neither goal nor objective the
 *     pick is the knee of latency and CPU time, if there is one.
 *  4. A figure matters when its best and its worst setting differ by more than a margin, and beyond their intervals. It does
 *     not when everything, intervals included, lies within the margin: 5 % of the least value, and at least 1 us or one
 *     percentage point. Else that cannot be told.
 *  5. The regimes are those that Andrew Lunn told apart (netdev, 31 July 2024): each frame has an interrupt of its own,
 *     so that waiting saves nothing; NAPI polls without interrupts, so that they cannot be held off; or between the two.
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
	const struct figure *objective; /* NULL: rule 3 */
	bool is_latency_wanted;         /* with objective NULL: whatever latency the workload has */
	bool maximise;
};

/* The figures of a grid; further ones are those that the question names. */
enum tuning_axis {
	TUNING_LATENCY,
	TUNING_CPU,
	TUNING_THROUGHPUT,
	TUNING_TOLD, /* so many are told of each setting */
	TUNING_FRAMES_PER_IRQ = TUNING_TOLD,
	TUNING_IRQ_MASKED,
	TUNING_FURTHER
};

enum tuning_matter { TUNING_NOT_KNOWN, TUNING_MATTERS, TUNING_MATTERS_NOT, TUNING_CANNOT_TELL };

enum tuning_regime { TUNING_REGIME_NOT_KNOWN, TUNING_EACH_FRAME, TUNING_BETWEEN, TUNING_POLLING };

enum tuning_verdict {
	TUNING_PICKED,
	TUNING_PICKED_BY_MEDIAN, /* rule 1 */
	TUNING_INDIFFERENT,      /* nothing that is asked for matters; the goal is met */
	TUNING_ONE_SETTING,      /* nothing to choose from; the goal is met */
	TUNING_NO_KNEE,          /* rule 3 */
	TUNING_UNMET,            /* by no setting */
	TUNING_UNOBSERVED        /* no complete run, or none that observed the figures asked for */
};

#define TUNING_NONE UINT32_MAX /* in place of the number of a cell */

struct tuning {
	struct tuning_question question;
	struct grid grid;
	struct front_point point[GRID_CELLS_MAX]; /* with all axes; place is that of the front */
	unsigned front_axes;
	enum tuning_axis front_axis[TUNING_TOLD];
	unsigned limit_axis[GOAL_LIMITS_MAX];
	unsigned objective_axis; /* TUNING_NONE: the knee is asked for */
	bool more_is_better;     /* of the objective */

	enum tuning_verdict verdict;
	enum tuning_matter matter[TUNING_TOLD];
	enum tuning_regime regime;
	uint32_t knee, today;
	uint32_t pick;           /* TUNING_NONE: there is none; TUNING_INDIFFERENT: today's, if it is known */
	uint32_t nearest;        /* TUNING_UNMET: to meeting the goal */
	uint32_t faster, leaner; /* the pick's neighbours on the front: with less latency, with less CPU time */
	unsigned equals;         /* others than the pick, by rule 2 */
	struct difference difference[TUNING_TOLD]; /* of the pick against today's; with both only */
	uint32_t adjusted_p_ppm[TUNING_TOLD];
};

/* Of a run of the workload, which decides what figures there are. Some 7 MB: the caller allocates it. */
void tuning_begin(struct tuning *tuning, const struct tuning_question *question, const struct run *first);
/* As grid_add. */
bool tuning_add(struct tuning *tuning, const struct run *run, const char *machine, bool is_today);
void tuning_conclude(struct tuning *tuning);

/* The cell with the same settings, or TUNING_NONE. */
uint32_t tuning_find(const struct tuning *tuning, const struct grid_cell *cell);
/* The least sure of the answers to all limits; GOAL_MET when there are none. */
enum goal_answer tuning_answer(const struct tuning *tuning, uint32_t cell);

#endif
