/* SPDX-License-Identifier: GPL-2.0-or-later */
/* enetc: what is programmed, and DIM at the end of polls. */
#include <errno.h>

#include "driver/dim.h"
#include "driver/driver_testing.h"

static struct driver enetc(const char *variant)
{
	return testing_driver(variant, testing_config(CHIP_FEC, 400000000), 1000);
}

/* Polls of so many frames each, one each so many us; the last writes. */
static const char *poll(struct driver *driver, int64_t *at_ns, unsigned polls, int64_t us, uint32_t frames)
{
	static struct driver_actions actions;

	for (unsigned i = 0; i < polls; i++) {
		*at_ns += us * 1000;
		actions = (struct driver_actions){ 0 };
		driver_step(driver, DRIVER_ROUND_DONE,
			    &(struct driver_input){ .under_budget = true,
						    .packets = { [CHIP_RX] = frames },
						    .bytes = { [CHIP_RX] = 1500 * frames } },
			    &actions);
		actions = (struct driver_actions){ 0 };
		driver_step(driver, DRIVER_COMPLETED, &(struct driver_input){ .completed = true, .now_at_ns = *at_ns },
			    &actions);
	}
	return testing_writes(actions.writes, actions.write_count);
}

static void test_settings(void)
{
	struct driver driver = enetc("enetc@5.9");
	struct driver_result result = { 0 };

	driver_open(&driver, &result);
	tap_is_text(testing_writes(result.writes, result.write_count), "f0=c8000ea6 100=cff00032 8=a000000",
		    "600 us and 128 frames to send, level 1 of DIM (8 us) to receive");
	tap_is(driver_level(&driver), 1, "level 1");
	result = testing_set(&driver, "adaptive-rx off rx-usecs 64");
	tap_is_text(testing_writes(result.writes, result.write_count), "f0=c8000ea6 100=cff00190", "64 us by hand");
	tap_is(driver_level(&driver), -1, "and no level");
	result = testing_set(&driver, "rx-usecs 10486");
	tap_is_text(testing_writes(result.writes, result.write_count), "f0=c8000ea6 100=cff0ffff",
		    "what is longer than this register ends at its most");
	struct coalesce reported;

	driver_get(&driver, &reported);
	tap_ok(reported.value[COALESCE_RX_USECS] == 10486 && reported.value[COALESCE_RX_FRAMES] == 256 &&
		       reported.value[COALESCE_TX_FRAMES] == 128,
	       "and is reported as it was asked for, with the counts that are fixed");
	result = testing_set(&driver, "rx-frames 128");
	tap_is(result.error, -EOPNOTSUPP, "no other count of frames: %s", result.why);
	result = testing_set(&driver, "tx-frames 64");
	tap_is(result.error, -EOPNOTSUPP, "nor to send: %s", result.why);
	driver = enetc("enetc@none");
	result = (struct driver_result){ 0 };
	driver_open(&driver, &result);
	tap_is_text(testing_writes(result.writes, result.write_count), "8=a000000", "without moderation nothing else");
}

static void test_dim(void)
{
	struct driver driver = enetc("enetc@5.9");
	struct driver_result result = { 0 };
	int64_t at_ns = 0;

	driver_open(&driver, &result);
	tap_is_text(poll(&driver, &at_ns, 64, 12, 1), "8=a000000", "64 polls: 63 events after the first sample");
	tap_is_text(poll(&driver, &at_ns, 1, 12, 1), "100=cff00006 8=a000000", "the 64th takes it to level 0, 1 us");
	tap_is(driver_level(&driver), 0, "level 0");
	poll(&driver, &at_ns, 200, 12, 0);
	tap_is(driver_level(&driver), 0, "polls that received nothing are not looked at");
	struct driver_actions actions = { 0 };

	driver_step(&driver, DRIVER_COMPLETED, &(struct driver_input){ .completed = false, .now_at_ns = at_ns + 1000 },
		    &actions);
	tap_is_text(testing_writes(actions.writes, actions.write_count), "8=a000000",
		    "deferral does not keep the interrupt masked");
}

int main(void)
{
	test_settings();
	test_dim();
	tap_is(dim_levels[DIM_RX_EQE][1].usecs, 8, "level 1 is 8 us");
	return tap_done();
}
