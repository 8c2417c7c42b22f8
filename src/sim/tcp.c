/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bulk TCP without its costs: a window, cumulative ACKs, delayed ACKs, and repair of losses. Segments of one size, counted and not
 * measured in bytes. The congestion window begins at the whole window (a transfer that has long started), halves on a loss and grows
 * by a segment per round trip, as Reno does; repair goes back to the first missing segment, since the receiver keeps nothing
 * that is out of order. Enough for what interrupt coalescing does to bulk traffic: how ACKs clock segments, how large batches get.
 */
#include "sim/world_private.h"

#define TCP_DELAYED_ACK_NS (40 * NS_PER_MS)
#define TCP_TIMEOUT_NS (200 * NS_PER_MS)
#define TCP_DUPLICATE_ACKS 3

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

void tcp_init(struct world *world)
{
	const struct workload *workload = world->workload;
	const uint64_t segments = workload->window_bytes / workload->mss;
	const uint32_t window = segments > 8192 ? 8192 : segments < 1 ? 1 : (uint32_t)segments;

	for (unsigned i = 0; i < 2; i++) {
		world->end[i].sender = (struct tcp_sender){
			.window = window,
			.congestion = window,
			.peer_window = window,
			.timeout_at_ns = NEVER_AT_NS,
		};
		world->end[i].receiver = (struct tcp_receiver){
			.window = window,
			.advertised = window,
			.delayed_ack_at_ns = NEVER_AT_NS,
		};
	}
}

uint32_t tcp_sendable(const struct tcp_sender *sender)
{
	const uint32_t window = smaller(smaller(sender->window, sender->congestion), sender->peer_window);
	const uint64_t in_flight = sender->next - sender->unacked;
	const uint64_t written = sender->queued - sender->next;

	if (in_flight >= window) {
		return 0;
	}
	return (uint32_t)(written < window - in_flight ? written : window - in_flight);
}

struct frame tcp_next_segment(struct world *world, struct end *end)
{
	struct tcp_sender *sender = &end->sender;
	const struct frame segment = {
		.started_at_ns = world->now_at_ns,
		.sequence = (uint32_t)sender->next++,
		.payload = world->workload->mss,
		.frame_bytes = (uint16_t)workload_frame_bytes(WORKLOAD_TCP, world->workload->mss),
		.kind = FRAME_SEGMENT,
	};

	if (sender->next <= sender->highest) {
		findings(world)->retransmitted++;
	} else {
		sender->highest = sender->next;
	}
	if (sender->timeout_at_ns == NEVER_AT_NS) {
		sender->timeout_at_ns = world->now_at_ns + TCP_TIMEOUT_NS;
	}
	return segment;
}

static void lost(struct tcp_sender *sender)
{
	sender->recover = sender->highest;
	sender->congestion = sender->congestion / 2 < 2 ? 2 : sender->congestion / 2;
	sender->next = sender->unacked;
	sender->duplicate_acks = 0;
}

static void advance(struct tcp_sender *sender, uint32_t acked, int64_t now_at_ns)
{
	sender->unacked += acked;
	if (sender->next < sender->unacked) {
		sender->next = sender->unacked;
	}
	sender->duplicate_acks = 0;
	sender->timeout_at_ns = sender->unacked == sender->highest ? NEVER_AT_NS : now_at_ns + TCP_TIMEOUT_NS;
	sender->congestion_acked += acked;
	if (sender->congestion < sender->window && sender->congestion_acked >= sender->congestion) {
		sender->congestion_acked = 0;
		sender->congestion++;
	}
}

void tcp_ack_received(struct world *world, struct end *end, const struct frame *ack)
{
	struct tcp_sender *sender = &end->sender;
	const uint32_t acked = ack->sequence - (uint32_t)sender->unacked;
	const bool opens = ack->payload > sender->peer_window;

	sender->peer_window = ack->payload;
	if (acked > 0 && acked <= sender->highest - sender->unacked) {
		advance(sender, acked, world->now_at_ns);
	} else if (acked == 0 && !opens && sender->highest != sender->unacked && sender->unacked >= sender->recover &&
		   ++sender->duplicate_acks == TCP_DUPLICATE_ACKS) {
		lost(sender);
	}
	tcp_arm(world, end);
}

bool tcp_segments_received(struct world *world, struct end *end, const struct frame *first, uint32_t segments)
{
	struct tcp_receiver *receiver = &end->receiver;

	if (first->sequence != receiver->next) {
		return true; /* out of order or a repeat: say again what is expected */
	}
	receiver->next += segments;
	receiver->unacknowledged += segments;
	receiver->queued += segments;
	if (!end->ideal && is_board(end)) {
		world_record(world, end, RUN_ONE_WAY, world->now_at_ns - first->nic_at_ns);
	}
	if (!world->workload->delayed_ack || receiver->unacknowledged >= 2) {
		return true;
	}
	receiver->delayed_ack_at_ns = world->now_at_ns + TCP_DELAYED_ACK_NS;
	tcp_arm(world, end);
	return false;
}

struct frame tcp_make_ack(struct world *world, struct end *end)
{
	struct tcp_receiver *receiver = &end->receiver;

	receiver->unacknowledged = 0;
	receiver->delayed_ack_at_ns = NEVER_AT_NS;
	receiver->advertised = receiver->window - smaller(receiver->queued, receiver->window);
	return (struct frame){
		.started_at_ns = world->now_at_ns,
		.sequence = receiver->next,
		.payload = receiver->advertised,
		.frame_bytes = (uint16_t)workload_frame_bytes(WORKLOAD_TCP, 0),
		.kind = FRAME_ACK,
	};
}

/* The earlier of the two timers that a bulk end may have; now, if its time is over while its interrupt still waits for the CPU. */
void tcp_arm(struct world *world, struct end *end)
{
	if (world->workload->kind == WORKLOAD_TCP) {
		const int64_t at_ns = time_min(end->sender.timeout_at_ns, end->receiver.delayed_ack_at_ns);

		world_set(world, end, SLOT_APP_TIMER, time_max(at_ns, world->now_at_ns));
	}
}

void tcp_xmit(struct world *world, struct end *end, uint32_t most)
{
	for (uint32_t i = 0; i < most && tcp_sendable(&end->sender) > 0; i++) {
		const struct frame segment = tcp_next_segment(world, end);

		nic_xmit(world, end, &segment);
	}
	tcp_arm(world, end);
}

static void tcp_send(struct world *world, struct end *end, const struct frame *frame)
{
	if (end->ideal) {
		ideal_send(world, end, world->now_at_ns, frame);
	} else {
		nic_xmit(world, end, frame);
	}
}

void tcp_timer(struct world *world, struct end *end)
{
	if (end->receiver.delayed_ack_at_ns <= world->now_at_ns) {
		const struct frame ack = tcp_make_ack(world, end);

		tcp_send(world, end, &ack);
	}
	if (end->sender.timeout_at_ns <= world->now_at_ns) {
		end->sender.timeout_at_ns = NEVER_AT_NS;
		lost(&end->sender);
		end->sender.congestion = 2;
		/* One segment shows whether the path is alive; its ACK sends the rest. */
		if (tcp_sendable(&end->sender) > 0) {
			const struct frame segment = tcp_next_segment(world, end);

			tcp_send(world, end, &segment);
		}
	}
	tcp_arm(world, end);
}
