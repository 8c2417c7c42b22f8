/* SPDX-License-Identifier: GPL-2.0-or-later */
/* macb: no settings; each direction is masked, served and unmasked by itself. */
#include <errno.h>

#include "driver/driver_testing.h"

int main(void)
{
	struct driver driver = testing_driver("macb@6.1", testing_config(CHIP_MACB, 0), 1000);
	struct driver_result result = testing_set(&driver, "rx-usecs 10");
	const struct driver_input done = { .under_budget = true, .tx_all_reclaimed = true };
	const struct driver_input completed = { .completed = true };

	tap_is_text(testing_outcome(&result), "-95", "no set");
	tap_is_text(testing_get(&driver), "-95", "no get");
	driver_open(&driver, &result);
	tap_is_text(testing_outcome(&result), "28=cfa", "open enables RX and TX events");

	tap_is_text(testing_step(&driver, DRIVER_HARDIRQ, (struct driver_input){ .cause = 0x02 }),
		    "2c=402 24=2 handled schedule", "RCOMP masks RX and is acknowledged");
	tap_is_text(testing_step(&driver, DRIVER_POLL, done), "rx", "only RX is served");
	tap_is_text(testing_step(&driver, DRIVER_ROUND_DONE, (struct driver_input){ .under_budget = true }), "complete",
		    "which does not wait for the TX ring");
	tap_is_text(testing_step(&driver, DRIVER_HARDIRQ, (struct driver_input){ .cause = 0x80 }),
		    "2c=80 24=88 handled schedule", "TCOMP during the poll masks TX");
	tap_is_text(testing_step(&driver, DRIVER_ROUND_DONE, done), "", "which keeps the poll going");
	tap_is_text(testing_step(&driver, DRIVER_POLL, done), "rx tx", "with both");
	tap_is_text(testing_step(&driver, DRIVER_ROUND_DONE, (struct driver_input){ .under_budget = true }), "",
		    "TX left: stays");
	tap_is_text(testing_step(&driver, DRIVER_ROUND_DONE, (struct driver_input){ .tx_all_reclaimed = true }), "",
		    "budget used up: stays");
	tap_is_text(testing_step(&driver, DRIVER_ROUND_DONE, done), "complete", "else completes");
	tap_is_text(testing_step(&driver, DRIVER_COMPLETED, (struct driver_input){ 0 }), "", "stays masked if told so");
	tap_is_text(testing_step(&driver, DRIVER_POLL, done), "rx tx", "and serves both again when deferral ends");
	tap_is_text(testing_step(&driver, DRIVER_COMPLETED, completed), "28=482", "unmasks what was masked");
	tap_is_text(testing_step(&driver, DRIVER_POLL, done), "", "then nothing is due");

	testing_step(&driver, DRIVER_HARDIRQ, (struct driver_input){ .cause = 0x02 });
	tap_is_text(testing_step(&driver, DRIVER_COMPLETED,
				 (struct driver_input){ .completed = true, .work_waiting = true }),
		    "28=402 2c=402 24=2 schedule", "frames that came while masked are looked for");
	tap_is_text(testing_step(&driver, DRIVER_POLL, done), "rx", "and served");
	tap_is_text(testing_step(&driver, DRIVER_XMIT, done), "interrupt", "TX asks for interrupts");
	return tap_done();
}
