/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hard interrupts of one end: of its NIC, of its timers, and the tick.
 *
 *   line up -> [IDLE_EXIT] -> IRQ_ENTRY -> handler reads the cause, masks, schedules -> IRQ_HANDLER -> softirq or what it interrupted
 *   timer   -> [IDLE_EXIT] -> TIMER -> all that has expired on this CPU
 *
 * A level of a CPU holds one step: what comes while it is taken waits in the chip's line or in timers_pending, and is looked for when
 * the CPU goes on (end_resume).
 */
#include "sim/world_private.h"

static int64_t jitter_ns(struct end *end)
{
	return end->profile->irq_jitter_ns ? random_exponential(&end->random, end->profile->irq_jitter_ns) : 0;
}

/* The kernel's account of idle time: what it has counted since, it keeps (tick_nohz_stop_idle). */
static void keep_idle_time(struct world *world, struct host *host, const struct cpu *cpu)
{
	int64_t *since_at_ns = &host->counts_idle_since_at_ns[cpu - host->cpu];

	if (*since_at_ns != NEVER_AT_NS && host == world->end[0].host) {
		findings(world)->counted_idle_ns += world->now_at_ns - *since_at_ns;
	}
	*since_at_ns = NEVER_AT_NS;
}

/* A handler returns into a softirq, and no task wants the CPU: from here on the kernel counts it as idle. */
static void begin_idle_time(struct world *world, struct host *host, struct cpu *cpu)
{
	if (cpu->in_idle_loop && cpu_has(cpu, CPU_SOFTIRQ) && !cpu_has(cpu, CPU_TASK) &&
	    !softirq_wants_task(world, host, cpu)) {
		host->counts_idle_since_at_ns[cpu - host->cpu] = world->now_at_ns;
	}
}

void hardirq_softirq_ends(struct world *world, struct host *host, struct cpu *cpu)
{
	if (cpu_has(cpu, CPU_TASK) || softirq_wants_task(world, host, cpu)) {
		keep_idle_time(world, host, cpu);
	}
	host->counts_idle_since_at_ns[cpu - host->cpu] = NEVER_AT_NS; /* the true begin of idle time takes its place */
}

/* Interrupt entry on a CPU whose hard level is free; `step` follows once an idle state has been left, which takes what is returned. */
static int64_t enter_hardirq(struct world *world, struct end *end, struct cpu *cpu, enum step step, int64_t cost_ns)
{
	int64_t idle_exit_ns;

	keep_idle_time(world, end->host, cpu);
	if (cpu_is_idle(cpu)) {
		cpu->in_idle_loop = true;
	}
	cpu_entry_ns(cpu, end->profile, world->now_at_ns, &idle_exit_ns);
	if (idle_exit_ns > 0) {
		end->host->after_idle[cpu - end->host->cpu] = (struct after_idle){ step, cost_ns };
		end_begin_step(world, end, cpu, CPU_HARDIRQ, STEP_IDLE_EXIT, CPU_IDLE_EXIT_TIME, idle_exit_ns);
	} else {
		end_begin_step(world, end, cpu, CPU_HARDIRQ, step, CPU_HARDIRQ_TIME, cost_ns);
	}
	return idle_exit_ns;
}

void hardirq_begin(struct world *world, struct end *end)
{
	int64_t idle_exit_ns;
	const int64_t entry_ns =
		cpu_entry_ns(end->irq_cpu, end->profile, world->now_at_ns, &idle_exit_ns) - idle_exit_ns;

	enter_hardirq(world, end, end->irq_cpu, STEP_IRQ_ENTRY, entry_ns + jitter_ns(end));
}

static struct cpu *timer_cpu(struct end *end, enum end_slot slot)
{
	return slot == SLOT_APP_TIMER ? end->app_cpu : end->irq_cpu;
}

/* The first expired timer whose interrupt this CPU has to take; SLOTS_PER_END if there is none. */
static enum end_slot pending_timer(struct end *end, const struct cpu *cpu)
{
	for (enum end_slot slot = SLOT_NAPI_TIMER; slot < SLOTS_PER_END; slot++) {
		if (end->timers_pending & (1u << slot) && timer_cpu(end, slot) == cpu) {
			return slot;
		}
	}
	return SLOTS_PER_END;
}

void hardirq_timer(struct world *world, struct end *end, enum end_slot slot)
{
	struct cpu *cpu = timer_cpu(end, slot);

	end->timers_pending |= 1u << slot;
	if (!irqs_are_off(cpu)) {
		enter_hardirq(world, end, cpu, STEP_TIMER, end->profile->timer_irq_ns);
	}
}

/* The tick interrupts a CPU that has done anything since the last one: an idle CPU sleeps through it. */
void hardirq_tick(struct world *world, struct end *end)
{
	struct host *host = end->host;

	for (unsigned i = 0; i < RUN_CPUS_MAX; i++) {
		struct cpu *cpu = &host->cpu[i];
		int64_t booked_ns = 0;

		if (cpu != end->irq_cpu && cpu != end->app_cpu) {
			continue;
		}
		cpu_book(cpu, world->now_at_ns);
		for (unsigned account = 0; account < CPU_ACCOUNTS; account++) {
			booked_ns += cpu->booked_ns[account];
		}
		if (booked_ns != host->tick_seen_ns[i] && !irqs_are_off(cpu)) {
			booked_ns += enter_hardirq(world, end, cpu, STEP_TIMER, end->profile->timer_irq_ns);
			booked_ns += end->profile->timer_irq_ns;
		}
		host->tick_seen_ns[i] = booked_ns;
	}
}

static void stamp_sent_frames(struct world *world, struct end *end)
{
	for (; end->tx_stamped != end->tx_sent; end->tx_stamped++) {
		frames_at(&end->tx_ring, end->tx_stamped)->irq_at_ns = world->now_at_ns;
	}
}

/* The first instruction of the driver's handler. */
static void handle_irq(struct world *world, struct end *end)
{
	struct driver_actions actions = { 0 };
	const bool was_scheduled = end->napi.scheduled;
	const struct driver_input input = {
		.cause = chip_read(&end->chip, world->now_at_ns, end->plan->cause_offset),
	};

	driver_step(&end->driver, DRIVER_HARDIRQ, &input, &actions);
	nic_writes(world, end, actions.writes, actions.write_count - (was_scheduled ? actions.if_scheduled_writes : 0));
	if (actions.handled) {
		if (is_board(end)) {
			findings(world)->irq_count++;
		} else {
			findings(world)->peer_irq_count++;
		}
		stamp_sent_frames(world, end);
		end->irq_at_ns = world->now_at_ns;
		end->irq_by_timer = false;
		end->saw_rx = false;
		end->saw_tx = false;
	}
	if (actions.schedule) {
		nic_masked(world, end, true);
		if (napi_schedule(&end->napi)) {
			softirq_raise(end);
		}
	}
	const bool softirq_follows = end->host->net_rx_pending && !cpu_has(end->irq_cpu, CPU_SOFTIRQ);
	end_begin_step(world, end, end->irq_cpu, CPU_HARDIRQ, STEP_IRQ_HANDLER, CPU_HARDIRQ_TIME,
		       end->profile->irq_handler_ns + (softirq_follows ? 0 : end->profile->irq_exit_ns));
}

static void poll_by_timer(struct world *world, struct end *end)
{
	end->irq_at_ns = world->now_at_ns;
	end->irq_by_timer = true;
	softirq_raise(end);
	if (is_board(end)) {
		findings(world)->deferred_polls++;
	}
}

static void timer_expired(struct world *world, struct end *end, enum end_slot slot)
{
	struct driver_actions actions = { 0 };
	const struct driver_input input = { 0 };

	switch (slot) {
	case SLOT_NAPI_TIMER:
		if (napi_timer(&end->napi)) {
			end->extra_cost_ns += end->profile->gro_timer_poll_ns;
			poll_by_timer(world, end);
		}
		break;
	case SLOT_TX_TIMER:
		driver_step(&end->driver, DRIVER_TX_TIMER, &input, &actions);
		nic_writes(world, end, actions.writes, actions.write_count);
		if (actions.schedule && napi_schedule(&end->napi)) {
			poll_by_timer(world, end);
		}
		break;
	default:
		app_timer(world, end);
		break;
	}
}

/* Timers that have expired meanwhile are served by the same interrupt. */
static void timers_expired(struct world *world, struct end *end, struct cpu *cpu)
{
	enum end_slot slot;

	while ((slot = pending_timer(end, cpu)) != SLOTS_PER_END) {
		end->timers_pending &= ~(1u << slot);
		timer_expired(world, end, slot);
	}
}

void hardirq_step_done(struct world *world, struct end *end, struct cpu *cpu, enum step step)
{
	switch (step) {
	case STEP_IDLE_EXIT:
		end_begin_step(world, end, cpu, CPU_HARDIRQ, end->host->after_idle[cpu - end->host->cpu].step,
			       CPU_HARDIRQ_TIME, end->host->after_idle[cpu - end->host->cpu].cost_ns);
		break;
	case STEP_IRQ_ENTRY:
		handle_irq(world, end);
		break;
	case STEP_TIMER:
		timers_expired(world, end, cpu);
		begin_idle_time(world, end->host, cpu);
		end_resume(world, end, cpu, CPU_HARDIRQ);
		break;
	default:
		begin_idle_time(world, end->host, cpu);
		end_resume(world, end, cpu, CPU_HARDIRQ);
		break;
	}
}

void hardirq_take_timers(struct world *world, struct end *end, struct cpu *cpu)
{
	if (!irqs_are_off(cpu) && pending_timer(end, cpu) != SLOTS_PER_END) {
		enter_hardirq(world, end, cpu, STEP_TIMER, end->profile->timer_irq_ns);
	}
}
