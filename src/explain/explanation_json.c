/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explain/explanation.h"

#include <errno.h>

#include "report/json_writer.h"
#include "report/run_json.h"

static void put_assumptions(struct json_writer *writer, const struct assume *assume)
{
	json_begin_array(writer, "assumptions");
	for (unsigned i = 0; i < ASSUME_COUNT; i++) {
		if (assume->value[i] != assume_infos[i].initial) {
			json_begin_object(writer, NULL);
			json_put_string(writer, "name", assume_infos[i].name);
			json_put_integer(writer, "value", assume->value[i]);
			json_put_integer(writer, "initial", assume_infos[i].initial);
			json_end_object(writer);
		}
	}
	json_end_array(writer);
}

static void put_conditions(struct json_writer *writer, const struct explanation *explanation)
{
	const struct board *board = &explanation->board;

	json_put_string(writer, "schema", "holdoff.explain/1");
	json_put_string(writer, "version", HOLDOFF_VERSION);
	json_put_string(writer, "board", board->name);
	json_put_string(writer, "title", board->title);
	json_put_string(writer, "chip", chip_family_name(board->family));
	json_put_string(writer, "driver", explanation->variant->name);
	json_put_unsigned(writer, "speed_mbps", board->speed_mbps);
	if (board->driver_clock_hz) {
		json_put_unsigned(writer, "driver_clock_hz", board->driver_clock_hz);
	}
	if (explanation->of_queue) {
		json_put_unsigned(writer, "queue", explanation->queue);
	}
	put_assumptions(writer, &board->assume);
}

static void put_fields(struct json_writer *writer, const struct chip_register *reg, uint32_t value)
{
	json_begin_array(writer, "fields");
	for (unsigned i = 0; i < reg->field_count; i++) {
		const struct chip_register_field *field = &reg->fields[i];

		json_begin_object(writer, NULL);
		json_put_string(writer, "name", field->name);
		json_put_unsigned(writer, "high_bit", field->high);
		json_put_unsigned(writer, "low_bit", field->low);
		json_put_unsigned(writer, "value", explanation_field(field, value));
		json_put_string(writer, "meaning", field->meaning);
		json_end_object(writer);
	}
	json_end_array(writer);
}

void explanation_put_writes(struct json_writer *writer, const char *key, const struct explanation *explanation)
{
	json_begin_array(writer, key);
	for (unsigned i = 0; i < explanation->write_count; i++) {
		const struct driver_write *write = &explanation->writes[i];
		const struct chip_register *reg = chip_register_at(explanation->board.family, write->offset);

		json_begin_object(writer, NULL);
		if (reg) {
			json_put_string(writer, "register", reg->name);
		}
		json_put_unsigned(writer, "offset", write->offset);
		json_put_unsigned(writer, "value", write->value);
		if (reg) {
			put_fields(writer, reg, write->value);
		}
		json_end_object(writer);
	}
	json_end_array(writer);
}

void explanation_put_hold(struct json_writer *writer, const char *key, const struct chip_hold *hold)
{
	json_begin_object(writer, key);
	json_put_string(writer, "kind", explanation_hold_kind(hold->kind));
	if (hold->hold_ns != NEVER_AT_NS) {
		json_put_integer(writer, "hold_ns", hold->hold_ns);
	}
	if (hold->limit_ns) {
		json_put_integer(writer, "limit_ns", hold->limit_ns);
	}
	if (hold->throttle_ns) {
		json_put_integer(writer, "throttle_ns", hold->throttle_ns);
	}
	if (hold->frames) {
		json_put_unsigned(writer, "frames", hold->frames);
	}
	if (hold->bypass_below_bytes) {
		json_put_unsigned(writer, "bypass_below_bytes", hold->bypass_below_bytes);
	}
	json_end_object(writer);
}

void explanation_put_speeds(struct json_writer *writer, const char *key, const struct explanation *explanation)
{
	json_begin_array(writer, key);
	for (unsigned i = 0; i < explanation->speed_count; i++) {
		json_begin_object(writer, NULL);
		json_put_unsigned(writer, "speed_mbps", explanation->speeds[i].mbps);
		explanation_put_hold(writer, "rx", &explanation->speeds[i].hold[CHIP_RX]);
		explanation_put_hold(writer, "tx", &explanation->speeds[i].hold[CHIP_TX]);
		json_end_object(writer);
	}
	json_end_array(writer);
}

static void put_effects(struct json_writer *writer, const struct explanation *explanation)
{
	if (explanation->get_error == 0) {
		run_json_put_settings(writer, "reported", &explanation->reported);
	}
	json_begin_object(writer, "effective");
	explanation_put_hold(writer, "rx", &explanation->hold[CHIP_RX]);
	explanation_put_hold(writer, "tx", &explanation->hold[CHIP_TX]);
	json_end_object(writer);
	explanation_put_speeds(writer, "other_speeds", explanation);
}

static void put_refusal(struct json_writer *writer, const struct explanation *explanation)
{
	const struct driver_result *result = &explanation->result;
	char name[ERR_NAME_MAX];

	json_begin_object(writer, "refusal");
	json_put_string(writer, "errno", err_name(result->error, name));
	json_put_string(writer, "by", result->core_refused ? "core" : "driver");
	json_put_string(writer, "why", result->why);
	if (result->field != COALESCE_FIELDS) {
		json_put_string(writer, "setting", coalesce_fields[result->field].name);
	}
	if (explanation->has_below) {
		json_put_unsigned(writer, "nearest_below", explanation->below);
		explanation_put_hold(writer, "nearest_below_effective", &explanation->below_hold);
	}
	if (explanation->has_above) {
		json_put_unsigned(writer, "nearest_above", explanation->above);
		explanation_put_hold(writer, "nearest_above_effective", &explanation->above_hold);
	}
	json_end_object(writer);
}

void explanation_put_verdict(struct json_writer *writer, const struct explanation *explanation)
{
	const struct driver_result *result = &explanation->result;

	if (explanation->subject == EXPLAIN_REQUEST) {
		json_put_boolean(writer, "accepted", result->error == 0);
		json_put_boolean(writer, "unchanged", result->unchanged);
		if (result->error) {
			put_refusal(writer, explanation);
		}
	}
	json_begin_array(writer, "warnings");
	for (unsigned i = 0; i < result->warning_count; i++) {
		json_put_string(writer, NULL, result->warnings[i]);
	}
	json_end_array(writer);
}

int explanation_print_json(const struct explanation *explanation, FILE *out)
{
	struct json_writer writer;

	json_begin(&writer, out);
	json_begin_object(&writer, NULL);
	put_conditions(&writer, explanation);
	if (explanation->subject == EXPLAIN_REQUEST) {
		run_json_put_settings(&writer, "requested", &explanation->requested);
	}
	explanation_put_writes(&writer, explanation->subject == EXPLAIN_REGISTERS ? "registers" : "programmed",
			       explanation);
	put_effects(&writer, explanation);
	explanation_put_verdict(&writer, explanation);
	json_end_object(&writer);
	return json_end(&writer);
}
