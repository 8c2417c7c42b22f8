/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What samples come to, as findings of a run and as words. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "live/sample.h"

const char *sample_method(uint32_t has)
{
	if (has & SAMPLE_HAS_SOAKED) {
		return has & SAMPLE_HAS_IRQ_TIME ? "idle soaked up, handlers and softirqs to the ns (BPF)"
						 : "idle soaked up, handlers and softirqs in ticks (/proc/stat)";
	}
	if (has & SAMPLE_HAS_IDLE) {
		return has & SAMPLE_HAS_IRQ_TIME
			       ? "idle to the ns (/proc/timer_list), handlers and softirqs to the ns (BPF)"
			       : "idle to the ns (/proc/timer_list), handlers and softirqs in ticks (/proc/stat)";
	}
	if (has & SAMPLE_HAS_TICKS) {
		return has & SAMPLE_HAS_IRQ_TIME ? "idle in ticks (/proc/stat), handlers and softirqs to the ns (BPF)"
						 : "in ticks (/proc/stat): coarse, and blind to what is shorter";
	}
	return "";
}

/* What is left of busy time when handlers and softirqs are taken off: the three sources are not read at one instant. */
static int64_t rest_ns(const struct sample_change_cpu *cpu)
{
	const int64_t rest_ns = cpu->busy_ns - cpu->hardirq_ns - cpu->softirq_ns;

	return rest_ns > 0 ? rest_ns : 0;
}

static void add_cpu(struct run_cpu *into, const struct sample_change_cpu *cpu)
{
	into->hardirq_ns += cpu->hardirq_ns;
	into->softirq_ns += cpu->softirq_ns;
	into->app_ns += rest_ns(cpu);
}

static struct run_cpu *row_of(struct run_findings *findings, unsigned number)
{
	for (unsigned i = 0; i < findings->cpus; i++) {
		if (findings->cpu[i].number == number) {
			return &findings->cpu[i];
		}
	}
	return NULL;
}

/* The CPU with most time in softirqs that has no row yet; PROC_CPUS_MAX when all have one. */
static unsigned next_busiest(const struct sample_change *change, struct run_findings *findings)
{
	unsigned best = PROC_CPUS_MAX;

	for (unsigned i = 0; i < PROC_CPUS_MAX; i++) {
		if (change->cpu[i].seen && !row_of(findings, i) &&
		    (best == PROC_CPUS_MAX || change->cpu[i].softirq_ns > change->cpu[best].softirq_ns)) {
			best = i;
		}
	}
	return best;
}

/* On the first change; later ones of the same run go to the same rows. */
static void choose_rows(const struct sample_change *change, struct run_findings *findings)
{
	unsigned next;

	while (findings->cpus < RUN_CPUS_MAX && (next = next_busiest(change, findings)) < PROC_CPUS_MAX) {
		findings->cpu[findings->cpus++] = (struct run_cpu){ .number = next };
	}
	for (unsigned i = 1; i < findings->cpus; i++) {
		for (unsigned j = i; j > 0 && findings->cpu[j].number < findings->cpu[j - 1].number; j--) {
			const struct run_cpu swapped = findings->cpu[j];

			findings->cpu[j] = findings->cpu[j - 1];
			findings->cpu[j - 1] = swapped;
		}
	}
}

static void add_cpus(const struct sample_change *change, struct run_findings *findings)
{
	unsigned others = 0;

	if (!findings->cpus) {
		choose_rows(change, findings);
	}
	for (unsigned i = 0; i < PROC_CPUS_MAX; i++) {
		const struct sample_change_cpu *const cpu = &change->cpu[i];
		struct run_cpu *const row = cpu->seen ? row_of(findings, i) : NULL;

		if (!cpu->seen) {
			continue;
		}
		add_cpu(row ? row : &findings->other_cpu, cpu);
		others += !row;
		findings->time_squeeze += cpu->time_squeeze;
		findings->cycles += cpu->cycles;
		findings->instructions += cpu->instructions;
	}
	findings->other_cpus = others;
}

static uint32_t lacks_of(const struct sample_change *change)
{
	uint32_t lacks = RUN_LACKS_IRQ_WORK | RUN_LACKS_POLL_KINDS;

	lacks |= change->has & SAMPLE_HAS_INTERRUPTS ? 0 : RUN_LACKS_IRQS;
	/* Frames without polls: they go by the backlog of the CPU, which is no device's (veth, lo). */
	lacks |= change->has & SAMPLE_HAS_POLLS && (change->polls || !change->link.rx_frames) ? 0 : RUN_LACKS_POLLS;
	lacks |= change->has & SAMPLE_HAS_SOFTNET ? 0 : RUN_LACKS_SQUEEZE;
	lacks |= change->has & (SAMPLE_HAS_IDLE | SAMPLE_HAS_TICKS) ? 0 : RUN_LACKS_CPUS;
	lacks |= change->has & SAMPLE_HAS_LINK ? 0 : RUN_LACKS_FRAMES;
	return lacks;
}

void sample_add_to_run(const struct sample_change *change, struct run *run)
{
	struct run_findings *const findings = &run->findings;

	findings->lacks |= lacks_of(change);
	add_cpus(change, findings);
	findings->irq_count += change->irqs;
	findings->irq_frames += change->link.rx_frames;
	findings->napi_polls += change->polls;
	findings->napi_frames += change->poll_work;
	findings->budget_exhausted += change->polls_exhausted;
	findings->rx_frames += change->link.rx_frames;
	findings->rx_bytes += change->link.rx_bytes;
	findings->rx_dropped += change->link.rx_missed + change->link.rx_dropped;
	findings->tx_frames += change->link.tx_frames;
	findings->tx_bytes += change->link.tx_bytes;
}

/* Parts of names under which drivers count what went wrong: a list that grows with what is met. */
static bool tells_of_trouble(const char *name)
{
	static const char *const words[] = {
		"drop",    "discard", "miss",     "err",  "fail",    "no_buf",  "nobuf",
		"no_desc", "overrun", "overflow", "fifo", "timeout", "crc",     "collision",
		"busy",    "stopped", "restart",  "full", "reset",   "exhaust", "squeeze",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcasestr(name, words[i])) {
			return true;
		}
	}
	return false;
}

void sample_troubles(const struct sample *before, const struct sample *after,
		     void (*take)(void *context, const char *name, uint64_t count), void *context)
{
	for (unsigned i = 0; i < after->statistics_count && i < before->statistics_count; i++) {
		const struct nic_statistic *const was = &before->statistics[i], *const is = &after->statistics[i];

		/* A driver that has changed its queues meanwhile has other names in these places. */
		if (strcmp(was->name, is->name) == 0 && is->value > was->value && tells_of_trouble(is->name)) {
			take(context, is->name, is->value - was->value);
		}
	}
}
