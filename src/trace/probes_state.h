/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What probes.bpf.c keeps besides the matcher's state, and probes.c reads. */
#ifndef HOLDOFF_TRACE_PROBES_STATE_H
#define HOLDOFF_TRACE_PROBES_STATE_H

#include "stats/histogram_bucket.h"
#include "trace/path_state.h"

#define PROBES_IRQS_MAX 1024

/* Of one stage on one CPU. */
struct probes_spans {
	__u64 sum_ns, min_ns, max_ns; /* min_ns: of ~0 when empty it is the complement, so that 0 is empty */
	__u32 bucket[HISTOGRAM_BUCKETS];
};

/* Which packets are looked at; 0: all. Numbers in network order, addresses of IPv4. */
struct probes_filter {
	__u32 address;
	__u16 port;
	__u8 protocol; /* IPPROTO_ICMP stands for ICMPv6 too */
	__u8 unused;
};

/* A line of --events. */
struct probes_event {
	__u64 at_ns, skb;
	__u32 kind; /* enum path_kind */
	__u32 cpu, pid, bytes;
	__s32 value, budget;
	__u8 is_own, may_be, unused[2];
	__u32 exchange;
};

_Static_assert(sizeof(struct probes_event) == 48, "the same on both sides");

#endif
