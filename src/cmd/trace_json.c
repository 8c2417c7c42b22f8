/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "cmd/trace.h"
#include "cmd/trace_run.h"
#include "report/json_writer.h"
#include "report/stages.h"
#include "trace/parts.h"

static void put_buckets(struct json_writer *writer, const struct histogram *stage)
{
	json_begin_array(writer, "histogram");
	for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
		if (stage->bucket[bucket]) {
			json_begin_object(writer, NULL);
			json_put_integer(writer, "to_ns", histogram_bucket_end(bucket));
			json_put_unsigned(writer, "count", stage->bucket[bucket]);
			json_end_object(writer);
		}
	}
	json_end_array(writer);
}

static void put_stages(struct json_writer *writer, const struct path_result *result)
{
	json_begin_object(writer, "stages");
	for (enum path_stage stage = 0; stage < PATH_STAGES; stage++) {
		const struct histogram *const histogram = &result->stage[stage];

		if (!histogram->count) {
			continue;
		}
		json_begin_object(writer, path_stage_key(stage));
		json_put_unsigned(writer, "count", histogram->count);
		json_put_integer(writer, "min", histogram->min_ns);
		json_put_integer(writer, "mean", histogram_mean(histogram));
		json_put_integer(writer, "p50", histogram_percentile(histogram, 500000));
		json_put_integer(writer, "p90", histogram_percentile(histogram, 900000));
		json_put_integer(writer, "p99", histogram_percentile(histogram, 990000));
		json_put_integer(writer, "max", histogram->max_ns);
		put_buckets(writer, histogram);
		json_end_object(writer);
	}
	json_end_object(writer);
}

static void put_missing(struct json_writer *writer, const struct trace_report *report)
{
	char why[ERR_TEXT_MAX];

	json_begin_array(writer, "missing");
	for (enum path_stage stage = 0; stage < PATH_STAGES; stage++) {
		if (trace_missing(report, stage, why)) {
			json_begin_object(writer, NULL);
			json_put_string(writer, "stage", path_stage_key(stage));
			json_put_string(writer, "why", why);
			json_end_object(writer);
		}
	}
	json_end_array(writer);
}

static void put_transmit(struct json_writer *writer, const struct path_result *result)
{
	const struct path_sums *const sums = &result->sums;

	json_begin_object(writer, "tx");
	json_put_unsigned(writer, "sent", sums->sent);
	json_put_unsigned(writer, "sent_bytes", sums->sent_bytes);
	json_put_unsigned(writer, "refused", sums->refused);
	json_put_unsigned(writer, "completed", sums->completed);
	json_put_unsigned(writer, "completed_by_irq", sums->completed_by_irq);
	json_put_unsigned(writer, "completed_without_irq", sums->completed_without_irq);
	json_put_unsigned(writer, "completed_ambiguous", sums->completed_ambiguous);
	json_put_unsigned(writer, "completed_outside_polls", sums->completed_elsewhere);
	json_put_unsigned(writer, "completed_before_return", sums->completed_early);
	json_put_unsigned(writer, "completed_in_rx_polls", sums->completed_with_rx);
	json_put_unsigned(writer, "handed_on", sums->handed_on);
	json_put_unsigned(writer, "in_flight", result->in_flight);
	json_put_unsigned(writer, "reused", sums->reused);
	json_put_unsigned(writer, "displaced", sums->displaced);
	json_put_unsigned(writer, "unmatched_ppm", trace_unmatched_ppm(result));
	json_end_object(writer);
}

static void put_receive(struct json_writer *writer, const struct path_sums *sums, bool is_sampled)
{
	json_begin_object(writer, "rx");
	json_put_unsigned(writer, "received", sums->received);
	json_put_unsigned(writer, "received_bytes", sums->received_bytes);
	if (!is_sampled) {
		json_put_unsigned(writer, "received_in_tx_polls", sums->received_with_tx);
	}
	json_put_unsigned(writer, "copied", sums->copied);
	json_put_unsigned(writer, "ended_in_kernel", sums->kept_in_kernel);
	json_put_unsigned(writer, "forwarded", sums->forwarded);
	json_put_unsigned(writer, "woken_by_one_of_several", sums->woken_ambiguous);
	json_end_object(writer);
}

/* What was passed over is in no other count. */
static void put_sampling(struct json_writer *writer, const struct trace_report *report)
{
	if (report->every_most > 1) {
		json_begin_object(writer, "sampling");
		json_put_unsigned(writer, "every", report->every);
		json_put_unsigned(writer, "every_at_most", report->every_most);
		json_put_unsigned(writer, "sent_passed_over", report->result.sums.sent_unfollowed);
		json_put_unsigned(writer, "received_passed_over", report->result.sums.received_unfollowed);
		json_end_object(writer);
	}
}

static void put_polls(struct json_writer *writer, const struct path_sums *sums)
{
	json_begin_object(writer, "polls");
	json_put_unsigned(writer, "count", sums->polls);
	json_put_unsigned(writer, "work", sums->work);
	json_put_unsigned(writer, "budget_exhausted", sums->exhausted);
	json_put_unsigned(writer, "without_irq", sums->polls_without_irq);
	json_begin_array(writer, "batches");
	for (unsigned i = 0; i < PATH_BATCHES; i++) {
		if (sums->batch[i]) {
			json_begin_object(writer, NULL);
			json_put_unsigned(writer, i < PATH_BATCHES - 1 ? "work" : "work_at_least", i);
			json_put_unsigned(writer, "count", sums->batch[i]);
			json_end_object(writer);
		}
	}
	json_end_array(writer);
	json_end_object(writer);
}

static void put_irqs(struct json_writer *writer, const struct path_result *result)
{
	json_begin_object(writer, "interrupts");
	json_put_unsigned(writer, "count", result->sums.interrupts);
	json_put_unsigned(writer, "hardirq_ns", result->sums.hardirq_ns);
	json_put_unsigned(writer, "softirq_net_ns", result->sums.softirq_net_ns);
	json_begin_array(writer, "vectors");
	for (unsigned i = 0; i < result->irq_count; i++) {
		json_begin_object(writer, NULL);
		json_put_unsigned(writer, "irq", result->irq[i].irq);
		json_put_string(writer, "name", result->irq[i].name);
		json_put_unsigned(writer, "count", result->irq[i].interrupts);
		json_put_integer(writer, "hardirq_ns", result->irq[i].hardirq_ns);
		json_end_object(writer);
	}
	json_end_array(writer);
	json_end_object(writer);
}

/* first: the limit of the first bin, which grows by times. */
static void put_bins(struct json_writer *writer, const char *key, const struct path_bin *bins, const char *limit_key,
		     uint64_t first, uint64_t times)
{
	json_begin_array(writer, key);
	for (unsigned i = 0; i < PATH_BINS; i++, first *= times) {
		if (!bins[i].count) {
			continue;
		}
		json_begin_object(writer, NULL);
		if (i < PATH_BINS - 1) {
			json_put_unsigned(writer, limit_key, first);
		}
		json_put_unsigned(writer, "count", bins[i].count);
		json_put_unsigned(writer, "mean_ns", bins[i].sum_ns / bins[i].count);
		json_put_unsigned(writer, "max_ns", bins[i].max_ns);
		json_end_object(writer);
	}
	json_end_array(writer);
}

static void put_conditions(struct json_writer *writer, const struct trace_report *report)
{
	json_put_string(writer, "schema", "holdoff.trace/1");
	json_put_string(writer, "version", HOLDOFF_VERSION);
	if (report->device[0]) {
		json_put_string(writer, "device", report->device);
	}
	json_put_string(writer, "backend", report->backend);
	if (report->source) {
		json_put_string(writer, "source", report->source);
	}
	json_put_boolean(writer, "by_hand", report->by_hand);
	json_put_integer(writer, "span_ns", report->result.end_at_ns - report->result.begin_at_ns);
	json_put_integer(writer, "resolution_ns", report->resolution_ns);
	json_put_unsigned(writer, "lost_events", report->lost);
	json_put_unsigned(writer, "unusable_events", report->unusable);
	json_put_unsigned(writer, "out_of_order", report->result.out_of_order);
	if (report->has_tx_usecs) {
		json_put_unsigned(writer, "tx_usecs", report->tx_usecs);
	}
	if (report->has_rx_usecs) {
		json_put_unsigned(writer, "rx_usecs", report->rx_usecs);
	}
}

static void put_beside(struct json_writer *writer, const struct trace_report *report)
{
	struct run *const traced = report->beside ? malloc(sizeof(*traced)) : NULL;

	if (traced) {
		run_init(traced);
		traced->conditions.source = RUN_MEASURED;
		trace_run_put(traced, &report->result);
		stages_put(writer, "beside", report->beside, traced);
		free(traced);
	}
}

int trace_write_json(const struct trace_report *report, FILE *out)
{
	const struct path_sums *const sums = &report->result.sums;
	struct json_writer writer;
	char likely[ERR_TEXT_MAX];

	json_begin(&writer, out);
	json_begin_object(&writer, NULL);
	put_conditions(&writer, report);
	put_stages(&writer, &report->result);
	put_missing(&writer, report);
	if (trace_likely(report, likely)[0]) {
		json_put_string(&writer, "longest", likely);
	}
	if (!report->parts || report->parts & 1u << PART_TRANSMIT) {
		put_transmit(&writer, &report->result);
	}
	if (!report->parts || report->parts & 1u << PART_RECEIVE) {
		put_receive(&writer, sums, report->every_most > 1);
	}
	put_sampling(&writer, report);
	put_polls(&writer, sums);
	put_irqs(&writer, &report->result);
	put_bins(&writer, "answers_by_gap", sums->echo_gap, "gap_below_ns", 16000, 4);
	put_bins(&writer, "answers_by_size", sums->echo_size, "size_below_bytes", 64, 2);
	put_beside(&writer, report);
	if (report->has_cost) {
		json_begin_object(&writer, "cost");
		json_put_unsigned(&writer, "hits", report->hits);
		json_put_integer(&writer, "hit_ns", report->hit_ns);
		if (report->timing_ns >= 0) {
			json_put_integer(&writer, "timing_ns", report->timing_ns);
		}
		json_put_integer(&writer, "window_ns", report->cost_window_ns);
		if (report->added_rtt_ns > 0) {
			json_put_integer(&writer, "added_rtt_ns", report->added_rtt_ns);
		}
		json_put_boolean(&writer, "stopped", report->is_stopped);
		json_end_object(&writer);
	}
	json_end_object(&writer);
	return json_end(&writer);
}
