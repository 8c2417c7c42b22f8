/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs sorted by the setting that they were made with, for a front: a grid is what one subject (a board of the model, or a
 * device of a machine) did with one workload, a cell of it what it did with one setting, in a few figures with intervals.
 *
 * What counts as one observation is a run; of a cell that has a single run, each of its repeats, which tells how repeats
 * differ but not how runs do. A run of a model with the same seed that gives the same again is counted once; an incomplete
 * one is left out. Other seeds that give the same are observations: that there is no chance in the workload.
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
	/* What was in force: as reported, else as requested, without what an adaptive driver moves by itself. */
	struct coalesce settings;
	int64_t gro_flush_timeout_ns;
	uint32_t defer_hard_irqs;
	struct coalesce peer;               /* what the other end was asked for */
	unsigned number;                    /* in the order in which cells came, from 0; grid_conclude leaves it */
	bool is_today;                      /* what the subject was set to before anybody varied it */
	unsigned runs, again;               /* that count; of a model, that were the same again */
	unsigned tainted;                   /* of the runs */
	bool is_of_repeats;                 /* filled in by grid_conclude: what the intervals are of */
	uint64_t seed[INTERVAL_VALUES_MAX]; /* of the first runs */
	uint64_t least_samples
		[FRONT_AXES_MAX]; /* that a run's figure of a latency comes from; 0: it is no such figure */
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
	unsigned counted_in;     /* the number of the cell that counts the last run; GRID_CELLS_MAX: none does */
	/* Filled in by grid_conclude: the settings that differ between cells. */
	uint32_t varied;
	bool varies_deferral;
	uint32_t peer_varied;
	unsigned count;
	struct grid_cell cell[GRID_CELLS_MAX];
};

/* Some 6 MB: the caller allocates it. figures, at most FRONT_AXES_MAX, stay the caller's. */
void grid_begin(struct grid *grid, const struct figure *const *figures, unsigned axes);
/* machine is where it was made; is_today as the cell has it. False, and nothing is changed, when the run is of another subject or
 * workload than those before. */
bool grid_add(struct grid *grid, const struct run *run, const char *machine, bool is_today);
/* When all runs are in: brings the cells into the order of their settings, and gives the values of each as a point at its place. */
void grid_conclude(struct grid *grid, struct front_point *points);

/* Whether they are cells of the same settings. */
bool grid_are_same(const struct grid_cell *a, const struct grid_cell *b);

/* The cell's settings as far as cells differ, as words that `holdoff set` takes: "rx-usecs 100", and those of the other end,
 * "peer rx-usecs 100"; where there is but one
 * setting all of it, "as it is" when nothing is known of it. Returns buffer. */
char *grid_cell_print(const struct grid *grid, const struct grid_cell *cell, char buffer[COALESCE_TEXT_MAX]);

#endif
