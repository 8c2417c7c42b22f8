/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Idle time by soaking it up: on each CPU a thread of the lowest class (SCHED_IDLE) reads the clock again and again. Two
 * readings that follow each other closely are time that nobody else wanted; a longer gap is an interrupt or another
 * program. So nothing of the kernel's accounts is needed. But CPUs never sleep meanwhile: what they would have had to
 * wake up for is faster, so whoever uses it has to say so.
 */
#ifndef HOLDOFF_LIVE_SOAK_H
#define HOLDOFF_LIVE_SOAK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct soak;

/* On all CPUs that this process may use; the kernel ends it with the process, however that ends. */
int soak_start(struct soak **started, struct err *err);
/* NULL is allowed. */
void soak_stop(struct soak *soak);

/* Idle time of a CPU since the start; false where nothing soaks. */
bool soak_idle(const struct soak *soak, unsigned cpu, int64_t *idle_ns);
/* The longest gap that is taken for idle time: what is shorter than that is not seen. */
int64_t soak_resolution_ns(const struct soak *soak);
/* CPU time of all its threads, which is none of the process's own business. */
int64_t soak_cpu_ns(const struct soak *soak);

#endif
