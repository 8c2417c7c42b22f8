/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/filter.h"

#include <string.h>

#include "base/time.h"
#include "tap.h"

static void test_refused(void)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "rx-usec=1", "did you mean rx-usecs?" },
		{ "rtt-p9<1us", "did you mean rtt-p99?" },
		{ "machin=a", "did you mean machine?" },
		{ "source", "needs = != < <= > or >=" },
		{ "source~model", "unknown field \"source~model\"" },
		{ "source<model", "a text, which takes = and != only" },
		{ "=1", "expected FIELD=VALUE" },
		{ "source=model,", "expected FIELD=VALUE" },
		{ ",", "expected FIELD=VALUE" },
		{ "rx-usecs=1x", "rx-usecs" },
		{ "rx-usecs=-1", "rx-usecs" },
		{ "rx-usecs<1|2", "several values only with" },
		{ "rtt-p99<200", "rtt-p99" },
		{ "irq-rate<5us", "irq-rate" },
		{ "taken>yesterday", "is no time" },
		{ "taken>2026-13-01", "is no time" },
		{ "taken>2026-12-01T24:00", "is no time" },
		{ "taken>2026-12-01 ", "" },
		{ "complete=maybe", "complete" },
		{ "label=\"open", "a quote that is not closed" },
		{ "label=\"a\"b", "behind a quoted value" },
		{ "cell=1|2|3|4|5|6|7|8|9", "more than 8 values" },
		{ "cell=1,cell=1,cell=1,cell=1,cell=1,cell=1,cell=1,cell=1,cell=1,cell=1,cell=1,cell=1,cell=1,cell=1,"
		  "cell=1,"
		  "cell=1,cell=1",
		  "more than 16 terms" },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct store_filter filter = { .count = 7 };
		struct err err = { "" };
		const int ret = store_filter_parse(&filter, rows[i].text, &err);

		if (rows[i].why[0]) {
			tap_ok(ret < 0 && strstr(err.text, rows[i].why) && filter.count == 7,
			       "\"%.40s\" is refused: %s", rows[i].text, err.text);
		} else {
			tap_is(ret, 0, "\"%s\" is good", rows[i].text);
		}
	}
}

static void test_terms(void)
{
	struct store_filter filter;
	struct err err = { "" };

	tap_is(store_filter_parse(&filter, " source = model , rx-usecs!=0|100,rtt-p99<=1.5ms,adaptive-rx=on", &err), 0,
	       "four terms with blanks are read %s", err.text);
	tap_is(filter.count, 4, "there are four");
	tap_is_text(filter.term[0].field->name, "source", "a field of runs");
	tap_is_text(filter.term[0].value[0].text, "model", "blanks belong to no value");
	tap_is(filter.term[1].setting, COALESCE_RX_USECS, "a setting");
	tap_is(filter.term[1].operation, STORE_UNEQUAL, "which must not be");
	tap_is(filter.term[1].value[1].number, 100, "one of two values");
	tap_is_text(filter.term[2].figure->name, "rtt-p99", "a figure");
	tap_is(filter.term[2].value[0].number, 1500000, "in thousandths of its unit");
	tap_is(filter.term[3].value[0].number, 1, "a switch");
	tap_is(store_filter_add(&filter, "label=\"a, b|c\"", &err), 0, "a term is added");
	tap_is_text(filter.term[4].value[0].text, "a, b|c", "quotes keep commas and bars");
	tap_is(store_filter_parse(&filter, "", &err), 0, "nothing is read");
	tap_is(filter.count, 0, "and is every run");
}

static void test_times(void)
{
	static const struct {
		const char *text;
		int64_t at_s; /* date -u +%s */
	} rows[] = {
		{ "taken>1970-01-01", 0 },
		{ "taken>2000-02-29", 951782400 },
		{ "taken>2026-12-01T10:00", 1796119200 },
		{ "taken>2100-03-01T23:59:59", 4107628799 },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct store_filter filter;

		tap_is(store_filter_parse(&filter, rows[i].text, NULL), 0, "%s is read", rows[i].text);
		tap_is(filter.term[0].value[0].number / NS_PER_S, rows[i].at_s, "as the right second");
	}
}

static void test_normal_forms(void)
{
	struct store_filter filter;

	store_filter_parse(&filter, "workload=udp size=1472 rate=20000,settings=tx-usecs 5 rx-usecs 3,workload=udp*",
			   NULL);
	tap_is_text(filter.term[0].value[0].text, "udp size=1472 rate=20000",
		    "a workload is compared in its usual form");
	tap_is_text(filter.term[1].value[0].text, "rx-usecs 3 tx-usecs 5", "and so are settings");
	tap_is_text(filter.term[2].value[0].text, "udp*", "but not a pattern");
}

int main(void)
{
	test_refused();
	test_terms();
	test_times();
	test_normal_forms();
	return tap_done();
}
