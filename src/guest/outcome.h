/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What became of a guest, as the harness reports it (qemu/run --report): lines of a word and its value.
 */
#ifndef HOLDOFF_GUEST_OUTCOME_H
#define HOLDOFF_GUEST_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

enum outcome_kind {
	OUTCOME_DONE,
	OUTCOME_FAILED,      /* a script left with a status other than 0 */
	OUTCOME_LATE,        /* one of the limits was reached */
	OUTCOME_DIED,        /* it crashed, its kernel complained, or it did not come up */
	OUTCOME_UNAVAILABLE, /* QEMU, a kernel or a program cannot be had; no guest was started */
	OUTCOME_REFUSED,     /* wrong usage, an unreadable file; no guest was started */
	OUTCOME_INTERRUPTED,
	OUTCOME_KINDS
};

#define OUTCOME_SCRIPTS_MAX 64
#define OUTCOME_WORD_MAX 128
#define OUTCOME_UNKNOWN_NS (-1)

struct outcome {
	enum outcome_kind kind;
	bool is_said;                                                                    /* the harness has said why */
	char why[ERR_TEXT_MAX];                                                          /* "" if done */
	char qemu[OUTCOME_WORD_MAX], kernel[OUTCOME_WORD_MAX], driver[OUTCOME_WORD_MAX]; /* "" if not known */
	int64_t ready_at_ns, over_at_ns; /* in the guest's time, when the first script began and the last ended */
	unsigned script_count;           /* that ended */
	int script_status[OUTCOME_SCRIPTS_MAX];
};

/* The word for it in JSON. */
const char *outcome_kind_name(enum outcome_kind kind);

/*
 * Reads a report up to its end, or nothing if it is NULL; run_status is the exit status of the harness, which tells the
 * kind where the report has none. What is not understood is passed over.
 */
void outcome_read(struct outcome *outcome, FILE *report, int run_status);

/* The exit status of holdoff bench: that of the first script that failed, or see man holdoff-bench. */
int outcome_status(const struct outcome *outcome);

#endif
