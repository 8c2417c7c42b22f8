/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose turn it is when both ends' applications share a CPU: what Linux's fair scheduler does when one of them wakes
 * (kernel/sched/fair.c of 6.1, one CPU: place_entity, wakeup_preempt_entity). Each has a virtual run time, to which everything counts
 * that happens while it is the CPU's task, interrupts and softirqs too. Who wakes is at most half a scheduling latency behind, and
 * preempts the other one when it is more than a granularity behind, at that one's next return from the kernel.
 */
#include "sim/world_private.h"

#define SLEEPER_BEHIND_NS (3 * NS_PER_MS)
#define WAKEUP_GRANULARITY_NS NS_PER_MS

static bool shares_cpu(const struct end *end, const struct end *other)
{
	return end->host->shared && end->app_cpu == other->app_cpu;
}

static struct turn *turn_of(const struct end *end)
{
	return &end->host->turns[end->index];
}

static void count(const struct world *world, struct turn *turn)
{
	if (turn->is_current) {
		turn->ran_ns += world->now_at_ns - turn->current_since_at_ns;
		turn->current_since_at_ns = world->now_at_ns;
	}
}

void turns_end(const struct world *world, const struct end *end)
{
	struct turn *turn = turn_of(end);

	count(world, turn);
	turn->is_current = false;
}

void turns_begin(struct world *world, const struct end *end)
{
	const struct end *other = other_end(world, end);
	struct turn *turn = turn_of(end);

	if (!shares_cpu(end, other)) {
		return;
	}
	turns_end(world, other);
	turn->preempts = false;
	if (!turn->is_current) {
		turn->is_current = true;
		turn->current_since_at_ns = world->now_at_ns;
	}
}

void turns_woken(struct world *world, const struct end *end)
{
	const struct end *other = other_end(world, end);
	struct turn *turn = turn_of(end), *running = turn_of(other);
	struct host *host = end->host;

	if (!shares_cpu(end, other)) {
		return;
	}
	const bool other_runs = other->app.wait == APP_RUNS;

	count(world, running);
	if (other_runs) {
		host->least_ran_ns = time_max(host->least_ran_ns, running->ran_ns);
	}
	turn->ran_ns = time_max(turn->ran_ns, host->least_ran_ns - SLEEPER_BEHIND_NS);
	turn->preempts = other_runs && running->ran_ns - turn->ran_ns > WAKEUP_GRANULARITY_NS;
}

bool turns_gives_way(const struct world *world, const struct end *end)
{
	const struct end *other = &world->end[1 - end->index];

	return shares_cpu(end, other) && other->app.ready && turn_of(other)->preempts;
}
