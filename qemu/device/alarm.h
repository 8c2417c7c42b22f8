/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timers of the devices, on QEMU's virtual clock.
 *
 * A device must not arm a QEMUTimer of its own. With -icount sleep=off QEMU moves the clock to the next deadline at once when a
 * timer is armed while the guest idles, also in the middle of an event: what that event had still to do, such as raising an
 * interrupt or telling the other end that a frame has left, then came that much too late. So all alarms share one QEMUTimer,
 * and while one rings it is armed only when everything that is due has been done.
 */
#ifndef HOLDOFF_DEVICE_ALARM_H
#define HOLDOFF_DEVICE_ALARM_H

#include <stdint.h>

#include "qemu/queue.h"

#include "base/time.h"

struct alarm {
	int64_t at_ns;  /* NEVER_AT_NS: not set */
	uint64_t order; /* alarms of one instant ring in the order in which they were set */
	void (*ring)(void *device);
	void *device;
	QLIST_ENTRY(alarm) next;
};

/* Not set. Keeps device. */
void alarm_init(struct alarm *alarm, void (*ring)(void *device), void *device);
/* Before its memory goes away. */
void alarm_stop(struct alarm *alarm);

/* ring is called once, at that instant of the virtual clock, or soon if it is over; NEVER_AT_NS: not at all. */
void alarm_set(struct alarm *alarm, int64_t at_ns);

#endif
