/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traffic of a workload to a host, as `measure` wants it: echo probes for ping, a load for everything else, and what
 * they found put into a run.
 */
#ifndef HOLDOFF_LIVE_TRAFFIC_H
#define HOLDOFF_LIVE_TRAFFIC_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/err.h"
#include "live/load.h"
#include "nic/nic.h"
#include "run/run.h"

struct traffic {
	/* To be set. */
	struct load_request
		load;          /* workload, host, means, remote, port, stop; for ping workload, host and stop alone */
	const struct nic *nic; /* the only interface to send by */
	int stop_fd;           /* can be read once *load.stop is true; -1: none */
};

/* For struct measure_traffic; context is a struct traffic. */
int traffic_run(void *context, int64_t duration_ns, uint64_t seed, struct run *found, struct err *err);

#endif
