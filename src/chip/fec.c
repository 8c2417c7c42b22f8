/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Freescale/NXP FEC (ENET): per ring and direction a coalescer with a frame count and a timer.
 *
 * Register offsets and bits: Linux drivers/net/ethernet/freescale/fec.h and NXP's PERI_ENET.h. The timer counts
 * ticks of 64 cycles of the clock that ICCS selects (comment over the conversion in fec_main.c): 1 the system
 * clock (config.timer_clock_hz), 0 the TX clock, 125, 25 or 2.5 MHz by link speed (gianfar.h, for the sister
 * eTSEC with the same fields).
 *
 * An event comes when the count reaches ICFT or the timer reaches ICTT, whichever is first; then both start
 * anew. The timer begins with the first frame that is not yet signalled. That is how the MPC8308 reference
 * manual (16.6.2.9) describes the eTSEC, and a lone frame on an i.MX8MM at 1000 us was signalled 1011 us after
 * its submission (Weinberger, February 2023).
 *
 * Choices, where nothing is published:
 *  - fec-event-delayed: is the EIR bit itself late, or only the line?
 *  - fec-timer-clock, fec-rx-scale: the clock behind ICTT.
 *  - A threshold of 0 with ICEN set ("unpredictable" in the i.MX8MP manual) counts as reached at once: each
 *    frame is signalled.
 *  - Rewriting a coalescing register with frames pending: with ICEN kept, the frames and the time since the
 *    first of them are compared with the new thresholds; with ICEN cleared the pending event comes at once.
 *  - After a change of link speed a running timer keeps its deadline; the next one counts in the new unit.
 *  - Acknowledging an event does not touch the coalescer: it does not know which frames software has taken.
 *  - A chip without a timer clock holds nothing with ICCS = 1; while the link is down, and at 2.5 Gb/s, the TX
 *    clock is 125 MHz.
 *  - Every frame asks for its event (Linux sets the INT bit of every RX descriptor and of each frame's last TX
 *    descriptor).
 *  - The buffer events RXB and TXB are not modelled; Linux keeps them masked, as coalescing requires.
 *
 * Invariants:
 *  1. Only line 0 exists, and it is up exactly while an EIR bit that is unmasked and released is set.
 *  2. Released bits are set in EIR; with fec-event-delayed they are all that is set.
 *  3. A coalescer waits exactly while it has events, and only with ICEN set and with fewer than ICFT of them.
 *  4. A wait's deadline lies after the present, and after the wait's first event.
 *  5. The chip's deadline is the earliest of its waits.
 *  6. Reserved bits of the coalescing registers are 0.
 */
#include "chip/chip_private.h"

#define EIR 0x004u
#define EIMR 0x008u
#define TXIC0 0x0f0u
#define RXIC0 0x100u

#define ICEN (1u << 31)
#define ICCS (1u << 30)
#define ICFT_SHIFT 20
#define ICFT_MASK 0xffu
#define ICTT_MASK 0xffffu
#define IC_WRITABLE (ICEN | ICCS | ICFT_MASK << ICFT_SHIFT | ICTT_MASK)

#define RINGS 3

struct CHIP_STATE coalescer {
	uint32_t control; /* RXIC or TXIC */
	uint32_t event;   /* its bit in EIR */
	int64_t hold_ns;  /* ICTT in ns, at the present link speed */
	struct chip_wait wait;
};

struct CHIP_STATE fec {
	uint32_t eir, eimr;
	uint32_t released; /* EIR bits that may raise the line */
	struct coalescer coalescers[CHIP_DIRECTIONS][RINGS];
};

CHIP_STATE_FITS(struct fec);

static struct fec *fec_of(struct chip *chip)
{
	return (struct fec *)chip->state;
}

static const struct fec *fec_const(const struct chip *chip)
{
	return (const struct fec *)chip->state;
}

static uint32_t threshold_frames(const struct coalescer *coalescer)
{
	return coalescer->control >> ICFT_SHIFT & ICFT_MASK;
}

static int64_t tx_clock_hz(unsigned link_mbps)
{
	switch (link_mbps) {
	case 10:
		return 2500000;
	case 100:
		return 25000000;
	default:
		return 125000000;
	}
}

static int64_t system_clock_hz(const struct chip *chip)
{
	const int64_t assumed_hz = chip->config.assume.value[ASSUME_FEC_TIMER_CLOCK];

	return assumed_hz ? assumed_hz : chip->config.timer_clock_hz;
}

/* Whole ns of the nominal span, then scaled: at most 65535 * 64e9, which leaves room for the product. */
static int64_t hold_ns(const struct chip *chip, uint32_t control, enum chip_direction direction)
{
	const int64_t clock_hz = control & ICCS ? system_clock_hz(chip) : tx_clock_hz(chip->link_mbps);
	const int64_t scale_ppm = direction == CHIP_RX ? chip->config.assume.value[ASSUME_FEC_RX_SCALE] : 1000000;

	if (clock_hz == 0) {
		return 0;
	}
	const int64_t nominal_ns = (int64_t)(control & ICTT_MASK) * 64 * NS_PER_S / clock_hz;
	return nominal_ns / 1000000 * scale_ppm + nominal_ns % 1000000 * scale_ppm / 1000000;
}

static void update_line(struct chip *chip, const struct fec *fec)
{
	chip->irq_lines = (fec->eir & fec->eimr & fec->released) != 0;
}

static int64_t earliest_wait(const struct chip *chip)
{
	const struct fec *fec = fec_const(chip);
	int64_t earliest_at_ns = NEVER_AT_NS;

	for (unsigned ring = 0; ring < chip->config.queues; ring++) {
		for (unsigned direction = 0; direction < CHIP_DIRECTIONS; direction++) {
			earliest_at_ns = time_min(earliest_at_ns, fec->coalescers[direction][ring].wait.deadline_at_ns);
		}
	}
	return earliest_at_ns;
}

/* The coalescer lets its event out. */
static void signal_event(struct chip *chip, struct fec *fec, struct coalescer *coalescer)
{
	if (coalescer->wait.events) {
		chip_wait_stop(&coalescer->wait);
		chip->deadline_at_ns = earliest_wait(chip);
	}
	if (chip->config.assume.value[ASSUME_FEC_EVENT_DELAYED]) {
		fec->eir |= coalescer->event;
	}
	/* Where the EIR bit comes with the frame, software may have acknowledged it before: then nothing is left to signal. */
	fec->released |= coalescer->event & fec->eir;
	update_line(chip, fec);
}

static void fec_frame(struct chip *chip, int64_t now_at_ns, enum chip_direction direction, unsigned ring,
		      unsigned frame_bytes, unsigned flags)
{
	struct fec *fec = fec_of(chip);
	struct coalescer *coalescer = &fec->coalescers[direction][ring];
	struct chip_wait *wait = &coalescer->wait;

	(void)frame_bytes;
	(void)flags;
	if (!chip->config.assume.value[ASSUME_FEC_EVENT_DELAYED]) {
		fec->eir |= coalescer->event;
	}
	if (!(coalescer->control & ICEN) || coalescer->hold_ns == 0 ||
	    wait->events + 1 >= threshold_frames(coalescer)) {
		signal_event(chip, fec, coalescer);
		return;
	}
	if (wait->events++ == 0) {
		wait->first_at_ns = now_at_ns;
		wait->deadline_at_ns = now_at_ns + coalescer->hold_ns;
		chip->deadline_at_ns = time_min(chip->deadline_at_ns, wait->deadline_at_ns);
	}
}

static void fec_due(struct chip *chip, int64_t now_at_ns)
{
	struct fec *fec = fec_of(chip);

	for (unsigned ring = 0; ring < chip->config.queues; ring++) {
		for (unsigned direction = 0; direction < CHIP_DIRECTIONS; direction++) {
			struct coalescer *coalescer = &fec->coalescers[direction][ring];

			if (coalescer->wait.deadline_at_ns <= now_at_ns) {
				signal_event(chip, fec, coalescer);
			}
		}
	}
}

/* The coalescer whose register lies at offset, or NULL. */
static struct coalescer *coalescer_at(struct chip *chip, uint32_t offset, enum chip_direction *direction)
{
	const uint32_t base = offset >= RXIC0 ? RXIC0 : TXIC0;
	const uint32_t ring = (offset - base) / 4;

	if (offset < TXIC0 || offset % 4 || ring >= chip->config.queues) {
		return NULL;
	}
	*direction = base == RXIC0 ? CHIP_RX : CHIP_TX;
	return &fec_of(chip)->coalescers[*direction][ring];
}

static void write_control(struct chip *chip, int64_t now_at_ns, struct coalescer *coalescer,
			  enum chip_direction direction, uint32_t value)
{
	struct chip_wait *wait = &coalescer->wait;

	coalescer->control = value & IC_WRITABLE;
	coalescer->hold_ns = hold_ns(chip, coalescer->control, direction);
	if (wait->events == 0) {
		return;
	}
	if (!(coalescer->control & ICEN) || wait->events >= threshold_frames(coalescer) ||
	    wait->first_at_ns + coalescer->hold_ns <= now_at_ns) {
		signal_event(chip, fec_of(chip), coalescer);
		return;
	}
	wait->deadline_at_ns = wait->first_at_ns + coalescer->hold_ns;
	chip->deadline_at_ns = earliest_wait(chip);
}

static uint32_t fec_read(struct chip *chip, int64_t now_at_ns, uint32_t offset)
{
	enum chip_direction direction;
	const struct coalescer *coalescer = coalescer_at(chip, offset, &direction);

	(void)now_at_ns;
	if (coalescer) {
		return coalescer->control;
	}
	switch (offset) {
	case EIR:
		return fec_of(chip)->eir;
	case EIMR:
		return fec_of(chip)->eimr;
	default:
		return 0;
	}
}

static void fec_write(struct chip *chip, int64_t now_at_ns, uint32_t offset, uint32_t value)
{
	struct fec *fec = fec_of(chip);
	enum chip_direction direction;
	struct coalescer *coalescer = coalescer_at(chip, offset, &direction);

	if (coalescer) {
		write_control(chip, now_at_ns, coalescer, direction, value);
	} else if (offset == EIR) {
		fec->eir &= ~value;
		fec->released &= ~value;
		update_line(chip, fec);
	} else if (offset == EIMR) {
		fec->eimr = value;
		update_line(chip, fec);
	}
}

static void fec_link(struct chip *chip, int64_t now_at_ns)
{
	struct fec *fec = fec_of(chip);

	(void)now_at_ns;
	for (unsigned ring = 0; ring < RINGS; ring++) {
		for (unsigned direction = 0; direction < CHIP_DIRECTIONS; direction++) {
			struct coalescer *coalescer = &fec->coalescers[direction][ring];

			coalescer->hold_ns = hold_ns(chip, coalescer->control, direction);
		}
	}
}

static void fec_init(struct chip *chip)
{
	static const uint8_t event_bits[CHIP_DIRECTIONS][RINGS] = {
		[CHIP_RX] = { 25, 1, 5 }, [CHIP_TX] = { 27, 3, 7 }
	};
	struct fec *fec = fec_of(chip);

	for (unsigned ring = 0; ring < RINGS; ring++) {
		for (unsigned direction = 0; direction < CHIP_DIRECTIONS; direction++) {
			fec->coalescers[direction][ring].event = 1u << event_bits[direction][ring];
			chip_wait_stop(&fec->coalescers[direction][ring].wait);
		}
	}
}

static struct chip_hold fec_hold(const struct chip *chip, unsigned ring, enum chip_direction direction)
{
	const struct coalescer *coalescer = &fec_const(chip)->coalescers[direction][ring];

	if (!(coalescer->control & ICEN) || coalescer->hold_ns == 0 || threshold_frames(coalescer) <= 1) {
		return (struct chip_hold){ .kind = CHIP_HOLD_NONE };
	}
	return (struct chip_hold){
		.kind = CHIP_HOLD_OFF,
		.hold_ns = coalescer->hold_ns,
		.frames = threshold_frames(coalescer),
	};
}

static unsigned check_coalescer(const struct chip *chip, const struct coalescer *coalescer)
{
	const struct chip_wait *wait = &coalescer->wait;
	const bool waits = wait->deadline_at_ns != NEVER_AT_NS;

	if (waits != (wait->events != 0)) {
		return 3;
	}
	if (waits && (!(coalescer->control & ICEN) || wait->events >= threshold_frames(coalescer))) {
		return 3;
	}
	if (waits && (wait->deadline_at_ns <= chip->now_at_ns || wait->deadline_at_ns <= wait->first_at_ns)) {
		return 4;
	}
	return coalescer->control & ~IC_WRITABLE ? 6 : 0;
}

static unsigned fec_check(const struct chip *chip)
{
	const struct fec *fec = fec_const(chip);

	if (chip->irq_lines != ((fec->eir & fec->eimr & fec->released) != 0)) {
		return 1;
	}
	if (fec->released & ~fec->eir ||
	    (chip->config.assume.value[ASSUME_FEC_EVENT_DELAYED] && fec->released != fec->eir)) {
		return 2;
	}
	for (unsigned ring = 0; ring < RINGS; ring++) {
		for (unsigned direction = 0; direction < CHIP_DIRECTIONS; direction++) {
			const unsigned broken = check_coalescer(chip, &fec->coalescers[direction][ring]);

			if (broken) {
				return broken;
			}
		}
	}
	return chip->deadline_at_ns != earliest_wait(chip) ? 5 : 0;
}

static const struct chip_register_field event_fields[] = {
	{ "BABR", 30, 30, "a received frame was longer than allowed" },
	{ "BABT", 29, 29, "a sent frame was longer than allowed" },
	{ "GRA", 28, 28, "transmission has stopped gracefully" },
	{ "TXF", 27, 27, "frame sent, ring 0" },
	{ "TXB", 26, 26, "buffer sent, ring 0 (not modelled)" },
	{ "RXF", 25, 25, "frame received, ring 0" },
	{ "RXB", 24, 24, "buffer received, ring 0 (not modelled)" },
	{ "MII", 23, 23, "MDIO transfer done" },
	{ "EBERR", 22, 22, "bus error" },
	{ "WAKEUP", 17, 17, "magic packet" },
	{ "TS_AVAIL", 16, 16, "transmit timestamp available" },
	{ "TS_TIMER", 15, 15, "timestamp timer" },
	{ "TXF2", 7, 7, "frame sent, ring 2" },
	{ "TXB2", 6, 6, "buffer sent, ring 2 (not modelled)" },
	{ "RXF2", 5, 5, "frame received, ring 2" },
	{ "RXB2", 4, 4, "buffer received, ring 2 (not modelled)" },
	{ "TXF1", 3, 3, "frame sent, ring 1" },
	{ "TXB1", 2, 2, "buffer sent, ring 1 (not modelled)" },
	{ "RXF1", 1, 1, "frame received, ring 1" },
	{ "RXB1", 0, 0, "buffer received, ring 1 (not modelled)" },
};

static const struct chip_register_field coalescing_fields[] = {
	{ "ICEN", 31, 31, "1: coalescing on" },
	{ "ICCS", 30, 30, "timer clock: 0 TX clock, 1 system clock" },
	{ "ICFT", 27, 20, "frames that end the wait" },
	{ "ICTT", 15, 0, "longest wait, in ticks of 64 clock cycles" },
};

#define FIELDS(table) sizeof(table) / sizeof((table)[0]), table

static const struct chip_register registers[] = {
	{ "EIR", EIR, 32, FIELDS(event_fields) },
	{ "EIMR", EIMR, 32, FIELDS(event_fields) },
	{ "TXIC0", TXIC0, 32, FIELDS(coalescing_fields) },
	{ "TXIC1", TXIC0 + 4, 32, FIELDS(coalescing_fields) },
	{ "TXIC2", TXIC0 + 8, 32, FIELDS(coalescing_fields) },
	{ "RXIC0", RXIC0, 32, FIELDS(coalescing_fields) },
	{ "RXIC1", RXIC0 + 4, 32, FIELDS(coalescing_fields) },
	{ "RXIC2", RXIC0 + 8, 32, FIELDS(coalescing_fields) },
};

const struct chip_ops chip_fec_ops = {
	.name = "fec",
	.queues_max = RINGS,
	.registers = registers,
	.register_count = sizeof(registers) / sizeof(registers[0]),
	.init = fec_init,
	.read = fec_read,
	.write = fec_write,
	.link = fec_link,
	.frame = fec_frame,
	.due = fec_due,
	.hold = fec_hold,
	.check = fec_check,
};
