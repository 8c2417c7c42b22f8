/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The poll of the driver, as NAPI calls it:
 *
 *   POLL -> round: (TX_CLEAN | RX ... RX) -> round done -> [another round] -> COMPLETE -> unmask -> [POLL_EXIT]
 *
 * What silicon and driver decide is asked of chip and driver; here is what the core of Linux does.
 */
#include "sim/world_private.h"

static void round_done(struct world *world, struct end *end);

void poll_begin(struct world *world, struct end *end)
{
	end->work = 0;
	if (is_board(end)) {
		findings(world)->napi_polls++;
	}
	softirq_begin(world, end, STEP_POLL, end->profile->poll_ns);
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
	softirq_begin(world, end, STEP_RX, stack_rx_cost_ns(world, end, &end->taken));
}

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

/* The poll call returns and leaves its instance on the list. */
static void poll_stays(struct world *world, struct end *end)
{
	if (is_board(end)) {
		findings(world)->napi_repolls++;
	}
	softirq_poll_returns(world, end, true);
}

/* What GRO holds goes up before a poll call returns, unless it completes and may keep it. */
static void poll_goes_on(struct world *world, struct end *end, enum poll_then then)
{
	const bool flushes = then == THEN_REPOLL || (then == THEN_COMPLETE && !gro_stays(world, end));

	if (flushes && stack_flush_gro(world, end, then)) {
		return;
	}
	switch (then) {
	case THEN_COMPLETE:
		complete_begins(world, end);
		break;
	case THEN_REPOLL:
		poll_stays(world, end);
		break;
	default:
		round_next(world, end);
		break;
	}
}

static void list_goes_on(struct world *world, struct end *end)
{
	const enum poll_then then = end->list_then;

	if (!stack_list_begins(world, end, then)) {
		poll_goes_on(world, end, then);
	}
}

static void round_done(struct world *world, struct end *end)
{
	struct driver_actions actions = { 0 };
	const bool under_budget = end->work < end->plan->weight;
	struct driver_input input = {
		.under_budget = under_budget,
		.tx_all_reclaimed = nic_tx_completed(end) == 0,
		.tx_frames_pending = frames_count(&end->tx_ring) > 0,
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
	if (is_board(end) && !under_budget) {
		findings(world)->budget_exhausted++;
	}
	const enum poll_then then = actions.complete ? THEN_COMPLETE : THEN_REPOLL;
	if (!stack_list_begins(world, end, then)) {
		poll_goes_on(world, end, then);
	}
}

static void poll_completed(struct world *world, struct end *end)
{
	struct driver_actions actions = { 0 };
	bool poll_again;
	const bool unmask =
		napi_complete_done(&end->napi, world->now_at_ns, end->work > 0, end->gro.segments > 0, &poll_again);

	world_set(world, end, SLOT_NAPI_TIMER, end->napi.timer_at_ns);
	if (poll_again) {
		poll_stays(world, end);
		return;
	}
	if (is_board(end)) {
		findings(world)->napi_completes++;
	}
	const struct driver_input input = {
		.completed = unmask,
		.work_waiting = frames_count(&end->rx_ring) > 0 || nic_tx_completed(end) > 0,
		.now_at_ns = world->now_at_ns,
	};

	driver_step(&end->driver, DRIVER_COMPLETED, &input, &actions);
	nic_writes(world, end, actions.writes, actions.write_count);
	record_level(world, end);
	if (unmask || !end->driver.variant->obeys_napi_complete) {
		nic_masked(world, end, false);
	}
	if (actions.schedule) {
		nic_masked(world, end, true);
		napi_schedule(&end->napi);
		softirq_raise(end);
	}
	if (end->profile->poll_exit_ns > 0) {
		softirq_begin(world, end, STEP_POLL_EXIT, end->profile->poll_exit_ns);
	} else {
		softirq_poll_returns(world, end, false);
	}
	nic_check_line(world, end);
}

void poll_step_done(struct world *world, struct end *end, enum step step)
{
	switch (step) {
	case STEP_POLL:
		round_begin(world, end);
		break;
	case STEP_TX_CLEAN:
		nic_tx_clean(world, end, end->cleaned);
		round_next(world, end);
		break;
	case STEP_RX:
		if (!stack_received(world, end)) {
			round_next(world, end);
		}
		break;
	case STEP_STACK:
		if (!stack_deliver(world, end)) {
			list_goes_on(world, end);
		}
		break;
	case STEP_SEGMENTS:
		stack_segments_done(world, end);
		if (end->then == THEN_LIST) {
			list_goes_on(world, end);
		} else {
			poll_goes_on(world, end, end->then);
		}
		break;
	case STEP_POLL_EXIT:
		softirq_poll_returns(world, end, false);
		break;
	default:
		poll_completed(world, end);
		break;
	}
}
