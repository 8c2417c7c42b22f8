/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What somebody wants of a setting, as text: "p99 rtt < 200us", "throughput >= 900 Mb/s and cpu < 20 %".
 *
 * A goal is one or more limits, joined by "and" or a comma, that all have to hold. A limit is a figure, one of < <= > >=,
 * and a value in the figure's unit (times with theirs, figure_parse). A figure has its name of run/figure.h, or that in
 * the order in which it is spoken ("p99 rtt", "mean one-way"), or is cpu (cpu-busy) or throughput (goodput).
 */
#ifndef HOLDOFF_TUNE_GOAL_H
#define HOLDOFF_TUNE_GOAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "run/figure.h"
#include "tune/front.h"

#define GOAL_LIMITS_MAX 6
#define GOAL_TEXT_MAX 256

struct goal_limit {
	const struct figure *figure;
	bool is_least;         /* > and >=: the figure has to be above */
	bool holds_when_equal; /* <= and >= */
	int64_t thousandths;   /* of the figure's unit */
};

struct goal {
	unsigned count;
	struct goal_limit limit[GOAL_LIMITS_MAX];
};

/* -EINVAL, *goal untouched: a part that is no limit, an unknown figure (the nearest is named), the same limit twice, or two
 * that no value can meet together. */
int goal_parse(const char *text, struct goal *goal, struct err *err);

/* A figure as a goal names it. -EINVAL names the nearest. */
int goal_figure_find(const char *text, const struct figure **figure, struct err *err);

enum goal_answer {
	GOAL_NOT_KNOWN,     /* the figure was not observed */
	GOAL_MISSED,        /* the whole interval misses it */
	GOAL_RATHER_MISSED, /* the median misses it; more runs may turn it round, or there is no interval */
	GOAL_RATHER_MET,
	GOAL_MET /* the whole interval meets it */
};

enum goal_answer goal_limit_answer(const struct goal_limit *limit, const struct front_value *value);

#endif
