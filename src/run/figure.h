/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The figures that one may ask of a run by name: what a scenario expects, what a limit is put on. Each has
 * one unit; values are thousandths of it, so that a time in us is kept to the ns and a ratio to three digits.
 */
#ifndef HOLDOFF_RUN_FIGURE_H
#define HOLDOFF_RUN_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "run/run.h"

struct figure {
	const char *name;    /* "rtt-mean" */
	const char *unit;    /* "us", "/s", "Mb/s", "kB/s", "%", "frames", "" */
	const char *meaning; /* one line */
	/* Thousandths of the unit; false when the run did not observe it. */
	bool (*read)(const struct run *run, const struct figure *figure, int64_t *thousandths);
	enum run_latency latency; /* for read */
	unsigned ppm;             /* for read: percentile, CPU number */
};

const struct figure *figures(unsigned *count);
/* -EINVAL names the nearest. */
int figure_find(const char *name, const struct figure **figure, struct err *err);

/* How many samples of a latency the figure comes from; 0: it is no figure of a latency, or there were none. */
uint64_t figure_samples(const struct run *run, const struct figure *figure);

/*
 * "1.32ms" where the unit is us; else a decimal with up to three digits behind the point, after which the
 * unit may stand ("941", "941 Mb/s", "-3.5 %"). unit is that of a figure, or "" for a ratio.
 */
int figure_parse(const char *text, const char *unit, const char *what, int64_t *thousandths, struct err *err);

#define FIGURE_TEXT_MAX 40

/* "1322.500 us", "-0.850", with trailing zeros left out. Returns buffer. */
char *figure_print(int64_t thousandths, const char *unit, char buffer[FIGURE_TEXT_MAX]);

#endif
