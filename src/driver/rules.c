/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "driver/rules.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "driver/driver_private.h"

void rules_state_init(struct rules_state *state, const struct driver_rules *rules)
{
	*state = (struct rules_state){ .has_pairs = true, .is_up = true };
	coalesce_parse_text(&state->reported, rules->defaults, NULL);
}

static const struct rule_field *find_field(const struct driver_rules *rules, enum coalesce_field field)
{
	for (unsigned i = 0; i < rules->field_count; i++) {
		if (rules->fields[i].field == field) {
			return &rules->fields[i];
		}
	}
	return NULL;
}

static bool is_time(enum coalesce_field field)
{
	return coalesce_fields[field].unit == COALESCE_UNIT_USECS;
}

/* ---- one field ---- */

static bool is_code(const struct rule_field *rule, uint32_t value)
{
	for (unsigned i = 0; i < rule->code_count; i++) {
		if (rule->codes[i] == value) {
			return true;
		}
	}
	return false;
}

static bool is_accepted(const struct rule_field *rule, uint32_t value)
{
	return is_code(rule, value) ||
	       (!rule->only_codes && value >= rule->least && (rule->most == 0 || value <= rule->most));
}

/* What the hardware makes of a value, in ns for times; for others the value. */
static int64_t hardware_value(const struct driver_rules *rules, const struct rule_field *rule, uint32_t value)
{
	const int64_t step_ns = rule && rule->step_ns ? rule->step_ns : 1;
	int64_t span_ns;

	if (rule && rule->wraps_at) {
		value %= rule->wraps_at;
	}
	span_ns = value * rules->unit_ns;
	if (rule && rule->rounding == RULE_DOWN) {
		span_ns = span_ns / step_ns * step_ns;
	} else if (rule && rule->rounding == RULE_UP) {
		span_ns = (span_ns + step_ns - 1) / step_ns * step_ns;
	}
	return span_ns;
}

static void refuse_value(const struct rule_field *rule, uint32_t value, struct driver_result *result)
{
	char codes[80] = "", limits[80];
	size_t used = 0;

	for (unsigned i = 0; i < rule->code_count; i++) {
		used += (size_t)snprintf(codes + used, sizeof(codes) - used, "%" PRIu32 ", ", rule->codes[i]);
	}
	if (rule->only_codes) {
		codes[used - 2] = '\0';
		snprintf(limits, sizeof(limits), " alone");
	} else if (rule->most) {
		snprintf(limits, sizeof(limits), "%" PRIu32 " to %" PRIu32, rule->least, rule->most);
	} else {
		snprintf(limits, sizeof(limits), "%" PRIu32 " and more", rule->least);
	}
	driver_result_refuse(result, rule->error, rule->field, "%s %" PRIu32 ": the driver takes %s%s",
			     coalesce_fields[rule->field].name, value, codes, limits);
}

static void warn_value(const struct driver_rules *rules, const struct rule_field *rule, uint32_t value,
		       struct driver_result *result)
{
	const char *const name = coalesce_fields[rule->field].name;
	const int64_t span_ns = hardware_value(rules, rule, value);
	char span[TEXT_DURATION_MAX];

	if (rule->is_ignored && value) {
		driver_result_warn(result, "%s %" PRIu32 " is taken and ignored", name, value);
	} else if (is_time(rule->field) && rules->unit_ns != NS_PER_US && value) {
		driver_result_warn(result, "%s %" PRIu32 " is %s: the number is one of nanoseconds", name, value,
				   text_print_duration(span_ns, span));
	} else if (is_time(rule->field) && span_ns != value * rules->unit_ns && !is_code(rule, value)) {
		driver_result_warn(result, "%s %" PRIu32 " becomes %s", name, value,
				   text_print_duration(span_ns, span));
	}
	if (rule->note && value) {
		driver_result_warn(result, "%s %" PRIu32 ": %s", name, value, rule->note);
	}
}

/* ---- conditions over several ---- */

static bool changes(const struct coalesce *wanted, const struct coalesce *reported, enum coalesce_field field)
{
	return wanted->value[field] != reported->value[field];
}

static bool holds(const struct rule_cross *cross, const struct rules_state *state, const struct coalesce *wanted)
{
	const struct coalesce *const now = &state->reported;

	switch (cross->condition) {
	case RULE_TX_WITH_PAIRS:
		return state->has_pairs && wanted->value[COALESCE_TX_USECS] != 0;
	case RULE_TX_KEPT:
		return state->has_pairs && changes(wanted, now, COALESCE_TX_USECS);
	case RULE_NOT_WHILE_ADAPTIVE_RX:
		return wanted->value[COALESCE_ADAPTIVE_RX] && changes(wanted, now, cross->field);
	case RULE_NOT_WHILE_ADAPTIVE_TX:
		return wanted->value[COALESCE_ADAPTIVE_TX] && changes(wanted, now, cross->field);
	case RULE_FOLLOWS_HIGH:
		return wanted->value[COALESCE_TX_USECS_HIGH] != now->value[COALESCE_RX_USECS_HIGH];
	case RULE_BOTH_ZERO_RX:
		return wanted->value[COALESCE_RX_USECS] == 0 && wanted->value[COALESCE_RX_FRAMES] == 0;
	case RULE_BUSY_WHILE_UP:
		return state->is_up && !wanted->value[COALESCE_TX_FRAMES] != !now->value[COALESCE_TX_FRAMES];
	}
	return false;
}

static bool check_cross(const struct driver_rules *rules, const struct rules_state *state,
			const struct coalesce *wanted, struct driver_result *result)
{
	for (unsigned i = 0; i < rules->cross_count; i++) {
		const struct rule_cross *const cross = &rules->cross[i];

		if (holds(cross, state, wanted)) {
			driver_result_refuse(result, cross->error, cross->field, "%s: %s",
					     coalesce_fields[cross->field].name, cross->why);
			return false;
		}
	}
	return true;
}

/* ---- a request ---- */

/* What a newer driver reports it has, too. */
static bool check_core(const struct driver_rules *rules, const struct rules_state *state,
		       const struct coalesce *request, struct driver_result *result)
{
	const uint32_t outside = request->present & ~(rules->supported | state->reported.present);

	if (rules->has_none) {
		result->core_refused = true;
		driver_result_refuse(result, -EOPNOTSUPP, COALESCE_FIELDS, "%s has no coalescing settings",
				     rules->drivers[0]);
		return false;
	}
	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		if (outside & COALESCE_BIT(field)) {
			result->core_refused = true;
			driver_result_refuse(result, -EINVAL, field,
					     "%s: cannot modify an unsupported parameter; the ethtool core refuses it "
					     "for %s",
					     coalesce_fields[field].name, rules->drivers[0]);
			return false;
		}
	}
	return true;
}

static bool check_values(const struct driver_rules *rules, const struct coalesce *wanted, struct driver_result *result)
{
	for (unsigned i = 0; i < rules->field_count; i++) {
		const struct rule_field *const rule = &rules->fields[i];

		if (coalesce_has(wanted, rule->field) && !is_accepted(rule, wanted->value[rule->field])) {
			refuse_value(rule, wanted->value[rule->field], result);
			return false;
		}
	}
	return true;
}

/* What get says: times that the driver reads back from hardware are whole units of what it holds. */
static void read_back(const struct driver_rules *rules, struct rules_state *state, const struct coalesce *wanted)
{
	state->reported = *wanted;
	for (unsigned i = 0; i < rules->field_count; i++) {
		const struct rule_field *const rule = &rules->fields[i];

		if (coalesce_has(wanted, rule->field) && rule->reads_back_rounded) {
			state->reported.value[rule->field] =
				(uint32_t)(hardware_value(rules, rule, wanted->value[rule->field]) / rules->unit_ns);
		}
		if (rule->is_ignored) {
			state->reported.value[rule->field] = 0;
		}
	}
	for (unsigned i = 0; i < rules->cross_count; i++) {
		if (rules->cross[i].condition == RULE_TX_KEPT && state->has_pairs) {
			state->reported.value[COALESCE_TX_USECS] = state->reported.value[COALESCE_RX_USECS];
		} else if (rules->cross[i].condition == RULE_FOLLOWS_HIGH) {
			state->reported.value[COALESCE_TX_USECS_HIGH] = state->reported.value[COALESCE_RX_USECS_HIGH];
		}
	}
}

/* Warnings are about what was asked for. */
static void warn(const struct driver_rules *rules, const struct coalesce *request, struct driver_result *result)
{
	for (unsigned i = 0; i < rules->field_count; i++) {
		if (coalesce_has(request, rules->fields[i].field)) {
			warn_value(rules, &rules->fields[i], request->value[rules->fields[i].field], result);
		}
	}
}

void driver_rules_set(const struct driver_rules *rules, struct rules_state *state, const struct coalesce *request,
		      struct driver_result *result)
{
	memset(result, 0, sizeof(*result));
	result->field = COALESCE_FIELDS;
	if (!check_core(rules, state, request, result)) {
		return;
	}
	const struct coalesce wanted = coalesce_merge(&state->reported, request);

	result->unchanged = coalesce_difference(&wanted, &state->reported) == 0;
	if (!result->unchanged && check_values(rules, &wanted, result) && check_cross(rules, state, &wanted, result)) {
		read_back(rules, state, &wanted);
		warn(rules, request, result);
	}
}

bool driver_rules_nearest(const struct driver_rules *rules, const struct rules_state *state,
			  const struct coalesce *request, enum coalesce_field field, bool upwards, uint32_t *value)
{
	const struct rule_field *const rule = find_field(rules, field);
	const uint32_t refused = request->value[field];
	bool has = false;
	uint32_t candidates[RULE_CODES_MAX + 2];
	unsigned count = 0;

	if (!rule) {
		return false;
	}
	if (!rule->only_codes) {
		candidates[count++] = rule->least;
		candidates[count++] = rule->most ? rule->most : UINT32_MAX;
	}
	for (unsigned i = 0; i < rule->code_count; i++) {
		candidates[count++] = rule->codes[i];
	}
	/* The ends of what is accepted are all that can be nearest to a value that is not. */
	for (unsigned i = 0; i < count; i++) {
		struct rules_state trial = *state;
		struct coalesce other = *request;
		struct driver_result result;
		const uint32_t candidate = candidates[i];
		const bool is_on_side = upwards ? candidate > refused : candidate < refused;
		const bool is_nearer = !has || (upwards ? candidate < *value : candidate > *value);

		coalesce_put(&other, field, candidate);
		driver_rules_set(rules, &trial, &other, &result);
		if (is_on_side && is_nearer && result.error == 0) {
			*value = candidate;
			has = true;
		}
	}
	return has;
}

/* ---- what it comes to ---- */

/* One timer of the vector: sent frames wait by rx-usecs, whatever tx-usecs says. */
static bool tx_shares_timer(const struct driver_rules *rules, const struct rules_state *state)
{
	for (unsigned i = 0; i < rules->cross_count; i++) {
		if (rules->cross[i].condition == RULE_TX_WITH_PAIRS || rules->cross[i].condition == RULE_TX_KEPT) {
			return state->has_pairs;
		}
	}
	return false;
}

struct chip_hold driver_rules_hold(const struct driver_rules *rules, const struct rules_state *state,
				   enum chip_direction direction)
{
	const bool as_tx = direction == CHIP_TX && !tx_shares_timer(rules, state);
	const enum coalesce_field usecs = as_tx ? COALESCE_TX_USECS : COALESCE_RX_USECS;
	const enum coalesce_field frames = as_tx ? COALESCE_TX_FRAMES : COALESCE_RX_FRAMES;
	const struct rule_field *const rule = find_field(rules, usecs);
	const uint32_t count = state->reported.value[frames];
	const bool has_time = coalesce_has(&state->reported, usecs) && !(rule && rule->is_ignored);
	const int64_t span_ns = has_time ? hardware_value(rules, rule, state->reported.value[usecs]) : 0;
	const bool has_frames = coalesce_has(&state->reported, frames);
	const bool is_each = has_frames && (count == 1 || (rules->zero_is_each && (count == 0 || span_ns == 0)));

	if (is_each || (span_ns == 0 && count == 0) || (as_tx && rules->tx_at_ring_empty)) {
		return (struct chip_hold){ .kind = CHIP_HOLD_NONE };
	}
	const bool restarts = state->reported.value[as_tx ? COALESCE_CQE_MODE_TX : COALESCE_CQE_MODE_RX];

	return (struct chip_hold){
		.kind = !span_ns   ? CHIP_HOLD_OFF
			: restarts ? CHIP_HOLD_RESTART
				   : rules->kind,
		.hold_ns = span_ns ? span_ns : NEVER_AT_NS,
		.frames = count,
	};
}
