/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "infer/verdict.h"

#include <stddef.h>

#include "base/time.h"
#include "tap.h"

#define ROWS 7
#define NONE (-1)

/* Requested, reported and effective us; effective NONE: not known. Row with requested NONE ends. */
struct scene {
	const char *what;
	int requested[ROWS], reported[ROWS], effective[ROWS];
	enum verdict_kind kind;
	int low_limit, high_limit, step;
	bool is_adaptive, misreports;
};

static const struct scene scenes[] = {
	{ "V3: each as it is asked for",
	  { 0, 100, 500, 1000, NONE },
	  { 0, 100, 500, 1000 },
	  { 0, 101, 499, 1001 },
	  VERDICT_EXACT,
	  0,
	  0,
	  0,
	  false,
	  false },
	{ "V4: inert, though it is reported",
	  { 0, 100, 500, 1000, NONE },
	  { 0, 100, 500, 1000 },
	  { 50, 51, 50, 50 },
	  VERDICT_INERT,
	  0,
	  0,
	  0,
	  false,
	  true },
	{ "V4: inert at nothing",
	  { 0, 100, 500, NONE },
	  { 0, 100, 500 },
	  { 0, 0, 0 },
	  VERDICT_INERT,
	  0,
	  0,
	  0,
	  false,
	  true },
	{ "V5: no less than a limit, as some chips have it",
	  { 0, 50, 100, 250, 500, NONE },
	  { 0, 50, 100, 250, 500 },
	  { 128, 128, 128, 250, 500 },
	  VERDICT_CLAMPED,
	  128,
	  0,
	  0,
	  false,
	  true },
	{ "V5: no more than a limit",
	  { 0, 100, 200, 400, 800, NONE },
	  { 0, 100, 200, 400, 800 },
	  { 0, 100, 200, 240, 240 },
	  VERDICT_CLAMPED,
	  0,
	  240,
	  0,
	  false,
	  true },
	{ "V5: nothing below some time, as an emulated e1000e has it",
	  { 0, 50, 100, 250, 500, NONE },
	  { 0, 50, 100, 250, 500 },
	  { 0, 0, 0, 250, 500 },
	  VERDICT_CLAMPED,
	  0,
	  0,
	  0,
	  false,
	  true },
	{ "V6: by what the driver reports",
	  { 0, 201, 250, 300, NONE },
	  { 0, 240, 280, 320 },
	  { 0, 240, 280, 320 },
	  VERDICT_QUANTISED,
	  0,
	  0,
	  40,
	  false,
	  false },
	{ "V6: by a step that nobody reports",
	  { 0, 70, 100, 120, 130, NONE },
	  { 0, 70, 100, 120, 130 },
	  { 0, 64, 96, 112, 128 },
	  VERDICT_QUANTISED,
	  0,
	  0,
	  16,
	  false,
	  true },
	{ "V7: all of them twice",
	  { 0, 100, 317, 1000, NONE },
	  { 0, 100, 317, 1000 },
	  { 0, 200, 634, 2000 },
	  VERDICT_SCALED,
	  0,
	  0,
	  0,
	  false,
	  true },
	{ "V2: adaptive moderation goes before the rest",
	  { 0, 100, 317, NONE },
	  { 0, 100, 317 },
	  { 20, 20, 20, 0 },
	  VERDICT_ADAPTIVE,
	  0,
	  0,
	  0,
	  true,
	  true },
	{ "V2: but what is exact is exact",
	  { 0, 100, 317, NONE },
	  { 0, 100, 317 },
	  { 0, 100, 317 },
	  VERDICT_EXACT,
	  0,
	  0,
	  0,
	  true,
	  false },
	{ "V8: no rule",
	  { 0, 100, 300, 1000, NONE },
	  { 0, 100, 300, 1000 },
	  { 0, 700, 20, 360 },
	  VERDICT_DIFFERS,
	  0,
	  0,
	  0,
	  false,
	  true },
	{ "V1: a time that is not known",
	  { 0, 100, 300, NONE },
	  { 0, 100, 300 },
	  { 0, NONE, 300 },
	  VERDICT_CANNOT_TELL,
	  0,
	  0,
	  0,
	  false,
	  false },
	{ "V1: nothing that could be seen was asked for",
	  { 0, 1, 2, NONE },
	  { 0, 1, 2 },
	  { 0, 0, 0 },
	  VERDICT_CANNOT_TELL,
	  0,
	  0,
	  0,
	  false,
	  false },
};

static void judge(const struct scene *scene)
{
	struct verdict_row rows[ROWS] = { 0 };
	struct verdict verdict;
	unsigned count = 0;

	for (; scene->requested[count] != NONE; count++) {
		const int64_t span_ns = scene->effective[count] * NS_PER_US;

		rows[count] = (struct verdict_row){
			.requested_ns = scene->requested[count] * NS_PER_US,
			.reported_ns = scene->reported[count] * NS_PER_US,
			.effective = { .is_known = scene->effective[count] != NONE,
				       .span_ns = span_ns,
				       .low_ns = time_max(span_ns - NS_PER_US, 0),
				       .high_ns = span_ns + NS_PER_US },
		};
	}
	verdict_find(&verdict, rows, count, 2 * NS_PER_US, scene->is_adaptive);
	tap_is_text(verdict_key(verdict.kind), verdict_key(scene->kind), "%s", scene->what);
	tap_is(verdict.low_limit_ns, scene->low_limit * NS_PER_US, "  its lower limit");
	tap_is(verdict.high_limit_ns, scene->high_limit * NS_PER_US, "  its upper limit");
	if (scene->kind != VERDICT_CANNOT_TELL) {
		tap_is(verdict.misreports, scene->misreports, "  and whether the driver reports something else");
	}
	if (scene->step) {
		tap_is(verdict.step_ns, scene->step * NS_PER_US, "  and its step");
	}
}

static void same_again(void)
{
	struct verdict_row rows[] = {
		{ 0, 0, false, { true, false, 0, 0, NS_PER_US, 20, 0 }, 0 },
		{ 100 * NS_PER_US,
		  100 * NS_PER_US,
		  false,
		  { true, false, 100 * NS_PER_US, 99 * NS_PER_US, 101 * NS_PER_US, 20, 0 },
		  0 },
		{ 100 * NS_PER_US,
		  100 * NS_PER_US,
		  true,
		  { true, false, 160 * NS_PER_US, 159 * NS_PER_US, 161 * NS_PER_US, 20, 0 },
		  0 },
	};
	struct verdict verdict;

	verdict_find(&verdict, rows, 3, 2 * NS_PER_US, false);
	tap_is_text(verdict_key(verdict.kind), "cannot tell", "V1: the same setting twice has to be the same twice");
	tap_ok(verdict.is_unsteady, "which is said");
}

/* Rounded up to 5 us, and all of them 1.4 us short for the path, which is known to 9 us. */
static void moved_together(int64_t common_ns, const char *expected, int64_t step_ns, const char *what)
{
	static const int64_t requested_ns[] = { 52000, 58000, 63000 }, reported_ns[] = { 55000, 60000, 65000 };
	struct verdict_row rows[3];
	struct verdict verdict;

	for (unsigned i = 0; i < 3; i++) {
		const int64_t span_ns = reported_ns[i] - 1400;

		rows[i] = (struct verdict_row){
			.requested_ns = requested_ns[i],
			.reported_ns = reported_ns[i],
			.effective = { .is_known = true,
				       .span_ns = span_ns,
				       .low_ns = span_ns - 9300,
				       .high_ns = span_ns + 9300,
				       .common_ns = common_ns },
		};
	}
	verdict_find(&verdict, rows, 3, 500, false);
	tap_is_text(verdict_key(verdict.kind), expected, "%s", what);
	tap_is(verdict.step_ns, step_ns, "  and its step");
}

int main(void)
{
	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
		judge(&scenes[i]);
	}
	same_again();
	moved_together(9200, "quantised", 5000, "what is not known of all of them together hides no steps");
	moved_together(0, "exact", 0, "what is not known of each of them does");
	return tap_done();
}
