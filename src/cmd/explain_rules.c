/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/explain_rules.h"

#include <errno.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/explanation_text.h"
#include "nic/quirk.h"
#include "report/run_json.h"

#define LABEL_WIDTH 11

/* What the request would come to with the nearest value; of a mode the longest that it chooses. */
static bool find_nearest(const struct explain_rules *made, const struct rules_state *before, bool upwards,
			 uint32_t *value, struct chip_hold *hold)
{
	const struct explanation *const explanation = &made->explanation;
	const enum coalesce_field field = explanation->result.field;
	struct coalesce request = explanation->requested;
	struct rules_state after = *before;
	struct driver_result result;

	if (!driver_rules_nearest(made->rules, before, &request, field, upwards, value)) {
		return false;
	}
	const struct nic_mode_code *const code = nic_quirk_code(nic_quirk_find(made->rules->drivers[0]), *value);

	if (code && (field == COALESCE_RX_USECS || field == COALESCE_TX_USECS)) {
		*hold = (struct chip_hold){ .kind = made->rules->kind, .hold_ns = code->range.to_ns };
		return true;
	}
	request.value[field] = *value;
	driver_rules_set(made->rules, &after, &request, &result);
	*hold = driver_rules_hold(made->rules, &after,
				  strncmp(coalesce_fields[field].name, "tx-", 3) == 0 ? CHIP_TX : CHIP_RX);
	return true;
}

void explain_rules_make(struct explain_rules *made)
{
	struct explanation *const explanation = &made->explanation;
	struct driver_result *const result = &explanation->result;

	rules_state_init(&made->state, made->rules);
	const struct rules_state before = made->state;

	result->field = COALESCE_FIELDS;
	explanation->subject = explanation->requested.present ? EXPLAIN_REQUEST : EXPLAIN_DEFAULTS;
	if (explanation->requested.present) {
		driver_rules_set(made->rules, &made->state, &explanation->requested, result);
	}
	if (result->error && !result->core_refused && result->field != COALESCE_FIELDS) {
		explanation->has_below =
			find_nearest(made, &before, false, &explanation->below, &explanation->below_hold);
		explanation->has_above =
			find_nearest(made, &before, true, &explanation->above, &explanation->above_hold);
	}
	explanation->get_error = made->rules->has_none ? -EOPNOTSUPP : 0;
	explanation->reported = made->state.reported;
	explanation->hold[CHIP_RX] = driver_rules_hold(made->rules, &made->state, CHIP_RX);
	explanation->hold[CHIP_TX] = driver_rules_hold(made->rules, &made->state, CHIP_TX);
}

/* A mode or an adaptive direction is no time. */
static const char *chosen_by(const struct explain_rules *made, enum chip_direction direction)
{
	const struct coalesce *const reported = &made->state.reported;
	const enum coalesce_field adaptive = direction == CHIP_TX ? COALESCE_ADAPTIVE_TX : COALESCE_ADAPTIVE_RX;
	const struct nic_mode_code *const code =
		nic_quirk_code(nic_quirk_find(made->rules->drivers[0]), reported->value[COALESCE_RX_USECS]);

	return reported->value[adaptive] ? "adaptive" : code ? code->name : NULL;
}

static void print_effective(const struct explain_rules *made, enum chip_direction direction, FILE *out)
{
	const char *const mode = chosen_by(made, direction);
	char text[EXPLANATION_HOLD_MAX];

	cmd_print_labelled(out, LABEL_WIDTH, direction ? "" : "effective", "%s %s%s", direction ? "tx" : "rx",
			   mode ? mode : explanation_hold_text(&made->explanation.hold[direction], text),
			   mode ? ": an algorithm chooses by traffic" : "");
}

void explain_rules_print(const struct explain_rules *made, FILE *out)
{
	const struct explanation *const explanation = &made->explanation;
	const bool has_request = explanation->subject == EXPLAIN_REQUEST;
	char text[COALESCE_TEXT_MAX];

	cmd_print_labelled(out, LABEL_WIDTH, "driver", "%s: Linux %s", made->name, made->rules->kernels);
	cmd_print_labelled(out, LABEL_WIDTH, "known",
			   "its rules for settings alone, from the state after load; the chip is not modelled");
	cmd_print_labelled(out, LABEL_WIDTH, "requested", "%s",
			   has_request ? coalesce_print(&explanation->requested, text)
				       : "nothing: the driver's defaults");
	if (explanation->get_error == 0) {
		cmd_print_labelled(out, LABEL_WIDTH, "reported", "%s", coalesce_print(&explanation->reported, text));
		print_effective(made, CHIP_RX, out);
		print_effective(made, CHIP_TX, out);
	} else {
		cmd_print_labelled(out, LABEL_WIDTH, "reported", "nothing: get answers EOPNOTSUPP");
	}
	explanation_print_verdict(explanation, out);
	explanation_print_warnings(explanation, out);
	cmd_print_labelled(out, LABEL_WIDTH, "source", "%s", made->rules->source);
}

static void put_effective(struct json_writer *writer, const char *key, const struct explain_rules *made,
			  enum chip_direction direction)
{
	const char *const mode = chosen_by(made, direction);

	if (!mode) {
		explanation_put_hold(writer, key, &made->explanation.hold[direction]);
		return;
	}
	json_begin_object(writer, key);
	json_put_string(writer, "kind", "chosen by traffic");
	json_put_string(writer, "mode", mode);
	json_end_object(writer);
}

void explain_rules_print_json(const struct explain_rules *made, FILE *out)
{
	struct json_writer writer;

	json_begin(&writer, out);
	json_begin_object(&writer, NULL);
	json_put_string(&writer, "schema", "holdoff.explain/1");
	json_put_string(&writer, "version", HOLDOFF_VERSION);
	json_put_string(&writer, "driver", made->name);
	json_put_string(&writer, "kernels", made->rules->kernels);
	json_put_string(&writer, "source", made->rules->source);
	if (made->explanation.subject == EXPLAIN_REQUEST) {
		run_json_put_settings(&writer, "requested", &made->explanation.requested);
	}
	if (made->explanation.get_error == 0) {
		run_json_put_settings(&writer, "reported", &made->explanation.reported);
		json_begin_object(&writer, "effective");
		put_effective(&writer, "rx", made, CHIP_RX);
		put_effective(&writer, "tx", made, CHIP_TX);
		json_end_object(&writer);
	}
	explanation_put_verdict(&writer, &made->explanation);
	json_end_object(&writer);
	json_end(&writer);
}
