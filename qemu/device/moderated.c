/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"

#include "device/moderated.h"

#include "qemu/timer.h"

#include "device/log.h"

int64_t moderated_now_ns(void)
{
	return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

/* After every call to the chip. */
static void settle(struct moderated *moderated)
{
	const uint32_t lines = chip_irq_lines(&moderated->chip);

	if (lines != moderated->lines) {
		moderated->lines = lines;
		log_event(moderated->name, "irq 0x%x", lines);
		moderated->lines_changed(moderated->device, lines);
	}
	alarm_set(&moderated->alarm, chip_deadline(&moderated->chip));
}

static void deadline_reached(void *opaque)
{
	struct moderated *moderated = opaque;

	chip_advance(&moderated->chip, moderated_now_ns());
	settle(moderated);
}

void moderated_init(struct moderated *moderated, const struct chip_config *config, const char *name,
		    void (*lines_changed)(void *device, uint32_t lines), void *device)
{
	chip_init(&moderated->chip, config);
	moderated->name = name;
	moderated->lines = 0;
	moderated->lines_changed = lines_changed;
	moderated->device = device;
	alarm_init(&moderated->alarm, deadline_reached, moderated);
}

bool moderated_check(const struct assume *assume, Error **errp)
{
	for (unsigned name = 0; name < ASSUME_COUNT; name++) {
		const struct assume_info *info = &assume_infos[name];

		if (assume->value[name] < info->min || assume->value[name] > info->max) {
			error_setg(errp, "%s is %" PRId64 " to %" PRId64 ", not %" PRId64, info->name, info->min,
				   info->max, assume->value[name]);
			return false;
		}
	}
	return true;
}

void moderated_stop(struct moderated *moderated)
{
	alarm_stop(&moderated->alarm);
}

void moderated_reset(struct moderated *moderated)
{
	const struct chip_config config = moderated->chip.config;
	const unsigned link_mbps = moderated->chip.link_mbps;

	chip_init(&moderated->chip, &config);
	chip_set_link(&moderated->chip, moderated_now_ns(), link_mbps);
	settle(moderated);
}

uint32_t moderated_read(struct moderated *moderated, uint32_t offset)
{
	const uint32_t value = chip_read(&moderated->chip, moderated_now_ns(), offset);

	settle(moderated);
	return value;
}

void moderated_write(struct moderated *moderated, uint32_t offset, uint32_t value)
{
	if (log_wanted()) {
		const struct chip_register *written = chip_register_at(moderated->chip.config.family, offset);

		if (written) {
			log_event(moderated->name, "write %s 0x%0*x", written->name, written->width_bits / 4, value);
		}
	}
	chip_write(&moderated->chip, moderated_now_ns(), offset, value);
	settle(moderated);
}

void moderated_set_link(struct moderated *moderated, unsigned speed_mbps)
{
	log_event(moderated->name, "link %u", speed_mbps);
	chip_set_link(&moderated->chip, moderated_now_ns(), speed_mbps);
	settle(moderated);
}

void moderated_frame_received(struct moderated *moderated, unsigned queue, unsigned frame_bytes, unsigned flags)
{
	log_event(moderated->name, "received %u %u", queue, frame_bytes);
	chip_frame_received(&moderated->chip, moderated_now_ns(), queue, frame_bytes, flags);
	settle(moderated);
}

void moderated_frame_sent(struct moderated *moderated, unsigned queue, unsigned frame_bytes, unsigned flags)
{
	log_event(moderated->name, "sent %u %u", queue, frame_bytes);
	chip_frame_sent(&moderated->chip, moderated_now_ns(), queue, frame_bytes, flags);
	settle(moderated);
}

void moderated_frame_missed(struct moderated *moderated, unsigned queue, unsigned frame_bytes)
{
	log_event(moderated->name, "missed %u %u", queue, frame_bytes);
	chip_frame_missed(&moderated->chip, moderated_now_ns(), queue);
	settle(moderated);
}

void moderated_rx_free(struct moderated *moderated, unsigned queue, unsigned free_descriptors)
{
	chip_rx_free(&moderated->chip, moderated_now_ns(), queue, free_descriptors);
	settle(moderated);
}
