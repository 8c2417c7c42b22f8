/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "infer/mechanism.h"

#include <stddef.h>

#include "base/time.h"
#include "tap.h"

#define EVENTS 4

/* Events at these times, negative ones of the other direction; when each is told, 0 for others; 0 ends. */
struct row {
	const char *what;
	struct mechanism mechanism;
	int64_t at_ns[EVENTS], told_ns[EVENTS];
};

static const struct row rows[] = {
	{ "M1: each at once", { .kind = MECHANISM_NONE }, { 10, 20 }, { 10, 20 } },
	{ "M2: from the first on",
	  { .kind = MECHANISM_HOLD_OFF, .span_ns = 100 },
	  { 10, 60, 111, 130 },
	  { 110, 110, 211, 211 } },
	{ "M3: from the last on",
	  { .kind = MECHANISM_RESTART, .span_ns = 100 },
	  { 10, 60, 150, 300 },
	  { 250, 250, 250, 400 } },
	{ "M4: the first at once, the others a span after it",
	  { .kind = MECHANISM_THROTTLE, .span_ns = 100 },
	  { 10, 20, 109, 111 },
	  { 10, 110, 110, 210 } },
	{ "M4: after a quiet time at once again",
	  { .kind = MECHANISM_THROTTLE, .span_ns = 100 },
	  { 10, 111 },
	  { 10, 111 } },
	{ "M5: polls go on for a while",
	  { .kind = MECHANISM_DEFERRAL, .span_ns = 100, .polls = 3 },
	  { 10, 205, 506, 1000 },
	  { 10, 210, 510, 1000 } },
	{ "M5: and then end", { .kind = MECHANISM_DEFERRAL, .span_ns = 100, .polls = 2 }, { 10, 211 }, { 10, 211 } },
	{ "M6: a count ends the wait",
	  { .kind = MECHANISM_HOLD_OFF, .span_ns = 100, .frames = 2 },
	  { 10, 60, 70 },
	  { 60, 60, 170 } },
	{ "M6: alone it waits for ever",
	  { .kind = MECHANISM_FRAME_COUNT, .frames = 2 },
	  { 10, 60, 70 },
	  { 60, 60, NEVER_AT_NS } },
	{ "M7: apart", { .kind = MECHANISM_HOLD_OFF, .span_ns = 100 }, { -5, 10, -60 }, { 0, 110, 0 } },
	{ "M7: an interrupt of the other direction takes along what waits, and the timer runs on",
	  { .kind = MECHANISM_HOLD_OFF, .span_ns = 100, .other = OTHER_TAKES_ALONG },
	  { 10, -60, 70 },
	  { 60, 0, 110 } },
	{ "M7: the same timer",
	  { .kind = MECHANISM_HOLD_OFF, .span_ns = 100, .other = OTHER_HAS_SAME_TIMER },
	  { -5, 10 },
	  { 0, 105 } },
	{ "M7: an interrupt that is throttled with these",
	  { .kind = MECHANISM_THROTTLE, .span_ns = 100, .other = OTHER_HAS_SAME_TIMER },
	  { -5, 10, -120, 130 },
	  { 0, 105, 0, 205 } },
	{ "M8: the host looks a little later, and sees what has come meanwhile",
	  { .kind = MECHANISM_HOLD_OFF, .span_ns = 100, .look_ns = 20 },
	  { 10, 125, 140 },
	  { 130, 130, 260 } },
};

static void tell(const struct row *row)
{
	struct mechanism_event events[EVENTS];
	int64_t told_at_ns[EVENTS];
	unsigned count = 0;
	bool is_right = true;

	for (; count < EVENTS && row->at_ns[count]; count++) {
		const int64_t at_ns = row->at_ns[count];

		events[count] = (struct mechanism_event){ at_ns < 0 ? -at_ns : at_ns, at_ns < 0 };
	}
	mechanism_tell(&row->mechanism, events, count, told_at_ns);
	for (unsigned i = 0; i < count; i++) {
		if (!events[i].is_other && told_at_ns[i] != row->told_ns[i]) {
			tap_note("event %u is told at %lld instead of %lld", i, (long long)told_at_ns[i],
				 (long long)row->told_ns[i]);
			is_right = false;
		}
	}
	tap_ok(is_right, "%s", row->what);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		tell(&rows[i]);
	}
	return tap_done();
}
