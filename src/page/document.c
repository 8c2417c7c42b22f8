/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page as JSON, schema holdoff.report/1. */
#include "page/page_private.h"
#include "report/json_writer.h"
#include "report/run_json.h"

static void say(void *context, const char *sentence)
{
	json_put_string(context, NULL, sentence);
}

static void put_subject(struct json_writer *writer, const struct page_subject *subject)
{
	json_begin_object(writer, NULL);
	json_put_string(writer, "name", subject->name);
	json_put_string(writer, "source", subject->source == RUN_MODEL ? "model" : "measured");
	json_put_unsigned(writer, "runs", subject->runs);
	json_put_unsigned(writer, "tainted", subject->tainted);
	json_begin_array(writer, "conditions");
	for (unsigned i = 0; i < PAGE_CONDITIONS; i++) {
		const struct page_condition *const condition = &subject->condition[i];

		if (condition->is_known && (condition->value[0] || condition->varies)) {
			json_begin_object(writer, NULL);
			json_put_string(writer, "name", page_condition_names[i]);
			if (condition->value[0]) {
				json_put_string(writer, "value", condition->value);
			}
			json_put_boolean(writer, "varies", condition->varies);
			json_end_object(writer);
		}
	}
	json_end_array(writer);
	if (subject->taint_count) {
		json_begin_array(writer, "taints");
		for (unsigned i = 0; i < subject->taint_count; i++) {
			json_put_string(writer, NULL, subject->taint[i]);
		}
		json_end_array(writer);
	}
	json_end_object(writer);
}

static void put_figure(struct json_writer *writer, const char *key, const struct front_value *value)
{
	if (!value->is_known) {
		return;
	}
	json_begin_object(writer, key);
	json_put_signed_milli(writer, "median", value->value.median);
	if (value->has_interval) {
		json_put_signed_milli(writer, "low", value->value.low);
		json_put_signed_milli(writer, "high", value->value.high);
	}
	json_end_object(writer);
}

static void put_latency(struct json_writer *writer, const struct histogram *latency)
{
	json_put_unsigned(writer, "latency_count", latency->count);
	if (latency->count) {
		json_put_integer(writer, "latency_p50_ns", histogram_percentile(latency, 500000));
		json_put_integer(writer, "latency_p99_ns", histogram_percentile(latency, 990000));
	}
}

static void put_stages(struct json_writer *writer, const struct page_cell *cell)
{
	static const char *const keys[PAGE_STAGES] = { "frame_to_irq_mean_ns", "irq_to_poll_mean_ns",
						       "poll_to_app_mean_ns" };

	for (unsigned i = 0; i < PAGE_STAGES; i++) {
		if (cell->stage_count[i]) {
			json_put_unsigned(writer, keys[i], cell->stage_sum_ns[i] / cell->stage_count[i]);
		}
	}
}

static void put_effect(struct json_writer *writer, const struct run_conditions *conditions)
{
	int64_t ns;

	if (conditions->reports_settings) {
		run_json_put_settings(writer, "reported", &conditions->reported);
	}
	const char *kind = page_effective(conditions, false, &ns);

	if (kind) {
		json_put_string(writer, "effective_rx_kind", kind);
		json_put_integer(writer, "effective_rx_ns", ns);
	}
	kind = page_effective(conditions, true, &ns);
	if (kind) {
		json_put_string(writer, "effective_tx_kind", kind);
		json_put_integer(writer, "effective_tx_ns", ns);
	}
}

static void put_cell(struct json_writer *writer, const struct page_group *group, unsigned number)
{
	const struct grid_cell *const grid_cell = &group->tuning.grid.cell[number];
	const struct page_cell *const cell = page_cell(group, number);
	const struct front_point *const point = &group->tuning.point[number];
	char text[PAGE_TEXT_MAX];

	json_begin_object(writer, NULL);
	json_put_string(writer, "words", page_setting(group, number, text));
	run_json_put_settings(writer, "settings", &grid_cell->settings);
	json_put_unsigned(writer, "runs", grid_cell->runs);
	json_put_unsigned(writer, "tainted", grid_cell->tainted);
	json_put_string(writer, "intervals_are_of", grid_cell->is_of_repeats ? "repeats" : "runs");
	if (cell->latency) {
		put_latency(writer, cell->latency);
	}
	put_figure(writer, "latency_p99_us", &point->axis[TUNING_LATENCY]);
	put_figure(writer, "cpu_busy_percent", &point->axis[TUNING_BUSY]);
	if (!page_cpu_is_share(group)) {
		put_figure(writer, "cpu_per_frame_us", &point->axis[TUNING_CPU]);
	}
	put_figure(writer, "irq_rate_per_s", &point->axis[TUNING_IRQ_RATE]);
	put_figure(writer, "goodput_mbps", &point->axis[TUNING_THROUGHPUT]);
	put_stages(writer, cell);
	if (cell->conditions) {
		put_effect(writer, cell->conditions);
	}
	json_put_string(writer, "place", page_place_name(point->place));
	if (point->place == FRONT_UNSURE || point->place == FRONT_BEHIND) {
		json_put_string(writer, "beaten_by", page_setting(group, point->beaten_by, text));
	}
	json_put_boolean(writer, "is_knee", page_has_knee(group) && group->tuning.knee == number);
	json_end_object(writer);
}

static void put_group(struct json_writer *writer, const struct page *page, const struct page_group *group)
{
	json_begin_object(writer, NULL);
	json_put_string(writer, "subject", page->subject[group->subject].name);
	json_put_string(writer, "source", group->tuning.grid.source == RUN_MODEL ? "model" : "measured");
	json_put_string(writer, "workload", group->tuning.grid.workload);
	json_put_string(writer, "latency", page_latency_name(group));
	json_begin_array(writer, "summary");
	page_say_group(group, say, writer);
	json_end_array(writer);
	json_begin_array(writer, "cells");
	for (unsigned i = 0; i < group->tuning.grid.count; i++) {
		put_cell(writer, group, i);
	}
	json_end_array(writer);
	json_end_object(writer);
}

int page_json_write(const struct page *page, FILE *out)
{
	struct json_writer writer;

	json_begin(&writer, out);
	json_begin_object(&writer, NULL);
	json_put_string(&writer, "schema", PAGE_SCHEMA);
	json_put_string(&writer, "version", HOLDOFF_VERSION);
	json_put_unsigned(&writer, "runs", page->runs);
	json_put_unsigned(&writer, "models", page->models);
	json_put_unsigned(&writer, "measured", page->measured);
	json_put_unsigned(&writer, "incomplete_left_out", page->incomplete);
	json_put_unsigned(&writer, "same_again_left_out", page->again);
	json_put_unsigned(&writer, "no_room_left_out", page->left_out);
	if (page->last_at_ns) {
		json_put_integer(&writer, "first_taken_at_ns", page->first_at_ns);
		json_put_integer(&writer, "last_taken_at_ns", page->last_at_ns);
	}
	json_begin_array(&writer, "subjects");
	for (unsigned i = 0; i < page->subject_count; i++) {
		put_subject(&writer, &page->subject[i]);
	}
	json_end_array(&writer);
	json_begin_array(&writer, "workloads");
	for (unsigned i = 0; i < page->group_count; i++) {
		put_group(&writer, page, page->group[i]);
	}
	json_end_array(&writer);
	json_begin_array(&writer, "commands");
	for (unsigned i = 0; i < page->command_count; i++) {
		json_put_string(&writer, NULL, page->command[i]);
	}
	json_end_array(&writer);
	json_put_string(&writer, "command", page->own_command);
	json_end_object(&writer);
	return json_end(&writer);
}
