/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A member that struct run gets needs a row here: record_test.c counts the bytes that no row has. */
#include "report/record_private.h"

#define FIELDS(table) table, sizeof(table) / sizeof((table)[0])
#define AT(type, member) offsetof(struct type, member)
#define TEXT(name, type, member)                                                        \
	{                                                                               \
		name, RECORD_TEXT, AT(type, member), sizeof(((struct type *)0)->member) \
	}

static const struct record_field condition_fields[] = {
	{ "source", RECORD_SOURCE, AT(run_conditions, source), 0 },
	{ "seed", RECORD_U64, AT(run_conditions, seed), 0 },
	TEXT("board", run_conditions, board),
	TEXT("driver", run_conditions, driver),
	TEXT("peer", run_conditions, peer),
	TEXT("host", run_conditions, host),
	TEXT("host_source", run_conditions, host_source),
	TEXT("host_fit", run_conditions, host_fit),
	{ "speed_mbps", RECORD_U32, AT(run_conditions, speed_mbps), 0 },
	{ "hops", RECORD_U32, AT(run_conditions, hops), 0 },
	{ "propagation_ns", RECORD_I64, AT(run_conditions, propagation_ns), 0 },
	{ "cpus", RECORD_U32, AT(run_conditions, cpus), 0 },
	{ "irq_cpu", RECORD_U32, AT(run_conditions, irq_cpu), 0 },
	{ "app_cpu", RECORD_U32, AT(run_conditions, app_cpu), 0 },
	TEXT("peer_driver", run_conditions, peer_driver),
	TEXT("peer_host", run_conditions, peer_host),
	{ "peer_requested", RECORD_SETTINGS, AT(run_conditions, peer_requested), 0 },
	{ "shared_host", RECORD_BOOL, AT(run_conditions, shared_host), 0 },
	{ "requested", RECORD_SETTINGS, AT(run_conditions, requested), 0 },
	{ "reported", RECORD_SETTINGS, AT(run_conditions, reported), 0 },
	{ "reports_settings", RECORD_BOOL, AT(run_conditions, reports_settings), 0 },
	{ "programmed_count", RECORD_U32, AT(run_conditions, programmed_count), 0 },
	{ "effective_rx_kind", RECORD_HOLD_KIND, AT(run_conditions, effective_rx_kind), 0 },
	{ "effective_rx_ns", RECORD_I64, AT(run_conditions, effective_rx_ns), 0 },
	{ "effective_rx_frames", RECORD_U32, AT(run_conditions, effective_rx_frames), 0 },
	{ "effective_rx_limit_ns", RECORD_I64, AT(run_conditions, effective_rx_limit_ns), 0 },
	{ "effective_rx_throttle_ns", RECORD_I64, AT(run_conditions, effective_rx_throttle_ns), 0 },
	{ "effective_rx_bypass_below_bytes", RECORD_U32, AT(run_conditions, effective_rx_bypass_below_bytes), 0 },
	{ "effective_tx_kind", RECORD_HOLD_KIND, AT(run_conditions, effective_tx_kind), 0 },
	{ "effective_tx_ns", RECORD_I64, AT(run_conditions, effective_tx_ns), 0 },
	{ "effective_tx_frames", RECORD_U32, AT(run_conditions, effective_tx_frames), 0 },
	{ "effective_tx_limit_ns", RECORD_I64, AT(run_conditions, effective_tx_limit_ns), 0 },
	{ "effective_tx_throttle_ns", RECORD_I64, AT(run_conditions, effective_tx_throttle_ns), 0 },
	{ "effective_tx_bypass_below_bytes", RECORD_U32, AT(run_conditions, effective_tx_bypass_below_bytes), 0 },
	{ "xmit_ns", RECORD_SPAN, AT(run_conditions, xmit_ns), 0 },
	{ "gro_flush_timeout_ns", RECORD_I64, AT(run_conditions, gro_flush_timeout_ns), 0 },
	{ "defer_hard_irqs", RECORD_U32, AT(run_conditions, defer_hard_irqs), 0 },
	{ "workload", RECORD_WORKLOAD, AT(run_conditions, workload), 0 },
	{ "duration_ns", RECORD_SPAN, AT(run_conditions, duration_ns), 0 },
	{ "warmup_ns", RECORD_SPAN, AT(run_conditions, warmup_ns), 0 },
	{ "assume_count", RECORD_U32, AT(run_conditions, assume_count), 0 },
};

static const struct record_field register_fields[] = {
	TEXT("register", run_register, name),
	{ "value", RECORD_U32, AT(run_register, value), 0 },
};

static const struct record_field assume_fields[] = {
	TEXT("name", run_assume, name),
	{ "value", RECORD_I64, AT(run_assume, value), 0 },
};

static const struct record_list condition_lists[] = {
	{ "programmed", AT(run_conditions, programmed_count), AT(run_conditions, programmed),
	  sizeof(struct run_register), RUN_REGISTERS_MAX, false, FIELDS(register_fields) },
	{ "assumptions", AT(run_conditions, assume_count), AT(run_conditions, assumes), sizeof(struct run_assume),
	  RUN_ASSUMES_MAX, false, FIELDS(assume_fields) },
};

static const struct record_field measured_fields[] = {
	TEXT("device", run_measured, device),
	TEXT("netns", run_measured, netns),
	TEXT("peer_host", run_measured, peer_host),
	TEXT("method", run_measured, method),
	TEXT("traffic", run_measured, traffic),
	{ "repeats", RECORD_U32, AT(run_measured, repeats), 0 },
	{ "median_ns", RECORD_SPAN, AT(run_measured, median_ns), 0 },
	{ "median_low_ns", RECORD_SPAN, AT(run_measured, median_low_ns), 0 },
	{ "median_high_ns", RECORD_SPAN, AT(run_measured, median_high_ns), 0 },
	{ "incomplete", RECORD_BOOL, AT(run_measured, is_incomplete), 0 },
	{ "own_cpu_ns", RECORD_SPAN, AT(run_measured, own_cpu_ns), 0 },
	{ "kernel_hits", RECORD_U64, AT(run_measured, kernel_hits), 0 },
	{ "kernel_hits_ns", RECORD_SPAN, AT(run_measured, kernel_hits_ns), 0 },
	{ "around_count", RECORD_U32, AT(run_measured, around.count), 0 },
	{ "around_left_out", RECORD_U32, AT(run_measured, around.left_out), 0 },
	{ "taint_count", RECORD_U32, AT(run_measured, taint_count), 0 },
	{ "repeat_count", RECORD_U32, AT(run_measured, repeat_count), 0 },
};

static const struct record_field around_fields[] = {
	TEXT("name", run_condition, name),
	TEXT("value", run_condition, value),
};

static const struct record_field taint_fields[] = {
	{ "text", RECORD_TEXT, 0, RUN_TAINT_MAX },
};

static const struct record_field repeat_fields[] = {
	{ "duration_ns", RECORD_SPAN, AT(run_repeat, duration_ns), 0 },
	{ "latency_count", RECORD_U64, AT(run_repeat, latency_count), 0 },
	{ "latency_p50_ns", RECORD_SPAN, AT(run_repeat, latency_p50_ns), 0 },
	{ "latency_p99_ns", RECORD_SPAN, AT(run_repeat, latency_p99_ns), 0 },
	{ "irq_count", RECORD_U64, AT(run_repeat, irq_count), 0 },
	{ "frames", RECORD_U64, AT(run_repeat, frames), 0 },
	{ "busy_ns", RECORD_SPAN, AT(run_repeat, busy_ns), 0 },
	{ "app_bytes", RECORD_U64, AT(run_repeat, app_bytes), 0 },
	{ "app_bytes_span_ns", RECORD_SPAN, AT(run_repeat, app_bytes_span_ns), 0 },
};

static const struct record_list measured_lists[] = {
	{ "around", AT(run_measured, around.count), AT(run_measured, around.at), sizeof(struct run_condition),
	  RUN_CONDITIONS_MAX, false, FIELDS(around_fields) },
	{ "taints", AT(run_measured, taint_count), AT(run_measured, taint), RUN_TAINT_MAX, RUN_TAINTS_MAX, true,
	  FIELDS(taint_fields) },
	{ "repeats_apart", AT(run_measured, repeat_count), AT(run_measured, repeat), sizeof(struct run_repeat),
	  RUN_REPEATS_MAX, false, FIELDS(repeat_fields) },
};

static const struct record_field finding_fields[] = {
	{ "has", RECORD_U32, AT(run_findings, has), 0 },
	{ "lacks", RECORD_U32, AT(run_findings, lacks), 0 },
	{ "irq_count", RECORD_U64, AT(run_findings, irq_count), 0 },
	{ "irq_rx_count", RECORD_U64, AT(run_findings, irq_rx_count), 0 },
	{ "irq_tx_count", RECORD_U64, AT(run_findings, irq_tx_count), 0 },
	{ "peer_irq_count", RECORD_U64, AT(run_findings, peer_irq_count), 0 },
	{ "counted_idle_ns", RECORD_SPAN, AT(run_findings, counted_idle_ns), 0 },
	{ "irq_frames", RECORD_U64, AT(run_findings, irq_frames), 0 },
	{ "level0_ns", RECORD_SPAN, AT(run_findings, level_ns[0]), 0 },
	{ "level1_ns", RECORD_SPAN, AT(run_findings, level_ns[1]), 0 },
	{ "level2_ns", RECORD_SPAN, AT(run_findings, level_ns[2]), 0 },
	{ "level3_ns", RECORD_SPAN, AT(run_findings, level_ns[3]), 0 },
	{ "level4_ns", RECORD_SPAN, AT(run_findings, level_ns[4]), 0 },
	{ "level_changes", RECORD_U64, AT(run_findings, level_changes), 0 },
	{ "napi_polls", RECORD_U64, AT(run_findings, napi_polls), 0 },
	{ "napi_completes", RECORD_U64, AT(run_findings, napi_completes), 0 },
	{ "napi_repolls", RECORD_U64, AT(run_findings, napi_repolls), 0 },
	{ "napi_frames", RECORD_U64, AT(run_findings, napi_frames), 0 },
	{ "budget_exhausted", RECORD_U64, AT(run_findings, budget_exhausted), 0 },
	{ "time_squeeze", RECORD_U64, AT(run_findings, time_squeeze), 0 },
	{ "ksoftirqd_runs", RECORD_U64, AT(run_findings, ksoftirqd_runs), 0 },
	{ "deferred_polls", RECORD_U64, AT(run_findings, deferred_polls), 0 },
	{ "irq_masked_ns", RECORD_SPAN, AT(run_findings, irq_masked_ns), 0 },
	{ "cpu_count", RECORD_U32, AT(run_findings, cpus), 0 },
	{ "other_cpu_count", RECORD_U32, AT(run_findings, other_cpus), 0 },
	{ "other_cpu_hardirq_ns", RECORD_SPAN, AT(run_findings, other_cpu.hardirq_ns), 0 },
	{ "other_cpu_softirq_ns", RECORD_SPAN, AT(run_findings, other_cpu.softirq_ns), 0 },
	{ "other_cpu_app_ns", RECORD_SPAN, AT(run_findings, other_cpu.app_ns), 0 },
	{ "other_cpu_idle_exit_ns", RECORD_SPAN, AT(run_findings, other_cpu.idle_exit_ns), 0 },
	{ "other_cpu_number", RECORD_U32, AT(run_findings, other_cpu.number), 0 },
	{ "cycles", RECORD_U64, AT(run_findings, cycles), 0 },
	{ "instructions", RECORD_U64, AT(run_findings, instructions), 0 },
	{ "rx_frames", RECORD_U64, AT(run_findings, rx_frames), 0 },
	{ "rx_bytes", RECORD_U64, AT(run_findings, rx_bytes), 0 },
	{ "rx_dropped", RECORD_U64, AT(run_findings, rx_dropped), 0 },
	{ "socket_dropped", RECORD_U64, AT(run_findings, socket_dropped), 0 },
	{ "tx_frames", RECORD_U64, AT(run_findings, tx_frames), 0 },
	{ "tx_bytes", RECORD_U64, AT(run_findings, tx_bytes), 0 },
	{ "sent", RECORD_U64, AT(run_findings, sent), 0 },
	{ "received", RECORD_U64, AT(run_findings, received), 0 },
	{ "in_flight", RECORD_U64, AT(run_findings, in_flight), 0 },
	{ "dropped", RECORD_U64, AT(run_findings, dropped), 0 },
	{ "retransmitted", RECORD_U64, AT(run_findings, retransmitted), 0 },
	{ "app_bytes", RECORD_U64, AT(run_findings, app_bytes), 0 },
	{ "app_bytes_span_ns", RECORD_SPAN, AT(run_findings, app_bytes_span_ns), 0 },
};

static const struct record_field cpu_fields[] = {
	{ "hardirq_ns", RECORD_SPAN, AT(run_cpu, hardirq_ns), 0 },
	{ "softirq_ns", RECORD_SPAN, AT(run_cpu, softirq_ns), 0 },
	{ "app_ns", RECORD_SPAN, AT(run_cpu, app_ns), 0 },
	{ "idle_exit_ns", RECORD_SPAN, AT(run_cpu, idle_exit_ns), 0 },
	{ "number", RECORD_U32, AT(run_cpu, number), 0 },
};

static const struct record_list finding_lists[] = {
	{ "cpus", AT(run_findings, cpus), AT(run_findings, cpu), sizeof(struct run_cpu), RUN_CPUS_MAX, false,
	  FIELDS(cpu_fields) },
};

const struct record_object record_objects[RECORD_OBJECTS] = {
	{ "conditions", AT(run, conditions), FIELDS(condition_fields), FIELDS(condition_lists) },
	{ "measured", AT(run, conditions.measured), FIELDS(measured_fields), FIELDS(measured_lists) },
	{ "findings", AT(run, findings), FIELDS(finding_fields), FIELDS(finding_lists) },
};

const struct record_field record_histogram_fields[RECORD_HISTOGRAM_FIELDS] = {
	{ "count", RECORD_U64, AT(histogram, count), 0 },
	{ "out_of_range", RECORD_U64, AT(histogram, out_of_range), 0 },
	{ "min_ns", RECORD_SPAN, AT(histogram, min_ns), 0 },
	{ "max_ns", RECORD_SPAN, AT(histogram, max_ns), 0 },
	{ "sum_ns", RECORD_U64, AT(histogram, sum.low), 0 },
	{ "sum_high", RECORD_U64, AT(histogram, sum.high), 0 },
	{ "sum_of_squares_low", RECORD_U64, AT(histogram, sum_of_squares.low), 0 },
	{ "sum_of_squares_high", RECORD_U64, AT(histogram, sum_of_squares.high), 0 },
};
