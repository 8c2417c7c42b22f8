/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Softirq of one end: when NET_RX runs, for how long, and what runs after it.
 *
 *   SOFTIRQ_ENTRY -> polls -> SOFTIRQ_EXIT
 *
 * A poll that uses up its budget goes round again within net_rx_action; past its limits the softirq is raised again,
 * and past the limits of that ksoftirqd takes over: the same steps, at task level.
 */
#include "sim/world_private.h"

void softirq_begin(struct world *world, struct end *end, enum step step, int64_t cost_ns)
{
	const enum cpu_level level = end->in_ksoftirqd ? CPU_TASK : CPU_SOFTIRQ;

	cost_ns += end->extra_cost_ns;
	end->extra_cost_ns = 0;
	cpu_begin(end->irq_cpu, world->now_at_ns, level, (uint8_t)step, CPU_SOFTIRQ_TIME, cost_ns);
}

static void softirq_start(struct world *world, struct end *end)
{
	end->poll_pending = false;
	softirq_enter(&end->softirq, world->now_at_ns);
	softirq_action(&end->softirq, end->profile, world->now_at_ns);
	softirq_begin(world, end, STEP_SOFTIRQ_ENTRY, end->profile->softirq_entry_ns);
}

void softirq_run_ksoftirqd(struct world *world, struct end *end)
{
	end->ksoftirqd_ready = false;
	end->poll_pending = false;
	end->in_ksoftirqd = true;
	if (is_board(end)) {
		findings(world)->ksoftirqd_runs++;
	}
	softirq_enter(&end->softirq, world->now_at_ns);
	softirq_action(&end->softirq, end->profile, world->now_at_ns);
	poll_begin(world, end);
}

int64_t end_cold_ns(struct end *end, const struct cpu *cpu, int64_t now_at_ns)
{
	const struct profile *profile = end->profile;
	int64_t *packet_at_ns = &end->packet_at_ns[cpu - end->cpu];
	const int64_t gap_us = (now_at_ns - *packet_at_ns) / NS_PER_US;

	*packet_at_ns = now_at_ns;
	return profile->cold_max_ns * gap_us / (gap_us + profile->cold_half_ns / NS_PER_US + 1);
}

void softirq_end(struct world *world, struct end *end)
{
	if (end->in_ksoftirqd) {
		end->in_ksoftirqd = false;
		end_resume(world, end, end->irq_cpu, CPU_TASK);
	} else {
		softirq_begin(world, end, STEP_SOFTIRQ_EXIT, end->profile->irq_exit_ns);
	}
}

/* A woken application that has not interrupted anybody yet: the scheduler wants the CPU. */
static bool need_resched(const struct end *end)
{
	return end->app.ready && end->app_cpu == end->irq_cpu;
}

/* net_rx_action has ended with the instance left on its list. */
void softirq_raised_again(struct world *world, struct end *end)
{
	const bool again = end->in_ksoftirqd
				   ? !need_resched(end)
				   : softirq_restart(&end->softirq, end->profile, world->now_at_ns, need_resched(end));

	if (again) {
		softirq_action(&end->softirq, end->profile, world->now_at_ns);
		poll_begin(world, end);
		return;
	}
	end->poll_pending = true;
	end->ksoftirqd_ready = true;
	softirq_end(world, end);
}

void softirq_repoll(struct world *world, struct end *end)
{
	if (is_board(end)) {
		findings(world)->napi_repolls++;
	}
	if (softirq_squeezed(&end->softirq, end->profile, world->now_at_ns, end->work)) {
		if (is_board(end)) {
			findings(world)->time_squeeze++;
		}
		softirq_raised_again(world, end);
	} else {
		poll_begin(world, end);
	}
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
	const bool left_to_ksoftirqd = end->ksoftirqd_ready &&
				       (ended != CPU_HARDIRQ || end->profile->ksoftirqd_takes_all);

	return cpu == end->irq_cpu && end->poll_pending && !cpu_has(cpu, CPU_SOFTIRQ) && !left_to_ksoftirqd;
}

void end_resume(struct world *world, struct end *end, struct cpu *cpu, enum cpu_level ended)
{
	if (!cpu_has(cpu, CPU_HARDIRQ)) {
		if (cpu == end->irq_cpu) {
			nic_check_line(world, end);
		}
		hardirq_take_timers(world, end, cpu);
		if (!cpu_has(cpu, CPU_HARDIRQ) && softirq_may_start(end, cpu, ended)) {
			softirq_start(world, end);
		}
	}
	app_pick_task(world, end, cpu);
	cpu_release(cpu, world->now_at_ns);
}
