/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A time-ordered queue for a fixed set of things that wait: each has one slot, and in its slot one
 * instant. That is all that a world of moving parts needs, since every part answers with its next
 * deadline; nothing is allocated, moving or cancelling an instant costs a walk of log2(slots).
 *
 * Order: earlier first; among equal instants the slot that was set first. Setting a slot
 * again puts it behind the others of that instant, also when the instant stays the same.
 *
 * A tournament tree: leaf i is slot i, every inner node names the slot that wins below it.
 */
#ifndef HOLDOFF_BASE_EVENTQ_H
#define HOLDOFF_BASE_EVENTQ_H

#include <stdint.h>

#include "base/time.h"

#define EVENTQ_SLOTS 32

struct eventq {
	int64_t at_ns[EVENTQ_SLOTS];
	uint64_t order[EVENTQ_SLOTS]; /* when the slot was set: breaks ties */
	uint64_t next_order;
	uint8_t winner[EVENTQ_SLOTS]; /* winner[1] is the root; node n has children 2n and 2n+1 */
};

void eventq_init(struct eventq *queue);

/* at_ns may be NEVER_AT_NS, which empties the slot. slot < EVENTQ_SLOTS. */
void eventq_set(struct eventq *queue, unsigned slot, int64_t at_ns);

/* As eventq_set, but a slot that already waits for that instant keeps its place. */
static inline void eventq_update(struct eventq *queue, unsigned slot, int64_t at_ns)
{
	if (queue->at_ns[slot] != at_ns) {
		eventq_set(queue, slot, at_ns);
	}
}

static inline unsigned eventq_first(const struct eventq *queue)
{
	return queue->winner[1];
}

/* NEVER_AT_NS if every slot is empty. */
static inline int64_t eventq_first_at_ns(const struct eventq *queue)
{
	return queue->at_ns[queue->winner[1]];
}

#endif
