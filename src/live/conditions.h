/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is so around a measurement: kernel, driver, settings of the three layers that hold interrupts back, rings,
 * channels, offloads, affinity, steering, frequency and idle states, and what else moves latencies. Read before and
 * after a run; what changed in between taints it.
 */
#ifndef HOLDOFF_LIVE_CONDITIONS_H
#define HOLDOFF_LIVE_CONDITIONS_H

#include "nic/nic.h"
#include "run/run.h"

/* Fills list; what cannot be read is left out. -ENODEV when the interface is gone. */
int conditions_read(struct nic *nic, struct run_condition_list *list, struct err *err);

/* The host and interface of a measured run: names, driver, speed, reported settings. -ENODEV as above. */
int conditions_describe(struct nic *nic, struct run_conditions *conditions, struct err *err);

#endif
