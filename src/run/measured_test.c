/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/measured.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

static void test_conditions(void)
{
	struct run_condition_list *const list = calloc(1, sizeof(*list));

	run_condition_put(list, "kernel", "%s", "6.1");
	tap_is_text(run_condition_value(list, "kernel"), "6.1", "what was put is there");
	tap_ok(!run_condition_value(list, "kern"), "under its whole name");
	for (unsigned i = 1; i < RUN_CONDITIONS_MAX + 3; i++) {
		run_condition_put(list, "filler", "%0200u", i);
	}
	tap_is(list->count, RUN_CONDITIONS_MAX, "a full list stays full");
	tap_is(list->left_out, 3, "and counts what found no room");
	tap_is((int64_t)strlen(list->at[5].value), RUN_CONDITION_VALUE_MAX - 1, "a long text is cut");
	free(list);
}

static void test_taints(void)
{
	struct run_condition_list *const before = calloc(1, sizeof(*before)), *const after = calloc(1, sizeof(*after));
	struct run_measured *const measured = calloc(1, sizeof(*measured));

	run_condition_put(before, "governor", "schedutil");
	run_condition_put(before, "kernel", "6.1");
	run_condition_put(before, "carrier", "1");
	run_condition_put(after, "governor", "performance");
	run_condition_put(after, "kernel", "6.1");
	run_condition_put(after, "eee", "off");
	run_taint_by_conditions(measured, before, after);
	tap_is(measured->taint_count, 3, "what is the same does not taint");
	tap_is_text(measured->taint[0], "governor changed from schedutil to performance", "what changed does");
	tap_is_text(measured->taint[1], "carrier was 1 and can no longer be read", "what is gone does");
	tap_is_text(measured->taint[2], "eee came to be off", "what is new does");
	for (unsigned i = 3; i < RUN_TAINTS_MAX + 4; i++) {
		run_taint(measured, "taint %u", i);
	}
	tap_is_text(measured->taint[RUN_TAINTS_MAX - 1], "and 5 more", "the last place counts what found none");
	free(measured);
	free(after);
	free(before);
}

int main(void)
{
	test_conditions();
	test_taints();
	return tap_done();
}
