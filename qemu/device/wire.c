/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"

#include "device/wire.h"

#include "qemu/timer.h"

#include "device/log.h"

#define FCS_BYTES 4u
#define PREAMBLE_BYTES 8u /* with the delimiter */
#define GAP_BYTES 12u
#define SHORTEST_BYTES 60u /* without FCS */

static void free_wire(struct wire *wire)
{
	wire->busy = false;
	wire->sent(wire->device, wire->queue, wire->frame_bytes);
}

static void last_bit_left(void *opaque)
{
	struct wire *wire = opaque;

	qemu_send_packet(wire->client, wire->frame, (int)(wire->frame_bytes - FCS_BYTES));
	free_wire(wire);
}

void wire_init(struct wire *wire, NetClientState *client,
	       void (*sent)(void *device, unsigned queue, unsigned frame_bytes), void *device)
{
	wire->client = client;
	wire->speed_mbps = 0;
	wire->remainder = 0;
	wire->busy = false;
	wire->gap_ends_at_ns = 0;
	wire->sent = sent;
	wire->device = device;
	alarm_init(&wire->alarm, last_bit_left, wire);
}

void wire_stop(struct wire *wire)
{
	alarm_stop(&wire->alarm);
}

void wire_set_speed(struct wire *wire, unsigned speed_mbps)
{
	wire->speed_mbps = speed_mbps;
	wire->remainder = 0;
	if (wire->busy && speed_mbps == 0) {
		alarm_set(&wire->alarm, NEVER_AT_NS);
		free_wire(wire);
	}
}

void wire_drop(struct wire *wire)
{
	alarm_set(&wire->alarm, NEVER_AT_NS);
	wire->busy = false;
}

/* Whole ns; what a speed leaves over (at 2500 Mb/s a byte is 3.2 ns) goes to the next frame. */
static int64_t span_ns(struct wire *wire, unsigned wire_bytes)
{
	const uint64_t parts = (uint64_t)wire_bytes * 8000 + wire->remainder;

	wire->remainder = (unsigned)(parts % wire->speed_mbps);
	return (int64_t)(parts / wire->speed_mbps);
}

void wire_send(struct wire *wire, unsigned queue, unsigned bytes)
{
	if (bytes < SHORTEST_BYTES) {
		memset(wire->frame + bytes, 0, SHORTEST_BYTES - bytes);
		bytes = SHORTEST_BYTES;
	}
	wire->busy = true;
	wire->queue = queue;
	wire->frame_bytes = bytes + FCS_BYTES;
	log_event(wire->client->name, "send %u %u", queue, wire->frame_bytes);
	const int64_t begins_at_ns = MAX(wire->gap_ends_at_ns, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));
	const int64_t ends_at_ns = begins_at_ns + span_ns(wire, PREAMBLE_BYTES + wire->frame_bytes);

	wire->gap_ends_at_ns = ends_at_ns + span_ns(wire, GAP_BYTES);
	alarm_set(&wire->alarm, ends_at_ns);
}
