/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Engleder TSN endpoint (tsnep): one interrupt and one delay per pair of queues.
 *
 * Register offsets and bits: Linux drivers/net/ethernet/engleder/tsnep_hw.h. ECM_INT_DELAY counts in 16 us, 0
 * to 15. Its meaning is not documented; the patch that introduced it (Engleder, November 2022) calls it
 * throttling, and found an interrupt each 140 us with 64 us set. tsnep-delay-from and tsnep-delay-runs name the
 * candidates.
 *
 * Choices, where nothing is published:
 *  - The delay begins with the first event that is not signalled (0), with the enabling of the queue's
 *    interrupt (1), or with the queue's last interrupt (2). A field of 0 means at once.
 *  - ECM_INT_ACTIVE shows an event when its delay has ended.
 *  - An event whose source is disabled is not remembered, and disabling a source forgets its event and its
 *    wait. Two facts of the Linux driver speak for it: it had to look for frames that came before the enabling
 *    ("rotten packets", same series), and its handlers of queues above 0 do not acknowledge.
 *  - Rewriting the delay moves the end of a running wait, at the earliest to the present.
 *  - A change of the link is signalled at once, on line 0.
 *
 * Invariants:
 *  1. A line is up exactly while a source of its queue (line 0: also the link) is active; no other line exists.
 *  2. Active and waiting sources are enabled, and no source is both.
 *  3. A queue waits exactly while it has waiting sources.
 *  4. A wait's deadline lies after the present.
 *  5. The chip's deadline is the earliest of its waits.
 */
#include "chip/chip_private.h"

#define ECM_INT_ENABLE 0x18u
#define ECM_INT_ACTIVE 0x1cu
#define ECM_INT_DELAY 0x30u

#define ECM_INT_DISABLE (1u << 31)
#define ECM_INT_LINK (1u << 5)
#define ECM_INT_TX_0 (1u << 8)
#define ECM_INT_RX_0 (1u << 9)
#define ECM_INT_DELAY_MASK 0xf0u
#define ECM_INT_DELAY_SHIFT 4

#define DELAY_UNIT_NS (16 * NS_PER_US)
#define LONG_AGO_AT_NS (-CHIP_LATEST_AT_NS)

enum delay_from { FROM_EVENT, FROM_ENABLING, FROM_INTERRUPT };

struct CHIP_STATE pair {
	uint32_t delay;                         /* ECM_INT_DELAY */
	uint32_t waiting;                       /* sources whose event waits for the delay */
	int64_t event_at_ns;                    /* the first of them */
	int64_t enabled_at_ns, interrupt_at_ns; /* LONG_AGO_AT_NS: not yet */
	int64_t deadline_at_ns;                 /* NEVER_AT_NS: no wait */
};

struct CHIP_STATE tsnep {
	uint32_t enabled, active; /* sources */
	struct pair pairs[CHIP_QUEUES_MAX];
};

CHIP_STATE_FITS(struct tsnep);

static struct tsnep *tsnep_of(struct chip *chip)
{
	return (struct tsnep *)chip->state;
}

static const struct tsnep *tsnep_const(const struct chip *chip)
{
	return (const struct tsnep *)chip->state;
}

static uint32_t sources_of(unsigned queue)
{
	return (ECM_INT_TX_0 | ECM_INT_RX_0) << 2 * queue;
}

static uint32_t all_sources(const struct chip *chip)
{
	uint32_t sources = ECM_INT_LINK;

	for (unsigned queue = 0; queue < chip->config.queues; queue++) {
		sources |= sources_of(queue);
	}
	return sources;
}

static uint32_t lines_of(const struct chip *chip, uint32_t active)
{
	uint32_t lines = active & ECM_INT_LINK ? 1 : 0;

	for (unsigned queue = 0; queue < chip->config.queues; queue++) {
		lines |= active & sources_of(queue) ? 1u << queue : 0;
	}
	return lines;
}

static int64_t earliest_wait(const struct chip *chip)
{
	int64_t earliest_at_ns = NEVER_AT_NS;

	for (unsigned queue = 0; queue < chip->config.queues; queue++) {
		earliest_at_ns = time_min(earliest_at_ns, tsnep_const(chip)->pairs[queue].deadline_at_ns);
	}
	return earliest_at_ns;
}

static int64_t delay_ns(const struct chip *chip, const struct pair *pair)
{
	const int64_t units = (pair->delay & ECM_INT_DELAY_MASK) >> ECM_INT_DELAY_SHIFT;

	return units * DELAY_UNIT_NS * chip->config.assume.value[ASSUME_TSNEP_DELAY_RUNS];
}

/* When the event of a queue may be signalled. */
static int64_t ready_at_ns(const struct chip *chip, const struct pair *pair)
{
	switch ((enum delay_from)chip->config.assume.value[ASSUME_TSNEP_DELAY_FROM]) {
	case FROM_ENABLING:
		return pair->enabled_at_ns + delay_ns(chip, pair);
	case FROM_INTERRUPT:
		return pair->interrupt_at_ns + delay_ns(chip, pair);
	case FROM_EVENT:
	default:
		return pair->event_at_ns + delay_ns(chip, pair);
	}
}

/* Lets the waiting events of a queue out if they are ready, or sets the instant when they will be. */
static void settle(struct chip *chip, int64_t now_at_ns, struct pair *pair)
{
	struct tsnep *tsnep = tsnep_of(chip);

	if (!pair->waiting) {
		pair->deadline_at_ns = NEVER_AT_NS;
	} else if (ready_at_ns(chip, pair) > now_at_ns) {
		pair->deadline_at_ns = ready_at_ns(chip, pair);
	} else {
		const uint32_t lines = chip->irq_lines;

		tsnep->active |= pair->waiting;
		pair->waiting = 0;
		pair->deadline_at_ns = NEVER_AT_NS;
		chip->irq_lines = lines_of(chip, tsnep->active);
		if (chip->irq_lines != lines) {
			pair->interrupt_at_ns = now_at_ns;
		}
	}
	chip->deadline_at_ns = earliest_wait(chip);
}

static void tsnep_frame(struct chip *chip, int64_t now_at_ns, enum chip_direction direction, unsigned queue,
			unsigned frame_bytes, unsigned flags)
{
	struct tsnep *tsnep = tsnep_of(chip);
	struct pair *pair = &tsnep->pairs[queue];
	const uint32_t source = (direction == CHIP_RX ? ECM_INT_RX_0 : ECM_INT_TX_0) << 2 * queue;

	(void)frame_bytes;
	(void)flags;
	if (!(tsnep->enabled & source) || (tsnep->active | pair->waiting) & source) {
		return;
	}
	if (!pair->waiting) {
		pair->event_at_ns = now_at_ns;
	}
	pair->waiting |= source;
	settle(chip, now_at_ns, pair);
}

static void tsnep_due(struct chip *chip, int64_t now_at_ns)
{
	for (unsigned queue = 0; queue < chip->config.queues; queue++) {
		struct pair *pair = &tsnep_of(chip)->pairs[queue];

		if (pair->deadline_at_ns <= now_at_ns) {
			settle(chip, now_at_ns, pair);
		}
	}
}

static void enable(struct chip *chip, int64_t now_at_ns, uint32_t sources)
{
	struct tsnep *tsnep = tsnep_of(chip);
	const uint32_t newly = sources & ~tsnep->enabled;

	for (unsigned queue = 0; queue < chip->config.queues; queue++) {
		if (newly & sources_of(queue)) {
			tsnep->pairs[queue].enabled_at_ns = now_at_ns;
			settle(chip, now_at_ns, &tsnep->pairs[queue]);
		}
	}
	tsnep->enabled |= sources;
}

static void disable(struct chip *chip, int64_t now_at_ns, uint32_t sources)
{
	struct tsnep *tsnep = tsnep_of(chip);

	tsnep->enabled &= ~sources;
	tsnep->active &= ~sources;
	chip->irq_lines = lines_of(chip, tsnep->active);
	for (unsigned queue = 0; queue < chip->config.queues; queue++) {
		struct pair *pair = &tsnep->pairs[queue];

		if (pair->waiting & sources) {
			pair->waiting &= ~sources;
			settle(chip, now_at_ns, pair);
		}
	}
}

static uint32_t tsnep_read(struct chip *chip, int64_t now_at_ns, uint32_t offset)
{
	const struct tsnep *tsnep = tsnep_of(chip);

	(void)now_at_ns;
	if (offset == ECM_INT_ENABLE) {
		return tsnep->enabled;
	}
	if (offset == ECM_INT_ACTIVE) {
		return tsnep->active;
	}
	if (offset >= ECM_INT_DELAY && offset < ECM_INT_DELAY + chip->config.queues) {
		return tsnep->pairs[offset - ECM_INT_DELAY].delay;
	}
	return 0;
}

static void tsnep_write(struct chip *chip, int64_t now_at_ns, uint32_t offset, uint32_t value)
{
	struct tsnep *tsnep = tsnep_of(chip);

	if (offset == ECM_INT_ENABLE && value & ECM_INT_DISABLE) {
		disable(chip, now_at_ns, value & all_sources(chip));
	} else if (offset == ECM_INT_ENABLE) {
		enable(chip, now_at_ns, value & all_sources(chip));
	} else if (offset == ECM_INT_ACTIVE) {
		tsnep->active &= ~value;
		chip->irq_lines = lines_of(chip, tsnep->active);
	} else if (offset >= ECM_INT_DELAY && offset < ECM_INT_DELAY + chip->config.queues) {
		struct pair *pair = &tsnep->pairs[offset - ECM_INT_DELAY];

		pair->delay = value & 0xff;
		settle(chip, now_at_ns, pair);
	}
}

static void tsnep_link(struct chip *chip, int64_t now_at_ns)
{
	struct tsnep *tsnep = tsnep_of(chip);

	(void)now_at_ns;
	tsnep->active |= tsnep->enabled & ECM_INT_LINK;
	chip->irq_lines = lines_of(chip, tsnep->active);
}

static void tsnep_init(struct chip *chip)
{
	for (unsigned queue = 0; queue < CHIP_QUEUES_MAX; queue++) {
		tsnep_of(chip)->pairs[queue] = (struct pair){
			.enabled_at_ns = LONG_AGO_AT_NS,
			.interrupt_at_ns = LONG_AGO_AT_NS,
			.deadline_at_ns = NEVER_AT_NS,
		};
	}
}

static struct chip_hold tsnep_hold(const struct chip *chip, unsigned queue, enum chip_direction direction)
{
	const struct pair *pair = &tsnep_const(chip)->pairs[queue];
	const bool from_event = chip->config.assume.value[ASSUME_TSNEP_DELAY_FROM] == FROM_EVENT;
	const int64_t span_ns = delay_ns(chip, pair);

	(void)direction;
	if (span_ns == 0) {
		return (struct chip_hold){ .kind = CHIP_HOLD_NONE };
	}
	return (struct chip_hold){ .kind = from_event ? CHIP_HOLD_OFF : CHIP_HOLD_THROTTLE, .hold_ns = span_ns };
}

static unsigned tsnep_check(const struct chip *chip)
{
	const struct tsnep *tsnep = tsnep_const(chip);

	if (chip->irq_lines != lines_of(chip, tsnep->active)) {
		return 1;
	}
	if (tsnep->active & ~tsnep->enabled) {
		return 2;
	}
	for (unsigned queue = 0; queue < CHIP_QUEUES_MAX; queue++) {
		const struct pair *pair = &tsnep->pairs[queue];

		if (pair->waiting & (~tsnep->enabled | tsnep->active | ~sources_of(queue))) {
			return 2;
		}
		if ((pair->waiting != 0) != (pair->deadline_at_ns != NEVER_AT_NS)) {
			return 3;
		}
		if (pair->deadline_at_ns <= chip->now_at_ns) {
			return 4;
		}
	}
	return chip->deadline_at_ns != earliest_wait(chip) ? 5 : 0;
}

static const struct chip_register_field enable_fields[] = {
	{ "ECM_INT_DISABLE", 31, 31, "write 1: the other bits name sources to disable; 0: to enable" },
	{ "ECM_INT_RX_3", 15, 15, "frame received, queue 3" },
	{ "ECM_INT_TX_3", 14, 14, "frame sent, queue 3" },
	{ "ECM_INT_RX_2", 13, 13, "frame received, queue 2" },
	{ "ECM_INT_TX_2", 12, 12, "frame sent, queue 2" },
	{ "ECM_INT_RX_1", 11, 11, "frame received, queue 1" },
	{ "ECM_INT_TX_1", 10, 10, "frame sent, queue 1" },
	{ "ECM_INT_RX_0", 9, 9, "frame received, queue 0" },
	{ "ECM_INT_TX_0", 8, 8, "frame sent, queue 0" },
	{ "ECM_INT_LINK", 5, 5, "link change" },
};

static const struct chip_register_field delay_fields[] = {
	{ "ECM_INT_DELAY", 7, 4, "delay of the queue's interrupt, in 16 us; 0: none" },
};

#define FIELDS(table) sizeof(table) / sizeof((table)[0]), table

static const struct chip_register registers[] = {
	{ "ECM_INT_ENABLE", ECM_INT_ENABLE, 32, FIELDS(enable_fields) },
	{ "ECM_INT_ACTIVE", ECM_INT_ACTIVE, 32, sizeof(enable_fields) / sizeof(enable_fields[0]) - 1,
	  enable_fields + 1 },
	{ "ECM_INT_DELAY0", ECM_INT_DELAY, 8, FIELDS(delay_fields) },
	{ "ECM_INT_DELAY1", ECM_INT_DELAY + 1, 8, FIELDS(delay_fields) },
	{ "ECM_INT_DELAY2", ECM_INT_DELAY + 2, 8, FIELDS(delay_fields) },
	{ "ECM_INT_DELAY3", ECM_INT_DELAY + 3, 8, FIELDS(delay_fields) },
};

const struct chip_ops chip_tsnep_ops = {
	.name = "tsnep",
	.queues_max = CHIP_QUEUES_MAX,
	.registers = registers,
	.register_count = sizeof(registers) / sizeof(registers[0]),
	.init = tsnep_init,
	.read = tsnep_read,
	.write = tsnep_write,
	.link = tsnep_link,
	.frame = tsnep_frame,
	.due = tsnep_due,
	.hold = tsnep_hold,
	.check = tsnep_check,
};
