/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A chip of src/chip on QEMU's virtual clock. The device around it has descriptors, DMA, PHY and whatever registers do not
 * concern interrupts; every access that does goes through these functions, which give the chip its time, wake it at its
 * deadlines, log, and tell the device when an interrupt line has changed.
 */
#ifndef HOLDOFF_DEVICE_MODERATED_H
#define HOLDOFF_DEVICE_MODERATED_H

#include <stdint.h>

#include "qapi/error.h"

#include "chip/chip.h"
#include "device/alarm.h"

struct moderated {
	struct chip chip;
	const char *name; /* in the event log */
	struct alarm alarm;
	uint32_t lines; /* as last told */
	void (*lines_changed)(void *device, uint32_t lines);
	void *device;
};

/*
 * Chip after reset, link down. Keeps name and device, which have to live as long. lines_changed is called from within the
 * functions below, bit n for line n, and must not call them.
 */
void moderated_init(struct moderated *moderated, const struct chip_config *config, const char *name,
		    void (*lines_changed)(void *device, uint32_t lines), void *device);
/* Whether model choices, which come as properties of a device, are in their ranges; errp names the one that is not. */
bool moderated_check(const struct assume *assume, Error **errp);
/* Before the device goes away: no call comes after this. */
void moderated_stop(struct moderated *moderated);
/* As after moderated_init, but for the link, which no reset of a MAC takes down. */
void moderated_reset(struct moderated *moderated);

/* chip_read and its like (chip/chip.h), now. Writes to registers that the chip knows are logged by name. */
uint32_t moderated_read(struct moderated *moderated, uint32_t offset);
void moderated_write(struct moderated *moderated, uint32_t offset, uint32_t value);
void moderated_set_link(struct moderated *moderated, unsigned speed_mbps);
void moderated_frame_received(struct moderated *moderated, unsigned queue, unsigned frame_bytes, unsigned flags);
void moderated_frame_sent(struct moderated *moderated, unsigned queue, unsigned frame_bytes, unsigned flags);
void moderated_frame_missed(struct moderated *moderated, unsigned queue, unsigned frame_bytes);
void moderated_rx_free(struct moderated *moderated, unsigned queue, unsigned free_descriptors);

/* The instant of virtual time at which such a call happens. */
int64_t moderated_now_ns(void);

#endif
