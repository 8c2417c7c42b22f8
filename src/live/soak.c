/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/soak.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
#include "live/clocks.h"
#include "live/worker.h"

/* Of the shortest gap between two readings: above what readings themselves vary by, and below the shortest interrupt. */
#define RESOLUTION_IN_GAPS 8
#define TRIAL_READINGS 1000

struct soaker {
	struct soak *soak;
	unsigned cpu;
	struct worker worker;
	clockid_t clock; /* of its CPU time */
	_Alignas(64) _Atomic int64_t idle_ns;
};

struct soak {
	_Atomic bool stop;
	int64_t resolution_ns;
	unsigned count;
	struct soaker soaker[];
};

static int64_t shortest_gap_ns(void)
{
	int64_t shortest_ns = INT64_MAX, before_ns = clocks_monotonic_ns();

	for (unsigned i = 0; i < TRIAL_READINGS; i++) {
		const int64_t now_ns = clocks_monotonic_ns();

		/* A clock that counts in coarse steps has gaps of 0, too. */
		if (now_ns > before_ns) {
			shortest_ns = time_min(shortest_ns, now_ns - before_ns);
		}
		before_ns = now_ns;
	}
	return shortest_ns < INT64_MAX ? shortest_ns : 1;
}

static int soak_up(void *context, struct err *err)
{
	struct soaker *const soaker = context;
	const int64_t resolution_ns = soaker->soak->resolution_ns;
	const struct sched_param parameters = { .sched_priority = 0 };
	cpu_set_t cpus;
	int64_t idle_ns = 0;

	CPU_ZERO(&cpus);
	CPU_SET(soaker->cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) || sched_setscheduler(0, SCHED_IDLE, &parameters)) {
		return err_set(err, -errno, "CPU %u cannot be soaked: %s", soaker->cpu, strerror(errno));
	}
	int64_t before_ns = clocks_monotonic_ns();

	while (!atomic_load_explicit(&soaker->soak->stop, memory_order_relaxed)) {
		const int64_t now_ns = clocks_monotonic_ns();

		if (now_ns - before_ns <= resolution_ns) {
			idle_ns += now_ns - before_ns;
			atomic_store_explicit(&soaker->idle_ns, idle_ns, memory_order_relaxed);
		}
		before_ns = now_ns;
	}
	return 0;
}

static int add_soaker(struct soak *soak, unsigned cpu, struct err *err)
{
	struct soaker *const soaker = &soak->soaker[soak->count];

	soaker->soak = soak;
	soaker->cpu = cpu;
	const int ret = worker_start(&soaker->worker, soak_up, soaker, err);

	if (ret) {
		return ret;
	}
	soak->count++;
	return pthread_getcpuclockid(soaker->worker.thread, &soaker->clock)
		       ? err_set(err, -EIO, "CPU %u cannot be soaked: a thread has no clock", cpu)
		       : 0;
}

int soak_start(struct soak **started, struct err *err)
{
	cpu_set_t cpus;

	*started = NULL;
	if (sched_getaffinity(0, sizeof(cpus), &cpus)) {
		return err_set(err, -errno, "the CPUs of this process are not known: %s", strerror(errno));
	}
	const size_t size = sizeof(struct soak) + (size_t)CPU_COUNT(&cpus) * sizeof(struct soaker);
	struct soak *const soak = aligned_alloc(_Alignof(struct soak), (size + 63) / 64 * 64);
	int ret = 0;

	if (!soak) {
		return err_set(err, -ENOMEM, "no memory to soak up idle time");
	}
	memset(soak, 0, size);
	soak->resolution_ns = RESOLUTION_IN_GAPS * shortest_gap_ns();
	for (unsigned cpu = 0; ret == 0 && cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &cpus)) {
			ret = add_soaker(soak, cpu, err);
		}
	}
	if (ret) {
		soak_stop(soak);
		return ret;
	}
	*started = soak;
	return 0;
}

void soak_stop(struct soak *soak)
{
	if (!soak) {
		return;
	}
	atomic_store(&soak->stop, true);
	for (unsigned i = 0; i < soak->count; i++) {
		worker_join(&soak->soaker[i].worker, NULL);
	}
	free(soak);
}

bool soak_idle(const struct soak *soak, unsigned cpu, int64_t *idle_ns)
{
	for (unsigned i = 0; i < soak->count; i++) {
		const struct soaker *const soaker = &soak->soaker[i];

		if (soaker->cpu == cpu && !worker_is_done(&soaker->worker)) {
			*idle_ns = atomic_load_explicit(&soaker->idle_ns, memory_order_relaxed);
			return true;
		}
	}
	return false;
}

int64_t soak_resolution_ns(const struct soak *soak)
{
	return soak->resolution_ns;
}

int64_t soak_cpu_ns(const struct soak *soak)
{
	int64_t sum_ns = 0;
	struct timespec used;

	for (unsigned i = 0; i < soak->count; i++) {
		if (clock_gettime(soak->soaker[i].clock, &used) == 0) {
			sum_ns += used.tv_sec * NS_PER_S + used.tv_nsec;
		}
	}
	return sum_ns;
}
