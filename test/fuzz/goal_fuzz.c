/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as a goal: refused with a sentence and nothing changed, or limits that a value can meet. */
#include "fuzz/fuzz.h"
#include "tune/goal.h"

static enum goal_answer answer_to(const struct goal_limit *limit, int64_t thousandths)
{
	const struct front_value value = { .is_known = true, .value.median = thousandths };

	return goal_limit_answer(limit, &value);
}

/* Each limit has a side that meets it and one that misses it. */
static void check(const struct goal_limit *limit)
{
	const int64_t above = limit->thousandths + 1, below = limit->thousandths - 1;

	fuzz_require(limit->figure != NULL);
	fuzz_require(answer_to(limit, limit->is_least ? above : below) == GOAL_RATHER_MET);
	fuzz_require(answer_to(limit, limit->is_least ? below : above) == GOAL_RATHER_MISSED);
	fuzz_require((answer_to(limit, limit->thousandths) == GOAL_RATHER_MET) == limit->holds_when_equal);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *const text = fuzz_text(data, size);
	struct goal goal = { .count = 99 };
	struct err err = { "" };

	if (goal_parse(text, &goal, &err)) {
		fuzz_require(err.text[0] && goal.count == 99);
	} else {
		fuzz_require(goal.count >= 1 && goal.count <= GOAL_LIMITS_MAX);
		for (unsigned i = 0; i < goal.count; i++) {
			check(&goal.limit[i]);
		}
	}
	free(text);
	return 0;
}
