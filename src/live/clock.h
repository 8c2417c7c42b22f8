/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether two processes read the same CLOCK_MONOTONIC; and what a thread has used of its CPU. */
#ifndef HOLDOFF_LIVE_CLOCK_H
#define HOLDOFF_LIVE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* CPU time of the calling thread so far. */
int64_t clock_thread_cpu(void);

#define CLOCK_BOOT_MAX 40

/* What says which CLOCK_MONOTONIC it is: of which boot, and of which time namespace. */
struct clock_identity {
	char boot[CLOCK_BOOT_MAX]; /* "" where the kernel does not tell */
	uint64_t time_namespace;   /* inode; 0 where the kernel has none */
};

void clock_identify(struct clock_identity *identity);
bool clock_is_same(const struct clock_identity *one, const struct clock_identity *other);

#endif
