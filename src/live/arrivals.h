/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The receiver's account of numbered packets: which came, which twice, which out of order, and how they were spread
 * in time. Pure, of fixed size. Each number is counted as received once, whatever is sent.
 */
#ifndef HOLDOFF_LIVE_ARRIVALS_H
#define HOLDOFF_LIVE_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/time.h"
#include "stats/histogram.h"

/* A packet that comes so many numbers late can no longer be told from a second one. */
#define ARRIVALS_WINDOW 65536

/* In place of an instant that is not known. */
#define ARRIVALS_UNKNOWN_NS INT64_MIN

struct arrivals {
	uint64_t received;   /* different numbers below limit */
	uint64_t bytes;      /* of them */
	uint64_t duplicated; /* numbers that had come before */
	uint64_t reordered;  /* first arrivals with a number below one that had come (RFC 4737) */
	uint64_t unexpected; /* numbers from limit on, or too old to tell */
	uint64_t next;       /* above the highest that came */
	uint64_t limit;      /* how many there can be: the receiver knows what it asked for; UINT64_MAX: any */
	int64_t first_at_ns, last_at_ns; /* arrivals; ARRIVALS_UNKNOWN_NS before the first */
	struct histogram gap;            /* from arrival to arrival */
	struct histogram one_way;
	int64_t burst_gap_ns; /* a gap above this begins a new burst; 0: bursts are not counted */
	uint64_t bursts, burst_packets, burst_packets_max;
	uint64_t seen[ARRIVALS_WINDOW / 64];
};

void arrivals_init(struct arrivals *arrivals, uint64_t limit, int64_t burst_gap_ns);

/*
 * One packet. arrived_at_ns: the kernel's receive stamp, on any one clock; one_way_ns: its delay, ARRIVALS_UNKNOWN_NS where the
 * ends share no clock. False if it was not a new one; then it has no part in bytes, gaps and delays.
 */
bool arrivals_take(struct arrivals *arrivals, uint32_t sequence, uint32_t bytes, int64_t arrived_at_ns,
		   int64_t one_way_ns);

#endif
