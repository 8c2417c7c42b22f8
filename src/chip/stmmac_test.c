/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stmmac.c"

#include "tap.h"

#define ENABLE AT(0, DMA_CHAN_INTR_ENA)
#define WATCHDOG AT(0, DMA_CHAN_RX_WATCHDOG)
#define STATUS AT(0, DMA_CHAN_STATUS)

/* The default of the Linux driver, 0xa0 units of 256 cycles at 266666666 Hz: 153.6 us */
#define HOLD_NS 153600

static void start(struct chip *chip, uint32_t watchdog)
{
	const struct chip_config config = {
		.family = CHIP_STMMAC,
		.queues = 2,
		.timer_clock_hz = 266666666,
		.assume = assume_defaults(),
	};

	chip_init(chip, &config);
	chip_write(chip, 0, WATCHDOG, watchdog);
	chip_write(chip, 0, ENABLE, NIS | RI | TI);
}

static void test_watchdog(void)
{
	struct chip chip;

	start(&chip, 0xa0);
	tap_is(chip_hold(&chip, 0, CHIP_RX).hold_ns, HOLD_NS, "RWT 0xa0 at 266.67 MHz");
	chip_frame_received(&chip, 1000, 0, 64, 0);
	chip_frame_received(&chip, 9000, 0, 64, 0);
	chip_advance(&chip, 1000 + HOLD_NS - 1);
	tap_ok(!chip_irq_lines(&chip), "quiet one ns before the watchdog expires, counted from the first frame");
	chip_advance(&chip, 1000 + HOLD_NS);
	tap_is(chip_irq_lines(&chip), 1, "raised then");
	tap_is(chip_read(&chip, 1000 + HOLD_NS, STATUS), NIS | RI, "as RI, with the summary");
	chip_write(&chip, 200000, STATUS, NIS | RI);
	tap_ok(!chip_irq_lines(&chip), "and falls when acknowledged");
	chip_frame_received(&chip, 300000, 0, 64, 0);
	chip_frame_received(&chip, 301000, 0, 64, CHIP_FRAME_INTERRUPT);
	tap_is(chip_irq_lines(&chip), 1, "a descriptor that asks raises RI at once");
	tap_is(chip_deadline(&chip), NEVER_AT_NS, "and stops the watchdog");
	chip_write(&chip, 302000, WATCHDOG, 0x200a0);
	tap_is(chip_hold(&chip, 0, CHIP_RX).hold_ns, 614400, "RWTU 2 counts in 1024 cycles");
	tap_is(chip_check(&chip), 0, "invariants");
}

static void test_transmit(void)
{
	struct chip chip;

	start(&chip, 0xa0);
	chip_frame_sent(&chip, 10, 0, 64, 0);
	tap_ok(!chip_irq_lines(&chip), "a sent frame that does not ask is not signalled");
	tap_is(chip_deadline(&chip), NEVER_AT_NS, "ever");
	chip_frame_sent(&chip, 20, 0, 64, CHIP_FRAME_INTERRUPT);
	tap_is(chip_read(&chip, 20, STATUS), NIS | TI, "one that asks is");
	tap_is(chip_irq_lines(&chip), 1, "at once");
}

static void test_masks(void)
{
	struct chip chip;

	start(&chip, 0xa0);
	chip_write(&chip, 0, ENABLE, NIS | TI);
	chip_frame_received(&chip, 10, 0, 64, CHIP_FRAME_INTERRUPT);
	tap_ok(!chip_irq_lines(&chip), "a masked RI raises nothing");
	tap_is(chip_read(&chip, 10, STATUS), RI, "and is not in the summary");
	chip_write(&chip, 20, ENABLE, RI);
	tap_ok(!chip_irq_lines(&chip), "without NIE neither");
	chip_write(&chip, 30, ENABLE, NIS | RI);
	tap_is(chip_irq_lines(&chip), 1, "until both are set");
	chip_write(&chip, 40, STATUS, NIS);
	tap_is(chip_irq_lines(&chip), 1, "clearing the summary alone does not help");
	chip_write(&chip, 50, ENABLE, 0);
	tap_ok(!chip_irq_lines(&chip), "masking does");
}

static void test_rewrite(void)
{
	struct chip chip;

	start(&chip, 0xa0);
	chip_frame_received(&chip, 0, 0, 64, 0);
	chip_write(&chip, 1000, WATCHDOG, 0x10);
	tap_is(chip_deadline(&chip), HOLD_NS, "a running watchdog keeps its end");
	chip_advance(&chip, HOLD_NS);
	chip_write(&chip, HOLD_NS, STATUS, NIS | RI);
	chip_frame_received(&chip, 200000, 0, 64, 0);
	tap_is(chip_deadline(&chip), 200000 + 15360, "the next one is new");
	start(&chip, 0);
	chip_frame_received(&chip, 0, 0, 64, 0);
	tap_is(chip_deadline(&chip), NEVER_AT_NS, "a watchdog of 0 never expires");
	tap_ok(!chip_irq_lines(&chip), "and raises nothing");
}

static void test_channels(void)
{
	struct chip chip;

	start(&chip, 0xa0);
	chip_write(&chip, 0, AT(1, DMA_CHAN_RX_WATCHDOG), 0x10);
	chip_write(&chip, 0, AT(1, DMA_CHAN_INTR_ENA), NIS | RI);
	chip_frame_received(&chip, 0, 0, 64, 0);
	chip_frame_received(&chip, 0, 1, 64, 0);
	tap_is(chip_deadline(&chip), 15360, "channel 1 has its own watchdog");
	chip_advance(&chip, 15360);
	tap_is(chip_read(&chip, 15360, AT(1, DMA_CHAN_STATUS)), NIS | RI, "and status");
	tap_is(chip_irq_lines(&chip), 1, "on the common line");
	tap_is(chip_deadline(&chip), HOLD_NS, "channel 0 waits on");
	chip_write(&chip, 20000, AT(2, DMA_CHAN_INTR_ENA), 0xffff);
	tap_is(chip_read(&chip, 20000, AT(2, DMA_CHAN_INTR_ENA)), 0, "a channel that isn't there ignores writes");
}

int main(void)
{
	test_watchdog();
	test_transmit();
	test_masks();
	test_rewrite();
	test_channels();
	return tap_done();
}
