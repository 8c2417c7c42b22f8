/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the settings of a text come to, in the way in which holdoff show finds it for a real interface: the facts of the
 * text take the place of the kernel's answers, and what the text does not say stays unknown.
 */
#include <errno.h>
#include <string.h>

#include "cmd/diagnose.h"

static uint32_t count_of(int64_t count)
{
	return count > 0 ? (uint32_t)count : 0;
}

static void take_identity(struct nic_identity *identity, const struct diagnose_device *device, const char *kernel)
{
	const bool has_release = device->version[0] >= '2' && device->version[0] <= '9' && strchr(device->version, '.');

	*identity = (struct nic_identity){ .is_up = true, .has_carrier = true, .speed_mbps = device->speed_mbps };
	memcpy(identity->name, device->name, sizeof(device->name));
	memcpy(identity->driver, device->driver, sizeof(device->driver));
	memcpy(identity->bus, device->bus, sizeof(device->bus));
	/* Drivers of the kernel's tree have its release for their version. */
	snprintf(identity->kernel, sizeof(identity->kernel), "%s",
		 kernel[0]     ? kernel
		 : has_release ? device->version
			       : "");
	identity->has |= device->driver[0] ? NIC_HAS_DRIVER : 0;
	identity->has |= device->speed_mbps ? NIC_HAS_SPEED : 0;
	if (device->has_channels) {
		identity->has |= NIC_HAS_CHANNELS;
		identity->rx_channels = count_of(device->channels.count[DIAGNOSE_COUNT_RX]);
		identity->tx_channels = count_of(device->channels.count[DIAGNOSE_COUNT_TX]);
		identity->other_channels = count_of(device->channels.count[DIAGNOSE_COUNT_OTHER]);
		identity->combined_channels = count_of(device->channels.count[DIAGNOSE_COUNT_COMBINED]);
	}
	if (device->has_rings) {
		identity->has |= NIC_HAS_RINGS;
		identity->rx_ring = count_of(device->rings.count[DIAGNOSE_COUNT_RX]);
		identity->tx_ring = count_of(device->rings.count[DIAGNOSE_COUNT_TX]);
	}
}

/* An old table has zeros for what the driver lacks: with these no driver would report it. */
static void take_settings(struct show_device *shown, const struct diagnose_device *device)
{
	shown->coalesce = device->settings;
	shown->coalesce_fault.error = device->has_settings                       ? 0
				      : device->support == DIAGNOSE_SUPPORT_NONE ? -EOPNOTSUPP
										 : -ENODATA;
	for (enum coalesce_field field = 0; device->support == DIAGNOSE_SUPPORT_UNKNOWN && field < COALESCE_FIELDS;
	     field++) {
		if (shown->coalesce.value[field] == 0 && field != COALESCE_RX_USECS && field != COALESCE_TX_USECS) {
			shown->coalesce.present &= ~COALESCE_BIT(field);
		}
	}
	/* What show has is a row for each queue from 0 on. */
	for (unsigned i = 0; i < device->queue_count && device->queues[i].queue == i; i++) {
		shown->queues[shown->queue_count++] = device->queues[i].settings;
	}
}

static void take_knobs(struct show_device *shown, const struct diagnose_device *device)
{
	if (!device->has_knobs[0] || !device->has_knobs[1]) {
		shown->napis_fault.error = -ENODATA;
		return;
	}
	shown->napis[shown->napi_count++] = (struct nic_napi){
		.present = NIC_NAPI_DEFER_HARD_IRQS | NIC_NAPI_GRO_FLUSH_TIMEOUT,
		.defer_hard_irqs = device->defer_hard_irqs > UINT32_MAX ? UINT32_MAX
									: (uint32_t)device->defer_hard_irqs,
		.gro_flush_timeout_ns = device->gro_flush_timeout_ns,
	};
}

static void keep_effect(struct diagnose_device *device, const struct show_moderation *moderation)
{
	for (enum chip_direction direction = CHIP_RX; direction < CHIP_DIRECTIONS; direction++) {
		const struct show_hold *const hold = &moderation->hardware[direction];

		device->has_worst[direction] = hold->source != SHOW_UNKNOWN && hold->source != SHOW_SOFTWARE;
		device->worst_ns[direction] = hold->worst_ns;
		device->is_range |= hold->source == SHOW_MODE || hold->source == SHOW_ADAPTIVE;
	}
	device->is_throttle = moderation->hardware[CHIP_RX].hold.kind == CHIP_HOLD_THROTTLE ||
			      nic_quirk_has(moderation->quirk, NIC_QUIRK_THROTTLE);
}

void diagnose_find_effects(struct diagnosis *diagnosis, struct show_device *shown)
{
	for (unsigned i = 0; i < diagnosis->device_count; i++) {
		struct diagnose_device *const device = &diagnosis->devices[i];

		if (!device->driver[0] && diagnosis->options.driver) {
			snprintf(device->driver, sizeof(device->driver), "%.31s", diagnosis->options.driver);
		}
		memcpy(shown[i].name, device->name, sizeof(device->name));
		take_identity(&shown[i].identity, device, diagnosis->kernel);
		shown[i].identity_fault.error = device->driver[0] ? 0 : -ENODATA;
		take_settings(&shown[i], device);
		take_knobs(&shown[i], device);
		if (device->driver[0]) {
			nic_model_find(&shown[i].model, &shown[i].identity,
				       device->has_settings ? &shown[i].coalesce : NULL);
		}
		show_moderation_find(&shown[i]);
		keep_effect(device, &shown[i].moderation);
	}
}
