/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/eventq.h"

#include <assert.h>
#include <stdbool.h>

#include "base/wide.h"

/* Leaf i of the tree is node EVENTQ_SLOTS + i; only inner nodes are stored. */
#define FIRST_LEAF EVENTQ_SLOTS

static_assert((EVENTQ_SLOTS & (EVENTQ_SLOTS - 1)) == 0, "the tree is complete");

void eventq_init(struct eventq *queue)
{
	*queue = (struct eventq){ .next_order = 1 };
	for (unsigned slot = 0; slot < EVENTQ_SLOTS; slot++) {
		queue->at_ns[slot] = NEVER_AT_NS;
	}
	for (unsigned node = EVENTQ_SLOTS - 1; node >= 1; node--) {
		const unsigned left = 2 * node;

		queue->winner[node] = left >= FIRST_LEAF ? (uint8_t)(left - FIRST_LEAF) : queue->winner[left];
	}
}

/* Instant and order as one number, so that one comparison without a branch decides. */
static inline struct wide rank(const struct eventq *queue, unsigned slot)
{
	return (struct wide){ (uint64_t)queue->at_ns[slot] ^ (UINT64_C(1) << 63), queue->order[slot] };
}

void eventq_set(struct eventq *queue, unsigned slot, int64_t at_ns)
{
	assert(slot < EVENTQ_SLOTS);
	queue->at_ns[slot] = at_ns;
	queue->order[slot] = queue->next_order++;

	/* Walk to the root; at each level the best of this subtree meets the best of its sibling. */
	unsigned best = slot;
	unsigned rival = slot ^ 1;
	struct wide best_rank = rank(queue, best);
	unsigned node = (FIRST_LEAF + slot) / 2;

	for (;;) {
		const struct wide rival_rank = rank(queue, rival);
		const bool loses = wide_less(rival_rank, best_rank);

		best = loses ? rival : best;
		best_rank = loses ? rival_rank : best_rank;
		queue->winner[node] = (uint8_t)best;
		if (node == 1) {
			return;
		}
		rival = queue->winner[node ^ 1];
		node /= 2;
	}
}
