/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/run_text.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>

#include "base/text.h"
#include "base/time.h"
#include "report/wrapped.h"

/* Conditions stand behind their labels in this column. */
#define LABEL_WIDTH 13
#define LINE_MAX 1024

static const char *const latency_titles[] = {
	[RUN_RTT] = "round trip",
	[RUN_ONE_WAY] = "wire to application",
	[RUN_SEND_TO_RECV] = "send to application",
	[RUN_XMIT_TO_IRQ] = "xmit to irq",
	[RUN_IRQ_TO_COMPLETION] = "irq to completion",
	[RUN_FRAME_TO_IRQ] = "frame to irq",
	[RUN_IRQ_TO_POLL] = "irq to poll",
	[RUN_POLL_TO_APP] = "poll to application",
};
static_assert(sizeof(latency_titles) / sizeof(latency_titles[0]) == RUN_LATENCIES, "a title for each latency");

/* A real sender's time begins in its program, since nobody sees the wire. Bulk TCP is read in lumps: its one-way time ends
 * when the segment is in the socket. */
const char *run_text_latency(const struct run *run, enum run_latency latency)
{
	if (latency == RUN_ONE_WAY && run->conditions.source == RUN_MEASURED) {
		return "send to application";
	}
	return latency == RUN_ONE_WAY && run->conditions.workload.kind == WORKLOAD_TCP ? "wire to socket"
										       : latency_titles[latency];
}

static void write_labelled(FILE *out, const char *label, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void write_labelled(FILE *out, const char *label, const char *format, ...)
{
	char text[LINE_MAX];
	va_list values;

	va_start(values, format);
	vsnprintf(text, sizeof(text), format, values);
	va_end(values);
	wrapped_write(out, LABEL_WIDTH, fprintf(out, "  %-*s", LABEL_WIDTH - 2, label), text);
}

static void write_model_heading(const struct run_conditions *conditions, FILE *out)
{
	fprintf(out, "MODEL by holdoff %s, not a measurement\n", HOLDOFF_VERSION);
	write_labelled(out, "host", "%s: %s", conditions->host, conditions->host_source);
	fprintf(out, "  board      %s with %s at %u Mb/s, %u %s\n", conditions->board, conditions->driver,
		conditions->speed_mbps, conditions->cpus, conditions->cpus == 1 ? "CPU" : "CPUs");
	fprintf(out, "  peer       %s%s, %u %s between\n", conditions->peer,
		conditions->shared_host ? " on the same host" : "", conditions->hops,
		conditions->hops == 1 ? "switch" : "switches");
	for (unsigned i = 0; i < conditions->assume_count; i++) {
		fprintf(out, "  assumed    %s = %" PRId64 "\n", conditions->assumes[i].name,
			conditions->assumes[i].value);
	}
}

static void write_measured_heading(const struct run_conditions *conditions, FILE *out)
{
	const struct run_measured *const measured = &conditions->measured;
	char peer[COALESCE_TEXT_MAX];

	fprintf(out, "Measured by holdoff %s%s\n", HOLDOFF_VERSION,
		measured->is_incomplete ? ", INCOMPLETE: ended early" : "");
	fprintf(out, "  host       %s\n", conditions->host);
	fprintf(out, "  device     %s%s%s", measured->device, measured->netns[0] ? " in " : "", measured->netns);
	if (conditions->driver[0]) {
		fprintf(out, " with %s", conditions->driver);
	}
	if (conditions->speed_mbps) {
		fprintf(out, " at %u Mb/s", conditions->speed_mbps);
	}
	putc('\n', out);
	if (measured->peer_host[0]) {
		fprintf(out, "  peer       %s%s%s\n", measured->peer_host,
			conditions->peer_requested.present ? ", set to " : "",
			coalesce_print(&conditions->peer_requested, peer));
	}
	if (measured->traffic[0]) {
		write_labelled(out, "traffic", "%s", measured->traffic);
	}
	if (measured->method[0]) {
		write_labelled(out, "cpu time", "%s", measured->method);
	}
	for (unsigned i = 0; i < measured->taint_count && i < RUN_TAINTS_MAX; i++) {
		write_labelled(out, "TAINTED", "%s", measured->taint[i]);
	}
}

struct hold {
	const char *kind;
	int64_t hold_ns, limit_ns, throttle_ns;
	uint32_t frames, bypass_below_bytes;
};

static void write_hold(const char *label, const char *direction, const struct hold *hold, FILE *out)
{
	char duration[TEXT_DURATION_MAX];

	fprintf(out, "  %-*s%s %s", LABEL_WIDTH - 2, label, direction, hold->kind);
	if (hold->hold_ns > 0) {
		fprintf(out, " %s", text_print_duration(hold->hold_ns, duration));
	}
	if (hold->limit_ns > 0) {
		fprintf(out, ", at most %s", text_print_duration(hold->limit_ns, duration));
	}
	if (hold->frames) {
		fprintf(out, " or %" PRIu32 " frames", hold->frames);
	}
	if (hold->throttle_ns > 0) {
		fprintf(out, "; at least %s between interrupts", text_print_duration(hold->throttle_ns, duration));
	}
	if (hold->bypass_below_bytes) {
		fprintf(out, "; not below %" PRIu32 " bytes", hold->bypass_below_bytes);
	}
	putc('\n', out);
}

static void write_effective(const struct run_conditions *conditions, FILE *out)
{
	const struct hold rx = {
		.kind = conditions->effective_rx_kind,
		.hold_ns = conditions->effective_rx_ns,
		.limit_ns = conditions->effective_rx_limit_ns,
		.throttle_ns = conditions->effective_rx_throttle_ns,
		.frames = conditions->effective_rx_frames,
		.bypass_below_bytes = conditions->effective_rx_bypass_below_bytes,
	};
	const struct hold tx = {
		.kind = conditions->effective_tx_kind,
		.hold_ns = conditions->effective_tx_ns,
		.limit_ns = conditions->effective_tx_limit_ns,
		.throttle_ns = conditions->effective_tx_throttle_ns,
		.frames = conditions->effective_tx_frames,
		.bypass_below_bytes = conditions->effective_tx_bypass_below_bytes,
	};

	write_hold("effective", "rx", &rx, out);
	write_hold("", "tx", &tx, out);
}

static void write_programmed(const struct run_conditions *conditions, FILE *out)
{
	char text[LINE_MAX] = "nothing";
	size_t length = 0;

	for (unsigned i = 0; i < conditions->programmed_count && length < sizeof(text); i++) {
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s=0x%" PRIx32, i ? " " : "",
					   conditions->programmed[i].name, conditions->programmed[i].value);
	}
	write_labelled(out, "programmed", "%s", text);
}

static const char *settings_or(const struct coalesce *settings, const char *nothing, char text[COALESCE_TEXT_MAX])
{
	return settings->present ? coalesce_print(settings, text) : nothing;
}

static void write_settings(const struct run_conditions *conditions, FILE *out)
{
	char text[COALESCE_TEXT_MAX], duration[TEXT_DURATION_MAX];

	fprintf(out, "  requested  %s\n", settings_or(&conditions->requested, "the driver's defaults", text));
	write_programmed(conditions, out);
	fprintf(out, "  reported   %s\n",
		conditions->reports_settings ? settings_or(&conditions->reported, "nothing", text)
					     : "the driver has no get");
	write_effective(conditions, out);
	if (conditions->gro_flush_timeout_ns || conditions->defer_hard_irqs) {
		fprintf(out, "  deferral   gro-flush-timeout %s, defer-hard-irqs %" PRIu32 "\n",
			text_print_duration(conditions->gro_flush_timeout_ns, duration), conditions->defer_hard_irqs);
	}
}

static void write_workload(const struct run_conditions *conditions, FILE *out)
{
	char text[WORKLOAD_TEXT_MAX], duration[TEXT_DURATION_MAX], warmup[TEXT_DURATION_MAX];
	const struct workload *workload = &conditions->workload;

	fprintf(out, "  workload   %s: payload %" PRIu32 " bytes, frame %u with FCS\n", workload_print(workload, text),
		workload_payload(workload), workload_data_frame_bytes(workload));
	/* By a clock nothing lasts a round number of ns. */
	const int64_t duration_ns = conditions->source == RUN_MODEL ? conditions->duration_ns
								    : (conditions->duration_ns + 50 * NS_PER_US) /
									      (100 * NS_PER_US) * 100 * NS_PER_US;

	fprintf(out, "  duration   %s after %s that are not counted, seed %" PRIu64 "\n",
		text_print_duration(duration_ns, duration), text_print_duration(conditions->warmup_ns, warmup),
		conditions->seed);
	if (conditions->measured.repeats > 1) {
		fprintf(out, "  repeats    %u, together\n", conditions->measured.repeats);
	}
}

static void write_latencies(const struct run *run, FILE *out)
{
	const struct run_findings *findings = &run->findings;

	if (!findings->has) {
		return;
	}
	fprintf(out, "\n  %-20s %10s %12s %12s %12s %12s %12s\n", "latency", "count", "min", "mean", "p50", "p99",
		"max");
	for (enum run_latency latency = 0; latency < RUN_LATENCIES; latency++) {
		const struct histogram *histogram = &findings->latency[latency];
		char min[TEXT_DURATION_MAX], mean[TEXT_DURATION_MAX], p50[TEXT_DURATION_MAX], p99[TEXT_DURATION_MAX],
			max[TEXT_DURATION_MAX];

		if (!(findings->has & (1u << latency))) {
			continue;
		}
		fprintf(out, "  %-20s %10" PRIu64 " %12s %12s %12s %12s %12s\n", run_text_latency(run, latency),
			histogram->count, text_print_duration(histogram->min_ns, min),
			text_print_duration(histogram_mean(histogram), mean),
			text_print_duration(histogram_percentile(histogram, 500000), p50),
			text_print_duration(histogram_percentile(histogram, 990000), p99),
			text_print_duration(histogram->max_ns, max));
	}
}

/* 12345 of 1000000 as "1.23%". */
static void write_percent(const char *title, unsigned ppm, FILE *out)
{
	const unsigned hundredths = (ppm + 50) / 100;

	fprintf(out, "%s %u.%02u%%", title, hundredths / 100, hundredths % 100);
}

static void write_milli(uint64_t thousandths, FILE *out)
{
	fprintf(out, "%" PRIu64 ".%03u", thousandths / 1000, (unsigned)(thousandths % 1000));
}

static void write_irq(const struct run *run, FILE *out)
{
	const struct run_findings *findings = &run->findings;

	fprintf(out, "  irq        %" PRIu64 ", ", findings->irq_count);
	write_milli(run_irq_rate_milli_hz(run), out);
	fputs("/s", out);
	if (findings->irq_count) {
		fputs(", frames/irq ", out);
		write_milli(run_milli(findings->irq_frames, findings->irq_count), out);
	}
	if (!run_lacks(run, RUN_LACKS_IRQ_WORK)) {
		fprintf(out, "; %" PRIu64 " found rx, %" PRIu64 " found tx", findings->irq_rx_count,
			findings->irq_tx_count);
	}
	putc('\n', out);
}

static void write_napi(const struct run *run, FILE *out)
{
	const struct run_findings *findings = &run->findings;

	fprintf(out, "  napi       %" PRIu64 " polls", findings->napi_polls);
	if (run->conditions.source == RUN_MEASURED && findings->napi_polls) {
		fputs(", frames/poll ", out);
		write_milli(run_milli(findings->napi_frames, findings->napi_polls), out);
	}
	fprintf(out, ", %" PRIu64 " used the whole budget", findings->budget_exhausted);
	if (!run_lacks(run, RUN_LACKS_POLL_KINDS)) {
		fprintf(out, ", %" PRIu64 " ran in ksoftirqd; ", findings->ksoftirqd_runs);
		write_percent("irq masked", run_ppm(findings->irq_masked_ns, run->conditions.duration_ns), out);
		fputs(" of the time", out);
	}
	putc('\n', out);
}

static void write_cpu(const struct run *run, const struct run_cpu *cpu, int64_t whole_ns, FILE *out)
{
	write_percent("busy", run_ppm(run_cpu_busy_ns(cpu), whole_ns), out);
	write_percent(": hardirq", run_ppm(cpu->hardirq_ns, whole_ns), out);
	write_percent(", softirq", run_ppm(cpu->softirq_ns, whole_ns), out);
	if (run->conditions.source == RUN_MODEL) {
		write_percent(", application", run_ppm(cpu->app_ns, whole_ns), out);
		write_percent(", idle exit", run_ppm(cpu->idle_exit_ns, whole_ns), out);
	} else {
		write_percent(", other", run_ppm(cpu->app_ns, whole_ns), out);
	}
	putc('\n', out);
}

static void write_cpus(const struct run *run, FILE *out)
{
	const int64_t duration_ns = run->conditions.duration_ns;
	const struct run_findings *findings = &run->findings;

	for (unsigned i = 0; i < findings->cpus; i++) {
		fprintf(out, "  cpu %-6u ", findings->cpu[i].number);
		write_cpu(run, &findings->cpu[i], duration_ns, out);
	}
	if (findings->other_cpus) {
		fprintf(out, "  %3u others ", findings->other_cpus);
		write_cpu(run, &findings->other_cpu, duration_ns * findings->other_cpus, out);
	}
}

/* What the measuring itself has cost, and what a frame has. */
static void write_cost(const struct run *run, FILE *out)
{
	const struct run_measured *const measured = &run->conditions.measured;
	char text[TEXT_DURATION_MAX];

	if (!run_lacks(run, RUN_LACKS_CPUS) && !run_lacks(run, RUN_LACKS_FRAMES) && run_cpu_per_frame_ns(run)) {
		fprintf(out, "  per frame  %s of CPU time\n", text_print_duration(run_cpu_per_frame_ns(run), text));
	}
	fputs("  own cost  ", out);
	write_percent("", run_ppm(measured->own_cpu_ns, run->conditions.duration_ns), out);
	fputs(" of a CPU in this process", out);
	if (measured->kernel_hits) {
		write_percent(",", run_ppm(measured->kernel_hits_ns, run->conditions.duration_ns), out);
		fprintf(out, " for counting in the kernel (%" PRIu64 " times %" PRId64 " ns)", measured->kernel_hits,
			measured->kernel_hits_ns / (int64_t)measured->kernel_hits);
	}
	putc('\n', out);
}

static void write_frames(const struct run *run, FILE *out)
{
	const struct run_findings *findings = &run->findings;

	if (!run_lacks(run, RUN_LACKS_FRAMES)) {
		fprintf(out, "  rx         %" PRIu64 " frames, %" PRIu64 " bytes, %" PRIu64 " dropped at the ring",
			findings->rx_frames, findings->rx_bytes, findings->rx_dropped);
		if (!run_lacks(run, RUN_LACKS_SOCKET_DROPS)) {
			fprintf(out, ", %" PRIu64 " at the socket", findings->socket_dropped);
		}
		fprintf(out, "\n  tx         %" PRIu64 " frames, %" PRIu64 " bytes\n", findings->tx_frames,
			findings->tx_bytes);
	}
	if (findings->app_bytes_span_ns > 0) {
		fputs("  goodput    ", out);
		write_milli((run_goodput_bps(run) + 500) / 1000, out);
		fputs(" Mb/s\n", out);
	}
}

static void write_ms(int64_t value_ns, FILE *out)
{
	const int64_t us = (value_ns + NS_PER_US / 2) / NS_PER_US;

	fprintf(out, "%" PRId64 ".%03d", us / 1000, (int)(us % 1000));
}

static void write_ping_lines(const struct run *run, FILE *out)
{
	const struct histogram *rtt = &run->findings.latency[RUN_RTT];
	const uint64_t sent = rtt->count + run->findings.dropped;
	const int64_t values_ns[] = { rtt->min_ns, histogram_mean(rtt), rtt->max_ns, histogram_stddev(rtt) };

	fprintf(out,
		"\n%" PRIu64 " packets transmitted, %" PRIu64 " received, %" PRIu64 "%% packet loss, time %" PRId64
		"ms\n",
		sent, rtt->count, sent ? 100 * run->findings.dropped / sent : 0,
		run->conditions.duration_ns / NS_PER_MS);
	fputs("rtt min/avg/max/mdev = ", out);
	for (unsigned i = 0; i < 4; i++) {
		fputs(i ? "/" : "", out);
		write_ms(values_ns[i], out);
	}
	fputs(" ms\n", out);
}

static void write_conditions(const struct run *run, FILE *out)
{
	const struct run_conditions *const conditions = &run->conditions;
	char text[COALESCE_TEXT_MAX];

	if (conditions->source == RUN_MODEL) {
		write_model_heading(conditions, out);
		write_workload(conditions, out);
		write_settings(conditions, out);
		return;
	}
	write_measured_heading(conditions, out);
	write_workload(conditions, out);
	fprintf(out, "  reported   %s\n",
		conditions->reports_settings ? settings_or(&conditions->reported, "nothing", text)
					     : "no coalescing settings");
}

/* The repeats' medians, and how sure their middle is. */
static void write_median(const struct run_measured *measured, FILE *out)
{
	char median[TEXT_DURATION_MAX], low[TEXT_DURATION_MAX], high[TEXT_DURATION_MAX];

	if (measured->median_high_ns) {
		fprintf(out, "  median of %u medians %s, 95%% interval %s to %s\n", measured->repeats,
			text_print_duration(measured->median_ns, median),
			text_print_duration(measured->median_low_ns, low),
			text_print_duration(measured->median_high_ns, high));
	}
}

static void write_counts(const struct run *run, FILE *out)
{
	putc('\n', out);
	if (!run_lacks(run, RUN_LACKS_IRQS)) {
		write_irq(run, out);
	}
	if (!run_lacks(run, RUN_LACKS_POLLS)) {
		write_napi(run, out);
	}
	if (!run_lacks(run, RUN_LACKS_CPUS)) {
		write_cpus(run, out);
	}
	write_frames(run, out);
	if (run->conditions.source == RUN_MEASURED) {
		write_cost(run, out);
	}
}

int run_text_write(const struct run *run, FILE *out)
{
	write_conditions(run, out);
	write_latencies(run, out);
	write_median(&run->conditions.measured, out);
	write_counts(run, out);
	if (run->findings.has & (1u << RUN_RTT)) {
		write_ping_lines(run, out);
	}
	errno = 0;
	return fflush(out) != 0 || ferror(out) ? (errno ? -errno : -EIO) : 0;
}
