/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An end without a host: it answers after a delay (fixed, or normal within a range), sends by schedule, takes everything in, and costs
 * nothing. Answers leave in the order of what they answer; while as many wait for their delay as the wire's ring holds, more are dropped.
 *
 * A datagram source is lazy: the next frame is put on the wire when the previous one has arrived, so that one event per frame is
 * enough. Its instant is known in advance, and nothing else leaves this end.
 */
#include "sim/world_private.h"

/* A bulk sender never runs out of data. */
#define IDEAL_QUEUED (UINT64_C(1) << 40)

static int64_t delay_ns(struct end *end)
{
	const struct end_config *config = end->config;
	int64_t delay = config->delay_ns;

	if (config->delay_sd_ns > 0) {
		delay = random_normal(&end->random, config->delay_ns, config->delay_sd_ns);
	}
	if (config->delay_max_ns > 0) {
		delay = time_max(config->delay_min_ns, time_min(config->delay_max_ns, delay));
	}
	return time_max(0, delay);
}

void ideal_send(struct world *world, struct end *end, int64_t ready_at_ns, const struct frame *frame)
{
	world_count_sent(world);
	if (frames_full(&world->in_flight[end->index])) {
		world_count_dropped(world, 1);
	} else {
		nic_to_wire(world, end, ready_at_ns, frame, NULL);
	}
}

static void send_later(struct world *world, struct end *end, const struct frame *frame)
{
	end->ideal_free_at_ns = time_max(end->ideal_free_at_ns, world->now_at_ns + delay_ns(end));
	ideal_send(world, end, end->ideal_free_at_ns, frame);
}

static void send_segments(struct world *world, struct end *end)
{
	while (tcp_sendable(&end->sender) > 0) {
		const struct frame segment = tcp_next_segment(world, end);

		send_later(world, end, &segment);
	}
	tcp_arm(world, end);
}

void ideal_next_datagram(struct world *world, struct end *end)
{
	int64_t at_ns = workload_schedule_next(&end->schedule);

	if (at_ns >= world->sources_end_at_ns) {
		end->source_more = false;
		return;
	}
	/* As fast as the wire takes them. */
	at_ns = time_max(at_ns, wire_free_at_ns(&world->wire[end->index]));
	const struct frame frame = {
		.started_at_ns = at_ns,
		.sequence = end->app.sequence++,
		.payload = world->workload->size,
		.frame_bytes = (uint16_t)workload_frame_bytes(world->workload->kind, world->workload->size),
		.kind = FRAME_DATAGRAM,
	};

	ideal_send(world, end, at_ns, &frame);
}

void ideal_start(struct world *world, struct end *end)
{
	if (end->app.role == APP_SOURCE) {
		end->source_more = true;
		ideal_next_datagram(world, end);
	} else if (end->app.role == APP_TCP_SENDER) {
		end->sender.queued = IDEAL_QUEUED;
		send_segments(world, end);
	} else if (end->app.role == APP_CLIENT && world->workload->kind == WORKLOAD_TFTP) {
		const struct frame request = {
			.payload = TFTP_HEADER_BYTES,
			.frame_bytes = (uint16_t)workload_frame_bytes(WORKLOAD_TFTP, TFTP_HEADER_BYTES),
			.kind = FRAME_REQUEST,
		};

		send_later(world, end, &request);
	}
}

/* The client of a TFTP transfer that the board serves. */
static void block_received(struct world *world, struct end *end, const struct frame *block)
{
	struct app *app = &end->app;

	app->bytes_done += block->payload - TFTP_HEADER_BYTES;
	findings(world)->app_bytes += block->payload - TFTP_HEADER_BYTES;
	if (world->workload->total_bytes && app->bytes_done >= world->workload->total_bytes) {
		world->finished = true;
		return;
	}
	struct frame acknowledgement = *block;

	acknowledgement.payload = TFTP_HEADER_BYTES;
	acknowledgement.frame_bytes = (uint16_t)workload_frame_bytes(WORKLOAD_TFTP, TFTP_HEADER_BYTES);
	acknowledgement.kind = FRAME_REQUEST;
	send_later(world, end, &acknowledgement);
}

void ideal_receive(struct world *world, struct end *end, const struct frame *frame)
{
	world_count_received(world, 1);
	switch ((enum frame_kind)frame->kind) {
	case FRAME_ECHO_REQUEST:
	case FRAME_REQUEST:
	case FRAME_BUS: {
		const struct frame answer = world_answer(world, frame);

		send_later(world, end, &answer);
		break;
	}
	case FRAME_RESPONSE:
		block_received(world, end, frame);
		break;
	case FRAME_DATAGRAM:
		findings(world)->app_bytes += frame->payload;
		break;
	case FRAME_SEGMENT: {
		const bool in_order = frame->sequence == end->receiver.next;

		const bool ack_is_due = tcp_segments_received(world, end, frame, 1);

		end->receiver.queued = 0; /* read at once */
		if (ack_is_due) {
			const struct frame ack = tcp_make_ack(world, end);

			send_later(world, end, &ack);
		}
		findings(world)->app_bytes += in_order ? frame->payload : 0;
		break;
	}
	case FRAME_ACK:
		tcp_ack_received(world, end, frame);
		send_segments(world, end);
		break;
	default:
		break;
	}
}

void ideal_timer(struct world *world, struct end *end)
{
	tcp_timer(world, end);
}
