/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/figure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "tap.h"

static int64_t read_figure(const struct run *run, const char *name)
{
	const struct figure *figure;
	int64_t thousandths;

	if (figure_find(name, &figure, NULL) < 0 || !figure->read(run, figure, &thousandths)) {
		return INT64_MIN;
	}
	return thousandths;
}

static void fill(struct run *run)
{
	struct run_findings *findings = &run->findings;

	run_init(run);
	run->conditions.duration_ns = 2 * NS_PER_S;
	run->conditions.xmit_ns = 8000;
	findings->has = 1u << RUN_RTT | 1u << RUN_XMIT_TO_IRQ | 1u << RUN_IRQ_TO_COMPLETION;
	for (int64_t i = 1; i <= 100; i++) {
		histogram_record(&findings->latency[RUN_RTT], i);
	}
	histogram_record(&findings->latency[RUN_XMIT_TO_IRQ], 1011000);
	histogram_record(&findings->latency[RUN_IRQ_TO_COMPLETION], 23000);
	findings->irq_count = 1001;
	findings->irq_frames = 2002;
	findings->napi_polls = 8;
	findings->napi_frames = 2;
	findings->irq_masked_ns = NS_PER_S;
	findings->cpus = 2;
	findings->cpu[0] = (struct run_cpu){
		.hardirq_ns = NS_PER_S, .softirq_ns = NS_PER_S / 2, .app_ns = NS_PER_S / 2, .number = 0
	};
	findings->cpu[1] = (struct run_cpu){ .idle_exit_ns = NS_PER_S / 5, .number = 1 };
	findings->rx_frames = 3;
	findings->tx_frames = 5;
	findings->rx_dropped = 7;
	findings->socket_dropped = 1;
	findings->app_bytes = 1000000;
	findings->app_bytes_span_ns = NS_PER_S;
}

static void test_values(struct run *run)
{
	static const struct {
		const char *name;
		int64_t thousandths;
	} expected[] = {
		{ "rtt-min", 1 },
		{ "rtt-mean", 51 },
		{ "rtt-max", 100 },
		{ "rtt-stddev", 28 },
		{ "rtt-p50", 50 },
		{ "rtt-p99", 99 },
		{ "xmit-to-irq-mean", 1011000 },
		{ "xmit-to-completion", 1034000 },
		{ "xmit-start-to-irq", 1019000 },
		{ "xmit-start-to-completion", 1042000 },
		{ "irq-rate", 500500 },
		{ "irq-interval", 1998002 },
		{ "frames-per-irq", 2000 },
		{ "frames-per-poll", 250 },
		{ "irq-masked", 50000 },
		{ "rx-rate", 1500 },
		{ "tx-rate", 2500 },
		{ "drop-rate", 4000 },
		{ "goodput", 8000 },
		{ "goodput-bytes", 1000000 },
		{ "cpu-busy", 110000 },
		{ "machine-busy", 55000 },
		{ "cpu-per-frame", 275000000 },
		{ "irq-time-per-frame", 187500000 },
		{ "cpu0-busy", 100000 },
		{ "cpu1-busy", 10000 },
	};

	fill(run);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		tap_is(read_figure(run, expected[i].name), expected[i].thousandths, "%s", expected[i].name);
	}
	tap_is(read_figure(run, "one-way-mean"), INT64_MIN, "what was not observed has no figure");
	run->findings.irq_count = 0;
	tap_is(read_figure(run, "irq-interval"), INT64_MIN, "without interrupts there is no interval between them");
	run->findings.lacks = RUN_LACKS_FRAMES;
	tap_is(read_figure(run, "irq-time-per-frame"), INT64_MIN, "nor a time for each frame where they were not counted");
	run->findings.cpus = 1;
	tap_is(read_figure(run, "cpu1-busy"), INT64_MIN, "a CPU that is not there is not idle");
}

static void test_names(void)
{
	unsigned count;
	const struct figure *all = figures(&count), *found;
	struct err err;
	bool unique = true;

	for (unsigned i = 0; i < count; i++) {
		unique = unique && figure_find(all[i].name, &found, NULL) == 0 && found == &all[i] && all[i].meaning[0];
	}
	tap_ok(unique, "each of the %u figures is found by its name", count);
	tap_is(figure_find("rtt-maen", &found, &err), -EINVAL, "a mistyped name is refused");
	tap_is_text(err.text, "unknown figure \"rtt-maen\": did you mean rtt-mean?", "with the nearest one");
}

static void test_samples(struct run *run)
{
	const struct figure *p99, *rate;

	run_init(run);
	run->findings.has = 1u << RUN_RTT;
	histogram_record(&run->findings.latency[RUN_RTT], 5);
	figure_find("rtt-p99", &p99, NULL);
	figure_find("irq-rate", &rate, NULL);
	tap_is((int64_t)figure_samples(run, p99), 1, "a percentile comes from so many samples");
	tap_is((int64_t)figure_samples(run, rate), 0, "a rate comes from none");
}

static void test_parse(void)
{
	static const struct {
		const char *text, *unit;
		int ret;
		int64_t thousandths;
	} cases[] = {
		{ "1.32ms", "us", 0, 1320000 },
		{ "-900us", "us", 0, -900000 },
		{ "5", "us", -EINVAL, 0 },
		{ "5 us", "us", -EINVAL, 0 },
		{ "941", "Mb/s", 0, 941000 },
		{ "941 Mb/s", "Mb/s", 0, 941000 },
		{ "941 kB/s", "Mb/s", -EINVAL, 0 },
		{ "-2.5", "%", 0, -2500 },
		{ "0.0001", "", -EINVAL, 0 },
		{ "1.", "", -EINVAL, 0 },
		{ "", "", -EINVAL, 0 },
		{ "1e3", "", -EINVAL, 0 },
		{ "9999999999999999", "", -EINVAL, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t thousandths = 0;

		tap_is(figure_parse(cases[i].text, cases[i].unit, "value", &thousandths, NULL), cases[i].ret,
		       "\"%s\" in %s", cases[i].text, cases[i].unit);
		tap_is(thousandths, cases[i].thousandths, "\"%s\" in %s: its value", cases[i].text, cases[i].unit);
	}
}

static void test_print(void)
{
	char buffer[FIGURE_TEXT_MAX];

	tap_is_text(figure_print(1322500, "us", buffer), "1322.5 us", "trailing zeros are left out");
	tap_is_text(figure_print(1000, "", buffer), "1", "and a point without digits");
	tap_is_text(figure_print(-5, "%", buffer), "-0.005 %", "a small negative number keeps its sign");
	tap_is_text(figure_print(100000, "/s", buffer), "100 /s", "zeros before the point stay");
	tap_is_text(figure_print(INT64_MIN, "", buffer), "-9223372036854775.808", "the least number is printed");
}

int main(void)
{
	struct run *run = malloc(sizeof(*run));

	if (!run) {
		return 1;
	}
	test_values(run);
	test_samples(run);
	test_names();
	test_parse();
	test_print();
	free(run);
	return tap_done();
}
