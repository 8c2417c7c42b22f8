/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Has a subject do what lines say and writes each with what came of it, in the way in which the line was written
 * before:
 *
 * whole    SPEED|WORDS|rc=EXIT STATUS|WHAT ETHTOOL PRINTS|READ-BACK[|[LOG|]REGISTERS]
 * compact  SPEED|WORDS|ERRNO|READ-BACK|REGISTERS; the last two are left out where both are as in the line before
 *
 * REGISTERS is "*" where the driver moves them by itself, but for the line that has set it to do so. Lines that begin
 * with "#" are copied. The same lines from two subjects: a diff is the whole comparison.
 */
#ifndef HOLDOFF_TEST_VECTORS_RECORD_H
#define HOLDOFF_TEST_VECTORS_RECORD_H

#include <stdbool.h>
#include <stdio.h>

#include "vectors/subject.h"

#define VECTOR_LINE_MAX 700

struct vector_recorder {
	struct vector_subject *subject;
	bool is_compact; /* for lines that have SPEED|WORDS alone */
	bool is_up;      /* where the subject is now; the link has mbps, or will when it is up */
	unsigned mbps;
	struct coalesce reported; /* at the end of the line before */
	char state[200];          /* compact: read-back and registers of the line before */
};

/* The subject is up, at the first speed of its kind. */
int vector_recorder_init(struct vector_recorder *recorder, struct vector_subject *subject, struct err *err);

/* One line; `written` gets it without a newline. A negative errno with a sentence: the line makes no sense, or the
 * subject fails. */
int vector_record(struct vector_recorder *recorder, const char *line, char written[VECTOR_LINE_MAX], struct err *err);

/* All lines of a stream. */
int vector_record_all(struct vector_recorder *recorder, FILE *in, FILE *out, struct err *err);

#endif
