/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the fake NIC holds received frames back: a state machine that is told of frames and asked when it fires. Pure.
 * Kinds can be combined: with a throttle and a hold-off the later of both counts.
 */
#ifndef HOLDOFF_TEST_FAKE_MODERATION_H
#define HOLDOFF_TEST_FAKE_MODERATION_H

#include <stdbool.h>
#include <stdint.h>

struct moderation {
	/* parameters; 0: not so */
	int64_t holdoff_ns;    /* fires so long after the first frame that waits */
	int64_t restart_ns;    /* fires so long after the last frame; holdoff_ns is then the longest wait */
	int64_t throttle_ns;   /* fires no sooner after it fired last */
	int64_t tick_ns;       /* fires at multiples of it only: a timer that runs freely */
	unsigned frames;       /* fires at once when so many wait, the throttle permitting */
	unsigned bypass_below; /* a frame of fewer bytes (with FCS) fires at once, whatever waits */
	unsigned budget;       /* no more than so many go when it fires; the others wait as if they had just come */

	/* state */
	unsigned waiting;
	bool is_bypassed;
	int64_t first_at_ns, last_at_ns, fired_at_ns;
};

void moderation_init(struct moderation *moderation);
void moderation_frame(struct moderation *moderation, int64_t now_at_ns, unsigned frame_bytes);
/* INT64_MAX when nothing waits. */
int64_t moderation_deadline(const struct moderation *moderation);
/* It fires; returns how many of those that wait go, the first ones. */
unsigned moderation_fire(struct moderation *moderation, int64_t now_at_ns);

#endif
