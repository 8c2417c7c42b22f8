/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "base/wide.h"
#include "cmd/cmd.h"
#include "cmd/trace.h"
#include "cmd/trace_run.h"
#include "report/stages.h"
#include "trace/parts.h"

#define LABEL_WIDTH 14
#define BAR_WIDTH 20

struct group {
	const char *title;
	enum path_stage first, last;
	/* Two stages that come to the third; PATH_STAGES: none. */
	enum path_stage part, other_part, whole;
};

static const struct group groups[] = {
	{ "transmit", PATH_QDISC, PATH_XMIT_TO_COMPLETION, PATH_XMIT_TO_IRQ, PATH_IRQ_TO_COMPLETION,
	  PATH_XMIT_TO_COMPLETION },
	{ "receive", PATH_IRQ_TO_RAISE, PATH_IRQ_TO_COPY, PATH_IRQ_TO_STACK, PATH_STACK_TO_COPY, PATH_IRQ_TO_COPY },
	{ "in the kernel", PATH_ECHO, PATH_ECHO, PATH_STAGES, PATH_STAGES, PATH_STAGES },
	{ "interrupts", PATH_IRQ_GAP, PATH_IRQ_GAP, PATH_STAGES, PATH_STAGES, PATH_STAGES },
};
#define GROUPS (sizeof(groups) / sizeof(groups[0]))

/* Three or more digits are enough. */
static const char *print_ns(int64_t value_ns, char buffer[TEXT_DURATION_MAX])
{
	const int64_t step_ns = value_ns >= NS_PER_S ? NS_PER_MS : value_ns >= NS_PER_MS ? NS_PER_US : 1;

	return text_print_duration(value_ns / step_ns * step_ns, buffer);
}

/* ---- the table ---- */

static int64_t longest_median(const struct path_result *result, const struct group *group)
{
	int64_t longest_ns = 1;

	for (enum path_stage stage = group->first; stage <= group->last; stage++) {
		longest_ns = time_max(longest_ns, histogram_percentile(&result->stage[stage], 500000));
	}
	return longest_ns;
}

/* A percentile is the upper end of its bucket, which a coarse clock cannot have told. */
static int64_t percentile(const struct histogram *stage, unsigned ppm, int64_t resolution_ns)
{
	const int64_t value_ns = histogram_percentile(stage, ppm);

	return resolution_ns > 1 ? value_ns / resolution_ns * resolution_ns : value_ns;
}

static void print_stage(FILE *out, const struct trace_report *report, enum path_stage which, int64_t longest_ns)
{
	const struct histogram *const stage = &report->result.stage[which];

	static const unsigned ppms[] = { 500000, 900000, 990000 };
	char text[TEXT_DURATION_MAX];
	const int64_t median_ns = histogram_percentile(stage, 500000);

	fprintf(out, "  %-28s %9" PRIu64, path_stage_title(which), stage->count);
	for (size_t i = 0; i < sizeof(ppms) / sizeof(ppms[0]); i++) {
		fprintf(out, " %10s", print_ns(percentile(stage, ppms[i], report->resolution_ns), text));
	}
	fprintf(out, " %10s", print_ns(stage->max_ns, text));
	const int length = (int)((median_ns * BAR_WIDTH + longest_ns / 2) / longest_ns);

	fprintf(out, "%s%.*s\n", length ? " " : "", length, "####################");
}

static void print_sum(FILE *out, const struct path_result *result, const struct group *group)
{
	if (group->whole == PATH_STAGES || !result->stage[group->part].count || !result->stage[group->whole].count) {
		return;
	}
	const struct histogram *const part = &result->stage[group->part],
				      *const other = &result->stage[group->other_part],
				      *const whole = &result->stage[group->whole];
	char sum[TEXT_DURATION_MAX], end[TEXT_DURATION_MAX];

	fprintf(out, "  mean of \"%s\" and \"%s\" together %s, of \"%s\" %s", path_stage_title(group->part),
		path_stage_title(group->other_part), print_ns(histogram_mean(part) + histogram_mean(other), sum),
		path_stage_title(group->whole), print_ns(histogram_mean(whole), end));
	if (part->count != whole->count || other->count != whole->count) {
		fputs("\n    (not of the same packets: not all have all stages)", out);
	}
	putc('\n', out);
}

static void print_group(FILE *out, const struct trace_report *report, const struct group *group)
{
	const struct path_result *const result = &report->result;
	const int64_t longest_ns = longest_median(result, group);
	bool is_empty = true;

	for (enum path_stage stage = group->first; stage <= group->last; stage++) {
		is_empty &= result->stage[stage].count == 0;
	}
	if (is_empty) {
		return;
	}
	fprintf(out, "\n%-30s %9s %10s %10s %10s %10s\n", group->title, "n", "p50", "p90", "p99", "max");
	for (enum path_stage stage = group->first; stage <= group->last; stage++) {
		if (result->stage[stage].count) {
			print_stage(out, report, stage, longest_ns);
		}
	}
	print_sum(out, result, group);
}

/* Stages that lack the same thing stand together. */
static void print_missing(FILE *out, const struct trace_report *report)
{
	char why[ERR_TEXT_MAX], other[ERR_TEXT_MAX];
	bool is_said[PATH_STAGES] = { false };

	for (enum path_stage stage = 0; stage < PATH_STAGES; stage++) {
		if (is_said[stage] || !trace_missing(report, stage, why)) {
			continue;
		}
		char names[ERR_TEXT_MAX * 2] = "";
		size_t length = 0;

		for (enum path_stage next = stage; next < PATH_STAGES; next++) {
			if (trace_missing(report, next, other) && strcmp(why, other) == 0 && length < sizeof(names)) {
				is_said[next] = true;
				length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
							   length ? ", " : "", path_stage_title(next));
			}
		}
		cmd_print_labelled(out, LABEL_WIDTH, "missing", "%s: %s", names, why);
	}
	cmd_print_labelled(out, LABEL_WIDTH, "rx hold-off",
			   "not observed: it lies before the interrupt, the first that software sees of a frame");
}

/* ---- the counts ---- */

static bool is_asked(const struct trace_report *report, enum trace_part part)
{
	return !report->parts || report->parts & 1u << part;
}

static void print_transmit(FILE *out, const struct path_result *result)
{
	const struct path_sums *const sums = &result->sums;
	const unsigned ppm = trace_unmatched_ppm(result);

	cmd_print_labelled(out, LABEL_WIDTH, "transmit",
			   "%" PRIu64 " sent, %" PRIu64 " completed, %" PRIu64 " handed on, %" PRIu64
			   " still on their way, %" PRIu64 " refused; unmatched %u.%04u%%",
			   (uint64_t)sums->sent, (uint64_t)sums->completed, (uint64_t)sums->handed_on,
			   result->in_flight, (uint64_t)sums->refused, ppm / 10000, ppm % 10000);
	if (sums->completed) {
		cmd_print_labelled(out, LABEL_WIDTH, "completions",
				   "%" PRIu64 " after an irq of their own, %" PRIu64
				   " by a poll that ran anyway, %" PRIu64 " outside of polls, %" PRIu64
				   " before xmit returned, %" PRIu64 " after one of several irqs; %" PRIu64
				   " in polls that received too",
				   (uint64_t)sums->completed_by_irq, (uint64_t)sums->completed_without_irq,
				   (uint64_t)sums->completed_elsewhere, (uint64_t)sums->completed_early,
				   (uint64_t)sums->completed_ambiguous, (uint64_t)sums->completed_with_rx);
	}
}

/* Whether a poll completed anything is not known where not all packets are followed. */
static void print_receive(FILE *out, const struct path_sums *sums, bool is_sampled)
{
	char with_tx[64] = "";

	if (!is_sampled) {
		snprintf(with_tx, sizeof(with_tx), "; %" PRIu64 " in polls that completed too",
			 (uint64_t)sums->received_with_tx);
	}
	cmd_print_labelled(out, LABEL_WIDTH, "receive",
			   "%" PRIu64 " into the stack, %" PRIu64 " copied to readers, %" PRIu64
			   " ended in the kernel, %" PRIu64 " forwarded%s; %" PRIu64 " readers woken by one of several",
			   (uint64_t)sums->received, (uint64_t)sums->copied, (uint64_t)sums->kept_in_kernel,
			   (uint64_t)sums->forwarded, with_tx, (uint64_t)sums->woken_ambiguous);
}

static void print_sampling(FILE *out, const struct trace_report *report)
{
	const struct path_sums *const sums = &report->result.sums;

	if (report->every_most > 1) {
		cmd_print_labelled(out, LABEL_WIDTH, "sampled",
				   "one packet in %u at the end, in %u at times, so that it costs no more than it may; "
				   "%" PRIu64 " sent and %" PRIu64
				   " received ones were passed over and are in no other figure",
				   report->every, report->every_most, (uint64_t)sums->sent_unfollowed,
				   (uint64_t)sums->received_unfollowed);
	}
}

static void print_polls(FILE *out, const struct path_sums *sums)
{
	if (sums->polls) {
		const uint64_t hundredths = sums->work * 100 / sums->polls;

		cmd_print_labelled(out, LABEL_WIDTH, "polls",
				   "%" PRIu64 ", %" PRIu64 ".%02u frames each as the driver counts, %" PRIu64
				   " used up the budget, %" PRIu64 " without an irq",
				   (uint64_t)sums->polls, hundredths / 100, (unsigned)(hundredths % 100),
				   (uint64_t)sums->exhausted, (uint64_t)sums->polls_without_irq);
	}
}

static void print_irqs(FILE *out, const struct trace_report *report)
{
	const struct path_result *const result = &report->result;
	char hardirq[TEXT_DURATION_MAX], softirq[TEXT_DURATION_MAX];

	cmd_print_labelled(out, LABEL_WIDTH, "interrupts",
			   "%" PRIu64
			   " of %u vectors, %s in their handlers; %s in NET_RX and NET_TX, of all interfaces",
			   (uint64_t)result->sums.interrupts, result->irq_count,
			   print_ns((int64_t)result->sums.hardirq_ns, hardirq),
			   print_ns((int64_t)result->sums.softirq_net_ns, softirq));
	for (unsigned i = 0; report->per_queue && i < result->irq_count; i++) {
		const struct path_irq *const irq = &result->irq[i];

		cmd_print_labelled(out, LABEL_WIDTH, "", "irq %" PRIu32 " %s: %" PRIu64 ", %s", irq->irq, irq->name,
				   irq->interrupts, print_ns(irq->hardirq_ns, hardirq));
	}
}

static void print_bins(FILE *out, const char *label, const struct path_bin *bins, const char *const *names)
{
	for (unsigned i = 0; i < PATH_BINS; i++) {
		char mean[TEXT_DURATION_MAX], max[TEXT_DURATION_MAX];

		if (bins[i].count) {
			cmd_print_labelled(out, LABEL_WIDTH, label, "%-14s n %" PRIu64 ", mean %s, max %s", names[i],
					   (uint64_t)bins[i].count,
					   print_ns((int64_t)(bins[i].sum_ns / bins[i].count), mean),
					   print_ns((int64_t)bins[i].max_ns, max));
			label = "";
		}
	}
}

static void print_echoes(FILE *out, const struct path_sums *sums)
{
	static const char *const gaps[PATH_BINS] = { "below 16us",     "below 64us",    "below 256us",
						     "below 1.024ms",  "below 4.096ms", "below 16.384ms",
						     "below 65.536ms", "more" };
	static const char *const sizes[PATH_BINS] = { "below 64 B",   "below 128 B",  "below 256 B",  "below 512 B",
						      "below 1024 B", "below 2048 B", "below 4096 B", "more" };

	print_bins(out, "answers, gap", sums->echo_gap, gaps);
	print_bins(out, "answers, size", sums->echo_size, sizes);
}

/* ---- histograms: a row for each power of two ---- */

static void print_histogram(FILE *out, const struct histogram *stage, const char *title)
{
	uint64_t rows[64] = { 0 }, largest = 1;
	char text[TEXT_DURATION_MAX];

	for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
		const uint64_t end = (uint64_t)histogram_bucket_end(bucket);
		uint64_t *const row = &rows[end ? 63 - __builtin_clzll(end) : 0];

		*row += stage->bucket[bucket];
		largest = *row > largest ? *row : largest;
	}
	fprintf(out, "\n%s\n", title);
	for (unsigned row = 0; row < 63; row++) {
		if (rows[row]) {
			fprintf(out, "  below %-12s %9" PRIu64 " %.*s\n", print_ns(INT64_C(1) << (row + 1), text),
				rows[row], (int)(rows[row] * BAR_WIDTH / largest), "####################");
		}
	}
}

/* ---- the page ---- */

static void print_heading(FILE *out, const struct trace_report *report)
{
	const struct path_result *const result = &report->result;
	char duration[TEXT_DURATION_MAX], resolution[TEXT_DURATION_MAX];

	fprintf(out, "%s, %s%s%s: %s", report->device[0] ? report->device : "a driver traced by hand",
		report->source ? "from " : "traced by ", report->source ? report->source : report->backend,
		report->is_stopped ? ", ENDED EARLY: it cost more than it may" : "",
		print_ns(result->end_at_ns - result->begin_at_ns, duration));
	if (report->resolution_ns > 1) {
		fprintf(out, ", times in steps of %s", text_print_duration(report->resolution_ns, resolution));
	}
	putc('\n', out);
}

static void print_cost(FILE *out, const struct trace_report *report)
{
	const uint64_t window_ns = (uint64_t)report->cost_window_ns;

	if (!report->has_cost || !report->hits || !window_ns) {
		return;
	}
	const uint64_t hit_tenths = (uint64_t)report->hit_ns * 10 / report->hits;
	const uint64_t ppm = wide_scale((uint64_t)report->hit_ns, 1000000, window_ns);

	char timing[64] = "";

	if (report->timing_ns >= 0) {
		snprintf(timing, sizeof(timing), " (%" PRId64 " ns of it to take the time)", report->timing_ns);
	}
	cmd_print_labelled(out, LABEL_WIDTH, "own cost",
			   "%" PRIu64 " hits/s, %" PRIu64 ".%u ns each%s: %" PRIu64 ".%02u%% of one CPU",
			   wide_scale(report->hits, (uint64_t)NS_PER_S, window_ns), hit_tenths / 10,
			   (unsigned)(hit_tenths % 10), timing, ppm / 10000, (unsigned)(ppm % 10000 / 100));
	if (report->added_rtt_ns > 0) {
		char added[TEXT_DURATION_MAX];

		cmd_print_labelled(out, LABEL_WIDTH, "", "about %s of a round trip, in which each event comes once",
				   print_ns(report->added_rtt_ns, added));
	}
	if (strcmp(report->backend, "tracefs") == 0) {
		cmd_print_labelled(out, LABEL_WIDTH, "",
				   "for reading them; what the kernel takes to write them is not known");
	}
}

/* Against a model, or another run: what both have a stage for. */
static void print_beside(FILE *out, const struct trace_report *report)
{
	struct run *const traced = report->beside ? malloc(sizeof(*traced)) : NULL;

	if (!traced) {
		return;
	}
	const struct run_conditions *const conditions = &report->beside->conditions;

	run_init(traced);
	traced->conditions.source = RUN_MEASURED;
	trace_run_put(traced, &report->result);
	putc('\n', out);
	if (conditions->source == RUN_MODEL) {
		cmd_print_labelled(out, LABEL_WIDTH, "beside", "run %s: MODEL of %s with %s, host %s (%s)",
				   report->beside_name, conditions->board, conditions->driver, conditions->host,
				   conditions->host_fit);
	} else {
		cmd_print_labelled(out, LABEL_WIDTH, "beside", "run %s: measured on %s", report->beside_name,
				   conditions->measured.device);
	}
	stages_write(report->beside, traced, out);
	cmd_print_labelled(out, LABEL_WIDTH, "",
			   "one run each, so no interval; that both had the same traffic is not known here");
	free(traced);
}

void trace_print(const struct trace_report *report, FILE *out)
{
	const struct path_result *const result = &report->result;
	char likely[ERR_TEXT_MAX];

	print_heading(out, report);
	for (size_t i = 0; i < GROUPS; i++) {
		print_group(out, report, &groups[i]);
	}
	putc('\n', out);
	if (trace_likely(report, likely)[0]) {
		cmd_print_labelled(out, LABEL_WIDTH, "longest", "%s", likely);
	}
	if (!report->only_stages) {
		if (is_asked(report, PART_TRANSMIT)) {
			print_transmit(out, result);
		}
		if (result->sums.received && is_asked(report, PART_RECEIVE)) {
			print_receive(out, &result->sums, report->every_most > 1);
		}
		print_sampling(out, report);
		print_polls(out, &result->sums);
		print_irqs(out, report);
		print_echoes(out, &result->sums);
		cmd_print_labelled(out, LABEL_WIDTH, "lost", "%" PRIu64 " events", report->lost);
	}
	if (report->by_hand) {
		cmd_print_labelled(
			out, LABEL_WIDTH, "by hand",
			"xmit returned is where the driver wrote DONE, not START; a completion where it wrote TX DONE");
	}
	print_missing(out, report);
	print_cost(out, report);
	print_beside(out, report);
	for (enum path_stage stage = 0; report->histogram && stage < PATH_STAGES; stage++) {
		if (result->stage[stage].count) {
			print_histogram(out, &result->stage[stage], path_stage_title(stage));
		}
	}
}
