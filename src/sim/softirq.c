/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Softirq of one end: when NET_RX runs, for how long, and what runs after it.
 *
 *   SOFTIRQ_ENTRY -> polls -> SOFTIRQ_EXIT
 *
 * A poll that uses up its budget goes round again within net_rx_action; past its limits the softirq is raised again,
 * and past the limits of that ksoftirqd takes over: the same steps, at task level.
 */
#include <string.h>

#include "sim/world_private.h"

void softirq_begin(struct world *world, struct end *end, enum step step, int64_t cost_ns)
{
	const enum cpu_level level = end->host->in_ksoftirqd ? CPU_TASK : CPU_SOFTIRQ;

	cost_ns += end->extra_cost_ns;
	end->extra_cost_ns = 0;
	end_begin_step(world, end, end->irq_cpu, level, step, CPU_SOFTIRQ_TIME, cost_ns);
}

void softirq_raise(struct end *end)
{
	end->host->raised[end->host->raised_count++] = end;
}

/* net_rx_action takes what has been raised up to now. */
static struct end *action_begins(struct world *world, struct host *host)
{
	memcpy(host->polling, host->raised, sizeof(host->polling));
	host->polling_count = host->raised_count;
	host->raised_count = 0;
	softirq_action(&host->softirq, host->profile, world->now_at_ns);
	return host->polling[0];
}

static void softirq_start(struct world *world, struct host *host)
{
	softirq_enter(&host->softirq, world->now_at_ns);
	struct end *first = action_begins(world, host);

	softirq_begin(world, first, STEP_SOFTIRQ_ENTRY, host->profile->softirq_entry_ns);
}

void softirq_run_ksoftirqd(struct world *world, struct host *host)
{
	host->ksoftirqd_ready = false;
	host->in_ksoftirqd = true;
	softirq_enter(&host->softirq, world->now_at_ns);
	struct end *first = action_begins(world, host);

	if (is_board(first) || host->shared) {
		findings(world)->ksoftirqd_runs++;
	}
	poll_begin(world, first);
}

int64_t end_cold_ns(struct end *end, const struct cpu *cpu, int64_t now_at_ns)
{
	const struct profile *profile = end->profile;
	int64_t *packet_at_ns = &end->host->packet_at_ns[cpu - end->host->cpu];
	const int64_t gap_us = (now_at_ns - *packet_at_ns) / NS_PER_US;

	*packet_at_ns = now_at_ns;
	return profile->cold_max_ns * gap_us / (gap_us + profile->cold_half_ns / NS_PER_US + 1);
}

/* The polls are over, and no instance is left on the list. */
static void softirq_end(struct world *world, struct end *end)
{
	if (end->host->in_ksoftirqd) {
		end->host->in_ksoftirqd = false;
		end_resume(world, end, end->irq_cpu, CPU_TASK);
	} else {
		softirq_begin(world, end, STEP_SOFTIRQ_EXIT, end->profile->irq_exit_ns);
	}
}

/* A woken application that has not interrupted anybody yet: the scheduler wants the CPU. */
static bool need_resched(struct world *world, const struct host *host)
{
	bool wanted = false;

	for (unsigned e = host->index; e < host->index + host->ends; e++) {
		const struct end *end = &world->end[e];

		wanted |= end->app.ready && end->app_cpu == end->irq_cpu;
	}
	return wanted;
}

/* net_rx_action has ended. What is left, or was raised meanwhile, is polled at once or by ksoftirqd. */
static void action_over(struct world *world, struct end *end)
{
	struct host *host = end->host;
	const bool resched = need_resched(world, host);

	if (host->raised_count == 0) {
		softirq_end(world, end);
	} else if (host->in_ksoftirqd ? !resched
				      : softirq_restart(&host->softirq, host->profile, world->now_at_ns, resched)) {
		poll_begin(world, action_begins(world, host));
	} else {
		host->ksoftirqd_ready = true;
		softirq_end(world, end);
	}
}

void softirq_poll_returns(struct world *world, struct end *end, bool stays)
{
	struct host *host = end->host;
	const bool squeezed = softirq_squeezed(&host->softirq, host->profile, world->now_at_ns, end->work);

	assert(host->polling_count > 0 && host->polling[0] == end);
	host->polling[0] = host->polling[1];
	host->polling_count--;
	if (stays) {
		host->polling[host->polling_count++] = end;
	}
	if (host->polling_count > 0 && !squeezed) {
		poll_begin(world, host->polling[0]);
		return;
	}
	if (host->polling_count > 0 && (is_board(end) || host->shared)) {
		findings(world)->time_squeeze++;
	}
	for (unsigned i = 0; i < host->polling_count; i++) {
		softirq_raise(host->polling[i]);
	}
	host->polling_count = 0;
	action_over(world, end);
}

void softirq_step_done(struct world *world, struct end *end, enum step step)
{
	switch (step) {
	case STEP_SOFTIRQ_ENTRY:
		end->extra_cost_ns += end_cold_ns(end, end->irq_cpu, world->now_at_ns);
		poll_begin(world, end);
		break;
	case STEP_SOFTIRQ_EXIT:
		end_resume(world, end, end->irq_cpu, CPU_SOFTIRQ);
		break;
	default:
		poll_step_done(world, end, step);
		break;
	}
}

/* What an interrupt has raised runs on the way out of it, or when the softirq that it interrupted has ended; but work that softirq has
 * just left to ksoftirqd stays there, until the next interrupt in kernels where ksoftirqd does not take everything. */
static bool softirq_may_start(const struct end *end, const struct cpu *cpu, enum cpu_level ended)
{
	const struct host *host = end->host;
	const bool left_to_ksoftirqd = host->ksoftirqd_ready &&
				       (ended != CPU_HARDIRQ || host->profile->ksoftirqd_takes_all);

	return cpu == end->irq_cpu && host->raised_count > 0 && !cpu_has(cpu, CPU_SOFTIRQ) && !host->in_ksoftirqd &&
	       !left_to_ksoftirqd;
}

void end_resume(struct world *world, struct end *end, struct cpu *cpu, enum cpu_level ended)
{
	if (!cpu_has(cpu, CPU_HARDIRQ)) {
		if (cpu == end->irq_cpu) {
			nic_take_lines(world, end);
		}
		hardirq_take_timers(world, end, cpu);
		if (end->host->shared) {
			hardirq_take_timers(world, other_end(world, end), cpu);
		}
		if (!cpu_has(cpu, CPU_HARDIRQ) && softirq_may_start(end, cpu, ended)) {
			softirq_start(world, end->host);
		}
	}
	app_pick_task(world, end->host, cpu);
	cpu_release(cpu, world->now_at_ns);
}
