/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames on their way, and the rings that hold them: descriptor rings, queueing disciplines, sockets and the wire. A ring
 * has a fixed capacity, a power of two, in memory that the world owns.
 */
#ifndef HOLDOFF_SIM_FRAMES_H
#define HOLDOFF_SIM_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

enum frame_kind {
	FRAME_ECHO_REQUEST, /* answered by the kernel */
	FRAME_ECHO_REPLY,
	FRAME_REQUEST, /* answered by an application */
	FRAME_RESPONSE,
	FRAME_DATAGRAM, /* one way */
	FRAME_SEGMENT,  /* TCP data */
	FRAME_ACK,      /* TCP acknowledgement */
	FRAME_BUS,      /* returned by the bus at once */
};

/* A TFTP acknowledgement, and what TFTP puts before the data of a block. */
#define TFTP_HEADER_BYTES 4

struct frame {
	int64_t started_at_ns; /* user space before the send that began the exchange */
	int64_t due_at_ns; /* on the wire: when it lies in the memory of the far end; in a TX ring: when its descriptor is written back */
	int64_t nic_at_ns;    /* last bit in, at the receiving NIC */
	int64_t taken_at_ns;  /* from the ring, by the poll */
	int64_t irq_at_ns;    /* TX: entry of the hard irq that finds it sent; NEVER_AT_NS: none yet */
	uint32_t sequence;    /* which exchange, datagram or segment; an ACK: the next segment expected */
	uint32_t payload;     /* bytes; an ACK: segments that the receiver still has room for */
	uint16_t frame_bytes; /* destination address to FCS */
	uint8_t kind;         /* enum frame_kind */
	uint8_t flow;         /* rr: the connection */
	uint8_t tx_flags;     /* CHIP_FRAME_* */
};

struct frames {
	struct frame *frame;
	uint32_t mask;
	uint32_t head, tail; /* run on for ever; the difference is the count */
};

static inline uint32_t frames_count(const struct frames *frames)
{
	return frames->tail - frames->head;
}

static inline bool frames_full(const struct frames *frames)
{
	return frames_count(frames) > frames->mask;
}

static inline struct frame *frames_first(struct frames *frames)
{
	return &frames->frame[frames->head & frames->mask];
}

static inline struct frame *frames_at(struct frames *frames, uint32_t position)
{
	return &frames->frame[position & frames->mask];
}

/* The caller has made sure that there is room. */
static inline struct frame *frames_push(struct frames *frames, const struct frame *frame)
{
	struct frame *slot = frames_at(frames, frames->tail++);

	*slot = *frame;
	return slot;
}

static inline struct frame frames_pop(struct frames *frames)
{
	return frames->frame[frames->head++ & frames->mask];
}

#endif
