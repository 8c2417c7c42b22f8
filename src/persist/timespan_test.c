/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "persist/persist_private.h"
#include "tap.h"

/* Values by hand from systemd.time(7). */
static void test_values(void)
{
	static const struct {
		const char *text;
		uint64_t us;
		bool has_bare, has_m, is_rounded;
	} cases[] = {
		{ "0", 0, false, false, false },
		{ "100us", 100, false, false, false },
		{ "100 us", 100, false, false, false },
		{ " 100usec ", 100, false, false, false },
		{ "100\xc2\xb5s", 100, false, false, false },
		{ "100\xce\xbcs", 100, false, false, false },
		{ "1ms", 1000, false, false, false },
		{ "1msec 500us", 1500, false, false, false },
		{ "1ms500us", 1500, false, false, false },
		{ "1.5ms", 1500, false, false, false },
		{ ".5s", 500000, false, false, false },
		{ "100", 100000000, true, false, false },
		{ "+1", 1000000, true, false, false },
		{ "1 500us", 1000500, true, false, false },
		{ "0.0001", 100, true, false, false },
		{ "1.0005ms", 1000, false, false, true },
		{ "0.5us", 0, false, false, true },
		{ "2 s", 2000000, false, false, false },
		{ "2sec", 2000000, false, false, false },
		{ "2 seconds", 2000000, false, false, false },
		{ "1m", 60000000, false, true, false },
		{ "1min", 60000000, false, false, false },
		{ "2 minutes", 120000000, false, false, false },
		{ "1h 1hr 1hour 2hours", UINT64_C(18000000000), false, false, false },
		{ "1d", UINT64_C(86400000000), false, false, false },
		{ "1w", UINT64_C(604800000000), false, false, false },
		{ "1M", UINT64_C(2629800000000), false, true, false },
		{ "1month", UINT64_C(2629800000000), false, false, false },
		{ "1y", UINT64_C(31557600000000), false, false, false },
		{ "infinity", UINT64_MAX, false, false, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct persist_timespan span;

		tap_is(persist_parse_timespan(cases[i].text, &span), 0, "\"%s\" is a time span", cases[i].text);
		tap_is((int64_t)span.us, (int64_t)cases[i].us, "\"%s\": us", cases[i].text);
		tap_is(span.has_bare, cases[i].has_bare, "\"%s\": a bare number", cases[i].text);
		tap_is(span.has_m, cases[i].has_m, "\"%s\": m or M", cases[i].text);
		tap_is(span.is_rounded, cases[i].is_rounded, "\"%s\": rounded", cases[i].text);
	}
}

static void test_refused(void)
{
	static const struct {
		const char *text;
		int error;
	} cases[] = {
		{ "", -EINVAL },          { " ", -EINVAL },
		{ "us", -EINVAL },        { "100u", -EINVAL },
		{ "100ns", -EINVAL },     { "100micros", -EINVAL },
		{ "100usecs", -EINVAL },  { "1.s", -EINVAL },
		{ ".", -EINVAL },         { "1..5s", -EINVAL },
		{ "100us # c", -EINVAL }, { "infinity!", -EINVAL },
		{ "0x10", -EINVAL },      { "-1", -ERANGE },
		{ "1s -1us", -ERANGE },   { "9223372036854775808us", -ERANGE },
		{ "600000y", -ERANGE },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct persist_timespan span;

		tap_is(persist_parse_timespan(cases[i].text, &span), cases[i].error, "\"%s\" is none", cases[i].text);
	}
}

int main(void)
{
	test_values();
	test_refused();
	return tap_done();
}
