/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff tune: what its files share. */
#ifndef HOLDOFF_CMD_TUNE_H
#define HOLDOFF_CMD_TUNE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tune/tuning.h"

#define TUNE_WORKLOADS_MAX 32

/* One answer for each workload. The first of them that has what is asked for makes the pick; the others say whether it holds. */
struct tune_page {
	const char *target;
	char goal[GOAL_TEXT_MAX]; /* as it was given, or "" */
	unsigned count;
	struct tuning *tuning[TUNE_WORKLOADS_MAX]; /* each of them allocated */
	unsigned picking;                          /* which of them makes the pick */
	unsigned others;                           /* runs of other machines or hosts, left out */
	unsigned workloads_left_out;               /* runs of more workloads than there is room for */
	unsigned refused;                          /* settings that the driver refused */
	char refusal[ERR_TEXT_MAX];                /* the first reason */
	unsigned damaged;
	/* Of measured runs. */
	char kernel[96], machine[80], cpu[96];
	char taint[RUN_TAINT_MAX]; /* the first one, or "" */
	bool is_draft_wanted;      /* of models as well */
};

void tune_text_write(const struct tune_page *page, FILE *out);
void tune_json_write(const struct tune_page *page, FILE *out);
/* What a driver's author can put into a commit message. */
void tune_commit_write(const struct tune_page *page, FILE *out);

/* A sentence: what was picked and why, or why nothing was. */
#define TUNE_SENTENCE_MAX 1024
char *tune_verdict(const struct tune_page *page, char buffer[TUNE_SENTENCE_MAX]);
/* Whether the pick holds in another workload; "" when that says nothing. */
char *tune_elsewhere(const struct tune_page *page, const struct tuning *other, char buffer[TUNE_SENTENCE_MAX]);
char *tune_regime(const struct tuning *tuning, char buffer[TUNE_SENTENCE_MAX]);
/* "rtt-p99 -30.0 us (-31.2 to -28.9); cpu-busy +4.10 % (-0.30 to +9.10), not significant": of the neighbour less the pick, or
 * the other way round. */
char *tune_differences(const struct tuning *tuning, const struct tuning_beside *beside, bool is_reversed,
		       char buffer[TUNE_SENTENCE_MAX]);
/* "p99 of 1990 samples or more in each run", "" of a figure that is none of single packets. */
char *tune_samples(const struct tuning *tuning, char buffer[TUNE_SENTENCE_MAX]);
const char *tune_verdict_name(enum tuning_verdict verdict); /* "picked", ... */
const char *tune_regime_name(enum tuning_regime regime);    /* "each-frame", ... */
const char *tune_matter_name(enum tuning_matter matter);    /* "matters", ... */
const char *tune_place_name(enum front_place place);        /* "front", ... */
const char *tune_answer_name(enum goal_answer answer);      /* "met", ... */

/* The command that sets it, "ethtool -C eth0 rx-usecs 20"; "" where there is nothing to set. */
char *tune_command(const struct tune_page *page, const struct grid_cell *cell, char buffer[TUNE_SENTENCE_MAX]);

#endif
