/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two clocks side by side: CLOCK_MONOTONIC, which nobody steps, for all that is planned and for what ends in this
 * process; CLOCK_REALTIME because the kernel's stamps are of it. adjtimex(2)
 * slews both alike; only a step changes their difference. While that stays what it was, a stamp can be compared with
 * a reading.
 */
#ifndef HOLDOFF_LIVE_CLOCKS_H
#define HOLDOFF_LIVE_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

struct clocks {
	int64_t monotonic_at_ns, real_at_ns; /* read in this order, one directly after the other */
};

int64_t clocks_monotonic_ns(void);

/*
 * Reads both; offset_ns is what real - monotonic was lately. Where the two differ by more now, the process may have
 * been interrupted between the two readings: they are read again, a few times at most.
 */
struct clocks clocks_read(int64_t offset_ns);

static inline int64_t clocks_offset_ns(const struct clocks *clocks)
{
	return clocks->real_at_ns - clocks->monotonic_at_ns;
}

/* Whether real time was stepped between two readings, by more than an interrupted reading can look like. Pure. */
bool clocks_stepped(const struct clocks *before, const struct clocks *after);

#endif
