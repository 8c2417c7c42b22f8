/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The world: two ends, a wire between them, and the loop that moves every part. The only place that knows all
 * components. Deterministic: the same config gives the same run, on every compiler.
 */
#ifndef HOLDOFF_SIM_WORLD_H
#define HOLDOFF_SIM_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "coalesce/settings.h"
#include "host/profile.h"
#include "run/run.h"
#include "sim/board.h"
#include "sim/script.h"
#include "workload/workload.h"

/* One end of the wire. */
struct end_config {
	bool ideal;                         /* no host: answers after a delay, costs nothing; only the peer may be */
	int64_t delay_ns;                   /* of an ideal end: mean, and ... */
	int64_t delay_sd_ns;                /* ... spread (normal), cut to ... */
	int64_t delay_min_ns, delay_max_ns; /* ... this range, when max > 0 */
	struct board board;
	char driver[32]; /* variant; "" for the board's default */
	struct profile profile;
	struct coalesce request;   /* what to set before the run; nothing present: defaults */
	unsigned cpus;             /* 0: the profile's */
	unsigned irq_cpu, app_cpu; /* affinity; app_cpu defaults to irq_cpu */
	unsigned poke_count;       /* registers written after all else, past the driver: what a bench does by hand */
	struct driver_write poke[8];
	bool gro_flush_timeout_given, defer_hard_irqs_given; /* which of the two below replace the driver's default */
	int64_t gro_flush_timeout_ns;
	uint32_t defer_hard_irqs;
};

struct world_config {
	struct end_config end[2]; /* 0: the board under test, 1: its peer */
	bool shared_host;         /* both are NICs of one machine, the board's: its CPUs serve the peer too */
	unsigned speed_mbps;
	unsigned hops;          /* store-and-forward switches */
	int64_t propagation_ns; /* of each segment */
	struct workload workload;
	struct script *script; /* ping sends this; findings are written into it; NULL: as the workload says */
	int64_t duration_ns;   /* counted */
	int64_t warmup_ns;     /* before that */
	int64_t drain_ns;      /* at the end of duration_ns, without new datagrams: what is under way comes to its end */
	uint64_t seed;
};

/* An ideal peer at 0 ns, 1 Gb/s or the board's speed, no switch, 3 s after 0 s, seed 1. */
void world_config_init(struct world_config *config);

/* "BOARD" or "ideal:DELAY[~SD][,MIN..MAX]" into config->end[1]. */
int world_config_peer(struct world_config *config, const char *text, struct err *err);

/*
 * Runs it. -EINVAL with a sentence when the config cannot be run; a driver that refuses the request gives the driver's errno and
 * its sentence. Takes about 4 MB on the heap, independent of the duration.
 */
int world_run(const struct world_config *config, struct run *run, struct err *err);

#endif
