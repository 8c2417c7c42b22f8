/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One experiment on a real interface, at the setting that it has: warm-up, then runs of the same traffic with a sample
 * of the kernel's counters before and after each, until the median is known well enough. What comes out is a run, as
 * the simulator makes one. What traffic there is, is the caller's.
 */
#ifndef HOLDOFF_LIVE_MEASURE_H
#define HOLDOFF_LIVE_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "live/sample.h"
#include "run/run.h"
#include "stats/interval.h"

/* The interval of the median has to be this narrow, in parts per million of the median. */
#define MEASURE_TOLERANCE_PPM 50000
#define MEASURE_REPEATS_MAX RUN_REPEATS_MAX

struct measure_traffic {
	/*
	 * Traffic for duration_ns; what it found is put into found, a fresh run: latencies, payload and counts of the
	 * workload (what it does not know, as lacks), measured.traffic, CPU time of a peer on this machine in measured.own_cpu_ns. Returns 0, -EINTR when
	 * it was ended early (what it found stands), or a negative errno.
	 */
	int (*run)(void *context, int64_t duration_ns, uint64_t seed, struct run *found, struct err *err);
	void *context;
};

struct measure_progress {
	unsigned done, of;                  /* repeats; of: 0 where it is not known yet */
	int64_t median_ns, low_ns, high_ns; /* 0 as long as there is no interval */
};

struct measure_request {
	struct nic *nic;
	struct measure_traffic traffic;
	const struct sample_irq_clock *irq_clock; /* or NULL */
	const struct soak *soak;                  /* runs, or NULL */
	int64_t duration_ns, warmup_ns;           /* of each repeat; before the first */
	unsigned repeats;  /* 0: until the interval is narrow, or MEASURE_REPEATS_MAX or budget_ns */
	int64_t budget_ns; /* of automatic repeats together */
	uint64_t seed;
	/* After the warm-up and each repeat; or NULL. */
	void (*progress)(void *context, const struct measure_progress *progress);
	void *progress_context;
};

/* Whether an interval is that narrow. */
bool measure_is_narrow(const struct interval *interval);

/*
 * Fills run, which run_init has prepared, and whose workload is set. Returns 0; -EINTR: ended early, the run holds what was measured and
 * says that it is incomplete; another negative errno: there is nothing. Conditions that changed, and what else makes the figures doubtful,
 * is among the run's taints.
 */
int measure(const struct measure_request *request, struct run *run, struct err *err);

#endif
