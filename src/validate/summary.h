/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many cells at once: how large the errors of one quantity are, and whether they are as small as they are meant to be.
 */
#ifndef HOLDOFF_VALIDATE_SUMMARY_H
#define HOLDOFF_VALIDATE_SUMMARY_H

#include "validate/cell.h"

/* Which cells a summary is of: only stable ones that are mapped. */
struct summary_of {
	enum cell_use use;
	bool has_kind; /* only those of this kind */
	enum cell_kind kind;
};

struct summary {
	unsigned count; /* cells with an error; 0: the rest means nothing */
	int64_t median_milli_percent, p90_milli_percent, worst_milli_percent; /* of the errors' sizes */
	const struct cell *worst;
	unsigned within_5, within_10, within_20; /* percent: how many cells */
};

/* errors: room for a number for each cell. */
struct summary summary_make(const struct cell *cells, unsigned cell_count, const struct summary_of *of,
			    enum cell_quantity quantity, int64_t *errors);

/* The aim: a median of 3 % at most, and 90 % of the cells within 10 %. */
bool summary_reaches_aim(const struct summary *summary);

#endif
