/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading takes time, and what is read first is older than what is read last: CPU times are read last before a run and
 * first after it, so that reading the rest is not in them. Counters are cumulative, so nothing is lost in between.
 */
#include "live/sample.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "live/file.h"
#include "live/pmu.h"
#include "nic/interrupts.h"

static int64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* CPUs of nohz_full stop their tick while they work, and their idle time cannot be told from that. */
static bool ticks_while_working(void)
{
	char *const list = file_read("/sys/devices/system/cpu/nohz_full");
	const bool ticks = !list || !strpbrk(list, "0123456789");

	free(list);
	return ticks;
}

int sampler_open(struct sampler *sampler, struct nic *nic, const struct sample_irq_clock *irq_clock,
		 const struct soak *soak, struct err *err)
{
	memset(sampler, 0, sizeof(*sampler));
	sampler->nic = nic;
	sampler->soak = soak;
	if (irq_clock) {
		sampler->irq_clock = *irq_clock;
	}
	sampler->idle_is_exact = ticks_while_working();
	const int ret = nic_vector_list(nic, sampler->vector, NIC_VECTORS_MAX, &sampler->vectors, err);

	if (ret == -ENODEV || ret == -ENOMEM) {
		return ret;
	}
	if (ret) {
		sampler->vectors = 0; /* its interrupts are not known: everything else may be */
	}
	if (sampler->vectors > NIC_VECTORS_MAX) {
		sampler->vectors = NIC_VECTORS_MAX;
	}
	pmu_open(&sampler->pmu);
	return 0;
}

void sampler_close(struct sampler *sampler)
{
	pmu_close(&sampler->pmu);
}

void sample_free(struct sample *sample)
{
	free(sample->statistics);
	sample->statistics = NULL;
	sample->statistics_count = 0;
}

static void read_ticks(struct sample *sample)
{
	static struct proc_cpu_time times[PROC_CPUS_MAX];
	char *const text = file_read("/proc/stat");

	if (text && proc_read_stat(text, (unsigned)sysconf(_SC_CLK_TCK), times)) {
		sample->has |= SAMPLE_HAS_TICKS;
		for (unsigned i = 0; i < PROC_CPUS_MAX; i++) {
			sample->cpu[i].ticks = times[i];
			sample->cpu[i].seen |= times[i].seen;
		}
	}
	free(text);
}

static void read_soaked(const struct soak *soak, struct sample *sample)
{
	sample->has |= SAMPLE_HAS_IDLE | SAMPLE_HAS_SOAKED;
	sample->idle_at_ns = monotonic_ns();
	for (unsigned i = 0; i < PROC_CPUS_MAX; i++) {
		sample->cpu[i].seen |= soak_idle(soak, i, &sample->cpu[i].idle_ns);
	}
}

static void read_idle(const struct sampler *sampler, struct sample *sample)
{
	static struct proc_idle idle[PROC_CPUS_MAX];
	char *const text = sampler->idle_is_exact ? file_read("/proc/timer_list") : NULL;

	if (text && proc_read_timer_list(text, idle, &sample->idle_at_ns)) {
		sample->has |= SAMPLE_HAS_IDLE;
		for (unsigned i = 0; i < PROC_CPUS_MAX; i++) {
			sample->cpu[i].idle_ns = idle[i].idle_ns;
			sample->cpu[i].seen |= idle[i].seen;
		}
	}
	free(text);
}

static void read_softirqs(struct sample *sample)
{
	static uint64_t counts[PROC_CPUS_MAX];
	char *const text = file_read("/proc/softirqs");

	if (text && proc_read_softirqs(text, "NET_RX", counts)) {
		sample->has |= SAMPLE_HAS_SOFTIRQS;
		for (unsigned i = 0; i < PROC_CPUS_MAX; i++) {
			sample->cpu[i].net_rx = counts[i];
		}
		proc_read_softirqs(text, "NET_TX", counts);
		for (unsigned i = 0; i < PROC_CPUS_MAX; i++) {
			sample->cpu[i].net_tx = counts[i];
		}
	}
	free(text);
}

static void read_softnet(struct sample *sample)
{
	static struct proc_softnet softnet[PROC_CPUS_MAX];
	char *const text = file_read("/proc/net/softnet_stat");

	if (text && proc_read_softnet(text, softnet)) {
		sample->has |= SAMPLE_HAS_SOFTNET;
		for (unsigned i = 0; i < PROC_CPUS_MAX; i++) {
			sample->cpu[i].softnet = softnet[i];
		}
	}
	free(text);
}

static void read_interrupts(const struct sampler *sampler, struct sample *sample)
{
	struct interrupts_reader reader;
	struct interrupts_line line;
	char *const text = sampler->vectors ? file_read("/proc/interrupts") : NULL;

	if (!text) {
		return;
	}
	interrupts_begin(&reader, text);
	while (interrupts_next(&reader, &line)) {
		for (unsigned i = 0; i < sampler->vectors; i++) {
			if (sampler->vector[i].irq == line.irq) {
				sample->vector_count[i] = line.count;
				sample->has |= SAMPLE_HAS_INTERRUPTS;
			}
		}
	}
	free(text);
}

static void read_irq_time(const struct sampler *sampler, struct sample *sample)
{
	if (sampler->irq_clock.read && sampler->irq_clock.read(sampler->irq_clock.context, &sample->irq_time) == 0) {
		sample->has |= SAMPLE_HAS_IRQ_TIME | SAMPLE_HAS_POLLS;
	}
}

static void read_cycles(struct sampler *sampler, struct sample *sample)
{
	for (unsigned i = 0; i < sampler->pmu.cpus && i < PROC_CPUS_MAX; i++) {
		if (pmu_read(&sampler->pmu, i, &sample->cpu[i].cycles, &sample->cpu[i].instructions)) {
			sample->has |= SAMPLE_HAS_CYCLES;
		}
	}
}

static void read_times(struct sampler *sampler, struct sample *sample)
{
	read_cycles(sampler, sample);
	read_irq_time(sampler, sample);
	read_ticks(sample);
	if (sampler->soak) {
		read_soaked(sampler->soak, sample);
	} else {
		read_idle(sampler, sample);
	}
	sample->times_at_ns = monotonic_ns();
}

static int read_counters(struct sampler *sampler, struct sample *sample, struct err *err)
{
	const int ret = nic_link_counters(sampler->nic, &sample->link, err);

	if (ret == -ENODEV) {
		return ret;
	}
	if (ret == 0) {
		sample->has |= SAMPLE_HAS_LINK;
	}
	read_interrupts(sampler, sample);
	read_softirqs(sample);
	read_softnet(sample);
	if (nic_statistics(sampler->nic, &sample->statistics, &sample->statistics_count, NULL)) {
		sample->statistics = NULL;
		sample->statistics_count = 0;
	}
	return 0;
}

int sampler_read(struct sampler *sampler, enum sample_end end, struct sample *sample, struct err *err)
{
	memset(sample, 0, sizeof(*sample));
	if (end == SAMPLE_AFTER) {
		read_times(sampler, sample);
	}
	const int ret = read_counters(sampler, sample, err);

	if (ret) {
		return ret;
	}
	if (end == SAMPLE_BEFORE) {
		read_times(sampler, sample);
	}
	return 0;
}

/* ---- differences ---- */

static int64_t difference_ns(int64_t before_ns, int64_t after_ns)
{
	return after_ns > before_ns ? after_ns - before_ns : 0;
}

/* All but idle: from the exact idle time over the span between its readings, or from ticks. */
static int64_t busy_ns(const struct sample *before, const struct sample *after, unsigned cpu, int64_t *span_ns)
{
	const struct proc_cpu_time *const from = &before->cpu[cpu].ticks, *const to = &after->cpu[cpu].ticks;

	if (before->has & after->has & SAMPLE_HAS_IDLE) {
		*span_ns = difference_ns(before->idle_at_ns, after->idle_at_ns);
		const int64_t idle_ns = difference_ns(before->cpu[cpu].idle_ns, after->cpu[cpu].idle_ns);

		return difference_ns(idle_ns, *span_ns);
	}
	*span_ns = difference_ns(before->times_at_ns, after->times_at_ns);
	return difference_ns(from->user_ns, to->user_ns) + difference_ns(from->system_ns, to->system_ns) +
	       difference_ns(from->hardirq_ns, to->hardirq_ns) + difference_ns(from->softirq_ns, to->softirq_ns);
}

static void find_cpu(const struct sample *before, const struct sample *after, unsigned cpu,
		     struct sample_change *change)
{
	const struct sample_cpu *const from = &before->cpu[cpu], *const to = &after->cpu[cpu];
	struct sample_change_cpu *const found = &change->cpu[cpu];

	found->seen = true;
	found->busy_ns = busy_ns(before, after, cpu, &change->span_ns);
	found->steal_ns = difference_ns(from->ticks.steal_ns, to->ticks.steal_ns);
	if (change->has & SAMPLE_HAS_IRQ_TIME) {
		found->hardirq_ns =
			difference_ns(before->irq_time.cpu[cpu].hardirq_ns, after->irq_time.cpu[cpu].hardirq_ns);
		found->softirq_ns =
			difference_ns(before->irq_time.cpu[cpu].softirq_ns, after->irq_time.cpu[cpu].softirq_ns);
	} else {
		found->hardirq_ns = difference_ns(from->ticks.hardirq_ns, to->ticks.hardirq_ns);
		found->softirq_ns = difference_ns(from->ticks.softirq_ns, to->ticks.softirq_ns);
	}
	found->net_rx = to->net_rx - from->net_rx;
	found->net_tx = to->net_tx - from->net_tx;
	found->dropped = (uint32_t)(to->softnet.dropped - from->softnet.dropped);
	found->time_squeeze = (uint32_t)(to->softnet.time_squeeze - from->softnet.time_squeeze);
	found->cycles = to->cycles - from->cycles;
	found->instructions = to->instructions - from->instructions;
}

static void find_interrupts(const struct sampler *sampler, const struct sample *before, const struct sample *after,
			    struct sample_change *change)
{
	for (unsigned i = 0; i < sampler->vectors; i++) {
		/* The kernel counts each CPU's in 32 bits; so is their sum's difference right modulo 2^32. */
		const uint32_t count = (uint32_t)(after->vector_count[i] - before->vector_count[i]);

		change->vector_count[i] = count;
		if (sampler->vector[i].is_data) {
			change->irqs += count;
			change->irqs_are_shared |= sampler->vector[i].is_shared;
		} else {
			change->other_irqs += count;
		}
	}
}

static struct nic_link_counters link_difference(const struct nic_link_counters *from,
						const struct nic_link_counters *to)
{
	return (struct nic_link_counters){
		.rx_frames = to->rx_frames - from->rx_frames,
		.rx_bytes = to->rx_bytes - from->rx_bytes,
		.rx_errors = to->rx_errors - from->rx_errors,
		.rx_dropped = to->rx_dropped - from->rx_dropped,
		.rx_missed = to->rx_missed - from->rx_missed,
		.rx_no_handler = to->rx_no_handler - from->rx_no_handler,
		.tx_frames = to->tx_frames - from->tx_frames,
		.tx_bytes = to->tx_bytes - from->tx_bytes,
		.tx_errors = to->tx_errors - from->tx_errors,
		.tx_dropped = to->tx_dropped - from->tx_dropped,
	};
}

void sample_difference(const struct sampler *sampler, const struct sample *before, const struct sample *after,
		       struct sample_change *change)
{
	memset(change, 0, sizeof(*change));
	change->has = before->has & after->has;
	change->span_ns = difference_ns(before->times_at_ns, after->times_at_ns);
	for (unsigned cpu = 0; cpu < PROC_CPUS_MAX; cpu++) {
		if (before->cpu[cpu].seen && after->cpu[cpu].seen) {
			find_cpu(before, after, cpu, change);
		}
	}
	find_interrupts(sampler, before, after, change);
	change->link = link_difference(&before->link, &after->link);
	change->polls = after->irq_time.polls - before->irq_time.polls;
	change->poll_work = after->irq_time.poll_work - before->irq_time.poll_work;
	change->polls_exhausted = after->irq_time.polls_exhausted - before->irq_time.polls_exhausted;
	change->polls_empty = after->irq_time.polls_empty - before->irq_time.polls_empty;
}
