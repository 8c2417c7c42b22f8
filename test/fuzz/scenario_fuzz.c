/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same text as a scenario and as a plan: refused with a sentence, or something that can be run. */
#include "base/err.h"
#include "fuzz/fuzz.h"
#include "sim/plan.h"
#include "sim/scenario.h"

static void refused(int ret, const struct err *err)
{
	fuzz_require(ret < 0 && err->text[0] && !strchr(err->text, '\n'));
}

static void check_expect(const struct scenario_expect *expect)
{
	char text[SCENARIO_EXPECTED_MAX];
	int64_t error;

	fuzz_require(expect->figure && expect->name[0] && expect->source[0]);
	fuzz_require(!expect->has_low || !expect->has_high || expect->low <= expect->high);
	fuzz_require((expect->compare == SCENARIO_ALONE) == !expect->other[0]);
	fuzz_require(!expect->has_known_miss || expect->reason[0]);
	fuzz_require(scenario_judge(expect, false, 0) != SCENARIO_OK);
	if (expect->has_known_miss) {
		fuzz_require(scenario_judge(expect, true, expect->known_miss) == SCENARIO_KNOWN_MISS);
	}
	fuzz_require(!scenario_error(expect, expect->value, &error) || error == 0);
	scenario_error(expect, INT64_MIN, &error);
	fuzz_require(scenario_print_expected(expect, text)[0]);
}

static void try_scenario(const char *text)
{
	struct scenario *scenario = malloc(sizeof(*scenario));
	struct world_config config;
	struct err err = { "" };

	fuzz_require(scenario != NULL);
	const int ret = scenario_parse(scenario, text, "fuzz", &err);

	if (ret < 0) {
		refused(ret, &err);
	} else {
		fuzz_require(setup_config(&scenario->setup, &config, &err) == 0 && config.duration_ns > 0);
		for (unsigned i = 0; i < scenario->expect_count; i++) {
			check_expect(&scenario->expects[i]);
		}
		for (unsigned i = 0; i < scenario->candidate_count; i++) {
			fuzz_require(setup_config(&scenario->candidates[i].setup, &config, &err) == 0);
		}
	}
	free(scenario);
}

static void try_plan(const char *text)
{
	struct plan *plan = malloc(sizeof(*plan));
	char label[PLAN_LABEL_MAX];
	struct err err = { "" };
	struct setup setup;
	uint32_t cells;

	fuzz_require(plan != NULL);
	plan_init(plan);
	int ret = plan_parse(plan, text, "fuzz", &err);

	if (ret == 0) {
		ret = plan_cells(plan, &cells, &err);
	}
	if (ret < 0) {
		refused(ret, &err);
	} else {
		fuzz_require(cells > 0 && cells <= PLAN_CELLS_MAX);
		/* Values are checked one by one when they are put, so every cell is good for itself. */
		fuzz_require(plan_cell(plan, 0, &setup, label, &err) == 0 && label[0]);
		fuzz_require(plan_cell(plan, cells - 1, &setup, label, &err) == 0 && label[0]);
	}
	free(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);

	try_scenario(text);
	try_plan(text);
	free(text);
	return 0;
}
