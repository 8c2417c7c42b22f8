/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who does what a line says and is asked afterwards: a running kernel (real.h), or our models (modelled.h). */
#ifndef HOLDOFF_TEST_VECTORS_SUBJECT_H
#define HOLDOFF_TEST_VECTORS_SUBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "coalesce/settings.h"
#include "vectors/kind.h"
#include "vectors/step.h"

struct vector_answer {
	int error;        /* 0 or the negative errno of the request */
	bool unsupported; /* the ethtool core refused it: "cannot modify an unsupported parameter" */
	unsigned offset;  /* of what it points at, when unsupported */
	char log[128];    /* the line that the driver has left in the kernel's log, without its head; "" if none */
};

struct vector_subject;

/* Each returns 0, or a negative errno with a sentence when the subject cannot be used any more. */
struct vector_subject_ops {
	int (*set_up)(struct vector_subject *subject, bool is_up, struct err *err);
	int (*set_link)(struct vector_subject *subject, unsigned mbps, struct err *err);
	int (*request)(struct vector_subject *subject, const struct vector_step *step, struct vector_answer *answer,
		       struct err *err);
	/* *error: what asking was answered with, 0 or a negative errno. */
	int (*report)(struct vector_subject *subject, struct coalesce *reported, int *error, struct err *err);
	int (*read_registers)(struct vector_subject *subject, uint32_t words[VECTOR_REGISTERS_MAX], struct err *err);
};

struct vector_subject {
	const struct vector_subject_ops *ops;
	const struct vector_kind *kind;
};

#endif
