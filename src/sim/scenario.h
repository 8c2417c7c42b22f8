/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A scenario: a setup together with the numbers that somebody published for it. It is read from an INI file:
 *
 *   [scenario]         title, source, and the keys of a setup (board, driver, set, workload, ...)
 *   [expect NAME]      what = FIGURE, ratio:FIGURE or diff:FIGURE (those with compare = SCENARIO:
 *                      this one over, or less, that one)
 *                      value, low, high, tolerance (percent of value): what was published, in the figure's unit
 *                      kind = fit, predict, report, or claim (labelled true or false, no failure); source; note
 *                      known-miss = GOT, REASON: what the model gives where no documented mechanism explains
 *                      the number
 *   [candidate NAME]   keys of a setup that take the place of the scenario's, and note: another model
 *                      choice, whose prediction of the same figures is printed beside
 *
 * A verdict never moves by itself: a known miss that is hit, or missed in another way, is CHANGED.
 */
#ifndef HOLDOFF_SIM_SCENARIO_H
#define HOLDOFF_SIM_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "run/figure.h"
#include "run/run.h"
#include "sim/setup.h"

#define SCENARIO_EXPECTS_MAX 16
#define SCENARIO_CANDIDATES_MAX 8
#define SCENARIO_NAME_MAX 48
#define SCENARIO_TEXT_MAX 400

enum scenario_kind { SCENARIO_FIT, SCENARIO_PREDICT, SCENARIO_REPORT, SCENARIO_CLAIM };
enum scenario_compare { SCENARIO_ALONE, SCENARIO_RATIO, SCENARIO_DIFF };

enum scenario_verdict {
	SCENARIO_OK,
	SCENARIO_MISS,
	SCENARIO_KNOWN_MISS,
	SCENARIO_CHANGED,     /* a known miss is no longer what was recorded */
	SCENARIO_REPORTED,    /* no verdict */
	SCENARIO_CLAIM_TRUE,  /* somebody's claim holds under the conditions of the scenario ... */
	SCENARIO_CLAIM_FALSE, /* ... or not, which is no failure of the model */
	SCENARIO_VERDICTS
};

struct scenario_expect {
	char name[SCENARIO_NAME_MAX];
	const struct figure *figure;
	enum scenario_compare compare;
	char other[SCENARIO_NAME_MAX]; /* the scenario to compare with */
	enum scenario_kind kind;
	bool has_value, has_low, has_high, has_tolerance, has_known_miss;
	int64_t value, low, high, tolerance, known_miss; /* thousandths of the unit; of a percent for tolerance */
	char source[SCENARIO_TEXT_MAX], note[SCENARIO_TEXT_MAX], reason[SCENARIO_TEXT_MAX];
};

struct scenario_candidate {
	char name[SCENARIO_NAME_MAX];
	char note[SCENARIO_TEXT_MAX];
	struct setup changes; /* put over the scenario's */
	struct setup setup;   /* complete */
};

struct scenario {
	char name[SCENARIO_NAME_MAX];
	char title[SCENARIO_TEXT_MAX], source[SCENARIO_TEXT_MAX];
	struct setup setup;
	unsigned expect_count;
	struct scenario_expect expects[SCENARIO_EXPECTS_MAX];
	unsigned candidate_count;
	struct scenario_candidate candidates[SCENARIO_CANDIDATES_MAX];
};

/* name stands for the file in errors, and is the scenario's name without folder and ".ini". */
int scenario_parse(struct scenario *scenario, const char *text, const char *name, struct err *err);

/* By built-in name, or from a file when the name holds a '/' or ends in ".ini". -ENODEV with the nearest name
 * when unknown. */
int scenario_load(struct scenario *scenario, const char *name, struct err *err);

/* Runs the scenario: as it is (candidate NULL), or with the choices of its candidate of that name. A
 * candidate that only another scenario has lends its model choices: the rest of it is about that scenario. */
int scenario_run(const struct scenario *scenario, const struct scenario_candidate *candidate, struct run *run,
		 struct err *err);

/* The unit that the expectation's numbers have: the figure's, or "" for a ratio. */
const char *scenario_unit(const struct scenario_expect *expect);

/* What the run (and the run to compare with, else NULL) give for it, in thousandths of the unit; false when
 * not observed. */
bool scenario_got(const struct scenario_expect *expect, const struct run *run, const struct run *other, int64_t *got);

/* Whether it lies between low and high, as far as these are given. */
bool scenario_in_band(const struct scenario_expect *expect, int64_t got);

enum scenario_verdict scenario_judge(const struct scenario_expect *expect, bool is_observed, int64_t got);

/* How far got is from the published value in thousandths of a percent; false where there is no value
 * or it is 0. */
bool scenario_error(const struct scenario_expect *expect, int64_t got, int64_t *milli_percent);

const char *scenario_kind_name(enum scenario_kind kind);
const char *scenario_verdict_name(enum scenario_verdict verdict);

#define SCENARIO_EXPECTED_MAX 128

/* "1.31 ms .. 1.33 ms", "941 Mb/s +/- 1 %", "at most 900 Mb/s": what is expected, for people. Returns
 * buffer. */
char *scenario_print_expected(const struct scenario_expect *expect, char buffer[SCENARIO_EXPECTED_MAX]);

/* The model choices that bear on this board: "fec-shared-poll=1 ..." or "none". Returns buffer. */
char *scenario_print_assumes(const struct setup *setup, char *buffer, size_t size);

#endif
