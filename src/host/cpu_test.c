/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/cpu.h"

#include <string.h>

#include "tap.h"

static void interrupted_work_goes_on(void)
{
	struct cpu cpu;
	uint8_t step;

	cpu_init(&cpu);
	cpu_begin(&cpu, 0, CPU_TASK, 1, CPU_APP_TIME, 1000);
	tap_is(cpu_deadline(&cpu), 1000, "a task step of 1000 ns ends at 1000");
	cpu_begin(&cpu, 400, CPU_HARDIRQ, 2, CPU_HARDIRQ_TIME, 300);
	tap_is(cpu_deadline(&cpu), 700, "an interrupt at 400 runs first");
	tap_is(cpu_finish(&cpu, 700, &step), CPU_HARDIRQ, "the hard interrupt ends");
	tap_is(step, 2, "and it is the step that was begun");
	cpu_begin(&cpu, 700, CPU_SOFTIRQ, 3, CPU_SOFTIRQ_TIME, 50);
	cpu_release(&cpu, 700);
	tap_is(cpu_deadline(&cpu), 750, "softirq runs before the task");
	tap_is(cpu_finish(&cpu, 750, &step), CPU_SOFTIRQ, "softirq ends");
	cpu_release(&cpu, 750);
	tap_is(cpu_deadline(&cpu), 1350, "the task keeps the 600 ns that it had left");
	tap_is(cpu_finish(&cpu, 1350, &step), CPU_TASK, "the task step ends");
	cpu_release(&cpu, 1350);
	tap_ok(cpu_is_idle(&cpu) && cpu_deadline(&cpu) == NEVER_AT_NS, "then the CPU is idle");
	cpu_book(&cpu, 2000);
	tap_is(cpu.booked_ns[CPU_APP_TIME], 1000, "the task is booked its 1000 ns");
	tap_is(cpu.booked_ns[CPU_HARDIRQ_TIME], 300, "the interrupt its 300");
	tap_is(cpu.booked_ns[CPU_SOFTIRQ_TIME], 50, "softirq its 50, and idle time is nobody's");
}

static void lower_work_waits(void)
{
	struct cpu cpu;
	uint8_t step;

	cpu_init(&cpu);
	cpu_begin(&cpu, 0, CPU_SOFTIRQ, 1, CPU_SOFTIRQ_TIME, 100);
	cpu_begin(&cpu, 10, CPU_TASK, 2, CPU_APP_TIME, 50);
	tap_is(cpu_deadline(&cpu), 100, "a task that is woken in softirq waits for its end");
	cpu_finish(&cpu, 100, &step);
	cpu_release(&cpu, 100);
	tap_is(cpu_deadline(&cpu), 150, "and runs then");
}

static void entry_costs(void)
{
	struct cpu cpu;
	struct profile profile;
	int64_t idle_exit_ns;

	memset(&profile, 0, sizeof(profile));
	profile.irq_entry_idle_ns = 346;
	profile.irq_entry_busy_ns = 268;
	profile.idle_states = 2;
	profile.idle[0] = (struct profile_idle_state){ .exit_ns = 2000, .residency_ns = 4000 };
	profile.idle[1] = (struct profile_idle_state){ .exit_ns = 50000, .residency_ns = 80000 };
	cpu_init(&cpu);
	tap_is(cpu_entry_ns(&cpu, &profile, 3999, &idle_exit_ns), 346,
	       "an idle state is not entered one ns before its residency");
	tap_is(cpu_entry_ns(&cpu, &profile, 4000, &idle_exit_ns), 2346, "from then on its exit is paid");
	tap_is(cpu_entry_ns(&cpu, &profile, 80000, &idle_exit_ns), 50346, "the deepest state reached counts");
	tap_is(idle_exit_ns, 50000, "and the part of the idle state is told");
	cpu_begin(&cpu, 80000, CPU_TASK, 1, CPU_APP_TIME, 10);
	tap_is(cpu_entry_ns(&cpu, &profile, 80005, &idle_exit_ns), 268, "a running CPU enters at its own cost");
	uint8_t step;

	cpu_finish(&cpu, 80010, &step);
	tap_is(cpu_entry_ns(&cpu, &profile, 80010, &idle_exit_ns), 268,
	       "and one that has just ended a step is not idle yet");
	cpu_release(&cpu, 80010);
	tap_is(cpu_entry_ns(&cpu, &profile, 80010, &idle_exit_ns), 346, "but when nothing follows");
}

static void withdrawing(void)
{
	struct cpu cpu;
	uint8_t step;

	cpu_init(&cpu);
	cpu_begin(&cpu, 0, CPU_SOFTIRQ, 1, CPU_SOFTIRQ_TIME, 100);
	cpu_begin(&cpu, 0, CPU_TASK, 2, CPU_APP_TIME, 50);
	tap_ok(cpu_is_untouched(&cpu, CPU_TASK, 50), "a task that waits for a softirq has not run");
	tap_ok(!cpu_is_untouched(&cpu, CPU_SOFTIRQ, 100), "the softirq runs");
	cpu_withdraw(&cpu, CPU_TASK);
	cpu_finish(&cpu, 100, &step);
	cpu_release(&cpu, 100);
	tap_ok(cpu_is_idle(&cpu), "a task that was withdrawn does not come back");
	cpu_begin(&cpu, 100, CPU_TASK, 2, CPU_APP_TIME, 50);
	cpu_begin(&cpu, 110, CPU_HARDIRQ, 3, CPU_HARDIRQ_TIME, 5);
	tap_ok(!cpu_is_untouched(&cpu, CPU_TASK, 50), "one that was interrupted has run");
}

/* Random begins and ends: the books balance. */
static void books_balance(void)
{
	struct cpu cpu;
	uint32_t random = 12345;
	int64_t now_at_ns = 0, begun_ns = 0, left_ns = 0, booked_ns = 0;

	cpu_init(&cpu);
	for (unsigned i = 0; i < 10000; i++) {
		random = random * 1664525u + 1013904223u;
		const enum cpu_level level = (enum cpu_level)(random >> 30 == 3 ? 0 : random >> 30);
		const int64_t cost_ns = (random >> 8) & 1023;

		if (!cpu_has(&cpu, level)) {
			cpu_begin(&cpu, now_at_ns, level, 0, (enum cpu_account)level, cost_ns);
			begun_ns += cost_ns;
		}
		now_at_ns += (random >> 18) & 255;
		while (cpu_deadline(&cpu) <= now_at_ns) {
			uint8_t step;
			const int64_t end_at_ns = cpu_deadline(&cpu);

			cpu_finish(&cpu, end_at_ns, &step);
			cpu_release(&cpu, end_at_ns);
		}
	}
	cpu_book(&cpu, now_at_ns);
	for (unsigned level = 0; level < CPU_LEVELS; level++) {
		if (cpu.level[level].active) {
			left_ns += cpu.running == (int)level ? cpu.end_at_ns - now_at_ns : cpu.level[level].left_ns;
		}
		booked_ns += cpu.booked_ns[level];
	}
	tap_is(booked_ns + left_ns, begun_ns, "what was begun is booked or left, over 10000 random steps");
	tap_ok(booked_ns <= now_at_ns, "and no time is booked twice");
}

int main(void)
{
	interrupted_work_goes_on();
	lower_work_waits();
	entry_costs();
	withdrawing();
	books_balance();
	return tap_done();
}
