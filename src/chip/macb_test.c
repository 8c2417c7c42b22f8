/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "macb.c"

#include "tap.h"

int main(void)
{
	const struct chip_config config = { .family = CHIP_MACB, .queues = 1, .assume = assume_defaults() };
	struct chip chip;

	chip_init(&chip, &config);
	chip_frame_received(&chip, 10, 0, 64, 0);
	tap_ok(!chip_irq_lines(&chip), "everything is masked after reset");
	chip_write(&chip, 20, IER, RCOMP | TCOMP);
	tap_is(chip_irq_lines(&chip), 1, "unmasking raises what is there");
	tap_is(chip_read(&chip, 30, IMR), ~(RCOMP | TCOMP), "IMR shows a 1 for what is masked");
	tap_is(chip_read(&chip, 40, ISR), RCOMP, "ISR names the cause");
	tap_is(chip_read(&chip, 40, ISR), 0, "and reading clears it");
	tap_ok(!chip_irq_lines(&chip), "with the line");
	chip_frame_sent(&chip, 50, 0, 64, 0);
	tap_is(chip_irq_lines(&chip), 1, "a sent frame raises at once");
	chip_write(&chip, 60, ISR, TCOMP);
	tap_ok(!chip_irq_lines(&chip), "writing ones clears too");
	chip_frame_received(&chip, 70, 0, 64, 0);
	chip_write(&chip, 80, IDR, RCOMP);
	tap_ok(!chip_irq_lines(&chip), "IDR masks");
	tap_is(chip_deadline(&chip), NEVER_AT_NS, "nothing is ever due");
	tap_is(chip_hold(&chip, 0, CHIP_RX).kind, CHIP_HOLD_NONE, "nothing is held");
	tap_is(chip_check(&chip), 0, "invariants");
	return tap_done();
}
