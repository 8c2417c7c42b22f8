/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A CPU: three levels of work, the higher one interrupting the lower: hard interrupt over softirq over task.
 * Each level runs at most one step at a time: a span of CPU time with a number that its owner gave it. A step that
 * is interrupted keeps what is left of it. The CPU never calls out: the owner asks for the deadline, and when it
 * comes asks which step has ended, acts on it, and may begin the next step of that level.
 *
 *   cpu_begin(TASK, recv, 1000 ns) ........... runs
 *        cpu_begin(HARDIRQ, entry, 300 ns) ... runs, recv waits with 600 ns left
 *        cpu_finish() = HARDIRQ/entry ........ the owner may begin the handler at the same level
 *        cpu_release() ....................... nothing more at that level: recv goes on
 */
#ifndef HOLDOFF_HOST_CPU_H
#define HOLDOFF_HOST_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/time.h"
#include "host/profile.h"

enum cpu_level { CPU_TASK, CPU_SOFTIRQ, CPU_HARDIRQ, CPU_LEVELS };

/* What a span of CPU time is booked on. Softirq work inside ksoftirqd runs at level task and is booked as softirq. */
enum cpu_account { CPU_APP_TIME, CPU_SOFTIRQ_TIME, CPU_HARDIRQ_TIME, CPU_IDLE_EXIT_TIME, CPU_ACCOUNTS };

/* In place of a level: nothing to do; or a step has just ended, and what follows is not decided yet. */
enum { CPU_IDLE = -1, CPU_BETWEEN = -2 };

struct cpu_step {
	bool active;
	uint8_t step;    /* the owner's number */
	uint8_t account; /* enum cpu_account */
	int64_t left_ns; /* valid while it does not run */
};

struct cpu {
	int running;         /* enum cpu_level, CPU_IDLE, or CPU_BETWEEN */
	/* The owner's: the kernel's idle loop has stopped its clock, which an interrupt that has waited for the switch to the idle
	 * task comes before. */
	bool in_idle_loop;
	int64_t since_at_ns; /* running, or idle, since; booked up to here */
	int64_t idle_since_at_ns;
	int64_t end_at_ns; /* of the running step; NEVER_AT_NS when idle */
	struct cpu_step level[CPU_LEVELS];
	int64_t booked_ns[CPU_ACCOUNTS];
};

void cpu_init(struct cpu *cpu);

static inline int64_t cpu_deadline(const struct cpu *cpu)
{
	return cpu->end_at_ns;
}

static inline bool cpu_has(const struct cpu *cpu, enum cpu_level level)
{
	return cpu->level[level].active;
}

static inline bool cpu_is_idle(const struct cpu *cpu)
{
	return cpu->running == CPU_IDLE;
}

/* The level must be free. A step above the running one interrupts it, one below waits. cost_ns >= 0. */
void cpu_begin(struct cpu *cpu, int64_t now_at_ns, enum cpu_level level, uint8_t step, enum cpu_account account,
	       int64_t cost_ns);

/*
 * The running step ends at `now`, its deadline: returns its level and stores its number. The level is free then, but nothing
 * lower runs until cpu_release, so that the owner can begin the next step of the level without a gap.
 */
enum cpu_level cpu_finish(struct cpu *cpu, int64_t now_at_ns, uint8_t *step);

/* Takes away the step of a level that does not run. */
void cpu_withdraw(struct cpu *cpu, enum cpu_level level);

/* Whether the step of a level has not run for any time yet; cost_ns as it was begun with. */
static inline bool cpu_is_untouched(const struct cpu *cpu, enum cpu_level level, int64_t cost_ns)
{
	return cpu->level[level].active && cpu->running != (int)level && cpu->level[level].left_ns == cost_ns;
}

/* Lets the highest level with work run, or idles. */
void cpu_release(struct cpu *cpu, int64_t now_at_ns);

/* Books the time up to now, so that booked_ns can be read. */
void cpu_book(struct cpu *cpu, int64_t now_at_ns);

/* How long the CPU needs from the rise of an interrupt to the first instruction of its handler, now: entry from idle (plus the exit
 * of the idle state it has reached) or while running. *idle_exit_ns is the part that is the idle state's. */
int64_t cpu_entry_ns(const struct cpu *cpu, const struct profile *profile, int64_t now_at_ns, int64_t *idle_exit_ns);

#endif
