/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/comparison.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "run/repeat.h"

static const char *const figure_names[COMPARISON_FIGURES] = {
	"rtt-p50", "rtt-p99", "one-way-p50", "one-way-p99", "irq-rate", "cpu-busy", "cpu-per-frame", "goodput",
};

const char *const comparison_condition_names[COMPARISON_CONDITIONS] = {
	"subject", "driver", "settings", "host", "kernel", "peer", "speed",
};

const struct figure *comparison_figure(unsigned row)
{
	const struct figure *figure = NULL;

	figure_find(figure_names[row], &figure, NULL);
	return figure;
}

void comparison_begin(struct comparison *comparison)
{
	memset(comparison, 0, sizeof(*comparison));
}

/* ---- what was run ---- */

static void note(struct comparison_condition *condition, const char *value)
{
	if (!condition->is_known) {
		snprintf(condition->value, sizeof(condition->value), "%s", value);
		condition->is_known = true;
	} else if (strncmp(condition->value, value, sizeof(condition->value) - 1) != 0) {
		condition->varies = true;
	}
}

static void note_conditions(struct comparison_set *set, const struct run *run, const char *machine)
{
	const struct run_conditions *const conditions = &run->conditions;
	const struct run_measured *const measured = &conditions->measured;
	const bool is_model = conditions->source == RUN_MODEL;
	const char *const kernel = is_model ? NULL : run_condition_value(&measured->around, "kernel");
	char text[COALESCE_TEXT_MAX];

	if (is_model) {
		snprintf(text, sizeof(text), "MODEL %s", conditions->board);
	} else {
		snprintf(text, sizeof(text), "measured %s on %s", measured->device, machine);
	}
	note(&set->condition[COMPARISON_SUBJECT], text);
	note(&set->condition[COMPARISON_DRIVER], conditions->driver);
	coalesce_print(conditions->requested.present ? &conditions->requested : &conditions->reported, text);
	note(&set->condition[COMPARISON_SETTINGS], text);
	note(&set->condition[COMPARISON_HOST], conditions->host);
	note(&set->condition[COMPARISON_KERNEL], kernel ? kernel : "");
	note(&set->condition[COMPARISON_PEER], is_model ? conditions->peer : measured->peer_host);
	snprintf(text, sizeof(text), "%u Mb/s", conditions->speed_mbps);
	text[0] = conditions->speed_mbps ? text[0] : '\0'; /* not known */
	note(&set->condition[COMPARISON_SPEED], text);
}

/* ---- values ---- */

static struct comparison_group *find_group(struct comparison *comparison, const char *workload)
{
	for (unsigned i = 0; i < comparison->group_count; i++) {
		if (strcmp(comparison->group[i].workload, workload) == 0) {
			return &comparison->group[i];
		}
	}
	if (comparison->group_count == COMPARISON_WORKLOADS_MAX) {
		comparison->groups_left_out++;
		return NULL;
	}
	struct comparison_group *const group = &comparison->group[comparison->group_count++];

	snprintf(group->workload, sizeof(group->workload), "%s", workload);
	return group;
}

static void add_value(int64_t values[DIFFERENCE_VALUES_MAX], unsigned *count, int64_t value)
{
	if (*count < DIFFERENCE_VALUES_MAX) {
		values[(*count)++] = value;
	}
}

static void add_run(struct comparison_values *values, const struct run *run)
{
	for (unsigned row = 0; row < COMPARISON_FIGURES; row++) {
		const struct figure *const figure = comparison_figure(row);
		int64_t value;

		if (!figure->read(run, figure, &value)) {
			continue;
		}
		add_value(values->value[row], &values->count[row], value);
		for (unsigned i = 0; i < run->conditions.measured.repeat_count; i++) {
			if (run_repeat_figure(run, i, figure, &value)) {
				add_value(values->of_repeats[row], &values->repeats[row], value);
			}
		}
	}
	values->runs++;
}

/* A model gives the same again: figures that are all there already, at the same places. */
static bool is_again(const struct comparison_values *values, const struct run *run)
{
	for (unsigned i = 0; i < values->runs && i < DIFFERENCE_VALUES_MAX; i++) {
		bool is_same = true;

		for (unsigned row = 0; is_same && row < COMPARISON_FIGURES; row++) {
			const struct figure *const figure = comparison_figure(row);
			int64_t value;

			if (figure->read(run, figure, &value)) {
				is_same = i < values->count[row] && values->value[row][i] == value;
			}
		}
		if (is_same) {
			return true;
		}
	}
	return false;
}

void comparison_add(struct comparison *comparison, unsigned set, const struct run *run, const char *machine)
{
	struct comparison_set *const in = &comparison->set[set];
	const bool is_model = run->conditions.source == RUN_MODEL;
	char workload[WORKLOAD_TEXT_MAX];

	if (!is_model && run->conditions.measured.is_incomplete) {
		in->left_out++;
		return;
	}
	struct comparison_group *const group =
		find_group(comparison, workload_print(&run->conditions.workload, workload));

	if (!group) {
		return;
	}
	if (is_model && is_again(&group->set[set], run)) {
		in->again++;
		return;
	}
	note_conditions(in, run, machine);
	in->runs++;
	in->models += is_model;
	in->measured += !is_model;
	in->tainted += !is_model && run->conditions.measured.taint_count;
	add_run(&group->set[set], run);
}

/* ---- conclusions ---- */

static enum comparison_unit choose_unit(const struct comparison_values *values, enum comparison_unit asked)
{
	bool has_repeats = false;

	for (unsigned row = 0; row < COMPARISON_FIGURES; row++) {
		has_repeats |= values->repeats[row] > 1;
	}
	return asked == COMPARISON_AUTO ? (values->runs == 1 && has_repeats ? COMPARISON_REPEATS : COMPARISON_RUNS)
					: asked;
}

static int64_t *values_of(struct comparison_group *group, unsigned set, unsigned row, unsigned *count)
{
	struct comparison_values *const values = &group->set[set];

	if (group->unit[set] == COMPARISON_REPEATS) {
		*count = values->repeats[row];
		return values->of_repeats[row];
	}
	*count = values->count[row];
	return values->value[row];
}

static void conclude_row(struct comparison_group *group, unsigned row)
{
	unsigned count[2];
	int64_t *const a = values_of(group, 0, row, &count[0]), *const b = values_of(group, 1, row, &count[1]);

	group->difference[row] = difference_find(a, count[0], b, count[1]);
	group->has_values[0][row] = count[0] > 0;
	group->has_values[1][row] = count[1] > 0;
	group->adjusted_p_ppm[row] = 1000000;
}

/* All figures of all workloads are one family of questions: those that can be answered at all. */
static void adjust(struct comparison *comparison)
{
	static_assert(COMPARISON_WORKLOADS_MAX * COMPARISON_FIGURES <= DIFFERENCE_QUESTIONS_MAX, "all can be adjusted");
	uint32_t p_ppm[COMPARISON_WORKLOADS_MAX * COMPARISON_FIGURES];
	uint32_t *of[COMPARISON_WORKLOADS_MAX * COMPARISON_FIGURES];
	unsigned count = 0;

	for (unsigned i = 0; i < comparison->group_count; i++) {
		struct comparison_group *const group = &comparison->group[i];

		for (unsigned row = 0; row < COMPARISON_FIGURES; row++) {
			if (group->difference[row].has_interval) {
				p_ppm[count] = group->difference[row].p_ppm;
				of[count++] = &group->adjusted_p_ppm[row];
			}
		}
	}
	difference_adjust(p_ppm, count);
	for (unsigned i = 0; i < count; i++) {
		*of[i] = p_ppm[i];
	}
	comparison->questions = count;
}

void comparison_conclude(struct comparison *comparison, enum comparison_unit unit)
{
	for (unsigned i = 0; i < comparison->group_count; i++) {
		struct comparison_group *const group = &comparison->group[i];

		for (unsigned set = 0; set < 2; set++) {
			group->unit[set] = choose_unit(&group->set[set], unit);
		}
		for (unsigned row = 0; row < COMPARISON_FIGURES; row++) {
			conclude_row(group, row);
		}
	}
	adjust(comparison);
}

const char *comparison_verdict(const struct comparison_group *group, unsigned row)
{
	const struct difference *const difference = &group->difference[row];

	if (!group->has_values[0][row] || !group->has_values[1][row]) {
		return group->has_values[0][row] ? "only_a" : group->has_values[1][row] ? "only_b" : NULL;
	}
	if (!difference->has_interval) {
		return "no_interval";
	}
	if (!difference_is_significant(difference, group->adjusted_p_ppm[row])) {
		return "no_significant_difference";
	}
	return difference->low > 0 ? "higher" : "lower";
}
