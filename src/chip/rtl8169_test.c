/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rtl8169.c"

#include "tap.h"

#define BIG 1518

static struct chip_config config_of(enum chip_family family)
{
	return (struct chip_config){ .family = family, .queues = 1, .assume = assume_defaults() };
}

static void start(struct chip *chip, const struct chip_config *config, uint32_t mitigate, uint32_t command)
{
	chip_init(chip, config);
	chip_set_link(chip, 0, 1000);
	chip_write(chip, 0, IntrMitigate, mitigate);
	chip_write(chip, 0, CPlusCmd, command);
	chip_write(chip, 0, IntrStatus, 0xffff);
	chip_write(chip, 0, IntrMask, RxOK | TxOK);
}

static void receive(struct chip *chip, int64_t at_ns, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		chip_frame_received(chip, at_ns, 0, BIG, 0);
	}
}

static void test_timer(void)
{
	struct chip chip;
	const struct chip_config config = config_of(CHIP_RTL8168);

	start(&chip, &config, 0x5151, 0x2081);
	receive(&chip, 1000, 9);
	tap_is(chip_deadline(&chip), 201000, "0x5151 at scale 1: 5 x 40 us from the first frame; packet counter off");
	chip_advance(&chip, 200999);
	tap_ok(!chip_irq_lines(&chip), "quiet one ns before");
	tap_is(chip_read(&chip, 200999, IntrStatus), 0, "IntrStatus too");
	chip_advance(&chip, 201000);
	tap_is(chip_irq_lines(&chip), 1, "raised when the timer ends");
	tap_is(chip_read(&chip, 201000, IntrStatus), RxOK, "as RxOK");
	chip_write(&chip, 201001, IntrStatus, RxOK);
	tap_ok(!chip_irq_lines(&chip), "and falls when acknowledged");
	chip_frame_sent(&chip, 300000, 0, BIG, 0);
	receive(&chip, 310000, 1);
	chip_advance(&chip, 500000);
	tap_is(chip_read(&chip, 500000, IntrStatus), TxOK, "an event signals its own direction only");
	tap_is(chip_deadline(&chip), 510000, "the other one waits on");
}

static void test_units(void)
{
	static const struct {
		enum chip_family family;
		unsigned speed_mbps;
		int64_t unit_ns[4];
	} rows[] = {
		{ CHIP_RTL8169, 1000, { 320, 2560, 5120, 10240 } },
		{ CHIP_RTL8169, 100, { 2560, 20480, 40960, 81920 } },
		{ CHIP_RTL8169, 10, { 40960, 327680, 655360, 1310720 } },
		{ CHIP_RTL8168, 2500, { 5000, 40000, 80000, 160000 } },
		{ CHIP_RTL8168, 1000, { 5000, 40000, 80000, 160000 } },
		{ CHIP_RTL8168, 100, { 2560, 20480, 40960, 81920 } },
		{ CHIP_RTL8168, 10, { 40960, 327680, 655360, 1310720 } },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct chip_config config = config_of(rows[i].family);

		for (unsigned scale = 0; scale < 4; scale++) {
			struct chip chip;

			start(&chip, &config, 0x0030, scale);
			chip_set_link(&chip, 0, rows[i].speed_mbps);
			tap_is(chip_hold(&chip, 0, CHIP_RX).hold_ns, 3 * rows[i].unit_ns[scale],
			       "%s at %u Mb/s, scale %u", chip_family_name(rows[i].family), rows[i].speed_mbps, scale);
		}
	}
}

static void test_small_frames(void)
{
	struct chip chip;
	struct chip_config config = config_of(CHIP_RTL8168);

	start(&chip, &config, 0x5151, 1);
	chip_frame_received(&chip, 0, 0, 128, 0);
	tap_ok(!chip_irq_lines(&chip), "128 bytes are held");
	chip_frame_received(&chip, 10, 0, 127, 0);
	tap_is(chip_irq_lines(&chip), 1, "127 bytes are not");
	tap_is(chip_deadline(&chip), NEVER_AT_NS, "and signal the frame that waited");
	tap_is(chip_hold(&chip, 0, CHIP_RX).bypass_below_bytes, 128, "chip_hold tells");
	config.assume.value[ASSUME_R8169_SMALL_BYPASS] = 0;
	start(&chip, &config, 0x5151, 1);
	chip_frame_received(&chip, 10, 0, 64, 0);
	tap_ok(!chip_irq_lines(&chip), "r8169-small-bypass 0: all frames are held");
	config = config_of(CHIP_RTL8169);
	start(&chip, &config, 0x5151, 1);
	chip_frame_received(&chip, 10, 0, 64, 0);
	tap_ok(!chip_irq_lines(&chip), "RTL8169 holds small frames too");
}

static void test_count(void)
{
	struct chip chip;
	struct chip_config config = config_of(CHIP_RTL8168);

	start(&chip, &config, 0x0052, 0);
	receive(&chip, 0, 7);
	tap_ok(!chip_irq_lines(&chip), "nibble 2: seven frames wait");
	receive(&chip, 0, 1);
	tap_is(chip_irq_lines(&chip), 1, "the eighth does not");
	chip_write(&chip, 10, IntrStatus, RxOK);
	receive(&chip, 100, 7);
	receive(&chip, 25100, 1);
	tap_is(chip_irq_lines(&chip), 1, "tie of count and timer: the timer runs first");
	tap_is(chip_deadline(&chip), 50100, "and the frame of the tie begins the next wait");
	start(&chip, &config, 0x0052, PktCntrDisable);
	receive(&chip, 0, 50);
	tap_ok(!chip_irq_lines(&chip), "PktCntrDisable turns the count off");
	chip_write(&chip, 10, CPlusCmd, 0);
	tap_is(chip_irq_lines(&chip), 1, "turned on again, the frames that wait are counted");
	config.assume.value[ASSUME_R8169_FRAME_COUNT] = 0;
	start(&chip, &config, 0x0052, 0);
	receive(&chip, 0, 50);
	tap_ok(!chip_irq_lines(&chip), "so does r8169-frame-count 0");
	start(&chip, &config, 0x0002, 0);
	receive(&chip, 0, 1);
	tap_is(chip_irq_lines(&chip), 1, "a frame limit without a timer holds nothing");
	config = config_of(CHIP_RTL8169);
	start(&chip, &config, 0x0052, PktCntrDisable);
	receive(&chip, 0, 8);
	tap_is(chip_irq_lines(&chip), 1, "RTL8169 does not know PktCntrDisable");
}

static void test_rewrite(void)
{
	struct chip chip;
	const struct chip_config config = config_of(CHIP_RTL8168);

	start(&chip, &config, 0x0050, 1);
	receive(&chip, 0, 1);
	chip_write(&chip, 50000, IntrMitigate, 0x0030);
	tap_is(chip_deadline(&chip), 120000, "a rewritten timer counts from the first frame");
	chip_write(&chip, 50000, CPlusCmd, 0);
	tap_is(chip_deadline(&chip), 120000, "a new scale leaves it running");
	chip_set_link(&chip, 60000, 10);
	tap_is(chip_deadline(&chip), 120000, "and so does a new link speed");
	tap_is(chip_read(&chip, 60000, IntrStatus), LinkChg, "which sets LinkChg");
	tap_ok(!chip_irq_lines(&chip), "masked here");
	chip_write(&chip, 60000, IntrMitigate, 0x0010);
	tap_is(chip_irq_lines(&chip), 1, "a time that has passed fires (40.96 us)");
	chip_write(&chip, 60000, IntrStatus, 0xffff);
	receive(&chip, 70000, 1);
	chip_write(&chip, 70001, IntrMitigate, 0);
	tap_is(chip_irq_lines(&chip), 1, "moderation turned off with a frame pending: at once");
	tap_is(chip_check(&chip), 0, "invariants");
}

static void test_choices(void)
{
	struct chip chip;
	struct chip_config config = config_of(CHIP_RTL8168);

	config.assume.value[ASSUME_R8169_FREE_RUNNING] = 1;
	start(&chip, &config, 0x0050, 1);
	receive(&chip, 79999, 1);
	tap_is(chip_deadline(&chip), 240000, "r8169-free-running: the fifth edge comes after 160.001 us at best");
	chip_advance(&chip, 240000);
	chip_write(&chip, 240000, IntrStatus, 0xffff);
	receive(&chip, 280000, 1);
	tap_is(chip_deadline(&chip), 480000, "and after 200 us for a frame on an edge");

	config = config_of(CHIP_RTL8168);
	config.assume.value[ASSUME_R8169_EVENT_DELAYED] = 0;
	start(&chip, &config, 0x0050, 1);
	receive(&chip, 0, 1);
	tap_is(chip_read(&chip, 1, IntrStatus), RxOK, "r8169-event-delayed 0: RxOK comes with the frame");
	tap_ok(!chip_irq_lines(&chip), "the line waits");
	chip_advance(&chip, 200000);
	tap_is(chip_irq_lines(&chip), 1, "for the timer");
	tap_is(chip_check(&chip), 0, "invariants");
}

static void test_masks(void)
{
	struct chip chip;
	const struct chip_config config = config_of(CHIP_RTL8168);

	start(&chip, &config, 0, 0);
	chip_write(&chip, 0, IntrMask, TxOK);
	receive(&chip, 0, 1);
	tap_ok(!chip_irq_lines(&chip), "a masked RxOK raises nothing");
	chip_write(&chip, 1, IntrMask, 0xdeadffff);
	tap_is(chip_irq_lines(&chip), 1, "until it is unmasked");
	tap_is(chip_read(&chip, 1, IntrMask), 0xffff, "registers are 16 bits wide");
	chip_write(&chip, 2, IntrMask, 0);
	tap_ok(!chip_irq_lines(&chip), "masking lets the line fall");
}

/* Events that no timer holds, with the longest one running. */
static void test_unmoderated(void)
{
	struct chip chip;
	const struct chip_config config = config_of(CHIP_RTL8168);

	chip_init(&chip, &config);
	tap_is(chip_read(&chip, 0, CPlusCmd), 0x2000, "after reset CPlusCmd has Normal_mode");
	start(&chip, &config, 0xffff, 3);
	receive(&chip, 0, 1);
	chip_write(&chip, 1, IntrMask, RxOK | RxOverflow | SWInt);
	chip_frame_missed(&chip, 2, 0);
	tap_is(chip_irq_lines(&chip), 1, "a missed frame raises the line at once");
	tap_is(chip_read(&chip, 2, IntrStatus), RxOverflow, "as RxOverflow, and the frame before it waits on");
	chip_write(&chip, 3, IntrStatus, RxOverflow);
	chip_write(&chip, 4, TxPoll, 0x40);
	tap_ok(!chip_irq_lines(&chip), "acknowledged; TxPoll.NPQ raises nothing");
	chip_write(&chip, 5, TxPoll, FSWInt);
	tap_is(chip_read(&chip, 5, IntrStatus), SWInt, "TxPoll.FSWInt sets SWInt");
	tap_is(chip_irq_lines(&chip), 1, "which raises the line");
	tap_is(chip_read(&chip, 5, TxPoll), 0, "and is not kept");
	tap_is(chip_deadline(&chip), 15 * 160000, "nothing of this touches the timer");
	tap_is(chip_check(&chip), 0, "invariants");
}

int main(void)
{
	test_timer();
	test_units();
	test_small_frames();
	test_count();
	test_rewrite();
	test_choices();
	test_masks();
	test_unmoderated();
	return tap_done();
}
