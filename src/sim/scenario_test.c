/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/scenario.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

#define HEAD               \
	"[scenario]\n"     \
	"title = t\n"      \
	"source = s\n"     \
	"board = imx8mm\n" \
	"workload = ping\n"

static const char whole[] = HEAD "set = rx-usecs 100 tx-usecs 100\n"
				 "assume = fec-shared-poll=1\n"
				 "\n"
				 "[expect mean]\n"
				 "what = rtt-mean\n"
				 "value = 0.5ms\n"
				 "tolerance = 10\n"
				 "kind = predict\n"
				 "source = somebody\n"
				 "\n"
				 "[expect rate]\n"
				 "what = ratio:irq-rate\n"
				 "compare = other\n"
				 "high = 2\n"
				 "kind = fit\n"
				 "source = somebody\n"
				 "known-miss = 2.5, the reason, with a comma\n"
				 "\n"
				 "[candidate alone]\n"
				 "assume = fec-shared-poll=0\n"
				 "set = rx-usecs 50\n"
				 "note = n\n";

static void test_parse(struct scenario *scenario)
{
	struct err err = { "" };

	tap_is(scenario_parse(scenario, whole, "dir/mine.ini", &err), 0, "a scenario is read");
	tap_is_text(err.text, "", "without complaint");
	tap_is_text(scenario->name, "mine", "its name is that of the file");
	const struct scenario_expect *mean = &scenario->expects[0], *rate = &scenario->expects[1];

	tap_is(scenario->expect_count, 2, "two numbers are expected");
	tap_is(mean->low, 450000, "a tolerance is turned into the low ...");
	tap_is(mean->high, 550000, "... and the high");
	tap_is(rate->compare, SCENARIO_RATIO, "a ratio is recognised");
	tap_is_text(rate->other, "other", "with the other scenario");
	tap_is(rate->known_miss, 2500, "a known miss has its number ...");
	tap_is_text(rate->reason, "the reason, with a comma", "... and its reason");
	const struct scenario_candidate *candidate = &scenario->candidates[0];

	tap_is(scenario->candidate_count, 1, "there is a candidate");
	tap_is(candidate->setup.request.value[COALESCE_RX_USECS], 50, "which changes what it says");
	tap_is(candidate->setup.request.value[COALESCE_TX_USECS], 100, "and keeps what it does not");
	tap_is(candidate->setup.assume.value[ASSUME_FEC_SHARED_POLL], 0, "also among the model choices");
	tap_is(scenario->setup.assume.value[ASSUME_FEC_SHARED_POLL], 1, "those of the scenario stay");
}

static void test_bad(struct scenario *scenario)
{
	static const struct {
		const char *text, *complaint;
	} cases[] = {
		{ "", "x: [scenario] lacks title: what it is, for people" },
		{ HEAD "colour = red\n", "x:6: unknown key \"colour\" in [scenario]" },
		{ HEAD "sorce = red\n", "x:6: unknown key \"sorce\" in [scenario]: did you mean source?" },
		{ HEAD "duraton = 1s\n", "x:6: unknown key \"duraton\" in [scenario]: did you mean duration?" },
		{ HEAD "duration = 0s\n", "x:6: duration 0s is too short: it must be more than 0" },
		{ HEAD "[expect a]\nwhat = rtt-maen\nkind = report\nsource = s\n",
		  "x:7: unknown figure \"rtt-maen\": did you mean rtt-mean?" },
		{ HEAD "[expect a]\nwhat = rtt-mean\nkind = guess\nsource = s\n",
		  "x:8: kind \"guess\" is none of fit, predict, report and claim" },
		{ HEAD "[expect a]\nwhat = rtt-mean\nkind = fit\nsource = s\n",
		  "x:7: fit needs a low, a high or a tolerance to be judged by" },
		{ HEAD "[expect a]\nwhat = rtt-mean\nkind = fit\nsource = s\nlow = 2us\nhigh = 1us\n",
		  "x:7: low is above high" },
		{ HEAD "[expect a]\nwhat = rtt-mean\nkind = fit\nsource = s\nlow = 2\n", NULL },
		{ HEAD "[expect a]\nwhat = rtt-mean\nkind = fit\nsource = s\ntolerance = 2\n",
		  "x:10: tolerance goes with value, in place of low and high" },
		{ HEAD "[expect a]\nwhat = rtt-mean\nkind = report\nsource = s\ncompare = b\n",
		  "x:7: compare goes with ratio: or diff:, not rtt-mean" },
		{ HEAD "[expect a]\nwhat = diff:rtt-mean\nkind = report\nsource = s\n",
		  "x:7: what = diff:rtt-mean needs compare = SCENARIO" },
		{ HEAD "[expect a]\nwhat = rtt-mean\nkind = fit\nsource = s\nhigh = 2us\nknown-miss = 1us, why\n",
		  "x:7: known-miss is no miss: it lies within what is expected" },
		{ HEAD "[expect a]\nwhat = rtt-mean\nkind = fit\nsource = s\nhigh = 2us\nknown-miss = 3us\n",
		  "x:11: known-miss is GOT, REASON: what the model gives, and why" },
		{ HEAD "[expect a]\nwhat = rtt-mean\nkind = report\nsource = s\nknown-miss = 3us, why\n",
		  "x:7: known-miss goes with fit and predict, not report" },
		{ HEAD "[expect a]\nwhat = rtt-mean\nkind = report\nsource =\n",
		  "x:7: source is empty: who said the number" },
		{ HEAD "[expect a]\nwhat = ratio:rtt-mean\nkind = report\nsource = s\ncompare =\n",
		  "x:7: what = ratio:rtt-mean needs compare = SCENARIO" },
		{ HEAD "[candidate a]\nspeed = 123\n", NULL },
		{ HEAD "[candidate a]\nassume = nonsense\n", "x:7: assume: \"nonsense\" is not NAME=VALUE" },
		{ "[expect a]\nwhat = rtt-mean\n" HEAD, "x:4: [scenario] must come before what is expected of it" },
		{ HEAD "[other]\na = b\n", NULL },
		{ "[scenario]\ntitle = t\nsource = s\nboard = imx8mm\n",
		  "x: no workload is given, such as \"ping size=56 interval=1ms\"" },
		{ "[scenario]\ntitle = t\nsource = s\nboard = imx8mn\nworkload = ping\n", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = { "" };

		tap_ok(scenario_parse(scenario, cases[i].text, "x", &err) < 0, "case %zu is refused", i);
		if (cases[i].complaint) {
			tap_is_text(err.text, cases[i].complaint, "case %zu, its sentence", i);
		} else {
			tap_ok(strncmp(err.text, "x:", 2) == 0 && strlen(err.text) > 10,
			       "case %zu says where and what: %s", i, err.text);
		}
	}
}

static void test_verdicts(struct scenario *scenario)
{
	scenario_parse(scenario, whole, "mine.ini", NULL);
	struct scenario_expect *mean = &scenario->expects[0], *rate = &scenario->expects[1];
	int64_t error;

	tap_is(scenario_judge(mean, true, 450000), SCENARIO_OK, "on the edge is within");
	tap_is(scenario_judge(mean, true, 449999), SCENARIO_MISS, "below is a miss");
	tap_is(scenario_judge(mean, false, 0), SCENARIO_MISS, "not observed is a miss");
	tap_is(scenario_judge(rate, true, 2512), SCENARIO_KNOWN_MISS, "within half a percent of a known miss");
	tap_is(scenario_judge(rate, true, 2513), SCENARIO_CHANGED, "a known miss that moved");
	tap_is(scenario_judge(rate, true, 1000), SCENARIO_CHANGED, "also when it hits");
	tap_is(scenario_judge(rate, false, 0), SCENARIO_CHANGED, "also when it is gone");
	rate->kind = SCENARIO_REPORT;
	tap_is(scenario_judge(rate, true, 1000), SCENARIO_REPORTED, "a report has no verdict");
	mean->kind = SCENARIO_CLAIM;
	tap_is(scenario_judge(mean, true, 500000), SCENARIO_CLAIM_TRUE, "a claim can be true");
	tap_is(scenario_judge(mean, true, 600000), SCENARIO_CLAIM_FALSE, "or false");
	tap_ok(scenario_error(mean, 550000, &error) && error == 10000, "10 %% above");
	tap_ok(scenario_error(mean, 333333, &error) && error == -33333, "a third below, rounded");
	tap_ok(!scenario_error(rate, 1, &error), "no error where nothing was published");
}

static void test_compare(struct scenario *scenario)
{
	struct run *run = malloc(sizeof(*run)), *other = malloc(sizeof(*other));
	int64_t got;

	scenario_parse(scenario, whole, "mine.ini", NULL);
	struct scenario_expect *rate = &scenario->expects[1];

	run_init(run);
	run_init(other);
	run->conditions.duration_ns = other->conditions.duration_ns = 1000000000;
	run->findings.irq_count = 300;
	other->findings.irq_count = 200;
	tap_ok(scenario_got(rate, run, other, &got) && got == 1500, "a ratio is this over that");
	rate->compare = SCENARIO_DIFF;
	tap_ok(scenario_got(rate, run, other, &got) && got == 100000, "a difference is this less that");
	rate->compare = SCENARIO_RATIO;
	other->findings.irq_count = 0;
	tap_ok(!scenario_got(rate, run, other, &got), "nothing is a ratio to nothing");
	free(run);
	free(other);
}

static void test_print(struct scenario *scenario)
{
	char text[SCENARIO_EXPECTED_MAX], assumes[512];

	scenario_parse(scenario, whole, "mine.ini", NULL);
	tap_is_text(scenario_print_expected(&scenario->expects[0], text), "500 us +/- 10 %", "value and tolerance");
	tap_is_text(scenario_print_expected(&scenario->expects[1], text), "at most 2", "one-sided");
	scenario_print_assumes(&scenario->candidates[0].setup, assumes, sizeof(assumes));
	tap_ok(strstr(assumes, "fec-shared-poll=0") && !strstr(assumes, "tsnep"),
	       "the choices that bear on the board: %s", assumes);
}

/* What is built in can be read; world_run is not called here. */
static void test_built_in(struct scenario *scenario)
{
	struct err err = { "" };
	unsigned count = 0, broken = 0;

	for (const struct board_text *text = embedded_scenarios; text->name; text++, count++) {
		if (scenario_load(scenario, text->name, &err) < 0) {
			tap_note("%s", err.text);
			broken++;
		}
	}
	tap_ok(count >= 20 && broken == 0, "all %u built-in scenarios can be read", count);
	tap_is(scenario_load(scenario, "fec-imx8mm-pink", &err), -ENODEV, "an unknown one is refused");
	tap_is_text(
		err.text,
		"unknown scenario \"fec-imx8mm-pink\": did you mean fec-imx8mm-ping? (holdoff scenarios lists them)",
		"with the nearest name");
}

int main(void)
{
	struct scenario *scenario = malloc(sizeof(*scenario));

	if (!scenario) {
		return 1;
	}
	test_parse(scenario);
	test_bad(scenario);
	test_verdicts(scenario);
	test_compare(scenario);
	test_print(scenario);
	test_built_in(scenario);
	free(scenario);
	return tap_done();
}
