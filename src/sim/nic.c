/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What lies between chip, driver, CPU and wire: descriptor rings, DMA, the queueing discipline and byte queue
 * limits above the TX ring, and the interrupt line.
 *
 * TX ring positions:   head (first not reclaimed) <= tx_stamped <= tx_sent <= tail
 *   [head, tx_sent)    have left and wait to be reclaimed
 *   [tx_stamped, ...)  of those, not yet found by a hard interrupt
 *   [tx_sent, tail)    wait for the wire or are on it; their times are known already
 */
#include "sim/world_private.h"

/* Descriptors that a driver keeps free so that a packet with all its fragments fits (MAX_SKB_FRAGS + 1). */
#define TX_RING_MARGIN 18
/* What BQL starts with, and at most allows (DQL_MAX_LIMIT is far above any ring here). */
#define BQL_FIRST_LIMIT 3028
#define BQL_MAX_LIMIT (4 << 20)

void nic_masked(struct world *world, struct end *end, bool masked)
{
	if (masked && end->masked_since_at_ns == NEVER_AT_NS) {
		end->masked_since_at_ns = world->now_at_ns;
	} else if (!masked && end->masked_since_at_ns != NEVER_AT_NS) {
		if (is_board(end)) {
			findings(world)->irq_masked_ns +=
				world->now_at_ns - time_max(end->masked_since_at_ns, world->counted_since_at_ns);
		}
		end->masked_since_at_ns = NEVER_AT_NS;
	}
}

void nic_writes(struct world *world, struct end *end, const struct driver_write *writes, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		chip_write(&end->chip, world->now_at_ns, writes[i].offset, writes[i].value);
	}
}

/* The bytes have to cross to or from memory before the frame can go on; frames follow one another in a pipeline. */
static int64_t dma_ns(const struct end *end, const struct frame *frame)
{
	return frame->frame_bytes * end->profile->dma_byte_ps / 1000;
}

static void set_arrival(struct world *world, const struct end *to)
{
	struct frames *flight = &world->in_flight[1 - to->index];

	world_set(world, to, SLOT_ARRIVAL, frames_count(flight) ? frames_first(flight)->due_at_ns : NEVER_AT_NS);
}

void nic_to_wire(struct world *world, struct end *end, int64_t ready_at_ns, const struct frame *frame,
		 struct frame *in_ring)
{
	struct end *to = other_end(world, end);
	struct frames *flight = &world->in_flight[end->index];
	const struct wire_times times = wire_send(&world->wire[end->index], ready_at_ns, frame->frame_bytes);

	assert(!frames_full(flight));
	struct frame *flying = frames_push(flight, frame);
	flying->nic_at_ns = times.arrives_at_ns;
	flying->due_at_ns = times.arrives_at_ns;
	if (!to->ideal) {
		to->dma_rx_free_at_ns = time_max(to->dma_rx_free_at_ns, times.arrives_at_ns) + dma_ns(to, frame);
		flying->due_at_ns = to->dma_rx_free_at_ns + to->profile->dma_latency_ns;
	}
	if (frames_count(flight) == 1) {
		set_arrival(world, to);
	}
	if (in_ring) {
		in_ring->due_at_ns = times.sent_at_ns + end->profile->dma_latency_ns;
	}
}

/* ---- transmit ---- */

static bool can_post(const struct end *end)
{
	return frames_count(&end->tx_ring) + TX_RING_MARGIN < end->tx_ring_size && !end->bql_stopped;
}

static void set_sent(struct world *world, struct end *end)
{
	const bool waiting = end->tx_sent != end->tx_ring.tail;

	world_set(world, end, SLOT_SENT, waiting ? frames_at(&end->tx_ring, end->tx_sent)->due_at_ns : NEVER_AT_NS);
}

static void post(struct world *world, struct end *end, const struct frame *frame)
{
	struct driver_actions actions = { 0 };
	const struct driver_input input = { 0 };
	const bool was_waiting = end->tx_sent != end->tx_ring.tail;

	driver_step(&end->driver, DRIVER_XMIT, &input, &actions);
	struct frame *slot = frames_push(&end->tx_ring, frame);
	slot->tx_flags = (uint8_t)actions.frame_flags;
	slot->taken_at_ns = world->now_at_ns; /* the return of the driver's xmit */
	slot->irq_at_ns = NEVER_AT_NS;
	end->dma_tx_free_at_ns = time_max(end->dma_tx_free_at_ns, world->now_at_ns) + dma_ns(end, frame);
	nic_to_wire(world, end, end->dma_tx_free_at_ns + end->profile->dma_latency_ns, frame, slot);
	if (!was_waiting) {
		set_sent(world, end);
	}
	if (end->driver.variant->uses_bql) {
		end->bql_in_flight += frame->frame_bytes;
		end->bql_stopped = end->bql_in_flight >= end->bql_limit;
	}
	if (actions.tx_timer_ns != 0) {
		world_set(world, end, SLOT_TX_TIMER,
			  actions.tx_timer_ns > 0 ? world->now_at_ns + actions.tx_timer_ns : NEVER_AT_NS);
	}
}

void nic_xmit(struct world *world, struct end *end, const struct frame *frame)
{
	world_count_sent(world);
	if (frames_count(&end->qdisc) == 0 && can_post(end)) {
		post(world, end, frame);
	} else if (!frames_full(&end->qdisc)) {
		frames_push(&end->qdisc, frame);
	} else {
		/* pfifo at its limit: the frame is gone, and its memory is the socket's again. */
		world_count_dropped(world, 1);
		app_space(world, end, frame);
	}
}

void nic_sent(struct world *world, struct end *end)
{
	struct frame *frame = frames_at(&end->tx_ring, end->tx_sent++);

	if (is_board(end)) {
		findings(world)->tx_frames++;
		findings(world)->tx_bytes += frame->frame_bytes;
	}
	set_sent(world, end);
	chip_frame_sent(&end->chip, world->now_at_ns, 0, frame->frame_bytes, frame->tx_flags);
	nic_check_line(world, end);
}

uint32_t nic_tx_completed(const struct end *end)
{
	return end->tx_sent - end->tx_ring.head;
}

/*
 * Byte queue limits, in the shape of lib/dynamic_queue_limits.c: when the queue was stopped and everything in flight has
 * completed, the NIC ran dry for want of bytes and the limit grows by what was completed. The slow shrinking (once a second) is
 * left out: it does not act within a run.
 */
static void bql_completed(struct end *end, uint64_t bytes)
{
	if (!end->driver.variant->uses_bql) {
		return;
	}
	end->bql_in_flight -= bytes;
	if (end->bql_stopped && end->bql_in_flight == 0) {
		end->bql_limit += bytes;
		if (end->bql_limit > BQL_MAX_LIMIT) {
			end->bql_limit = BQL_MAX_LIMIT;
		}
	}
	end->bql_stopped = end->bql_in_flight >= end->bql_limit;
}

static void completed(struct world *world, struct end *end, const struct frame *frame)
{
	if (frame->irq_at_ns != NEVER_AT_NS) {
		world_record(world, end, RUN_XMIT_TO_IRQ, frame->irq_at_ns - frame->taken_at_ns);
		world_record(world, end, RUN_IRQ_TO_COMPLETION, world->now_at_ns - frame->irq_at_ns);
	}
	if (world->config->script) {
		script_completed(world, end, frame);
	}
	app_space(world, end, frame);
}

void nic_tx_clean(struct world *world, struct end *end, uint32_t count)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct frame frame = frames_pop(&end->tx_ring);

		bytes += frame.frame_bytes;
		end->round_packets[CHIP_TX]++;
		end->round_bytes[CHIP_TX] += frame.frame_bytes - 4u;
		completed(world, end, &frame);
	}
	if ((int32_t)(end->tx_stamped - end->tx_ring.head) < 0) {
		end->tx_stamped = end->tx_ring.head;
	}
	bql_completed(end, bytes);
	while (frames_count(&end->qdisc) > 0 && can_post(end)) {
		const struct frame frame = frames_pop(&end->qdisc);

		post(world, end, &frame);
		end->extra_cost_ns += end->profile->xmit_ns;
	}
}

/* ---- receive ---- */

static void frame_in_memory(struct world *world, struct end *end, const struct frame *frame)
{
	if (frames_count(&end->rx_ring) >= end->rx_ring_size) {
		if (is_board(end)) {
			findings(world)->rx_dropped++;
		}
		world_count_dropped(world, 1);
		return;
	}
	frames_push(&end->rx_ring, frame);
	if (end->tells_rx_free) {
		chip_rx_free(&end->chip, world->now_at_ns, 0, end->rx_ring_size - frames_count(&end->rx_ring));
	}
	chip_frame_received(&end->chip, world->now_at_ns, 0, frame->frame_bytes, end->rx_frame_flags);
	nic_check_line(world, end);
}

void nic_arrival(struct world *world, struct end *end)
{
	struct frames *flight = &world->in_flight[1 - end->index];
	const struct frame frame = frames_pop(flight);

	/* A bus returns its frames before any host sees them. */
	if (end->ideal || frame.kind == FRAME_BUS) {
		set_arrival(world, end);
		ideal_receive(world, end, &frame);
		return;
	}
	struct end *from = other_end(world, end);
	if (from->source_more) {
		ideal_next_datagram(world, from);
	}
	set_arrival(world, end);
	frame_in_memory(world, end, &frame);
}

/* ---- the line ---- */

static bool can_interrupt(const struct end *end)
{
	return chip_irq_lines(&end->chip) != 0 && !irqs_are_off(end->irq_cpu);
}

void nic_check_line(struct world *world, struct end *end)
{
	if (!can_interrupt(end)) {
		return;
	}
	if (end->host->shared) {
		/* The other NIC's line may rise at this instant too: who goes first is seen when all of it is over. */
		eventq_update(&world->queue, SLOT_LINES, world->now_at_ns);
	} else {
		hardirq_begin(world, end);
	}
}

/*
 * Of two NICs whose lines are up the CPU takes the peer's first. Both kinds of guest that this is compared with do so: the NIC that
 * was brought up later has the higher vector on x86, and fec1 (eth1) the lower number at the GIC of the i.MX6UL.
 */
void nic_take_lines(struct world *world, struct end *end)
{
	if (end->host->shared) {
		for (unsigned e = 2; e-- > 0;) {
			if (can_interrupt(&world->end[e])) {
				hardirq_begin(world, &world->end[e]);
			}
		}
	} else if (can_interrupt(end)) {
		hardirq_begin(world, end);
	}
}

void nic_ifup(struct end *end)
{
	end->bql_limit = BQL_FIRST_LIMIT;
}
