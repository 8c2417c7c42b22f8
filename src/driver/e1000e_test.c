/* SPDX-License-Identifier: GPL-2.0-or-later */
/* e1000e: accepted values, ITR through a whole rate, the modes, the dynamic classes, handler and poll. */
#include <errno.h>

#include <string.h>

#include "driver/driver_testing.h"

#define ITR_70000 "c4=37"
#define ITR_20000 "c4=c3"
#define ITR_4000 "c4=3d0"

static struct driver e1000e(unsigned speed_mbps)
{
	return testing_driver("e1000e@6.1", testing_config(CHIP_E1000E, 0), speed_mbps);
}

static void test_accepted(void)
{
	for (uint32_t usecs = 0; usecs <= 12; usecs++) {
		struct driver driver = e1000e(1000);
		char words[32];
		testing_set(&driver, "rx-usecs 500"); /* so that no value is the present one */
		sprintf(words, "rx-usecs %u", usecs);
		struct driver_result result = testing_set(&driver, words);
		bool expected = usecs == 0 || usecs == 1 || usecs == 3 || usecs == 4 || usecs >= 10;
		tap_is(result.error, expected ? 0 : -EINVAL, "%s", words);
	}
	struct driver driver = e1000e(1000);
	struct driver_result result = testing_set(&driver, "rx-usecs 10001");
	tap_is_text(testing_outcome(&result), "-22", "10001 is too much");
	result = testing_set(&driver, "tx-usecs 10");
	tap_is_text(testing_outcome(&result), "-22", "tx-usecs");
	tap_ok(result.core_refused, "does not reach the driver");
}

static void test_itr(void)
{
	struct driver driver = e1000e(1000);
	struct driver_result result;
	tap_is_text(testing_get(&driver), "rx-usecs 3", "the default");
	driver_open(&driver, &result);
	tap_is_text(testing_outcome(&result), "3820=8 382c=20 2820=1 282c=1 c4=c3 e0=ffffffff 18=8000000 d0=9d",
		    "open");
	result = testing_set(&driver, "rx-usecs 3000");
	tap_is_text(testing_outcome(&result), "c4=2dd2", "3000 us are 11730 units, as recorded, not 11718");
	tap_is_text(testing_get(&driver), "rx-usecs 3012", "and read back as 3012");
	tap_is_text(testing_warning(&result, "becomes"),
		    "rx-usecs 3000 becomes 3002.88us: 333 interrupts/s make 11730 units of 256 ns", "said");
	tap_ok(testing_warning(&result, "reported as 3012")[0], "both");
	result = testing_set(&driver, "rx-usecs 13");
	tap_is_text(testing_get(&driver), "rx-usecs 13", "13 reads 13");
	result = testing_set(&driver, "rx-usecs 4");
	tap_is_text(testing_outcome(&result), "c4=e6b2", "mode 4 programs 15.1 ms");
	tap_ok(testing_warning(&result, "which is 15118.848us until")[0], "which is said");
	tap_is_text(testing_get(&driver), "rx-usecs 4", "modes read back as themselves");
	result = testing_set(&driver, "rx-usecs 0");
	tap_is_text(testing_outcome(&result), "c4=0", "0 is off");
	driver_open(&driver, &result);
	tap_is_text(testing_outcome(&result), "3820=8 382c=20 2820=1 282c=1 e0=ffffffff 18=8000000 d0=9d",
		    "and stays off: open writes no ITR");
	result = testing_set(&driver, "rx-usecs 1");
	tap_is_text(testing_outcome(&result), ITR_20000, "dynamic starts at 20000/s");
	tap_ok(testing_warning(&result, "no time but a mode")[0], "and is no microsecond");
	tap_ok(driver_adopt_register(&driver, 0xc4, 390), "ITR means something");
	tap_is_text(testing_get(&driver), "rx-usecs 99", "390 units are 10016/s, kept as 10016");
}

/* One interrupt with so much received, and what is written at its end. */
static const char *after(struct driver *driver, uint32_t packets, uint32_t bytes)
{
	const struct driver_input work = { .under_budget = true, .packets = { packets, 0 }, .bytes = { bytes, 0 } };
	testing_step(driver, DRIVER_HARDIRQ, (struct driver_input){ .cause = 0x80 });
	testing_step(driver, DRIVER_ROUND_DONE, work);
	return testing_step(driver, DRIVER_COMPLETED, (struct driver_input){ .completed = true });
}

static void test_dynamic(void)
{
	struct driver driver = e1000e(1000);
	testing_set(&driver, "rx-usecs 1");
	/* both classes start at lowest: the first interrupt raises the rate by a quarter of 70000 only */
	tap_is_text(after(&driver, 1, 60), "c4=68 d0=9d", "up by a quarter of the new rate: 37500/s");
	tap_is_text(after(&driver, 1, 60), "c4=47 d0=9d", "then 55000/s");
	tap_is_text(after(&driver, 1, 60), ITR_70000 " d0=9d", "then 70000/s");
	tap_is_text(after(&driver, 1, 60), "d0=9d", "then nothing");
	tap_is_text(after(&driver, 4, 2048), ITR_20000 " d0=9d", "few large frames: down at once");
	tap_is_text(after(&driver, 9, 13500), ITR_4000 " d0=9d", "bulk");
	tap_is_text(after(&driver, 30, 45000), "d0=9d", "stays bulk up to 35 frames");
	tap_is_text(after(&driver, 0, 0), "d0=9d", "an interrupt without frames changes nothing");
	tap_is_text(after(&driver, 36, 54000), "c4=1b2 d0=9d", "36 frames: towards low, 9000/s first");
	tap_is_text(after(&driver, 36, 40000), "c4=93 d0=9d", "36 frames of 1111 bytes: towards lowest, 26500/s first");
}

static void test_conservative(void)
{
	struct driver driver = e1000e(1000);
	tap_is_text(after(&driver, 1, 60), "d0=9d", "conservative has no lowest class");
	tap_is_text(after(&driver, 9, 13500), ITR_4000 " d0=9d", "but bulk");
	driver = e1000e(100);
	tap_is_text(after(&driver, 1, 60), ITR_4000 " d0=9d", "below 1 Gb/s it is 4000/s");
	testing_set(&driver, "rx-usecs 100");
	tap_is_text(after(&driver, 9, 13500), "d0=9d", "a fixed gap stays");
}

static void test_poll(void)
{
	struct driver driver = e1000e(1000);
	tap_is_text(testing_step(&driver, DRIVER_HARDIRQ, (struct driver_input){ .cause = 0 }), "",
		    "not ours without a cause");
	tap_is_text(testing_step(&driver, DRIVER_HARDIRQ, (struct driver_input){ .cause = 0x81 }), "handled schedule",
		    "reading ICR has masked already");
	tap_is_text(testing_step(&driver, DRIVER_POLL, (struct driver_input){ 0 }), "rx tx", "both, TX first");
	tap_is_text(testing_step(&driver, DRIVER_ROUND_DONE, (struct driver_input){ .under_budget = false }), "",
		    "budget used up: stays");
	tap_is_text(testing_step(&driver, DRIVER_ROUND_DONE, (struct driver_input){ .under_budget = true }), "complete",
		    "else completes");
	tap_is_text(testing_step(&driver, DRIVER_COMPLETED, (struct driver_input){ 0 }), "", "stays masked if told so");
	tap_is_text(testing_step(&driver, DRIVER_XMIT, (struct driver_input){ 0 }), "interrupt", "TX asks, with IDE");
}

static void test_modes_are_said(void)
{
	struct driver driver = testing_driver("e1000e@6.1", testing_config(CHIP_E1000E, 0), 1000);
	struct driver_result result;

	driver_open(&driver, &result);
	tap_ok(result.warning_count == 1 && strstr(result.warnings[0], "rx-usecs 3 is no time but a mode"),
	       "the default is a mode, and open says so");
	result = testing_set(&driver, "rx-usecs 3");
	tap_ok(result.unchanged && result.warning_count == 1, "so does a request that changes nothing");
	result = testing_set(&driver, "rx-usecs 20");
	result = testing_set(&driver, "rx-usecs 20");
	tap_ok(result.unchanged && result.warning_count == 0, "a time needs no remark");
}

/* What an 82574 does to a setting later; recorded in docs/findings. */
static void test_msix(void)
{
	struct driver_config config = testing_config(CHIP_E1000E, 0);
	config.has_msix = true;
	struct driver driver = testing_driver("e1000e@6.1", config, 1000);
	struct driver_result result = testing_set(&driver, "rx-usecs 500");
	tap_ok(testing_warning(&result, "the next frame may bring back the throttle of mode 3 (49.92us")[0],
	       "from a dynamic mode: the next frame");
	tap_ok(testing_warning(&result, "brings back the throttle of ifup, 49.92us if idle, while 500")[0],
	       "and resets");
	result = testing_set(&driver, "rx-usecs 500");
	tap_ok(result.unchanged &&
		       testing_warning(&result, "another throttle may be in force than the one that is reported")[0],
	       "asking for what is reported says that it may not be there");
	result = testing_set(&driver, "rx-usecs 100");
	tap_ok(!testing_warning(&result, "next frame")[0] && testing_warning(&result, "throttle of ifup")[0],
	       "from a time: resets only");
	driver_open(&driver, &result);
	result = testing_set(&driver, "rx-usecs 500");
	tap_ok(testing_warning(&result, "throttle of ifup, 99.84us")[0], "what ifup found counts");
	driver_open(&driver, &result);
	result = testing_set(&driver, "rx-usecs 500");
	tap_ok(result.unchanged && !result.warning_count, "after ifup with it, a time is in force");
	result = testing_set(&driver, "rx-usecs 0");
	tap_ok(testing_warning(&result, "0 does not outlast ifdown and ifup: then there is a throttle of 49.92us")[0],
	       "off does not last");
	result = testing_set(&driver, "rx-usecs 3");
	tap_ok(!testing_warning(&result, "MSI-X")[0], "a mode is none the worse");

	driver_init(&driver, driver_variant_find("e1000e@6.1"), &config, NULL);
	result = testing_set(&driver, "rx-usecs 500");
	tap_ok(!testing_warning(&result, "MSI-X")[0], "set before ifup, a time lasts");
	driver = e1000e(1000);
	result = testing_set(&driver, "rx-usecs 500");
	tap_ok(!testing_warning(&result, "MSI-X")[0], "and on chips with one vector");
}

static void test_delay_variant(void)
{
	struct driver driver = testing_driver("e1000e@delay", testing_config(CHIP_E1000E, 0), 1000);
	struct driver_result result = testing_set(&driver, "rx-usecs 100");
	struct coalesce reported = { 0 };

	tap_is_text(testing_writes(result.writes, result.write_count), "2820=ffff 282c=61 3820=ffff 382c=61",
		    "100 us are 97 units of 1.024 us, and the packet timers are out of the way");
	tap_ok(testing_warning(&result, "becomes 99328 ns")[0], "which is said");
	driver_get(&driver, &reported);
	tap_is(reported.value[COALESCE_RX_USECS], 100, "it reports what was asked");
	result = testing_set(&driver, "rx-usecs 0");
	tap_is_text(testing_writes(result.writes, result.write_count), "2820=1 282c=1 3820=1 382c=1",
		    "0 is the least delay");
	result = testing_set(&driver, "rx-usecs 67108");
	tap_is(result.error, -EINVAL, "more than RADV holds");
	result = testing_set(&driver, "rx-usecs 67107");
	tap_is(result.error, 0, "its most");
}

int main(void)
{
	test_delay_variant();
	test_msix();
	test_modes_are_said();
	test_accepted();
	test_itr();
	test_dynamic();
	test_conservative();
	test_poll();
	return tap_done();
}
