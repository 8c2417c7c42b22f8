/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two sets of runs, A and B, beside each other: for each workload that both have, the figures of both, how they differ and
 * whether that can be told from chance.
 *
 * What counts as one observation is a run; of a set that has a single run, each of its repeats, which tells how repeats
 * differ but not how runs do. The latencies within a repeat follow one another and depend on each other: they are never
 * taken for observations. Models are told apart from measurements, and a model that was run again with the same seed is
 * counted once.
 */
#ifndef HOLDOFF_REPORT_COMPARISON_H
#define HOLDOFF_REPORT_COMPARISON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "run/figure.h"
#include "stats/difference.h"

#define COMPARISON_FIGURES 8
#define COMPARISON_WORKLOADS_MAX 32

enum comparison_unit {
	COMPARISON_AUTO,   /* runs, or where a set has one only, its repeats */
	COMPARISON_RUNS,   /* runs */
	COMPARISON_REPEATS /* repeats of all runs, whichever run they are of */
};

/* One set's values of a workload: of runs, and of the repeats of its runs. */
struct comparison_values {
	unsigned runs;
	unsigned count[COMPARISON_FIGURES];
	int64_t value[COMPARISON_FIGURES][DIFFERENCE_VALUES_MAX]; /* of runs, in thousandths of the figure's unit */
	unsigned repeats[COMPARISON_FIGURES];
	int64_t of_repeats[COMPARISON_FIGURES][DIFFERENCE_VALUES_MAX];
};

struct comparison_group {
	char workload[WORKLOAD_TEXT_MAX];
	struct comparison_values set[2];
	enum comparison_unit unit[2]; /* what was compared */
	struct difference difference[COMPARISON_FIGURES];
	bool has_values[2][COMPARISON_FIGURES];
	uint32_t adjusted_p_ppm[COMPARISON_FIGURES];
};

/* A condition as text, and how many of the set's runs had another one. */
struct comparison_condition {
	char value[COALESCE_TEXT_MAX];
	bool is_known, varies;
};

enum {
	COMPARISON_SUBJECT,
	COMPARISON_DRIVER,
	COMPARISON_SETTINGS,
	COMPARISON_HOST,
	COMPARISON_KERNEL,
	COMPARISON_PEER,
	COMPARISON_SPEED,
	COMPARISON_CONDITIONS
};

extern const char *const comparison_condition_names[COMPARISON_CONDITIONS]; /* "subject", "driver", ... */

struct comparison_set {
	unsigned runs, models, measured, tainted;
	unsigned left_out; /* incomplete */
	unsigned again;    /* of a model that gave the same figures again */
	struct comparison_condition condition[COMPARISON_CONDITIONS];
};

struct comparison {
	struct comparison_set set[2];
	unsigned group_count, groups_left_out;
	struct comparison_group group[COMPARISON_WORKLOADS_MAX];
	unsigned questions; /* figures with an interval of their difference: p that were adjusted together */
};

/* Some 2 MB: the caller allocates it. */
void comparison_begin(struct comparison *comparison);
/* A run of set 0 or 1; machine is where it was made. One that is incomplete is counted and left out. */
void comparison_add(struct comparison *comparison, unsigned set, const struct run *run, const char *machine);
/* When all runs are in. */
void comparison_conclude(struct comparison *comparison, enum comparison_unit unit);

/* The figure of a row. */
const struct figure *comparison_figure(unsigned row);

/* As a page, or as one JSON document, schema holdoff.compare/1. */
int comparison_text_write(const struct comparison *comparison, FILE *out);
int comparison_json_write(const struct comparison *comparison, FILE *out);

/* What the row says, as JSON has it: "higher", "lower", "no_significant_difference", "no_interval", "only_a", "only_b";
 * NULL: neither set has it. */
const char *comparison_verdict(const struct comparison_group *group, unsigned row);

#endif
