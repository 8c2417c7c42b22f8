/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs sorted by the setting that they were made with, for a front: a grid is what one subject (a board of the model, or a
 * device of a machine) did with one workload, a cell of it what it did with one setting, in a few figures with intervals.
 *
 * What counts as one observation is a run; of a cell that has a single run, each of its repeats, which tells how repeats
 * differ but not how runs do. A run of a model that gives the same again is counted once; an incomplete one is left out.
 */
#ifndef HOLDOFF_TUNE_GRID_H
#define HOLDOFF_TUNE_GRID_H

#include <stdbool.h>
#include <stdint.h>

#include "coalesce/settings.h"
#include "run/figure.h"
#include "tune/front.h"

#define GRID_CELLS_MAX FRONT_POINTS_MAX
#define GRID_SUBJECT_MAX 512

struct grid_values {
	unsigned count[FRONT_AXES_MAX];
	int64_t value[FRONT_AXES_MAX][INTERVAL_VALUES_MAX]; /* in thousandths of the figure's unit */
};

struct grid_cell {
	struct coalesce settings; /* as requested, else as reported */
	unsigned runs, again;     /* that count; of a model, that gave the same again */
	unsigned tainted;         /* of the runs */
	bool is_of_repeats;       /* filled in by grid_conclude: what the intervals are of */
	struct grid_values of_runs, of_repeats;
};

struct grid {
	unsigned axes; /* set by the caller, with the figures */
	const struct figure *figure[FRONT_AXES_MAX];
	/* Of the first run, which the others have to be like. */
	enum run_source source;
	char subject[GRID_SUBJECT_MAX];
	char workload[WORKLOAD_TEXT_MAX];
	unsigned incomplete;     /* left out for that */
	unsigned cells_left_out; /* runs that there was no cell for */
	unsigned count;
	struct grid_cell cell[GRID_CELLS_MAX];
};

/* Some 5 MB: the caller allocates it. figures, at most FRONT_AXES_MAX, stay the caller's. */
void grid_begin(struct grid *grid, const struct figure *const *figures, unsigned axes);
/* machine is where it was made. False, and nothing is changed, when it is of another subject or workload than those
 * before. */
bool grid_add(struct grid *grid, const struct run *run, const char *machine);
/* When all runs are in: the values of each cell, as points in the order of the cells, which are as many. */
void grid_conclude(struct grid *grid, struct front_point *points);

#endif
