/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "validate/summary.h"

#include <stdlib.h>

#define AIM_MEDIAN_MILLI_PERCENT 3000

static bool belongs(const struct cell *cell, const struct summary_of *of)
{
	return cell->is_mapped && cell->is_stable && cell->use == of->use && (!of->has_kind || cell->kind == of->kind);
}

static int compare(const void *a, const void *b)
{
	const int64_t first = *(const int64_t *)a, second = *(const int64_t *)b;

	return first < second ? -1 : first > second;
}

static unsigned count_within(const int64_t *errors, unsigned count, int64_t most_milli_percent)
{
	unsigned within = 0;

	while (within < count && errors[within] <= most_milli_percent) {
		within++;
	}
	return within;
}

struct summary summary_make(const struct cell *cells, unsigned cell_count, const struct summary_of *of,
			    enum cell_quantity quantity, int64_t *errors)
{
	struct summary summary = { 0 };

	for (unsigned i = 0; i < cell_count; i++) {
		int64_t error;

		if (!belongs(&cells[i], of) || !cell_error(&cells[i], quantity, &error)) {
			continue;
		}
		error = error < 0 ? -error : error;
		if (!summary.worst || error > summary.worst_milli_percent) {
			summary.worst = &cells[i];
			summary.worst_milli_percent = error;
		}
		errors[summary.count++] = error;
	}
	if (summary.count > 0) {
		qsort(errors, summary.count, sizeof(*errors), compare);
		summary.median_milli_percent = errors[(summary.count - 1) / 2];
		summary.p90_milli_percent = errors[(summary.count - 1) * 9 / 10];
		summary.within_5 = count_within(errors, summary.count, 5000);
		summary.within_10 = count_within(errors, summary.count, 10000);
		summary.within_20 = count_within(errors, summary.count, 20000);
	}
	return summary;
}

bool summary_reaches_aim(const struct summary *summary)
{
	return summary->count > 0 && summary->median_milli_percent <= AIM_MEDIAN_MILLI_PERCENT &&
	       summary->within_10 * 10 >= summary->count * 9;
}
