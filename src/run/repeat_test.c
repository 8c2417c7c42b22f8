/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/repeat.h"

#include <stdlib.h>

#include "tap.h"

static int64_t read_of(const struct run *run, unsigned repeat, const char *name)
{
	const struct figure *figure;
	int64_t thousandths;

	figure_find(name, &figure, NULL);
	return run_repeat_figure(run, repeat, figure, &thousandths) ? thousandths : -1;
}

int main(void)
{
	struct run *const run = malloc(sizeof(*run));

	run_init(run);
	run->conditions.source = RUN_MEASURED;
	run->findings.has = 1u << RUN_RTT;
	run->conditions.measured.repeat_count = 1;
	run->conditions.measured.repeat[0] = (struct run_repeat){
		.duration_ns = 2000000000,
		.latency_count = 10,
		.latency_p50_ns = 65200,
		.latency_p99_ns = 80000,
		.irq_count = 1000,
		.frames = 4000,
		.busy_ns = 100000000,
		.app_bytes = 250000000,
		.app_bytes_span_ns = 2000000000,
	};
	tap_is(read_of(run, 0, "rtt-p50"), 65200, "the median, in thousandths of us");
	tap_is(read_of(run, 0, "rtt-p99"), 80000, "the 99th percentile");
	tap_is(read_of(run, 0, "one-way-p50"), -1, "what is a round trip is not one way");
	tap_is(read_of(run, 0, "irq-rate"), 500000, "500 interrupts a second");
	tap_is(read_of(run, 0, "cpu-busy"), 5000, "busy for 5 %% of one CPU");
	tap_is(read_of(run, 0, "cpu-per-frame"), 25000, "25 us for a frame");
	tap_is(read_of(run, 0, "goodput"), 1000000, "1000 Mb/s");
	tap_is(read_of(run, 0, "rtt-max"), -1, "no other figure is kept");
	tap_is(read_of(run, 1, "rtt-p50"), -1, "there is no second repeat");
	run->findings.lacks = RUN_LACKS_IRQS | RUN_LACKS_CPUS;
	tap_is(read_of(run, 0, "irq-rate"), -1, "what the run lacks its repeats lack");
	tap_is(read_of(run, 0, "cpu-busy"), -1, "of CPUs as well");
	free(run);
	return tap_done();
}
