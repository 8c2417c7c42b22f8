/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits and rounding of drivers without a model are those of driver/rules.h. The table here holds what else published reports
 * and the drivers themselves say, above all what a change does besides (below drivers/net of Linux 6.12 unless named otherwise).
 * Rows stand only for what is certain. A refusal can be overruled, since a newer driver may take it.
 */
#include "change/advice.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "change/request.h"
#include "driver/rules.h"
#include "nic/quirk.h"

__attribute__((format(printf, 3, 4))) static void add(struct change_advice *advice, enum change_advice_kind kind,
						      const char *format, ...)
{
	va_list values;

	advice->is_refused |= kind == CHANGE_REFUSED;
	if (advice->count == CHANGE_ADVICE_MAX) {
		return;
	}
	advice->items[advice->count].kind = kind;
	va_start(values, format);
	vsnprintf(advice->items[advice->count].text, sizeof(advice->items[0].text), format, values);
	va_end(values);
	advice->count++;
}

const char *change_advice_word(enum change_advice_kind kind)
{
	static const char *const words[] = { "note", "warning", "interrupts", "refused" };

	return words[kind];
}

/* ---- drivers ---- */

enum condition {
	VALUE,      /* the value that is asked for lies within from..to */
	ANY_CHANGE, /* it is changed at all */
	WHILE_UP,   /* it is changed while the interface is up */
};

struct rule {
	const char *driver; /* as ETHTOOL_GDRVINFO has it, or its beginning */
	enum coalesce_field field;
	enum condition condition;
	uint32_t from, to;
	enum change_advice_kind kind;
	const char *text; /* goes on after "rx-usecs 100: " */
};

#define USECS_PAIR(driver, condition, from, to, kind, text)                \
	{ driver, COALESCE_RX_USECS, condition, from, to, kind, text },    \
	{                                                                  \
		driver, COALESCE_TX_USECS, condition, from, to, kind, text \
	}

static const struct rule rules[] = {
	/* ethernet/intel/ixgbe/ixgbe_ethtool.c: ixgbe_set_coalesce ends in ixgbe_do_reset in these cases. */
	USECS_PAIR("ixgbe", ANY_CHANGE, 0, 0, CHANGE_INTERRUPTS,
		   "a change across 10us, or one that switches receive coalescing (RSC), resets the port: the link "
		   "drops for some seconds"),
	/* ethernet/freescale/enetc/enetc_ethtool.c */
	{ "fsl_enetc", COALESCE_ADAPTIVE_RX, ANY_CHANGE, 0, 0, CHANGE_INTERRUPTS,
	  "changing the adaptive mode restarts the interface: traffic stops for a moment" },
	{ "fsl_enetc", COALESCE_ADAPTIVE_TX, ANY_CHANGE, 0, 0, CHANGE_INTERRUPTS,
	  "changing the adaptive mode restarts the interface: traffic stops for a moment" },
	/* usb/r8152.c */
	{ "r8152", COALESCE_RX_USECS, ANY_CHANGE, 0, 0, CHANGE_INTERRUPTS,
	  "a new value stops and restarts the interface: the carrier drops for a moment" },
	/* Emulex Drivers for Linux User Manual 10.2 */
	{ "be2net", COALESCE_RX_FRAMES, VALUE, 1, 1, CHANGE_WARNING, "on this driver this turns LRO off" },
	/* can/spi/mcp251xfd/mcp251xfd-ethtool.c */
	{ "mcp251xfd", COALESCE_RX_USECS_IRQ, WHILE_UP, 0, 0, CHANGE_REFUSED,
	  "this driver changes it only while the interface is down: bring it down first" },
	{ "mcp251xfd", COALESCE_RX_FRAMES_IRQ, WHILE_UP, 0, 0, CHANGE_REFUSED,
	  "this driver changes it only while the interface is down: bring it down first" },
	{ "mcp251xfd", COALESCE_TX_USECS_IRQ, WHILE_UP, 0, 0, CHANGE_REFUSED,
	  "this driver changes it only while the interface is down: bring it down first" },
	{ "mcp251xfd", COALESCE_TX_FRAMES_IRQ, WHILE_UP, 0, 0, CHANGE_REFUSED,
	  "this driver changes it only while the interface is down: bring it down first" },
	/* commit d52bcb47bdf9 made it take 0 */
	{ "TI DaVinci EMAC", COALESCE_RX_USECS, VALUE, 0, 0, CHANGE_WARNING, "this driver refused 0 before 2021" },
	/* ethernet/ti/am65-cpsw-ethtool.c: hrtimer, at least 20us */
	USECS_PAIR("am65-cpsw", VALUE, 1, 19, CHANGE_REFUSED, "it is below the 20us that this driver takes at least"),
	{ "am65-cpsw", COALESCE_TX_USECS, ANY_CHANGE, 0, 0, CHANGE_WARNING,
	  "it acts on transmit queue 0 only: name the others with \"queue LIST\"" },
};

static bool matches(const struct rule *rule, const struct change *change, const struct coalesce *wanted,
		    const struct coalesce *old)
{
	if (strncmp(change->identity.driver, rule->driver, strlen(rule->driver)) != 0 ||
	    !coalesce_has(wanted, rule->field)) {
		return false;
	}
	const uint32_t value = wanted->value[rule->field];

	if (coalesce_has(old, rule->field) && old->value[rule->field] == value) {
		return false;
	}
	switch (rule->condition) {
	case VALUE:
		return value >= rule->from && value <= rule->to;
	case ANY_CHANGE:
		return true;
	case WHILE_UP:
		return change->identity.is_up;
	}
	return false;
}

static void by_table(const struct change *change, const struct coalesce *wanted, const struct coalesce *old,
		     const char *scope, struct change_advice *advice)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (matches(&rules[i], change, wanted, old)) {
			add(advice, rules[i].kind, "%s%s %" PRIu32 ": %s", scope, coalesce_fields[rules[i].field].name,
			    wanted->value[rules[i].field], rules[i].text);
		}
	}
}

/* ---- any driver ---- */

struct direction {
	enum coalesce_field usecs, frames, adaptive, low, high;
};

static const struct direction directions[] = {
	{ COALESCE_RX_USECS, COALESCE_RX_FRAMES, COALESCE_ADAPTIVE_RX, COALESCE_RX_USECS_LOW, COALESCE_RX_USECS_HIGH },
	{ COALESCE_TX_USECS, COALESCE_TX_FRAMES, COALESCE_ADAPTIVE_TX, COALESCE_TX_USECS_LOW, COALESCE_TX_USECS_HIGH },
};

static bool changes(const struct coalesce *wanted, const struct coalesce *old, enum coalesce_field field)
{
	return coalesce_has(wanted, field) && !(coalesce_has(old, field) && old->value[field] == wanted->value[field]);
}

/* A static value that the adaptive mode would overrule or the driver refuse. Switching it off is for the user to ask. */
static void of_adaptive(const struct direction *direction, const struct coalesce *wanted, const struct coalesce *old,
			const char *scope, struct change_advice *advice)
{
	const struct coalesce whole = coalesce_merge(old, wanted);
	const enum coalesce_field fields[] = { direction->usecs, direction->frames };
	const char *const mode = coalesce_fields[direction->adaptive].name;

	if (!coalesce_has(&whole, direction->adaptive) || !whole.value[direction->adaptive]) {
		return;
	}
	for (unsigned i = 0; i < 2; i++) {
		if (changes(wanted, old, fields[i])) {
			add(advice, CHANGE_REFUSED,
			    "%s%s %" PRIu32 " would not hold while %s is on: ask for \"%s off\" with it", scope,
			    coalesce_fields[fields[i]].name, wanted->value[fields[i]], mode, mode);
		}
	}
}

static void of_both_zero(const struct direction *direction, const struct coalesce *wanted, const struct coalesce *old,
			 const char *scope, struct change_advice *advice)
{
	const struct coalesce whole = coalesce_merge(old, wanted);
	const bool is_asked = changes(wanted, old, direction->usecs) || changes(wanted, old, direction->frames);
	const bool has_both = coalesce_has(&whole, direction->usecs) && coalesce_has(&whole, direction->frames);

	if (is_asked && has_both && !whole.value[direction->usecs] && !whole.value[direction->frames]) {
		add(advice, CHANGE_WARNING,
		    "%s%s and %s are both 0, which ethtool's rules forbid (off is 0 and 1): drivers make different "
		    "things of it",
		    scope, coalesce_fields[direction->usecs].name, coalesce_fields[direction->frames].name);
	}
}

static void of_low_high(const struct direction *direction, const struct coalesce *wanted, const struct coalesce *old,
			const char *scope, struct change_advice *advice)
{
	const struct coalesce whole = coalesce_merge(old, wanted);
	const bool is_asked = changes(wanted, old, direction->low) || changes(wanted, old, direction->high);

	if (is_asked && coalesce_has(&whole, direction->low) && coalesce_has(&whole, direction->high) &&
	    whole.value[direction->low] > whole.value[direction->high]) {
		add(advice, CHANGE_REFUSED, "%s%s %" PRIu32 " is above %s %" PRIu32, scope,
		    coalesce_fields[direction->low].name, whole.value[direction->low],
		    coalesce_fields[direction->high].name, whole.value[direction->high]);
	}
}

static void of_any_driver(const struct change *change, const struct coalesce *wanted, const struct coalesce *old,
			  const char *scope, struct change_advice *advice)
{
	for (unsigned i = 0; i < 2; i++) {
		of_adaptive(&directions[i], wanted, old, scope, advice);
		of_low_high(&directions[i], wanted, old, scope, advice);
		if (!change->model.is_known) {
			of_both_zero(&directions[i], wanted, old, scope, advice);
		}
	}
	by_table(change, wanted, old, scope, advice);
}

/* ---- the model ---- */

static void add_nearest(const struct driver *driver, const struct coalesce *wanted, const struct driver_result *result,
			char *text, size_t size)
{
	const bool can_search = result->field < COALESCE_FIELDS && coalesce_has(wanted, result->field);
	uint32_t below = 0, above = 0;
	const bool has_below = can_search && driver_nearest_below(driver, wanted, result->field, 70000, &below);
	const bool has_above = can_search && driver_nearest_above(driver, wanted, result->field, 70000, &above);

	text[0] = '\0';
	if (has_below && has_above) {
		snprintf(text, size, "; the nearest that it takes are %" PRIu32 " and %" PRIu32, below, above);
	} else if (has_below || has_above) {
		snprintf(text, size, "; the nearest that it takes is %" PRIu32, has_below ? below : above);
	}
}

static void take_result(const struct driver *before, const struct coalesce *wanted, const struct driver_result *result,
			const char *scope, struct change_advice *advice)
{
	if (result->error) {
		char nearest[80], name[ERR_NAME_MAX];

		add_nearest(before, wanted, result, nearest, sizeof(nearest));
		add(advice, CHANGE_REFUSED, "%sthe driver refuses it with %s: %.150s%s", scope,
		    err_name(result->error, name), result->why, nearest);
		return;
	}
	for (unsigned i = 0; i < result->warning_count; i++) {
		add(advice, CHANGE_WARNING, "%s%s", scope, result->warnings[i]);
	}
}

/* Whether any of some other values of the field is taken and changes what is reported of it. */
static bool is_live(const struct driver *driver, enum coalesce_field field, uint32_t was, uint32_t asked)
{
	const uint32_t others[] = { 0, was / 2, was * 2 + 100, asked / 2, asked * 2 + 100 };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct driver other = *driver;
		struct driver_result result = { .quiet = true };
		struct coalesce request = { 0 }, reported = { 0 };

		coalesce_put(&request, field, others[i]);
		driver_set(&other, &request, &result);
		if (result.error == 0 && driver_get(&other, &reported) == 0 && reported.value[field] != was) {
			return true;
		}
	}
	return false;
}

/* A value that is rounded to what is there is no change without effect; one that the driver never heeds is. */
static uint32_t rounds_to_same(const struct change *change, const struct coalesce *predicted)
{
	const struct coalesce *const wanted = &change->wanted.device, *const old = &change->old.device;
	uint32_t fields = 0;

	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		if (coalesce_has(wanted, field) && coalesce_has(predicted, field) &&
		    predicted->value[field] == old->value[field] &&
		    is_live(&change->model.driver, field, old->value[field], wanted->value[field])) {
			fields |= COALESCE_BIT(field);
		}
	}
	return fields;
}

static void by_model(const struct change *change, struct change_advice *advice)
{
	struct driver after = change->model.driver;
	struct driver_result result = { 0 };

	if (!change->model.is_known) {
		return;
	}
	if (change->wanted.device.present) {
		driver_set(&after, &change->wanted.device, &result);
		take_result(&change->model.driver, &change->wanted.device, &result, "", advice);
		advice->has_prediction = result.error == 0 && driver_get(&after, &advice->predicted) == 0;
		advice->rounds_to_same = advice->has_prediction ? rounds_to_same(change, &advice->predicted) : 0;
	}
	for (unsigned i = 0; i < change->wanted.queue_count; i++) {
		const struct change_queue *const queue = &change->wanted.queues[i];
		const struct driver before = after;
		char scope[32];

		memset(&result, 0, sizeof(result));
		snprintf(scope, sizeof(scope), "queue %" PRIu32 ": ", queue->queue);
		driver_set_queue(&after, queue->queue, &queue->settings, &result);
		take_result(&before, &queue->settings, &result, scope, advice);
	}
}

/* ---- rules without a model ---- */

static void add_rule_refusal(const struct driver_rules *known, const struct rules_state *state,
			     const struct coalesce *wanted, const struct driver_result *result,
			     struct change_advice *advice)
{
	const bool can_search = result->field < COALESCE_FIELDS && coalesce_has(wanted, result->field);
	char below[24] = "", above[24] = "", name[ERR_NAME_MAX];
	uint32_t value;

	if (can_search && driver_rules_nearest(known, state, wanted, result->field, false, &value)) {
		snprintf(below, sizeof(below), "; below: %" PRIu32, value);
	}
	if (can_search && driver_rules_nearest(known, state, wanted, result->field, true, &value)) {
		snprintf(above, sizeof(above), "; above: %" PRIu32, value);
	}
	add(advice, known->is_conditional ? CHANGE_WARNING : CHANGE_REFUSED,
	    "the driver refuses it with %s%s: %.150s%s%s", err_name(result->error, name),
	    known->is_conditional ? " on most devices" : "", result->why, below, above);
}

/* The request as a whole, as the driver would check it after what is reported now. */
static void by_rules(const struct change *change, struct change_advice *advice)
{
	const struct nic_identity *const identity = &change->identity;
	const struct driver_rules *const known = change->model.is_known ? NULL : driver_rules_find(identity->driver);
	struct rules_state state = { .reported = change->old.device,
				     .has_pairs = !(identity->has & NIC_HAS_CHANNELS) ||
						  identity->combined_channels > 0,
				     .is_up = identity->is_up };
	const struct rules_state before = state;
	struct driver_result result;

	/* What any driver refuses has been said. */
	if (!known || known->has_none || !change->wanted.device.present || advice->is_refused) {
		return;
	}
	driver_rules_set(known, &state, &change->wanted.device, &result);
	if (result.error) {
		add_rule_refusal(known, &before, &change->wanted.device, &result, advice);
	}
	for (unsigned i = 0; i < result.warning_count; i++) {
		add(advice, CHANGE_WARNING, "%s", result.warnings[i]);
	}
}

/* The kernel hands a driver only what is not reported yet: queues that have other values keep them. */
static void of_other_queues(const struct change *change, struct change_advice *advice)
{
	const struct coalesce whole = coalesce_merge(&change->old.device, &change->wanted.device);

	if (!change->wanted.device.present || coalesce_difference(&whole, &change->old.device)) {
		return;
	}
	for (unsigned i = 0; i < change->old.queue_count; i++) {
		const struct change_queue *const queue = &change->old.queues[i];
		const struct coalesce asked = change_only(&change->wanted.device, queue->settings.present);
		const struct coalesce then = coalesce_merge(&queue->settings, &asked);
		const struct coalesce others =
			change_only(&queue->settings, coalesce_difference(&then, &queue->settings));
		char text[COALESCE_TEXT_MAX];

		if (others.present && !change_set_queue_settings(&change->wanted, queue->queue)) {
			add(advice, CHANGE_WARNING,
			    "queue %" PRIu32
			    " keeps %.100s: the interface as a whole reports what is asked, so nothing "
			    "is to be sent. \"queue %" PRIu32 " ...\" sets it",
			    queue->queue, coalesce_print(&others, text), queue->queue);
		}
	}
}

static void add_notes(const struct change *change, struct change_advice *advice)
{
	const struct nic_quirk *const quirk = nic_quirk_find(change->identity.driver);

	for (unsigned i = 0; quirk && !change->model.is_known && i < NIC_QUIRK_NOTES_MAX && quirk->notes[i]; i++) {
		add(advice, CHANGE_NOTE, "%s: %s", change->identity.driver, quirk->notes[i]);
	}
}

void change_advise(const struct change *change, struct change_advice *advice)
{
	memset(advice, 0, sizeof(*advice));
	of_other_queues(change, advice);
	if (!change->is_needed) {
		by_model(change, advice);
		return;
	}
	of_any_driver(change, &change->wanted.device, &change->old.device, "", advice);
	for (unsigned i = 0; i < change->wanted.queue_count; i++) {
		const struct change_queue *const queue = &change->wanted.queues[i];
		char scope[32];

		snprintf(scope, sizeof(scope), "queue %" PRIu32 ": ", queue->queue);
		of_any_driver(change, &queue->settings, change_set_queue_settings(&change->old, queue->queue), scope,
			      advice);
	}
	by_model(change, advice);
	by_rules(change, advice);
	if (change->wanted.device.present || change->wanted.queue_count) {
		add_notes(change, advice);
	}
}
