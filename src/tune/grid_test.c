/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is one observation, which runs belong together, and what is left out. */
#include "tune/grid.h"

#include <stdlib.h>

#include "tap.h"

static struct grid *grid;
static struct run *run;
static struct front_point points[4];

static void begin(enum run_source source)
{
	static const char *const names[] = { "rtt-p50", "cpu-busy" };
	const struct figure *figure[2] = { NULL, NULL };

	for (unsigned i = 0; i < 2; i++) {
		figure_find(names[i], &figure[i], NULL);
	}
	grid_begin(grid, figure, 2);
	run_init(run);
	workload_parse(&run->conditions.workload, "ping", NULL);
	run->conditions.source = source;
	run->conditions.duration_ns = 1000000000;
	run->findings.has = 1u << RUN_RTT;
	run->findings.cpus = 1;
}

static bool add(uint32_t usecs, int64_t rtt_ns, unsigned repeats)
{
	struct run_measured *const measured = &run->conditions.measured;

	coalesce_put(&run->conditions.requested, COALESCE_RX_USECS, usecs);
	histogram_init(&run->findings.latency[RUN_RTT]);
	histogram_record(&run->findings.latency[RUN_RTT], rtt_ns);
	run->findings.cpu[0].softirq_ns = rtt_ns;
	measured->repeat_count = repeats;
	for (unsigned i = 0; i < repeats; i++) {
		measured->repeat[i] = (struct run_repeat){ .latency_count = 9, .latency_p50_ns = rtt_ns + 10 * i };
	}
	return grid_add(grid, run, "box", false);
}

static void test_cells(void)
{
	begin(RUN_MEASURED);
	for (unsigned i = 0; i < 7; i++) {
		add(100, 201 + i, 0);
		add(0, 100 + i, 0);
	}
	grid_conclude(grid, points);
	tap_is(grid->count, 2, "a cell for each setting");
	tap_is(grid->cell[1].settings.value[COALESCE_RX_USECS], 100, "in the order of the settings");
	tap_is(grid->cell[1].runs, 7, "with its runs");
	tap_is(points[1].axis[0].value.median, 204, "the median is that of its runs");
	tap_ok(points[1].axis[0].has_interval, "seven of which have an interval");
	tap_is(points[1].axis[0].value.low, 201, "from this");
	tap_is(points[1].axis[0].value.high, 207, "to that");
}

static void test_repeats(void)
{
	begin(RUN_MEASURED);
	add(0, 100, 9);
	grid_conclude(grid, points);
	tap_ok(grid->cell[0].is_of_repeats, "of a single run the repeats are observations");
	tap_is(points[0].axis[0].value.median, 140, "and give the median");
	begin(RUN_MEASURED);
	add(0, 100, 9);
	add(0, 300, 9);
	grid_conclude(grid, points);
	tap_ok(!grid->cell[0].is_of_repeats && !points[0].axis[0].has_interval,
	       "of two runs the runs are, too few for an interval");
	tap_is(points[0].axis[0].value.median, 200, "whatever the repeats were");
}

static void test_model(void)
{
	begin(RUN_MODEL);
	for (unsigned i = 0; i < 8; i++) {
		add(0, 100, 0);
	}
	add(0, 101, 0);
	grid_conclude(grid, points);
	tap_is(grid->cell[0].runs, 2, "a model that gives the same again is counted once");
	tap_is(grid->cell[0].again, 7, "and that is told");
	tap_ok(!points[0].axis[0].has_interval, "so that it gets no narrow interval by that");
	begin(RUN_MODEL);
	for (unsigned i = 0; i < 8; i++) {
		run->conditions.seed = i;
		add(0, 100, 0);
	}
	grid_conclude(grid, points);
	tap_is(grid->cell[0].runs, 8, "with another seed it has said something new: that there is no chance in it");
	tap_ok(points[0].axis[0].has_interval, "and has an interval");
	tap_is((int64_t)grid->cell[0].least_samples[0], 1, "how many samples a percentile comes from is known");
	tap_is((int64_t)grid->cell[0].least_samples[1], 0, "CPU time has none");
	histogram_record(&run->findings.latency[RUN_RTT], 100);
	run->conditions.seed = 8;
	grid_add(grid, run, "", false);
	tap_is((int64_t)grid->cell[0].least_samples[0], 1, "the least of all runs");
}

static void test_others(void)
{
	begin(RUN_MEASURED);
	tap_ok(add(0, 100, 0), "the first run says what the grid is of");
	workload_parse(&run->conditions.workload, "tcp", NULL);
	tap_ok(!add(0, 100, 0), "another workload is refused");
	workload_parse(&run->conditions.workload, "ping", NULL);
	tap_ok(!grid_add(grid, run, "other", false), "and another machine");
	run->conditions.source = RUN_MODEL;
	tap_ok(!add(0, 100, 0), "and a model beside a measurement");
	run->conditions.source = RUN_MEASURED;
	run->conditions.measured.is_incomplete = true;
	tap_ok(add(50, 100, 0), "an incomplete run belongs to it");
	tap_is(grid->incomplete, 1, "but is only counted");
	tap_is(grid->count, 1, "and makes no cell");
}

/* What is no setting of this end has to be the same, or is told apart. */
static void test_circumstances(void)
{
	char text[COALESCE_TEXT_MAX];

	begin(RUN_MODEL);
	run->conditions.cpus = 2;
	tap_ok(add(0, 100, 0), "a model of two CPUs");
	run->conditions.cpus = 4;
	tap_ok(!add(0, 100, 0), "four CPUs are another subject");
	run->conditions.cpus = 2;
	run->conditions.app_cpu = 1;
	tap_ok(!add(0, 100, 0), "so is the application on another one");
	run->conditions.irq_cpu = 1;
	tap_ok(!add(0, 100, 0), "and the interrupt");
	run->conditions.app_cpu = run->conditions.irq_cpu = 0;
	run->conditions.hops = 1;
	tap_ok(!add(0, 100, 0), "or a switch between");
	run->conditions.hops = 0;
	run->conditions.assume_count = 1;
	tap_ok(!add(0, 100, 0), "or another choice in the model");
	run->conditions.assume_count = 0;
	run->conditions.shared_host = true;
	tap_ok(!add(0, 100, 0), "or both ends on one host");
	run->conditions.shared_host = false;
	coalesce_put(&run->conditions.peer_requested, COALESCE_RX_USECS, 50);
	tap_ok(add(0, 100, 0), "what the other end is set to is a setting");
	grid_conclude(grid, points);
	tap_is(grid->count, 2, "with a cell of its own");
	tap_is_text(grid_cell_print(grid, &grid->cell[1], text), "peer rx-usecs 50", "and words");
}

static void test_source(void)
{
	begin(RUN_MEASURED);
	grid_add(grid, run, "", false);
	run->conditions.source = RUN_MODEL;
	tap_ok(!grid_add(grid, run, "", false), "a model of which nothing else differs is refused as well");
}

static void test_measured_alike(void)
{
	begin(RUN_MEASURED);
	for (unsigned i = 0; i < 8; i++) {
		add(0, 100, 0);
	}
	grid_conclude(grid, points);
	tap_is(grid->cell[0].runs, 8, "measured runs that came to the same are all counted");
	tap_ok(points[0].axis[0].has_interval, "and have an interval");
}

static void test_missing(void)
{
	begin(RUN_MEASURED);
	run->findings.has = 0;
	add(0, 100, 0);
	grid_conclude(grid, points);
	tap_ok(!points[0].axis[0].is_known, "a figure that was not observed is not known");
	tap_ok(points[0].axis[1].is_known, "another one is");
}

/* What counts is what was in force. */
static void test_settings(void)
{
	struct run_conditions *const conditions = &run->conditions;
	char text[COALESCE_TEXT_MAX];

	begin(RUN_MEASURED);
	conditions->reports_settings = true;
	coalesce_put(&conditions->reported, COALESCE_RX_USECS, 48);
	coalesce_put(&conditions->reported, COALESCE_RX_FRAMES, 4);
	add(50, 100, 0);
	add(40, 100, 0);
	grid_conclude(grid, points);
	tap_is(grid->count, 1, "what the driver takes for the same is one setting");
	tap_is_text(grid_cell_print(grid, &grid->cell[0], text), "rx-usecs 48 rx-frames 4",
		    "where there is one only it is all of it");
	coalesce_put(&conditions->reported, COALESCE_RX_USECS, 96);
	add(100, 100, 0);
	coalesce_put(&conditions->reported, COALESCE_ADAPTIVE_RX, 1);
	add(0, 100, 0);
	coalesce_put(&conditions->reported, COALESCE_RX_USECS, 8);
	add(0, 100, 0);
	grid_conclude(grid, points);
	tap_is(grid->count, 3, "what an adaptive driver has moved by itself is the same setting");
	tap_is_text(grid_cell_print(grid, &grid->cell[0], text), "adaptive-rx on", "and is not in its words");
	tap_is_text(grid_cell_print(grid, &grid->cell[1], text), "rx-usecs 48 rx-frames 4",
		    "those that cells differ in are");
	conditions->reported.present = 0;
	conditions->defer_hard_irqs = 2;
	conditions->gro_flush_timeout_ns = 20000;
	grid_add(grid, run, "box", true);
	grid_conclude(grid, points);
	tap_is_text(grid_cell_print(grid, &grid->cell[0], text), "gro-flush-timeout 20000 defer-hard-irqs 2",
		    "deferral is a setting as well");
	tap_ok(grid->cell[0].is_today && !grid->cell[1].is_today, "and which was in force before is known");
}

int main(void)
{
	grid = malloc(sizeof(*grid));
	run = malloc(sizeof(*run));
	if (!grid || !run) {
		return 1;
	}
	test_cells();
	test_repeats();
	test_model();
	test_others();
	test_source();
	test_circumstances();
	test_measured_alike();
	test_missing();
	test_settings();
	free(run);
	free(grid);
	return tap_done();
}
