/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random calls to a chip of any family, at random times. Two chips get the same calls; one is also advanced in
 * between, at its deadlines and at odd instants. After each call the invariants hold on both, and both are in
 * the same state: being advanced late is harmless. Nothing that is written may be fatal.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *data;
	size_t left;
};

static uint32_t take(struct input *input, unsigned bytes)
{
	uint32_t value = 0;

	while (bytes-- && input->left) {
		value = value << 8 | *input->data++;
		input->left--;
	}
	return value;
}

static void require(bool holds, const char *what, unsigned number)
{
	if (!holds) {
		fprintf(stderr, "chip_fuzz: %s (%u)\n", what, number);
		abort();
	}
}

static struct chip_config take_config(struct input *input)
{
	static const uint32_t clocks[] = { 266666666, 0, 1, 132000000, UINT32_MAX, 333333333, 64, 1000000000 };
	struct chip_config config = { .family = (enum chip_family)(take(input, 1) % (CHIP_FAMILIES + 1)) };

	config.queues = take(input, 1) % 6;
	config.timer_clock_hz = clocks[take(input, 1) % 8];
	config.rx_ring = take(input, 1) & 0x1f;
	config.assume = assume_defaults();
	for (uint32_t choices = take(input, 1) % 8; choices; choices--) {
		const uint32_t i = take(input, 1) % ASSUME_COUNT;

		config.assume.value[i] = (int32_t)take(input, 1 + i % 4);
	}
	return config;
}

/* Mostly a register that is there, sometimes any offset. */
static uint32_t take_offset(struct input *input, enum chip_family family)
{
	unsigned count;
	const struct chip_register *registers = chip_registers(family, &count);
	const uint32_t which = take(input, 1);

	return which == 0xff ? take(input, 4) : registers[which % count].offset;
}

/* From zero over microseconds to years, sometimes backwards. */
static int64_t take_span(struct input *input)
{
	const uint32_t kind = take(input, 1);

	switch (kind % 8) {
	case 0:
		return 0;
	case 1:
		return take(input, 1);
	case 2:
		return -(int64_t)take(input, 2);
	case 3:
		return (int64_t)take(input, 4) << (kind >> 3);
	default:
		return (int64_t)take(input, 2) << (kind >> 5);
	}
}

static void advance_often(struct chip *chip, int64_t until_ns, uint32_t odd)
{
	for (unsigned steps = 0; steps < 16 && chip_deadline(chip) < until_ns; steps++) {
		const int64_t at_ns = chip_deadline(chip);

		chip_advance(chip, at_ns - (int64_t)(odd & 1));
		require(chip_check(chip) == 0, "invariant broken just before a deadline", chip_check(chip));
		chip_advance(chip, at_ns);
		require(chip_check(chip) == 0, "invariant broken at a deadline", chip_check(chip));
		require(chip_deadline(chip) > at_ns, "a deadline that is not later", steps);
	}
	const int64_t begin_at_ns = time_min(chip->now_at_ns, until_ns);

	chip_advance(chip, begin_at_ns + (until_ns - begin_at_ns) / (1 + (odd & 7)));
}

struct call {
	uint32_t kind, a, b, c;
};

static struct call take_call(struct input *input, enum chip_family family)
{
	struct call call = { .kind = take(input, 1) % 8 };

	if (call.kind <= 2) {
		call.a = take_offset(input, family);
		call.b = call.kind == 1 ? take(input, 4) : 1u << take(input, 1) % 32;
	} else {
		call.a = take(input, 1) & 7;
		call.b = take(input, 2);
		call.c = call.b >> 15;
	}
	return call;
}

/* What a caller sees of the call. */
static uint32_t make_call(struct chip *chip, int64_t at_ns, const struct call *call)
{
	static const unsigned speeds[] = { 0, 10, 100, 1000, 2500, 7, 99999, 1000 };

	switch (call->kind) {
	case 0:
		return chip_read(chip, at_ns, call->a);
	case 1:
	case 2:
		chip_write(chip, at_ns, call->a, call->b);
		break;
	case 3:
		chip_set_link(chip, at_ns, speeds[call->a]);
		break;
	case 4:
		chip_frame_sent(chip, at_ns, call->a, call->b & 0x7ff, call->c);
		break;
	case 5:
		chip_rx_free(chip, at_ns, call->a, call->b & 0x1f);
		break;
	case 6:
		chip_frame_missed(chip, at_ns, call->a);
		break;
	default:
		chip_frame_received(chip, at_ns, call->a, call->b & 0x7ff, call->c);
		break;
	}
	return 0;
}

/* present_at_ns: the latest instant that the chip was told, by the clock outside of it. */
static void look(const struct chip *chip, int64_t present_at_ns)
{
	require(chip_check(chip) == 0, "invariant broken", chip_check(chip));
	require(chip_deadline(chip) > present_at_ns, "a deadline that is not later than the present", 0);
	for (unsigned direction = 0; direction < CHIP_DIRECTIONS; direction++) {
		const struct chip_hold hold = chip_hold(chip, 0, (enum chip_direction)direction);

		require(hold.hold_ns >= 0 && hold.limit_ns >= 0 && hold.throttle_ns >= 0, "a negative hold-off",
			direction);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	const struct chip_config config = take_config(&input);
	struct chip often, rarely;
	int64_t at_ns = 0, present_at_ns = 0;

	chip_init(&often, &config);
	rarely = often;
	look(&often, 0);
	while (input.left) {
		const int64_t span_ns = take_span(&input);
		const struct call call = take_call(&input, often.config.family);

		at_ns = span_ns > NEVER_AT_NS / 4 - at_ns ? NEVER_AT_NS / 4 : time_max(0, at_ns + span_ns);
		advance_often(&often, at_ns, call.b);
		const uint32_t seen_often = make_call(&often, at_ns, &call),
			       seen_rarely = make_call(&rarely, at_ns, &call);
		require(seen_often == seen_rarely, "a read that depends on how often the chip is advanced", call.a);
		require(memcmp(&often, &rarely, sizeof(often)) == 0,
			"a state that depends on how often the chip is advanced", call.kind);
		present_at_ns = time_max(present_at_ns, at_ns);
		look(&often, present_at_ns);
	}
	return 0;
}
