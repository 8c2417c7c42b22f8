/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order in which a sweep of a real interface visits its settings. In rounds, each of which visits every setting once with every
 * workload, so that what drifts meanwhile (temperature, other programs, the time of day) meets all settings alike; in an order of its own in each round, so
 * that nothing that comes back in time can look like an effect; and with the setting of before among them in each round, as a control.
 *
 * The order follows from seed and round alone: a sweep that is resumed goes on as it would have gone on.
 */
#ifndef HOLDOFF_SWEEP_SCHEDULE_H
#define HOLDOFF_SWEEP_SCHEDULE_H

#include <stdint.h>

/* In place of a setting's number: that of before the sweep. */
#define SWEEP_CONTROL UINT32_MAX

struct sweep_visit {
	uint32_t setting, workload;
};

/* Visits of one round. */
static inline uint32_t sweep_visits(uint32_t settings, uint32_t workloads)
{
	return (settings + 1) * workloads;
}

/*
 * Writes sweep_visits() visits. Those of one setting stand together, since setting costs more than measuring: its workloads are in
 * an order of their own.
 */
void sweep_round(uint64_t seed, uint32_t round, uint32_t settings, uint32_t workloads, struct sweep_visit *visits);

#endif
