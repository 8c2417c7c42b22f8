/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Theory of operation. A chip is a table of functions (chip_ops, one per family) over a few words of state.
 * This file keeps time for all of them: before a call is handed to the family, everything that was due up to
 * that instant has run, each at its own instant and in order. A family therefore sees its deadlines as if
 * nobody had ever been late, and an owner who advances often and one who advances rarely end in the same state.
 *
 * Everything of a chip that Linux can notice about interrupt moderation is modelled: registers, cause bits,
 * masks, timers, counters, lines. What is known comes from data sheets, from the kernel's register headers, or
 * from measurements in the mailing list threads; each family names its sources at its head. What nobody outside
 * the vendor knows is a model choice: either one of assume.h, or one named at the head of the family.
 */
#include "chip/chip.h"

#include <string.h>

#include "base/wide.h"
#include "chip/chip_private.h"

static const struct chip_ops *const families[CHIP_FAMILIES] = {
	[CHIP_FEC] = &chip_fec_ops,         [CHIP_TSNEP] = &chip_tsnep_ops,   [CHIP_RTL8169] = &chip_rtl8169_ops,
	[CHIP_RTL8168] = &chip_rtl8168_ops, [CHIP_STMMAC] = &chip_stmmac_ops, [CHIP_E1000E] = &chip_e1000e_ops,
	[CHIP_MACB] = &chip_macb_ops,
};

static int64_t clamp_i64(int64_t value, int64_t min, int64_t max)
{
	if (value < min) {
		return min;
	}
	return value > max ? max : value;
}

static void config_clamp(struct chip_config *config)
{
	if ((unsigned)config->family >= CHIP_FAMILIES) {
		config->family = CHIP_FAMILIES - 1;
	}
	config->queues = (unsigned)clamp_i64(config->queues, 1, families[config->family]->queues_max);
	for (unsigned i = 0; i < ASSUME_COUNT; i++) {
		config->assume.value[i] = clamp_i64(config->assume.value[i], assume_infos[i].min, assume_infos[i].max);
	}
}

void chip_init(struct chip *chip, const struct chip_config *config)
{
	struct chip_config clamped = *config;

	config_clamp(&clamped);
	memset(chip, 0, sizeof(*chip));
	chip->config = clamped;
	chip->ops = families[clamped.family];
	chip->deadline_at_ns = NEVER_AT_NS;
	chip->ops->init(chip);
}

/*
 * timer-ppm is a clock of the chip's own, so that no family has to know of it: instants are rounded down into it and deadlines up
 * out of it, so that at its deadline nothing is still due.
 */
static inline int64_t own_clock(const struct chip *chip, int64_t at_ns)
{
	const int64_t ppm = chip->config.assume.value[ASSUME_TIMER_PPM];

	if (ppm == ASSUME_TIMER_PPM_NOMINAL || at_ns <= 0) {
		return at_ns;
	}
	const uint64_t own = wide_scale((uint64_t)at_ns, ASSUME_TIMER_PPM_NOMINAL, (uint64_t)ppm);

	return own > NEVER_AT_NS ? NEVER_AT_NS : (int64_t)own;
}

static int64_t outer_span(const struct chip *chip, int64_t own_ns)
{
	const uint64_t ppm = (uint64_t)chip->config.assume.value[ASSUME_TIMER_PPM];

	if (own_ns <= 0) {
		return own_ns;
	}
	/* No instant is later than the latest: what is due then never comes. */
	const uint64_t down = own_ns >= CHIP_LATEST_AT_NS ? NEVER_AT_NS
							  : wide_scale((uint64_t)own_ns, ppm, ASSUME_TIMER_PPM_NOMINAL);

	if (down >= NEVER_AT_NS) {
		return NEVER_AT_NS;
	}
	return (int64_t)down + (own_clock(chip, (int64_t)down) < own_ns);
}

int64_t chip_deadline_of_slow_clock(const struct chip *chip)
{
	return outer_span(chip, chip->deadline_at_ns);
}

static void run_due(struct chip *chip, int64_t now_at_ns)
{
	while (chip->deadline_at_ns <= now_at_ns) {
		const int64_t due_at_ns = chip->deadline_at_ns;

		chip->now_at_ns = due_at_ns;
		chip->ops->due(chip, due_at_ns);
		assert(chip->deadline_at_ns > due_at_ns);
	}
}

/* Makes now_at_ns the present. Returns it by the chip's clock, or the latest instant seen when the caller is behind that. */
static inline int64_t arrive(struct chip *chip, int64_t now_at_ns)
{
	now_at_ns = own_clock(chip, now_at_ns);
	if (now_at_ns <= chip->now_at_ns) {
		return chip->now_at_ns;
	}
	now_at_ns = time_min(now_at_ns, CHIP_LATEST_AT_NS);
	if (chip->deadline_at_ns <= now_at_ns) {
		run_due(chip, now_at_ns);
	}
	chip->now_at_ns = now_at_ns;
	return now_at_ns;
}

uint32_t chip_read(struct chip *chip, int64_t now_at_ns, uint32_t offset)
{
	now_at_ns = arrive(chip, now_at_ns);
	return chip->ops->read(chip, now_at_ns, offset);
}

void chip_write(struct chip *chip, int64_t now_at_ns, uint32_t offset, uint32_t value)
{
	now_at_ns = arrive(chip, now_at_ns);
	chip->ops->write(chip, now_at_ns, offset, value);
}

/* The highest speed that is not above the given one. */
static unsigned known_speed(unsigned speed_mbps)
{
	static const unsigned speeds[] = { 10000, 2500, 1000, 100, 10 };

	for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
		if (speed_mbps >= speeds[i]) {
			return speeds[i];
		}
	}
	return 0;
}

void chip_set_link(struct chip *chip, int64_t now_at_ns, unsigned speed_mbps)
{
	const unsigned known_mbps = known_speed(speed_mbps);

	now_at_ns = arrive(chip, now_at_ns);
	if (known_mbps != chip->link_mbps) {
		chip->link_mbps = known_mbps;
		chip->ops->link(chip, now_at_ns);
	}
}

/* A queue that the chip doesn't have is taken for its last one. */
static inline unsigned clamp_queue(const struct chip *chip, unsigned queue)
{
	return queue < chip->config.queues ? queue : chip->config.queues - 1;
}

static __attribute__((noinline)) void frame_after_due(struct chip *chip, int64_t now_at_ns,
						      enum chip_direction direction, unsigned queue,
						      unsigned frame_bytes, unsigned flags)
{
	now_at_ns = arrive(chip, now_at_ns);
	chip->ops->frame(chip, now_at_ns, direction, clamp_queue(chip, queue), frame_bytes, flags);
}

/* Frames are most of all calls. Where nothing is due before one, the two tail calls leave no frame on the stack. */
static inline void frame(struct chip *chip, int64_t now_at_ns, enum chip_direction direction, unsigned queue,
			 unsigned frame_bytes, unsigned flags)
{
	if (now_at_ns < chip->now_at_ns || now_at_ns >= time_min(chip->deadline_at_ns, CHIP_LATEST_AT_NS) ||
	    chip->config.assume.value[ASSUME_TIMER_PPM] != ASSUME_TIMER_PPM_NOMINAL) {
		frame_after_due(chip, now_at_ns, direction, queue, frame_bytes, flags);
		return;
	}
	chip->now_at_ns = now_at_ns;
	chip->ops->frame(chip, now_at_ns, direction, clamp_queue(chip, queue), frame_bytes, flags);
}

void chip_frame_received(struct chip *chip, int64_t now_at_ns, unsigned queue, unsigned frame_bytes, unsigned flags)
{
	frame(chip, now_at_ns, CHIP_RX, queue, frame_bytes, flags);
}

void chip_frame_sent(struct chip *chip, int64_t now_at_ns, unsigned queue, unsigned frame_bytes, unsigned flags)
{
	frame(chip, now_at_ns, CHIP_TX, queue, frame_bytes, flags);
}

void chip_frame_missed(struct chip *chip, int64_t now_at_ns, unsigned queue)
{
	now_at_ns = arrive(chip, now_at_ns);
	if (chip->ops->missed) {
		chip->ops->missed(chip, now_at_ns, clamp_queue(chip, queue));
	}
}

void chip_rx_free(struct chip *chip, int64_t now_at_ns, unsigned queue, unsigned free_descriptors)
{
	now_at_ns = arrive(chip, now_at_ns);
	if (chip->ops->rx_free) {
		chip->ops->rx_free(chip, now_at_ns, clamp_queue(chip, queue), free_descriptors);
	}
}

void chip_advance(struct chip *chip, int64_t now_at_ns)
{
	arrive(chip, now_at_ns);
}

struct chip_hold chip_hold(const struct chip *chip, unsigned queue, enum chip_direction direction)
{
	struct chip_hold hold =
		chip->ops->hold(chip, clamp_queue(chip, queue), direction == CHIP_TX ? CHIP_TX : CHIP_RX);

	if (chip->config.assume.value[ASSUME_TIMER_PPM] != ASSUME_TIMER_PPM_NOMINAL) {
		hold.hold_ns = outer_span(chip, hold.hold_ns);
		hold.limit_ns = outer_span(chip, hold.limit_ns);
		hold.throttle_ns = outer_span(chip, hold.throttle_ns);
	}
	return hold;
}

const struct chip_register *chip_registers(enum chip_family family, unsigned *count)
{
	if ((unsigned)family >= CHIP_FAMILIES) {
		*count = 0;
		return NULL;
	}
	*count = families[family]->register_count;
	return families[family]->registers;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whatever the locale. */
static bool same_name(const char *a, const char *b)
{
	while (*a && lower(*a) == lower(*b)) {
		a++;
		b++;
	}
	return lower(*a) == lower(*b);
}

const struct chip_register *chip_register_named(enum chip_family family, const char *name)
{
	unsigned count;
	const struct chip_register *registers = chip_registers(family, &count);

	for (unsigned i = 0; i < count; i++) {
		if (same_name(registers[i].name, name)) {
			return &registers[i];
		}
	}
	return NULL;
}

const struct chip_register *chip_register_at(enum chip_family family, uint32_t offset)
{
	unsigned count;
	const struct chip_register *registers = chip_registers(family, &count);

	for (unsigned i = 0; i < count; i++) {
		if (registers[i].offset == offset) {
			return &registers[i];
		}
	}
	return NULL;
}

const char *chip_family_name(enum chip_family family)
{
	return (unsigned)family < CHIP_FAMILIES ? families[family]->name : "unknown";
}

enum chip_family chip_family_find(const char *name)
{
	for (unsigned i = 0; i < CHIP_FAMILIES; i++) {
		if (same_name(families[i]->name, name)) {
			return (enum chip_family)i;
		}
	}
	return CHIP_FAMILIES;
}

unsigned chip_check(const struct chip *chip)
{
	return chip->ops->check(chip);
}
