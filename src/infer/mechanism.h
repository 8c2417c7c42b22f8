/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What kinds of moderation do to a few events: when the host is told of each. The kinds are those of chip/chip.h, and what
 * NAPI does in software; here each is a rule of one line, without registers, since nothing is known of the chip.
 *
 *  M1 none: each event is told at once.
 *  M2 hold-off: the first event that is not yet told starts a timer; when it ends all that has come is told.
 *  M3 restarting hold-off: as M2, but each event starts the timer again.
 *  M4 throttle: told at once, unless an interrupt came less than the span before; then at the end of the span.
 *  M5 software deferral: told at once; then interrupts stay masked and a timer polls each span, until so many polls in
 *     a row have found nothing. With a count of 1 this is M4.
 *  M6 frame count: told when so many have come; on top of M2 and M3 it ends the wait early, alone it is the only end.
 *  M7 events of the other direction (of what was sent) have nothing to do with these; or their interrupt takes along what
 *     waits without touching its timer; or they are events of the same timer.
 *  M8 between an interrupt and the host's look at what has come some time passes; what comes meanwhile is told too.
 */
#ifndef HOLDOFF_INFER_MECHANISM_H
#define HOLDOFF_INFER_MECHANISM_H

#include <stdbool.h>
#include <stdint.h>

enum mechanism_kind {
	MECHANISM_NONE,
	MECHANISM_HOLD_OFF,
	MECHANISM_RESTART,
	MECHANISM_THROTTLE,
	MECHANISM_DEFERRAL,
	MECHANISM_FRAME_COUNT,
	MECHANISM_KINDS
};

/* M7. */
enum mechanism_other { OTHER_IS_APART, OTHER_TAKES_ALONG, OTHER_HAS_SAME_TIMER };

struct mechanism {
	enum mechanism_kind kind;
	enum mechanism_other other;
	unsigned frames; /* M6; 0: no count */
	unsigned polls;  /* M5: that find nothing before interrupts are back */
	int64_t span_ns; /* above 0, but for MECHANISM_NONE */
	int64_t look_ns; /* M8 */
};

struct mechanism_event {
	int64_t at_ns;
	bool is_other;
};

/* Events in order of time; told_at_ns[i] is NEVER_AT_NS where the host is not told, and without meaning for others. */
void mechanism_tell(const struct mechanism *mechanism, const struct mechanism_event *events, unsigned count,
		    int64_t *told_at_ns);

/* "hold-off from the first frame", for people; "hold-off" as JSON spells it. */
const char *mechanism_words(enum mechanism_kind kind);
const char *mechanism_key(enum mechanism_kind kind);

#endif
