/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function in a thread of its own, whose end can be polled for. */
#ifndef HOLDOFF_LIVE_WORKER_H
#define HOLDOFF_LIVE_WORKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/err.h"

struct worker {
	pthread_t thread;
	bool is_started; /* and not yet joined */
	int done_fd;     /* readable when the function has returned */
	_Atomic bool is_done;
	int (*run)(void *context, struct err *err);
	void *context;
	int ret;
	struct err err;
};

/* All signals are left to the other threads. Borrows context until joined. */
int worker_start(struct worker *worker, int (*run)(void *context, struct err *err), void *context, struct err *err);
/* If so, all that it has written can be read. */
bool worker_is_done(const struct worker *worker);
/* Waits for it, and returns what it returned, with its sentence; 0 if it was never started. */
int worker_join(struct worker *worker, struct err *err);

#endif
