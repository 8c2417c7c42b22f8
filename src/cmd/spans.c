/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/spans.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"

bool spans_has_percentile(const struct histogram *histogram, unsigned ppm)
{
	return histogram->count * (uint64_t)(1000000 - ppm) >= 1000000;
}

void spans_print_heading(const char *title, const char *deviation, FILE *out)
{
	fprintf(out, "%-15s %8s %10s %10s %10s %10s %10s %10s %10s %10s\n", title, "n", "min", "p50", "p90", "p99",
		"p99.9", "max", "mean", deviation);
}

static void print_time(int64_t value_ns, FILE *out)
{
	const int64_t step_ns = value_ns >= NS_PER_S ? NS_PER_MS : value_ns >= NS_PER_MS ? NS_PER_US : 1;
	char text[TEXT_DURATION_MAX];

	fprintf(out, " %10s", text_print_duration(value_ns / step_ns * step_ns, text));
}

void spans_print_row(const char *title, const struct histogram *histogram, FILE *out)
{
	static const unsigned percentiles_ppm[] = { 500000, 900000, 990000, 999000 };

	fprintf(out, "%-15s %8" PRIu64, title, histogram->count);
	print_time(histogram->min_ns, out);
	for (size_t i = 0; i < sizeof(percentiles_ppm) / sizeof(percentiles_ppm[0]); i++) {
		if (spans_has_percentile(histogram, percentiles_ppm[i])) {
			print_time(histogram_percentile(histogram, percentiles_ppm[i]), out);
		} else {
			fprintf(out, " %10s", "-");
		}
	}
	print_time(histogram->max_ns, out);
	print_time(histogram_mean(histogram), out);
	print_time(histogram_stddev(histogram), out);
	putc('\n', out);
}
