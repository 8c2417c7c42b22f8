/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine may do anything else meanwhile: what is held against the soaked time is what cannot be otherwise. A moment
 * of a CPU is soaked up or used by us, never both.
 */
#include "live/soak.h"

#include <sched.h>
#include <time.h>

#include "base/time.h"
#include "live/clock.h"
#include "live/clocks.h"
#include "tap.h"

static unsigned first_cpu(void)
{
	cpu_set_t cpus;
	unsigned cpu = 0;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	while (!CPU_ISSET(cpu, &cpus)) {
		cpu++;
	}
	return cpu;
}

static int64_t idle_of(const struct soak *soak, unsigned cpu)
{
	int64_t idle_ns = -1;

	return soak_idle(soak, cpu, &idle_ns) ? idle_ns : -1;
}

/* Leaves the CPU alone until some of its time was soaked up; false where others leave none, for ten seconds. */
static bool wait_for_idle_time(const struct soak *soak, unsigned cpu)
{
	const struct timespec nap = { .tv_nsec = 10 * NS_PER_MS };
	const int64_t enough_ns = idle_of(soak, cpu) + NS_PER_MS;

	for (unsigned i = 0; i < 1000 && idle_of(soak, cpu) < enough_ns; i++) {
		nanosleep(&nap, NULL);
	}
	return idle_of(soak, cpu) >= enough_ns;
}

static void use_up(int64_t span_ns)
{
	const int64_t until_ns = clock_thread_cpu() + span_ns;

	while (clock_thread_cpu() < until_ns) {
	}
}

int main(void)
{
	const unsigned cpu = first_cpu();
	struct soak *soak;
	struct err err = { "" };
	cpu_set_t cpus;

	if (soak_start(&soak, &err)) {
		tap_skip(err.text, "idle time soaked up");
		return tap_done();
	}
	tap_within(soak_resolution_ns(soak), 1, NS_PER_MS, "two readings of the clock in a row are near each other");
	if (wait_for_idle_time(soak, cpu)) {
		tap_ok(true, "idle time of CPU %u is soaked up", cpu);
	} else {
		tap_skip("others leave CPU no time", "idle time of CPU %u is soaked up", cpu);
	}
	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	tap_is(sched_setaffinity(0, sizeof(cpus), &cpus), 0, "this test goes to the same CPU");
	const int64_t before_ns = clocks_monotonic_ns(), idle_before_ns = idle_of(soak, cpu);
	const int64_t used_before_ns = clock_thread_cpu();

	use_up(100 * NS_PER_MS);
	/* Afterwards it has its turn again, and sees how long it had none. */
	wait_for_idle_time(soak, cpu);
	const int64_t used_ns = clock_thread_cpu() - used_before_ns, idle_ns = idle_of(soak, cpu) - idle_before_ns;
	const int64_t span_ns = clocks_monotonic_ns() - before_ns;

	tap_ok(idle_ns >= 0, "soaked time never shrinks");
	tap_ok(idle_ns + used_ns <= span_ns + NS_PER_MS,
	       "in %lld ns we used %lld, and not more than the rest was soaked up, %lld", (long long)span_ns,
	       (long long)used_ns, (long long)idle_ns);
	tap_ok(soak_cpu_ns(soak) + NS_PER_MS >= idle_of(soak, cpu), "what soaks has used the time");
	tap_is(idle_of(soak, 100000), -1, "there is no such CPU");
	soak_stop(soak);
	soak_stop(NULL);
	return tap_done();
}
