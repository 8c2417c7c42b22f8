/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums that the kernel keeps for us while they are open: time in interrupt handlers and in softirqs on each CPU, and
 * what the NAPI polls of one interface did. By BPF programs on tracepoints (irq, napi), to the ns, whatever the kernel's own accounting
 * is; needs CAP_BPF and CAP_PERFMON (or root), a kernel with BTF, and a holdoff that was built with BPF. Nothing is left
 * behind, however the process ends: the programs are held by its file descriptors alone.
 *
 * A handler's time is from its entry to its return: the kernel's way into it and out is not in it. A softirq's time is
 * without the handlers that ran inside it.
 */
#ifndef HOLDOFF_TRACE_SUMS_H
#define HOLDOFF_TRACE_SUMS_H

#include <stdint.h>

#include "base/err.h"

/* Frames of a poll: index 0 .. 64; the last one stands for all above. */
#define SUMS_BATCH_SIZES 66

struct sums; /* owned by whoever opened it */

struct sums_cpu {
	int64_t hardirq_ns, softirq_ns;
	int64_t softirq_net_ns; /* of softirq_ns: NET_RX and NET_TX */
	uint64_t handlers, softirqs;
};

/* Of the interface, on all CPUs. What a driver counts as work is its own: all count received frames, some also
 * transmit completions. */
struct sums_polls {
	uint64_t polls, work, exhausted; /* exhausted: used the whole budget */
	uint64_t batch[SUMS_BATCH_SIZES];
};

/*
 * Starts counting. ifindex is of the network namespace that the process is in. -EPERM names the capability,
 * -EOPNOTSUPP what the kernel or this build lacks.
 */
int sums_open(struct sums **sums, int ifindex, struct err *err);
void sums_close(struct sums *sums); /* NULL is fine */

/* Since sums_open. cpus has room for max rows, in order of the CPU's number; *count is how many there are, at most
 * max. -errno with a sentence. */
int sums_read(const struct sums *sums, struct sums_cpu *cpus, unsigned max, unsigned *count, struct sums_polls *polls,
	      struct err *err);

/* What the counting itself has cost: how often a program ran and how long in all. -EOPNOTSUPP where the kernel does not
 * keep that (before 5.8). */
int sums_cost(const struct sums *sums, uint64_t *runs, int64_t *run_ns, struct err *err);

#endif
