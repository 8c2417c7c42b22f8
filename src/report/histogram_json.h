/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A histogram as JSON: the same keys wherever spans are told whole. */
#ifndef HOLDOFF_REPORT_HISTOGRAM_JSON_H
#define HOLDOFF_REPORT_HISTOGRAM_JSON_H

#include "report/json_writer.h"
#include "stats/histogram.h"

/* An object with count, min, mean, p50, p90, p99, p999, max, stddev in ns; of an empty one the count alone. out_of_range
 * where there are such values. */
void histogram_json_put(struct json_writer *writer, const char *key, const struct histogram *histogram);

#endif
