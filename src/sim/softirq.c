/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Softirq of one end: when NET_RX runs, for how long, and what runs after it.
 *
 *   SOFTIRQ_ENTRY -> polls -> SOFTIRQ_EXIT
 *
 * net_rx_action polls each instance once. For one that has used up its budget the softirq is raised again, and past
 * the limits of that ksoftirqd takes over: the same steps, at task level.
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
	end->host->net_rx_pending = true;
}

/* net_rx_action takes what is on the list by now. */
static void action_begins(struct world *world, struct host *host)
{
	memcpy(host->polling, host->raised, sizeof(host->polling));
	host->polling_count = host->raised_count;
	host->raised_count = 0;
	softirq_action(&host->softirq, host->profile, world->now_at_ns);
}

/* Interrupts are taken from here on: what they raise is found by this net_rx_action, but the softirq counts as pending again. */
static void softirq_start(struct world *world, struct host *host)
{
	host->net_rx_pending = false;
	softirq_enter(&host->softirq, world->now_at_ns);
	softirq_begin(world, host->raised[0], STEP_SOFTIRQ_ENTRY, host->profile->softirq_entry_ns);
}

void softirq_run_ksoftirqd(struct world *world, struct host *host)
{
	struct end *end = &world->end[host->index];

	host->ksoftirqd_ready = false;
	host->in_ksoftirqd = true;
	host->slice_at_ns = world->now_at_ns;
	findings(world)->ksoftirqd_runs += is_board(end);
	softirq_begin(world, end, STEP_KSOFTIRQD, 2 * host->profile->switch_ns);
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

bool softirq_wants_task(const struct world *world, const struct host *host, const struct cpu *cpu)
{
	bool wants = host->ksoftirqd_ready && cpu == world->end[host->index].irq_cpu;

	for (unsigned e = host->index; e < host->index + host->ends; e++) {
		wants |= world->end[e].app.ready && world->end[e].app_cpu == cpu;
	}
	return wants;
}

/* The present task has had its slice: the tick finds that out. */
bool softirq_slice_is_over(const struct world *world, const struct host *host)
{
	const int64_t jiffy_ns = NS_PER_S / host->profile->hz;
	const int64_t end_at_ns = host->slice_at_ns + host->profile->slice_ns;

	return world->now_at_ns >= (end_at_ns + jiffy_ns - 1) / jiffy_ns * jiffy_ns;
}

/* A woken application that has not begun to run: the scheduler wants the CPU. */
static bool wants_cpu(const struct end *end)
{
	return end->app_cpu == end->irq_cpu &&
	       (end->app.ready ||
		(end->app.step == APP_STEP_WAKE && cpu_is_untouched(end->app_cpu, CPU_TASK, end->app.step_cost_ns)));
}

/* An interrupted application has had its slice, what interrupts it included, while ksoftirqd waits. */
static bool has_to_give_way(const struct world *world, const struct end *end)
{
	return end->host->ksoftirqd_ready && end->app_cpu == end->irq_cpu && end->app.wait == APP_RUNS &&
	       !end->app.ready && cpu_has(end->app_cpu, CPU_TASK) && softirq_slice_is_over(world, end->host);
}

static bool need_resched(const struct world *world, const struct host *host)
{
	bool wanted = false;

	for (unsigned e = host->index; e < host->index + host->ends; e++) {
		wanted |= wants_cpu(&world->end[e]) || has_to_give_way(world, &world->end[e]);
	}
	return wanted;
}

/*
 * The scheduler wants ksoftirqd's CPU: for an application that was woken since ksoftirqd runs, which goes before it, or,
 * when its slice is over, for one that waits.
 */
static bool ksoftirqd_should_yield(const struct world *world, const struct host *host)
{
	const bool slice_is_over = softirq_slice_is_over(world, host);
	bool yields = false;

	for (unsigned e = host->index; e < host->index + host->ends; e++) {
		const struct end *end = &world->end[e];
		const bool was_woken = end->app.step == APP_STEP_WAKE && end->app.ready_at_ns > host->slice_at_ns;

		yields |= end->app.ready && end->app_cpu == end->irq_cpu && (was_woken || slice_is_over);
	}
	return yields;
}

/* It has slept, so it goes before applications that were woken at the same time: they have run more lately. */
static void wake_ksoftirqd(struct world *world, struct host *host)
{
	for (unsigned e = host->index; e < host->index + host->ends; e++) {
		struct end *end = &world->end[e];

		if (wants_cpu(end) || has_to_give_way(world, end)) {
			app_put_aside(world, end);
		}
	}
	host->ksoftirqd_ready = true;
}

static void action_over(struct world *world, struct end *end);

static void action_runs(struct world *world, struct host *host)
{
	action_begins(world, host);
	if (host->polling_count > 0) {
		poll_begin(world, host->polling[0]);
	} else {
		action_over(world, &world->end[host->index]);
	}
}

/*
 * net_rx_action has ended, and the softirq is pending again: for instances that are left or have come, or for an instance
 * that this action has found on its list and polled already. Once more at once, or by ksoftirqd.
 */
static void action_over(struct world *world, struct end *end)
{
	struct host *host = end->host;

	if (!host->net_rx_pending) {
		softirq_end(world, end);
	} else if (host->in_ksoftirqd ? !ksoftirqd_should_yield(world, host)
				      : softirq_restart(&host->softirq, host->profile, world->now_at_ns,
							need_resched(world, host))) {
		host->net_rx_pending = false;
		action_runs(world, host);
	} else if (host->in_ksoftirqd) {
		host->ksoftirqd_ready = true;
		softirq_end(world, end);
	} else {
		wake_ksoftirqd(world, host);
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
		softirq_raise(end); /* for the next net_rx_action: this one polls each instance once */
	}
	if (squeezed && (is_board(end) || host->shared)) {
		findings(world)->time_squeeze++;
	}
	if (host->polling_count > 0 && !squeezed) {
		poll_begin(world, host->polling[0]);
		return;
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
		action_runs(world, end->host);
		break;
	case STEP_KSOFTIRQD:
		end->host->net_rx_pending = false;
		softirq_enter(&end->host->softirq, world->now_at_ns);
		action_runs(world, end->host);
		break;
	case STEP_SOFTIRQ_EXIT:
		hardirq_softirq_ends(world, end->host, end->irq_cpu);
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

	return cpu == end->irq_cpu && host->net_rx_pending && host->raised_count > 0 && !cpu_has(cpu, CPU_SOFTIRQ) &&
	       !host->in_ksoftirqd && !left_to_ksoftirqd;
}

/* What has been waiting for the CPU to take interrupts again. */
static void take_interrupts(struct world *world, struct end *end, struct cpu *cpu)
{
	if (cpu == end->irq_cpu) {
		nic_take_lines(world, end);
	}
	hardirq_take_timers(world, end, cpu);
	if (end->host->shared) {
		hardirq_take_timers(world, other_end(world, end), cpu);
	}
}

void end_resume(struct world *world, struct end *end, struct cpu *cpu, enum cpu_level ended)
{
	if (!cpu_has(cpu, CPU_HARDIRQ)) {
		/* The softirq begins on the way out of the interrupt, and only then the next one is taken; but for a controller
		 * whose handler looks for more first. */
		if (ended == CPU_HARDIRQ && !end->profile->irq_drains && softirq_may_start(end, cpu, ended)) {
			softirq_start(world, end->host);
		}
		take_interrupts(world, end, cpu);
		if (!cpu_has(cpu, CPU_HARDIRQ) && softirq_may_start(end, cpu, ended)) {
			softirq_start(world, end->host);
		}
	}
	app_pick_task(world, end->host, cpu);
	cpu_release(cpu, world->now_at_ns);
}
