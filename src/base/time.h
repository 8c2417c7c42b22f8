/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time is int64_t nanoseconds everywhere. A span ends in _ns, an instant on the clock of the run
 * in _at_ns. The largest span, 292 years, is longer than any run.
 */
#ifndef HOLDOFF_BASE_TIME_H
#define HOLDOFF_BASE_TIME_H

#include <stdint.h>

#define NS_PER_US INT64_C(1000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S INT64_C(1000000000)

/* The instant that never comes: what a part without a deadline answers. */
#define NEVER_AT_NS INT64_MAX

static inline int64_t time_min(int64_t a_ns, int64_t b_ns)
{
	return a_ns < b_ns ? a_ns : b_ns;
}

static inline int64_t time_max(int64_t a_ns, int64_t b_ns)
{
	return a_ns > b_ns ? a_ns : b_ns;
}

#endif
