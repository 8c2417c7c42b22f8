/* SPDX-License-Identifier: GPL-2.0-or-later */
/* FEC: words and limits of every SoC, refusals, wraps, three rules for zeros, restarts, handler and poll. */
#include <errno.h>

#include "driver/driver_testing.h"

#define IMX8MM_HZ 266666666
#define IMX8QXP_HZ 333333333

static struct driver fec(const char *variant, uint32_t clock_hz)
{
	return testing_driver(variant, testing_config(CHIP_FEC, clock_hz), 1000);
}

/* The table of clocks in the hardware notes: largest time accepted, and the first one above the limit that wraps into
 * it again. */
static void test_limits(void)
{
	static const struct {
		const char *name;
		uint32_t clock_hz, largest, wraps;
	} socs[] = {
		{ "imx6sx", 198000000, 21188, 1388609 },  { "imx6ul", 132000000, 31782, 2082914 },
		{ "imx7d", 196000000, 21403, 1402668 },   { "imx8mm", IMX8MM_HZ, 15731, 1030958 },
		{ "imx8qxp", IMX8QXP_HZ, 12583, 824687 }, { "imx93", 312500000, 13424, 879756 },
	};
	for (size_t i = 0; i < sizeof(socs) / sizeof(socs[0]); i++) {
		struct driver driver = fec("fec@6.12", socs[i].clock_hz);
		struct coalesce request = testing_request("rx-usecs 100000");
		uint32_t value = 0;
		tap_ok(driver_nearest_below(&driver, &request, COALESCE_RX_USECS, 100000, &value),
		       "%s: something below 100000 is accepted", socs[i].name);
		tap_is(value, socs[i].largest, "%s: the largest rx-usecs", socs[i].name);
		tap_ok(driver_nearest_above(&driver, &request, COALESCE_RX_USECS, 3000000, &value),
		       "%s: something above wraps", socs[i].name);
		tap_is(value, socs[i].wraps, "%s: the first that wraps", socs[i].name);
	}
}

static void test_words(void)
{
	struct driver driver;
	struct driver_result result;
	struct driver_config config = testing_config(CHIP_FEC, IMX8MM_HZ);
	driver_init(&driver, driver_variant_find("fec@6.12"), &config, NULL);
	tap_is_text(testing_get(&driver), "rx-usecs 1000 rx-frames 200 tx-usecs 1000 tx-frames 200", "defaults");
	driver_open(&driver, &result);
	tap_is_text(testing_outcome(&result), "4=ff7fffff 8=0 f0=cc801046 100=cc801046",
		    "open without a link writes but masks all");
	driver_link(&driver, 1000, &result);
	tap_is_text(testing_outcome(&result), "4=ff7fffff 8=a0000aa f0=cc801046 100=cc801046",
		    "a link restarts and unmasks");
	driver_link(&driver, 1000, &result);
	tap_is_text(testing_outcome(&result), "", "the same link does nothing");

	driver = fec("fec@6.12", IMX8QXP_HZ);
	result = testing_set(&driver, "rx-usecs 100");
	tap_is_text(testing_outcome(&result), "f0=cc801458 100=cc800208", "TX first, then RX, one ring");
	tap_is_text(testing_warning(&result, "becomes"),
		    "rx-usecs 100 becomes 99.84us: 520 ticks of 64 clocks at 333333333 Hz", "what is lost is said");
	result = testing_set(&driver, "rx-usecs 100 tx-frames 200");
	tap_is_text(testing_outcome(&result), "same", "what is reported already is not written again");

	config = testing_config(CHIP_FEC, IMX8QXP_HZ);
	config.has_multi_queues = true;
	driver = testing_driver("fec@6.12", config, 1000);
	result = testing_set(&driver, "rx-usecs 100");
	tap_is_text(testing_outcome(&result),
		    "f0=cc801458 100=cc800208 f4=cc801458 104=cc800208 f8=cc801458 108=cc800208",
		    "three rings, ring by ring");
}

static void test_wrap(void)
{
	struct driver driver = fec("fec@6.12", 132000000);
	struct driver_result result = testing_set(&driver, "rx-usecs 2083000");
	tap_is_text(testing_outcome(&result), "f0=cc80080e 100=cc8000b2", "2083000 us program 178 ticks");
	tap_is_text(
		testing_warning(&result, "wraps"),
		"rx-usecs 2083000 us wraps to 86.303us: the product of the conversion has 32 bits, 178 ticks remain",
		"the wrap is said");
}

static void test_refusals(void)
{
	struct driver driver = fec("fec@6.12", 132000000);
	struct driver_result result =
		testing_set(&driver, "rx-usecs 100000 tx-usecs 100000 rx-frames 256 tx-frames 256");
	tap_is(result.field, COALESCE_RX_FRAMES, "rx-frames is checked first");
	result = testing_set(&driver, "rx-usecs 100000 tx-usecs 100000 tx-frames 256");
	tap_is(result.field, COALESCE_TX_FRAMES, "then tx-frames");
	result = testing_set(&driver, "rx-usecs 100000 tx-usecs 100000");
	tap_is(result.field, COALESCE_RX_USECS, "then rx-usecs");
	result = testing_set(&driver, "rx-usecs 7 tx-usecs 100000");
	tap_is(result.field, COALESCE_TX_USECS, "then tx-usecs");
	tap_is_text(testing_outcome(&result), "-22", "all with EINVAL");
	tap_is(result.write_count, 0, "nothing is written");
	tap_is_text(testing_get(&driver), "rx-usecs 1000 rx-frames 200 tx-usecs 1000 tx-frames 200",
		    "nothing is stored");

	struct driver_config config = testing_config(CHIP_FEC, 66000000);
	config.has_coalesce = false;
	driver = testing_driver("fec@6.12", config, 100);
	tap_is_text(testing_get(&driver), "-95", "no coalescer: no get");
	result = testing_set(&driver, "rx-usecs 100");
	tap_is(result.error, -EOPNOTSUPP, "no coalescer: no set");
	result = testing_set(&driver, "adaptive-rx on");
	tap_is(result.error, -EINVAL, "the core's look at the mask comes before that");
	driver_open(&driver, &result);
	tap_is_text(testing_outcome(&result), "4=ff7fffff 8=a0000aa", "no coalescer: no such register is written");
}

static void test_zeros(void)
{
	struct driver driver = fec("fec@old", 132000000);
	struct driver_result result = testing_set(&driver, "tx-frames 0 rx-usecs 500");
	tap_is(result.error, 0, "fec@old accepts a zero");
	tap_is_text(testing_outcome(&result), "", "and writes no register at all");
	tap_is_text(testing_get(&driver), "rx-usecs 500 rx-frames 200 tx-usecs 1000 tx-frames 0",
		    "though get reports it");
	tap_ok(testing_warning(&result, "skips the register write")[0], "which is said");
	driver_open(&driver, &result);
	tap_is_text(testing_outcome(&result), "4=ff7fffff 8=a0000aa", "nor does the next open");
	result = testing_set(&driver, "tx-frames 1");
	tap_is_text(testing_outcome(&result), "f0=c010080e 100=cc800407", "frames 1 is written as 1");
	tap_ok(testing_warning(&result, "interrupts for every frame")[0], "and means an interrupt per frame");

	driver = fec("fec@6.12", 132000000);
	result = testing_set(&driver, "rx-frames 1");
	tap_is_text(testing_outcome(&result), "f0=cc80080e 100=0", "fec@6.12 turns a direction off for frames 1");
	tap_ok(testing_warning(&result, "needs more than one frame")[0], "which is said");
	result = testing_set(&driver, "rx-usecs 0 rx-frames 0");
	tap_ok(testing_warning(&result, "both 0")[0], "both zero breaks ethtool's rules");
	tap_ok(testing_warning(&result, "receive coalescing is off: rx-usecs 0")[0], "and is off");
	tap_is_text(testing_warning(&result, "transmit"), "", "nothing is said about the other direction");
}

/* As recorded at 132 and 266 MHz: test/data/vectors. */
static void test_close(void)
{
	struct driver_config config = testing_config(CHIP_FEC, 132000000);
	struct driver driver = testing_driver("fec@6.12", config, 100);
	struct driver_result result = testing_set(&driver, "rx-usecs 100");
	driver_close(&driver, &result);
	tap_ok(result.resets_chip, "ifdown resets the controller");
	tap_is_text(testing_get(&driver), "rx-usecs 100 rx-frames 200 tx-usecs 1000 tx-frames 200",
		    "and not what is reported");
	driver_link(&driver, 0, &result);
	driver_link(&driver, 100, &result);
	tap_is(result.write_count, 0, "a link is nothing to it while it is down");
	driver_open(&driver, &result);
	tap_ok(strstr(testing_outcome(&result), "100=cc8000ce"), "open writes the settings again");

	config.has_multi_queues = true;
	driver = testing_driver("fec@6.12", config, 100);
	driver_close(&driver, &result);
	tap_ok(!result.resets_chip, "one with several rings is switched off only");
}

static void test_seed(void)
{
	struct driver_config config = testing_config(CHIP_FEC, IMX8QXP_HZ);
	config.rx_usecs_default = 100;
	struct driver driver = testing_driver("fec@seed", config, 1000);
	tap_is_text(testing_get(&driver), "rx-usecs 100 rx-frames 200 tx-usecs 1000 tx-frames 200",
		    "fec@seed takes the SoC's default");
	struct driver_result result = testing_set(&driver, "rx-usecs 0");
	tap_is_text(testing_outcome(&result), "", "with the rule of fec@old");
	driver = testing_driver("fec@old", config, 1000);
	tap_is_text(testing_get(&driver), "rx-usecs 1000 rx-frames 200 tx-usecs 1000 tx-frames 200",
		    "fec@old does not know it");
	driver = fec("fec@seed", IMX8QXP_HZ);
	tap_is_text(testing_get(&driver), "rx-usecs 1000 rx-frames 200 tx-usecs 1000 tx-frames 200",
		    "0 means the driver's own default");
}

static void test_adopt(void)
{
	struct driver driver = fec("fec@6.12", IMX8MM_HZ);
	tap_ok(driver_adopt_register(&driver, 0x100, 0xc0a0019f), "RXIC0 means something");
	tap_is_text(testing_get(&driver), "rx-usecs 100 rx-frames 10 tx-usecs 1000 tx-frames 200",
		    "the smallest request that programs it");
	tap_ok(driver_adopt_register(&driver, 0x0f0, 0), "so does TXIC0");
	tap_is_text(testing_get(&driver), "rx-usecs 100 rx-frames 10 tx-usecs 0 tx-frames 200", "off");
	tap_ok(!driver_adopt_register(&driver, 0x104, 0), "the other rings are not reported");
}

static void test_poll(void)
{
	struct driver driver = fec("fec@6.12", IMX8MM_HZ);
	tap_is_text(testing_step(&driver, DRIVER_HARDIRQ, (struct driver_input){ .cause = 0 }), "",
		    "not ours without an event");
	tap_is_text(testing_step(&driver, DRIVER_HARDIRQ, (struct driver_input){ .cause = 0x0a800000 }),
		    "4=a000000 8=0 handled schedule if-scheduled=1",
		    "events are cleared but for MII; masking depends on NAPI");
	tap_is_text(testing_step(&driver, DRIVER_POLL, (struct driver_input){ 0 }), "rx tx rx-first",
		    "one poll serves both, RX first");
	tap_is_text(testing_step(&driver, DRIVER_ROUND_DONE, (struct driver_input){ .cause = 0x08000000 }), "",
		    "budget used up: neither EIR nor completion");
	tap_is_text(testing_step(&driver, DRIVER_ROUND_DONE,
				 (struct driver_input){ .cause = 0x08000000, .under_budget = true }),
		    "4=8000000 rx tx rx-first again", "new bits: once more");
	tap_is_text(testing_step(&driver, DRIVER_ROUND_DONE, (struct driver_input){ .under_budget = true }), "complete",
		    "no new bits: done");
	tap_is_text(testing_step(&driver, DRIVER_COMPLETED, (struct driver_input){ .completed = false }), "8=a0000aa",
		    "unmasked whatever napi_complete_done says");
	tap_is_text(testing_step(&driver, DRIVER_XMIT, (struct driver_input){ 0 }), "interrupt",
		    "descriptors ask for an interrupt");
	tap_is(driver_plan(&driver)->rx_clear_value, 0x02000000, "RXF0 is cleared before each frame");
	tap_ok(driver_plan(&driver)->cause_in_round, "EIR is read in every round");

	struct driver_result result;
	driver_link(&driver, 0, &result);
	tap_is_text(testing_step(&driver, DRIVER_HARDIRQ, (struct driver_input){ .cause = 0x02000000 }), "4=2000000",
		    "without a link events are cleared and disowned");
}

static void test_separate_poll(void)
{
	struct driver_config config = testing_config(CHIP_FEC, IMX8MM_HZ);
	config.assume.value[ASSUME_FEC_SHARED_POLL] = 0;
	struct driver driver = testing_driver("fec@6.12", config, 1000);
	testing_step(&driver, DRIVER_HARDIRQ, (struct driver_input){ .cause = 0x08000000 });
	tap_is_text(testing_step(&driver, DRIVER_POLL, (struct driver_input){ 0 }), "tx rx-first",
		    "a TX event serves TX only");
	tap_is_text(testing_step(&driver, DRIVER_ROUND_DONE,
				 (struct driver_input){ .cause = 0x02000000, .under_budget = true }),
		    "4=2000000 rx rx-first again", "RX only when its bit comes");
	tap_is_text(testing_step(&driver, DRIVER_ROUND_DONE, (struct driver_input){ .cause = 0 }), "",
		    "budget used up");
	tap_is_text(testing_step(&driver, DRIVER_POLL, (struct driver_input){ 0 }), "rx rx-first",
		    "then RX is still due");
}

int main(void)
{
	test_limits();
	test_words();
	test_wrap();
	test_refusals();
	test_zeros();
	test_close();
	test_seed();
	test_adopt();
	test_poll();
	test_separate_poll();
	return tap_done();
}
