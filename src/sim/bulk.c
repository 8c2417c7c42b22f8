/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two applications of a bulk transfer. The sender writes while its socket has space:
 *
 *   SEND (system call, copy) -> SEGMENTS (what the window allows, while it allows more) -> SEND_EXIT -> ...
 *
 * The receiver reads whatever is queued, and may have to open the window again.
 */
#include "sim/world_private.h"

/* A bulk sender writes so much at a time, and keeps at most so much more than the window in its socket. */
#define TCP_WRITE_BYTES 65536

/* Segments written and not yet acknowledged. */
static uint64_t unacknowledged(const struct end *end)
{
	return end->sender.queued - end->sender.unacked;
}

/* The segments of the window and one write more; that is about what autotuning settles at. */
bool bulk_has_space(const struct world *world, const struct end *end)
{
	const uint32_t write_segments = TCP_WRITE_BYTES / world->workload->mss + 1;

	return unacknowledged(end) < end->sender.window + write_segments;
}

void bulk_write(struct world *world, struct end *end)
{
	const struct profile *profile = end->profile;

	if (!bulk_has_space(world, end)) {
		end->app.wait = APP_WAITS_SPACE;
		return;
	}
	app_step_begin(world, end, APP_STEP_SEND, profile->send_ns + TCP_WRITE_BYTES * profile->send_byte_ps / 1000);
}

bool bulk_owns_socket(const struct end *end)
{
	return end->app.role == APP_TCP_SENDER &&
	       (end->app.step == APP_STEP_SEND || end->app.step == APP_STEP_SEGMENTS);
}

/* Sends what may be sent, and what acknowledgements allow meanwhile; then the call returns. */
static void send_segments(struct world *world, struct end *end)
{
	const struct profile *profile = end->profile;

	end->app.segments = tcp_sendable(&end->sender);
	if (end->app.segments > 0) {
		app_step_begin(world, end, APP_STEP_SEGMENTS,
			       end->app.segments * (profile->segment_ns + profile->xmit_ns));
	} else {
		app_step_begin(world, end, APP_STEP_SEND_EXIT, end->profile->send_exit_ns);
	}
}

void bulk_written(struct world *world, struct end *end)
{
	end->sender.queued += TCP_WRITE_BYTES / world->workload->mss;
	send_segments(world, end);
}

void bulk_segments_sent(struct world *world, struct end *end)
{
	tcp_xmit(world, end, end->app.segments);
	send_segments(world, end);
}

void bulk_read_done(struct world *world, struct end *end)
{
	struct tcp_receiver *receiver = &end->receiver;

	findings(world)->app_bytes += end->app.received_bytes;
	receiver->queued -= (uint32_t)(end->app.received_bytes / world->workload->mss);
	/* A window that was shut, or more than half shut, is opened by an ACK of its own. */
	if ((receiver->advertised == 0 || receiver->advertised < receiver->window / 2) &&
	    receiver->window - receiver->queued >= receiver->window / 2) {
		const struct frame update = tcp_make_ack(world, end);

		nic_xmit(world, end, &update);
	}
}
