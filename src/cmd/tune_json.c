/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff tune as JSON, schema holdoff.tune/1. */
#include "cmd/tune.h"
#include "report/json_writer.h"
#include "report/run_json.h"

static void put_cell_name(struct json_writer *writer, const char *key, const struct tuning *tuning, uint32_t cell)
{
	char text[COALESCE_TEXT_MAX];

	if (cell != TUNING_NONE) {
		json_put_string(writer, key, grid_cell_print(&tuning->grid, &tuning->grid.cell[cell], text));
	}
}

static void put_figures(struct json_writer *writer, const struct tuning *tuning, uint32_t cell)
{
	const struct grid_cell *const at = &tuning->grid.cell[cell];

	json_begin_array(writer, "figures");
	for (unsigned axis = 0; axis < tuning->grid.axes; axis++) {
		const struct front_value *const value = &tuning->point[cell].axis[axis];

		if (!value->is_known ||
		    (axis == TUNING_BUSY && tuning->grid.figure[axis] == tuning->grid.figure[TUNING_CPU])) {
			continue;
		}
		const bool is_of_repeats = at->is_of_repeats && at->of_repeats.count[axis] > 0;

		json_begin_object(writer, NULL);
		json_put_string(writer, "name", tuning->grid.figure[axis]->name);
		json_put_string(writer, "unit", tuning->grid.figure[axis]->unit);
		json_put_unsigned(writer, "n", is_of_repeats ? at->of_repeats.count[axis] : at->of_runs.count[axis]);
		json_put_string(writer, "of", is_of_repeats ? "repeats" : "runs");
		if (at->least_samples[axis]) {
			json_put_unsigned(writer, "least_samples_in_a_run", at->least_samples[axis]);
		}
		json_put_signed_milli(writer, "median", value->value.median);
		if (value->has_interval) {
			json_put_signed_milli(writer, "low", value->value.low);
			json_put_signed_milli(writer, "high", value->value.high);
		}
		json_end_object(writer);
	}
	json_end_array(writer);
}

static void put_cell(struct json_writer *writer, const struct tuning *tuning, uint32_t cell)
{
	const struct grid_cell *const at = &tuning->grid.cell[cell];
	const struct front_point *const point = &tuning->point[cell];

	json_begin_object(writer, NULL);
	put_cell_name(writer, "words", tuning, cell);
	run_json_put_settings(writer, "settings", &at->settings);
	json_put_integer(writer, "gro_flush_timeout_ns", at->gro_flush_timeout_ns);
	json_put_unsigned(writer, "defer_hard_irqs", at->defer_hard_irqs);
	if (at->peer.present) {
		run_json_put_settings(writer, "peer_settings", &at->peer);
	}
	json_put_boolean(writer, "is_today", at->is_today);
	json_put_unsigned(writer, "runs", at->runs);
	json_put_unsigned(writer, "same_again_left_out", at->again);
	json_put_unsigned(writer, "tainted", at->tainted);
	put_figures(writer, tuning, cell);
	if (tune_regime_name(tuning_regime_of(tuning, cell))) {
		json_put_string(writer, "regime", tune_regime_name(tuning_regime_of(tuning, cell)));
	}
	if (tuning->question.goal.count && tuning_answer(tuning, cell) != GOAL_NOT_KNOWN) {
		json_put_string(writer, "goal", tune_answer_name(tuning_answer(tuning, cell)));
	}
	json_put_string(writer, "place", tune_place_name(point->place));
	if (point->place == FRONT_BEHIND || point->place == FRONT_UNSURE) {
		put_cell_name(writer, "beaten_by", tuning, point->beaten_by);
	}
	json_end_object(writer);
}

/* What the front is of. */
static void put_front(struct json_writer *writer, const struct tuning *tuning)
{
	json_begin_array(writer, "front_of");
	for (unsigned i = 0; i < tuning->front_axes; i++) {
		json_put_string(writer, NULL, tuning->grid.figure[tuning->front_axis[i]]->name);
	}
	json_end_array(writer);
}

static void put_matters(struct json_writer *writer, const struct tuning *tuning)
{
	json_begin_array(writer, "matters");
	for (unsigned axis = 0; axis < TUNING_TOLD; axis++) {
		if (tuning->matter[axis] == TUNING_NOT_KNOWN) {
			continue;
		}
		json_begin_object(writer, NULL);
		json_put_string(writer, "name", tuning->grid.figure[axis]->name);
		json_put_string(writer, "verdict", tune_matter_name(tuning->matter[axis]));
		json_end_object(writer);
	}
	json_end_array(writer);
}

/* Of the cell less the pick, or the other way round. */
static void put_differences(struct json_writer *writer, const char *key, const struct tuning *tuning,
			    enum tuning_neighbour neighbour, bool is_reversed)
{
	const struct tuning_beside *const beside = &tuning->beside[neighbour];

	if (tuning->pick == TUNING_NONE || beside->cell == TUNING_NONE || tuning->pick == beside->cell) {
		return;
	}
	json_begin_array(writer, key);
	for (unsigned i = 0; i < tuning->told_axes; i++) {
		const enum tuning_axis axis = tuning->told_axis[i];
		const struct difference *const difference = &beside->difference[axis];

		json_begin_object(writer, NULL);
		json_put_string(writer, "name", tuning->grid.figure[axis]->name);
		json_put_string(writer, "unit", tuning->grid.figure[axis]->unit);
		json_put_signed_milli(writer, "difference", is_reversed ? -difference->median : difference->median);
		if (difference->has_interval) {
			json_put_signed_milli(writer, "low", is_reversed ? -difference->high : difference->low);
			json_put_signed_milli(writer, "high", is_reversed ? -difference->low : difference->high);
			json_put_unsigned(writer, "adjusted_p_ppm", beside->adjusted_p_ppm[axis]);
			json_put_boolean(writer, "is_significant",
					 difference_is_significant(difference, beside->adjusted_p_ppm[axis]));
		}
		json_end_object(writer);
	}
	json_end_array(writer);
}

/* Of the pick in another workload. */
static void put_answer_here(struct json_writer *writer, const struct tune_page *page, const struct tuning *tuning)
{
	const struct tuning *const picking = page->tuning[page->picking];
	const uint32_t cell = tuning_find(tuning, &picking->grid.cell[picking->pick]);
	const enum goal_answer answer = cell == TUNING_NONE ? GOAL_NOT_KNOWN : tuning_answer(tuning, cell);

	if (picking->question.goal.count && answer != GOAL_NOT_KNOWN) {
		json_put_string(writer, "pick_meets_goal", tune_answer_name(answer));
	}
}

static void put_workload(struct json_writer *writer, const struct tune_page *page, const struct tuning *tuning)
{
	char text[TUNE_SENTENCE_MAX];

	json_begin_object(writer, NULL);
	json_put_string(writer, "workload", tuning->grid.workload);
	json_put_string(writer, "subject", tuning->grid.subject);
	json_put_string(writer, "source", tuning->grid.source == RUN_MODEL ? "model" : "measured");
	json_put_boolean(writer, "makes_the_pick", tuning == page->tuning[page->picking]);
	if (tune_regime_name(tuning->regime)) {
		json_put_string(writer, "regime", tune_regime_name(tuning->regime));
	}
	json_put_string(writer, "verdict", tune_verdict_name(tuning->verdict));
	put_matters(writer, tuning);
	put_front(writer, tuning);
	put_cell_name(writer, "pick", tuning, tuning->pick);
	put_cell_name(writer, "knee", tuning, tuning->knee);
	put_cell_name(writer, "today", tuning, tuning->beside[TUNING_TODAY].cell);
	put_cell_name(writer, "nearest", tuning, tuning->nearest);
	put_differences(writer, "against_today", tuning, TUNING_TODAY, true);
	put_cell_name(writer, "less_latency", tuning, tuning->beside[TUNING_FASTER].cell);
	put_differences(writer, "less_latency_instead", tuning, TUNING_FASTER, false);
	put_cell_name(writer, "less_cpu_time", tuning, tuning->beside[TUNING_LEANER].cell);
	put_differences(writer, "less_cpu_time_instead", tuning, TUNING_LEANER, false);
	if (tuning != page->tuning[page->picking] && tune_elsewhere(page, tuning, text)[0]) {
		json_put_string(writer, "pick_here", text);
		put_answer_here(writer, page, tuning);
	}
	json_put_unsigned(writer, "incomplete_left_out", tuning->grid.incomplete);
	json_put_unsigned(writer, "setting_runs_left_out", tuning->grid.cells_left_out);
	json_begin_array(writer, "settings");
	for (uint32_t cell = 0; cell < tuning->grid.count; cell++) {
		put_cell(writer, tuning, cell);
	}
	json_end_array(writer);
	json_end_object(writer);
}

void tune_json_write(const struct tune_page *page, FILE *out)
{
	const struct tuning *const picking = page->tuning[page->picking];
	struct json_writer writer;
	char text[TUNE_SENTENCE_MAX];

	json_begin(&writer, out);
	json_begin_object(&writer, NULL);
	json_put_string(&writer, "schema", "holdoff.tune/1");
	json_put_string(&writer, "version", HOLDOFF_VERSION);
	json_put_string(&writer, "target", page->target);
	if (page->goal[0]) {
		json_put_string(&writer, "goal", page->goal);
	}
	if (picking->objective_axis != TUNING_NONE) {
		json_put_string(&writer, picking->more_is_better ? "maximise" : "minimise",
				picking->grid.figure[picking->objective_axis]->name);
	}
	json_put_string(&writer, "verdict", tune_verdict_name(picking->verdict));
	json_put_string(&writer, "why", tune_verdict(page, text));
	if (picking->pick != TUNING_NONE && tune_command(page, &picking->grid.cell[picking->pick], text)[0]) {
		json_put_string(&writer, "command", text);
	}
	json_put_unsigned(&writer, "other_subjects_left_out", page->others);
	json_put_unsigned(&writer, "workload_runs_left_out", page->workloads_left_out);
	json_put_unsigned(&writer, "damaged_left_out", page->damaged);
	json_put_unsigned(&writer, "refused", page->refused);
	if (page->refused) {
		json_put_string(&writer, "first_refusal", page->refusal);
	}
	json_begin_array(&writer, "workloads");
	for (unsigned i = 0; i < page->count; i++) {
		put_workload(&writer, page, page->tuning[i]);
	}
	json_end_array(&writer);
	json_end_object(&writer);
	json_end(&writer);
}
