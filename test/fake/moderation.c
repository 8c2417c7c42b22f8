/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fake/moderation.h"

#define LONG_AGO_NS (INT64_MIN / 2)

void moderation_init(struct moderation *moderation)
{
	*moderation = (struct moderation){ .fired_at_ns = LONG_AGO_NS };
}

void moderation_frame(struct moderation *moderation, int64_t now_at_ns, unsigned frame_bytes)
{
	if (moderation->waiting++ == 0) {
		moderation->first_at_ns = now_at_ns;
	}
	moderation->last_at_ns = now_at_ns;
	moderation->is_bypassed = moderation->is_bypassed || frame_bytes < moderation->bypass_below;
}

/* As the timers have it. */
static int64_t end_of_wait(const struct moderation *moderation)
{
	const int64_t restarted_ns = moderation->last_at_ns + moderation->restart_ns;
	const int64_t longest_ns = moderation->first_at_ns + moderation->holdoff_ns;

	if (!moderation->restart_ns) {
		return longest_ns;
	}
	return moderation->holdoff_ns && longest_ns < restarted_ns ? longest_ns : restarted_ns;
}

int64_t moderation_deadline(const struct moderation *moderation)
{
	if (moderation->waiting == 0) {
		return INT64_MAX;
	}
	if (moderation->is_bypassed) {
		return moderation->last_at_ns;
	}
	const bool is_full = moderation->frames && moderation->waiting >= moderation->frames;
	const int64_t end_ns = is_full ? moderation->last_at_ns : end_of_wait(moderation);
	const int64_t open_ns = moderation->fired_at_ns + moderation->throttle_ns;

	const int64_t at_ns = end_ns > open_ns ? end_ns : open_ns;

	return moderation->tick_ns ? (at_ns + moderation->tick_ns - 1) / moderation->tick_ns * moderation->tick_ns
				   : at_ns;
}

unsigned moderation_fire(struct moderation *moderation, int64_t now_at_ns)
{
	const unsigned waiting = moderation->waiting, budget = moderation->budget;
	const unsigned going = budget && budget < waiting ? budget : waiting;

	moderation->waiting = waiting - going;
	moderation->first_at_ns = moderation->last_at_ns = now_at_ns;
	moderation->is_bypassed = false;
	moderation->fired_at_ns = now_at_ns;
	return going;
}
