/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intel 82574 (e1000e) with one MSI vector: delay timers for RX and TX, and over them one throttle.
 *
 * Registers and units: Linux drivers/net/ethernet/intel/e1000e and the 8254x software developer's manual.
 * Behaviour down to the ns: the event logs of a virtual-time machine with the real Linux driver
 * (test/data/e1000e_*.txt), which e1000e_replay_test.c plays through this file.
 *
 * RDTR/RADV and TIDV/TADV (1.024 us): a frame's cause may be delayed. The packet timer starts again with each
 * frame, the absolute timer runs from the first one; either expiry makes the cause fire. A packet timer of 0
 * means no delay, an absolute timer of 0 no limit. Sent frames are delayed only if their descriptor asks (IDE).
 * Any cause that fires takes every delayed cause, RX and TX, along with it.
 *
 * ITR (256 ns): a cause that fires while the throttle idles sends the MSI and starts the throttle; while it
 * runs the message is pending. On expiry a pending message is sent, and the throttle runs again, if an unmasked
 * cause is still set; else the throttle idles.
 *
 * The line of this model stands for the message: it rises when the MSI is sent, and falls when ICR is read or
 * when nothing unmasked is left. Reading ICR clears it, and with CTRL_EXT.IAME masks the causes in IAM if an
 * unmasked cause was set.
 *
 * Choices, where nothing is published or the logs do not tell:
 *  - Timers that run keep their deadline when their register is rewritten; FPD (bit 31 of RDTR, TIDV) fires
 *    what that direction delays.
 *  - RXDMT0 comes when the free descriptors fall to exactly half of the ring, not when refilling passes there.
 *  - TXQE accompanies every TXDW: the chip does not see the ring. Linux never unmasks it.
 *  - The second RX queue, MSI-X, EITR and RAID are not modelled.
 *  - No 82574 counts frames. The virtual one of the reference cells can be told to: so many delayed frames end their
 *    delay before its timers do (chip_config.rx_frames).
 *
 * Invariants:
 *  1. Only line 0 exists, and it is up only while an unmasked cause is set.
 *  2. If an unmasked cause is set and the line is down, then a message is pending: no interrupt is lost.
 *  3. A message is pending only while the throttle runs.
 *  4. A direction has delayed causes exactly while its packet timer runs; its absolute timer runs only then.
 *  5. Every timer that runs ends after the present.
 *  6. The chip's deadline is the earliest of the timers.
 *  7. Registers hold no bits beyond their width.
 */
#include "chip/chip_private.h"

#define CTRL_EXT 0x0018u
#define ICR 0x00c0u
#define ITR 0x00c4u
#define ICS 0x00c8u
#define IMS 0x00d0u
#define IMC 0x00d8u
#define IAM 0x00e0u
#define RDTR 0x2820u
#define RADV 0x282cu
#define TIDV 0x3820u
#define TADV 0x382cu

#define CTRL_EXT_IAME (1u << 27)
#define TXDW (1u << 0)
#define TXQE (1u << 1)
#define LSC (1u << 2)
#define RXDMT0 (1u << 4)
#define RXT0 (1u << 7)
#define INT_ASSERTED (1u << 31)
#define DELAY_MASK 0xffffu
#define FPD (1u << 31)

#define ITR_UNIT_NS 256
#define DELAY_UNIT_NS 1024

/* The delay of one direction: RDTR and RADV, or TIDV and TADV. */
struct CHIP_STATE delay {
	uint32_t packet, absolute; /* the registers */
	uint32_t causes;           /* delayed at present */
	uint32_t frames;           /* that they are of */
	int64_t packet_at_ns, absolute_at_ns;
};

struct CHIP_STATE e1000e {
	uint32_t icr, ims, iam, itr, ctrl_ext;
	uint32_t pending;       /* a message waits for the throttle */
	int64_t throttle_at_ns; /* NEVER_AT_NS: idle */
	struct delay delays[CHIP_DIRECTIONS];
	uint32_t free; /* receive descriptors */
};

CHIP_STATE_FITS(struct e1000e);

static struct e1000e *e1000e_of(struct chip *chip)
{
	return (struct e1000e *)chip->state;
}

static const struct e1000e *e1000e_const(const struct chip *chip)
{
	return (const struct e1000e *)chip->state;
}

static int64_t delay_deadline(const struct delay *delay)
{
	return time_min(delay->packet_at_ns, delay->absolute_at_ns);
}

static int64_t earliest(const struct e1000e *e1000e)
{
	return time_min(e1000e->throttle_at_ns,
			time_min(delay_deadline(&e1000e->delays[CHIP_RX]), delay_deadline(&e1000e->delays[CHIP_TX])));
}

static void send_message(struct chip *chip, struct e1000e *e1000e, int64_t now_at_ns)
{
	chip->irq_lines = 1;
	e1000e->pending = 0;
	e1000e->throttle_at_ns = e1000e->itr ? now_at_ns + (int64_t)e1000e->itr * ITR_UNIT_NS : NEVER_AT_NS;
}

/* A cause has been set or unmasked. */
static void notify(struct chip *chip, struct e1000e *e1000e, int64_t now_at_ns)
{
	if (!(e1000e->icr & e1000e->ims)) {
		return;
	}
	if (e1000e->throttle_at_ns != NEVER_AT_NS) {
		e1000e->pending = 1;
	} else {
		send_message(chip, e1000e, now_at_ns);
	}
}

static uint32_t take_delayed(struct delay *delay)
{
	const uint32_t causes = delay->causes;

	delay->causes = 0;
	delay->frames = 0;
	delay->packet_at_ns = NEVER_AT_NS;
	delay->absolute_at_ns = NEVER_AT_NS;
	return causes;
}

/* Causes come into ICR, and all delayed ones with them. */
static void fire(struct chip *chip, struct e1000e *e1000e, int64_t now_at_ns, uint32_t causes)
{
	causes |= take_delayed(&e1000e->delays[CHIP_RX]);
	causes |= take_delayed(&e1000e->delays[CHIP_TX]);
	e1000e->icr |= causes;
	notify(chip, e1000e, now_at_ns);
	chip->deadline_at_ns = earliest(e1000e);
}

static void e1000e_frame(struct chip *chip, int64_t now_at_ns, enum chip_direction direction, unsigned queue,
			 unsigned frame_bytes, unsigned flags)
{
	struct e1000e *e1000e = e1000e_of(chip);
	struct delay *delay = &e1000e->delays[direction];
	const uint32_t causes = direction == CHIP_RX ? RXT0 : TXDW | TXQE;

	(void)queue;
	(void)frame_bytes;
	if (delay->packet == 0 || (direction == CHIP_TX && !(flags & CHIP_FRAME_INTERRUPT))) {
		fire(chip, e1000e, now_at_ns, causes);
		return;
	}
	if (direction == CHIP_RX && ++delay->frames == chip->config.rx_frames) {
		fire(chip, e1000e, now_at_ns, causes);
		return;
	}
	delay->causes |= causes;
	delay->packet_at_ns = now_at_ns + (int64_t)delay->packet * DELAY_UNIT_NS;
	if (delay->absolute && delay->absolute_at_ns == NEVER_AT_NS) {
		delay->absolute_at_ns = now_at_ns + (int64_t)delay->absolute * DELAY_UNIT_NS;
	}
	chip->deadline_at_ns = earliest(e1000e);
}

static void e1000e_rx_free(struct chip *chip, int64_t now_at_ns, unsigned queue, unsigned free_descriptors)
{
	struct e1000e *e1000e = e1000e_of(chip);
	const bool falls = free_descriptors < e1000e->free;

	(void)queue;
	e1000e->free = free_descriptors;
	if (falls && chip->config.rx_ring && free_descriptors == chip->config.rx_ring / 2) {
		fire(chip, e1000e, now_at_ns, RXDMT0);
	}
}

static void end_throttle(struct chip *chip, struct e1000e *e1000e, int64_t now_at_ns)
{
	const bool send = e1000e->pending && e1000e->icr & e1000e->ims;

	e1000e->pending = 0;
	e1000e->throttle_at_ns = NEVER_AT_NS;
	if (send) {
		send_message(chip, e1000e, now_at_ns);
	}
}

static void e1000e_due(struct chip *chip, int64_t now_at_ns)
{
	struct e1000e *e1000e = e1000e_of(chip);

	/* The delays first: their causes then travel with a message that the throttle lets go just now. */
	if (delay_deadline(&e1000e->delays[CHIP_RX]) <= now_at_ns ||
	    delay_deadline(&e1000e->delays[CHIP_TX]) <= now_at_ns) {
		fire(chip, e1000e, now_at_ns, 0);
	}
	if (e1000e->throttle_at_ns <= now_at_ns) {
		end_throttle(chip, e1000e, now_at_ns);
	}
	chip->deadline_at_ns = earliest(e1000e);
}

static void e1000e_link(struct chip *chip, int64_t now_at_ns)
{
	fire(chip, e1000e_of(chip), now_at_ns, LSC);
}

static uint32_t peek_icr(const struct e1000e *e1000e)
{
	return e1000e->icr | (e1000e->icr & e1000e->ims ? INT_ASSERTED : 0);
}

static uint32_t read_icr(struct chip *chip, struct e1000e *e1000e)
{
	const uint32_t value = peek_icr(e1000e);

	e1000e->icr = 0;
	if (value & INT_ASSERTED && e1000e->ctrl_ext & CTRL_EXT_IAME) {
		e1000e->ims &= ~e1000e->iam;
	}
	chip->irq_lines = 0;
	return value;
}

static uint32_t e1000e_read(struct chip *chip, int64_t now_at_ns, uint32_t offset)
{
	struct e1000e *e1000e = e1000e_of(chip);

	(void)now_at_ns;
	switch (offset) {
	case CTRL_EXT:
		return e1000e->ctrl_ext;
	case ICR:
		return read_icr(chip, e1000e);
	case ITR:
		return e1000e->itr;
	case ICS:
		return peek_icr(e1000e);
	case IMS:
		return e1000e->ims;
	case IAM:
		return e1000e->iam;
	case RDTR:
		return e1000e->delays[CHIP_RX].packet;
	case RADV:
		return e1000e->delays[CHIP_RX].absolute;
	case TIDV:
		return e1000e->delays[CHIP_TX].packet;
	case TADV:
		return e1000e->delays[CHIP_TX].absolute;
	default:
		return 0;
	}
}

static void mask(struct chip *chip, struct e1000e *e1000e, uint32_t causes)
{
	e1000e->ims &= ~causes;
	if (!(e1000e->icr & e1000e->ims)) {
		chip->irq_lines = 0;
	}
}

static void write_packet_timer(struct chip *chip, struct e1000e *e1000e, int64_t now_at_ns, struct delay *delay,
			       uint32_t value)
{
	delay->packet = value & DELAY_MASK;
	if (value & FPD && delay->causes) {
		fire(chip, e1000e, now_at_ns, 0);
	}
}

static void e1000e_write(struct chip *chip, int64_t now_at_ns, uint32_t offset, uint32_t value)
{
	struct e1000e *e1000e = e1000e_of(chip);

	switch (offset) {
	case CTRL_EXT:
		e1000e->ctrl_ext = value;
		break;
	case ICR:
		e1000e->icr &= ~value;
		mask(chip, e1000e, 0);
		break;
	case ITR:
		e1000e->itr = value & 0xffff;
		break;
	case ICS:
		if (value & ~INT_ASSERTED) {
			fire(chip, e1000e, now_at_ns, value & ~INT_ASSERTED);
		}
		break;
	case IMS:
		e1000e->ims |= value & ~INT_ASSERTED;
		notify(chip, e1000e, now_at_ns);
		chip->deadline_at_ns = earliest(e1000e);
		break;
	case IMC:
		mask(chip, e1000e, value);
		break;
	case IAM:
		e1000e->iam = value;
		break;
	case RDTR:
		write_packet_timer(chip, e1000e, now_at_ns, &e1000e->delays[CHIP_RX], value);
		break;
	case RADV:
		e1000e->delays[CHIP_RX].absolute = value & DELAY_MASK;
		break;
	case TIDV:
		write_packet_timer(chip, e1000e, now_at_ns, &e1000e->delays[CHIP_TX], value);
		break;
	case TADV:
		e1000e->delays[CHIP_TX].absolute = value & DELAY_MASK;
		break;
	default:
		break;
	}
}

static void e1000e_init(struct chip *chip)
{
	struct e1000e *e1000e = e1000e_of(chip);

	e1000e->throttle_at_ns = NEVER_AT_NS;
	take_delayed(&e1000e->delays[CHIP_RX]);
	take_delayed(&e1000e->delays[CHIP_TX]);
	e1000e->free = chip->config.rx_ring;
}

static struct chip_hold e1000e_hold(const struct chip *chip, unsigned queue, enum chip_direction direction)
{
	const struct e1000e *e1000e = e1000e_const(chip);
	const struct delay *delay = &e1000e->delays[direction];
	const int64_t throttle_ns = (int64_t)e1000e->itr * ITR_UNIT_NS;
	const int64_t packet_ns = (int64_t)delay->packet * DELAY_UNIT_NS;
	const int64_t absolute_ns = (int64_t)delay->absolute * DELAY_UNIT_NS;
	const uint32_t frames = direction == CHIP_RX ? chip->config.rx_frames : 0;

	(void)queue;
	if (packet_ns == 0) {
		return (struct chip_hold){
			.kind = throttle_ns ? CHIP_HOLD_THROTTLE : CHIP_HOLD_NONE,
			.hold_ns = throttle_ns,
		};
	}
	/* An absolute timer that ends no later than the packet timer is all that counts. */
	if (absolute_ns && absolute_ns <= packet_ns) {
		return (struct chip_hold){
			.kind = CHIP_HOLD_OFF,
			.hold_ns = absolute_ns,
			.frames = frames,
			.throttle_ns = throttle_ns,
		};
	}
	return (struct chip_hold){
		.kind = CHIP_HOLD_RESTART,
		.hold_ns = packet_ns,
		.frames = frames,
		.limit_ns = absolute_ns,
		.throttle_ns = throttle_ns,
	};
}

static unsigned check_delay(const struct chip *chip, const struct delay *delay)
{
	const bool runs = delay->packet_at_ns != NEVER_AT_NS;

	if (runs != (delay->causes != 0) || (!runs && delay->absolute_at_ns != NEVER_AT_NS)) {
		return 4;
	}
	if (delay_deadline(delay) <= chip->now_at_ns) {
		return 5;
	}
	return delay->packet > DELAY_MASK || delay->absolute > DELAY_MASK ? 7 : 0;
}

static unsigned e1000e_check(const struct chip *chip)
{
	const struct e1000e *e1000e = e1000e_const(chip);
	const bool unmasked_cause = (e1000e->icr & e1000e->ims) != 0;
	const bool throttle_runs = e1000e->throttle_at_ns != NEVER_AT_NS;

	if (chip->irq_lines > 1 || (chip->irq_lines && !unmasked_cause)) {
		return 1;
	}
	if (unmasked_cause && !chip->irq_lines && !e1000e->pending) {
		return 2;
	}
	if (e1000e->pending && !throttle_runs) {
		return 3;
	}
	for (unsigned direction = 0; direction < CHIP_DIRECTIONS; direction++) {
		const unsigned broken = check_delay(chip, &e1000e->delays[direction]);

		if (broken) {
			return broken;
		}
	}
	if (throttle_runs && e1000e->throttle_at_ns <= chip->now_at_ns) {
		return 5;
	}
	if (chip->deadline_at_ns != earliest(e1000e)) {
		return 6;
	}
	return e1000e->itr > 0xffff || e1000e->icr & INT_ASSERTED ? 7 : 0;
}

static const struct chip_register_field control_fields[] = {
	{ "IAME", 27, 27, "1: reading ICR masks the causes in IAM" },
};

static const struct chip_register_field cause_fields[] = {
	{ "INT_ASSERTED", 31, 31, "an unmasked cause is set" },
	{ "OTHER", 24, 24, "other causes (not modelled)" },
	{ "RXO", 6, 6, "receiver overrun (not modelled)" },
	{ "RXT0", 7, 7, "frame received" },
	{ "RXDMT0", 4, 4, "half of the receive descriptors are left" },
	{ "RXSEQ", 3, 3, "receive sequence error (not modelled)" },
	{ "LSC", 2, 2, "link status change" },
	{ "TXQE", 1, 1, "transmit queue empty" },
	{ "TXDW", 0, 0, "transmit descriptor written back" },
};

static const struct chip_register_field interval_fields[] = {
	{ "INTERVAL", 15, 0, "least gap between interrupts, in 256 ns; 0: no throttle" },
};

static const struct chip_register_field packet_fields[] = {
	{ "FPD", 31, 31, "write 1: fire what is delayed" },
	{ "DELAY", 15, 0, "wait after the latest frame, in 1.024 us; 0: no delay" },
};

static const struct chip_register_field absolute_fields[] = {
	{ "DELAY", 15, 0, "longest wait after the first frame, in 1.024 us; 0: no limit" },
};

#define FIELDS(table) sizeof(table) / sizeof((table)[0]), table

static const struct chip_register registers[] = {
	{ "CTRL_EXT", CTRL_EXT, 32, FIELDS(control_fields) },
	{ "ICR", ICR, 32, FIELDS(cause_fields) },
	{ "ITR", ITR, 32, FIELDS(interval_fields) },
	{ "ICS", ICS, 32, FIELDS(cause_fields) },
	{ "IMS", IMS, 32, FIELDS(cause_fields) },
	{ "IMC", IMC, 32, FIELDS(cause_fields) },
	{ "IAM", IAM, 32, FIELDS(cause_fields) },
	{ "RDTR", RDTR, 32, FIELDS(packet_fields) },
	{ "RADV", RADV, 32, FIELDS(absolute_fields) },
	{ "TIDV", TIDV, 32, FIELDS(packet_fields) },
	{ "TADV", TADV, 32, FIELDS(absolute_fields) },
};

const struct chip_ops chip_e1000e_ops = {
	.name = "e1000e",
	.queues_max = 1,
	.registers = registers,
	.register_count = sizeof(registers) / sizeof(registers[0]),
	.init = e1000e_init,
	.read = e1000e_read,
	.write = e1000e_write,
	.link = e1000e_link,
	.frame = e1000e_frame,
	.rx_free = e1000e_rx_free,
	.due = e1000e_due,
	.hold = e1000e_hold,
	.check = e1000e_check,
};
