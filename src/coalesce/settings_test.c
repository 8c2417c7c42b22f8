/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "coalesce/settings.h"

#include <errno.h>
#include <string.h>

#include "tap.h"

static void test_parse(void)
{
	static const char *const words[] = { "rx-usecs",    "100", "rx-frame-low", "0x10",
					     "adaptive-rx", "off", "cqe-mode-tx",  "on" };
	struct coalesce settings;
	char text[COALESCE_TEXT_MAX];

	tap_is(coalesce_parse(&settings, words, 8, NULL), 0, "words");
	tap_is(settings.value[COALESCE_RX_USECS], 100, "a number");
	tap_is(settings.value[COALESCE_RX_FRAMES_LOW], 16, "the other spelling of a name");
	tap_ok(coalesce_has(&settings, COALESCE_ADAPTIVE_RX) && settings.value[COALESCE_ADAPTIVE_RX] == 0,
	       "off is given and zero");
	tap_is(settings.value[COALESCE_CQE_MODE_TX], 1, "on is one");
	tap_ok(!coalesce_has(&settings, COALESCE_TX_USECS) && settings.value[COALESCE_TX_USECS] == 0,
	       "what is not given is absent");
	tap_is_text(coalesce_print(&settings, text), "rx-usecs 100 adaptive-rx off rx-frames-low 16 cqe-mode-tx on",
		    "printed in table order");
	tap_is(coalesce_parse(&settings, words, 0, NULL), 0, "no words");
	tap_is(settings.present, 0, "no words: nothing is given");
	tap_is_text(coalesce_print(&settings, text), "", "nothing is printed as nothing");
	tap_is(coalesce_parse_text(&settings, " rx-usecs  0\t\n tx-frames 4294967295 ", NULL), 0,
	       "a text with odd white space");
	tap_is_text(coalesce_print(&settings, text), "rx-usecs 0 tx-frames 4294967295",
		    "zero is given; the largest number fits");
	tap_is(coalesce_parse_text(&settings, "  ", NULL), 0, "white space");
	tap_is(settings.present, 0, "white space: nothing is given");
}

static void test_errors(void)
{
	static const struct {
		const char *text, *sentence;
	} cases[] = {
		{ "rx-usec 5", "unknown setting \"rx-usec\", did you mean rx-usecs?" },
		{ "mtu 5", "unknown setting \"mtu\", expected one of ethtool's such as rx-usecs" },
		{ "rx-usecs", "rx-usecs lacks its value" },
		{ "tx-usecs 1 rx-usecs", "rx-usecs lacks its value" },
		{ "rx-usecs 1 rx-usecs 1", "rx-usecs is given twice" },
		{ "rx-frames-low 1 rx-frame-low 2", "rx-frames-low is given twice" },
		{ "rx-usecs 5us", "rx-usecs: \"5us\" is no number, expected a whole number such as 100 or 0x64" },
		{ "rx-usecs -1", "rx-usecs: \"-1\" must not be negative" },
		{ "rx-usecs 4294967296", "rx-usecs: 4294967296 is too large, at most 4294967295 is possible" },
		{ "adaptive-rx 1", "adaptive-rx: \"1\" is neither on nor off" },
		{ "adaptive-rx On", "adaptive-rx: \"On\" is neither on nor off" },
		{ "rx-usecs on", "rx-usecs: \"on\" is no number, expected a whole number such as 100 or 0x64" },
		{ "rx-usecs=5", "unknown setting \"rx-usecs=5\", did you mean rx-usecs?" },
		{ "rx-usecs 000000000000000000000000000000000000000000000000000000000000000000000005",
		  "a word of 72 characters is neither setting nor value" },
	};

	for (unsigned row = 0; row < sizeof(cases) / sizeof(cases[0]); row++) {
		struct coalesce settings = { .present = 1, .value = { 42 } };
		struct err err = { "" };

		tap_is(coalesce_parse_text(&settings, cases[row].text, &err), -EINVAL, "\"%s\" is refused",
		       cases[row].text);
		tap_is_text(err.text, cases[row].sentence, "\"%s\": the sentence", cases[row].text);
		tap_ok(settings.present == 1 && settings.value[0] == 42, "\"%s\": the settings are untouched",
		       cases[row].text);
	}
	struct coalesce settings = { 0 };

	tap_is(coalesce_parse(&settings, (const char *const[]){ "rx-usecs", "" }, 2, NULL), -EINVAL, "an empty value");
	tap_is(coalesce_parse(&settings, (const char *const[]){ "", "1" }, 2, NULL), -EINVAL, "an empty name");
	tap_is(coalesce_parse(&settings, (const char *const[]){ "rx-usecs 1" }, 1, NULL), -EINVAL, "two words in one");
}

/* The longest text that can be printed fits and reads back. */
static void test_all_fields(void)
{
	struct coalesce all = { 0 }, again;
	char text[COALESCE_TEXT_MAX];

	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		coalesce_put(&all, field,
			     coalesce_fields[field].unit == COALESCE_UNIT_SWITCH ? field % 2 : UINT32_MAX - field);
	}
	tap_is(coalesce_parse_text(&again, coalesce_print(&all, text), NULL), 0,
	       "all fields at their longest read back");
	tap_is(coalesce_difference(&all, &again), 0, "without a difference");
	tap_is(again.present, (INT64_C(1) << COALESCE_FIELDS) - 1, "every one of them");
}

static void test_merge(void)
{
	struct coalesce base, change, merged;
	char text[COALESCE_TEXT_MAX];

	coalesce_parse_text(&base, "rx-usecs 100 rx-frames 4 adaptive-rx on", NULL);
	coalesce_parse_text(&change, "rx-usecs 0 tx-usecs 7 rx-frames 4", NULL);
	merged = coalesce_merge(&base, &change);
	tap_is_text(coalesce_print(&merged, text), "rx-usecs 0 rx-frames 4 tx-usecs 7 adaptive-rx on",
		    "the change is put over the base");
	tap_is(coalesce_difference(&base, &merged), COALESCE_BIT(COALESCE_RX_USECS) | COALESCE_BIT(COALESCE_TX_USECS),
	       "they differ in value and in presence");
	tap_is(coalesce_difference(&merged, &base), coalesce_difference(&base, &merged),
	       "the same the other way round");
	tap_is(coalesce_difference(&base, &base), 0, "nothing differs from itself");
	change = base;
	change.value[COALESCE_TX_FRAMES] = 9;
	tap_is(coalesce_difference(&base, &change), 0, "a value that is not given does not count");

	coalesce_parse_text(&base, "rx-usecs 0", NULL);
	coalesce_parse_text(&change, "", NULL);
	tap_is(coalesce_difference(&base, &change), COALESCE_BIT(COALESCE_RX_USECS), "zero and not given differ");
}

int main(void)
{
	test_parse();
	test_errors();
	test_all_fields();
	test_merge();
	return tap_done();
}
