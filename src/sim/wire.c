/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/wire.h"

#include <assert.h>

void wire_init(struct wire *wire, unsigned speed_mbps, unsigned hops, int64_t propagation_ns)
{
	assert(speed_mbps > 0 && hops < WIRE_SEGMENTS_MAX);
	*wire = (struct wire){ .speed_mbps = speed_mbps, .segments = hops + 1, .propagation_ns = propagation_ns };
}

/* bytes * 8000 / speed ns, added to an instant with its remainder. */
static void add_bytes(const struct wire *wire, int64_t *at_ns, uint32_t *remainder, unsigned bytes)
{
	const uint64_t dividend = (uint64_t)bytes * 8000 + *remainder;

	*at_ns += (int64_t)(dividend / wire->speed_mbps);
	*remainder = (uint32_t)(dividend % wire->speed_mbps);
}

/* Occupies one segment and returns when the last bit is in at its far end. */
static int64_t cross(const struct wire *wire, struct wire_segment *segment, int64_t ready_at_ns, unsigned frame_bytes)
{
	int64_t at_ns = segment->free_at_ns;
	uint32_t remainder = segment->remainder;

	if (ready_at_ns > at_ns) {
		at_ns = ready_at_ns;
		remainder = 0;
	}
	add_bytes(wire, &at_ns, &remainder, WIRE_OVERHEAD_BYTES + frame_bytes);
	segment->free_at_ns = at_ns;
	segment->remainder = remainder;
	add_bytes(wire, &segment->free_at_ns, &segment->remainder, WIRE_GAP_BYTES);
	return wire->has_gap_in_frame ? segment->free_at_ns : at_ns;
}

struct wire_times wire_send(struct wire *wire, int64_t ready_at_ns, unsigned frame_bytes)
{
	const int64_t sent_at_ns = cross(wire, &wire->segment[0], ready_at_ns, frame_bytes);
	int64_t at_ns = sent_at_ns + wire->propagation_ns;

	for (unsigned i = 1; i < wire->segments; i++) {
		at_ns = cross(wire, &wire->segment[i], at_ns, frame_bytes) + wire->propagation_ns;
	}
	return (struct wire_times){ sent_at_ns, at_ns };
}

uint64_t wire_line_rate(unsigned speed_mbps, unsigned frame_bytes)
{
	return (uint64_t)speed_mbps * 1000000 / ((frame_bytes + WIRE_OVERHEAD_BYTES + WIRE_GAP_BYTES) * UINT64_C(8));
}
