/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tsnep: steps of 16 us, who rules a queue, single queues, the three variants, handler and poll. */
#include <errno.h>

#include "driver/driver_testing.h"

static struct driver tsnep(const char *variant, unsigned queues)
{
	struct driver_config config = testing_config(CHIP_TSNEP, 0);
	config.queues = queues;
	return testing_driver(variant, config, 1000);
}

static void test_variants(void)
{
	struct driver driver;
	struct driver_result result;
	struct driver_config config = testing_config(CHIP_TSNEP, 0);
	driver_init(&driver, driver_variant_find("tsnep@none"), &config, NULL);
	driver_open(&driver, &result);
	tap_is_text(testing_outcome(&result), "18=300", "tsnep@none writes no delay");
	driver_init(&driver, driver_variant_find("tsnep@seed"), &config, NULL);
	driver_open(&driver, &result);
	tap_is_text(testing_outcome(&result), "30=40 18=300", "tsnep@seed writes 4 steps at probe");
	tap_is_text(testing_get(&driver), "-95", "and cannot be asked");
	config.queues = 2;
	driver_init(&driver, driver_variant_find("tsnep@6.12"), &config, NULL);
	tap_is_text(testing_get(&driver), "rx-usecs 64 tx-usecs 64", "tsnep@6.12 too, and can");
	driver_open(&driver, &result);
	tap_is_text(testing_outcome(&result), "30=40 31=40 18=300 18=c00", "for each queue");
	testing_set(&driver, "rx-usecs 100");
	driver_open(&driver, &result);
	tap_is_text(testing_outcome(&result), "18=300 18=c00", "the next open does not write it again");
	tap_is_text(testing_get(&driver), "rx-usecs 96 tx-usecs 96", "settings survive it");
}

static void test_set(void)
{
	struct driver driver = tsnep("tsnep@6.12", 2);
	struct driver_result result = testing_set(&driver, "rx-usecs 100 tx-usecs 10000");
	tap_is_text(testing_outcome(&result), "30=60 31=60", "all queues get rx-usecs, cut to steps");
	tap_is_text(testing_warning(&result, "becomes"), "rx-usecs 100 becomes 96: 6 steps of 16 us", "which is said");
	tap_is_text(testing_warning(&result, "ignored"),
		    "tx-usecs 10000 is ignored: RX and TX of a queue share one delay, and rx-usecs 96 rules it",
		    "tx-usecs is not even checked");
	result = testing_set(&driver, "rx-usecs 17");
	tap_is_text(testing_warning(&result, "becomes"), "rx-usecs 17 becomes 16: 1 step of 16 us",
		    "one is a single step");
	result = testing_set(&driver, "rx-usecs 256");
	tap_is_text(testing_outcome(&result), "-34", "above 255 is ERANGE");
	result = testing_set(&driver, "rx-usecs 255");
	tap_is_text(testing_outcome(&result), "30=f0 31=f0", "255 is 15 steps");
	result = testing_set(&driver, "rx-usecs 240");
	tap_is_text(testing_outcome(&result), "same", "as 240 is");

	struct driver_config config = testing_config(CHIP_TSNEP, 0);
	config.queues = 2;
	config.tx_only_queue = true;
	driver = testing_driver("tsnep@6.12", config, 1000);
	result = testing_set(&driver, "rx-usecs 32 tx-usecs 48");
	tap_is_text(testing_outcome(&result), "30=20 31=30", "a queue that only sends obeys tx-usecs");
}

static void test_queue(void)
{
	struct driver driver = tsnep("tsnep@6.12", 2);
	struct coalesce request = testing_request("rx-usecs 48"), reported;
	struct driver_result result;
	driver_set_queue(&driver, 1, &request, &result);
	tap_is_text(testing_outcome(&result), "31=30", "one queue is written");
	tap_is(driver_get_queue(&driver, 1, &reported), 0, "and read");
	tap_is(reported.value[COALESCE_RX_USECS], 48, "by itself");
	tap_is_text(testing_get(&driver), "rx-usecs 64 tx-usecs 64", "the device as a whole speaks for queue 0");
	tap_is(driver_get_queue(&driver, 2, &reported), -EINVAL, "there is no queue 2");
	driver_set_queue(&driver, 2, &request, &result);
	tap_is(result.error, -EINVAL, "nor can it be set");
	request = testing_request("rx-frames 0");
	driver_set_queue(&driver, 0, &request, &result);
	tap_is_text(testing_outcome(&result), "30=40",
		    "the ioctl does not see a zero, and calls the driver for nothing");
	request = testing_request("rx-frames 1");
	driver_set_queue(&driver, 0, &request, &result);
	tap_is(result.error, -EOPNOTSUPP, "but refuses another value");
}

static void test_poll(void)
{
	struct driver driver = tsnep("tsnep@6.12", 1);
	tap_is(driver_plan(&driver)->tx_budget, 128, "128 frames are reclaimed per round");
	tap_is_text(testing_step(&driver, DRIVER_HARDIRQ, (struct driver_input){ .cause = 0x220 }),
		    "1c=220 18=80000300 handled schedule if-scheduled=1",
		    "acknowledges all, masks the pair of sources");
	tap_is_text(testing_step(&driver, DRIVER_HARDIRQ, (struct driver_input){ .cause = 0x20 }), "1c=20",
		    "a link event is not the queue's");
	tap_is_text(testing_step(&driver, DRIVER_POLL, (struct driver_input){ 0 }), "rx tx", "both, TX first");
	tap_is_text(testing_step(&driver, DRIVER_ROUND_DONE, (struct driver_input){ .under_budget = true }), "",
		    "TX left: stays");
	tap_is_text(testing_step(&driver, DRIVER_ROUND_DONE,
				 (struct driver_input){ .under_budget = true, .tx_all_reclaimed = true }),
		    "complete", "else completes");
	tap_is_text(testing_step(&driver, DRIVER_COMPLETED, (struct driver_input){ .work_waiting = true }), "",
		    "stays masked if told so");
	tap_is_text(testing_step(&driver, DRIVER_COMPLETED, (struct driver_input){ .completed = true }), "18=300",
		    "else unmasks");
	tap_is_text(testing_step(&driver, DRIVER_COMPLETED,
				 (struct driver_input){ .completed = true, .work_waiting = true }),
		    "18=300 18=80000300 schedule", "looks again, masks and comes back");
	driver = tsnep("tsnep@seed", 1);
	tap_is_text(testing_step(&driver, DRIVER_COMPLETED,
				 (struct driver_input){ .completed = true, .work_waiting = true }),
		    "18=300", "which the patch of the thread does not do yet");
}

int main(void)
{
	test_variants();
	test_set();
	test_queue();
	test_poll();
	return tap_done();
}
