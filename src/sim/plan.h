/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plan: a grid of settings times a list of workloads, for a sweep. Lists make the grid; every cell is one
 * setup. From the command line, from an INI file, or from both: what comes later takes the place of what was
 * there.
 *
 *   [sweep]      keys of a setup, coalescing words, gro-flush-timeout and defer-hard-irqs;
 *                values separated by commas
 *   [workload]   LABEL = workload, one each
 */
#ifndef HOLDOFF_SIM_PLAN_H
#define HOLDOFF_SIM_PLAN_H

#include <stdint.h>

#include "base/err.h"
#include "sim/setup.h"

#define PLAN_AXES_MAX 8
#define PLAN_VALUES_MAX 64
#define PLAN_VALUE_TEXT_MAX 64
#define PLAN_WORKLOADS_MAX 64
#define PLAN_CELLS_MAX 100000
#define PLAN_GIVEN_MAX 128

/* Frames that one core simulates in a second, for the estimate of how long a plan takes. Host, chip and
 * driver modelled at both ends; bench/ measures it. */
#define PLAN_FRAMES_PER_CORE_S 5000000

struct plan_axis {
	char name[32]; /* a word or the name of a setup key */
	unsigned count;
	char values[PLAN_VALUES_MAX][PLAN_VALUE_TEXT_MAX];
};

struct plan {
	struct setup setup;                     /* what all cells share, */
	char given[SETUP_KEYS][PLAN_GIVEN_MAX]; /* and how it was spelt; "" where it was not given */
	unsigned axis_count;
	struct plan_axis axes[PLAN_AXES_MAX];
	unsigned workload_count;
	char workloads[PLAN_WORKLOADS_MAX][WORKLOAD_TEXT_MAX]; /* as they were written */
};

void plan_init(struct plan *plan);

/* One value, or several separated by commas where the name takes a list: then it is an axis of the grid. `set` is so
 * many words, each an axis. Takes the place of an axis or value of the same name. -EINVAL for an empty list and for
 * values that the name does not take. */
int plan_put(struct plan *plan, const char *name, const char *values, struct err *err);

int plan_add_workload(struct plan *plan, const char *text, struct err *err);

/* Adds what the file says to *plan, which may hold something already. */
int plan_parse(struct plan *plan, const char *text, const char *name, struct err *err);
/* By built-in name ("default"), or from a file when the name holds a '/' or ends in ".ini". */
int plan_load(struct plan *plan, const char *name, struct err *err);

/* Cells of the grid, all workloads together; -ERANGE when there are more than PLAN_CELLS_MAX, -EINVAL without
 * workload. */
int plan_cells(const struct plan *plan, uint32_t *cells, struct err *err);

/*
 * What a profile of `holdoff calibrate` says: its [model], and itself as the host. -EINVAL where it has none, or the name is not that of a
 * file.
 */
int plan_load_profile(struct plan *plan, const char *name, struct err *err);

#define PLAN_LABEL_MAX 256
#define PLAN_CONDITIONS_MAX 512

/* What was given for all cells and stands in no column of a table: "hops 1, duration 1s"; cut where it does not fit. */
void plan_conditions(const struct plan *plan, char text[PLAN_CONDITIONS_MAX]);

/* The setup of a cell, and its place in the grid as words ("rx-usecs 100 tx-usecs 0"). Cells of one workload
 * stand together, the last axis runs fastest. */
int plan_cell(const struct plan *plan, uint32_t cell, struct setup *setup, char label[PLAN_LABEL_MAX], struct err *err);

/* Frames, both ways, that a config will have to move at most: for the estimate. Saturates. */
uint64_t plan_frames(const struct world_config *config);

/* What is estimated to run longer than ten minutes on so many cores is not begun unasked: -EINVAL, with how long it would run and that
 * --yes begins it. `what` is its subject ("this run", "these 12 cells"). */
int plan_check_length(const char *what, uint64_t frames, unsigned cores, struct err *err);

#endif
