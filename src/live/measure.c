/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/measure.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/time.h"
#include "live/conditions.h"

/* Other programs may use so much of one CPU before the run is doubted. */
#define OTHERS_PPM_MAX 250000

/* All that is large, in one piece of memory. */
struct measuring {
	const struct measure_request *request;
	struct run *run;
	struct sampler sampler;
	struct sample before, after;
	struct sample_change change;
	struct run found; /* of one repeat */
	struct run_condition_list conditions_after;
	int64_t medians_ns[MEASURE_REPEATS_MAX];
	unsigned medians, repeats;
	int64_t spent_ns;
	struct interval interval;
	bool has_interval;
};

/* What is soaked up is idle time, and not ours. */
static int64_t own_cpu_ns(const struct soak *soak)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NS_PER_S +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * NS_PER_US - (soak ? soak_cpu_ns(soak) : 0);
}

static void add_workload(struct run_findings *into, const struct run_findings *found)
{
	into->sent += found->sent;
	into->received += found->received;
	into->in_flight += found->in_flight;
	into->dropped += found->dropped;
	into->retransmitted += found->retransmitted;
	into->socket_dropped += found->socket_dropped;
	into->app_bytes += found->app_bytes;
	into->app_bytes_span_ns += found->app_bytes_span_ns;
	into->has |= found->has;
	into->lacks |= found->lacks;
	for (unsigned i = 0; i < RUN_LATENCIES; i++) {
		if (found->has & (1u << i)) {
			histogram_add(&into->latency[i], &found->latency[i]);
		}
	}
}

/* The latency whose median decides: of round trips where there are some. */
static const struct histogram *deciding(const struct run *run)
{
	if (run->findings.has & (1u << RUN_RTT)) {
		return &run->findings.latency[RUN_RTT];
	}
	return run->findings.has & (1u << RUN_ONE_WAY) ? &run->findings.latency[RUN_ONE_WAY] : NULL;
}

static void take_median(struct measuring *measuring)
{
	const struct histogram *const histogram = deciding(&measuring->found);

	if (!histogram || !histogram->count || measuring->medians == MEASURE_REPEATS_MAX) {
		return;
	}
	measuring->medians_ns[measuring->medians++] = histogram_percentile(histogram, 500000);
	measuring->has_interval = interval_of_median(measuring->medians_ns, measuring->medians, &measuring->interval);
}

/* Of what is summed up over the repeats. */
struct sums_so_far {
	uint64_t irq_count, frames;
	int64_t busy_ns;
};

static struct sums_so_far sums_of(const struct run *run)
{
	return (struct sums_so_far){ .irq_count = run->findings.irq_count,
				     .frames = run->findings.rx_frames + run->findings.tx_frames,
				     .busy_ns = run_busy_ns(run) };
}

/* What this repeat has added to the sums is its own. */
static void tell_apart(struct measuring *measuring, const struct sums_so_far *before)
{
	struct run_measured *const measured = &measuring->run->conditions.measured;
	const struct sums_so_far after = sums_of(measuring->run);
	const struct histogram *const histogram = deciding(&measuring->found);

	if (measured->repeat_count == RUN_REPEATS_MAX) {
		return;
	}
	measured->repeat[measured->repeat_count++] = (struct run_repeat){
		.duration_ns = measuring->change.span_ns,
		.latency_count = histogram ? histogram->count : 0,
		.latency_p50_ns = histogram ? histogram_percentile(histogram, 500000) : 0,
		.latency_p99_ns = histogram ? histogram_percentile(histogram, 990000) : 0,
		.irq_count = after.irq_count - before->irq_count,
		.frames = after.frames - before->frames,
		.busy_ns = after.busy_ns - before->busy_ns,
		.app_bytes = measuring->found.findings.app_bytes,
		.app_bytes_span_ns = measuring->found.findings.app_bytes_span_ns,
	};
}

/* Whatever is left out here is the same in each repeat: driver, host, settings. */
static void add_repeat(struct measuring *measuring, int64_t cpu_ns)
{
	const struct sums_so_far before = sums_of(measuring->run);

	struct run_measured *const measured = &measuring->run->conditions.measured;
	const struct run_measured *const found = &measuring->found.conditions.measured;

	sample_difference(&measuring->sampler, &measuring->before, &measuring->after, &measuring->change);
	sample_add_to_run(&measuring->change, measuring->run);
	if (measuring->found.conditions.measured.traffic[0]) {
		memcpy(measured->traffic, found->traffic, sizeof(measured->traffic));
	}
	for (unsigned i = 0; i < found->taint_count && i < RUN_TAINTS_MAX; i++) {
		run_taint(measured, "%s", found->taint[i]);
	}
	add_workload(&measuring->run->findings, &measuring->found.findings);
	measuring->run->conditions.duration_ns += measuring->change.span_ns;
	measured->own_cpu_ns += cpu_ns + found->own_cpu_ns;
	measuring->spent_ns += measuring->change.span_ns;
	measuring->repeats++;
	tell_apart(measuring, &before);
	take_median(measuring);
}

static int run_once(struct measuring *measuring, struct err *err)
{
	const struct measure_request *const request = measuring->request;

	run_init(&measuring->found);
	int ret = sampler_read(&measuring->sampler, SAMPLE_BEFORE, &measuring->before, err);

	if (ret) {
		return ret;
	}
	const int64_t cpu_before_ns = own_cpu_ns(request->soak);
	const int traffic = request->traffic.run(request->traffic.context, request->duration_ns,
						 request->seed + measuring->repeats, &measuring->found, err);
	const int64_t cpu_ns = own_cpu_ns(request->soak) - cpu_before_ns;

	if (traffic == 0 || traffic == -EINTR) {
		ret = sampler_read(&measuring->sampler, SAMPLE_AFTER, &measuring->after, traffic ? NULL : err);
		if (ret == 0) {
			add_repeat(measuring, cpu_ns);
		}
		sample_free(&measuring->after);
	}
	sample_free(&measuring->before);
	return traffic ? traffic : ret;
}

bool measure_is_narrow(const struct interval *interval)
{
	const int64_t width_ns = interval->high - interval->low;

	return width_ns <= interval->median / 1000000 * MEASURE_TOLERANCE_PPM +
				   interval->median % 1000000 * MEASURE_TOLERANCE_PPM / 1000000;
}

static bool is_enough(const struct measuring *measuring)
{
	const struct measure_request *const request = measuring->request;

	if (request->repeats) {
		return measuring->repeats >= request->repeats;
	}
	if (measuring->repeats >= MEASURE_REPEATS_MAX ||
	    (measuring->repeats > 0 && measuring->spent_ns + request->duration_ns > request->budget_ns)) {
		return true;
	}
	/* Traffic without latencies has no median: as many as an interval would have needed. */
	return measuring->has_interval ? measure_is_narrow(&measuring->interval)
				       : measuring->medians == 0 && measuring->repeats >= INTERVAL_VALUES_MIN;
}

static void tell(const struct measuring *measuring)
{
	const struct measure_request *const request = measuring->request;
	const struct measure_progress progress = {
		.done = measuring->repeats,
		.of = request->repeats,
		.median_ns = measuring->has_interval ? measuring->interval.median : 0,
		.low_ns = measuring->has_interval ? measuring->interval.low : 0,
		.high_ns = measuring->has_interval ? measuring->interval.high : 0,
	};

	if (request->progress) {
		request->progress(request->progress_context, &progress);
	}
}

static int warm_up(struct measuring *measuring, struct err *err)
{
	const struct measure_request *const request = measuring->request;

	run_init(&measuring->found);
	return request->warmup_ns > 0 ? request->traffic.run(request->traffic.context, request->warmup_ns,
							     request->seed, &measuring->found, err)
				      : 0;
}

static void taint_by_sharing(struct measuring *measuring)
{
	for (unsigned i = 0; i < measuring->sampler.vectors; i++) {
		const struct nic_vector *const vector = &measuring->sampler.vector[i];

		if (vector->is_data && vector->is_shared) {
			run_taint(&measuring->run->conditions.measured,
				  "interrupt %u is shared with other devices (%s): its count is an upper bound",
				  vector->irq, vector->action);
		}
	}
}

/* What neither interrupts nor we have used. */
static void taint_by_others(struct run *run)
{
	struct run_measured *const measured = &run->conditions.measured;
	int64_t app_ns = run->findings.other_cpu.app_ns;

	for (unsigned i = 0; i < run->findings.cpus; i++) {
		app_ns += run->findings.cpu[i].app_ns;
	}
	const unsigned ppm = run_ppm(app_ns - measured->own_cpu_ns, run->conditions.duration_ns);

	if (ppm > OTHERS_PPM_MAX && !run_lacks(run, RUN_LACKS_CPUS)) {
		run_taint(measured, "other programs used %u %% of a CPU meanwhile", (ppm + 5000) / 10000);
	}
}

static void taint_by_soak(const struct measuring *measuring)
{
	const struct soak *const soak = measuring->request->soak;

	if (soak) {
		run_taint(&measuring->run->conditions.measured,
			  "no CPU slept: idle time was soaked up, in gaps of at most %lld ns",
			  (long long)soak_resolution_ns(soak));
	}
}

static void taint_by_width(struct measuring *measuring)
{
	const struct interval *const interval = &measuring->interval;

	if (measuring->request->repeats == 0 && measuring->medians &&
	    (!measuring->has_interval || !measure_is_narrow(interval))) {
		run_taint(
			&measuring->run->conditions.measured,
			"after %u repeats the median is still not known to 5 %%: more of them (--repeat), or a longer "
			"--duration, would tell",
			measuring->repeats);
	}
}

static void take_trouble(void *context, const char *name, uint64_t count)
{
	char key[RUN_CONDITION_NAME_MAX];

	snprintf(key, sizeof(key), "counter.%s", name);
	run_condition_put(context, key, "%" PRIu64 " more", count);
}

static void conclude(struct measuring *measuring, const struct sample *first)
{
	struct run *const run = measuring->run;
	struct run_measured *const measured = &run->conditions.measured;
	const int ret = conditions_read(measuring->request->nic, &measuring->conditions_after, NULL);

	if (ret) {
		run_taint(measured, "the interface was lost meanwhile");
	} else {
		run_taint_by_conditions(measured, &measured->around, &measuring->conditions_after);
	}
	taint_by_sharing(measuring);
	taint_by_others(run);
	taint_by_width(measuring);
	taint_by_soak(measuring);
	snprintf(measured->method, sizeof(measured->method), "%s", sample_method(measuring->change.has));
	measured->repeats = measuring->repeats;
	if (measuring->has_interval) {
		measured->median_ns = measuring->interval.median;
		measured->median_low_ns = measuring->interval.low;
		measured->median_high_ns = measuring->interval.high;
	}
	if (sampler_read(&measuring->sampler, SAMPLE_AFTER, &measuring->after, NULL) == 0) {
		sample_troubles(first, &measuring->after, take_trouble, &measured->around);
		sample_free(&measuring->after);
	}
}

/* From the warm-up to the last repeat. */
static int run_all(struct measuring *measuring, struct err *err)
{
	int ret = warm_up(measuring, err);

	tell(measuring);
	while (ret == 0 && !is_enough(measuring)) {
		ret = run_once(measuring, err);
		tell(measuring);
	}
	return ret;
}

static int measure_with(struct measuring *measuring, struct sample *first, struct err *err)
{
	struct run *const run = measuring->run;
	const struct measure_request *const request = measuring->request;
	int ret = conditions_describe(request->nic, &run->conditions, err);

	ret = ret ? ret : conditions_read(request->nic, &run->conditions.measured.around, err);
	ret = ret ? ret : sampler_read(&measuring->sampler, SAMPLE_BEFORE, first, err);
	if (ret) {
		return ret;
	}
	run->conditions.warmup_ns = request->warmup_ns;
	run->conditions.seed = request->seed;
	run->conditions.duration_ns = 0;
	ret = run_all(measuring, err);
	if (measuring->repeats > 0) {
		run->conditions.measured.is_incomplete = ret != 0;
		if (ret && ret != -EINTR) {
			run_taint(&run->conditions.measured, "ended early: %s", err->text);
		}
		conclude(measuring, first);
		ret = ret ? -EINTR : 0;
	} else if (ret == -EINTR) {
		err_set(err, ret, "ended before anything was measured");
	}
	sample_free(first);
	return ret;
}

int measure(const struct measure_request *request, struct run *run, struct err *err)
{
	struct measuring *const measuring = calloc(1, sizeof(*measuring));
	struct sample *const first = calloc(1, sizeof(*first));
	int ret = -ENOMEM;

	if (measuring && first) {
		measuring->request = request;
		measuring->run = run;
		ret = sampler_open(&measuring->sampler, request->nic, request->irq_clock, request->soak, err);
		if (ret == 0) {
			ret = measure_with(measuring, first, err);
			sampler_close(&measuring->sampler);
		}
	} else {
		err_set(err, ret, "no memory to measure");
	}
	free(first);
	free(measuring);
	return ret;
}
