/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The moderation of the fake NIC, which other tests take for the truth. */
#include "fake/moderation.c"

#include "tap.h"

static struct moderation moderation;

static void expect(int64_t expected_ns, const char *what)
{
	tap_is(moderation_deadline(&moderation), expected_ns, "%s", what);
}

int main(void)
{
	moderation_init(&moderation);
	expect(INT64_MAX, "nothing waits, nothing fires");
	moderation_frame(&moderation, 100, 60);
	expect(100, "without parameters a frame fires at once");
	moderation_fire(&moderation, 100);
	expect(INT64_MAX, "and is gone");

	moderation.holdoff_ns = 50;
	moderation_frame(&moderation, 200, 128);
	moderation_frame(&moderation, 230, 128);
	expect(250, "a hold-off counts from the first frame");
	moderation.frames = 2;
	expect(230, "a count ends it");
	moderation.frames = 3;
	expect(250, "one that is not reached does not");
	moderation.bypass_below = 128;
	moderation_frame(&moderation, 240, 127);
	expect(240, "a short frame fires for all");
	moderation_fire(&moderation, 240);
	moderation_frame(&moderation, 241, 128);
	expect(291, "and the next one is held again");
	moderation_fire(&moderation, 291);

	moderation.restart_ns = 20;
	moderation_frame(&moderation, 300, 128);
	expect(320, "a restarting hold-off");
	moderation_frame(&moderation, 315, 128);
	expect(335, "starts again with each frame");
	moderation.frames = 0;
	moderation_frame(&moderation, 334, 128);
	expect(350, "but ends after the longest wait");
	moderation.holdoff_ns = 0;
	expect(354, "if there is one");
	moderation_fire(&moderation, 354);

	moderation.restart_ns = 0;
	moderation.throttle_ns = 100;
	moderation_frame(&moderation, 360, 128);
	expect(454, "a throttle counts from when it fired last");
	moderation_fire(&moderation, 454);
	moderation_frame(&moderation, 600, 128);
	expect(600, "and does not hold what comes later");
	moderation_fire(&moderation, 600);

	moderation.throttle_ns = 0;
	moderation.tick_ns = 250;
	moderation_frame(&moderation, 751, 128);
	expect(1000, "a timer that runs freely fires at its next tick");
	moderation_fire(&moderation, 1000);
	moderation_frame(&moderation, 1250, 128);
	expect(1250, "or at this one");
	tap_is(moderation_fire(&moderation, 1250), 1, "with all that wait");

	moderation.tick_ns = 0;
	moderation.budget = 2;
	moderation.throttle_ns = 100;
	for (int64_t at_ns = 1400; at_ns < 1405; at_ns++) {
		moderation_frame(&moderation, at_ns, 128);
	}
	tap_is(moderation_fire(&moderation, 1405), 2, "or as many as the budget has");
	expect(1505, "the others wait for the next time");
	tap_is(moderation_fire(&moderation, 1505), 2, "two again");
	tap_is(moderation_fire(&moderation, 1605), 1, "and the last one");
	expect(INT64_MAX, "then none waits");
	return tap_done();
}
