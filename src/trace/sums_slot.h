/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sums.bpf.c keeps for a CPU and sums.c reads. */
#ifndef HOLDOFF_TRACE_SUMS_SLOT_H
#define HOLDOFF_TRACE_SUMS_SLOT_H

#include <linux/types.h>

/* Frames of a poll: 0 .. 64, which is the budget of nearly every driver, and all above. */
#define SUMS_BATCHES 66

struct sums_slot {
	__u64 hardirq_ns, softirq_ns, softirq_net_ns;
	__u64 handlers, softirqs;
	__u64 polls, poll_work, polls_exhausted;
	__u64 batch[SUMS_BATCHES];
	/* Of what runs right now; 0: nothing. */
	__u64 handler_entered_at_ns, softirq_entered_at_ns, hardirq_before_ns;
};

#endif
