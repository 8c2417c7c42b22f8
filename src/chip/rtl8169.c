/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Realtek RTL8169 and RTL8168 (with 8101/8136): IntrMitigate, one timer and one frame count per direction.
 *
 * Register offsets and bits: Linux drivers/net/ethernet/realtek/r8169_main.c. The length of a timer unit
 * depends on the family, the link speed and CPlusCmd[1:0]: table by Hayes Wang of Realtek (November 2012,
 * quoted in Smelkov's thread of September 2017). The frame nibbles count in fours.
 *
 * Hold-off: the first frame that is not yet signalled starts its direction's timer; the event comes when the
 * timer has run its units or when the frames are there. On the RTL8168 frames shorter than 128 bytes (with FCS)
 * are not moderated (Smelkov, measured on an RTL8168d).
 *
 * Choices, where nothing is published:
 *  - r8169-small-bypass, and that it holds for both directions. Only RX was seen.
 *  - r8169-free-running, r8169-event-delayed, r8169-frame-count.
 *  - A timer nibble of 0 means no moderation of that direction, whatever its frame nibble says ("HW requires
 *    time limit to be set if frame limit is set", says the Linux driver, and refuses the combination).
 *  - PktCntrDisable (CPlusCmd bit 7) is heeded on the RTL8168 only: the kernel's list of bits gives it to 8168
 *    and 8101.
 *  - An event, moderated or not, signals all frames of its own direction, and of no other; their wait ends.
 *  - Rewriting IntrMitigate with frames pending compares them, and the time since the first, with the new
 *    limits. A change of CPlusCmd's scale or of the link speed leaves running timers as they are; the next one
 *    counts in the new unit.
 *  - 2.5 Gb/s, and a link that is down, count as 1 Gb/s.
 *  - LinkChg, RxOverflow and SWInt are not moderated. Setting LinkChg is all that a link change does, RxOverflow all that
 *    a missed frame does; receive errors are not modelled.
 *  - CPlusCmd has Normal_mode set after reset (Linux leaves that bit as it finds it, and boards report it set).
 *
 * Invariants:
 *  1. Only line 0 exists, and it is up exactly while an IntrStatus bit that is unmasked and released is set.
 *  2. Released bits are set in IntrStatus; with r8169-event-delayed they are all that is set.
 *  3. A direction waits exactly while it has events, and only with a timer set and with fewer frames than its
 *     limit (if one counts).
 *  4. A wait's deadline lies after the present, and after the wait's first event.
 *  5. The chip's deadline is the earlier of its waits.
 *  6. Registers hold no bits beyond their width.
 */
#include "chip/chip_private.h"

#define TxPoll 0x38u
#define IntrMask 0x3cu
#define IntrStatus 0x3eu
#define CPlusCmd 0xe0u
#define IntrMitigate 0xe2u

#define RxOK 0x0001u
#define TxOK 0x0004u
#define RxOverflow 0x0010u
#define LinkChg 0x0020u
#define SWInt 0x0100u
#define FSWInt 0x01u
#define Normal_mode 0x2000u
#define SCALE_MASK 0x3u
#define PktCntrDisable 0x80u

struct CHIP_STATE mitigation {
	uint32_t event;  /* its bit in IntrStatus */
	uint32_t shift;  /* of its two nibbles in IntrMitigate */
	uint32_t units;  /* timer nibble */
	uint32_t frames; /* limit in force; 0: none */
	struct chip_wait wait;
};

struct CHIP_STATE rtl8169 {
	uint32_t mask, status, command, mitigate; /* IntrMask, IntrStatus, CPlusCmd, IntrMitigate */
	uint32_t released;                        /* status bits that may raise the line */
	uint32_t bypass_bytes;                    /* shorter frames are not moderated */
	int64_t unit_ns;
	struct mitigation mitigations[CHIP_DIRECTIONS];
};

CHIP_STATE_FITS(struct rtl8169);

static struct rtl8169 *rtl8169_of(struct chip *chip)
{
	return (struct rtl8169 *)chip->state;
}

static const struct rtl8169 *rtl8169_const(const struct chip *chip)
{
	return (const struct rtl8169 *)chip->state;
}

static int64_t unit_ns(enum chip_family family, unsigned link_mbps, unsigned scale)
{
	static const unsigned multipliers[] = { 1, 8, 16, 32 };
	int64_t base_ns;

	switch (link_mbps) {
	case 10:
		base_ns = 40960;
		break;
	case 100:
		base_ns = 2560;
		break;
	default:
		base_ns = family == CHIP_RTL8169 ? 320 : 5000;
		break;
	}
	return base_ns * multipliers[scale];
}

static void update_line(struct chip *chip, const struct rtl8169 *rtl8169)
{
	chip->irq_lines = (rtl8169->status & rtl8169->mask & rtl8169->released) != 0;
}

static int64_t earlier_wait(const struct rtl8169 *rtl8169)
{
	return time_min(rtl8169->mitigations[CHIP_RX].wait.deadline_at_ns,
			rtl8169->mitigations[CHIP_TX].wait.deadline_at_ns);
}

static void signal_event(struct chip *chip, struct rtl8169 *rtl8169, struct mitigation *mitigation)
{
	if (mitigation->wait.events) {
		chip_wait_stop(&mitigation->wait);
		chip->deadline_at_ns = earlier_wait(rtl8169);
	}
	if (chip->config.assume.value[ASSUME_R8169_EVENT_DELAYED]) {
		rtl8169->status |= mitigation->event;
	}
	/* Where the bit comes with the frame, software may have acknowledged it: nothing is left to signal. */
	rtl8169->released |= mitigation->event & rtl8169->status;
	update_line(chip, rtl8169);
}

static int64_t wait_deadline(const struct chip *chip, const struct mitigation *mitigation)
{
	const int64_t step_ns = rtl8169_const(chip)->unit_ns;
	const int64_t first_at_ns = mitigation->wait.first_at_ns;

	if (chip->config.assume.value[ASSUME_R8169_FREE_RUNNING]) {
		return (first_at_ns / step_ns + mitigation->units) * step_ns;
	}
	return first_at_ns + step_ns * mitigation->units;
}

static bool limit_reached(const struct mitigation *mitigation, uint32_t events)
{
	return mitigation->units == 0 || (mitigation->frames && events >= mitigation->frames);
}

static void rtl8169_frame(struct chip *chip, int64_t now_at_ns, enum chip_direction direction, unsigned queue,
			  unsigned frame_bytes, unsigned flags)
{
	struct rtl8169 *rtl8169 = rtl8169_of(chip);
	struct mitigation *mitigation = &rtl8169->mitigations[direction];
	struct chip_wait *wait = &mitigation->wait;

	(void)queue;
	(void)flags;
	if (!chip->config.assume.value[ASSUME_R8169_EVENT_DELAYED]) {
		rtl8169->status |= mitigation->event;
	}
	if (frame_bytes < rtl8169->bypass_bytes || limit_reached(mitigation, wait->events + 1)) {
		signal_event(chip, rtl8169, mitigation);
		return;
	}
	if (wait->events++ == 0) {
		wait->first_at_ns = now_at_ns;
		wait->deadline_at_ns = wait_deadline(chip, mitigation);
		chip->deadline_at_ns = time_min(chip->deadline_at_ns, wait->deadline_at_ns);
	}
}

static void rtl8169_due(struct chip *chip, int64_t now_at_ns)
{
	struct rtl8169 *rtl8169 = rtl8169_of(chip);

	for (unsigned direction = 0; direction < CHIP_DIRECTIONS; direction++) {
		if (rtl8169->mitigations[direction].wait.deadline_at_ns <= now_at_ns) {
			signal_event(chip, rtl8169, &rtl8169->mitigations[direction]);
		}
	}
}

/* Takes the limits of one direction from the registers. */
static void load_limits(const struct chip *chip, const struct rtl8169 *rtl8169, struct mitigation *mitigation)
{
	const bool counts = chip->config.assume.value[ASSUME_R8169_FRAME_COUNT] &&
			    !(chip->config.family == CHIP_RTL8168 && rtl8169->command & PktCntrDisable);

	mitigation->units = rtl8169->mitigate >> (mitigation->shift + 4) & 0xf;
	mitigation->frames = counts ? (rtl8169->mitigate >> mitigation->shift & 0xf) * 4 : 0;
}

/* Frames that wait are judged by the limits that hold now. */
static void apply_limits(struct chip *chip, int64_t now_at_ns, bool timer_too)
{
	struct rtl8169 *rtl8169 = rtl8169_of(chip);

	for (unsigned direction = 0; direction < CHIP_DIRECTIONS; direction++) {
		struct mitigation *mitigation = &rtl8169->mitigations[direction];
		struct chip_wait *wait = &mitigation->wait;

		load_limits(chip, rtl8169, mitigation);
		if (wait->events == 0) {
			continue;
		}
		if (timer_too) {
			wait->deadline_at_ns = wait_deadline(chip, mitigation);
		}
		if (limit_reached(mitigation, wait->events) || wait->deadline_at_ns <= now_at_ns) {
			signal_event(chip, rtl8169, mitigation);
		}
	}
	chip->deadline_at_ns = earlier_wait(rtl8169);
}

static void load_unit(struct chip *chip)
{
	struct rtl8169 *rtl8169 = rtl8169_of(chip);

	rtl8169->unit_ns = unit_ns(chip->config.family, chip->link_mbps, rtl8169->command & SCALE_MASK);
}

/* What is not moderated. */
static void signal_at_once(struct chip *chip, struct rtl8169 *rtl8169, uint32_t event)
{
	rtl8169->status |= event;
	rtl8169->released |= event;
	update_line(chip, rtl8169);
}

static void rtl8169_missed(struct chip *chip, int64_t now_at_ns, unsigned queue)
{
	(void)now_at_ns;
	(void)queue;
	signal_at_once(chip, rtl8169_of(chip), RxOverflow);
}

static uint32_t rtl8169_read(struct chip *chip, int64_t now_at_ns, uint32_t offset)
{
	const struct rtl8169 *rtl8169 = rtl8169_of(chip);

	(void)now_at_ns;
	switch (offset) {
	case IntrMask:
		return rtl8169->mask;
	case IntrStatus:
		return rtl8169->status;
	case CPlusCmd:
		return rtl8169->command;
	case IntrMitigate:
		return rtl8169->mitigate;
	default:
		return 0;
	}
}

static void rtl8169_write(struct chip *chip, int64_t now_at_ns, uint32_t offset, uint32_t value)
{
	struct rtl8169 *rtl8169 = rtl8169_of(chip);

	value &= 0xffff;
	switch (offset) {
	case TxPoll:
		if (value & FSWInt) {
			signal_at_once(chip, rtl8169, SWInt);
		}
		break;
	case IntrMask:
		rtl8169->mask = value;
		break;
	case IntrStatus:
		rtl8169->status &= ~value;
		rtl8169->released &= ~value;
		break;
	case CPlusCmd:
		rtl8169->command = value;
		load_unit(chip);
		apply_limits(chip, now_at_ns, false);
		break;
	case IntrMitigate:
		rtl8169->mitigate = value;
		apply_limits(chip, now_at_ns, true);
		break;
	default:
		break;
	}
	update_line(chip, rtl8169);
}

static void rtl8169_link(struct chip *chip, int64_t now_at_ns)
{
	struct rtl8169 *rtl8169 = rtl8169_of(chip);

	(void)now_at_ns;
	load_unit(chip);
	signal_at_once(chip, rtl8169, LinkChg);
}

static void rtl8169_init(struct chip *chip)
{
	struct rtl8169 *rtl8169 = rtl8169_of(chip);

	rtl8169->command = Normal_mode;
	rtl8169->mitigations[CHIP_RX].event = RxOK;
	rtl8169->mitigations[CHIP_RX].shift = 0;
	rtl8169->mitigations[CHIP_TX].event = TxOK;
	rtl8169->mitigations[CHIP_TX].shift = 8;
	chip_wait_stop(&rtl8169->mitigations[CHIP_RX].wait);
	chip_wait_stop(&rtl8169->mitigations[CHIP_TX].wait);
	if (chip->config.family == CHIP_RTL8168) {
		rtl8169->bypass_bytes = (uint32_t)chip->config.assume.value[ASSUME_R8169_SMALL_BYPASS];
	}
	load_unit(chip);
}

static struct chip_hold rtl8169_hold(const struct chip *chip, unsigned queue, enum chip_direction direction)
{
	const struct rtl8169 *rtl8169 = rtl8169_const(chip);
	const struct mitigation *mitigation = &rtl8169->mitigations[direction];

	(void)queue;
	if (mitigation->units == 0) {
		return (struct chip_hold){ .kind = CHIP_HOLD_NONE };
	}
	return (struct chip_hold){
		.kind = CHIP_HOLD_OFF,
		.hold_ns = rtl8169->unit_ns * mitigation->units,
		.frames = mitigation->frames,
		.bypass_below_bytes = rtl8169->bypass_bytes,
	};
}

static unsigned check_mitigation(const struct chip *chip, const struct mitigation *mitigation)
{
	const struct chip_wait *wait = &mitigation->wait;
	const bool waits = wait->deadline_at_ns != NEVER_AT_NS;

	if (waits != (wait->events != 0) || (waits && limit_reached(mitigation, wait->events))) {
		return 3;
	}
	if (waits && (wait->deadline_at_ns <= chip->now_at_ns || wait->deadline_at_ns <= wait->first_at_ns)) {
		return 4;
	}
	return 0;
}

static unsigned rtl8169_check(const struct chip *chip)
{
	const struct rtl8169 *rtl8169 = rtl8169_const(chip);

	if (chip->irq_lines != ((rtl8169->status & rtl8169->mask & rtl8169->released) != 0)) {
		return 1;
	}
	if (rtl8169->released & ~rtl8169->status ||
	    (chip->config.assume.value[ASSUME_R8169_EVENT_DELAYED] && rtl8169->released != rtl8169->status)) {
		return 2;
	}
	for (unsigned direction = 0; direction < CHIP_DIRECTIONS; direction++) {
		const unsigned broken = check_mitigation(chip, &rtl8169->mitigations[direction]);

		if (broken) {
			return broken;
		}
	}
	if (chip->deadline_at_ns != earlier_wait(rtl8169)) {
		return 5;
	}
	return (rtl8169->mask | rtl8169->status | rtl8169->command | rtl8169->mitigate) > 0xffff ? 6 : 0;
}

static const struct chip_register_field poll_fields[] = {
	{ "HPQ", 7, 7, "frames in the ring of high priority (not modelled)" },
	{ "NPQ", 6, 6, "frames in the transmit ring (not modelled)" },
	{ "FSWInt", 0, 0, "asks for SWInt" },
};

static const struct chip_register_field event_fields[] = {
	{ "SYSErr", 15, 15, "bus error (not modelled)" },
	{ "PCSTimeout", 14, 14, "general timer (not modelled)" },
	{ "SWInt", 8, 8, "asked for by software" },
	{ "TxDescUnavail", 7, 7, "transmit ring empty (not modelled)" },
	{ "RxFIFOOver", 6, 6, "receive FIFO overflow (not modelled)" },
	{ "LinkChg", 5, 5, "link change" },
	{ "RxOverflow", 4, 4, "no receive descriptor for a frame" },
	{ "TxErr", 3, 3, "transmit error (not modelled)" },
	{ "TxOK", 2, 2, "frame sent" },
	{ "RxErr", 1, 1, "receive error (not modelled)" },
	{ "RxOK", 0, 0, "frame received" },
};

static const struct chip_register_field command_fields[] = {
	{ "PktCntrDisable", 7, 7, "RTL8168: 1 turns the frame counts off" },
	{ "INTT", 1, 0, "scale of the mitigation timers: x1, x8, x16, x32" },
};

static const struct chip_register_field mitigate_fields[] = {
	{ "TxTimer", 15, 12, "longest wait after a sent frame, in units of the scale; 0: none" },
	{ "TxFrames", 11, 8, "sent frames that end the wait, in fours; 0: no such count" },
	{ "RxTimer", 7, 4, "longest wait after a received frame, in units of the scale; 0: none" },
	{ "RxFrames", 3, 0, "received frames that end the wait, in fours; 0: no such count" },
};

#define FIELDS(table) sizeof(table) / sizeof((table)[0]), table

static const struct chip_register registers[] = {
	{ "TxPoll", TxPoll, 8, FIELDS(poll_fields) },
	{ "IntrMask", IntrMask, 16, FIELDS(event_fields) },
	{ "IntrStatus", IntrStatus, 16, FIELDS(event_fields) },
	{ "CPlusCmd", CPlusCmd, 16, FIELDS(command_fields) },
	{ "IntrMitigate", IntrMitigate, 16, FIELDS(mitigate_fields) },
};

const struct chip_ops chip_rtl8169_ops = {
	.name = "rtl8169",
	.queues_max = 1,
	.registers = registers,
	.register_count = sizeof(registers) / sizeof(registers[0]),
	.init = rtl8169_init,
	.read = rtl8169_read,
	.write = rtl8169_write,
	.link = rtl8169_link,
	.frame = rtl8169_frame,
	.missed = rtl8169_missed,
	.due = rtl8169_due,
	.hold = rtl8169_hold,
	.check = rtl8169_check,
};

const struct chip_ops chip_rtl8168_ops = {
	.name = "rtl8168",
	.queues_max = 1,
	.registers = registers,
	.register_count = sizeof(registers) / sizeof(registers[0]),
	.init = rtl8169_init,
	.read = rtl8169_read,
	.write = rtl8169_write,
	.link = rtl8169_link,
	.frame = rtl8169_frame,
	.missed = rtl8169_missed,
	.due = rtl8169_due,
	.hold = rtl8169_hold,
	.check = rtl8169_check,
};
