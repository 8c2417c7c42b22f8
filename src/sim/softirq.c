/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hard interrupts, softirq, NAPI and the network stack of one end, as steps of CPU time.
 *
 *   line up -> [IDLE_EXIT] -> IRQ_ENTRY -> handler reads the cause, masks, schedules -> IRQ_HANDLER
 *           -> SOFTIRQ_ENTRY -> POLL -> (TX_CLEAN | RX ... RX) -> round done -> COMPLETE -> unmask -> SOFTIRQ_EXIT
 *
 * A poll that uses up its budget goes round again within net_rx_action; past its limits the softirq is raised again,
 * and past the limits of that ksoftirqd takes over: the same steps, at task level.
 * What silicon and driver decide is asked of chip and driver; here is what the core of Linux does.
 */
#include "sim/world_private.h"

/* ---- hard interrupts ---- */

static int64_t jitter_ns(struct end *end)
{
	return end->profile->irq_jitter_ns ? random_exponential(&end->random, end->profile->irq_jitter_ns) : 0;
}

/* Interrupt entry on a CPU whose hard level is free; `step` follows once an idle state has been left, which takes what is returned. */
static int64_t enter_hardirq(struct world *world, struct end *end, struct cpu *cpu, enum step step, int64_t cost_ns)
{
	int64_t idle_exit_ns;

	cpu_entry_ns(cpu, end->profile, world->now_at_ns, &idle_exit_ns);
	if (idle_exit_ns > 0) {
		end->after_idle[cpu - end->cpu] = (struct after_idle){ step, cost_ns };
		cpu_begin(cpu, world->now_at_ns, CPU_HARDIRQ, STEP_IDLE_EXIT, CPU_IDLE_EXIT_TIME, idle_exit_ns);
	} else {
		cpu_begin(cpu, world->now_at_ns, CPU_HARDIRQ, (uint8_t)step, CPU_HARDIRQ_TIME, cost_ns);
	}
	return idle_exit_ns;
}

void softirq_begin_irq(struct world *world, struct end *end)
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

void softirq_timer(struct world *world, struct end *end, enum end_slot slot)
{
	struct cpu *cpu = timer_cpu(end, slot);

	end->timers_pending |= 1u << slot;
	if (!cpu_has(cpu, CPU_HARDIRQ)) {
		enter_hardirq(world, end, cpu, STEP_TIMER, end->profile->timer_irq_ns);
	}
}

/* The tick interrupts a CPU that has done anything since the last one: an idle CPU sleeps through it. */
void end_tick(struct world *world, struct end *end)
{
	for (unsigned i = 0; i < RUN_CPUS_MAX; i++) {
		struct cpu *cpu = &end->cpu[i];
		int64_t booked_ns = 0;

		if (cpu != end->irq_cpu && cpu != end->app_cpu) {
			continue;
		}
		cpu_book(cpu, world->now_at_ns);
		for (unsigned account = 0; account < CPU_ACCOUNTS; account++) {
			booked_ns += cpu->booked_ns[account];
		}
		if (booked_ns != end->tick_seen_ns[i] && !cpu_has(cpu, CPU_HARDIRQ)) {
			booked_ns += enter_hardirq(world, end, cpu, STEP_TIMER, end->profile->timer_irq_ns);
			booked_ns += end->profile->timer_irq_ns;
		}
		end->tick_seen_ns[i] = booked_ns;
	}
}

static void schedule_poll(struct end *end)
{
	if (napi_schedule(&end->napi)) {
		end->poll_pending = true;
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
		}
		stamp_sent_frames(world, end);
		end->irq_at_ns = world->now_at_ns;
		end->irq_by_timer = false;
		end->saw_rx = false;
		end->saw_tx = false;
	}
	if (actions.schedule) {
		nic_masked(world, end, true);
		schedule_poll(end);
	}
	const bool softirq_follows = end->poll_pending && !cpu_has(end->irq_cpu, CPU_SOFTIRQ);
	cpu_begin(end->irq_cpu, world->now_at_ns, CPU_HARDIRQ, STEP_IRQ_HANDLER, CPU_HARDIRQ_TIME,
		  end->profile->irq_handler_ns + (softirq_follows ? 0 : end->profile->irq_exit_ns));
}

static void poll_by_timer(struct world *world, struct end *end)
{
	end->irq_at_ns = world->now_at_ns;
	end->irq_by_timer = true;
	end->poll_pending = true;
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

static void hardirq_step_done(struct world *world, struct end *end, struct cpu *cpu, enum step step)
{
	switch (step) {
	case STEP_IDLE_EXIT:
		cpu_begin(cpu, world->now_at_ns, CPU_HARDIRQ, (uint8_t)end->after_idle[cpu - end->cpu].step,
			  CPU_HARDIRQ_TIME, end->after_idle[cpu - end->cpu].cost_ns);
		break;
	case STEP_IRQ_ENTRY:
		handle_irq(world, end);
		break;
	case STEP_TIMER:
		timers_expired(world, end, cpu);
		end_resume(world, end, cpu, CPU_HARDIRQ);
		break;
	default:
		end_resume(world, end, cpu, CPU_HARDIRQ);
		break;
	}
}

/* ---- softirq ---- */

static void softirq_begin(struct world *world, struct end *end, enum step step, int64_t cost_ns)
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

static void poll_begin(struct world *world, struct end *end)
{
	end->work = 0;
	if (is_board(end)) {
		findings(world)->napi_polls++;
		findings(world)->deferred_polls += end->irq_by_timer;
	}
	softirq_begin(world, end, STEP_POLL, end->profile->poll_ns);
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

static void softirq_end(struct world *world, struct end *end)
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
static void softirq_raised_again(struct world *world, struct end *end)
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

static void repoll(struct world *world, struct end *end)
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

/* ---- the stack ---- */

/* Segments of GRO go to the socket as one packet; an ACK may be due. True when a step for it has begun. */
static bool gro_flush(struct world *world, struct end *end, enum poll_then then)
{
	if (end->gro.segments == 0) {
		return false;
	}
	const struct gro gro = end->gro;
	const bool wakes = app_sleeps_for_data(end);
	const bool ack = tcp_segments_received(world, end, &gro.first, gro.segments);

	end->gro.segments = 0;
	app_data_ready(world, end);
	end->then = then;
	end->ack_to_send = ack;
	end->segments_to_send = 0;
	const int64_t cost_ns =
		(wakes ? end->profile->wake_ns : 0) + (ack ? end->profile->ack_ns + end->profile->xmit_ns : 0);
	softirq_begin(world, end, STEP_SEGMENTS, cost_ns);
	return true;
}

/* GRO lets go of what it holds at 64 KiB. */
#define GRO_MAX_BYTES 65535

static bool gro_merges(const struct end *end, const struct frame *frame)
{
	const struct gro *gro = &end->gro;

	return gro->segments > 0 && frame->sequence == gro->first.sequence + gro->segments &&
	       gro->bytes + frame->payload <= GRO_MAX_BYTES;
}

/* A frame out of the ring: what the driver does, and for a segment that GRO merges all that it costs. */
static int64_t rx_cost_ns(const struct world *world, struct end *end, const struct frame *frame)
{
	const struct profile *profile = end->profile;
	int64_t cost_ns = profile->rx_driver_ns + frame->frame_bytes * profile->rx_byte_ps / 1000;

	if (++end->since_refill >= profile->rx_refill_every) {
		end->since_refill = 0;
		cost_ns += profile->rx_refill_ns;
	}
	if (frame->kind == FRAME_SEGMENT) {
		cost_ns += world->workload->gro && gro_merges(end, frame) ? profile->rx_merge_ns : profile->rx_stack_ns;
	}
	return cost_ns;
}

static int64_t stack_cost_ns(const struct end *end, const struct frame *frame)
{
	const struct profile *profile = end->profile;

	switch ((enum frame_kind)frame->kind) {
	case FRAME_ECHO_REQUEST:
		return profile->rx_stack_ns + profile->echo_ns + profile->xmit_ns;
	case FRAME_ACK:
		return profile->ack_rx_ns;
	default:
		return profile->rx_stack_ns + (app_sleeps_for_data(end) ? profile->wake_ns : 0);
	}
}

static void take_frame(struct world *world, struct end *end)
{
	const struct driver_plan *plan = end->plan;

	if (plan->rx_clear_offset) {
		chip_write(&end->chip, world->now_at_ns, plan->rx_clear_offset, plan->rx_clear_value);
	}
	end->taken = frames_pop(&end->rx_ring);
	end->taken.taken_at_ns = world->now_at_ns;
	end->work++;
	end->round_packets[CHIP_RX]++;
	end->round_bytes[CHIP_RX] += end->taken.frame_bytes - 4u;
	if (is_board(end)) {
		struct run_findings *found = findings(world);
		const struct frame *frame = &end->taken;

		found->rx_frames++;
		found->rx_bytes += frame->frame_bytes;
		found->napi_frames++;
		if (!end->irq_by_timer) {
			found->irq_frames++;
			found->irq_rx_count += !end->saw_rx;
			end->saw_rx = true;
		}
		world_record(world, end, RUN_FRAME_TO_IRQ, time_max(0, end->irq_at_ns - frame->nic_at_ns));
		world_record(world, end, RUN_IRQ_TO_POLL,
			     world->now_at_ns - time_max(end->irq_at_ns, frame->nic_at_ns));
	}
	softirq_begin(world, end, STEP_RX, rx_cost_ns(world, end, &end->taken));
}

static void to_socket(struct world *world, struct end *end, const struct frame *frame)
{
	const uint64_t truesize = frame_truesize(frame);

	/* The kernel lets the packet in that crosses the limit. */
	if (end->socket_bytes > end->profile->rcvbuf_bytes || frames_full(&end->socket)) {
		if (is_board(end)) {
			findings(world)->socket_dropped++;
		}
		world_count_dropped(world, 1);
		return;
	}
	end->socket_bytes += truesize;
	frames_push(&end->socket, frame);
	world_count_received(world, 1);
	app_data_ready(world, end);
}

static void begin_segments(struct world *world, struct end *end, uint32_t count, enum poll_then then)
{
	end->then = then;
	end->segments_to_send = count;
	end->ack_to_send = false;
	softirq_begin(world, end, STEP_SEGMENTS, count * (end->profile->segment_ns + end->profile->xmit_ns));
}

/* True when a step for the segment's consequences has begun. */
static bool segment_received(struct world *world, struct end *end, const struct frame *frame)
{
	const bool merges = world->workload->gro && gro_merges(end, frame);

	world_count_received(world, 1);
	if (merges) {
		end->gro.segments++;
		end->gro.bytes += frame->payload;
		return false;
	}
	const bool begun = gro_flush(world, end, THEN_ROUND);

	end->gro = (struct gro){ *frame, 1, frame->payload };
	if (!world->workload->gro && !begun) {
		return gro_flush(world, end, THEN_ROUND);
	}
	return begun;
}

/* The frame of the STACK step is through it. True when another step has begun on its behalf, with end->list_then to follow. */
static bool deliver(struct world *world, struct end *end)
{
	const struct frame frame = end->taken;

	end->packet_at_ns[end->irq_cpu - end->cpu] = world->now_at_ns;
	switch ((enum frame_kind)frame.kind) {
	case FRAME_ECHO_REQUEST: {
		const struct frame reply = world_answer(world, &frame);

		world_count_received(world, 1);
		nic_xmit(world, end, &reply);
		return false;
	}
	case FRAME_ECHO_REPLY:
		world_record(world, end, RUN_RTT, end->list_stamp_at_ns - frame.started_at_ns);
		to_socket(world, end, &frame);
		return false;
	case FRAME_ACK:
		world_count_received(world, 1);
		tcp_ack_received(world, end, &frame);
		app_space(world, end, &frame);
		if (!app_owns_socket(end) && tcp_sendable(&end->sender) > 0) {
			begin_segments(world, end, tcp_sendable(&end->sender), THEN_LIST);
			return true;
		}
		return false;
	default:
		to_socket(world, end, &frame);
		return false;
	}
}

/*
 * What GRO does not hold goes up the stack in lists of eight (gro_normal_batch), and at the end of a poll. So the driver's loop over its ring
 * is quicker than the stack, and what comes while a list is in the stack at the end of a poll waits for the next interrupt.
 * True when a step has begun; what follows the list is `then`.
 */
static bool list_begins(struct world *world, struct end *end, enum poll_then then)
{
	if (end->list_done == end->list_count) {
		end->list_done = 0;
		end->list_count = 0;
		return false;
	}
	if (end->list_done == 0) {
		end->list_stamp_at_ns = world->now_at_ns; /* the kernel's receive stamp, where ping's clock stops */
	}
	end->list_then = then;
	end->taken = end->list[end->list_done++];
	softirq_begin(world, end, STEP_STACK, stack_cost_ns(end, &end->taken));
	return true;
}

/* The frame of the RX step is out of the ring. True when a step has begun on its behalf. */
static bool received(struct world *world, struct end *end)
{
	const struct frame *frame = &end->taken;

	if (world->workload->xdp_drop) {
		world_count_received(world, 1);
		return false;
	}
	if (frame->kind == FRAME_SEGMENT) {
		end->packet_at_ns[end->irq_cpu - end->cpu] = world->now_at_ns;
		return segment_received(world, end, frame);
	}
	end->list[end->list_count++] = *frame;
	return end->list_count >= end->profile->gro_list && list_begins(world, end, THEN_ROUND);
}

static void segments_done(struct world *world, struct end *end)
{
	if (end->ack_to_send) {
		const struct frame ack = tcp_make_ack(world, end);

		nic_xmit(world, end, &ack);
	}
	tcp_xmit(world, end, end->segments_to_send);
}

/* ---- the poll ---- */

static void round_done(struct world *world, struct end *end);

static bool clean_begins(struct world *world, struct end *end)
{
	if (!end->serve_tx || end->tx_served) {
		return false;
	}
	end->tx_served = true;
	end->cleaned = nic_tx_completed(end);
	if (end->plan->tx_budget && end->cleaned > end->plan->tx_budget) {
		end->cleaned = end->plan->tx_budget;
	}
	if (end->cleaned == 0) {
		return false;
	}
	if (is_board(end) && !end->irq_by_timer) {
		findings(world)->irq_tx_count += !end->saw_tx;
		end->saw_tx = true;
	}
	softirq_begin(world, end, STEP_TX_CLEAN, end->cleaned * end->profile->tx_clean_ns);
	return true;
}

static bool receive_begins(struct world *world, struct end *end)
{
	if (!end->serve_rx || end->rx_served) {
		return false;
	}
	if (frames_count(&end->rx_ring) == 0 || end->work >= end->plan->weight) {
		end->rx_served = true;
		return false;
	}
	take_frame(world, end);
	return true;
}

static void round_next(struct world *world, struct end *end)
{
	const bool begun = end->rx_first ? receive_begins(world, end) || clean_begins(world, end)
					 : clean_begins(world, end) || receive_begins(world, end);

	if (!begun) {
		round_done(world, end);
	}
}

static void round_serves(struct end *end, const struct driver_actions *actions)
{
	end->serve_rx = actions->serve_rx;
	end->serve_tx = actions->serve_tx;
	end->rx_first = actions->rx_first;
	end->rx_served = false;
	end->tx_served = false;
	for (unsigned direction = 0; direction < CHIP_DIRECTIONS; direction++) {
		end->round_packets[direction] = 0;
		end->round_bytes[direction] = 0;
	}
}

static void round_begin(struct world *world, struct end *end)
{
	struct driver_actions actions = { 0 };
	struct driver_input input = { 0 };

	if (end->round_again) {
		end->round_again = false; /* the answer to the round before has said what this one serves */
		round_next(world, end);
		return;
	}

	if (end->plan->cause_in_poll) {
		input.cause = chip_read(&end->chip, world->now_at_ns, end->plan->cause_offset);
	}
	driver_step(&end->driver, DRIVER_POLL, &input, &actions);
	nic_writes(world, end, actions.writes, actions.write_count);
	nic_check_line(world, end);
	round_serves(end, &actions);
	round_next(world, end);
}

static void complete_begins(struct world *world, struct end *end)
{
	softirq_begin(world, end, STEP_COMPLETE, end->profile->poll_complete_ns);
}

/* A completion with a timer behind it flushes only what has been held since an earlier jiffy (napi_gro_flush). */
static bool gro_stays(const struct world *world, const struct end *end)
{
	const int64_t jiffy_ns = NS_PER_S / end->profile->hz;

	return napi_keeps_gro(&end->napi, end->work > 0) &&
	       end->gro.first.taken_at_ns / jiffy_ns == world->now_at_ns / jiffy_ns;
}

/* What GRO holds goes up before a poll call returns, unless it completes and may keep it. */
static void poll_goes_on(struct world *world, struct end *end, enum poll_then then)
{
	const bool flushes = then == THEN_REPOLL || (then == THEN_COMPLETE && !gro_stays(world, end));

	if (flushes && gro_flush(world, end, then)) {
		return;
	}
	switch (then) {
	case THEN_COMPLETE:
		complete_begins(world, end);
		break;
	case THEN_REPOLL:
		repoll(world, end);
		break;
	default:
		round_next(world, end);
		break;
	}
}

static void list_goes_on(struct world *world, struct end *end)
{
	const enum poll_then then = end->list_then;

	if (!list_begins(world, end, then)) {
		poll_goes_on(world, end, then);
	}
}

static void round_done(struct world *world, struct end *end)
{
	struct driver_actions actions = { 0 };
	struct driver_input input = {
		.under_budget = end->work<end->plan->weight, .tx_all_reclaimed = nic_tx_completed(end) == 0,
					  .tx_frames_pending = frames_count(&end->tx_ring)> 0,
		.packets = { end->round_packets[CHIP_RX], end->round_packets[CHIP_TX] },
		.bytes = { end->round_bytes[CHIP_RX], end->round_bytes[CHIP_TX] },
	};

	if (end->plan->cause_in_round) {
		input.cause = chip_read(&end->chip, world->now_at_ns, end->plan->cause_offset);
	}
	driver_step(&end->driver, DRIVER_ROUND_DONE, &input, &actions);
	nic_writes(world, end, actions.writes, actions.write_count);
	if (actions.tx_timer_ns > 0) {
		world_set(world, end, SLOT_TX_TIMER, world->now_at_ns + actions.tx_timer_ns);
	}
	if (actions.again) {
		end->round_again = true;
		round_serves(end, &actions);
		softirq_begin(world, end, STEP_POLL, end->profile->poll_ns);
		return;
	}
	if (is_board(end) && !input.under_budget) {
		findings(world)->budget_exhausted++;
	}
	const enum poll_then then = actions.complete ? THEN_COMPLETE : THEN_REPOLL;
	if (!list_begins(world, end, then)) {
		poll_goes_on(world, end, then);
	}
}

static void poll_completed(struct world *world, struct end *end)
{
	struct driver_actions actions = { 0 };
	bool poll_again;
	const bool unmask = napi_complete_done(&end->napi, world->now_at_ns, end->work > 0,
					       end->gro.segments > 0, &poll_again);

	world_set(world, end, SLOT_NAPI_TIMER, end->napi.timer_at_ns);
	if (poll_again) {
		poll_begin(world, end);
		return;
	}
	if (is_board(end)) {
		findings(world)->napi_completes++;
	}
	const struct driver_input input = {
		.completed = unmask,
		.work_waiting = frames_count(&end->rx_ring) > 0 || nic_tx_completed(end) > 0,
	};

	driver_step(&end->driver, DRIVER_COMPLETED, &input, &actions);
	nic_writes(world, end, actions.writes, actions.write_count);
	if (unmask || !end->driver.variant->obeys_napi_complete) {
		nic_masked(world, end, false);
	}
	if (actions.schedule) {
		nic_masked(world, end, true);
		napi_schedule(&end->napi);
		softirq_raised_again(world, end);
	} else {
		softirq_end(world, end);
	}
	nic_check_line(world, end);
}

static void softirq_level_step_done(struct world *world, struct end *end, enum step step)
{
	switch (step) {
	case STEP_SOFTIRQ_ENTRY:
		end->extra_cost_ns += end_cold_ns(end, end->irq_cpu, world->now_at_ns);
		poll_begin(world, end);
		break;
	case STEP_POLL:
		round_begin(world, end);
		break;
	case STEP_TX_CLEAN:
		nic_tx_clean(world, end, end->cleaned);
		round_next(world, end);
		break;
	case STEP_RX:
		if (!received(world, end)) {
			round_next(world, end);
		}
		break;
	case STEP_STACK:
		if (!deliver(world, end)) {
			list_goes_on(world, end);
		}
		break;
	case STEP_SEGMENTS:
		segments_done(world, end);
		if (end->then == THEN_LIST) {
			list_goes_on(world, end);
		} else {
			poll_goes_on(world, end, end->then);
		}
		break;
	case STEP_COMPLETE:
		poll_completed(world, end);
		break;
	default:
		end_resume(world, end, end->irq_cpu, CPU_SOFTIRQ);
		break;
	}
}

void softirq_step_done(struct world *world, struct end *end, struct cpu *cpu, enum cpu_level level, enum step step)
{
	if (level == CPU_HARDIRQ) {
		hardirq_step_done(world, end, cpu, step);
	} else {
		softirq_level_step_done(world, end, step);
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
		if (!cpu_has(cpu, CPU_HARDIRQ) && pending_timer(end, cpu) != SLOTS_PER_END) {
			enter_hardirq(world, end, cpu, STEP_TIMER, end->profile->timer_irq_ns);
		}
		if (!cpu_has(cpu, CPU_HARDIRQ) && softirq_may_start(end, cpu, ended)) {
			softirq_start(world, end);
		}
	}
	app_pick_task(world, end, cpu);
	cpu_release(cpu, world->now_at_ns);
}
