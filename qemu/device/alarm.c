/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"

#include "device/alarm.h"

#include "qemu/timer.h"

static QLIST_HEAD(, alarm) alarms = QLIST_HEAD_INITIALIZER(alarms);
static QEMUTimer *timer;
static uint64_t times_set;
static bool is_ringing;

static struct alarm *earliest(void)
{
	struct alarm *alarm, *first = NULL;

	QLIST_FOREACH(alarm, &alarms, next)
	{
		if (!first || alarm->at_ns < first->at_ns ||
		    (alarm->at_ns == first->at_ns && alarm->order < first->order)) {
			first = alarm;
		}
	}
	return first;
}

static void arm(void)
{
	const struct alarm *first = earliest();

	if (!first || first->at_ns == NEVER_AT_NS) {
		timer_del(timer);
	} else {
		timer_mod_ns(timer, first->at_ns);
	}
}

static void ring_all(void *unused)
{
	const int64_t now_at_ns = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

	is_ringing = true;
	for (struct alarm *first = earliest(); first && first->at_ns <= now_at_ns; first = earliest()) {
		first->at_ns = NEVER_AT_NS;
		first->ring(first->device);
	}
	is_ringing = false;
	arm();
}

void alarm_init(struct alarm *alarm, void (*ring)(void *device), void *device)
{
	if (!timer) {
		timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, ring_all, NULL);
	}
	*alarm = (struct alarm){ .at_ns = NEVER_AT_NS, .ring = ring, .device = device };
	QLIST_INSERT_HEAD(&alarms, alarm, next);
}

void alarm_stop(struct alarm *alarm)
{
	QLIST_REMOVE(alarm, next);
}

void alarm_set(struct alarm *alarm, int64_t at_ns)
{
	if (alarm->at_ns == at_ns) {
		return;
	}
	alarm->at_ns = at_ns;
	alarm->order = times_set++;
	if (!is_ringing) {
		arm();
	}
}
