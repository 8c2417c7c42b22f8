/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/histogram_json.h"

static void put_figures(struct json_writer *writer, const struct histogram *histogram)
{
	json_put_integer(writer, "min", histogram->min_ns);
	json_put_integer(writer, "mean", histogram_mean(histogram));
	json_put_integer(writer, "p50", histogram_percentile(histogram, 500000));
	json_put_integer(writer, "p90", histogram_percentile(histogram, 900000));
	json_put_integer(writer, "p99", histogram_percentile(histogram, 990000));
	json_put_integer(writer, "p999", histogram_percentile(histogram, 999000));
	json_put_integer(writer, "max", histogram->max_ns);
	json_put_integer(writer, "stddev", histogram_stddev(histogram));
}

void histogram_json_put(struct json_writer *writer, const char *key, const struct histogram *histogram)
{
	json_begin_object(writer, key);
	json_put_unsigned(writer, "count", histogram->count);
	if (histogram->count) {
		put_figures(writer, histogram);
	}
	if (histogram->out_of_range) {
		json_put_unsigned(writer, "out_of_range", histogram->out_of_range);
	}
	json_end_object(writer);
}
