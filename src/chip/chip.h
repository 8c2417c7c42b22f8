/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A chip: what the silicon of a NIC does about interrupts. Registers, moderation (hold-off, frame
 * count, throttle), cause bits, masks, interrupt lines. No descriptors, no DMA, no PHY, no wire.
 *
 * The contract that lets one file serve a simulator, a test without harness and a device inside QEMU: a chip
 * never calls out, reads no clock, allocates nothing, prints nothing and cannot fail. Time is an argument and never
 * goes back. What is due at `now` runs before the event that the call brings. After every call the
 * owner looks at chip_irq_lines and chip_deadline, and calls chip_advance no later than the deadline
 * (calling later is harmless to the state: everything due runs at its own instant, in order).
 * Whatever a guest writes is modelled or ignored, never fatal.
 *
 * A chip is a value in memory that the caller owns: it can be copied, and needs no destruction.
 */
#ifndef HOLDOFF_CHIP_CHIP_H
#define HOLDOFF_CHIP_CHIP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/time.h"
#include "chip/assume.h"

enum chip_family {
	CHIP_FEC,     /* Freescale/NXP FEC, ENET: RXIC/TXIC hold-off with frame count */
	CHIP_TSNEP,   /* Engleder TSN endpoint: ECM_INT_DELAY per queue */
	CHIP_RTL8169, /* RTL8169/8110: IntrMitigate, 8169 timer table */
	CHIP_RTL8168, /* RTL8168, 8101/8136: IntrMitigate, 8168 timer table, small frames bypass */
	CHIP_STMMAC,  /* DWMAC eQOS: receive watchdog (RIWT); transmit interrupt on descriptors that ask */
	CHIP_E1000E,  /* 82574: ITR throttle over RDTR/RADV/TIDV/TADV */
	CHIP_MACB,    /* Cadence GEM: no moderation */
	CHIP_FAMILIES
};

enum chip_direction { CHIP_RX, CHIP_TX, CHIP_DIRECTIONS };

#define CHIP_QUEUES_MAX 4
#define CHIP_STATE_WORDS 80

/* What a board fixes about its chip. */
struct chip_config {
	enum chip_family family;
	unsigned queues;         /* pairs of queues, 1 .. CHIP_QUEUES_MAX */
	uint32_t timer_clock_hz; /* clock of the moderation timer where a board decides it (fec, stmmac); else 0 */
	unsigned rx_frames; /* e1000e: so many received frames end their delay (a virtual NIC has that); 0: only timers do */
	unsigned rx_ring; /* receive descriptors of a queue, for causes that depend on free ones; 0: no such cause */
	struct assume assume; /* model choices where the silicon is undocumented */
};

/* Flags of a frame. */
enum {
	CHIP_FRAME_INTERRUPT = 1u << 0, /* its descriptor asks for an interrupt when done (IDE, INT, IOC) */
};

struct chip {
	const struct chip_ops *ops;
	struct chip_config config;
	unsigned link_mbps; /* 0: down */
	uint32_t irq_lines;
	/* By the chip's own clock, which goes slower or faster by the model choice timer-ppm. */
	int64_t deadline_at_ns;
	int64_t now_at_ns;                /* the latest instant seen */
	uint64_t state[CHIP_STATE_WORDS]; /* the family's own */
};

/* Puts the chip into its state after reset, link down, at instant 0. Values of config out of range are brought into it. */
void chip_init(struct chip *chip, const struct chip_config *config);

/* Register access in the register's natural width; a read may clear (ICR). An unknown offset reads 0 and ignores writes. */
uint32_t chip_read(struct chip *chip, int64_t now_at_ns, uint32_t offset);
void chip_write(struct chip *chip, int64_t now_at_ns, uint32_t offset, uint32_t value);

/* 10, 100, 1000, 2500, 10000; 0 takes the link down. Registers stay, what their units mean may change. */
void chip_set_link(struct chip *chip, int64_t now_at_ns, unsigned speed_mbps);

/* A frame lies in memory, its descriptor written back. frame_bytes counts from the destination address to the FCS. */
void chip_frame_received(struct chip *chip, int64_t now_at_ns, unsigned queue, unsigned frame_bytes, unsigned flags);
/* A frame has left, its descriptor written back. */
void chip_frame_sent(struct chip *chip, int64_t now_at_ns, unsigned queue, unsigned frame_bytes, unsigned flags);
/* A frame came and was thrown away, for no descriptor was free. Chips without such a cause take no notice. */
void chip_frame_missed(struct chip *chip, int64_t now_at_ns, unsigned queue);
/* How many receive descriptors the chip may still fill; the owner says so after frames and after refilling. */
void chip_rx_free(struct chip *chip, int64_t now_at_ns, unsigned queue, unsigned free_descriptors);

/* Runs everything that is due at or before now. */
void chip_advance(struct chip *chip, int64_t now_at_ns);

/* chip_deadline, of a chip whose clock is not nominal. */
int64_t chip_deadline_of_slow_clock(const struct chip *chip);

/* When the chip next has something to do by itself; NEVER_AT_NS if it waits for others. Always > now_at_ns of the last call. */
static inline int64_t chip_deadline(const struct chip *chip)
{
	return chip->config.assume.value[ASSUME_TIMER_PPM] == ASSUME_TIMER_PPM_NOMINAL
		       ? chip->deadline_at_ns
		       : chip_deadline_of_slow_clock(chip);
}

/* Bit n: interrupt line (vector) n is asserted. A level: it falls when the cause is acknowledged or masked, as the registers say. */
static inline uint32_t chip_irq_lines(const struct chip *chip)
{
	return chip->irq_lines;
}

/* What the registers, at this link speed, do to a lone frame: the fourth of "requested, programmed, reported, effective". */
enum chip_hold_kind {
	CHIP_HOLD_NONE,    /* interrupt at once */
	CHIP_HOLD_OFF,     /* from the first event not yet signalled */
	CHIP_HOLD_RESTART, /* from the latest event, up to limit_ns from the first */
	CHIP_HOLD_THROTTLE /* at least hold_ns after the previous interrupt of the vector */
};

struct chip_hold {
	enum chip_hold_kind kind;
	int64_t hold_ns;             /* 0 for CHIP_HOLD_NONE */
	int64_t limit_ns;            /* CHIP_HOLD_RESTART only: 0 means no limit */
	int64_t throttle_ns;         /* a throttle of the vector that comes on top of the other kinds; 0: none */
	unsigned frames;             /* events that end the wait early; 0: no such count */
	unsigned bypass_below_bytes; /* shorter frames (with FCS) are not held; 0: all are */
};

struct chip_hold chip_hold(const struct chip *chip, unsigned queue, enum chip_direction direction);

/* The register map, for explain and for decoding what somebody read out. */
struct chip_register_field {
	const char *name;  /* as the datasheet or the kernel header spells it */
	uint8_t high, low; /* bits, inclusive */
	const char *meaning;
};

struct chip_register {
	const char *name;
	uint32_t offset;
	uint8_t width_bits;
	uint8_t field_count;
	const struct chip_register_field *fields;
};

/* All modelled registers of a family (offsets of queue 1.. stand as their own rows); *count is set. */
const struct chip_register *chip_registers(enum chip_family family, unsigned *count);
/* By name (case does not matter) or NULL; by offset or NULL. */
const struct chip_register *chip_register_named(enum chip_family family, const char *name);
const struct chip_register *chip_register_at(enum chip_family family, uint32_t offset);

const char *chip_family_name(enum chip_family family); /* "fec", "rtl8168", ... */
/* The family called name, or CHIP_FAMILIES. */
enum chip_family chip_family_find(const char *name);

/*
 * The numbered invariants of the family (see the head of its file) hold: 0, else the number of the first that is broken.
 * For asserts in tests and fuzzers.
 */
unsigned chip_check(const struct chip *chip);

#endif
