/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "e1000e.c"

#include "tap.h"

#define LINUX_CAUSES (RXT0 | TXDW | RXDMT0 | LSC)

static void start(struct chip *chip, uint32_t itr, uint32_t packet, uint32_t absolute)
{
	const struct chip_config config = {
		.family = CHIP_E1000E,
		.queues = 1,
		.rx_ring = 256,
		.assume = assume_defaults(),
	};

	chip_init(chip, &config);
	chip_write(chip, 0, CTRL_EXT, CTRL_EXT_IAME);
	chip_write(chip, 0, IAM, UINT32_MAX);
	chip_write(chip, 0, IMS, LINUX_CAUSES);
	chip_write(chip, 0, ITR, itr);
	chip_write(chip, 0, RDTR, packet);
	chip_write(chip, 0, TIDV, packet);
	chip_write(chip, 0, RADV, absolute);
	chip_write(chip, 0, TADV, absolute);
}

static void receive(struct chip *chip, int64_t at_ns)
{
	chip_frame_received(chip, at_ns, 0, 64, 0);
}

/* As the Linux driver: ICR in the handler, the mask after the poll. */
static void serve(struct chip *chip, int64_t from_ns, int64_t until_ns)
{
	chip_read(chip, from_ns, ICR);
	chip_write(chip, until_ns, IMS, LINUX_CAUSES);
}

static void test_causes(void)
{
	struct chip chip;

	start(&chip, 0, 0, 0);
	receive(&chip, 10);
	tap_is(chip_irq_lines(&chip), 1, "nothing set: a frame interrupts at once");
	tap_is(chip_read(&chip, 20, ICS), INT_ASSERTED | RXT0, "ICS shows the causes without clearing");
	tap_is(chip_read(&chip, 20, ICR), INT_ASSERTED | RXT0, "ICR shows them");
	tap_is(chip_read(&chip, 20, IMS), 0, "IAME masks by IAM");
	tap_is(chip_read(&chip, 20, ICR), 0, "reading has cleared");
	tap_ok(!chip_irq_lines(&chip), "and the line is down");
	receive(&chip, 30);
	tap_ok(!chip_irq_lines(&chip), "a masked cause is quiet");
	chip_write(&chip, 40, IMS, LINUX_CAUSES);
	tap_is(chip_irq_lines(&chip), 1, "and raises at the unmasking");
	chip_write(&chip, 50, IMC, UINT32_MAX);
	tap_ok(!chip_irq_lines(&chip), "IMC lets the line fall");
	chip_write(&chip, 60, ICR, RXT0);
	chip_write(&chip, 60, IMS, LINUX_CAUSES);
	tap_ok(!chip_irq_lines(&chip), "writing ones to ICR clears");
	chip_set_link(&chip, 70, 1000);
	tap_is(chip_read(&chip, 70, ICR), INT_ASSERTED | LSC, "a link change is a cause");
	tap_is(chip_check(&chip), 0, "invariants");
}

static void test_throttle(void)
{
	struct chip chip;

	start(&chip, 390, 0, 0);
	receive(&chip, 1000);
	tap_is(chip_irq_lines(&chip), 1, "a quiet vector interrupts at once");
	serve(&chip, 1500, 5000);
	receive(&chip, 10000);
	chip_advance(&chip, 1000 + 99840 - 1);
	tap_ok(!chip_irq_lines(&chip), "the next waits for the throttle: quiet one ns before");
	chip_advance(&chip, 1000 + 99840);
	tap_is(chip_irq_lines(&chip), 1, "sent when it ends");
	tap_is(chip_deadline(&chip), 1000 + 2 * 99840, "and the throttle runs again");
	serve(&chip, 101000, 102000);
	receive(&chip, 110000);
	chip_read(&chip, 120000, ICR);
	chip_advance(&chip, 1000 + 2 * 99840);
	tap_is(chip_deadline(&chip), NEVER_AT_NS, "nothing left at the end: the throttle idles");
	chip_write(&chip, 300000, IMS, LINUX_CAUSES);
	receive(&chip, 300000);
	tap_is(chip_irq_lines(&chip), 1, "and the next one is immediate");
	chip_write(&chip, 300001, ITR, 100);
	tap_is(chip_deadline(&chip), 300000 + 99840, "a rewritten ITR leaves the running throttle");
	tap_is(chip_check(&chip), 0, "invariants");
}

static void test_masked_at_end(void)
{
	struct chip chip;

	start(&chip, 390, 0, 0);
	receive(&chip, 0);
	serve(&chip, 100, 200);
	receive(&chip, 1000);
	chip_write(&chip, 2000, IMC, UINT32_MAX);
	chip_advance(&chip, 99840);
	tap_ok(!chip_irq_lines(&chip), "masked when the throttle ends: not sent");
	chip_write(&chip, 150000, IMS, LINUX_CAUSES);
	tap_is(chip_irq_lines(&chip), 1, "but at the unmasking");
}

static void test_delays(void)
{
	struct chip chip;

	start(&chip, 0, 10, 15);
	receive(&chip, 0);
	tap_is(chip_deadline(&chip), 10240, "the packet timer runs");
	receive(&chip, 8000);
	tap_is(chip_deadline(&chip), 15360, "starts again with each frame, up to the absolute timer");
	chip_advance(&chip, 15359);
	tap_ok(!chip_irq_lines(&chip), "quiet one ns before");
	chip_advance(&chip, 15360);
	tap_is(chip_irq_lines(&chip), 1, "fires then");
	serve(&chip, 16000, 17000);
	receive(&chip, 20000);
	chip_advance(&chip, 30240);
	tap_is(chip_irq_lines(&chip), 1, "a lone frame waits for the packet timer only");
	serve(&chip, 31000, 32000);
	chip_frame_sent(&chip, 40000, 0, 64, CHIP_FRAME_INTERRUPT);
	tap_is(chip_deadline(&chip), 50240, "a sent frame with IDE is delayed");
	receive(&chip, 42000);
	chip_advance(&chip, 50240);
	tap_is(chip_read(&chip, 50240, ICR), INT_ASSERTED | RXT0 | TXDW | TXQE,
	       "what fires takes every delayed cause along");
	tap_is(chip_deadline(&chip), NEVER_AT_NS, "and stops their timers");
	chip_write(&chip, 51000, IMS, LINUX_CAUSES);
	chip_frame_sent(&chip, 52000, 0, 64, 0);
	tap_is(chip_irq_lines(&chip), 1, "a sent frame without IDE is not delayed");
	tap_is(chip_check(&chip), 0, "invariants");
}

static void test_flush(void)
{
	struct chip chip;

	start(&chip, 0, 65535, 97);
	receive(&chip, 0);
	chip_write(&chip, 10, TIDV, FPD | 8);
	tap_ok(!chip_irq_lines(&chip), "FPD of TIDV does not concern RX");
	chip_write(&chip, 20, RDTR, FPD | 7);
	tap_is(chip_irq_lines(&chip), 1, "FPD of RDTR fires what RX delays");
	tap_is(chip_read(&chip, 20, RDTR), 7, "and does not stay");
	serve(&chip, 30, 40);
	receive(&chip, 50);
	chip_write(&chip, 60, ICS, 0);
	tap_ok(!chip_irq_lines(&chip), "no cause written to ICS: nothing fires");
	chip_write(&chip, 60, ICS, RXDMT0);
	tap_is(chip_read(&chip, 60, ICR), INT_ASSERTED | RXT0 | RXDMT0, "a cause written to ICS fires, and flushes");
}

static void test_threshold(void)
{
	struct chip chip;

	start(&chip, 0, 65535, 97);
	chip_rx_free(&chip, 0, 0, 129);
	receive(&chip, 100);
	tap_ok(!chip_irq_lines(&chip), "129 of 256 free: the frame waits");
	chip_rx_free(&chip, 100, 0, 128);
	tap_is(chip_read(&chip, 100, ICR), INT_ASSERTED | RXT0 | RXDMT0, "exactly half: RXDMT0 flushes the delay");
	chip_write(&chip, 200, IMS, LINUX_CAUSES);
	chip_rx_free(&chip, 200, 0, 127);
	chip_rx_free(&chip, 200, 0, 128);
	chip_rx_free(&chip, 200, 0, 250);
	tap_ok(!chip_irq_lines(&chip), "refilling does not raise it");
}

static void test_hold(void)
{
	struct chip chip;
	struct chip_hold hold;

	start(&chip, 390, 1, 1);
	hold = chip_hold(&chip, 0, CHIP_RX);
	tap_ok(hold.kind == CHIP_HOLD_OFF && hold.hold_ns == 1024 && hold.throttle_ns == 99840,
	       "a delay under a throttle");
	chip_write(&chip, 0, RDTR, 0);
	hold = chip_hold(&chip, 0, CHIP_RX);
	tap_ok(hold.kind == CHIP_HOLD_THROTTLE && hold.hold_ns == 99840 && hold.throttle_ns == 0, "a throttle alone");
	chip_write(&chip, 0, TADV, 32);
	chip_write(&chip, 0, TIDV, 8);
	hold = chip_hold(&chip, 0, CHIP_TX);
	tap_ok(hold.kind == CHIP_HOLD_RESTART && hold.hold_ns == 8192 && hold.limit_ns == 32768,
	       "a delay that starts again");
}

/* What only a virtual chip does: eight frames end the delay, and the count starts again with each interrupt. */
static void test_count_of_frames(void)
{
	struct chip chip;

	start(&chip, 0, DELAY_MASK, 97);
	chip.config.rx_frames = 8;
	for (int64_t i = 1; i < 8; i++) {
		receive(&chip, i * 1000);
	}
	tap_ok(!chip_irq_lines(&chip), "seven frames wait");
	receive(&chip, 8000);
	tap_is(chip_irq_lines(&chip), 1, "the eighth interrupts");
	serve(&chip, 9000, 9500);
	receive(&chip, 10000);
	tap_is(chip_deadline(&chip), 10000 + 97 * DELAY_UNIT_NS, "the next one waits from its own time");
	chip_frame_sent(&chip, 11000, 0, 64, CHIP_FRAME_INTERRUPT);
	tap_ok(!chip_irq_lines(&chip), "sent frames are not counted");
	tap_is(chip_hold(&chip, 0, CHIP_RX).frames, 8, "the hold has the count");
	tap_is(chip_hold(&chip, 0, CHIP_TX).frames, 0, "of transmit there is none");
	tap_is(chip_check(&chip), 0, "invariants hold");
}

int main(void)
{
	test_count_of_frames();
	test_causes();
	test_throttle();
	test_masked_at_end();
	test_delays();
	test_flush();
	test_threshold();
	test_hold();
	return tap_done();
}
