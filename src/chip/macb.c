/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cadence GEM (macb): no moderation. Each frame sets its cause, and an unmasked cause raises the line.
 *
 * Register offsets and bits: Linux drivers/net/ethernet/cadence/macb.h. IER and IDR write to the mask; a 1 in
 * IMR means masked. How ISR is cleared is an option of the core (IRQCOR in DCFG1, which the Linux driver looks
 * at). This model is the kind that clears on read; writing ones clears too, so that software for either kind
 * runs on it.
 *
 * Invariants:
 *  1. Only line 0 exists, and it is up exactly while an unmasked cause is set.
 *  2. The chip never has a deadline.
 */
#include "chip/chip_private.h"

#define ISR 0x24u
#define IER 0x28u
#define IDR 0x2cu
#define IMR 0x30u

#define RCOMP (1u << 1)
#define TCOMP (1u << 7)

struct CHIP_STATE macb {
	uint32_t causes, masked; /* ISR, IMR */
};

CHIP_STATE_FITS(struct macb);

static struct macb *macb_of(struct chip *chip)
{
	return (struct macb *)chip->state;
}

static void update_line(struct chip *chip)
{
	chip->irq_lines = (macb_of(chip)->causes & ~macb_of(chip)->masked) != 0;
}

static void macb_frame(struct chip *chip, int64_t now_at_ns, enum chip_direction direction, unsigned queue,
		       unsigned frame_bytes, unsigned flags)
{
	(void)now_at_ns;
	(void)queue;
	(void)frame_bytes;
	(void)flags;
	macb_of(chip)->causes |= direction == CHIP_RX ? RCOMP : TCOMP;
	update_line(chip);
}

static uint32_t macb_read(struct chip *chip, int64_t now_at_ns, uint32_t offset)
{
	struct macb *macb = macb_of(chip);
	const uint32_t causes = macb->causes;

	(void)now_at_ns;
	switch (offset) {
	case ISR:
		macb->causes = 0;
		update_line(chip);
		return causes;
	case IMR:
		return macb->masked;
	default:
		return 0;
	}
}

static void macb_write(struct chip *chip, int64_t now_at_ns, uint32_t offset, uint32_t value)
{
	struct macb *macb = macb_of(chip);

	(void)now_at_ns;
	switch (offset) {
	case ISR:
		macb->causes &= ~value;
		break;
	case IER:
		macb->masked &= ~value;
		break;
	case IDR:
		macb->masked |= value;
		break;
	default:
		break;
	}
	update_line(chip);
}

static void macb_link(struct chip *chip, int64_t now_at_ns)
{
	/* The PHY reports the link; this core doesn't. */
	(void)chip;
	(void)now_at_ns;
}

static void macb_due(struct chip *chip, int64_t now_at_ns)
{
	(void)chip;
	(void)now_at_ns;
}

static void macb_init(struct chip *chip)
{
	macb_of(chip)->masked = UINT32_MAX;
}

static struct chip_hold macb_hold(const struct chip *chip, unsigned queue, enum chip_direction direction)
{
	(void)chip;
	(void)queue;
	(void)direction;
	return (struct chip_hold){ .kind = CHIP_HOLD_NONE };
}

static unsigned macb_check(const struct chip *chip)
{
	const struct macb *macb = (const struct macb *)chip->state;

	if (chip->irq_lines != ((macb->causes & ~macb->masked) != 0)) {
		return 1;
	}
	return chip->deadline_at_ns != NEVER_AT_NS ? 2 : 0;
}

static const struct chip_register_field cause_fields[] = {
	{ "HRESP", 11, 11, "bus error (not modelled)" },
	{ "ISR_ROVR", 10, 10, "receive overrun (not modelled)" },
	{ "TCOMP", 7, 7, "frame sent" },
	{ "TXERR", 6, 6, "transmit error (not modelled)" },
	{ "ISR_RLE", 5, 5, "retry limit (not modelled)" },
	{ "ISR_TUND", 4, 4, "transmit underrun (not modelled)" },
	{ "TXUBR", 3, 3, "transmit ring empty (not modelled)" },
	{ "RXUBR", 2, 2, "receive ring full (not modelled)" },
	{ "RCOMP", 1, 1, "frame received" },
	{ "MFD", 0, 0, "MDIO transfer done (not modelled)" },
};

#define FIELDS(table) sizeof(table) / sizeof((table)[0]), table

static const struct chip_register registers[] = {
	{ "ISR", ISR, 32, FIELDS(cause_fields) },
	{ "IER", IER, 32, FIELDS(cause_fields) },
	{ "IDR", IDR, 32, FIELDS(cause_fields) },
	{ "IMR", IMR, 32, FIELDS(cause_fields) },
};

const struct chip_ops chip_macb_ops = {
	.name = "macb",
	.queues_max = 1,
	.registers = registers,
	.register_count = sizeof(registers) / sizeof(registers[0]),
	.init = macb_init,
	.read = macb_read,
	.write = macb_write,
	.link = macb_link,
	.frame = macb_frame,
	.due = macb_due,
	.hold = macb_hold,
	.check = macb_check,
};
