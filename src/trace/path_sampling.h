/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules for packets that are not followed, when only one in so many is. They are additions to path_rules.h:
 *
 *  - Which packet is next is drawn at random, for traffic has rhythms; sent and received ones each on their own.
 *  - A packet that is not followed when it is queued is not followed when it is sent. What was received and followed is
 *    followed when it is forwarded.
 *  - An address that is not followed is known no more: what was there before has lost its end.
 *  - An answer to a frame that is followed is one also if its own way is not followed.
 *  - The gap before a frame is known if the one before it was, too: of the last before the next, only the time is noted.
 */
#ifndef HOLDOFF_TRACE_PATH_SAMPLING_H
#define HOLDOFF_TRACE_PATH_SAMPLING_H

#include "trace/path_rules.h"

/* *countdown: packets up to the one that is followed, that one included; 0: not drawn yet. every: 2 or more. */
static __always_inline _Bool path_is_passed_over(__u32 *countdown, __u32 every)
{
	if (*countdown > 2 * every) { /* drawn when more were passed over */
		*countdown = every;
	}
	if (*countdown <= 1) {
		return 0;
	}
	(*countdown)--;
	return 1;
}

/* After one was followed: 1 .. 2 * every - 1, on average every. */
static __always_inline void path_draw_next(__u32 *countdown, __u32 every, __u32 random)
{
	*countdown = 1 + random % (2 * every - 1);
}

static __always_inline void path_forget(struct path_sums *sums, struct path_packet *packet, __u64 key)
{
	if (packet->key == key) {
		sums->reused += packet->state == PATH_SENT;
		packet->key = 0;
	}
}

/* Marks it, if the place is free. */
static __always_inline void path_queued_unfollowed(struct path_cpu *cpu, struct path_packet *packet, __u64 key)
{
	path_forget(&cpu->sums, packet, key);
	if (!packet->key || packet->state == PATH_UNFOLLOWED) {
		packet->key = key;
		packet->state = PATH_UNFOLLOWED;
	}
}

static __always_inline void path_xmit_unfollowed(struct path_cpu *cpu, struct path_packet *packet, __u64 key)
{
	path_forget(&cpu->sums, packet, key);
	cpu->sums.sent_unfollowed++;
	cpu->rx_is_done |= cpu->softirq_at_ns != 0;
}

/* now_ns: 0 where the next frame is not followed either. */
static __always_inline void path_received_unfollowed(struct path_cpu *cpu, struct path_packet *packet, __u64 key,
						     __u64 now_ns)
{
	if (packet->key == key && (packet->state == PATH_SENT || packet->state == PATH_STARTED)) {
		path_sent_early(&cpu->sums, packet);
		cpu->sums.handed_on++;
		packet->key = 0;
	}
	path_forget(&cpu->sums, packet, key);
	cpu->sums.received_unfollowed++;
	cpu->poll_received++;
	path_other_frame(cpu);
	cpu->last_rx_at_ns = now_ns;
}

#endif
