/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What settings are by themselves: modes, other units, values that are not in force. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "diagnose/rules.h"
#include "driver/rules.h"
#include "nic/quirk.h"

/* Of a device's remark: where its settings stand. */
static void at_settings(struct remark_origin *origin, const struct diagnosis *diagnosis, unsigned index)
{
	const struct diagnose_device *const device = &diagnosis->devices[index];

	origin->device = (int)index;
	origin->file = device->settings_file;
	origin->line = device->has_settings ? device->settings_line : 0;
}

void rule_no_settings(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	for (unsigned i = 0; i < diagnosis->device_count; i++) {
		at_settings(origin, diagnosis, i);
		if (diagnosis->devices[i].support == DIAGNOSE_SUPPORT_NONE && !diagnosis->devices[i].has_settings) {
			remark_add(
				diagnosis, origin, DIAGNOSE_MEANS,
				"the driver of %s has no coalescing interface: this is its answer, not an error of the "
				"text; what is left is NAPI's deferral (gro_flush_timeout, napi_defer_hard_irqs)",
				remark_device(diagnosis, (int)i));
		}
	}
}

static bool all_zero(const struct coalesce *settings)
{
	for (unsigned field = 0; field < COALESCE_FIELDS; field++) {
		if (settings->value[field]) {
			return false;
		}
	}
	return true;
}

void rule_zero_is_not_support(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	for (unsigned i = 0; i < diagnosis->device_count; i++) {
		const struct diagnose_device *const device = &diagnosis->devices[i];

		at_settings(origin, diagnosis, i);
		if (!device->has_settings || device->support != DIAGNOSE_SUPPORT_UNKNOWN) {
			continue;
		}
		remark_add(diagnosis, origin, DIAGNOSE_NOTE, "%s: %s", remark_device(diagnosis, (int)i),
			   all_zero(&device->settings)
				   ? "every field is 0: support unknown, it may mean that the driver has none of them"
				   : "a 0 in this old form of the table may also mean that the driver has no such "
				     "setting");
	}
}

/* "rx-usecs 3 is a mode" of either direction. */
static void tell_mode(struct diagnosis *diagnosis, struct remark_origin *origin, const struct diagnose_device *device,
		      enum coalesce_field field)
{
	const struct nic_quirk *const quirk = nic_quirk_find(device->driver);
	const struct nic_mode_code *const code =
		coalesce_has(&device->settings, field) ? nic_quirk_code(quirk, device->settings.value[field]) : NULL;
	char from[TEXT_DURATION_MAX], to[TEXT_DURATION_MAX];

	if (code) {
		remark_add(diagnosis, origin, DIAGNOSE_MEANS,
			   "%s %" PRIu32 " of %s is a mode, %s: the driver moves between %s and %s by traffic; it is "
			   "not %" PRIu32 " us",
			   coalesce_fields[field].name, code->value, device->driver, code->name,
			   text_print_duration(code->range.from_ns, from), text_print_duration(code->range.to_ns, to),
			   code->value);
	}
}

void rule_mode_code(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	for (unsigned i = 0; i < diagnosis->device_count; i++) {
		at_settings(origin, diagnosis, i);
		tell_mode(diagnosis, origin, &diagnosis->devices[i], COALESCE_RX_USECS);
		tell_mode(diagnosis, origin, &diagnosis->devices[i], COALESCE_TX_USECS);
	}
}

void rule_nanoseconds(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	for (unsigned i = 0; i < diagnosis->device_count; i++) {
		const struct diagnose_device *const device = &diagnosis->devices[i];
		const bool has = coalesce_has(&device->settings, COALESCE_RX_USECS);
		const uint32_t value = device->settings.value[COALESCE_RX_USECS];
		char span[TEXT_DURATION_MAX];

		at_settings(origin, diagnosis, i);
		if (has && nic_quirk_has(nic_quirk_find(device->driver), NIC_QUIRK_NANOSECONDS)) {
			remark_add(diagnosis, origin, DIAGNOSE_MEANS,
				   "rx-usecs %" PRIu32 " of %s is a number of nanoseconds: %s", value, device->driver,
				   text_print_duration(value, span));
		}
	}
}

/* How many interrupts a second a fixed time allows: what to compare a count with. */
void rule_rate_bound(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	for (unsigned i = 0; i < diagnosis->device_count; i++) {
		const struct diagnose_device *const device = &diagnosis->devices[i];
		const struct nic_quirk *const quirk = nic_quirk_find(device->driver);
		const uint32_t usecs = device->settings.value[COALESCE_RX_USECS];
		const bool is_fixed = usecs && !device->settings.value[COALESCE_ADAPTIVE_RX] &&
				      !nic_quirk_code(quirk, usecs) && !nic_quirk_has(quirk, NIC_QUIRK_NANOSECONDS);

		at_settings(origin, diagnosis, i);
		if (is_fixed && usecs >= 4) {
			remark_add(diagnosis, origin, DIAGNOSE_MEANS,
				   "rx-usecs %" PRIu32 " allows at most %u interrupts/s of a queue, unless rx-frames "
				   "ends the wait before",
				   usecs, 1000000u / usecs);
		}
	}
}

void rule_adaptive(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	static const struct {
		enum coalesce_field adaptive, usecs, frames;
		const char *direction;
	} rows[] = {
		{ COALESCE_ADAPTIVE_RX, COALESCE_RX_USECS, COALESCE_RX_FRAMES, "rx" },
		{ COALESCE_ADAPTIVE_TX, COALESCE_TX_USECS, COALESCE_TX_FRAMES, "tx" },
	};

	for (unsigned i = 0; i < diagnosis->device_count; i++) {
		const struct coalesce *const settings = &diagnosis->devices[i].settings;

		at_settings(origin, diagnosis, i);
		for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
			const char *const direction = rows[row].direction;

			if (settings->value[rows[row].adaptive]) {
				remark_add(diagnosis, origin, DIAGNOSE_MEANS,
					   "adaptive-%s is on: an algorithm chooses the delay by traffic, and %s-usecs "
					   "%" PRIu32 " is not in force, at most where it starts",
					   direction, direction, settings->value[rows[row].usecs]);
			}
		}
	}
}

void rule_software_deferral(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	for (unsigned i = 0; i < diagnosis->device_count; i++) {
		const struct diagnose_device *const device = &diagnosis->devices[i];
		const bool rearms = nic_quirk_has(nic_quirk_find(device->driver), NIC_QUIRK_REARMS);
		const int64_t timeout_ns =
			device->gro_flush_timeout_ns < INT64_MAX ? (int64_t)device->gro_flush_timeout_ns : INT64_MAX;
		char span[TEXT_DURATION_MAX];

		origin->device = (int)i;
		if (!device->has_knobs[0] || !device->has_knobs[1] || timeout_ns == 0) {
			continue;
		}
		text_print_duration(timeout_ns, span);
		if (device->defer_hard_irqs == 0) {
			remark_add(diagnosis, origin, DIAGNOSE_MEANS,
				   "napi_defer_hard_irqs 0: gro_flush_timeout %s keeps no interrupt off, it only holds "
				   "what GRO has not finished",
				   span);
		} else if (rearms) {
			remark_add(diagnosis, origin, DIAGNOSE_MEANS,
				   "%s re-arms its interrupt whatever NAPI says: the deferral of %s has no effect",
				   device->driver, span);
		} else {
			remark_add(diagnosis, origin, DIAGNOSE_MEANS,
				   "software hold-off %s active, which ethtool -c does not show: after a poll with "
				   "frames the interrupt stays off and a timer polls, %" PRIu64 " times while nothing "
				   "comes",
				   span, device->defer_hard_irqs);
		}
	}
}

/* The fields of a refused request that the table says the driver does not have. */
static bool list_absent(const struct diagnose_device *device, const struct coalesce *request, char *list, size_t size)
{
	size_t used = 0;

	list[0] = '\0';
	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		if (coalesce_has(request, field) && device->absent & COALESCE_BIT(field) && used < size) {
			used += (size_t)snprintf(list + used, size - used, "%s%s", used ? ", " : "",
						 coalesce_fields[field].name);
		}
	}
	return used > 0;
}

void rule_not_supported(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	for (unsigned i = 0; i < diagnosis->change_count; i++) {
		const struct diagnose_change *const change = &diagnosis->changes[i];
		char list[160], words[COALESCE_TEXT_MAX], command[200];

		if (!change->is_refused || change->device < 0) {
			continue;
		}
		const struct diagnose_device *const device = &diagnosis->devices[change->device];
		struct coalesce rest = change->request;

		origin->device = change->device;
		origin->file = change->file;
		origin->line = change->line;
		if (!list_absent(device, &change->request, list, sizeof(list))) {
			continue;
		}
		rest.present &= ~device->absent;
		remark_add(diagnosis, origin, DIAGNOSE_CAUSE,
			   "%s: %s does not have %s, and a request with a field that a driver lacks is refused as a "
			   "whole",
			   remark_device(diagnosis, change->device), device->driver[0] ? device->driver : "the driver",
			   list);
		if (rest.present) {
			snprintf(command, sizeof(command), "ethtool -C %s %.150s",
				 device->name[0] ? device->name : "DEV", coalesce_print(&rest, words));
			remark_try(diagnosis, origin, command, "the rest of that request alone");
		}
	}
}

/* Set, read back so, and another value later without a request: the device was reset meanwhile. */
void rule_drifted(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	for (unsigned i = 0; i < diagnosis->device_count; i++) {
		const struct diagnose_device *const device = &diagnosis->devices[i];

		at_settings(origin, diagnosis, i);
		for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
			if (device->drifted & COALESCE_BIT(field)) {
				remark_add(diagnosis, origin, DIAGNOSE_CAUSE,
					   "%s of %s changed from %" PRIu32 " to %" PRIu32
					   " between two tables without a request in the text: it drifted; a reset, an "
					   "XDP program, ethtool -L and -G are known to do that",
					   coalesce_fields[field].name, remark_device(diagnosis, (int)i),
					   device->drifted_from.value[field], device->settings.value[field]);
			}
		}
	}
}

void rule_hardware_stamps(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	for (unsigned i = 0; i < diagnosis->device_count; i++) {
		origin->device = (int)i;
		if (diagnosis->devices[i].has_rx_stamps) {
			remark_add(diagnosis, origin, DIAGNOSE_ACQUITTED,
				   "the accuracy of hardware receive stamps: coalescing changes when a frame is "
				   "delivered, not its stamp; with software stamps it is part of them");
		}
	}
}

/* ---- by the rules of drivers without a model ---- */

static void start_from(struct rules_state *state, const struct driver_rules *rules,
		       const struct diagnose_device *device)
{
	rules_state_init(state, rules);
	/* An old table has zeros for what the driver lacks. */
	if (device->has_settings && device->support == DIAGNOSE_SUPPORT_SAID) {
		state->reported = device->settings;
	}
	if (device->has_channels) {
		state->has_pairs = device->channels.count[DIAGNOSE_COUNT_COMBINED] > 0;
	}
}

/* The request without the fields that the driver does not have. */
static void try_rest(struct diagnosis *diagnosis, const struct remark_origin *origin, const struct driver_rules *rules,
		     const struct diagnose_change *change)
{
	const struct diagnose_device *const device = &diagnosis->devices[change->device];
	struct coalesce rest = change->request;
	char words[COALESCE_TEXT_MAX], command[200];
	struct rules_state state;
	struct driver_result result;

	rest.present &= rules->supported;
	start_from(&state, rules, device);
	driver_rules_set(rules, &state, &rest, &result);
	/* A zero for sent frames that share the timer of received ones says nothing. */
	if (result.error && result.field == COALESCE_TX_USECS) {
		rest.present &= ~COALESCE_BIT(COALESCE_TX_USECS);
		driver_rules_set(rules, &state, &rest, &result);
	}
	if (rest.present && !result.error) {
		snprintf(command, sizeof(command), "ethtool -C %s %.150s", device->name[0] ? device->name : "DEV",
			 coalesce_print(&rest, words));
		remark_try(diagnosis, origin, command, "what of that request %s takes", rules->drivers[0]);
	}
}

/* Why it was refused, where the table of ethtool -c does not tell. */
void rule_refused(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	for (unsigned i = 0; i < diagnosis->change_count; i++) {
		const struct diagnose_change *const change = &diagnosis->changes[i];
		const struct driver_rules *const rules =
			change->device >= 0 ? driver_rules_find(diagnosis->devices[change->device].driver) : NULL;
		struct rules_state state;
		struct driver_result result;

		if (!change->is_refused || !rules || rules->has_none) {
			continue;
		}
		origin->device = change->device;
		origin->file = change->file;
		origin->line = change->line;
		start_from(&state, rules, &diagnosis->devices[change->device]);
		driver_rules_set(rules, &state, &change->request, &result);
		if (result.error) {
			remark_add(diagnosis, origin, DIAGNOSE_CAUSE, "%s refuses it: %s", rules->drivers[0],
				   result.why);
			try_rest(diagnosis, origin, rules, change);
		}
	}
}

/* Where something is wrong, the way to rule coalescing out on that driver. */
void rule_least(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	for (unsigned i = 0; i < diagnosis->device_count; i++) {
		const struct diagnose_device *const device = &diagnosis->devices[i];
		const struct driver_rules *const rules = driver_rules_find(device->driver);
		char command[200];

		at_settings(origin, diagnosis, i);
		if (!rules || rules->has_none || !device->has_settings || !diagnosis->ping_count) {
			continue;
		}
		snprintf(command, sizeof(command), "ethtool -C %s %.150s", device->name[0] ? device->name : "DEV",
			 rules->lowest);
		remark_try(diagnosis, origin, command,
			   "the least delay that %s can be set to: if nothing changes, it is "
			   "not coalescing",
			   rules->drivers[0]);
	}
}
