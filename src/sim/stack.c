/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The network stack of one end: what becomes of a frame between the driver's ring and the socket.
 *
 *   RX -> segment: GRO merges -> SEGMENTS (wake-up, ACK)
 *      -> other:   list of up to gro_list packets -> STACK each -> socket, echo, TCP's sender -> SEGMENTS
 *
 * Functions that answer "a step has begun" leave it to that step to go on; else the poll does at once.
 */
#include "sim/world_private.h"

/* Segments of GRO go to the socket as one packet; an ACK may be due. True when a step for it has begun. */
bool stack_flush_gro(struct world *world, struct end *end, enum poll_then then)
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
int64_t stack_rx_cost_ns(const struct world *world, struct end *end, const struct frame *frame)
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
		return profile->rx_stack_ns + profile->echo_ns + frame->payload * profile->echo_byte_ps / 1000 +
		       profile->xmit_ns;
	case FRAME_ACK:
		return profile->ack_rx_ns;
	default:
		return profile->rx_stack_ns + (app_sleeps_for_data(end) ? profile->wake_ns : 0);
	}
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
	const bool begun = stack_flush_gro(world, end, THEN_ROUND);

	end->gro = (struct gro){ *frame, 1, frame->payload };
	if (!world->workload->gro && !begun) {
		return stack_flush_gro(world, end, THEN_ROUND);
	}
	return begun;
}

/* The frame of the STACK step is through it. True when another step has begun on its behalf, with end->list_then to follow. */
bool stack_deliver(struct world *world, struct end *end)
{
	const struct frame frame = end->taken;

	end->host->packet_at_ns[end->irq_cpu - end->host->cpu] = world->now_at_ns;
	switch ((enum frame_kind)frame.kind) {
	case FRAME_ECHO_REQUEST: {
		const struct frame reply = world_answer(world, &frame);

		world_count_received(world, 1);
		nic_xmit(world, end, &reply);
		end->extra_cost_ns += end->profile->echo_exit_ns; /* on the way back to the poll */
		return false;
	}
	case FRAME_ECHO_REPLY:
		world_record(world, end, RUN_RTT, end->list_stamp_at_ns - frame.started_at_ns);
		script_answered(world, end, &frame);
		to_socket(world, end, &frame);
		return false;
	case FRAME_ACK:
		world_count_received(world, 1);
		tcp_ack_received(world, end, &frame);
		app_space(world, end, &frame);
		if (!bulk_owns_socket(end) && tcp_sendable(&end->sender) > 0) {
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
bool stack_list_begins(struct world *world, struct end *end, enum poll_then then)
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
bool stack_received(struct world *world, struct end *end)
{
	const struct frame *frame = &end->taken;

	if (world->workload->xdp_drop) {
		world_count_received(world, 1);
		return false;
	}
	if (frame->kind == FRAME_SEGMENT) {
		end->host->packet_at_ns[end->irq_cpu - end->host->cpu] = world->now_at_ns;
		return segment_received(world, end, frame);
	}
	end->list[end->list_count++] = *frame;
	return end->list_count >= end->profile->gro_list && stack_list_begins(world, end, THEN_ROUND);
}

void stack_segments_done(struct world *world, struct end *end)
{
	if (end->ack_to_send) {
		const struct frame ack = tcp_make_ack(world, end);

		nic_xmit(world, end, &ack);
	}
	tcp_xmit(world, end, end->segments_to_send);
}
