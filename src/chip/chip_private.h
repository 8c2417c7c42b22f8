/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a chip family supplies. chip.c keeps time: it calls `due` for every deadline at or before the instant of
 * a call, in order, before the call itself, and clamps queues; a family only changes its state and then leaves
 * the result in chip->irq_lines and chip->deadline_at_ns.
 */
#ifndef HOLDOFF_CHIP_CHIP_PRIVATE_H
#define HOLDOFF_CHIP_CHIP_PRIVATE_H

#include <assert.h>
#include <stddef.h>

#include "chip/chip.h"

struct chip_ops {
	const char *name;
	unsigned queues_max; /* pairs of queues that the family has at most */
	const struct chip_register *registers;
	unsigned register_count;
	void (*init)(struct chip *chip);
	uint32_t (*read)(struct chip *chip, int64_t now_at_ns, uint32_t offset);
	void (*write)(struct chip *chip, int64_t now_at_ns, uint32_t offset, uint32_t value);
	void (*link)(struct chip *chip, int64_t now_at_ns); /* chip->link_mbps has changed */
	void (*frame)(struct chip *chip, int64_t now_at_ns, enum chip_direction direction, unsigned queue,
		      unsigned frame_bytes, unsigned flags);
	void (*missed)(struct chip *chip, int64_t now_at_ns, unsigned queue); /* or NULL */
	void (*rx_free)(struct chip *chip, int64_t now_at_ns, unsigned queue, unsigned free_descriptors); /* or NULL */
	void (*due)(struct chip *chip, int64_t now_at_ns); /* now_at_ns is the deadline itself */
	struct chip_hold (*hold)(const struct chip *chip, unsigned queue, enum chip_direction direction);
	unsigned (*check)(const struct chip *chip);
};

extern const struct chip_ops chip_fec_ops, chip_tsnep_ops, chip_rtl8169_ops, chip_rtl8168_ops, chip_stmmac_ops,
	chip_e1000e_ops, chip_macb_ops;

/*
 * A family keeps its state in chip->state, through a cast in one function of its own; this proves that it fits.
 * The state lives in words of another type, so its struct is marked CHIP_STATE: compilers must not assume that
 * the two never overlap.
 */
#define CHIP_STATE __attribute__((__may_alias__))
#define CHIP_STATE_FITS(type) static_assert(sizeof(type) <= sizeof(((struct chip *)0)->state), "chip state too small")

/*
 * Later instants are taken for this one, 146 years after the start: a family may add any span of its own (below
 * 2^60 ns) to an instant without a thought for overflow.
 */
#define CHIP_LATEST_AT_NS (NEVER_AT_NS / 2)

/* A wait of hold-off kind: it begins with the first event that is not yet signalled. */
struct CHIP_STATE chip_wait {
	uint32_t events;        /* not yet signalled; 0: no wait */
	int64_t first_at_ns;    /* of the first of them */
	int64_t deadline_at_ns; /* NEVER_AT_NS: no wait */
};

static inline void chip_wait_stop(struct chip_wait *wait)
{
	wait->events = 0;
	wait->deadline_at_ns = NEVER_AT_NS;
}

#endif
