/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/comparison.h"
#include "report/json_writer.h"

static void put_set(struct json_writer *writer, const char *key, const struct comparison_set *set)
{
	json_begin_object(writer, key);
	json_put_unsigned(writer, "runs", set->runs);
	json_put_unsigned(writer, "models", set->models);
	json_put_unsigned(writer, "measured", set->measured);
	json_put_unsigned(writer, "tainted", set->tainted);
	json_put_unsigned(writer, "incomplete_left_out", set->left_out);
	json_put_unsigned(writer, "same_again_left_out", set->again);
	json_begin_array(writer, "conditions");
	for (unsigned i = 0; i < COMPARISON_CONDITIONS; i++) {
		if (set->condition[i].value[0]) {
			json_begin_object(writer, NULL);
			json_put_string(writer, "name", comparison_condition_names[i]);
			json_put_string(writer, "value", set->condition[i].value);
			json_put_boolean(writer, "varies", set->condition[i].varies);
			json_end_object(writer);
		}
	}
	json_end_array(writer);
	json_end_object(writer);
}

static unsigned count_of(const struct comparison_group *group, unsigned set, unsigned row)
{
	return group->unit[set] == COMPARISON_REPEATS ? group->set[set].repeats[row] : group->set[set].count[row];
}

static void put_side(struct json_writer *writer, const char *key, const struct interval *interval, bool has_interval,
		     unsigned count)
{
	json_begin_object(writer, key);
	json_put_unsigned(writer, "n", count);
	json_put_signed_milli(writer, "median", interval->median);
	if (has_interval) {
		json_put_signed_milli(writer, "low", interval->low);
		json_put_signed_milli(writer, "high", interval->high);
	}
	json_end_object(writer);
}

static void put_difference(struct json_writer *writer, const struct comparison_group *group, unsigned row)
{
	const struct difference *const difference = &group->difference[row];

	json_put_signed_milli(writer, "difference", difference->median);
	if (difference->has_interval) {
		json_put_signed_milli(writer, "low", difference->low);
		json_put_signed_milli(writer, "high", difference->high);
		json_put_unsigned(writer, "p_ppm", difference->p_ppm);
		json_put_unsigned(writer, "adjusted_p_ppm", group->adjusted_p_ppm[row]);
	}
	json_put_signed_milli(writer, "cliffs_delta", difference->delta_ppm / 1000);
}

static void put_row(struct json_writer *writer, const struct comparison_group *group, unsigned row)
{
	const struct figure *const figure = comparison_figure(row);
	const struct difference *const difference = &group->difference[row];
	const bool has_a = group->has_values[0][row], has_b = group->has_values[1][row];

	json_begin_object(writer, NULL);
	json_put_string(writer, "name", figure->name);
	json_put_string(writer, "unit", figure->unit);
	if (has_a) {
		put_side(writer, "a", &difference->a, difference->a_has_interval, count_of(group, 0, row));
	}
	if (has_b) {
		put_side(writer, "b", &difference->b, difference->b_has_interval, count_of(group, 1, row));
	}
	if (has_a && has_b) {
		put_difference(writer, group, row);
	}
	json_put_string(writer, "verdict", comparison_verdict(group, row));
	json_end_object(writer);
}

static const char *unit_name(enum comparison_unit unit)
{
	return unit == COMPARISON_REPEATS ? "repeats" : "runs";
}

static void put_group(struct json_writer *writer, const struct comparison_group *group)
{
	json_begin_object(writer, NULL);
	json_put_string(writer, "workload", group->workload);
	json_put_unsigned(writer, "a_runs", group->set[0].runs);
	json_put_unsigned(writer, "b_runs", group->set[1].runs);
	json_put_string(writer, "a_unit", unit_name(group->unit[0]));
	json_put_string(writer, "b_unit", unit_name(group->unit[1]));
	json_begin_array(writer, "figures");
	for (unsigned row = 0; row < COMPARISON_FIGURES; row++) {
		if (comparison_verdict(group, row)) {
			put_row(writer, group, row);
		}
	}
	json_end_array(writer);
	json_end_object(writer);
}

int comparison_json_write(const struct comparison *comparison, FILE *out)
{
	struct json_writer writer;

	json_begin(&writer, out);
	json_begin_object(&writer, NULL);
	json_put_string(&writer, "schema", "holdoff.compare/1");
	json_put_string(&writer, "version", HOLDOFF_VERSION);
	put_set(&writer, "a", &comparison->set[0]);
	put_set(&writer, "b", &comparison->set[1]);
	json_put_string(&writer, "interval_method",
			"difference of medians, from exact order-statistics intervals of both");
	json_put_string(&writer, "p_method", "exact rank sum test, two-sided, adjusted by Holm");
	json_put_unsigned(&writer, "adjusted_for", comparison->questions);
	json_put_unsigned(&writer, "workload_runs_left_out", comparison->groups_left_out);
	json_begin_array(&writer, "workloads");
	for (unsigned i = 0; i < comparison->group_count; i++) {
		put_group(&writer, &comparison->group[i]);
	}
	json_end_array(&writer);
	json_end_object(&writer);
	return json_end(&writer);
}
