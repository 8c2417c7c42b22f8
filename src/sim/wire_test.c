/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/wire.h"

#include "tap.h"

static void lone_frame(void)
{
	struct wire wire;

	wire_init(&wire, 1000, 0, 0);
	const struct wire_times times = wire_send(&wire, 100, 64);

	tap_is(times.sent_at_ns, 100 + 72 * 8,
	       "a lone 64-byte frame at 1 Gb/s leaves after preamble and frame: 576 ns");
	tap_is(times.arrives_at_ns, times.sent_at_ns, "without propagation it is in when it has left");
	tap_is(wire_free_at_ns(&wire), 100 + 84 * 8, "the wire is free after the gap of 12 byte times");
}

static void gap_in_frame(void)
{
	struct wire wire;

	wire_init(&wire, 1000, 0, 0);
	wire.has_gap_in_frame = true;
	const struct wire_times times = wire_send(&wire, 100, 64);

	tap_is(times.sent_at_ns, 100 + 84 * 8, "with the gap in the frame it has left 96 ns later");
	tap_is(wire_send(&wire, 0, 64).sent_at_ns, 100 + 2 * 84 * 8, "and the next one follows as before");
}

static void train_is_line_rate(void)
{
	struct wire wire;
	int64_t last_at_ns = 0;

	wire_init(&wire, 1000, 0, 0);
	for (unsigned i = 0; i < 1000; i++) {
		last_at_ns = wire_send(&wire, 0, 64).arrives_at_ns;
	}
	tap_is(last_at_ns, 999 * 672 + 576, "frames that are all ready follow one another each 672 ns");
	tap_is((int64_t)wire_line_rate(1000, 64), 1488095, "64-byte frames at 1 Gb/s: 1488095 per second");
	tap_is((int64_t)wire_line_rate(1000, 1518), 81274, "full frames at 1 Gb/s: 81274 per second");
}

/* 84 bytes at 2.5 Gb/s last 268.8 ns. */
static void remainders_are_carried(void)
{
	struct wire wire;
	int64_t last_at_ns = 0;

	wire_init(&wire, 2500, 0, 0);
	for (unsigned i = 0; i < 1001; i++) {
		last_at_ns = wire_send(&wire, 0, 64).arrives_at_ns;
	}
	tap_is(last_at_ns, 268800 + 230,
	       "a thousand frames of 268.8 ns do not drift: 268800 ns, then 230.4 ns of the next");
}

static void switches_store_and_forward(void)
{
	struct wire wire;

	wire_init(&wire, 1000, 1, 500);
	tap_is(wire_send(&wire, 0, 1518).arrives_at_ns, 2 * (1526 * 8 + 500),
	       "one switch: the frame crosses two segments one after the other");
	tap_is(wire_send(&wire, 0, 64).arrives_at_ns, 1526 * 8 + 500 + 1538 * 8 + 72 * 8 + 500,
	       "a short frame behind a long one waits for it at the switch");
}

int main(void)
{
	lone_frame();
	gap_in_frame();
	train_is_line_rate();
	remainders_are_carried();
	switches_store_and_forward();
	return tap_done();
}
