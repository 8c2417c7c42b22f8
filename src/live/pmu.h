/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unhalted cycles and instructions of each CPU, by perf_event_open(2): CPU use that a changing frequency does not
 * move. Needs a PMU, which virtual machines often lack, and CAP_PERFMON or kernel.perf_event_paranoid of at most 0.
 */
#ifndef HOLDOFF_LIVE_PMU_H
#define HOLDOFF_LIVE_PMU_H

#include <stdbool.h>
#include <stdint.h>

struct pmu {
	unsigned cpus; /* rows of fd; 0: cannot be counted */
	int (*fd)[2];  /* owned; -1 for a CPU that is offline */
};

/* Leaves pmu->cpus 0 where nothing can be counted. */
void pmu_open(struct pmu *pmu);
void pmu_close(struct pmu *pmu);

/* Since pmu_open. False when this CPU is not counted, or shared the counters with others' events. */
bool pmu_read(const struct pmu *pmu, unsigned cpu, uint64_t *cycles, uint64_t *instructions);

#endif
