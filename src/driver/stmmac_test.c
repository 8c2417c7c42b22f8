/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stmmac: the watchdog's range, the two rules for rx-usecs 0, the receive part that stays, open, the TX timer,
 * handler and poll. */
#include <errno.h>

#include "driver/driver_testing.h"

#define CLOCK_HZ 266000000

static struct driver stmmac(const char *variant)
{
	return testing_driver(variant, testing_config(CHIP_STMMAC, CLOCK_HZ), 1000);
}

static void test_watchdog(void)
{
	struct driver driver = stmmac("stmmac@6.12");
	tap_is_text(testing_get(&driver), "rx-usecs 153 rx-frames 0 tx-usecs 5000 tx-frames 25", "defaults of 6.12");
	driver = stmmac("stmmac@6.1");
	tap_is_text(testing_get(&driver), "rx-usecs 153 rx-frames 0 tx-usecs 1000 tx-frames 25", "defaults of 6.1");
	struct driver_result result = testing_set(&driver, "rx-usecs 100");
	tap_is_text(testing_outcome(&result), "1138=67", "100 us are 103 units");
	tap_is_text(testing_get(&driver), "rx-usecs 99 rx-frames 0 tx-usecs 1000 tx-frames 25", "and read back as 99");
	tap_is_text(testing_warning(&result, "becomes"),
		    "rx-usecs 100 becomes 99.128us: 103 units of 256 clocks at 266000000 Hz, reported as 99",
		    "which is said");
	result = testing_set(&driver, "rx-usecs 15");
	tap_is_text(testing_outcome(&result), "-22", "15 units are too few");
	result = testing_set(&driver, "rx-usecs 16");
	tap_is_text(testing_outcome(&result), "1138=10", "16 are the least");
	result = testing_set(&driver, "rx-usecs 246");
	tap_is_text(testing_outcome(&result), "1138=ff", "255 the most");
	result = testing_set(&driver, "rx-usecs 247");
	tap_is_text(testing_outcome(&result), "-22", "256 are too many");
	/* 4133502458 * 266 / 256 = 2^32 + 101 */
	result = testing_set(&driver, "rx-usecs 4133502458");
	tap_is_text(testing_outcome(&result), "1138=65", "the units wrap at 32 bits");
	tap_ok(testing_warning(&result, "wraps to 97.203us")[0], "which is said");
}

static void test_zero(void)
{
	struct driver driver = stmmac("stmmac@6.12");
	struct driver_result result = testing_set(&driver, "rx-usecs 0");
	tap_is_text(testing_outcome(&result), "-22", "6.12 refuses rx-usecs 0");
	driver = stmmac("stmmac@6.1");
	result = testing_set(&driver, "rx-usecs 0 rx-frames 5 tx-usecs 70");
	tap_is_text(testing_outcome(&result), "", "6.1 accepts it and writes nothing");
	tap_is_text(testing_get(&driver), "rx-usecs 153 rx-frames 0 tx-usecs 70 tx-frames 25",
		    "rx-frames is skipped too, tx-usecs is not");
	tap_ok(testing_warning(&result, "skips the receive part")[0], "which is said");
}

static void test_order(void)
{
	struct driver driver = stmmac("stmmac@6.1");
	struct driver_result result = testing_set(&driver, "rx-usecs 50 tx-usecs 100001 tx-frames 7");
	tap_is(result.error, -EINVAL, "tx-usecs above 100000 is refused");
	tap_is(result.field, COALESCE_TX_USECS, "and named");
	tap_is_text(testing_writes(result.writes, result.write_count), "1138=33", "but the receive part is written");
	tap_is_text(testing_get(&driver), "rx-usecs 49 rx-frames 0 tx-usecs 1000 tx-frames 25", "and stored");
	tap_ok(testing_warning(&result, "although the transmit part is refused")[0], "which is said");
	result = testing_set(&driver, "tx-frames 257");
	tap_is(result.field, COALESCE_TX_FRAMES, "tx-frames above 256 is refused");
	result = testing_set(&driver, "tx-usecs 0 tx-frames 0");
	tap_is(result.error, -EINVAL, "both zero is refused");
	result = testing_set(&driver, "tx-usecs 100000 tx-frames 256");
	tap_is(result.error, 0, "the largest values are taken");
	result = testing_set(&driver, "rx-usecs 5 tx-usecs 200");
	tap_is(result.error, -EINVAL, "a refused receive part");
	tap_is_text(testing_get(&driver), "rx-usecs 46 rx-frames 0 tx-usecs 100000 tx-frames 256", "changes nothing");
}

/* Each change of another field takes the reported time, cuts it to units and reports it cut again. */
static void test_creep(void)
{
	static const uint32_t expected[] = { 99, 98, 97, 96 };
	struct driver driver = stmmac("stmmac@6.12");
	struct driver_result result = testing_set(&driver, "rx-usecs 100");
	tap_is_text(testing_warning(&result, "later change"),
		    "rx-usecs is reported as 99: a later change of another field sets that again and makes it 98",
		    "the creep is foretold");
	for (uint32_t i = 0; i < 4; i++) {
		char words[32];
		struct coalesce reported;
		if (i) {
			sprintf(words, "tx-frames %u", i);
			result = testing_set(&driver, words);
		}
		driver_get(&driver, &reported);
		tap_is(reported.value[COALESCE_RX_USECS], expected[i], "after %u changes of tx-frames", i);
	}
	result = testing_set(&driver, "rx-usecs 16");
	tap_ok(testing_warning(&result, "reported as 15, which is refused")[0], "16 reads 15, which is foretold");
	result = testing_set(&driver, "tx-frames 9");
	tap_is_text(testing_outcome(&result), "-22", "and refused");
}

static void test_open(void)
{
	struct driver driver = stmmac("stmmac@6.12");
	struct driver_result result = testing_set(&driver, "rx-usecs 100 rx-frames 1 tx-usecs 70 tx-frames 3");
	tap_ok(testing_warning(&result, "never runs")[0], "rx-frames takes the watchdog out");
	tap_is(driver_rx_frame_flags(&driver), CHIP_FRAME_INTERRUPT, "every receive descriptor asks then");
	driver_open(&driver, &result);
	tap_is_text(testing_outcome(&result), "1138=67 1134=8041", "open keeps the watchdog");
	tap_is_text(testing_get(&driver), "rx-usecs 99 rx-frames 0 tx-usecs 5000 tx-frames 25", "and forgets the rest");
	tap_ok(testing_warning(&result, "lost")[0], "which is said");
	tap_is(driver_rx_frame_flags(&driver), 0, "no receive descriptor asks now");

	struct driver_config config = testing_config(CHIP_STMMAC, CLOCK_HZ);
	config.queues = 2;
	driver = testing_driver("stmmac@6.12", config, 1000);
	result = testing_set(&driver, "rx-usecs 100");
	tap_is_text(testing_outcome(&result), "1138=67 11b8=67", "every channel is set");
	struct coalesce request = testing_request("rx-usecs 50"), reported;
	driver_set_queue(&driver, 1, &request, &result);
	tap_is_text(testing_outcome(&result), "11b8=33", "or one");
	driver_get_queue(&driver, 1, &reported);
	tap_is(reported.value[COALESCE_RX_USECS], 49, "which is reported");
	tap_is_text(testing_get(&driver), "rx-usecs 99 rx-frames 0 tx-usecs 5000 tx-frames 25", "by itself");
	tap_ok(driver_adopt_register(&driver, 0x1138, 0xa0), "the watchdog register means something");
	tap_is_text(testing_get(&driver), "rx-usecs 153 rx-frames 0 tx-usecs 5000 tx-frames 25", "its time");
}

static void test_xmit(void)
{
	struct driver driver = stmmac("stmmac@6.1");
	testing_set(&driver, "tx-frames 3");
	tap_is_text(testing_step(&driver, DRIVER_XMIT, (struct driver_input){ 0 }), "timer=1000000",
		    "each frame restarts the timer");
	testing_step(&driver, DRIVER_XMIT, (struct driver_input){ 0 });
	tap_is_text(testing_step(&driver, DRIVER_XMIT, (struct driver_input){ 0 }), "interrupt timer=1000000",
		    "the third frame asks");
	testing_set(&driver, "tx-usecs 0");
	tap_is_text(testing_step(&driver, DRIVER_XMIT, (struct driver_input){ 0 }), "", "tx-usecs 0 means no timer");
	testing_set(&driver, "tx-frames 0 tx-usecs 50");
	testing_step(&driver, DRIVER_XMIT, (struct driver_input){ 0 });
	tap_is_text(testing_step(&driver, DRIVER_XMIT, (struct driver_input){ 0 }), "timer=50000",
		    "tx-frames 0 never asks");

	driver = stmmac("stmmac@6.12");
	tap_is_text(testing_step(&driver, DRIVER_TX_TIMER, (struct driver_input){ 0 }), "1134=8040 schedule",
		    "the timer masks TX and schedules");
	tap_is_text(testing_step(&driver, DRIVER_TX_TIMER, (struct driver_input){ 0 }), "", "once");
	tap_is_text(testing_step(&driver, DRIVER_XMIT, (struct driver_input){ 0 }), "timer=-1",
		    "6.12 leaves the timer to a scheduled poll");
	tap_is_text(testing_step(&driver, DRIVER_POLL, (struct driver_input){ 0 }), "tx", "which serves TX only");
	const struct driver_input left = { .under_budget = true, .tx_all_reclaimed = true, .tx_frames_pending = true };
	tap_is_text(testing_step(&driver, DRIVER_ROUND_DONE, left), "complete timer=5000000",
		    "and arms it again if frames are left");
	tap_is_text(testing_step(&driver, DRIVER_COMPLETED, (struct driver_input){ .completed = true }), "1134=8041",
		    "all is unmasked");
	tap_is_text(testing_step(&driver, DRIVER_XMIT, (struct driver_input){ 0 }), "timer=5000000",
		    "and the next frame arms it");
}

static void test_poll(void)
{
	struct driver driver = stmmac("stmmac@6.12");
	const struct driver_input done = { .under_budget = true, .tx_all_reclaimed = true };
	tap_is_text(testing_step(&driver, DRIVER_HARDIRQ, (struct driver_input){ .cause = 0x8040 }),
		    "1160=8040 1134=8001 handled schedule", "RI is acknowledged and masked");
	tap_is_text(testing_step(&driver, DRIVER_POLL, done), "rx", "RX only");
	tap_is_text(testing_step(&driver, DRIVER_HARDIRQ, (struct driver_input){ .cause = 0x8041 }),
		    "1160=8041 1134=8000 handled schedule", "TI during the poll; RI stays masked");
	tap_is_text(testing_step(&driver, DRIVER_ROUND_DONE, done), "", "keeps it going");
	tap_is_text(testing_step(&driver, DRIVER_POLL, done), "rx tx", "with both");
	tap_is_text(testing_step(&driver, DRIVER_ROUND_DONE, (struct driver_input){ .tx_all_reclaimed = true }), "",
		    "budget used up: stays");
	tap_is_text(testing_step(&driver, DRIVER_ROUND_DONE, done), "complete", "else completes");
	tap_is_text(testing_step(&driver, DRIVER_COMPLETED, (struct driver_input){ 0 }), "", "stays masked if told so");
	tap_is_text(testing_step(&driver, DRIVER_XMIT, done), "timer=5000000",
		    "deferred is not scheduled: the timer is armed");
	tap_is_text(testing_step(&driver, DRIVER_COMPLETED, (struct driver_input){ .completed = true }), "1134=8041",
		    "else unmasks");
	testing_step(&driver, DRIVER_HARDIRQ, (struct driver_input){ .cause = 0x8040 });
	testing_step(&driver, DRIVER_POLL, done);
	tap_is_text(testing_step(&driver, DRIVER_ROUND_DONE,
				 (struct driver_input){ .under_budget = true, .tx_frames_pending = true }),
		    "complete", "RX alone does not wait for the TX ring");
}

int main(void)
{
	test_watchdog();
	test_zero();
	test_order();
	test_creep();
	test_open();
	test_xmit();
	test_poll();
	return tap_done();
}
