/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wire time, which QEMU's hub has none of: a frame is on the wire for as long as its bits take at the speed of the link, and
 * the other end has it when the last one has left; the next one begins a gap later. One wire holds one frame; a sender
 * whose wire is busy keeps the rest in its ring. How long the copper is (5 ns/m) is left out.
 */
#ifndef HOLDOFF_DEVICE_WIRE_H
#define HOLDOFF_DEVICE_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "net/net.h"

#include "device/alarm.h"

#define WIRE_FRAME_BYTES_MAX 16384 /* without FCS */

struct wire {
	NetClientState *client;
	struct alarm alarm;
	unsigned speed_mbps;    /* 0: the link is down */
	unsigned remainder;     /* what the spans so far were too short, in 1/speed_mbps ns */
	int64_t gap_ends_at_ns; /* no frame begins before that */
	bool busy;
	unsigned queue, frame_bytes; /* of the frame on the wire */
	void (*sent)(void *device, unsigned queue, unsigned frame_bytes);
	void *device;
	uint8_t frame[WIRE_FRAME_BYTES_MAX];
};

/*
 * A wire without link. sent is called when the last bit of a frame has left and after the peer has it, frame_bytes with
 * FCS; it may send the next. Keeps client and device.
 */
void wire_init(struct wire *wire, NetClientState *client,
	       void (*sent)(void *device, unsigned queue, unsigned frame_bytes), void *device);
void wire_stop(struct wire *wire);

/* A frame on a wire that goes down is lost and counts as sent: `sent` is called. */
void wire_set_speed(struct wire *wire, unsigned speed_mbps);
/* As on reset of the MAC: what is on the wire is lost, `sent` is not called. */
void wire_drop(struct wire *wire);

/* Whether it takes a frame: not without link, and not while one is on it. */
static inline bool wire_is_free(const struct wire *wire)
{
	return wire->speed_mbps != 0 && !wire->busy;
}

/* Where the device puts the next frame, without FCS, WIRE_FRAME_BYTES_MAX bytes at most; only while the wire is free. */
static inline uint8_t *wire_buffer(struct wire *wire)
{
	return wire->frame;
}

/* Sends the first `bytes` of the buffer, padded to the shortest frame; only while the wire is free. */
void wire_send(struct wire *wire, unsigned queue, unsigned bytes);

#endif
