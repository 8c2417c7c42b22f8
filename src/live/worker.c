/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void *run(void *argument)
{
	struct worker *const worker = argument;
	const uint64_t one = 1;

	worker->ret = worker->run(worker->context, &worker->err);
	atomic_store_explicit(&worker->is_done, true, memory_order_release);
	/* An eventfd takes a 1 unless it is full. */
	(void)!write(worker->done_fd, &one, sizeof(one));
	return NULL;
}

int worker_start(struct worker *worker, int (*function)(void *context, struct err *err), void *context, struct err *err)
{
	sigset_t all, before;

	*worker = (struct worker){ .run = function, .context = context };
	worker->done_fd = eventfd(0, EFD_CLOEXEC);
	if (worker->done_fd < 0) {
		return err_set(err, -errno, "no descriptor for a thread: %s", strerror(errno));
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	const int error = pthread_create(&worker->thread, NULL, run, worker);

	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error) {
		close(worker->done_fd);
		return err_set(err, -error, "no thread can be had: %s", strerror(error));
	}
	worker->is_started = true;
	return 0;
}

bool worker_is_done(const struct worker *worker)
{
	return worker->is_started && atomic_load_explicit(&worker->is_done, memory_order_acquire);
}

int worker_join(struct worker *worker, struct err *err)
{
	if (!worker->is_started) {
		return 0;
	}
	pthread_join(worker->thread, NULL);
	close(worker->done_fd);
	worker->is_started = false;
	return worker->ret ? err_set(err, worker->ret, "%s", worker->err.text) : 0;
}
