/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/explain_rules.h"

#include <errno.h>
#include <inttypes.h>

#include "cmd/cmd.h"
#include "cmd/explanation_text.h"
#include "nic/quirk.h"
#include "report/run_json.h"

#define LABEL_WIDTH 11

void explain_rules_make(struct explain_rules *explanation)
{
	const struct driver_rules *const rules = explanation->rules;
	struct driver_result *const result = &explanation->result;

	rules_state_init(&explanation->state, rules);
	const struct rules_state before = explanation->state;

	if (!explanation->requested.present) {
		*result = (struct driver_result){ .field = COALESCE_FIELDS };
		return;
	}
	driver_rules_set(rules, &explanation->state, &explanation->requested, result);
	if (result->error && !result->core_refused && result->field != COALESCE_FIELDS) {
		explanation->has_below = driver_rules_nearest(rules, &before, &explanation->requested, result->field,
							      false, &explanation->below);
		explanation->has_above = driver_rules_nearest(rules, &before, &explanation->requested, result->field,
							      true, &explanation->above);
	}
}

/* A mode or an adaptive direction is no time. */
static const char *chosen_by(const struct explain_rules *explanation, enum chip_direction direction)
{
	const struct coalesce *const reported = &explanation->state.reported;
	const enum coalesce_field adaptive = direction == CHIP_TX ? COALESCE_ADAPTIVE_TX : COALESCE_ADAPTIVE_RX;
	const struct nic_mode_code *const code =
		nic_quirk_code(nic_quirk_find(explanation->rules->drivers[0]), reported->value[COALESCE_RX_USECS]);

	return reported->value[adaptive] ? "adaptive" : code ? code->name : NULL;
}

static void print_effective(const struct explain_rules *explanation, enum chip_direction direction, FILE *out)
{
	const char *const mode = chosen_by(explanation, direction);
	const struct chip_hold hold = driver_rules_hold(explanation->rules, &explanation->state, direction);
	char text[EXPLANATION_HOLD_MAX];

	cmd_print_labelled(out, LABEL_WIDTH, direction ? "" : "effective", "%s %s%s", direction ? "tx" : "rx",
			   mode ? mode : explanation_hold_text(&hold, text),
			   mode ? ": an algorithm chooses by traffic" : "");
}

static void print_verdict(const struct explain_rules *explanation, FILE *out)
{
	const struct driver_result *const result = &explanation->result;
	char name[ERR_NAME_MAX];

	if (!explanation->requested.present) {
		return;
	}
	if (result->error == 0) {
		cmd_print_labelled(out, LABEL_WIDTH, "verdict",
				   result->unchanged ? "already so: the ethtool core does not call the driver"
						     : "accepted");
		return;
	}
	cmd_print_labelled(out, LABEL_WIDTH, "verdict", "refused with %s: %s", err_name(result->error, name),
			   result->why);
	if (explanation->has_below) {
		cmd_print_labelled(out, LABEL_WIDTH, "nearest", "%s %" PRIu32 " below",
				   coalesce_fields[result->field].name, explanation->below);
	}
	if (explanation->has_above) {
		cmd_print_labelled(out, LABEL_WIDTH, explanation->has_below ? "" : "nearest", "%s %" PRIu32 " above",
				   coalesce_fields[result->field].name, explanation->above);
	}
}

void explain_rules_print(const struct explain_rules *explanation, FILE *out)
{
	const struct driver_rules *const rules = explanation->rules;
	char text[COALESCE_TEXT_MAX];

	cmd_print_labelled(out, LABEL_WIDTH, "driver", "%s: Linux %s", explanation->name, rules->kernels);
	cmd_print_labelled(out, LABEL_WIDTH, "known",
			   "its rules for settings alone, from the state after load; the chip is not "
			   "modelled");
	cmd_print_labelled(out, LABEL_WIDTH, "requested", "%s",
			   explanation->requested.present ? coalesce_print(&explanation->requested, text)
							  : "nothing: the driver's defaults");
	if (!rules->has_none) {
		cmd_print_labelled(out, LABEL_WIDTH, "reported", "%s",
				   coalesce_print(&explanation->state.reported, text));
		print_effective(explanation, CHIP_RX, out);
		print_effective(explanation, CHIP_TX, out);
	} else {
		cmd_print_labelled(out, LABEL_WIDTH, "reported", "nothing: get answers EOPNOTSUPP");
	}
	print_verdict(explanation, out);
	for (unsigned i = 0; i < explanation->result.warning_count; i++) {
		cmd_print_labelled(out, LABEL_WIDTH, "warning", "%s", explanation->result.warnings[i]);
	}
	cmd_print_labelled(out, LABEL_WIDTH, "source", "%s", rules->source);
}

/* ---- JSON ---- */

static void put_effective(struct json_writer *writer, const char *key, const struct explain_rules *explanation,
			  enum chip_direction direction)
{
	const char *const mode = chosen_by(explanation, direction);
	const struct chip_hold hold = driver_rules_hold(explanation->rules, &explanation->state, direction);

	if (!mode) {
		explanation_put_hold(writer, key, &hold);
		return;
	}
	json_begin_object(writer, key);
	json_put_string(writer, "kind", "chosen by traffic");
	json_put_string(writer, "mode", mode);
	json_end_object(writer);
}

static void put_refusal(struct json_writer *writer, const struct explain_rules *explanation)
{
	const struct driver_result *const result = &explanation->result;
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
	}
	if (explanation->has_above) {
		json_put_unsigned(writer, "nearest_above", explanation->above);
	}
	json_end_object(writer);
}

static void put_verdict(struct json_writer *writer, const struct explain_rules *explanation)
{
	const struct driver_result *const result = &explanation->result;

	if (explanation->requested.present) {
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

void explain_rules_print_json(const struct explain_rules *explanation, FILE *out)
{
	struct json_writer writer;

	json_begin(&writer, out);
	json_begin_object(&writer, NULL);
	json_put_string(&writer, "schema", "holdoff.explain/1");
	json_put_string(&writer, "version", HOLDOFF_VERSION);
	json_put_string(&writer, "driver", explanation->name);
	json_put_string(&writer, "kernels", explanation->rules->kernels);
	json_put_string(&writer, "source", explanation->rules->source);
	if (explanation->requested.present) {
		run_json_put_settings(&writer, "requested", &explanation->requested);
	}
	if (!explanation->rules->has_none) {
		run_json_put_settings(&writer, "reported", &explanation->state.reported);
		json_begin_object(&writer, "effective");
		put_effective(&writer, "rx", explanation, CHIP_RX);
		put_effective(&writer, "tx", explanation, CHIP_TX);
		json_end_object(&writer);
	}
	put_verdict(&writer, explanation);
	json_end_object(&writer);
	json_end(&writer);
}
