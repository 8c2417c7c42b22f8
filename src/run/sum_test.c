/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/sum.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

/* Every count is another number, so that none can be taken for another. */
static void fill(struct run *run, uint64_t factor)
{
	struct run_findings *const findings = &run->findings;
	uint64_t *const counts[] = { &findings->irq_count,     &findings->irq_rx_count,   &findings->irq_tx_count,
				     &findings->irq_frames,    &findings->napi_polls,     &findings->napi_completes,
				     &findings->napi_repolls,  &findings->napi_frames,    &findings->budget_exhausted,
				     &findings->time_squeeze,  &findings->ksoftirqd_runs, &findings->deferred_polls,
				     &findings->cycles,        &findings->instructions,   &findings->rx_frames,
				     &findings->rx_bytes,      &findings->rx_dropped,     &findings->socket_dropped,
				     &findings->tx_frames,     &findings->tx_bytes,       &findings->sent,
				     &findings->received,      &findings->in_flight,      &findings->dropped,
				     &findings->retransmitted, &findings->app_bytes };

	run_init(run);
	run->conditions.duration_ns = 1000 * (int64_t)factor;
	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		*counts[i] = (i + 1) * factor;
	}
	findings->irq_masked_ns = 77 * (int64_t)factor;
	findings->app_bytes_span_ns = 88 * (int64_t)factor;
	run->conditions.measured.repeats = (unsigned)factor;
}

static void check_counts(struct run *run, struct run *other, struct run *expected)
{
	fill(run, 1);
	fill(other, 3);
	fill(expected, 4);
	run_add(run, other);
	tap_ok(memcmp(&run->findings, &expected->findings, sizeof(run->findings)) == 0, "every count is summed");
	tap_is(run->conditions.duration_ns, 4000, "and the time");
	tap_is(run->conditions.measured.repeats, 4, "and the repeats");
	run_init(run);
	run_add(run, other);
	tap_ok(memcmp(run, other, sizeof(*run)) == 0, "added to nothing it is itself");
}

static void check_rest(struct run *run, struct run *other)
{
	fill(run, 1);
	fill(other, 1);
	histogram_record(&run->findings.latency[RUN_RTT], 1000);
	histogram_record(&other->findings.latency[RUN_RTT], 3000);
	run->findings.has = 1u << RUN_RTT;
	other->findings.lacks = RUN_LACKS_POLLS;
	run->findings.cpus = 1;
	run->findings.cpu[0] = (struct run_cpu){ .number = 2, .softirq_ns = 10 };
	other->findings.cpus = 2;
	other->findings.cpu[0] = (struct run_cpu){ .number = 5, .app_ns = 7 };
	other->findings.cpu[1] = (struct run_cpu){ .number = 2, .softirq_ns = 20 };
	run->conditions.measured.repeat_count = other->conditions.measured.repeat_count = 1;
	other->conditions.measured.repeat[0].irq_count = 9;
	run_taint(&run->conditions.measured, "it moved");
	run_taint(&other->conditions.measured, "it moved");
	run_taint(&other->conditions.measured, "the other moved");
	run_add(run, other);
	tap_is((int64_t)run->findings.latency[RUN_RTT].count, 2, "latencies of both");
	tap_is(run->findings.lacks, RUN_LACKS_POLLS, "what one lacks the sum lacks");
	tap_is(run->findings.cpus, 2, "a CPU that only one has");
	tap_is(run->findings.cpu[0].softirq_ns, 30, "a CPU by its number");
	tap_is(run->findings.cpu[1].app_ns, 7, "the other one");
	tap_is(run->conditions.measured.repeat_count, 2, "repeats stand behind one another");
	tap_is((int64_t)run->conditions.measured.repeat[1].irq_count, 9, "each by itself");
	tap_is(run->conditions.measured.taint_count, 2, "a taint of both is said once");
}

int main(void)
{
	struct run *const runs = calloc(3, sizeof(*runs));

	if (!runs) {
		return 1;
	}
	check_counts(&runs[0], &runs[1], &runs[2]);
	check_rest(&runs[0], &runs[1]);
	free(runs);
	return tap_done();
}
