/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Synopsys DWMAC (eQOS, "dwmac4"): a receive watchdog per DMA channel, and transmit interrupts on descriptors
 * that ask.
 *
 * Register offsets and bits: Linux drivers/net/ethernet/stmicro/stmmac/dwmac4_dma.h, layout of core 4.10 and
 * later. A received frame whose descriptor asks for it (IOC) sets RI at once. Any other starts the watchdog, if
 * it doesn't run yet: RI is set when the watchdog has counted RWT units of 256 cycles (times 2, 4, 8 by RWTU)
 * of config.timer_clock_hz. Sent frames set TI if their descriptor asks; the hold-off of TX is the driver's,
 * which asks seldom and has a timer of its own.
 *
 * Choices, where the header does not tell:
 *  - A watchdog of 0, or a chip without a timer clock, never fires: then only descriptors that ask raise RI.
 *  - RI stops the watchdog, whoever set it. Rewriting the watchdog or acknowledging RI does not move a running
 *    one.
 *  - One line for all channels, as boards with "macirq" have it.
 *  - NIS stays set until written 1, and comes back while a cause that is enabled is set. The line follows the
 *    causes.
 *  - TBU, RBU, the early interrupts and the abnormal summary are not modelled.
 *
 * Invariants:
 *  1. Only line 0 exists, and it is up exactly while a channel has NIE and an enabled normal cause set.
 *  2. A channel with an enabled normal cause has NIS set.
 *  3. A watchdog runs exactly while a channel has events.
 *  4. A running watchdog ends after the present.
 *  5. The chip's deadline is the earliest of the watchdogs.
 *  6. Registers hold only modelled bits.
 */
#include "chip/chip_private.h"

#define CHANNEL_BASE 0x1100u
#define CHANNEL_SIZE 0x80u
#define DMA_CHAN_INTR_ENA 0x34u
#define DMA_CHAN_RX_WATCHDOG 0x38u
#define DMA_CHAN_STATUS 0x60u

/* Status and enable bits have the same places. */
#define TI (1u << 0)
#define TBU (1u << 2)
#define RI (1u << 6)
#define ERI (1u << 11)
#define NIS (1u << 15)
#define NORMAL_CAUSES (TI | TBU | RI | ERI)
#define INTERRUPT_BITS 0xffffu

#define RWT_MASK 0xffu
#define RWTU_SHIFT 16
#define RWTU_MASK 0x3u
#define WATCHDOG_BITS (RWTU_MASK << RWTU_SHIFT | RWT_MASK)

struct CHIP_STATE channel {
	uint32_t enabled, status, watchdog; /* DMA_CHAN_INTR_ENA, DMA_CHAN_STATUS, DMA_CHAN_RX_WATCHDOG */
	int64_t hold_ns;
	struct chip_wait wait;
};

struct CHIP_STATE stmmac {
	struct channel channels[CHIP_QUEUES_MAX];
};

CHIP_STATE_FITS(struct stmmac);

static struct channel *channel_of(struct chip *chip, unsigned queue)
{
	return &((struct stmmac *)chip->state)->channels[queue];
}

static const struct channel *channel_const(const struct chip *chip, unsigned queue)
{
	return &((const struct stmmac *)chip->state)->channels[queue];
}

static uint32_t raising_causes(const struct channel *channel)
{
	return channel->status & channel->enabled & NORMAL_CAUSES;
}

static uint32_t lines_of(const struct chip *chip)
{
	for (unsigned queue = 0; queue < chip->config.queues; queue++) {
		const struct channel *channel = channel_const(chip, queue);

		if (channel->enabled & NIS && raising_causes(channel)) {
			return 1;
		}
	}
	return 0;
}

static int64_t earliest_wait(const struct chip *chip)
{
	int64_t earliest_at_ns = NEVER_AT_NS;

	for (unsigned queue = 0; queue < chip->config.queues; queue++) {
		earliest_at_ns = time_min(earliest_at_ns, channel_const(chip, queue)->wait.deadline_at_ns);
	}
	return earliest_at_ns;
}

static void update(struct chip *chip, struct channel *channel)
{
	if (raising_causes(channel)) {
		channel->status |= NIS;
	}
	chip->irq_lines = lines_of(chip);
}

static void signal_received(struct chip *chip, struct channel *channel)
{
	if (channel->wait.events) {
		chip_wait_stop(&channel->wait);
		chip->deadline_at_ns = earliest_wait(chip);
	}
	channel->status |= RI;
	update(chip, channel);
}

static void frame_received(struct chip *chip, int64_t now_at_ns, struct channel *channel, unsigned flags)
{
	struct chip_wait *wait = &channel->wait;

	if (flags & CHIP_FRAME_INTERRUPT) {
		signal_received(chip, channel);
	} else if (wait->events) {
		wait->events++;
	} else if (channel->hold_ns) {
		wait->events = 1;
		wait->first_at_ns = now_at_ns;
		wait->deadline_at_ns = now_at_ns + channel->hold_ns;
		chip->deadline_at_ns = time_min(chip->deadline_at_ns, wait->deadline_at_ns);
	}
}

static void stmmac_frame(struct chip *chip, int64_t now_at_ns, enum chip_direction direction, unsigned queue,
			 unsigned frame_bytes, unsigned flags)
{
	struct channel *channel = channel_of(chip, queue);

	(void)frame_bytes;
	if (direction == CHIP_RX) {
		frame_received(chip, now_at_ns, channel, flags);
	} else if (flags & CHIP_FRAME_INTERRUPT) {
		channel->status |= TI;
		update(chip, channel);
	}
}

static void stmmac_due(struct chip *chip, int64_t now_at_ns)
{
	for (unsigned queue = 0; queue < chip->config.queues; queue++) {
		if (channel_of(chip, queue)->wait.deadline_at_ns <= now_at_ns) {
			signal_received(chip, channel_of(chip, queue));
		}
	}
}

static int64_t watchdog_ns(const struct chip *chip, uint32_t watchdog)
{
	const int64_t cycles = (int64_t)(watchdog & RWT_MASK) * (256 << (watchdog >> RWTU_SHIFT & RWTU_MASK));

	return chip->config.timer_clock_hz ? cycles * NS_PER_S / chip->config.timer_clock_hz : 0;
}

/* The channel whose register lies at offset, or NULL; *within is the offset within the channel. */
static struct channel *channel_at(struct chip *chip, uint32_t offset, uint32_t *within)
{
	const uint32_t queue = (offset - CHANNEL_BASE) / CHANNEL_SIZE;

	if (offset < CHANNEL_BASE || queue >= chip->config.queues) {
		return NULL;
	}
	*within = (offset - CHANNEL_BASE) % CHANNEL_SIZE;
	return channel_of(chip, queue);
}

static uint32_t stmmac_read(struct chip *chip, int64_t now_at_ns, uint32_t offset)
{
	uint32_t within = 0;
	const struct channel *channel = channel_at(chip, offset, &within);

	(void)now_at_ns;
	if (!channel) {
		return 0;
	}
	switch (within) {
	case DMA_CHAN_INTR_ENA:
		return channel->enabled;
	case DMA_CHAN_RX_WATCHDOG:
		return channel->watchdog;
	case DMA_CHAN_STATUS:
		return channel->status;
	default:
		return 0;
	}
}

static void stmmac_write(struct chip *chip, int64_t now_at_ns, uint32_t offset, uint32_t value)
{
	uint32_t within = 0;
	struct channel *channel = channel_at(chip, offset, &within);

	(void)now_at_ns;
	if (!channel) {
		return;
	}
	switch (within) {
	case DMA_CHAN_INTR_ENA:
		channel->enabled = value & INTERRUPT_BITS;
		break;
	case DMA_CHAN_RX_WATCHDOG:
		channel->watchdog = value & WATCHDOG_BITS;
		channel->hold_ns = watchdog_ns(chip, channel->watchdog);
		break;
	case DMA_CHAN_STATUS:
		channel->status &= ~value;
		break;
	default:
		break;
	}
	update(chip, channel);
}

static void stmmac_link(struct chip *chip, int64_t now_at_ns)
{
	/* The watchdog counts the system clock, and the link's own interrupt is not the DMA's. */
	(void)chip;
	(void)now_at_ns;
}

static void stmmac_init(struct chip *chip)
{
	for (unsigned queue = 0; queue < CHIP_QUEUES_MAX; queue++) {
		chip_wait_stop(&channel_of(chip, queue)->wait);
	}
}

static struct chip_hold stmmac_hold(const struct chip *chip, unsigned queue, enum chip_direction direction)
{
	const int64_t hold_ns = channel_const(chip, queue)->hold_ns;

	if (direction == CHIP_TX || hold_ns == 0) {
		return (struct chip_hold){ .kind = CHIP_HOLD_NONE };
	}
	return (struct chip_hold){ .kind = CHIP_HOLD_OFF, .hold_ns = hold_ns };
}

static unsigned check_channel(const struct chip *chip, const struct channel *channel)
{
	const bool waits = channel->wait.deadline_at_ns != NEVER_AT_NS;

	if (raising_causes(channel) && !(channel->status & NIS)) {
		return 2;
	}
	if (waits != (channel->wait.events != 0)) {
		return 3;
	}
	if (channel->wait.deadline_at_ns <= chip->now_at_ns) {
		return 4;
	}
	return (channel->enabled | channel->status) & ~INTERRUPT_BITS || channel->watchdog & ~WATCHDOG_BITS ? 6 : 0;
}

static unsigned stmmac_check(const struct chip *chip)
{
	if (chip->irq_lines != lines_of(chip)) {
		return 1;
	}
	for (unsigned queue = 0; queue < CHIP_QUEUES_MAX; queue++) {
		const unsigned broken = check_channel(chip, channel_const(chip, queue));

		if (broken) {
			return broken;
		}
	}
	return chip->deadline_at_ns != earliest_wait(chip) ? 5 : 0;
}

static const struct chip_register_field enable_fields[] = {
	{ "NIE", 15, 15, "normal interrupts raise the line" },
	{ "AIE", 14, 14, "abnormal interrupts raise the line (not modelled)" },
	{ "ERIE", 11, 11, "early receive (not modelled)" },
	{ "RBUE", 7, 7, "receive buffer unavailable (not modelled)" },
	{ "RIE", 6, 6, "receive" },
	{ "TBUE", 2, 2, "transmit buffer unavailable (not modelled)" },
	{ "TIE", 0, 0, "transmit" },
};

static const struct chip_register_field watchdog_fields[] = {
	{ "RWTU", 17, 16, "unit: 256 cycles times 1, 2, 4, 8" },
	{ "RWT", 7, 0, "wait after a frame whose descriptor does not ask, in units; 0: forever" },
};

static const struct chip_register_field status_fields[] = {
	{ "NIS", 15, 15, "normal interrupt summary" },
	{ "AIS", 14, 14, "abnormal interrupt summary (not modelled)" },
	{ "ERI", 11, 11, "early receive (not modelled)" },
	{ "RBU", 7, 7, "receive buffer unavailable (not modelled)" },
	{ "RI", 6, 6, "receive: a descriptor asked, or the watchdog expired" },
	{ "TBU", 2, 2, "transmit buffer unavailable (not modelled)" },
	{ "TI", 0, 0, "transmit: a descriptor asked" },
};

#define FIELDS(table) sizeof(table) / sizeof((table)[0]), table
#define AT(queue, within) (CHANNEL_BASE + (queue)*CHANNEL_SIZE + (within))

static const struct chip_register registers[] = {
	{ "DMA_CHAN_INTR_ENA0", AT(0, DMA_CHAN_INTR_ENA), 32, FIELDS(enable_fields) },
	{ "DMA_CHAN_INTR_ENA1", AT(1, DMA_CHAN_INTR_ENA), 32, FIELDS(enable_fields) },
	{ "DMA_CHAN_INTR_ENA2", AT(2, DMA_CHAN_INTR_ENA), 32, FIELDS(enable_fields) },
	{ "DMA_CHAN_INTR_ENA3", AT(3, DMA_CHAN_INTR_ENA), 32, FIELDS(enable_fields) },
	{ "DMA_CHAN_RX_WATCHDOG0", AT(0, DMA_CHAN_RX_WATCHDOG), 32, FIELDS(watchdog_fields) },
	{ "DMA_CHAN_RX_WATCHDOG1", AT(1, DMA_CHAN_RX_WATCHDOG), 32, FIELDS(watchdog_fields) },
	{ "DMA_CHAN_RX_WATCHDOG2", AT(2, DMA_CHAN_RX_WATCHDOG), 32, FIELDS(watchdog_fields) },
	{ "DMA_CHAN_RX_WATCHDOG3", AT(3, DMA_CHAN_RX_WATCHDOG), 32, FIELDS(watchdog_fields) },
	{ "DMA_CHAN_STATUS0", AT(0, DMA_CHAN_STATUS), 32, FIELDS(status_fields) },
	{ "DMA_CHAN_STATUS1", AT(1, DMA_CHAN_STATUS), 32, FIELDS(status_fields) },
	{ "DMA_CHAN_STATUS2", AT(2, DMA_CHAN_STATUS), 32, FIELDS(status_fields) },
	{ "DMA_CHAN_STATUS3", AT(3, DMA_CHAN_STATUS), 32, FIELDS(status_fields) },
};

const struct chip_ops chip_stmmac_ops = {
	.name = "stmmac",
	.queues_max = CHIP_QUEUES_MAX,
	.registers = registers,
	.register_count = sizeof(registers) / sizeof(registers[0]),
	.init = stmmac_init,
	.read = stmmac_read,
	.write = stmmac_write,
	.link = stmmac_link,
	.frame = stmmac_frame,
	.due = stmmac_due,
	.hold = stmmac_hold,
	.check = stmmac_check,
};
