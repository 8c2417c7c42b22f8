/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel counts while something is measured: taken before and after, the difference is what the run did. A
 * sampler belongs to one interface; a sample is all that could be read at one moment. What this kernel, driver or
 * privilege does not give is absent (a cleared bit), never zero.
 *
 * CPU time, best first: idle time that was soaked up, where that was asked for (soak.h); time that a CPU has been idle
 * to the ns (/proc/timer_list, for root, where the tick stops in
 * idle), else in ticks (/proc/stat). Time in interrupt handlers and softirqs to the ns where somebody counts it in
 * the kernel (struct sample_irq_time), else in ticks. Cycles and instructions where the machine has a PMU and lets us.
 */
#ifndef HOLDOFF_LIVE_SAMPLE_H
#define HOLDOFF_LIVE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "live/pmu.h"
#include "live/proc.h"
#include "live/soak.h"
#include "nic/nic.h"
#include "run/run.h"

enum sample_fact {
	SAMPLE_HAS_INTERRUPTS = 1u << 0, /* at least one vector of the interface is known */
	SAMPLE_HAS_SOFTIRQS = 1u << 1,
	SAMPLE_HAS_SOFTNET = 1u << 2,
	SAMPLE_HAS_TICKS = 1u << 3,    /* /proc/stat */
	SAMPLE_HAS_IDLE = 1u << 4,     /* idle time to the ns */
	SAMPLE_HAS_IRQ_TIME = 1u << 5, /* time in handlers and softirqs to the ns */
	SAMPLE_HAS_POLLS = 1u << 6,
	SAMPLE_HAS_LINK = 1u << 7,
	SAMPLE_HAS_CYCLES = 1u << 8,
	SAMPLE_HAS_SOAKED = 1u << 9, /* the idle time is that */
};

/* Time in interrupt handlers and softirqs, and the interface's NAPI polls, since some moment. */
struct sample_irq_time {
	unsigned cpus;
	struct {
		int64_t hardirq_ns, softirq_ns;
	} cpu[PROC_CPUS_MAX];
	uint64_t polls, poll_work, polls_exhausted, polls_empty;
};

/* Whoever counts that. Returns 0 or a negative errno. */
struct sample_irq_clock {
	int (*read)(void *context, struct sample_irq_time *time);
	void *context;
};

struct sample_cpu {
	bool seen;
	struct proc_cpu_time ticks;
	struct proc_softnet softnet;
	int64_t idle_ns;
	uint64_t net_rx, net_tx; /* softirqs */
	uint64_t cycles, instructions;
};

struct sample {
	uint32_t has;        /* enum sample_fact */
	int64_t times_at_ns; /* when CPU times were taken, CLOCK_MONOTONIC, */
	int64_t idle_at_ns;  /* and idle times, as the kernel says */
	struct sample_cpu cpu[PROC_CPUS_MAX];
	uint64_t vector_count[NIC_VECTORS_MAX]; /* of the sampler's vectors, modulo 2^32 */
	struct nic_link_counters link;
	struct sample_irq_time irq_time;
	struct nic_statistic *statistics; /* owned; NULL when there are none */
	unsigned statistics_count;
};

struct sampler {
	struct nic *nic; /* borrowed */
	struct sample_irq_clock irq_clock;
	unsigned vectors;
	struct nic_vector vector[NIC_VECTORS_MAX];
	const struct soak *soak; /* borrowed; NULL: idle time is the kernel's */
	bool idle_is_exact;      /* no CPU runs without a tick while it works (nohz_full) */
	struct pmu pmu;
};

/* irq_clock and soak may be NULL. Opens PMU counters where it may. The sampler is large: not for the stack. */
int sampler_open(struct sampler *sampler, struct nic *nic, const struct sample_irq_clock *irq_clock,
		 const struct soak *soak, struct err *err);
void sampler_close(struct sampler *sampler);

enum sample_end { SAMPLE_BEFORE, SAMPLE_AFTER };

/* Everything that can be read now, CPU times next to what is measured; sample_free afterwards. -ENODEV when the
 * interface is gone. */
int sampler_read(struct sampler *sampler, enum sample_end end, struct sample *sample, struct err *err);
void sample_free(struct sample *sample);

/* What happened between two samples. */
struct sample_change_cpu {
	bool seen;
	int64_t busy_ns, hardirq_ns, softirq_ns; /* busy: all but idle */
	int64_t steal_ns;                        /* taken by a hypervisor, in ticks; not in busy */
	uint64_t net_rx, net_tx, dropped, time_squeeze;
	uint64_t cycles, instructions;
};

struct sample_change {
	uint32_t has;    /* in both */
	int64_t span_ns; /* of CPU times */
	struct sample_change_cpu cpu[PROC_CPUS_MAX];
	uint64_t vector_count[NIC_VECTORS_MAX];
	uint64_t irqs, other_irqs; /* of vectors that carry frames, and of the others */
	bool irqs_are_shared;      /* with other devices: an upper bound */
	struct nic_link_counters link;
	uint64_t polls, poll_work, polls_exhausted, polls_empty;
};

/* Pure. Counters of 32 bits may have wrapped once. */
void sample_difference(const struct sampler *sampler, const struct sample *before, const struct sample *after,
		       struct sample_change *change);

/* How CPU time was taken, as text for people: "idle to the ns, handlers and softirqs by BPF". Static. */
const char *sample_method(uint32_t has);

/* Adds a change to the findings of a measured run, and says there what was not observed. */
void sample_add_to_run(const struct sample_change *change, struct run *run);

/*
 * The driver's own statistics that went up and tell of trouble by their name (drop, miss, error, no buffer, ...):
 * calls take for each. Pure.
 */
void sample_troubles(const struct sample *before, const struct sample *after,
		     void (*take)(void *context, const char *name, uint64_t count), void *context);

#endif
