/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Invariants, held by cpu_check in the test:
 *  1. running is the highest active level, or CPU_IDLE, between cpu_release and the next call.
 *  2. end_at_ns is NEVER_AT_NS exactly when idle.
 *  3. The booked times and the idle times add up to the time that has passed: nothing is booked twice.
 */
#include "host/cpu.h"

#include <assert.h>

void cpu_init(struct cpu *cpu)
{
	*cpu = (struct cpu){ .running = CPU_IDLE, .end_at_ns = NEVER_AT_NS };
}

void cpu_book(struct cpu *cpu, int64_t now_at_ns)
{
	assert(now_at_ns >= cpu->since_at_ns);
	if (cpu->running >= 0) {
		cpu->booked_ns[cpu->level[cpu->running].account] += now_at_ns - cpu->since_at_ns;
	}
	cpu->since_at_ns = now_at_ns;
}

/* The running step gives way but keeps what is left of it. */
static void pause_running(struct cpu *cpu, int64_t now_at_ns)
{
	cpu_book(cpu, now_at_ns);
	if (cpu->running >= 0) {
		cpu->level[cpu->running].left_ns = cpu->end_at_ns - now_at_ns;
	}
}

static void run_level(struct cpu *cpu, int64_t now_at_ns, int level)
{
	cpu->running = level;
	cpu->end_at_ns = now_at_ns + cpu->level[level].left_ns;
}

void cpu_begin(struct cpu *cpu, int64_t now_at_ns, enum cpu_level level, uint8_t step, enum cpu_account account,
	       int64_t cost_ns)
{
	assert(!cpu->level[level].active && cost_ns >= 0);
	cpu->level[level] = (struct cpu_step){ true, step, (uint8_t)account, cost_ns };
	if ((int)level > cpu->running) {
		pause_running(cpu, now_at_ns);
		run_level(cpu, now_at_ns, (int)level);
	}
}

enum cpu_level cpu_finish(struct cpu *cpu, int64_t now_at_ns, uint8_t *step)
{
	assert(cpu->running >= 0 && cpu->end_at_ns == now_at_ns);
	const int level = cpu->running;

	cpu_book(cpu, now_at_ns);
	cpu->level[level].active = false;
	*step = cpu->level[level].step;
	/* Nothing runs until cpu_release or cpu_begin; a lower level must not take this instant for its own. */
	cpu->running = CPU_BETWEEN;
	cpu->end_at_ns = NEVER_AT_NS;
	return (enum cpu_level)level;
}

void cpu_withdraw(struct cpu *cpu, enum cpu_level level)
{
	assert(cpu->level[level].active && cpu->running != (int)level);
	cpu->level[level].active = false;
}

void cpu_release(struct cpu *cpu, int64_t now_at_ns)
{
	for (int level = CPU_LEVELS - 1; level >= 0 && level > cpu->running; level--) {
		if (cpu->level[level].active) {
			pause_running(cpu, now_at_ns);
			run_level(cpu, now_at_ns, level);
			return;
		}
	}
	if (cpu->running < 0) {
		cpu_book(cpu, now_at_ns);
		cpu->running = CPU_IDLE;
		cpu->idle_since_at_ns = now_at_ns;
	}
}

int64_t cpu_entry_ns(const struct cpu *cpu, const struct profile *profile, int64_t now_at_ns, int64_t *idle_exit_ns)
{
	*idle_exit_ns = 0;
	if (!cpu_is_idle(cpu)) {
		return profile->irq_entry_busy_ns;
	}
	/* The states are ordered by residency: the deepest that the idle time has reached. */
	for (uint32_t i = 0; i < profile->idle_states; i++) {
		if (now_at_ns - cpu->idle_since_at_ns >= profile->idle[i].residency_ns) {
			*idle_exit_ns = profile->idle[i].exit_ns;
		}
	}
	return profile->irq_entry_idle_ns + *idle_exit_ns;
}
