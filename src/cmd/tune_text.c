/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff tune as a page. */
#include <stdlib.h>
#include <string.h>

#include "cmd/tune.h"
#include "persist/persist.h"
#include "report/rounded.h"
#include "report/wrapped.h"

#define ROWS_MAX 40 /* of a table; of more only what a decision needs */

static void write_sentence(FILE *out, const char *text)
{
	if (text[0]) {
		wrapped_write(out, 0, 0, text);
	}
}

/* ---- the table ---- */

/* "101 (100 to 103)" */
static char *print_cell(const struct front_value *value, char text[4 * ROUNDED_TEXT_MAX])
{
	char median[ROUNDED_TEXT_MAX], low[ROUNDED_TEXT_MAX], high[ROUNDED_TEXT_MAX];

	if (!value->is_known) {
		strcpy(text, "-");
		return text;
	}
	rounded_print(value->value.median, false, median);
	if (value->has_interval && value->value.low != value->value.high) {
		snprintf(text, 4 * ROUNDED_TEXT_MAX, "%s (%s to %s)", median,
			 rounded_print(value->value.low, false, low), rounded_print(value->value.high, false, high));
	} else {
		snprintf(text, 4 * ROUNDED_TEXT_MAX, "%s", median);
	}
	return text;
}

/* Of many settings those on the front, of equal ones the first. */
static bool is_shown(const struct tuning *tuning, uint32_t cell)
{
	if (tuning->grid.count <= ROWS_MAX || cell == tuning->pick || cell == tuning->beside[TUNING_TODAY].cell) {
		return true;
	}
	for (uint32_t i = 0; i < cell; i++) {
		if (tuning->point[i].place == FRONT_ON && tuning_are_equal(tuning, i, cell)) {
			return false;
		}
	}
	return tuning->point[cell].place == FRONT_ON;
}

/* Observed, and not 0 everywhere, as the throughput of a ping is. */
static bool has_axis(const struct tuning *tuning, unsigned axis)
{
	for (uint32_t i = 0; i < tuning->grid.count; i++) {
		const struct front_value *const value = &tuning->point[i].axis[axis];

		if (value->is_known && value->value.median != 0) {
			return true;
		}
	}
	return false;
}

static bool is_column(const struct tuning *tuning, unsigned axis)
{
	return (axis < TUNING_TOLD || axis >= TUNING_FURTHER) && has_axis(tuning, axis);
}

static char *print_head(const struct figure *figure, char text[64])
{
	snprintf(text, 64, "%s%s%s", figure->name, figure->unit[0] ? " " : "", figure->unit);
	return text;
}

static int longer(int width, const char *text)
{
	const int length = (int)strlen(text);

	return length > width ? length : width;
}

struct widths {
	int setting, axis[FRONT_AXES_MAX];
};

static struct widths find_widths(const struct tuning *tuning)
{
	char text[COALESCE_TEXT_MAX];
	struct widths widths = { .setting = (int)strlen("setting") };

	for (unsigned axis = 0; axis < tuning->grid.axes; axis++) {
		widths.axis[axis] = longer(0, print_head(tuning->grid.figure[axis], text));
	}
	for (uint32_t i = 0; i < tuning->grid.count; i++) {
		if (!is_shown(tuning, i)) {
			continue;
		}
		widths.setting = longer(widths.setting, grid_cell_print(&tuning->grid, &tuning->grid.cell[i], text));
		for (unsigned axis = 0; axis < tuning->grid.axes; axis++) {
			widths.axis[axis] = longer(widths.axis[axis], print_cell(&tuning->point[i].axis[axis], text));
		}
	}
	return widths;
}

/* *count parts are written. */
static void write_part(FILE *out, unsigned *count, const char *part)
{
	if (part[0]) {
		fprintf(out, "%s%s", (*count)++ ? ", " : "  ", part);
	}
}

static const char *goal_word(const struct tuning *tuning, uint32_t cell)
{
	static const char *const words[] = {
		[GOAL_NOT_KNOWN] = "",
		[GOAL_MISSED] = "misses the goal",
		[GOAL_RATHER_MISSED] = "misses the goal by its median",
		[GOAL_RATHER_MET] = "meets the goal by its median",
		[GOAL_MET] = "meets the goal",
	};

	return tuning->question.goal.count ? words[tuning_answer(tuning, cell)] : "";
}

static void write_place(FILE *out, const struct tuning *tuning, uint32_t cell)
{
	const struct front_point *const point = &tuning->point[cell];
	char words[COALESCE_TEXT_MAX];
	unsigned parts = 0;

	if (point->place == FRONT_BEHIND || point->place == FRONT_UNSURE) {
		write_part(out, &parts, point->place == FRONT_UNSURE ? "perhaps behind " : "behind ");
		fputs(grid_cell_print(&tuning->grid, &tuning->grid.cell[point->beaten_by], words), out);
	}
	write_part(out, &parts, point->place == FRONT_ON ? "on the front" : "");
	write_part(out, &parts, tuning->knee == cell ? "its knee" : "");
	write_part(out, &parts, cell == tuning->beside[TUNING_TODAY].cell ? "today's" : "");
	write_part(out, &parts, goal_word(tuning, cell));
}

static void write_row(FILE *out, const struct tuning *tuning, uint32_t cell, const struct widths *widths)
{
	char text[COALESCE_TEXT_MAX], value[4 * ROUNDED_TEXT_MAX];

	fprintf(out, "%c %-*s", cell == tuning->pick ? '*' : ' ', widths->setting,
		grid_cell_print(&tuning->grid, &tuning->grid.cell[cell], text));
	for (unsigned axis = 0; axis < tuning->grid.axes; axis++) {
		if (is_column(tuning, axis)) {
			fprintf(out, "  %*s", widths->axis[axis], print_cell(&tuning->point[cell].axis[axis], value));
		}
	}
	write_place(out, tuning, cell);
	putc('\n', out);
}

static void write_table(FILE *out, const struct tuning *tuning)
{
	const struct widths widths = find_widths(tuning);
	unsigned hidden = 0;
	char head[64];

	fprintf(out, "  %-*s", widths.setting, "setting");
	for (unsigned axis = 0; axis < tuning->grid.axes; axis++) {
		if (is_column(tuning, axis)) {
			fprintf(out, "  %*s", widths.axis[axis], print_head(tuning->grid.figure[axis], head));
		}
	}
	putc('\n', out);
	for (uint32_t i = 0; i < tuning->grid.count; i++) {
		if (is_shown(tuning, i)) {
			write_row(out, tuning, i, &widths);
		} else {
			hidden++;
		}
	}
	if (hidden) {
		fprintf(out, "  %u more are behind these or equal: --json has all of them\n", hidden);
	}
}

/* ---- what it comes to ---- */

static void count_runs(const struct tuning *tuning, unsigned *least, unsigned *most, bool *is_of_repeats)
{
	*least = UINT32_MAX;
	*most = 0;
	*is_of_repeats = false;
	for (uint32_t i = 0; i < tuning->grid.count; i++) {
		const struct grid_cell *const cell = &tuning->grid.cell[i];

		*least = cell->runs < *least ? cell->runs : *least;
		*most = cell->runs > *most ? cell->runs : *most;
		*is_of_repeats |= cell->is_of_repeats;
	}
}

/* Whether all runs of each setting came to the same, and are enough to say so. */
static bool are_alike(const struct tuning *tuning)
{
	for (uint32_t i = 0; i < tuning->grid.count; i++) {
		for (unsigned k = 0; k < tuning->told_axes; k++) {
			const struct front_value *const value = &tuning->point[i].axis[tuning->told_axis[k]];

			if (value->is_known && (!value->has_interval || value->value.low < value->value.high)) {
				return false;
			}
		}
	}
	return true;
}

static void write_head(FILE *out, const struct tuning *tuning)
{
	const struct grid *const grid = &tuning->grid;
	unsigned least, most;
	bool is_of_repeats;
	char text[TUNE_SENTENCE_MAX];

	count_runs(tuning, &least, &most, &is_of_repeats);
	fprintf(out, "\n%s: %u setting%s, ", grid->workload, grid->count, grid->count == 1 ? "" : "s");
	if (least == most) {
		fprintf(out, "%u run%s each", most, most == 1 ? "" : "s");
	} else {
		fprintf(out, "%u to %u runs each", least, most);
	}
	fputs(is_of_repeats ? ", intervals of repeats within a run" : are_alike(tuning) ? ", all alike" : "", out);
	fprintf(out, "%s%s\n", tune_samples(tuning, text)[0] ? "; " : "", text);
}

static void write_matter(FILE *out, const struct tuning *tuning, enum tuning_matter matter, const char *verb)
{
	char text[TUNE_SENTENCE_MAX] = "";
	unsigned count = 0;

	for (unsigned axis = 0; axis < TUNING_TOLD; axis++) {
		if (tuning->matter[axis] == matter && has_axis(tuning, axis)) {
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", count++ ? ", " : verb,
				 tuning->grid.figure[axis]->name);
		}
	}
	if (count) {
		strcat(text, ".");
		write_sentence(out, text);
	}
}

static void write_workload(FILE *out, const struct tune_page *page, const struct tuning *tuning)
{
	char text[TUNE_SENTENCE_MAX];

	write_head(out, tuning);
	if (tuning->grid.count == 0) {
		fputs("  no complete run\n", out);
		return;
	}
	write_table(out, tuning);
	write_sentence(out, tune_regime(tuning, text));
	if (tuning->grid.count > 1) {
		write_matter(out, tuning, TUNING_MATTERS, "The setting matters to ");
		write_matter(out, tuning, TUNING_MATTERS_NOT,
			     "Within 5 %, or 1 us or one percentage point, whatever is set: ");
		write_matter(out, tuning, TUNING_CANNOT_TELL, "Cannot be told from chance: ");
	}
	if (tuning != page->tuning[page->picking]) {
		write_sentence(out, tune_elsewhere(page, tuning, text));
	}
}

/* "rx-usecs 50 instead: rtt-p99 -30.0 us (-31.2 to -28.9); cpu-busy +4.10 % (+3.90 to +4.31)" */
static void write_price(FILE *out, const struct tuning *tuning, enum tuning_neighbour neighbour)
{
	const struct tuning_beside *const beside = &tuning->beside[neighbour];
	char text[COALESCE_TEXT_MAX], differences[TUNE_SENTENCE_MAX], line[2 * TUNE_SENTENCE_MAX];

	if (beside->cell != TUNING_NONE) {
		snprintf(line, sizeof(line), "%s instead: %s",
			 grid_cell_print(&tuning->grid, &tuning->grid.cell[beside->cell], text),
			 tune_differences(tuning, beside, false, differences));
		fputs("  ", out);
		wrapped_write(out, 4, 2, line);
	}
}

static void write_today(FILE *out, const struct tuning *tuning)
{
	const struct tuning_beside *const today = &tuning->beside[TUNING_TODAY];
	char text[COALESCE_TEXT_MAX], differences[TUNE_SENTENCE_MAX], line[2 * TUNE_SENTENCE_MAX];

	if (today->cell == tuning->pick) {
		fputs("  That is what it is set to.\n", out);
	} else if (today->cell != TUNING_NONE) {
		snprintf(line, sizeof(line), "Against today's %s: %s",
			 grid_cell_print(&tuning->grid, &tuning->grid.cell[today->cell], text),
			 tune_differences(tuning, today, true, differences));
		fputs("  ", out);
		wrapped_write(out, 4, 2, line);
	}
}

static void write_settings(FILE *out, const struct tune_page *page, const struct tuning *tuning)
{
	const struct grid_cell *const cell = &tuning->grid.cell[tuning->pick];
	struct coalesce settings = cell->settings;
	struct persist_match match = { .name = "" };
	uint32_t left_out;
	char text[TUNE_SENTENCE_MAX];

	settings.present &= tuning->grid.varied;
	fprintf(out, "\nNow:        %s\n", tune_command(page, cell, text));
	if (settings.present) {
		if (tuning->grid.source == RUN_MEASURED) {
			snprintf(match.name, sizeof(match.name), "%.15s", page->target);
		}
		fprintf(out, "For good:   (holdoff emit %s %s; matched by name, emit on the machine knows better)\n\n",
			match.name[0] ? match.name : "DEV", coalesce_print(&settings, text));
		persist_write(out, PERSIST_SYSTEMD_LINK, &match, &settings, &left_out);
	}
	if (tuning->grid.varies_deferral) {
		fputs("\nNo such file keeps gro-flush-timeout and defer-hard-irqs: a unit has to run that at boot.\n",
		      out);
	}
}

static void write_doubts(FILE *out, const struct tune_page *page)
{
	unsigned incomplete = 0, tainted = 0, cells = 0, runs = 0;
	char text[TUNE_SENTENCE_MAX];

	for (unsigned i = 0; i < page->count; i++) {
		incomplete += page->tuning[i]->grid.incomplete;
		cells += page->tuning[i]->grid.cells_left_out;
		for (unsigned k = 0; k < page->tuning[i]->grid.count; k++) {
			tainted += page->tuning[i]->grid.cell[k].tainted;
			runs += page->tuning[i]->grid.cell[k].runs;
		}
	}
	if (tainted) {
		snprintf(text, sizeof(text),
			 "%u of %u runs are tainted, holdoff runs show tells of each why; the first: %s", tainted, runs,
			 page->taint);
		write_sentence(out, text);
	}
	if (cells) {
		fprintf(out, "%u runs of more than %u settings are left out: --filter chooses\n", cells,
			GRID_CELLS_MAX);
	}
	if (incomplete) {
		fprintf(out, "%u incomplete runs are left out\n", incomplete);
	}
	if (page->others) {
		fprintf(out,
			"%u runs of other machines, drivers, hosts, peers, speeds or CPUs are left out: --filter "
			"chooses\n",
			page->others);
	}
	if (page->workloads_left_out) {
		fprintf(out, "%u runs of further workloads are left out: --filter workload=...\n",
			page->workloads_left_out);
	}
	if (page->damaged) {
		fprintf(out, "%u damaged runs are left out: holdoff runs names them\n", page->damaged);
	}
	if (page->refused) {
		fprintf(out, "%u runs were refused by the driver: %s\n", page->refused, page->refusal);
	}
}

void tune_text_write(const struct tune_page *page, FILE *out)
{
	const struct tuning *const tuning = page->tuning[page->picking];
	char text[TUNE_SENTENCE_MAX];

	write_sentence(out, tuning->grid.subject);
	write_doubts(out, page);
	for (unsigned i = 0; i < page->count; i++) {
		write_workload(out, page, page->tuning[i]);
	}
	if (page->count > 1) {
		fprintf(out, "\nFor %s:\n", tuning->grid.workload);
	} else {
		putc('\n', out);
	}
	write_sentence(out, tune_verdict(page, text));
	if (tuning->pick == TUNING_NONE) {
		return;
	}
	if (tuning->verdict == TUNING_PICKED || tuning->verdict == TUNING_PICKED_BY_MEDIAN) {
		write_today(out, tuning);
		write_price(out, tuning, TUNING_FASTER);
		write_price(out, tuning, TUNING_LEANER);
		write_settings(out, page, tuning);
		if (tuning->pick == tuning->beside[TUNING_TODAY].cell) {
			fputs("\nNo paragraph for a commit message: nothing is to be changed.\n", out);
		} else if (tuning->grid.source == RUN_MEASURED || page->is_draft_wanted) {
			fputs("\nFor a commit message:\n\n", out);
			tune_commit_write(page, out);
		} else {
			fputs("\nNo paragraph for a commit message: these are runs of a model. --model-draft makes a "
			      "draft.\n",
			      out);
		}
	}
}
