/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/stages.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "report/run_text.h"

#define MEDIAN_PPM 500000
#define HIGH_PPM 990000

static bool has(const struct run *run, enum run_latency latency)
{
	return run->findings.has & (1u << latency);
}

static int64_t median_ns(const struct run *run, enum run_latency latency)
{
	return histogram_percentile(&run->findings.latency[latency], MEDIAN_PPM);
}

static const char *source(const struct run *run)
{
	return run->conditions.source == RUN_MODEL ? "MODEL" : "measured";
}

static void write_columns(const struct run *run, enum run_latency latency, FILE *out)
{
	const struct histogram *const histogram = &run->findings.latency[latency];
	char median[TEXT_DURATION_MAX], high[TEXT_DURATION_MAX];

	if (has(run, latency)) {
		fprintf(out, " %9" PRIu64 " %12s %12s", histogram->count,
			text_print_duration(median_ns(run, latency), median),
			text_print_duration(histogram_percentile(histogram, HIGH_PPM), high));
	} else {
		fprintf(out, " %9s %12s %12s", "-", "-", "-");
	}
}

static void write_difference(int64_t left_ns, int64_t right_ns, FILE *out)
{
	const int64_t difference_ns = right_ns - left_ns;
	char text[TEXT_DURATION_MAX + 1] = "0";

	if (difference_ns) {
		text[0] = difference_ns < 0 ? '-' : '+';
		text_print_duration(difference_ns < 0 ? -difference_ns : difference_ns, text + 1);
	}
	fprintf(out, " %12s", text);
}

void stages_write(const struct run *left, const struct run *right, FILE *out)
{
	const struct run *const runs[] = { left, right };

	fprintf(out, "%-20s", "");
	for (size_t i = 0; i < 2; i++) {
		fprintf(out, " %9s %12s %12s", source(runs[i]), "", "");
	}
	fprintf(out, "\n%-20s %9s %12s %12s %9s %12s %12s %12s\n", "stage", "n", "p50", "p99", "n", "p50", "p99",
		"p50 apart");
	for (enum run_latency latency = 0; latency < RUN_LATENCIES; latency++) {
		if (!has(left, latency) && !has(right, latency)) {
			continue;
		}
		fprintf(out, "%-20s", run_text_latency(left, latency));
		for (size_t i = 0; i < 2; i++) {
			write_columns(runs[i], latency, out);
		}
		if (has(left, latency) && has(right, latency)) {
			write_difference(median_ns(left, latency), median_ns(right, latency), out);
		}
		putc('\n', out);
	}
}

static void put_side(struct json_writer *writer, const char *key, const struct run *run, enum run_latency latency)
{
	const struct histogram *const histogram = &run->findings.latency[latency];

	if (has(run, latency)) {
		json_begin_object(writer, key);
		json_put_string(writer, "source", run->conditions.source == RUN_MODEL ? "model" : "measured");
		json_put_unsigned(writer, "count", histogram->count);
		json_put_integer(writer, "p50_ns", median_ns(run, latency));
		json_put_integer(writer, "p99_ns", histogram_percentile(histogram, HIGH_PPM));
		json_end_object(writer);
	}
}

void stages_put(struct json_writer *writer, const char *key, const struct run *left, const struct run *right)
{
	json_begin_array(writer, key);
	for (enum run_latency latency = 0; latency < RUN_LATENCIES; latency++) {
		if (!has(left, latency) && !has(right, latency)) {
			continue;
		}
		json_begin_object(writer, NULL);
		json_put_string(writer, "stage", run_latency_key(latency));
		put_side(writer, "left", left, latency);
		put_side(writer, "right", right, latency);
		if (has(left, latency) && has(right, latency)) {
			json_put_integer(writer, "difference_p50_ns",
					 median_ns(right, latency) - median_ns(left, latency));
		}
		json_end_object(writer);
	}
	json_end_array(writer);
}
