/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/arrivals.h"

#include "live/packet.h"

void arrivals_init(struct arrivals *arrivals, uint64_t limit, int64_t burst_gap_ns)
{
	*arrivals = (struct arrivals){ .limit = limit,
				       .burst_gap_ns = burst_gap_ns,
				       .first_at_ns = ARRIVALS_UNKNOWN_NS,
				       .last_at_ns = ARRIVALS_UNKNOWN_NS };
}

static uint64_t *word_of(struct arrivals *arrivals, uint64_t number)
{
	return &arrivals->seen[number % ARRIVALS_WINDOW / 64];
}

/* The window moves on: numbers from next to `to` have not been seen. */
static void advance(struct arrivals *arrivals, uint64_t to)
{
	if (to - arrivals->next >= ARRIVALS_WINDOW) {
		for (unsigned i = 0; i < ARRIVALS_WINDOW / 64; i++) {
			arrivals->seen[i] = 0;
		}
	} else {
		for (uint64_t number = arrivals->next; number <= to; number++) {
			*word_of(arrivals, number) &= ~(UINT64_C(1) << number % 64);
		}
	}
	arrivals->next = to + 1;
}

/* True if the number is a new one. */
static bool enter(struct arrivals *arrivals, uint64_t number)
{
	const uint64_t bit = UINT64_C(1) << number % 64;

	if (number >= arrivals->limit || (number < arrivals->next && arrivals->next - number > ARRIVALS_WINDOW)) {
		arrivals->unexpected++;
		return false;
	}
	if (number >= arrivals->next) {
		advance(arrivals, number);
	} else if (*word_of(arrivals, number) & bit) {
		arrivals->duplicated++;
		return false;
	} else {
		arrivals->reordered++;
	}
	*word_of(arrivals, number) |= bit;
	return true;
}

static void count_burst(struct arrivals *arrivals, bool is_first, int64_t gap_ns)
{
	if (is_first || gap_ns > arrivals->burst_gap_ns) {
		arrivals->bursts++;
		arrivals->burst_packets = 0;
	}
	arrivals->burst_packets++;
	if (arrivals->burst_packets > arrivals->burst_packets_max) {
		arrivals->burst_packets_max = arrivals->burst_packets;
	}
}

static void enter_time(struct arrivals *arrivals, int64_t arrived_at_ns)
{
	const bool is_first = arrivals->first_at_ns == ARRIVALS_UNKNOWN_NS;
	const int64_t gap_ns = is_first ? 0 : arrived_at_ns - arrivals->last_at_ns;

	if (is_first) {
		arrivals->first_at_ns = arrived_at_ns;
	} else {
		histogram_record(&arrivals->gap, gap_ns);
	}
	if (arrivals->burst_gap_ns) {
		count_burst(arrivals, is_first, gap_ns);
	}
	arrivals->last_at_ns = arrived_at_ns;
}

bool arrivals_take(struct arrivals *arrivals, uint32_t sequence, uint32_t bytes, int64_t arrived_at_ns,
		   int64_t one_way_ns)
{
	if (!enter(arrivals, packet_extend(sequence, arrivals->next))) {
		return false;
	}
	arrivals->received++;
	arrivals->bytes += bytes;
	if (arrived_at_ns != ARRIVALS_UNKNOWN_NS) {
		enter_time(arrivals, arrived_at_ns);
	}
	if (one_way_ns != ARRIVALS_UNKNOWN_NS) {
		histogram_record(&arrivals->one_way, one_way_ns);
	}
	return true;
}
