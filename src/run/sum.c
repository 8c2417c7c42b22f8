/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/sum.h"

#include <string.h>

static void add_cpu(struct run_cpu *into, const struct run_cpu *more)
{
	into->hardirq_ns += more->hardirq_ns;
	into->softirq_ns += more->softirq_ns;
	into->app_ns += more->app_ns;
	into->idle_exit_ns += more->idle_exit_ns;
}

/* The one of that number, or a new one, or NULL: then it is one of the others. */
static struct run_cpu *cpu_of(struct run_findings *findings, unsigned number)
{
	for (unsigned i = 0; i < findings->cpus; i++) {
		if (findings->cpu[i].number == number) {
			return &findings->cpu[i];
		}
	}
	if (findings->cpus == RUN_CPUS_MAX || findings->other_cpus) {
		return NULL;
	}
	findings->cpu[findings->cpus] = (struct run_cpu){ .number = number };
	return &findings->cpu[findings->cpus++];
}

/* How many CPUs there are is the same in both: on a machine with more than have a row, which they are may differ. */
static void add_cpus(struct run_findings *into, const struct run_findings *more)
{
	for (unsigned i = 0; i < more->cpus; i++) {
		struct run_cpu *const cpu = cpu_of(into, more->cpu[i].number);

		add_cpu(cpu ? cpu : &into->other_cpu, &more->cpu[i]);
	}
	add_cpu(&into->other_cpu, &more->other_cpu);
}

static void add_counts(struct run_findings *into, const struct run_findings *more)
{
	into->irq_count += more->irq_count;
	into->irq_rx_count += more->irq_rx_count;
	into->irq_tx_count += more->irq_tx_count;
	into->irq_frames += more->irq_frames;
	into->napi_polls += more->napi_polls;
	into->napi_completes += more->napi_completes;
	into->napi_repolls += more->napi_repolls;
	into->napi_frames += more->napi_frames;
	into->budget_exhausted += more->budget_exhausted;
	into->time_squeeze += more->time_squeeze;
	into->ksoftirqd_runs += more->ksoftirqd_runs;
	into->deferred_polls += more->deferred_polls;
	into->irq_masked_ns += more->irq_masked_ns;
	into->cycles += more->cycles;
	into->instructions += more->instructions;
	into->rx_frames += more->rx_frames;
	into->rx_bytes += more->rx_bytes;
	into->rx_dropped += more->rx_dropped;
	into->socket_dropped += more->socket_dropped;
	into->tx_frames += more->tx_frames;
	into->tx_bytes += more->tx_bytes;
	into->sent += more->sent;
	into->received += more->received;
	into->in_flight += more->in_flight;
	into->dropped += more->dropped;
	into->retransmitted += more->retransmitted;
	into->app_bytes += more->app_bytes;
	into->app_bytes_span_ns += more->app_bytes_span_ns;
}

static bool has_taint(const struct run_measured *measured, const char *text)
{
	for (unsigned i = 0; i < measured->taint_count; i++) {
		if (strcmp(measured->taint[i], text) == 0) {
			return true;
		}
	}
	return false;
}

static void add_measured(struct run_measured *into, const struct run_measured *more)
{
	into->repeats += more->repeats;
	into->is_incomplete |= more->is_incomplete;
	into->own_cpu_ns += more->own_cpu_ns;
	into->kernel_hits += more->kernel_hits;
	into->kernel_hits_ns += more->kernel_hits_ns;
	for (unsigned i = 0; i < more->repeat_count && into->repeat_count < RUN_REPEATS_MAX; i++) {
		into->repeat[into->repeat_count++] = more->repeat[i];
	}
	for (unsigned i = 0; i < more->taint_count; i++) {
		if (!has_taint(into, more->taint[i])) {
			run_taint(into, "%s", more->taint[i]);
		}
	}
}

void run_add(struct run *into, const struct run *more)
{
	if (into->conditions.duration_ns == 0) {
		*into = *more;
		return;
	}
	for (unsigned i = 0; i < RUN_LATENCIES; i++) {
		histogram_add(&into->findings.latency[i], &more->findings.latency[i]);
	}
	into->findings.has |= more->findings.has;
	into->findings.lacks |= more->findings.lacks;
	add_counts(&into->findings, &more->findings);
	add_cpus(&into->findings, &more->findings);
	into->conditions.duration_ns += more->conditions.duration_ns;
	add_measured(&into->conditions.measured, &more->conditions.measured);
}
