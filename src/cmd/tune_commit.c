/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The paragraph for a commit message: what was measured, where, and how sure it is. */
#include <string.h>

#include "cmd/tune.h"
#include "report/rounded.h"
#include "report/wrapped.h"

#define ROWS_MAX 12 /* of more settings only what stands beside the pick */

static void write_value(FILE *out, const struct front_value *value)
{
	char median[ROUNDED_TEXT_MAX], low[ROUNDED_TEXT_MAX], high[ROUNDED_TEXT_MAX];

	if (!value->is_known) {
		fputs(" - |", out);
		return;
	}
	fprintf(out, " %s", rounded_print(value->value.median, false, median));
	if (value->has_interval) {
		fprintf(out, " [%s, %s]", rounded_print(value->value.low, false, low),
			rounded_print(value->value.high, false, high));
	}
	fputs(" |", out);
}

/* The pick, today's and the pick's neighbours. */
static bool is_told(const struct tuning *tuning, uint32_t cell)
{
	bool is_beside = false;

	for (unsigned i = 0; i < TUNING_NEIGHBOURS; i++) {
		is_beside |= cell == tuning->beside[i].cell;
	}
	return tuning->grid.count <= ROWS_MAX || cell == tuning->pick || is_beside;
}

static void write_table(FILE *out, const struct tuning *tuning)
{
	const bool is_model = tuning->grid.source == RUN_MODEL;
	char text[COALESCE_TEXT_MAX];

	fprintf(out, "| %s | n |", is_model ? "MODEL, setting" : "setting");
	for (unsigned i = 0; i < tuning->told_axes; i++) {
		const struct figure *const figure = tuning->grid.figure[tuning->told_axis[i]];

		fprintf(out, " %s (%s) |", figure->name, figure->unit);
	}
	fputs("\n|---|---|", out);
	for (unsigned i = 0; i < tuning->told_axes; i++) {
		fputs("---|", out);
	}
	putc('\n', out);
	for (uint32_t cell = 0; cell < tuning->grid.count; cell++) {
		const struct grid_cell *const at = &tuning->grid.cell[cell];

		if (!is_told(tuning, cell)) {
			continue;
		}
		fprintf(out, "| %s%s%s%s | %u%s |", is_model ? "MODEL " : "", grid_cell_print(&tuning->grid, at, text),
			cell == tuning->beside[TUNING_TODAY].cell ? " (now)" : "",
			cell != tuning->pick                        ? ""
			: cell == tuning->beside[TUNING_TODAY].cell ? " (stays)"
								    : " (new)",
			at->is_of_repeats ? at->of_repeats.count[tuning->told_axis[0]] : at->runs,
			at->is_of_repeats ? " repeats" : "");
		for (unsigned i = 0; i < tuning->told_axes; i++) {
			write_value(out, &tuning->point[cell].axis[tuning->told_axis[i]]);
		}
		putc('\n', out);
	}
}

static bool has_intervals(const struct tuning *tuning)
{
	for (uint32_t cell = 0; cell < tuning->grid.count; cell++) {
		for (unsigned i = 0; i < tuning->told_axes; i++) {
			if (tuning->point[cell].axis[tuning->told_axis[i]].has_interval) {
				return true;
			}
		}
	}
	return false;
}

static void write_conditions(FILE *out, const struct tune_page *page, const struct tuning *tuning)
{
	char text[4 * TUNE_SENTENCE_MAX], samples[TUNE_SENTENCE_MAX];
	const bool is_model = tuning->grid.source == RUN_MODEL;

	snprintf(text, sizeof(text), "%s%s%s%s%s%s. %s%s%s.", is_model ? "Simulated, not measured: " : "",
		 tuning->grid.subject, page->kernel[0] ? ", Linux " : "", page->kernel, page->cpu[0] ? ", " : "",
		 page->cpu,
		 has_intervals(tuning)
			 ? "Medians, with exact 95 % intervals in brackets where there are six or more values"
			 : "Medians; too few runs for intervals",
		 tune_samples(tuning, samples)[0] ? "; " : "", samples);
	wrapped_write(out, 0, 0, text);
}

static void write_taints(FILE *out, const struct tune_page *page, const struct tuning *tuning)
{
	unsigned tainted = 0, runs = 0;
	char text[2 * TUNE_SENTENCE_MAX];

	for (uint32_t cell = 0; cell < tuning->grid.count; cell++) {
		tainted += tuning->grid.cell[cell].tainted;
		runs += tuning->grid.cell[cell].runs;
	}
	if (tainted) {
		snprintf(text, sizeof(text), "TAINTED: %u of the %u runs, the first as %s.", tainted, runs,
			 page->taint);
		wrapped_write(out, 0, 0, text);
	}
}

static void write_change(FILE *out, const struct tuning *tuning)
{
	const struct tuning_beside *const today = &tuning->beside[TUNING_TODAY];
	char text[COALESCE_TEXT_MAX], differences[TUNE_SENTENCE_MAX], line[2 * TUNE_SENTENCE_MAX];

	if (tuning->pick != TUNING_NONE && today->cell != TUNING_NONE && today->cell != tuning->pick) {
		snprintf(line, sizeof(line), "Against %s: %s.",
			 grid_cell_print(&tuning->grid, &tuning->grid.cell[today->cell], text),
			 tune_differences(tuning, today, true, differences));
		wrapped_write(out, 0, 0, line);
	}
}

void tune_commit_write(const struct tune_page *page, FILE *out)
{
	const struct tuning *const tuning = page->tuning[page->picking];
	char text[COALESCE_TEXT_MAX], verdict[TUNE_SENTENCE_MAX];

	if (tuning->verdict != TUNING_PICKED && tuning->verdict != TUNING_PICKED_BY_MEDIAN) {
		fprintf(out, "%sWorkload \"%s\". ", tuning->grid.source == RUN_MODEL ? "MODEL DRAFT. " : "",
			tuning->grid.workload);
		wrapped_write(out, 0, 60, tune_verdict(page, verdict));
		putc('\n', out);
	} else {
		fprintf(out, "%s%s, workload \"%s\":\n\n", tuning->grid.source == RUN_MODEL ? "MODEL DRAFT. " : "",
			grid_cell_print(&tuning->grid, &tuning->grid.cell[tuning->pick], text), tuning->grid.workload);
	}
	write_table(out, tuning);
	putc('\n', out);
	write_change(out, tuning);
	write_conditions(out, page, tuning);
	write_taints(out, page, tuning);
	for (unsigned i = 0; i < page->count; i++) {
		char sentence[TUNE_SENTENCE_MAX], line[2 * TUNE_SENTENCE_MAX];

		if (i != page->picking && tune_elsewhere(page, page->tuning[i], sentence)[0]) {
			snprintf(line, sizeof(line), "%s: %s", page->tuning[i]->grid.workload, sentence);
			wrapped_write(out, 0, 0, line);
		}
	}
}
