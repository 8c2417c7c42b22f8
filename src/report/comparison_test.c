/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What counts as an observation, what is left out, and what is said when there is not enough. */
#include "report/comparison.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

static struct comparison *comparison;
static struct run *run;

static void begin(const char *workload, enum run_source source)
{
	run_init(run);
	workload_parse(&run->conditions.workload, workload, NULL);
	run->conditions.source = source;
	run->conditions.duration_ns = 1000000000;
	run->findings.has = 1u << RUN_RTT;
	run->findings.lacks = ~0u;
}

static void add(unsigned set, int64_t rtt_ns, unsigned repeats)
{
	struct run_measured *const measured = &run->conditions.measured;

	histogram_init(&run->findings.latency[RUN_RTT]);
	histogram_record(&run->findings.latency[RUN_RTT], rtt_ns);
	measured->repeat_count = repeats;
	for (unsigned i = 0; i < repeats; i++) {
		measured->repeat[i] = (struct run_repeat){ .latency_count = 9,
							   .latency_p50_ns = rtt_ns + 10 * (int64_t)i,
							   .latency_p99_ns = rtt_ns + 10 * (int64_t)i };
	}
	comparison_add(comparison, set, run, "box");
}

static const char *verdict(unsigned group, unsigned row)
{
	const char *const text = comparison_verdict(&comparison->group[group], row);

	return text ? text : "";
}

static void test_runs(void)
{
	comparison_begin(comparison);
	begin("ping", RUN_MEASURED);
	for (unsigned i = 0; i < 8; i++) {
		add(0, 50000 + 100 * i, 0);
		add(1, 90000 + 100 * i, 0);
	}
	comparison_conclude(comparison, COMPARISON_AUTO);
	tap_is(comparison->group[0].unit[0], COMPARISON_RUNS, "several runs: runs are observations");
	tap_is_text(verdict(0, 0), "higher", "of which B's are higher");
	tap_is_text(verdict(0, 4), "", "what neither has observed is no row");
	tap_is(comparison->questions, 2, "two figures were asked for at once");
	tap_is(comparison->group[0].adjusted_p_ppm[0], 2 * comparison->group[0].difference[0].p_ppm,
	       "which p is adjusted for");
}

static void test_repeats(void)
{
	comparison_begin(comparison);
	begin("ping", RUN_MEASURED);
	add(0, 50000, 10);
	add(1, 90000, 10);
	comparison_conclude(comparison, COMPARISON_AUTO);
	tap_is(comparison->group[0].unit[0], COMPARISON_REPEATS, "one run with repeats: they are observations");
	tap_is_text(verdict(0, 0), "higher", "and can be told apart");
	comparison_conclude(comparison, COMPARISON_RUNS);
	tap_is_text(verdict(0, 0), "no_interval", "one run each, as such, cannot");

	comparison_begin(comparison);
	add(0, 50000, 10);
	add(0, 50500, 10);
	add(1, 90000, 10);
	add(1, 90500, 10);
	comparison_conclude(comparison, COMPARISON_AUTO);
	tap_is_text(verdict(0, 0), "no_interval", "two runs each are two observations, whatever their repeats");
	comparison_conclude(comparison, COMPARISON_REPEATS);
	tap_is_text(verdict(0, 0), "higher", "unless one asks for these");
}

static void test_left_out(void)
{
	comparison_begin(comparison);
	begin("ping", RUN_MODEL);
	for (unsigned i = 0; i < 10; i++) {
		add(0, 50000, 0);
		add(1, 50000 + 20000 * i, 0);
	}
	comparison_conclude(comparison, COMPARISON_AUTO);
	tap_is(comparison->set[0].runs, 1, "a model that says the same ten times has said it once");
	tap_is(comparison->set[0].again, 9, "which is told");
	tap_is(comparison->set[1].runs, 10, "another that does not is ten runs");
	tap_is_text(verdict(0, 0), "no_interval", "one against ten has no interval");

	comparison_begin(comparison);
	begin("ping", RUN_MEASURED);
	run->conditions.measured.is_incomplete = true;
	add(0, 50000, 0);
	tap_is(comparison->set[0].runs, 0, "an incomplete run does not count");
	tap_is(comparison->set[0].left_out, 1, "which is told");
}

static void test_workloads(void)
{
	comparison_begin(comparison);
	begin("ping", RUN_MEASURED);
	for (unsigned i = 0; i < 8; i++) {
		add(0, 50000 + i, 0);
	}
	begin("rr", RUN_MEASURED);
	run->conditions.measured.taint_count = 1;
	for (unsigned i = 0; i < 8; i++) {
		add(1, 50000 + i, 0);
	}
	comparison_conclude(comparison, COMPARISON_AUTO);
	tap_is(comparison->group_count, 2, "workloads are kept apart");
	tap_is_text(verdict(0, 0), "only_a", "what only A has");
	tap_is_text(verdict(1, 0), "only_b", "what only B has");
	tap_is(comparison->questions, 0, "there is nothing to tell");
	tap_is(comparison->set[1].tainted, 8, "tainted runs are counted");
}

static void test_alike(void)
{
	comparison_begin(comparison);
	begin("ping", RUN_MEASURED);
	for (unsigned i = 0; i < 8; i++) {
		add(0, 50000 + 700 * i, 0);
		add(1, 50300 + 700 * i, 0);
	}
	comparison_conclude(comparison, COMPARISON_AUTO);
	tap_is_text(verdict(0, 0), "no_significant_difference", "what is alike is said to be so");
	tap_ok(comparison->group[0].difference[0].low < 0 && comparison->group[0].difference[0].high > 0,
	       "its interval has 0 in it");
}

static void test_page(void)
{
	char *text = NULL;
	size_t length;
	FILE *const out = open_memstream(&text, &length);

	comparison_begin(comparison);
	begin("ping", RUN_MODEL);
	add(0, 50000, 0);
	begin("ping", RUN_MEASURED);
	strcpy(run->conditions.measured.device, "eth0");
	add(1, 60000, 0);
	comparison_conclude(comparison, COMPARISON_AUTO);
	comparison_text_write(comparison, out);
	fclose(out);
	tap_ok(strstr(text, "A  MODEL ") && strstr(text, "B  measured eth0 on box"),
	       "model and measurement are told apart");
	tap_ok(strstr(text, "no interval (+20.0 %)") || strstr(text, "no interval (+19"),
	       "the difference is told without one");
	tap_ok(strstr(text, "One run each: what differs cannot be told from chance"), "and why");
	free(text);
}

int main(void)
{
	comparison = malloc(sizeof(*comparison));
	run = malloc(sizeof(*run));
	test_runs();
	test_repeats();
	test_left_out();
	test_workloads();
	test_alike();
	test_page();
	free(comparison);
	free(run);
	return tap_done();
}
