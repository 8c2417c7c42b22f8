/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fec.c"

#include <inttypes.h>

#include "tap.h"

#define RXF 0x02000000u
#define TXF 0x08000000u
#define WORD(frames, ticks) (ICEN | ICCS | (uint32_t)(frames) << ICFT_SHIFT | (uint32_t)(ticks))

/* 1000 us on i.MX8M: 4166 ticks of 64 cycles of 266666666 Hz, 999840002.4996 ps */
#define CLOCK_HZ 266666666u
#define HOLD_NS 999840

static struct chip_config config_of(unsigned queues)
{
	return (struct chip_config){
		.family = CHIP_FEC,
		.queues = queues,
		.timer_clock_hz = CLOCK_HZ,
		.assume = assume_defaults(),
	};
}

static void start(struct chip *chip, const struct chip_config *config, uint32_t rx, uint32_t tx)
{
	chip_init(chip, config);
	chip_set_link(chip, 0, 1000);
	chip_write(chip, 0, RXIC0, rx);
	chip_write(chip, 0, TXIC0, tx);
	chip_write(chip, 0, EIMR, RXF | TXF);
}

static void receive(struct chip *chip, int64_t at_ns, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		chip_frame_received(chip, at_ns, 0, 64, 0);
	}
}

static void test_timer(void)
{
	struct chip chip;
	const struct chip_config config = config_of(1);

	start(&chip, &config, WORD(200, 4166), WORD(200, 4166));
	receive(&chip, 1000, 1);
	receive(&chip, 500000, 1);
	tap_is(chip_deadline(&chip), 1000 + HOLD_NS, "the timer runs from the first frame, in whole ns");
	chip_advance(&chip, 1000 + HOLD_NS - 1);
	tap_ok(!chip_irq_lines(&chip), "quiet one ns before the hold-off ends");
	tap_is(chip_read(&chip, 1000 + HOLD_NS - 1, EIR), 0, "EIR.RXF is late as well");
	chip_advance(&chip, 1000 + HOLD_NS);
	tap_is(chip_irq_lines(&chip), 1, "raised when it ends");
	tap_is(chip_read(&chip, 1000 + HOLD_NS, EIR), RXF, "and EIR.RXF with it");
	chip_write(&chip, 1100000, EIR, RXF);
	tap_ok(!chip_irq_lines(&chip), "acknowledging lets the line fall");
	chip_frame_sent(&chip, 2000000, 0, 64, 0);
	tap_is(chip_deadline(&chip), 2000000 + HOLD_NS, "TX holds its own frames");
	tap_is(chip_check(&chip), 0, "invariants");
}

static void test_count(void)
{
	struct chip chip;
	const struct chip_config config = config_of(1);

	start(&chip, &config, WORD(8, 4166), 0);
	receive(&chip, 10, 7);
	tap_ok(!chip_irq_lines(&chip), "seven frames of eight are held");
	receive(&chip, 20, 1);
	tap_is(chip_irq_lines(&chip), 1, "the eighth ends the wait");
	tap_is(chip_deadline(&chip), NEVER_AT_NS, "the timer stops with it");
	chip_write(&chip, 30, EIR, RXF);
	receive(&chip, 40, 7);
	tap_is(chip_deadline(&chip), 40 + HOLD_NS, "count and timer start anew");
	receive(&chip, 40 + HOLD_NS, 1);
	tap_is(chip_irq_lines(&chip), 1, "tie of count and timer: the timer runs first");
	tap_is(chip_deadline(&chip), 40 + 2 * HOLD_NS, "and the frame of the tie begins the next wait");
	chip_frame_sent(&chip, 2000000, 0, 64, 0);
	tap_is(chip_read(&chip, 2000000, EIR), RXF | TXF, "a direction with ICEN clear signals at once");
}

static void test_masks(void)
{
	struct chip chip;
	const struct chip_config config = config_of(1);

	start(&chip, &config, 0, 0);
	chip_write(&chip, 0, EIMR, TXF);
	receive(&chip, 10, 1);
	tap_ok(!chip_irq_lines(&chip), "a masked event raises nothing");
	chip_write(&chip, 20, EIMR, RXF);
	tap_is(chip_irq_lines(&chip), 1, "until it is unmasked");
	chip_write(&chip, 30, EIMR, 0);
	tap_ok(!chip_irq_lines(&chip), "masking lets the line fall");
	tap_is(chip_read(&chip, 40, EIR), RXF, "and keeps the event");
}

static void test_rewrite(void)
{
	struct chip chip;
	const struct chip_config config = config_of(1);

	start(&chip, &config, WORD(200, 4166), 0);
	receive(&chip, 0, 5);
	chip_write(&chip, 100000, RXIC0, WORD(6, 4166));
	tap_ok(!chip_irq_lines(&chip), "a new count above the frames there keeps waiting");
	chip_write(&chip, 100000, RXIC0, WORD(5, 4166));
	tap_is(chip_irq_lines(&chip), 1, "a new count that is there fires");
	chip_write(&chip, 100000, EIR, RXF);
	receive(&chip, 200000, 1);
	chip_write(&chip, 250000, RXIC0, WORD(200, 416));
	tap_is(chip_deadline(&chip), 200000 + 99840, "a shorter time counts from the first frame");
	chip_write(&chip, 250000, RXIC0, WORD(200, 208));
	tap_is(chip_irq_lines(&chip), 1, "a time that has passed fires");
	chip_write(&chip, 250000, EIR, RXF);
	receive(&chip, 300000, 1);
	chip_write(&chip, 300001, RXIC0, WORD(200, 4166) & ~ICEN);
	tap_is(chip_irq_lines(&chip), 1, "ICEN cleared with a frame pending: the event comes at once");
	tap_is(chip_deadline(&chip), NEVER_AT_NS, "and nothing waits");
	chip_write(&chip, 300001, EIR, RXF);
	chip_write(&chip, 300002, RXIC0, WORD(200, 4166));
	tap_ok(!chip_irq_lines(&chip), "setting ICEN with nothing pending does nothing");
	tap_is(chip_check(&chip), 0, "invariants");
}

static void test_zero_thresholds(void)
{
	static const uint32_t words[] = { WORD(0, 4166), WORD(200, 0), WORD(1, 4166) };
	const struct chip_config config = config_of(1);

	for (unsigned i = 0; i < 3; i++) {
		struct chip chip;

		start(&chip, &config, words[i], 0);
		receive(&chip, 10, 1);
		tap_is(chip_irq_lines(&chip), 1, "RXIC0 0x%08" PRIx32 ": reached by the first frame", words[i]);
		tap_is(chip_hold(&chip, 0, CHIP_RX).kind, CHIP_HOLD_NONE, "and so says chip_hold");
	}
}

static void test_tx_clock(void)
{
	struct chip chip;
	const struct chip_config config = config_of(1);

	start(&chip, &config, WORD(200, 100) & ~ICCS, 0);
	tap_is(chip_hold(&chip, 0, CHIP_RX).hold_ns, 51200, "ICCS 0 at 1 Gb/s: 512 ns a tick");
	receive(&chip, 0, 1);
	chip_set_link(&chip, 1000, 100);
	tap_is(chip_deadline(&chip), 51200, "a running timer keeps its deadline when the speed changes");
	chip_advance(&chip, 51200);
	chip_write(&chip, 60000, EIR, RXF);
	receive(&chip, 100000, 1);
	tap_is(chip_deadline(&chip), 100000 + 256000, "the next one counts 2560 ns ticks");
	chip_set_link(&chip, 400000, 10);
	tap_is(chip_hold(&chip, 0, CHIP_RX).hold_ns, 2560000, "25.6 us a tick at 10 Mb/s");
}

static void test_rings(void)
{
	struct chip chip;
	const struct chip_config config = config_of(3), single = config_of(1);

	start(&chip, &config, 0, 0);
	chip_frame_received(&chip, 0, 1, 64, 0);
	tap_is(chip_read(&chip, 0, EIR), 1u << 1, "RXF1 is bit 1");
	chip_frame_sent(&chip, 0, 1, 64, 0);
	tap_is(chip_read(&chip, 0, EIR), 1u << 1 | 1u << 3, "TXF1 is bit 3");
	chip_write(&chip, 0, EIR, UINT32_MAX);
	chip_frame_received(&chip, 0, 2, 64, 0);
	tap_is(chip_read(&chip, 0, EIR), 1u << 5, "RXF2 is bit 5");
	chip_frame_sent(&chip, 0, 2, 64, 0);
	tap_is(chip_read(&chip, 0, EIR), 1u << 5 | 1u << 7, "TXF2 is bit 7");
	chip_write(&chip, 0, RXIC0 + 8, 0xffffffff);
	tap_is(chip_read(&chip, 0, RXIC0 + 8), 0xcff0ffff, "reserved bits read 0");
	chip_write(&chip, 0, TXIC0 + 4, WORD(3, 7));
	tap_is(chip_read(&chip, 0, TXIC0 + 4), WORD(3, 7), "TXIC1");
	tap_is(chip_read(&chip, 0, RXIC0 + 4), 0, "is not RXIC1");
	start(&chip, &single, 0, 0);
	chip_write(&chip, 0, RXIC0 + 4, WORD(3, 7));
	tap_is(chip_read(&chip, 0, RXIC0 + 4), 0, "a chip with one ring has no RXIC1");
}

static void test_choices(void)
{
	struct chip chip;
	struct chip_config config = config_of(1);

	config.assume.value[ASSUME_FEC_TIMER_CLOCK] = 250000000;
	config.assume.value[ASSUME_FEC_RX_SCALE] = 900000;
	start(&chip, &config, WORD(200, 5208), WORD(200, 5208));
	tap_is(chip_hold(&chip, 0, CHIP_TX).hold_ns, 1333248, "fec-timer-clock replaces the board's clock");
	tap_is(chip_hold(&chip, 0, CHIP_RX).hold_ns, 1199923, "fec-rx-scale shortens RX only, rounding down");

	config = config_of(1);
	config.assume.value[ASSUME_FEC_EVENT_DELAYED] = 0;
	start(&chip, &config, WORD(200, 4166), 0);
	receive(&chip, 0, 1);
	tap_is(chip_read(&chip, 1, EIR), RXF, "fec-event-delayed 0: EIR.RXF comes with the frame");
	tap_ok(!chip_irq_lines(&chip), "the line waits");
	chip_advance(&chip, HOLD_NS);
	tap_is(chip_irq_lines(&chip), 1, "for the hold-off");
	chip_write(&chip, HOLD_NS, EIR, RXF);
	receive(&chip, 2000000, 1);
	chip_write(&chip, 2000001, EIR, RXF);
	chip_advance(&chip, 2000000 + HOLD_NS);
	tap_ok(!chip_irq_lines(&chip), "an event acknowledged during the wait is not signalled");
	tap_is(chip_check(&chip), 0, "invariants");
}

static void test_no_clock(void)
{
	struct chip chip;
	struct chip_config config = config_of(1);

	config.timer_clock_hz = 0;
	start(&chip, &config, WORD(200, 4166), 0);
	receive(&chip, 10, 1);
	tap_is(chip_irq_lines(&chip), 1, "without a timer clock nothing is held");
}

int main(void)
{
	test_timer();
	test_count();
	test_masks();
	test_rewrite();
	test_zero_thresholds();
	test_tx_clock();
	test_rings();
	test_choices();
	test_no_clock();
	return tap_done();
}
