/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One direction of a wire: segments of one speed, joined by store-and-forward switches. A frame occupies a
 * segment for preamble and SFD (8 bytes), itself with FCS, and the inter-frame gap (12 bytes); a switch sends it on
 * when its last bit is in. Times are whole ns; what a byte time leaves over is carried from frame to
 * frame, so trains do not drift at 2.5 Gb/s or any other speed.
 *
 * Since every segment has one speed and one source, the arrival of a frame is known when it is sent.
 */
#ifndef HOLDOFF_SIM_WIRE_H
#define HOLDOFF_SIM_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/time.h"

#define WIRE_SEGMENTS_MAX 17
#define WIRE_OVERHEAD_BYTES 8 /* preamble and start frame delimiter */
#define WIRE_GAP_BYTES 12

struct wire_segment {
	int64_t free_at_ns; /* when the next frame may start */
	uint32_t remainder; /* of free_at_ns, in 1/speed_mbps ns */
};

struct wire {
	unsigned speed_mbps;
	unsigned segments;
	int64_t propagation_ns; /* of each segment */
	bool has_gap_in_frame;  /* the gap belongs to the frame before it: the owner may set this after wire_init */
	struct wire_segment segment[WIRE_SEGMENTS_MAX];
};

/* What becomes of a frame: the instant its last bit leaves the sender, and the one it is in at the far end. */
struct wire_times {
	int64_t sent_at_ns, arrives_at_ns;
};

/* hops: switches between the ends, 0 .. WIRE_SEGMENTS_MAX - 1. */
void wire_init(struct wire *wire, unsigned speed_mbps, unsigned hops, int64_t propagation_ns);

/* The frame is ready to leave at ready_at_ns and goes when the first segment is free. Frames must come in order of readiness. */
struct wire_times wire_send(struct wire *wire, int64_t ready_at_ns, unsigned frame_bytes);

/* When the first segment can take the next frame. */
static inline int64_t wire_free_at_ns(const struct wire *wire)
{
	return wire->segment[0].free_at_ns;
}

/* Frames per second of this size at most, rounded down. */
uint64_t wire_line_rate(unsigned speed_mbps, unsigned frame_bytes);

#endif
