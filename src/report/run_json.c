/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/run_json.h"

#include "base/time.h"
#include "report/histogram_json.h"

void run_json_put_settings(struct json_writer *writer, const char *key, const struct coalesce *settings)
{
	json_begin_object(writer, key);
	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		const struct coalesce_field_info *info = &coalesce_fields[field];

		if (!coalesce_has(settings, field)) {
			continue;
		}
		if (info->unit == COALESCE_UNIT_SWITCH) {
			json_put_boolean(writer, info->json_key, settings->value[field] != 0);
		} else {
			json_put_unsigned(writer, info->json_key, settings->value[field]);
		}
	}
	json_end_object(writer);
}

/* Registers are a list, since their names are the datasheet's and no keys of ours. */
static void put_programmed(struct json_writer *writer, const struct run_conditions *conditions)
{
	json_begin_array(writer, "programmed");
	for (unsigned i = 0; i < conditions->programmed_count; i++) {
		json_begin_object(writer, NULL);
		json_put_string(writer, "register", conditions->programmed[i].name);
		json_put_unsigned(writer, "value", conditions->programmed[i].value);
		json_end_object(writer);
	}
	json_end_array(writer);
}

static void put_if_any(struct json_writer *writer, const char *key, int64_t value)
{
	if (value) {
		json_put_integer(writer, key, value);
	}
}

static void put_effective(struct json_writer *writer, const struct run_conditions *conditions)
{
	json_begin_object(writer, "effective");
	json_put_string(writer, "rx_kind", conditions->effective_rx_kind);
	json_put_integer(writer, "rx_ns", conditions->effective_rx_ns);
	put_if_any(writer, "rx_frames", conditions->effective_rx_frames);
	put_if_any(writer, "rx_limit_ns", conditions->effective_rx_limit_ns);
	put_if_any(writer, "rx_throttle_ns", conditions->effective_rx_throttle_ns);
	put_if_any(writer, "rx_bypass_below_bytes", conditions->effective_rx_bypass_below_bytes);
	json_put_string(writer, "tx_kind", conditions->effective_tx_kind);
	json_put_integer(writer, "tx_ns", conditions->effective_tx_ns);
	put_if_any(writer, "tx_frames", conditions->effective_tx_frames);
	put_if_any(writer, "tx_limit_ns", conditions->effective_tx_limit_ns);
	put_if_any(writer, "tx_throttle_ns", conditions->effective_tx_throttle_ns);
	put_if_any(writer, "tx_bypass_below_bytes", conditions->effective_tx_bypass_below_bytes);
	json_end_object(writer);
}

static void put_peer(struct json_writer *writer, const struct run_conditions *conditions)
{
	json_put_string(writer, "peer", conditions->peer);
	if (conditions->peer_driver[0]) {
		json_put_string(writer, "peer_driver", conditions->peer_driver);
		json_put_string(writer, "peer_host", conditions->peer_host);
		run_json_put_settings(writer, "peer_requested", &conditions->peer_requested);
		json_put_boolean(writer, "shared_host", conditions->shared_host);
	}
}

static void put_model(struct json_writer *writer, const struct run_conditions *conditions)
{
	json_put_string(writer, "board", conditions->board);
	json_put_string(writer, "driver", conditions->driver);
	json_put_string(writer, "host", conditions->host);
	json_put_string(writer, "host_source", conditions->host_source);
	json_put_unsigned(writer, "irq_cpu", conditions->irq_cpu);
	json_put_unsigned(writer, "app_cpu", conditions->app_cpu);
	put_peer(writer, conditions);
	json_put_unsigned(writer, "speed_mbps", conditions->speed_mbps);
	json_put_unsigned(writer, "hops", conditions->hops);
	json_put_integer(writer, "propagation_ns", conditions->propagation_ns);
	json_begin_object(writer, "settings");
	run_json_put_settings(writer, "requested", &conditions->requested);
	put_programmed(writer, conditions);
	if (conditions->reports_settings) {
		run_json_put_settings(writer, "reported", &conditions->reported);
	}
	put_effective(writer, conditions);
	json_end_object(writer);
	json_put_integer(writer, "gro_flush_timeout_ns", conditions->gro_flush_timeout_ns);
	json_put_unsigned(writer, "defer_hard_irqs", conditions->defer_hard_irqs);
}

static void put_text(struct json_writer *writer, const char *key, const char *text)
{
	if (text[0]) {
		json_put_string(writer, key, text);
	}
}

static void put_cost(struct json_writer *writer, const struct run_measured *measured)
{
	json_begin_object(writer, "own_cost");
	json_put_integer(writer, "cpu_ns", measured->own_cpu_ns);
	if (measured->kernel_hits) {
		json_put_unsigned(writer, "kernel_hits", measured->kernel_hits);
		json_put_integer(writer, "kernel_hits_ns", measured->kernel_hits_ns);
	}
	json_end_object(writer);
}

static void put_repeats(struct json_writer *writer, const struct run_measured *measured)
{
	json_put_unsigned(writer, "repeats", measured->repeats);
	if (measured->median_high_ns) {
		json_begin_object(writer, "median_of_medians_ns");
		json_put_integer(writer, "median", measured->median_ns);
		json_put_integer(writer, "low", measured->median_low_ns);
		json_put_integer(writer, "high", measured->median_high_ns);
		json_end_object(writer);
	}
	json_put_boolean(writer, "complete", !measured->is_incomplete);
}

/* Circumstances are a list: their names have parts of the machine in them. */
static void put_around(struct json_writer *writer, const struct run_measured *measured)
{
	json_begin_array(writer, "around");
	for (unsigned i = 0; i < measured->around.count; i++) {
		json_begin_object(writer, NULL);
		json_put_string(writer, "name", measured->around.at[i].name);
		json_put_string(writer, "value", measured->around.at[i].value);
		json_end_object(writer);
	}
	json_end_array(writer);
	json_begin_array(writer, "taints");
	for (unsigned i = 0; i < measured->taint_count && i < RUN_TAINTS_MAX; i++) {
		json_put_string(writer, NULL, measured->taint[i]);
	}
	json_end_array(writer);
}

static void put_measured(struct json_writer *writer, const struct run_conditions *conditions)
{
	const struct run_measured *const measured = &conditions->measured;

	json_put_string(writer, "device", measured->device);
	put_text(writer, "netns", measured->netns);
	put_text(writer, "driver", conditions->driver);
	json_put_string(writer, "host", conditions->host);
	put_text(writer, "peer", measured->peer_host);
	if (conditions->peer_requested.present) {
		run_json_put_settings(writer, "peer_requested", &conditions->peer_requested);
	}
	if (conditions->speed_mbps) {
		json_put_unsigned(writer, "speed_mbps", conditions->speed_mbps);
	}
	json_begin_object(writer, "settings");
	if (conditions->reports_settings) {
		run_json_put_settings(writer, "reported", &conditions->reported);
	}
	json_end_object(writer);
	put_text(writer, "traffic_method", measured->traffic);
	put_text(writer, "cpu_method", measured->method);
	put_repeats(writer, measured);
	put_cost(writer, measured);
	put_around(writer, measured);
}

static void put_conditions(struct json_writer *writer, const struct run_conditions *conditions)
{
	char text[WORKLOAD_TEXT_MAX];
	const struct workload *workload = &conditions->workload;

	json_put_string(writer, "schema", RUN_SCHEMA);
	json_put_string(writer, "version", HOLDOFF_VERSION);
	json_put_boolean(writer, "model", conditions->source == RUN_MODEL);
	json_put_unsigned(writer, "seed", conditions->seed);
	if (conditions->source == RUN_MODEL) {
		put_model(writer, conditions);
	} else {
		put_measured(writer, conditions);
	}
	json_put_string(writer, "workload", workload_print(workload, text));
	json_put_unsigned(writer, "payload_bytes", workload_payload(workload));
	json_put_unsigned(writer, "frame_bytes", workload_data_frame_bytes(workload));
	json_put_integer(writer, "duration_ns", conditions->duration_ns);
	json_put_integer(writer, "warmup_ns", conditions->warmup_ns);
	if (conditions->source != RUN_MODEL) {
		return;
	}
	json_begin_array(writer, "assumptions");
	for (unsigned i = 0; i < conditions->assume_count; i++) {
		json_begin_object(writer, NULL);
		json_put_string(writer, "name", conditions->assumes[i].name);
		json_put_integer(writer, "value", conditions->assumes[i].value);
		json_end_object(writer);
	}
	json_end_array(writer);
}

static bool observed(const struct run_findings *findings, enum run_latency latency)
{
	return findings->has & (1u << latency);
}

static void put_latency(struct json_writer *writer, const struct run_findings *findings, enum run_latency latency)
{
	if (observed(findings, latency)) {
		histogram_json_put(writer, run_latency_key(latency), &findings->latency[latency]);
	}
}

static void put_stage(struct json_writer *writer, const struct run_findings *findings, enum run_latency latency)
{
	const struct histogram *histogram = &findings->latency[latency];

	if (!observed(findings, latency)) {
		return;
	}
	json_begin_object(writer, run_latency_key(latency));
	json_put_unsigned(writer, "count", histogram->count);
	json_put_integer(writer, "p50", histogram_percentile(histogram, 500000));
	json_put_integer(writer, "p99", histogram_percentile(histogram, 990000));
	json_put_integer(writer, "max", histogram->max_ns);
	if (histogram->out_of_range) {
		json_put_unsigned(writer, "out_of_range", histogram->out_of_range);
	}
	json_end_object(writer);
}

static void put_stages(struct json_writer *writer, const struct run_findings *findings)
{
	if (observed(findings, RUN_XMIT_TO_IRQ) || observed(findings, RUN_IRQ_TO_COMPLETION)) {
		json_begin_object(writer, "tx_stages_ns");
		put_stage(writer, findings, RUN_XMIT_TO_IRQ);
		put_stage(writer, findings, RUN_IRQ_TO_COMPLETION);
		json_end_object(writer);
	}
	if (observed(findings, RUN_FRAME_TO_IRQ) || observed(findings, RUN_IRQ_TO_POLL) ||
	    observed(findings, RUN_POLL_TO_APP)) {
		json_begin_object(writer, "rx_stages_ns");
		put_stage(writer, findings, RUN_FRAME_TO_IRQ);
		put_stage(writer, findings, RUN_IRQ_TO_POLL);
		put_stage(writer, findings, RUN_POLL_TO_APP);
		json_end_object(writer);
	}
}

static void put_irq(struct json_writer *writer, const struct run *run)
{
	const struct run_findings *findings = &run->findings;

	if (run_lacks(run, RUN_LACKS_IRQS)) {
		return;
	}
	json_begin_object(writer, "irq");
	json_put_unsigned(writer, "count", findings->irq_count);
	json_put_milli(writer, "rate_hz", run_irq_rate_milli_hz(run));
	if (findings->irq_count) {
		json_put_milli(writer, "frames_per_irq", run_milli(findings->irq_frames, findings->irq_count));
	}
	if (!run_lacks(run, RUN_LACKS_IRQ_WORK)) {
		json_put_unsigned(writer, "rx_count", findings->irq_rx_count);
		json_put_unsigned(writer, "tx_count", findings->irq_tx_count);
	}
	if (run->conditions.source == RUN_MODEL && run->conditions.peer_driver[0]) {
		json_put_unsigned(writer, "peer_count", findings->peer_irq_count);
	}
	json_end_object(writer);
}

static void put_levels(struct json_writer *writer, const struct run *run)
{
	const struct run_findings *findings = &run->findings;
	int64_t all_ns = 0;

	for (unsigned i = 0; i < RUN_LEVELS_MAX; i++) {
		all_ns += findings->level_ns[i];
	}
	if (all_ns == 0) {
		return;
	}
	json_begin_object(writer, "adaptive_rx");
	json_put_unsigned(writer, "level_changes", findings->level_changes);
	json_begin_array(writer, "level_ppm");
	for (unsigned i = 0; i < RUN_LEVELS_MAX; i++) {
		json_put_unsigned(writer, NULL, run_ppm(findings->level_ns[i], all_ns));
	}
	json_end_array(writer);
	json_end_object(writer);
}

static void put_polls(struct json_writer *writer, const struct run *run)
{
	const struct run_findings *findings = &run->findings;

	json_put_unsigned(writer, "polls", findings->napi_polls);
	if (!run_lacks(run, RUN_LACKS_POLL_KINDS)) {
		json_put_unsigned(writer, "completes", findings->napi_completes);
		json_put_unsigned(writer, "repolls", findings->napi_repolls);
	}
	if (findings->napi_polls) {
		json_put_milli(writer, "frames_per_poll", run_milli(findings->napi_frames, findings->napi_polls));
	}
	json_put_unsigned(writer, "budget_exhausted", findings->budget_exhausted);
}

static void put_napi(struct json_writer *writer, const struct run *run)
{
	const struct run_findings *findings = &run->findings;

	if (run_lacks(run, RUN_LACKS_POLLS) && run_lacks(run, RUN_LACKS_SQUEEZE)) {
		return;
	}
	json_begin_object(writer, "napi");
	if (!run_lacks(run, RUN_LACKS_POLLS)) {
		put_polls(writer, run);
	}
	if (!run_lacks(run, RUN_LACKS_SQUEEZE)) {
		json_put_unsigned(writer, "time_squeeze", findings->time_squeeze);
	}
	if (!run_lacks(run, RUN_LACKS_POLL_KINDS)) {
		json_put_unsigned(writer, "ksoftirqd_runs", findings->ksoftirqd_runs);
		json_put_unsigned(writer, "deferred_polls", findings->deferred_polls);
		json_put_unsigned(writer, "irq_masked_ppm",
				  run_ppm(findings->irq_masked_ns, run->conditions.duration_ns));
	}
	json_end_object(writer);
}

static void put_cpu(struct json_writer *writer, const struct run *run, const struct run_cpu *cpu, int64_t whole_ns)
{
	json_put_unsigned(writer, "busy_ppm", run_ppm(run_cpu_busy_ns(cpu), whole_ns));
	json_put_unsigned(writer, "hardirq_ppm", run_ppm(cpu->hardirq_ns, whole_ns));
	json_put_unsigned(writer, "softirq_ppm", run_ppm(cpu->softirq_ns, whole_ns));
	json_put_unsigned(writer, "app_ppm", run_ppm(cpu->app_ns, whole_ns));
	if (run->conditions.source == RUN_MODEL) {
		json_put_unsigned(writer, "idle_exit_ppm", run_ppm(cpu->idle_exit_ns, whole_ns));
	}
}

static void put_cpus(struct json_writer *writer, const struct run *run)
{
	const int64_t duration_ns = run->conditions.duration_ns;

	if (run_lacks(run, RUN_LACKS_CPUS)) {
		return;
	}
	json_begin_array(writer, "cpus");
	for (unsigned i = 0; i < run->findings.cpus; i++) {
		json_begin_object(writer, NULL);
		if (run->conditions.source != RUN_MODEL) {
			json_put_unsigned(writer, "cpu", run->findings.cpu[i].number);
		}
		put_cpu(writer, run, &run->findings.cpu[i], duration_ns);
		json_end_object(writer);
	}
	json_end_array(writer);
	if (run->findings.other_cpus) {
		json_begin_object(writer, "other_cpus");
		json_put_unsigned(writer, "count", run->findings.other_cpus);
		put_cpu(writer, run, &run->findings.other_cpu, duration_ns * run->findings.other_cpus);
		json_end_object(writer);
	}
	if (run->findings.cycles) {
		json_put_unsigned(writer, "cycles", run->findings.cycles);
		json_put_unsigned(writer, "instructions", run->findings.instructions);
	}
	if (run_cpu_per_frame_ns(run) && !run_lacks(run, RUN_LACKS_FRAMES)) {
		json_put_integer(writer, "cpu_per_frame_ns", run_cpu_per_frame_ns(run));
	}
}

/* What the interface counted. */
static void put_interface(struct json_writer *writer, const struct run *run)
{
	const struct run_findings *findings = &run->findings;

	json_begin_object(writer, "rx");
	json_put_unsigned(writer, "frames", findings->rx_frames);
	json_put_unsigned(writer, "bytes", findings->rx_bytes);
	json_put_unsigned(writer, "dropped", findings->rx_dropped);
	if (!run_lacks(run, RUN_LACKS_SOCKET_DROPS)) {
		json_put_unsigned(writer, "socket_dropped", findings->socket_dropped);
	}
	json_end_object(writer);
	json_begin_object(writer, "tx");
	json_put_unsigned(writer, "frames", findings->tx_frames);
	json_put_unsigned(writer, "bytes", findings->tx_bytes);
	json_end_object(writer);
}

static void put_frames(struct json_writer *writer, const struct run *run)
{
	const struct run_findings *findings = &run->findings;

	if (!run_lacks(run, RUN_LACKS_FRAMES)) {
		put_interface(writer, run);
	}
	json_begin_object(writer, "conservation");
	json_put_unsigned(writer, "sent", findings->sent);
	json_put_unsigned(writer, "received", findings->received);
	json_put_unsigned(writer, "dropped", findings->dropped);
	json_put_unsigned(writer, "in_flight", findings->in_flight);
	json_put_unsigned(writer, "retransmitted", findings->retransmitted);
	json_end_object(writer);
	if (findings->app_bytes_span_ns > 0) {
		json_put_unsigned(writer, "app_bytes", findings->app_bytes);
		json_put_unsigned(writer, "goodput_bps", run_goodput_bps(run));
	}
}

void run_json_put(struct json_writer *writer, const char *key, const struct run *run)
{
	json_begin_object(writer, key);
	put_conditions(writer, &run->conditions);
	put_latency(writer, &run->findings, RUN_RTT);
	put_latency(writer, &run->findings, RUN_ONE_WAY);
	put_latency(writer, &run->findings, RUN_SEND_TO_RECV);
	put_stages(writer, &run->findings);
	put_irq(writer, run);
	put_levels(writer, run);
	put_napi(writer, run);
	put_cpus(writer, run);
	put_frames(writer, run);
	json_end_object(writer);
}

int run_json_write(const struct run *run, FILE *out)
{
	struct json_writer writer;

	json_begin(&writer, out);
	run_json_put(&writer, NULL, run);
	return json_end(&writer);
}
