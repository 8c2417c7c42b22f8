/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/tcp.c"

#include "tap.h"

static struct run run;
static struct workload workload = { .kind = WORKLOAD_TCP, .window_bytes = 4 * 1448, .mss = 1448, .delayed_ack = true };
static struct world world = { .workload = &workload, .run = &run };

/* Two ideal ends, so that nothing but the transport acts. */
static struct end *bring_up(void)
{
	eventq_init(&world.queue);
	world.now_at_ns = 0;
	for (unsigned i = 0; i < 2; i++) {
		world.end[i].index = i;
		world.end[i].ideal = true;
	}
	tcp_init(&world);
	return &world.end[0];
}

static struct frame ack_of(uint32_t sequence)
{
	return (struct frame){ .kind = FRAME_ACK, .sequence = sequence, .payload = 4 };
}

/* At 2.5 Gb/s the 32 bits of a sequence are used up after five hours. */
static void test_sequences_wrap(void)
{
	struct end *end = bring_up();
	struct tcp_sender *sender = &end->sender;
	const uint64_t start = UINT32_MAX - UINT64_C(1);

	sender->next = sender->unacked = sender->highest = start;
	sender->queued = start + 100;
	tap_is(tcp_sendable(sender), 4, "a window may leave");
	for (unsigned i = 0; i < 4; i++) {
		tcp_next_segment(&world, end);
	}
	tap_is((int64_t)run.findings.retransmitted, 0, "nothing of it is sent again");
	const struct frame ack = ack_of((uint32_t)(start + 3));

	tcp_ack_received(&world, end, &ack);
	tap_is(tcp_sendable(sender), 3, "an acknowledgement beyond 2^32 opens the window again");
	tap_is(tcp_next_segment(&world, end).sequence, 2, "and what follows has the low 32 bits");
	tap_is((int64_t)run.findings.retransmitted, 0, "and is new");
}

/* While its interrupt waits, an expired timer must not be entered in the past. */
static void test_timer_is_never_in_the_past(void)
{
	struct end *end = bring_up();

	end->receiver.delayed_ack_at_ns = 1000;
	world.now_at_ns = 1500;
	tcp_arm(&world, end);
	tap_is(eventq_first_at_ns(&world.queue), 1500, "a timer whose time is over is due now");
}

int main(void)
{
	test_sequences_wrap();
	test_timer_is_never_in_the_past();
	return tap_done();
}
