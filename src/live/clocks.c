/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/clocks.h"

#include <time.h>

#include "base/time.h"

#define CLOSE_NS (5 * NS_PER_US) /* two readings without an interruption between them are closer than this */
#define TRIES 4

/* A reading that was interrupted all the same may differ by so much. */
#define STEP_NS (20 * NS_PER_US)

static int64_t read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

int64_t clocks_monotonic_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

static int64_t distance(int64_t a_ns, int64_t b_ns)
{
	return a_ns > b_ns ? a_ns - b_ns : b_ns - a_ns;
}

struct clocks clocks_read(int64_t offset_ns)
{
	struct clocks clocks;

	for (unsigned i = 0; i < TRIES; i++) {
		clocks.monotonic_at_ns = read_clock(CLOCK_MONOTONIC);
		clocks.real_at_ns = read_clock(CLOCK_REALTIME);
		if (distance(clocks_offset_ns(&clocks), offset_ns) < CLOSE_NS) {
			break;
		}
	}
	return clocks;
}

bool clocks_stepped(const struct clocks *before, const struct clocks *after)
{
	return distance(clocks_offset_ns(before), clocks_offset_ns(after)) > STEP_NS;
}
