/* SPDX-License-Identifier: GPL-2.0-or-later */
/* r8169: units at every speed, the rules of 6.12 and of the 2017 patch, what open does, creep, handlers and polls. */
#include <errno.h>

#include "driver/driver_testing.h"

static struct driver rtl(const char *variant, enum chip_family family, unsigned speed_mbps)
{
	return testing_driver(variant, testing_config(family, 0), speed_mbps);
}

static void set_all(struct driver *driver, const char *words)
{
	struct driver_result result = testing_set(driver, words);
	tap_is(result.error, 0, "accepted: %s", words);
}

/* The last accepted time of each scale, and the word that it makes: the table in the hardware notes. */
static void test_units(void)
{
	static const struct {
		enum chip_family family;
		unsigned speed_mbps;
		uint32_t largest[4];
	} rows[] = {
		{ CHIP_RTL8169, 1000, { 4, 38, 76, 153 } },       { CHIP_RTL8169, 100, { 38, 307, 614, 1228 } },
		{ CHIP_RTL8169, 10, { 614, 4915, 9830, 19660 } }, { CHIP_RTL8168, 1000, { 75, 600, 1200, 2400 } },
		{ CHIP_RTL8168, 100, { 38, 307, 614, 1228 } },    { CHIP_RTL8168, 10, { 614, 4915, 9830, 19660 } },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (unsigned scale = 0; scale < 4; scale++) {
			char words[40], expected[40];
			struct driver driver = rtl("r8169@6.12", rows[i].family, rows[i].speed_mbps);
			sprintf(words, "rx-usecs %u", rows[i].largest[scale]);
			/* 4 us are 13 units of 320 ns; everywhere else the limit needs all 15 */
			sprintf(expected, "e2=%x e0=%x", rows[i].largest[scale] == 4 ? 0xd0 : 0xf0, 0x2060 + scale);
			struct driver_result result = testing_set(&driver, words);
			tap_is_text(testing_outcome(&result), expected, "%s at %u Mb/s: %s",
				    chip_family_name(rows[i].family), rows[i].speed_mbps, words);
			sprintf(words, "rx-usecs %u", rows[i].largest[scale] + 1);
			driver = rtl("r8169@6.12", rows[i].family, rows[i].speed_mbps);
			result = testing_set(&driver, words);
			tap_is(result.error ? -result.error : (int64_t)(result.writes[1].value & 3),
			       scale == 3 ? ERANGE : scale + 1, "%s: the next scale, or ERANGE", words);
		}
	}
}

static void test_rules(void)
{
	struct driver driver = rtl("r8169@6.12", CHIP_RTL8168, 1000);
	struct driver_result result = testing_set(&driver, "rx-usecs 99999 tx-frames 61");
	tap_is(result.field, COALESCE_TX_FRAMES, "frames are checked before times");
	result = testing_set(&driver, "rx-frames 4 tx-usecs 2401");
	tap_is_text(testing_outcome(&result), "-34", "times before frames without time");
	tap_is(result.field, COALESCE_TX_USECS, "the longer time is named");
	result = testing_set(&driver, "rx-usecs 100 rx-frames 5");
	tap_is_text(testing_outcome(&result), "e2=32 e0=2061", "IntrMitigate first, then CPlusCmd");
	tap_is_text(testing_warning(&result, "rx-usecs 100 becomes"), "rx-usecs 100 becomes 120us: 3 units of 40us",
		    "rounded up, and said");
	tap_is_text(testing_warning(&result, "fours"), "rx-frames 5 becomes 8: the register counts in fours",
		    "frames too");
	tap_is_text(testing_warning(&result, "at 1000 Mb/s"),
		    "rx-usecs at 1000 Mb/s: the same registers mean 983.04us at 10 Mb/s and 61.44us at 100 Mb/s",
		    "what it means at other speeds");
	tap_ok(testing_warning(&result, "ifdown")[0], "that ifdown loses it");
	tap_is_text(testing_warning(&result, "later change"), "", "no creep with whole units");

	driver_link(&driver, 100, &result);
	tap_is(result.write_count, 0, "a change of speed writes nothing");
	tap_is_text(testing_get(&driver), "rx-usecs 62 rx-frames 8 tx-usecs 0 tx-frames 1",
		    "but get reports another time");
	driver_link(&driver, 2500, &result);
	tap_is_text(testing_get(&driver), "-48", "a speed without units is ELNRNG");
	result = testing_set(&driver, "rx-usecs 1");
	tap_is_text(testing_outcome(&result), "-48", "for set too");

	struct driver_config config = testing_config(CHIP_RTL8168, 0);
	config.has_coalesce = false;
	driver = testing_driver("r8169@6.12", config, 1000);
	result = testing_set(&driver, "rx-usecs 1");
	tap_is_text(testing_outcome(&result), "-95", "8125 and later: no set");
	tap_is_text(testing_get(&driver), "-95", "and no get");
}

/* The read-back of an 8168evl (XID 2c8) as recorded: CPlusCmd 20e1 or 20e0 without frame limits, 2061 with one. */
static void test_packet_counter(void)
{
	struct driver_config config = testing_config(CHIP_RTL8168, 0);
	config.has_packet_counter_disable = true;
	struct driver driver = testing_driver("r8169@6.12", config, 1000);
	struct driver_result result = testing_set(&driver, "rx-usecs 200");
	tap_is_text(testing_outcome(&result), "e2=50 e0=20e1", "without frame limits the counter is off");
	result = testing_set(&driver, "tx-usecs 200 tx-frames 4");
	tap_is_text(testing_outcome(&result), "e2=5150 e0=2061", "one limit turns it on");
	result = testing_set(&driver, "rx-usecs 5 tx-usecs 5 tx-frames 0");
	tap_is_text(testing_outcome(&result), "e2=1010 e0=20e0", "and off again");
}

/* As recorded: test/data/vectors. */
static void test_close(void)
{
	struct driver driver = rtl("r8169@6.1", CHIP_RTL8168, 10);
	struct driver_result result;
	set_all(&driver, "rx-usecs 1000 tx-usecs 1000");
	driver_close(&driver, &result);
	tap_ok(result.resets_chip, "ifdown resets the chip");
	tap_is_text(testing_get(&driver), "rx-usecs 0 rx-frames 1 tx-usecs 0 tx-frames 1",
		    "and the times are gone at once");
	result = testing_set(&driver, "rx-usecs 600");
	tap_is_text(testing_outcome(&result), "e2=f0 e0=2060", "6.1: at ifdown the table of the last speed counts");
	driver_open(&driver, &result);
	tap_ok(!result.resets_chip, "open resets nothing");

	driver = rtl("r8169@6.12", CHIP_RTL8168, 10);
	driver_close(&driver, &result);
	result = testing_set(&driver, "rx-usecs 600");
	tap_is_text(testing_outcome(&result), "e2=f0 e0=2061", "6.12: that of 1000 Mb/s");
	tap_ok(testing_warning(&result, "there is no link: this was converted for 1000 Mb/s")[0], "which is said");
}

static void test_open(void)
{
	struct driver driver = rtl("r8169@6.12", CHIP_RTL8168, 1000);
	struct driver_result result;
	set_all(&driver, "rx-usecs 1000");
	driver_open(&driver, &result);
	tap_is_text(testing_outcome(&result), "e0=2062 e2=0 3c=2f",
		    "6.12: open keeps the scale and zeroes IntrMitigate");
	tap_ok(testing_warning(&result, "settings are lost")[0], "which loses the settings");
	driver_open(&driver, &result);
	tap_is(result.warning_count, 0, "nothing to lose, nothing to say");

	result = testing_set(&driver, "rx-usecs 100");
	tap_ok(testing_warning(&result, "open writes IntrMitigate 0x0000 again, which is no hold-off at all")[0],
	       "which is said beforehand");
	driver_link(&driver, 0, &result);
	result = testing_set(&driver, "rx-usecs 200");
	tap_ok(testing_warning(&result, "there is no link: this was converted for 1000 Mb/s")[0], "without a link");

	driver = rtl("r8169@4.13", CHIP_RTL8168, 1000);
	driver_open(&driver, &result);
	tap_is_text(testing_outcome(&result), "e0=20e1 e2=5151 3c=803f",
		    "4.13 on 8168: 0x5151, scale 1, no packet counter");
	tap_is_text(testing_get(&driver), "-95", "and no get");
	driver = rtl("r8169@4.13", CHIP_RTL8169, 1000);
	driver_open(&driver, &result);
	tap_is_text(testing_outcome(&result), "e0=2060 e2=0 3c=807f", "4.13 on 8169: off");

	driver = rtl("r8169@seed", CHIP_RTL8168, 1000);
	tap_is_text(testing_get(&driver), "rx-usecs 200 rx-frames 4 tx-usecs 200 tx-frames 4",
		    "the patch shows what open wrote");
	set_all(&driver, "rx-usecs 1200");
	driver_open(&driver, &result);
	tap_is_text(testing_outcome(&result), "e0=20e3 e2=5151 3c=803f", "its open ORs the scale bit in: 2 becomes 3");
}

static void test_seed_rules(void)
{
	struct driver driver = rtl("r8169@seed", CHIP_RTL8168, 1000);
	struct driver_result result = testing_set(&driver, "rx-usecs 0 rx-frames 0");
	tap_is_text(testing_outcome(&result), "e2=5100 e0=20e1", "the thread's command: RX off, TX as it was");
	tap_is_text(testing_get(&driver), "rx-usecs 0 rx-frames 1 tx-usecs 200 tx-frames 4",
		    "both zero reads as frames 1");
	result = testing_set(&driver, "rx-usecs 100");
	tap_is_text(testing_outcome(&result), "e2=5120 e0=20e1",
		    "units are cut; frames 1 of the read-back counts as 0");
	tap_is_text(testing_get(&driver), "rx-usecs 80 rx-frames 0 tx-usecs 200 tx-frames 4", "80, not 120");
	result = testing_set(&driver, "rx-frames 6");
	tap_is_text(testing_outcome(&result), "-22", "frames come in fours");
	result = testing_set(&driver, "rx-frames 64");
	tap_is_text(testing_outcome(&result), "-22", "up to 60");
	result = testing_set(&driver, "rx-usecs 2401");
	tap_is_text(testing_outcome(&result), "-22", "too long is EINVAL");
	result = testing_set(&driver, "rx-usecs 0 rx-frames 8");
	tap_is_text(testing_outcome(&result), "e2=5102 e0=20e1", "frames without a time are taken");

	driver = rtl("r8169@seed", CHIP_RTL8168, 1000);
	result = testing_set(&driver, "rx-usecs 4294968 tx-usecs 0");
	tap_is_text(testing_outcome(&result), "e2=101 e0=20e0", "4294968 us wrap to 704 ns: no unit");
	tap_ok(testing_warning(&result, "wraps to 704ns")[0], "the wrap is said");
	result = testing_set(&driver, "rx-usecs 4294968 tx-usecs 500");
	/* scale 0 by the 704 ns; 500 us are then 100 units, 0x64, which spill into what lies above TX's nibble: RX */
	tap_is_text(testing_outcome(&result), "e2=4107 e0=20e0", "the other direction then overflows its nibble");

	driver = rtl("r8169@seed", CHIP_RTL8169, 1000);
	set_all(&driver, "rx-usecs 1");
	tap_is_text(testing_get(&driver), "rx-usecs 0 rx-frames 1 tx-usecs 0 tx-frames 1",
		    "3 units of 320 ns read back as 0");
	struct driver_result down;
	driver = rtl("r8169@seed", CHIP_RTL8168, 1000);
	driver_link(&driver, 0, &down);
	tap_is_text(testing_get(&driver), "rx-usecs 1638 rx-frames 4 tx-usecs 1638 tx-frames 4",
		    "without a partner MII says 10 Mb/s");
}

/* As recorded: rx-usecs 200 at 10 Mb/s, then only rx-frames 4, 8, ... */
static void test_creep(void)
{
	static const uint32_t expected[] = { 205, 246, 287, 328, 369, 410 };
	struct driver driver = rtl("r8169@6.12", CHIP_RTL8168, 10);
	struct driver_result result = testing_set(&driver, "rx-usecs 200");
	tap_is_text(testing_warning(&result, "later change"),
		    "rx-usecs is reported as 205: a later change of another field sets that again and makes it 246",
		    "the creep is foretold");
	for (unsigned i = 0; i < 6; i++) {
		char words[32];
		struct coalesce reported;
		if (i) {
			sprintf(words, "rx-frames %u", 4 * i);
			result = testing_set(&driver, words);
		}
		driver_get(&driver, &reported);
		tap_is(reported.value[COALESCE_RX_USECS], expected[i], "after %u changes of rx-frames", i);
	}
	driver = rtl("r8169@6.12", CHIP_RTL8168, 100);
	set_all(&driver, "rx-usecs 307");
	set_all(&driver, "rx-frames 4");
	tap_is_text(testing_get(&driver), "rx-usecs 328 rx-frames 4 tx-usecs 0 tx-frames 1",
		    "307 reads 308, which needs another scale: 328");
	driver = rtl("r8169@6.12", CHIP_RTL8168, 100);
	result = testing_set(&driver, "rx-usecs 1228");
	tap_ok(testing_warning(&result, "reported as 1229, which is refused")[0], "1228 reads 1229, which is foretold");
	result = testing_set(&driver, "rx-frames 4");
	tap_is_text(testing_outcome(&result), "-34", "and refused");
	driver = rtl("r8169@seed", CHIP_RTL8169, 1000);
	result = testing_set(&driver, "rx-usecs 100");
	tap_is_text(testing_warning(&result, "later change"),
		    "rx-usecs is reported as 92: a later change of another field sets that again and makes it 81",
		    "the patch creeps down");
}

static void test_adopt(void)
{
	struct driver driver = rtl("r8169@6.12", CHIP_RTL8168, 1000);
	tap_ok(driver_adopt_register(&driver, 0xe2, 0x5f51) && driver_adopt_register(&driver, 0xe0, 0x2061),
	       "both registers mean something");
	tap_is_text(testing_get(&driver), "rx-usecs 200 rx-frames 4 tx-usecs 200 tx-frames 60", "the vendor's 0x5f51");
	tap_ok(!driver_adopt_register(&driver, 0x3c, 0), "IntrMask does not");
	driver = rtl("r8169@4.13", CHIP_RTL8168, 1000);
	tap_ok(!driver_adopt_register(&driver, 0xe2, 0), "nothing does to a driver without get");
}

static void test_poll_612(void)
{
	struct driver driver = rtl("r8169@6.12", CHIP_RTL8168, 1000);
	tap_is_text(testing_step(&driver, DRIVER_HARDIRQ, (struct driver_input){ .cause = 0x4080 }), "",
		    "not ours without a bit of the mask");
	tap_is_text(testing_step(&driver, DRIVER_HARDIRQ, (struct driver_input){ .cause = 0xffff }), "",
		    "nor from a dead bus");
	tap_is_text(testing_step(&driver, DRIVER_HARDIRQ, (struct driver_input){ .cause = 0x0085 }),
		    "3c=0 3e=85 handled schedule", "masks, then acknowledges all");
	tap_is_text(testing_step(&driver, DRIVER_POLL, (struct driver_input){ 0 }), "rx tx", "both, TX first");
	tap_is_text(testing_step(&driver, DRIVER_ROUND_DONE, (struct driver_input){ .under_budget = false }), "",
		    "budget used up: stays");
	tap_is_text(testing_step(&driver, DRIVER_ROUND_DONE, (struct driver_input){ .under_budget = true }), "complete",
		    "else completes");
	tap_is_text(testing_step(&driver, DRIVER_COMPLETED, (struct driver_input){ .completed = false }), "",
		    "stays masked if told so");
	tap_is_text(testing_step(&driver, DRIVER_COMPLETED, (struct driver_input){ .completed = true }), "3c=2f",
		    "else unmasks");
	tap_is_text(testing_step(&driver, DRIVER_XMIT, (struct driver_input){ 0 }), "interrupt",
		    "TX asks for interrupts");
}

static void test_poll_413(void)
{
	struct driver driver = rtl("r8169@4.13", CHIP_RTL8168, 1000);
	tap_ok(driver_plan(&driver)->cause_in_poll, "4.13 reads IntrStatus in the poll");
	tap_is_text(testing_step(&driver, DRIVER_HARDIRQ, (struct driver_input){ .cause = 0x0004 }),
		    "3c=0 handled schedule", "its handler masks and does not acknowledge");
	tap_is_text(testing_step(&driver, DRIVER_POLL, (struct driver_input){ .cause = 0x0024 }), "3e=24 tx rx-first",
		    "the poll acknowledges, and serves TX only for a TX bit");
	tap_is_text(testing_step(&driver, DRIVER_POLL, (struct driver_input){ .cause = 0x0001 }), "3e=1 rx rx-first",
		    "and RX only for an RX bit");
	tap_is_text(testing_step(&driver, DRIVER_COMPLETED, (struct driver_input){ .completed = false }), "3c=803f",
		    "unmasks in any case");
}

int main(void)
{
	test_units();
	test_rules();
	test_packet_counter();
	test_close();
	test_open();
	test_seed_rules();
	test_creep();
	test_adopt();
	test_poll_612();
	test_poll_413();
	return tap_done();
}
