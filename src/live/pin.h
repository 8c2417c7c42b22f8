/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Holds still what can be held still while something is measured: CPUs out of deep idle states (/dev/cpu_dma_latency),
 * the process on one CPU, at a real-time priority. All of it belongs to the process or to a descriptor, so the kernel
 * takes it back however the process ends.
 */
#ifndef HOLDOFF_LIVE_PIN_H
#define HOLDOFF_LIVE_PIN_H

#include <sched.h>
#include <stdbool.h>

#include "base/err.h"

struct pin {
	int latency_fd; /* -1: not held */
	bool has_affinity, has_priority;
	cpu_set_t affinity; /* as they were */
	int policy;
	struct sched_param parameters;
};

/* cpu: the CPU to stay on, -1: the one it runs on now. -EPERM says which of the three was not allowed; nothing is held
 * then. */
int pin_hold(struct pin *pin, int cpu, struct err *err);
void pin_release(struct pin *pin);

#endif
