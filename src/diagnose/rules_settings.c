/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What settings are by themselves: modes, other units, values that are not in force. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "diagnose/rules.h"
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
