/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff validate as a page: a block for each cell, the rows that were left out, and the errors of each quantity. */
#include <inttypes.h>
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/validate.h"

static char *print_percent(int64_t milli_percent, bool with_sign, char buffer[32])
{
	const int64_t tenths = (milli_percent + (milli_percent < 0 ? -50 : 50)) / 100;
	const int64_t size = tenths < 0 ? -tenths : tenths;

	snprintf(buffer, 32, "%s%" PRId64 ".%d %%",
		 tenths < 0  ? "-"
		 : with_sign ? "+"
			     : "",
		 size / 10, (int)(size % 10));
	return buffer;
}

static void print_value(const struct cell *cell, enum cell_quantity quantity, FILE *out)
{
	const struct cell_quantity_info *info = &cell_quantities[quantity];
	const struct cell_value *value = &cell->value[quantity];
	const int64_t unit = quantity == CELL_EXCHANGES ? 1000 : 1;
	char error[32] = "-";
	int64_t milli_percent;

	if (!value->is_measured) {
		return;
	}
	if (cell_error(cell, quantity, &milli_percent)) {
		print_percent(milli_percent, true, error);
	}
	fprintf(out, "  %-16s measured %12" PRId64, info->name, value->measured / unit);
	if (value->is_modelled) {
		fprintf(out, "  MODEL %12" PRId64, value->modelled / unit);
	} else {
		fprintf(out, "  MODEL %12s", "none");
	}
	fprintf(out, " %-6s %s\n", info->unit, error);
}

static void print_cell(const struct cell *cell, FILE *out)
{
	char workload[WORKLOAD_TEXT_MAX];

	fprintf(out, "\n%s: %s, %s%s\n", cell->name, validate_use_names[cell->use], validate_kind_names[cell->kind],
		cell->is_stable ? "" : ", not repeatable");
	fprintf(out, "  MODEL %s rx-usecs %u at %u Mb/s, host %s%s; %s\n", cell->board, cell->rx_usecs,
		cell->speed_mbps, cell->host, cell->is_shared ? " for both ends" : "",
		workload_print(&cell->workload, workload));
	for (enum cell_quantity quantity = 0; quantity < CELL_QUANTITIES; quantity++) {
		print_value(cell, quantity, out);
	}
}

static void print_left_out(const struct validation *validation, FILE *out)
{
	if (validation->mapped < validation->count) {
		fprintf(out, "\nnot mapped:\n");
	}
	for (unsigned i = 0; i < validation->count; i++) {
		const struct cell *cell = &validation->cells[i];

		if (!cell->is_mapped) {
			fprintf(out, "  %s: %s\n", cell->name, cell->why_not);
		}
	}
}

static void print_summary(const struct validation *validation, const struct summary_of *of, FILE *out)
{
	bool has_title = false;

	for (enum cell_quantity quantity = 0; quantity < CELL_QUANTITIES; quantity++) {
		const struct summary summary =
			summary_make(validation->cells, validation->count, of, quantity, validation->errors);
		char median[32], p90[32], worst[32];

		if (summary.count == 0) {
			continue;
		}
		if (!has_title) {
			fprintf(out, "\n%s%s%s, repeatable cells:\n", validate_use_names[of->use],
				of->has_kind ? ", " : "", of->has_kind ? validate_kind_names[of->kind] : "");
			has_title = true;
		}
		fprintf(out,
			"  %-16s %4u cells, median %8s, p90 %8s, within 5 %%: %u, 10 %%: %u, 20 %%: %u; worst %s "
			"(%s)\n",
			cell_quantities[quantity].name, summary.count,
			print_percent(summary.median_milli_percent, false, median),
			print_percent(summary.p90_milli_percent, false, p90), summary.within_5, summary.within_10,
			summary.within_20, print_percent(summary.worst_milli_percent, false, worst),
			summary.worst->name);
	}
}

/* What the aim is about. */
static void print_aim(const struct validation *validation, FILE *out)
{
	static const enum cell_quantity aimed[] = { CELL_LATENCY_P50, CELL_IRQS, CELL_CPU_BUSY };
	const struct summary_of predicted = { .use = CELL_PREDICT };

	fprintf(out, "\naim: a median error of 3 %% at most, and 90 %% of the predicted cells within 10 %%\n");
	for (size_t i = 0; i < sizeof(aimed) / sizeof(aimed[0]); i++) {
		const struct summary summary =
			summary_make(validation->cells, validation->count, &predicted, aimed[i], validation->errors);

		if (summary.count > 0) {
			fprintf(out, "  %-16s %s\n", cell_quantities[aimed[i]].name,
				summary_reaches_aim(&summary) ? "reached" : "MISSED");
		}
	}
}

void validate_print_text(const struct validation *validation, FILE *out)
{
	fprintf(out, "MODEL by holdoff %s against %u cells; %u more are not mapped, %u of the mapped not repeatable\n",
		HOLDOFF_VERSION, validation->mapped, validation->count - validation->mapped, validation->unstable);
	for (unsigned i = 0; i < validation->count; i++) {
		if (validation->cells[i].is_mapped) {
			print_cell(&validation->cells[i], out);
		}
	}
	print_left_out(validation, out);
	for (enum cell_use use = 0; use < CELL_USES; use++) {
		print_summary(validation, &(struct summary_of){ .use = use }, out);
	}
	for (enum cell_kind kind = CELL_PLAIN; kind < CELL_KINDS; kind++) {
		print_summary(validation, &(struct summary_of){ CELL_PREDICT, true, kind }, out);
	}
	print_aim(validation, out);
}
