/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tsnep.c"

#include "tap.h"

#define SOURCES (ECM_INT_TX_0 | ECM_INT_RX_0)

static struct chip_config config_of(unsigned queues)
{
	return (struct chip_config){ .family = CHIP_TSNEP, .queues = queues, .assume = assume_defaults() };
}

static void start(struct chip *chip, const struct chip_config *config, uint32_t delay)
{
	chip_init(chip, config);
	chip_write(chip, 0, ECM_INT_DELAY, delay);
	chip_write(chip, 0, ECM_INT_ENABLE, SOURCES);
}

static void receive(struct chip *chip, int64_t at_ns)
{
	chip_frame_received(chip, at_ns, 0, 64, 0);
}

/* As the Linux driver: acknowledge, mask, poll, unmask. */
static void serve(struct chip *chip, int64_t from_ns, int64_t until_ns)
{
	chip_write(chip, from_ns, ECM_INT_ACTIVE, chip_read(chip, from_ns, ECM_INT_ACTIVE));
	chip_write(chip, from_ns, ECM_INT_ENABLE, ECM_INT_DISABLE | SOURCES);
	chip_write(chip, until_ns, ECM_INT_ENABLE, SOURCES);
}

static void test_from_event(void)
{
	struct chip chip;
	const struct chip_config config = config_of(1);

	start(&chip, &config, 0x40);
	receive(&chip, 100);
	receive(&chip, 50000);
	chip_advance(&chip, 64099);
	tap_ok(!chip_irq_lines(&chip), "quiet one ns before 64 us have passed since the first event");
	tap_is(chip_read(&chip, 64099, ECM_INT_ACTIVE), 0, "ECM_INT_ACTIVE too");
	chip_advance(&chip, 64100);
	tap_is(chip_irq_lines(&chip), 1, "raised then");
	tap_is(chip_read(&chip, 64100, ECM_INT_ACTIVE), ECM_INT_RX_0, "by the receiving source");
	serve(&chip, 65000, 80000);
	tap_ok(!chip_irq_lines(&chip), "served");
	chip_frame_sent(&chip, 90000, 0, 64, 0);
	tap_is(chip_deadline(&chip), 154000, "a sent frame waits as well");
	tap_is(chip_check(&chip), 0, "invariants");
}

static void test_zero(void)
{
	struct chip chip;
	const struct chip_config config = config_of(1);

	start(&chip, &config, 0x0f);
	tap_is(chip_hold(&chip, 0, CHIP_RX).kind, CHIP_HOLD_NONE, "field 0 holds nothing");
	receive(&chip, 100);
	tap_is(chip_irq_lines(&chip), 1, "and raises at once, whatever the low nibble");
	tap_is(chip_read(&chip, 100, ECM_INT_DELAY), 0x0f, "which is kept");
}

static void test_from_enabling(void)
{
	struct chip chip;
	struct chip_config config = config_of(1);

	config.assume.value[ASSUME_TSNEP_DELAY_FROM] = FROM_ENABLING;
	start(&chip, &config, 0x40);
	receive(&chip, 10000);
	tap_is(chip_deadline(&chip), 64000, "tsnep-delay-from 1: an event soon after the enabling waits for its end");
	chip_advance(&chip, 63999);
	tap_ok(!chip_irq_lines(&chip), "quiet one ns before");
	chip_advance(&chip, 64000);
	tap_is(chip_irq_lines(&chip), 1, "raised then");
	serve(&chip, 70000, 80000);
	receive(&chip, 144000);
	tap_is(chip_irq_lines(&chip), 1, "an event when the delay has passed is immediate");
}

static void test_from_interrupt(void)
{
	struct chip chip;
	struct chip_config config = config_of(1);

	config.assume.value[ASSUME_TSNEP_DELAY_FROM] = FROM_INTERRUPT;
	start(&chip, &config, 0x40);
	receive(&chip, 10000);
	tap_is(chip_irq_lines(&chip), 1, "tsnep-delay-from 2: the first interrupt is immediate");
	serve(&chip, 11000, 20000);
	receive(&chip, 30000);
	tap_is(chip_deadline(&chip), 74000, "the next one keeps the gap");
	chip_advance(&chip, 74000);
	serve(&chip, 75000, 80000);
	receive(&chip, 138000);
	tap_is(chip_irq_lines(&chip), 1, "at its very end the wait is over");
}

static void test_runs(void)
{
	struct chip chip;
	struct chip_config config = config_of(1);

	config.assume.value[ASSUME_TSNEP_DELAY_RUNS] = 2;
	start(&chip, &config, 0x40);
	receive(&chip, 0);
	tap_is(chip_deadline(&chip), 128000, "tsnep-delay-runs 2");
}

static void test_masks(void)
{
	struct chip chip;
	const struct chip_config config = config_of(1);

	start(&chip, &config, 0x40);
	receive(&chip, 0);
	chip_write(&chip, 1000, ECM_INT_ENABLE, ECM_INT_DISABLE | SOURCES);
	tap_is(chip_deadline(&chip), NEVER_AT_NS, "disabling forgets an event that waits");
	receive(&chip, 2000);
	chip_write(&chip, 3000, ECM_INT_ENABLE, SOURCES);
	chip_advance(&chip, 500000);
	tap_ok(!chip_irq_lines(&chip), "an event of a disabled source is not remembered");
	tap_is(chip_read(&chip, 500000, ECM_INT_ENABLE), SOURCES, "ECM_INT_ENABLE reads what is enabled");
	receive(&chip, 600000);
	chip_advance(&chip, 664000);
	chip_write(&chip, 664001, ECM_INT_ENABLE, ECM_INT_DISABLE | ECM_INT_RX_0);
	tap_ok(!chip_irq_lines(&chip), "disabling lets the line fall, acknowledged or not");
}

static void test_rewrite(void)
{
	struct chip chip;
	const struct chip_config config = config_of(1);

	start(&chip, &config, 0x40);
	receive(&chip, 0);
	chip_write(&chip, 10000, ECM_INT_DELAY, 0x20);
	tap_is(chip_deadline(&chip), 32000, "a new delay moves the end of a wait");
	chip_write(&chip, 20000, ECM_INT_DELAY, 0x10);
	tap_is(chip_irq_lines(&chip), 1, "at the earliest to the present");
	tap_is(chip_check(&chip), 0, "invariants");
}

static void test_queues(void)
{
	struct chip chip;
	const struct chip_config config = config_of(3);

	start(&chip, &config, 0x40);
	chip_write(&chip, 0, ECM_INT_ENABLE, ECM_INT_LINK | SOURCES << 4);
	chip_frame_received(&chip, 10, 2, 64, 0);
	tap_is(chip_irq_lines(&chip), 4, "queue 2 has its own line and delay");
	tap_is(chip_read(&chip, 10, ECM_INT_ACTIVE), ECM_INT_RX_0 << 4, "its source is bit 13");
	chip_set_link(&chip, 20, 1000);
	tap_is(chip_irq_lines(&chip), 5, "a link change comes at once on line 0");
	chip_write(&chip, 30, ECM_INT_ACTIVE, ECM_INT_LINK);
	tap_is(chip_irq_lines(&chip), 4, "until acknowledged");
	tap_is(chip_check(&chip), 0, "invariants");
}

int main(void)
{
	test_from_event();
	test_zero();
	test_from_enabling();
	test_from_interrupt();
	test_runs();
	test_masks();
	test_rewrite();
	test_queues();
	return tap_done();
}
