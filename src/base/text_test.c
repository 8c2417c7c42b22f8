/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"

#include <errno.h>
#include <string.h>

#include "base/time.h"
#include "tap.h"

#define UNTOUCHED 4242

static void test_u32(void)
{
	static const struct {
		const char *text;
		int ret;
		uint32_t value;
	} cases[] = {
		{ "0", 0, 0 },
		{ "007", 0, 7 },
		{ "0x10", 0, 16 },
		{ "0XfF", 0, 255 },
		{ "4294967295", 0, UINT32_MAX },
		{ "4294967296", -ERANGE, UNTOUCHED },
		{ "99999999999999999999999", -ERANGE, UNTOUCHED },
		{ "", -EINVAL, UNTOUCHED },
		{ "-1", -EINVAL, UNTOUCHED },
		{ "+1", -EINVAL, UNTOUCHED },
		{ " 1", -EINVAL, UNTOUCHED },
		{ "1 ", -EINVAL, UNTOUCHED },
		{ "1x", -EINVAL, UNTOUCHED },
		{ "0x", -EINVAL, UNTOUCHED },
		{ "0xg", -EINVAL, UNTOUCHED },
		{ "1.5", -EINVAL, UNTOUCHED },
		{ "1e3", -EINVAL, UNTOUCHED },
		{ "x", -EINVAL, UNTOUCHED },
	};

	for (unsigned row = 0; row < sizeof(cases) / sizeof(cases[0]); row++) {
		struct err err = { "" };
		uint32_t value = UNTOUCHED;

		tap_is(text_parse_u32(cases[row].text, "rx-usecs", &value, &err), cases[row].ret, "u32 \"%s\": answer",
		       cases[row].text);
		tap_is(value, cases[row].value, "u32 \"%s\": value", cases[row].text);
		tap_ok(!cases[row].ret == !err.text[0], "u32 \"%s\": a sentence exactly on error: %s", cases[row].text,
		       err.text);
	}
}

static void test_wide(void)
{
	uint64_t value = UNTOUCHED;
	int64_t number = UNTOUCHED;

	tap_is(text_parse_u64("18446744073709551615", "seed", &value, NULL), 0, "the largest u64");
	tap_ok(value == UINT64_MAX, "its value");
	tap_is(text_parse_u64("18446744073709551616", "seed", &value, NULL), -ERANGE, "one more");
	tap_is(text_parse_u64("0x10000000000000000", "seed", &value, NULL), -ERANGE, "2^64 in hexadecimal");

	tap_is(text_parse_i64("-9223372036854775808", "x", INT64_MIN, INT64_MAX, &number, NULL), 0, "the smallest i64");
	tap_ok(number == INT64_MIN, "its value");
	tap_is(text_parse_i64("-9223372036854775809", "x", INT64_MIN, INT64_MAX, &number, NULL), -ERANGE, "one less");
	tap_is(text_parse_i64("9223372036854775808", "x", INT64_MIN, INT64_MAX, &number, NULL), -ERANGE,
	       "one above the largest");
	tap_is(text_parse_i64("-3", "x", -3, 3, &number, NULL), 0, "the lower limit");
	tap_is(number, -3, "its value");
	tap_is(text_parse_i64("-4", "x", -3, 3, &number, NULL), -ERANGE, "below the lower limit");
	tap_is(text_parse_i64("4", "x", -3, 3, &number, NULL), -ERANGE, "above the upper limit");
	tap_is(text_parse_i64("-1", "x", 0, 3, &number, NULL), -EINVAL, "a minus sign where none may be");
	tap_is(text_parse_i64("-0", "x", 0, 3, &number, NULL), -EINVAL, "also before 0");
	tap_is(text_parse_i64("--1", "x", -3, 3, &number, NULL), -EINVAL, "two minus signs");
	tap_is(text_parse_i64("-", "x", -3, 3, &number, NULL), -EINVAL, "a minus sign alone");
	tap_is(text_parse_i64("", "x", -3, 3, &number, NULL), -EINVAL, "nothing");
	tap_is(text_parse_i64("3,", "x", -3, 3, &number, NULL), -EINVAL, "rubbish behind");
	tap_is(number, -3, "errors leave the value alone");
}

static void test_duration(void)
{
	static const struct {
		const char *text;
		int ret;
		int64_t value_ns;
	} cases[] = {
		{ "0", 0, 0 },
		{ "0s", 0, 0 },
		{ "30us", 0, 30000 },
		{ "1.5ms", 0, 1500000 },
		{ "1.000000001s", 0, 1000000001 },
		{ "0.001us", 0, 1 },
		{ "2min", 0, 120 * NS_PER_S },
		{ "1h", 0, 3600 * NS_PER_S },
		{ "1d", 0, 86400 * NS_PER_S },
		{ "9223372036854775806ns", 0, INT64_MAX - 1 },
		{ "9223372036854775807ns", -ERANGE, UNTOUCHED },
		{ "292.3y", -EINVAL, UNTOUCHED },
		{ "9223372037s", -ERANGE, UNTOUCHED },
		{ "106752d", -ERANGE, UNTOUCHED },
		{ "99999999999999999999s", -ERANGE, UNTOUCHED },
		{ "1.5ns", -EINVAL, UNTOUCHED },
		{ "0.0001us", -EINVAL, UNTOUCHED },
		{ "1.0000000001s", -EINVAL, UNTOUCHED },
		{ "30", -EINVAL, UNTOUCHED },
		{ "0.0", -EINVAL, UNTOUCHED },
		{ "30 us", -EINVAL, UNTOUCHED },
		{ "30usec", -EINVAL, UNTOUCHED },
		{ "30US", -EINVAL, UNTOUCHED },
		{ "us", -EINVAL, UNTOUCHED },
		{ ".5s", -EINVAL, UNTOUCHED },
		{ "5.s", -EINVAL, UNTOUCHED },
		{ "1.2.3s", -EINVAL, UNTOUCHED },
		{ "0x10us", -EINVAL, UNTOUCHED },
		{ "-1s", -EINVAL, UNTOUCHED },
		{ "", -EINVAL, UNTOUCHED },
	};

	for (unsigned row = 0; row < sizeof(cases) / sizeof(cases[0]); row++) {
		struct err err = { "" };
		int64_t value_ns = UNTOUCHED;

		tap_is(text_parse_duration(cases[row].text, "interval", &value_ns, &err), cases[row].ret,
		       "duration \"%s\": answer", cases[row].text);
		tap_is(value_ns, cases[row].value_ns, "duration \"%s\": value", cases[row].text);
		tap_ok(!cases[row].ret == !err.text[0], "duration \"%s\": a sentence exactly on error: %s",
		       cases[row].text, err.text);
	}
}

static void test_sentences(void)
{
	struct err err = { "" };
	int64_t value_ns;
	uint32_t number;

	text_parse_duration("30", "interval", &value_ns, &err);
	tap_is_text(err.text, "interval: 30 lacks its unit, expected a time such as 30us (ns us ms s min h d)",
		    "a missing unit is named");
	text_parse_duration("30sec", "interval", &value_ns, &err);
	tap_is_text(err.text,
		    "interval: \"sec\" is no unit in \"30sec\", expected a time such as 30us (ns us ms s min h d)",
		    "a wrong unit is named");
	text_parse_u32("12moo", "rx-usecs", &number, &err);
	tap_is_text(err.text, "rx-usecs: \"12moo\" is no number, expected a whole number such as 100 or 0x64",
		    "rubbish is quoted");
	text_parse_u32("4294967296", "rx-usecs", &number, &err);
	tap_is_text(err.text, "rx-usecs: 4294967296 is too large, at most 4294967295 is possible",
		    "the limit is named");
}

/* One reader of a count with units. */
typedef int parse_fn(const char *text, const char *what, uint64_t *value, struct err *err);

struct count_case {
	parse_fn *parse;
	const char *text;
	int ret;
	uint64_t value;
};

static void test_counts(void)
{
	static const struct count_case cases[] = {
		{ text_parse_bytes, "1500", 0, 1500 },
		{ text_parse_bytes, "1500B", 0, 1500 },
		{ text_parse_bytes, "256k", 0, 256000 },
		{ text_parse_bytes, "256Ki", 0, 262144 },
		{ text_parse_bytes, "256KiB", 0, 262144 },
		{ text_parse_bytes, "1M", 0, 1000000 },
		{ text_parse_bytes, "1.5Ki", 0, 1536 },
		{ text_parse_bytes, "2Gi", 0, UINT64_C(2) << 30 },
		{ text_parse_bytes, "17179869184Gi", -ERANGE, UNTOUCHED },
		{ text_parse_bytes, "1.5", -EINVAL, UNTOUCHED },
		{ text_parse_bytes, "1K", -EINVAL, UNTOUCHED },
		{ text_parse_bytes, "1b", -EINVAL, UNTOUCHED },
		{ text_parse_bytes, "k", -EINVAL, UNTOUCHED },
		{ text_parse_rate, "20k", 0, 20000 },
		{ text_parse_rate, "1.5M", 0, 1500000 },
		{ text_parse_rate, "0", 0, 0 },
		{ text_parse_rate, "1488095", 0, 1488095 },
		{ text_parse_rate, "18446744073709551616", -ERANGE, UNTOUCHED },
		{ text_parse_rate, "20Ki", -EINVAL, UNTOUCHED },
		{ text_parse_rate, "20kbps", -EINVAL, UNTOUCHED },
		{ text_parse_rate, "0.5", -EINVAL, UNTOUCHED },
		{ text_parse_rate, "-5", -EINVAL, UNTOUCHED },
		{ text_parse_bps, "100Mbps", 0, 100000000 },
		{ text_parse_bps, "2.5Gbps", 0, UINT64_C(2500000000) },
		{ text_parse_bps, "0", 0, 0 },
		{ text_parse_bps, "100", -EINVAL, UNTOUCHED },
		{ text_parse_bps, "100M", -EINVAL, UNTOUCHED },
		{ text_parse_bps, "100mbps", -EINVAL, UNTOUCHED },
		{ text_parse_bps, "", -EINVAL, UNTOUCHED },
		{ text_parse_hz, "66000000", 0, 66000000 },
		{ text_parse_hz, "266.67MHz", 0, 266670000 },
		{ text_parse_hz, "1.2GHz", 0, 1200000000 },
		{ text_parse_hz, "66M", -EINVAL, UNTOUCHED },
		{ text_parse_hz, "66mhz", -EINVAL, UNTOUCHED },
	};

	for (unsigned row = 0; row < sizeof(cases) / sizeof(cases[0]); row++) {
		struct err err = { "" };
		uint64_t value = UNTOUCHED;

		tap_is(cases[row].parse(cases[row].text, "rate", &value, &err), cases[row].ret,
		       "count %u \"%s\": answer", row, cases[row].text);
		tap_ok(value == cases[row].value, "count %u \"%s\": value", row, cases[row].text);
		tap_ok(!cases[row].ret == !err.text[0], "count %u \"%s\": a sentence exactly on error: %s", row,
		       cases[row].text, err.text);
	}
}

static void test_bool(void)
{
	static const char *const on[] = { "on", "1", "yes", "true" };
	static const char *const off[] = { "off", "0", "no", "false" };
	static const char *const wrong[] = { "", "On", "2", "o", "onn", "of" };
	int value = UNTOUCHED;

	for (unsigned row = 0; row < sizeof(on) / sizeof(on[0]); row++) {
		tap_ok(!text_parse_bool(on[row], "gro", &value, NULL) && value == 1, "\"%s\" is on", on[row]);
		tap_ok(!text_parse_bool(off[row], "gro", &value, NULL) && value == 0, "\"%s\" is off", off[row]);
	}
	value = UNTOUCHED;
	for (unsigned row = 0; row < sizeof(wrong) / sizeof(wrong[0]); row++) {
		tap_ok(text_parse_bool(wrong[row], "gro", &value, NULL) == -EINVAL && value == UNTOUCHED,
		       "\"%s\" is neither", wrong[row]);
	}
}

static void test_print(void)
{
	static const struct {
		int64_t value_ns;
		const char *text;
	} cases[] = {
		{ 0, "0ns" },
		{ 1, "1ns" },
		{ 640, "640ns" },
		{ 999, "999ns" },
		{ 1000, "1us" },
		{ 1001, "1.001us" },
		{ 30000, "30us" },
		{ 1320000, "1.32ms" },
		{ 1300500, "1300.5us" },
		{ 999999999, "999999.999us" },
		{ 2000000000, "2s" },
		{ 2000000001, "2000000.001us" },
		{ 1500000000, "1.5s" },
		{ 120000000000, "120s" },
		{ -1500000, "-1.5ms" },
		{ -1, "-1ns" },
		{ INT64_MAX, "9223372036854775.807us" },
		{ INT64_MIN, "-9223372036854775.808us" },
	};
	char buffer[TEXT_DURATION_MAX];

	for (unsigned row = 0; row < sizeof(cases) / sizeof(cases[0]); row++) {
		int64_t again_ns = UNTOUCHED;

		tap_is_text(text_print_duration(cases[row].value_ns, buffer), cases[row].text, "printed as %s",
			    cases[row].text);
		if (cases[row].value_ns >= 0 && cases[row].value_ns < NEVER_AT_NS) {
			tap_ok(!text_parse_duration(buffer, "x", &again_ns, NULL) && again_ns == cases[row].value_ns,
			       "%s reads back exactly", cases[row].text);
		}
	}
}

static void test_nearest(void)
{
	static const char *const names[] = { "rx-usecs",    "rx-frames", "tx-usecs", "tx-frames",
					     "adaptive-rx", "udp",       "ping" };
	const size_t count = sizeof(names) / sizeof(names[0]);
	char long_text[300];

	tap_is_text(text_nearest("rx-usec", names, count), "rx-usecs", "a letter missing");
	tap_is_text(text_nearest("rx-uescs", names, count), "rx-usecs", "two letters swapped");
	tap_is_text(text_nearest("rx_usecs", names, count), "rx-usecs", "a letter wrong");
	tap_is_text(text_nearest("RX-USECS", names, count), "rx-usecs", "upper case");
	tap_is_text(text_nearest("tx-framess", names, count), "tx-frames", "a letter too much");
	tap_is_text(text_nearest("adaptve-rx", names, count), "adaptive-rx", "a letter missing inside");
	tap_is_text(text_nearest("pign", names, count), "ping", "a swap is one slip");
	tap_is_text(text_nearest("upd", names, count), "udp", "also in a short word");
	tap_ok(!text_nearest("bogus", names, count), "nothing is near bogus");
	tap_ok(!text_nearest("", names, count), "nothing is near nothing");
	tap_ok(!text_nearest("x", names, count), "a single letter means no name");
	tap_ok(!text_nearest("y", (const char *const[]){ "x" }, 1), "not even another single letter");
	tap_ok(!text_nearest("rx-usecs", names, 0), "no names, no answer");
	memset(long_text, 'x', sizeof(long_text));
	long_text[sizeof(long_text) - 1] = '\0';
	tap_ok(!text_nearest(long_text, names, count), "a very long text is near nothing");
}

int main(void)
{
	test_u32();
	test_wide();
	test_duration();
	test_sentences();
	test_counts();
	test_bool();
	test_print();
	test_nearest();
	return tap_done();
}
