/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tune/goal.h"

#include <errno.h>
#include <string.h>

#include "tap.h"

static void test_understood(void)
{
	static const struct {
		const char *text, *figure;
		bool is_least, holds_when_equal;
		int64_t thousandths;
	} rows[] = {
		{ "p99 rtt < 200us", "rtt-p99", false, false, 200000 },
		{ "rtt-p99<=1.5ms", "rtt-p99", false, true, 1500000 },
		{ "  p50   one-way < 1ms  ", "one-way-p50", false, false, 1000000 },
		{ "rtt p99 < 200us", "rtt-p99", false, false, 200000 },
		{ "throughput >= 900 Mb/s", "goodput", true, true, 900000 },
		{ "throughput > 900", "goodput", true, false, 900000 },
		{ "cpu < 20 %", "cpu-busy", false, false, 20000 },
		{ "irq-rate<2000", "irq-rate", false, false, 2000000 },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct goal goal = { .count = 0 };
		struct err err = { "" };

		if (!tap_is(goal_parse(rows[i].text, &goal, &err), 0, "\"%s\" is understood", rows[i].text)) {
			tap_note("%s", err.text);
			continue;
		}
		tap_is(goal.count, 1, "as one limit");
		tap_is_text(goal.limit[0].figure->name, rows[i].figure, "of this figure");
		tap_is(goal.limit[0].is_least, rows[i].is_least, "from this side");
		tap_is(goal.limit[0].holds_when_equal, rows[i].holds_when_equal, "with this end");
		tap_is(goal.limit[0].thousandths, rows[i].thousandths, "and this value");
	}
}

static void test_several(void)
{
	struct goal goal;
	struct err err = { "" };

	tap_is(goal_parse("p99 rtt < 200us and throughput >= 900, cpu < 20", &goal, &err), 0,
	       "limits are joined by and, and by a comma");
	tap_is(goal.count, 3, "all three");
	tap_is_text(goal.limit[2].figure->name, "cpu-busy", "in their order");
	tap_is(goal_parse("cpu > 10 and cpu < 20", &goal, &err), 0, "two limits of one figure may leave room");
	tap_is(goal_parse("cpu >= 10 and cpu <= 10", &goal, &err), 0, "if only for one value");
}

static void test_refused(void)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "", "a goal is FIGURE < VALUE" },
		{ "fast", "a goal is FIGURE < VALUE" },
		{ "< 200us", "a goal is FIGURE < VALUE" },
		{ "cpu < 20,", "a goal is FIGURE < VALUE" },
		{ "cpu < 20 and ", "a goal is FIGURE < VALUE" },
		{ "rtt-p98 < 200us", "rtt-p9" },
		{ "p99 rtt < 200", "p99 rtt" },
		{ "p99 rtt < 20 %", "p99 rtt" },
		{ "p99 rtt << 200us", "p99 rtt" },
		{ "p99 rtt <", "p99 rtt" },
		{ "cpu < 20, cpu <= 10", "limits cpu-busy twice from above" },
		{ "cpu > 20 and cpu < 10", "no cpu-busy is above 20 % and below 10 %" },
		{ "cpu > 10 and cpu <= 10", "contradicts itself" },
		{ "rtt-p99 < 1ms and p99 rtt > 2ms", "contradicts itself" },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct goal goal = { .count = 77 };
		struct err err = { "" };

		tap_is(goal_parse(rows[i].text, &goal, &err), -EINVAL, "\"%s\" is refused", rows[i].text);
		if (!tap_ok(strstr(err.text, rows[i].says), "the sentence says \"%s\"", rows[i].says)) {
			tap_note("%s", err.text);
		}
		tap_is(goal.count, 77, "and the goal is as it was");
	}
}

static void test_answers(void)
{
	static const struct {
		const char *goal;
		struct front_value value;
		enum goal_answer answer;
	} rows[] = {
		{ "cpu < 20", { true, true, { 15000, 14000, 16000 } }, GOAL_MET },
		{ "cpu < 20", { true, true, { 19000, 18000, 20000 } }, GOAL_RATHER_MET },
		{ "cpu <= 20", { true, true, { 19000, 18000, 20000 } }, GOAL_MET },
		{ "cpu < 20", { true, true, { 21000, 19000, 23000 } }, GOAL_RATHER_MISSED },
		{ "cpu < 20", { true, true, { 30000, 29000, 31000 } }, GOAL_MISSED },
		{ "cpu < 20", { true, false, { 15000, 0, 0 } }, GOAL_RATHER_MET },
		{ "cpu < 20", { true, false, { 30000, 0, 0 } }, GOAL_RATHER_MISSED },
		{ "cpu < 20", { false, false, { 0, 0, 0 } }, GOAL_NOT_KNOWN },
		{ "throughput >= 900", { true, true, { 941000, 900000, 945000 } }, GOAL_MET },
		{ "throughput > 900", { true, true, { 941000, 900000, 945000 } }, GOAL_RATHER_MET },
		{ "throughput >= 900", { true, true, { 500000, 490000, 510000 } }, GOAL_MISSED },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct goal goal = { .count = 0 };
		struct err err = { "" };

		goal_parse(rows[i].goal, &goal, &err);
		tap_is(goal_limit_answer(&goal.limit[0], &rows[i].value), rows[i].answer, "%s, row %u", rows[i].goal,
		       i);
	}
}

int main(void)
{
	test_understood();
	test_several();
	test_refused();
	test_answers();
	return tap_done();
}
