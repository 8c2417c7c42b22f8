/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What became of settings: requested, reported and effective times side by side. The rules, in this order:
 *
 *  V1 Cannot tell: no span is known, or the largest that was requested is no larger than what can be told from none, or the
 *     same setting, made twice, did not give the same.
 *  V2 Adaptive: adaptive moderation is on, and the effective times are not the requested ones.
 *  V3 Exact: each effective time is the requested one, within its interval, the resolution or 2 %, and they are not nearer to
 *     what the driver reports instead.
 *  V4 Inert: requests that differ by more than the resolution make no difference.
 *  V5 Clamped: below, or above, one limit all requests come to the limit, and the others to themselves or to the next step.
 *     Or all requests up to some time come to nothing, though that would be seen, and the others to themselves.
 *  V6 Quantised: effective times differ from the requested ones by less than a step, or by what the driver reports.
 *  V7 Scaled: all effective times are the same multiple of the requested ones, within 5 %.
 *  V8 Otherwise they differ, without a rule.
 *
 * A step is the largest time of which all effective times nearby (within a factor of two) are multiples, where at least
 * three differ, not all are what was asked for, and it is clearly wider than their intervals. What is not known of the path moves all
 * effective times together: in that, and when what is asked for and what is reported are held beside them, they may be moved by as much.
 */
#ifndef HOLDOFF_INFER_VERDICT_H
#define HOLDOFF_INFER_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "infer/fit.h"

enum verdict_kind {
	VERDICT_CANNOT_TELL,
	VERDICT_ADAPTIVE,
	VERDICT_EXACT,
	VERDICT_INERT,
	VERDICT_CLAMPED,
	VERDICT_QUANTISED,
	VERDICT_SCALED,
	VERDICT_DIFFERS,
	VERDICT_KINDS
};

struct verdict_row {
	int64_t requested_ns;
	int64_t reported_ns; /* -1: not reported */
	bool is_again;       /* the same request as that of the row before, to see what that alone changes */
	struct fit_span effective;
	int64_t step_ns; /* written by verdict_find; 0: none was seen */
};

struct verdict {
	enum verdict_kind kind;
	bool has_low_limit, has_high_limit;
	int64_t low_limit_ns, high_limit_ns;
	int64_t dead_until_ns; /* V5: the largest request that comes to nothing; 0: none does */
	int64_t step_ns;       /* the widest that was seen; 0: none */
	unsigned scale_ppm;    /* VERDICT_SCALED: effective over requested */
	bool is_unsteady;      /* V1: the same setting did not give the same */
	bool misreports;       /* the driver reports, somewhere, another time than the effective one */
	int64_t resolution_ns; /* as it was given */
};

/* rows in any order; at least one. */
void verdict_find(struct verdict *verdict, struct verdict_row *rows, unsigned count, int64_t resolution_ns,
		  bool is_adaptive);

const char *verdict_key(enum verdict_kind kind);   /* "exact", "cannot tell" */
const char *verdict_words(enum verdict_kind kind); /* a clause for people */

#endif
