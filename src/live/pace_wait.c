/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/time.h"
#include "live/clocks.h"
#include "live/pace_private.h"

/* Naps of the trial: together they take about 3 ms. */
#define TRIALS 16
#define TRIAL_NS (150 * NS_PER_US)

/* Most of the wake-ups are sooner; those that are not are no reason to burn a CPU. */
#define EARLY_RANK (TRIALS * 7 / 8)
#define EARLY_MAX_NS (200 * NS_PER_US)

/* Between two looks at whether to stop. */
#define STOP_NS (50 * NS_PER_MS)

static void sleep_until(int64_t at_ns)
{
	const struct timespec at = { .tv_sec = (time_t)(at_ns / NS_PER_S), .tv_nsec = (long)(at_ns % NS_PER_S) };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static unsigned usable_cpus(void)
{
	cpu_set_t cpus;

	return sched_getaffinity(0, sizeof(cpus), &cpus) ? 1 : (unsigned)CPU_COUNT(&cpus);
}

/* How late each nap ended, smallest first. */
static void try_naps(int64_t late_ns[TRIALS])
{
	for (unsigned i = 0; i < TRIALS; i++) {
		const int64_t at_ns = clocks_monotonic_ns() + TRIAL_NS;

		sleep_until(at_ns);
		const int64_t late = clocks_monotonic_ns() - at_ns;
		unsigned place = i;

		for (; place > 0 && late_ns[place - 1] > late; place--) {
			late_ns[place] = late_ns[place - 1];
		}
		late_ns[place] = late;
	}
}

void pace_wait_init(struct pace_wait *wait)
{
	int64_t late_ns[TRIALS];

	/* Without it the kernel may wake a thread 50 us late, to save a timer interrupt. */
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	try_naps(late_ns);
	wait->is_busy = usable_cpus() > 1;
	wait->early_ns = time_min(late_ns[wait->is_busy ? EARLY_RANK : 0], EARLY_MAX_NS);
}

void pace_wait_until(const struct pace_wait *wait, int64_t at_ns, const _Atomic bool *stop)
{
	const int64_t wake_at_ns = at_ns - wait->early_ns;
	int64_t now_ns = clocks_monotonic_ns();

	while (now_ns < wake_at_ns && !atomic_load_explicit(stop, memory_order_relaxed)) {
		sleep_until(time_min(wake_at_ns, now_ns + STOP_NS));
		now_ns = clocks_monotonic_ns();
	}
	while (wait->is_busy && now_ns < at_ns && !atomic_load_explicit(stop, memory_order_relaxed)) {
		now_ns = clocks_monotonic_ns();
	}
}
