/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Differences of made samples, what they add to a run, and one reading of this machine. */
#include "live/sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "tap.h"

static struct sampler sampler;
static struct sample before, after;
static struct sample_change change;

/* 100 ms, idle 60 ms of them to the ns, on one CPU. */
static void make_samples(void)
{
	memset(&sampler, 0, sizeof(sampler));
	memset(&before, 0, sizeof(before));
	memset(&after, 0, sizeof(after));
	before.has = after.has = SAMPLE_HAS_IDLE | SAMPLE_HAS_TICKS | SAMPLE_HAS_IRQ_TIME | SAMPLE_HAS_INTERRUPTS |
				 SAMPLE_HAS_SOFTNET | SAMPLE_HAS_LINK | SAMPLE_HAS_POLLS;
	after.times_at_ns = 101 * NS_PER_MS;
	before.idle_at_ns = 1 * NS_PER_MS;
	after.idle_at_ns = 101 * NS_PER_MS;
	before.cpu[1].seen = after.cpu[1].seen = true;
	before.cpu[1].idle_ns = 7;
	after.cpu[1].idle_ns = 60 * NS_PER_MS + 7;
	after.cpu[1].ticks.user_ns = 50 * NS_PER_MS;
	after.cpu[1].ticks.softirq_ns = 20 * NS_PER_MS;
	after.irq_time.cpu[1].hardirq_ns = 3 * NS_PER_MS;
	after.irq_time.cpu[1].softirq_ns = 17 * NS_PER_MS;
}

static void test_cpu_time(void)
{
	make_samples();
	sample_difference(&sampler, &before, &after, &change);
	tap_is(change.span_ns, 100 * NS_PER_MS, "the span is that between the idle times");
	tap_is(change.cpu[1].busy_ns, 40 * NS_PER_MS, "busy is what is not idle");
	tap_is(change.cpu[1].softirq_ns, 17 * NS_PER_MS, "softirq time to the ns wins over ticks");
	tap_ok(!change.cpu[0].seen, "a CPU that is not there stays away");

	after.has &= ~(uint32_t)(SAMPLE_HAS_IDLE | SAMPLE_HAS_IRQ_TIME);
	sample_difference(&sampler, &before, &after, &change);
	tap_is(change.cpu[1].busy_ns, 70 * NS_PER_MS, "without idle times busy is a sum of ticks");
	tap_is(change.cpu[1].softirq_ns, 20 * NS_PER_MS, "and softirq time comes in ticks");
	tap_is(change.span_ns, 101 * NS_PER_MS, "over the span of the samples");
}

static void test_counters(void)
{
	make_samples();
	sampler.vectors = 2;
	sampler.vector[0] = (struct nic_vector){ .is_data = true, .is_shared = true };
	before.vector_count[0] = UINT32_MAX - 1;
	after.vector_count[0] = UINT64_C(1) << 32 | 3; /* two CPUs, one of which has wrapped or not */
	before.vector_count[1] = 5;
	after.vector_count[1] = 7;
	before.cpu[1].softnet.time_squeeze = UINT32_MAX;
	after.cpu[1].softnet.time_squeeze = 1;
	sample_difference(&sampler, &before, &after, &change);
	tap_is((int64_t)change.irqs, 5, "interrupts of data vectors, over the wrap");
	tap_is((int64_t)change.other_irqs, 2, "and of others apart");
	tap_ok(change.irqs_are_shared, "a shared line makes them an upper bound");
	tap_is((int64_t)change.cpu[1].time_squeeze, 2, "softnet counters wrap, too");
}

static void test_run(void)
{
	struct run *const run = malloc(sizeof(*run));

	run_init(run);
	make_samples();
	after.link.rx_frames = 10;
	after.link.rx_missed = 2;
	after.irq_time.polls = 4;
	sample_difference(&sampler, &before, &after, &change);
	sample_add_to_run(&change, run);
	sample_add_to_run(&change, run);
	tap_is(run->findings.cpus, 1, "one CPU has a row");
	tap_is(run->findings.cpu[0].number, 1, "under its number");
	tap_is(run->findings.cpu[0].app_ns, 2 * 20 * NS_PER_MS, "what is neither handler nor softirq, of two repeats");
	tap_is((int64_t)run->findings.rx_frames, 20, "frames add up");
	tap_is((int64_t)run->findings.rx_dropped, 4, "frames missed are dropped at the ring");
	tap_is((int64_t)run->findings.napi_polls, 8, "so do polls");
	tap_ok(run_lacks(run, RUN_LACKS_IRQ_WORK) && !run_lacks(run, RUN_LACKS_IRQS),
	       "what a machine cannot count is said");
	after.irq_time.polls = 0;
	run->findings.lacks = 0;
	sample_difference(&sampler, &before, &after, &change);
	sample_add_to_run(&change, run);
	tap_ok(run_lacks(run, RUN_LACKS_POLLS), "frames without polls came by a backlog that is no device's");
	after.has = SAMPLE_HAS_TICKS;
	sample_difference(&sampler, &before, &after, &change);
	sample_add_to_run(&change, run);
	make_samples();
	sample_difference(&sampler, &before, &after, &change);
	sample_add_to_run(&change, run);
	tap_ok(run_lacks(run, RUN_LACKS_IRQS) && run_lacks(run, RUN_LACKS_POLLS) && run_lacks(run, RUN_LACKS_FRAMES),
	       "also when only one repeat lacks it");
	free(run);
}

static void test_many_cpus(void)
{
	struct run *const run = malloc(sizeof(*run));

	run_init(run);
	make_samples();
	for (unsigned i = 0; i < 100; i++) {
		before.cpu[i].seen = after.cpu[i].seen = true;
		after.irq_time.cpu[i].softirq_ns = i == 77 || i == 3 ? NS_PER_MS : 1000 - i;
		after.cpu[i].idle_ns = 90 * NS_PER_MS;
		before.cpu[i].idle_ns = 0;
	}
	sample_difference(&sampler, &before, &after, &change);
	sample_add_to_run(&change, run);
	tap_is(run->findings.cpus, RUN_CPUS_MAX, "of 100 CPUs so many have a row as there are");
	tap_is(run->findings.other_cpus, 100 - RUN_CPUS_MAX, "the rest is together");
	tap_is(run->findings.cpu[RUN_CPUS_MAX - 1].number, 77,
	       "those with most softirq time, in order of their number");
	tap_is(run_busy_ns(run), 100 * 10 * NS_PER_MS, "all of them together were busy for so long");
	free(run);
}

static uint64_t troubles;
static char trouble_names[256];

static void take_trouble(void *context, const char *name, uint64_t count)
{
	(void)context;
	troubles += count;
	strncat(trouble_names, name, sizeof(trouble_names) - strlen(trouble_names) - 1);
}

static void test_troubles(void)
{
	struct nic_statistic
		was[] = { { "rx_packets", 1 }, { "rx_dropped", 1 }, { "rx_no_buffer", 9 }, { "tx_0_stopped", 0 } },
		is[] = { { "rx_packets", 5 }, { "rx_dropped", 4 }, { "rx_no_buffer", 9 }, { "tx_1_stopped", 7 } };

	before.statistics = was;
	after.statistics = is;
	before.statistics_count = after.statistics_count = 4;
	sample_troubles(&before, &after, take_trouble, NULL);
	tap_is((int64_t)troubles, 3, "what went up and tells of trouble");
	tap_is_text(trouble_names, "rx_dropped", "and is the same counter");
	before.statistics = after.statistics = NULL;
}

static void test_this_machine(void)
{
	struct nic nic;
	struct err err = { "" };

	nic_open(&nic, "lo", &err);
	tap_is(sampler_open(&sampler, &nic, NULL, NULL, &err), 0, "a sampler of lo%s", err.text);
	tap_is(sampler_read(&sampler, SAMPLE_BEFORE, &before, &err), 0, "a sample%s", err.text);
	sample_free(&before);
	int ret = 0;

	after.times_at_ns = 0;
	while (ret == 0 && after.times_at_ns < before.times_at_ns + 30 * NS_PER_MS) {
		ret = sampler_read(&sampler, SAMPLE_AFTER, &after, &err);
		sample_free(&after);
	}
	tap_is(ret, 0, "samples for 30 ms%s", err.text);
	sample_difference(&sampler, &before, &after, &change);
	int64_t busy_ns = 0;

	for (unsigned i = 0; i < PROC_CPUS_MAX; i++) {
		busy_ns += change.cpu[i].busy_ns;
	}
	tap_ok(after.has & SAMPLE_HAS_SOFTNET && after.has & SAMPLE_HAS_LINK, "softnet and link counters are there");
	tap_note("%s: busy %lld of %lld us, %s", sample_method(change.has), (long long)busy_ns / 1000,
		 (long long)change.span_ns / 1000, sampler.pmu.cpus ? "cycles" : "no PMU");
	if (change.has & SAMPLE_HAS_IDLE) {
		tap_ok(busy_ns > change.span_ns / 2, "reading kept one CPU busy for most of the time");
	} else {
		tap_skip("no idle times to the ns for this user on this kernel", "busy time of a short span");
	}
	sampler_close(&sampler);
	nic_close(&nic);
}

int main(void)
{
	test_cpu_time();
	test_counters();
	test_run();
	test_many_cpus();
	test_troubles();
	test_this_machine();
	return tap_done();
}
