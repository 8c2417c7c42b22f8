/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A log-linear histogram of spans: values below 256 ns are kept exactly, above that each power of two
 * is cut into 128 equal buckets, so a percentile is at most 1/128 (0.8 %) above the value that it stands for,
 * never below. Count, minimum, maximum, mean and standard deviation are exact (mean rounded to nearest,
 * deviation rounded down), whatever the buckets. Values run from 0 to 2^48 - 1 ns (78 hours): what is outside is
 * counted apart, never clamped. Size is fixed; memory does not grow with the count.
 */
#ifndef HOLDOFF_STATS_HISTOGRAM_H
#define HOLDOFF_STATS_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/wide.h"
#include "stats/histogram_bucket.h"

struct histogram {
	uint64_t count; /* of values inside the range */
	uint64_t out_of_range;
	int64_t min_ns, max_ns; /* 0 when count is 0 */
	struct wide sum, sum_of_squares;
	uint32_t bucket[HISTOGRAM_BUCKETS]; /* saturates at its maximum; count does not */
};

void histogram_init(struct histogram *histogram);
/* False when the value is out of range (and counted as such). */
bool histogram_record(struct histogram *histogram, int64_t value_ns);
/*
 * From what somebody else has counted in the same buckets: the count is theirs together, and only the deviation is not
 * exact (every value is taken for the upper end of its bucket, 0.8 % at most too high). An empty one is empty.
 */
void histogram_load(struct histogram *histogram, const uint32_t bucket[HISTOGRAM_BUCKETS], uint64_t sum_ns,
		    int64_t min_ns, int64_t max_ns);
void histogram_add(struct histogram *into, const struct histogram *from);

/* The smallest recorded value (upper end of its bucket, at most max_ns) that ppm / 1e6 of the values do not exceed:
 * ppm 500000 is the median, 999000 p99.9. 0 when empty. */
int64_t histogram_percentile(const struct histogram *histogram, unsigned ppm);
/* The largest value that falls into a bucket. */
int64_t histogram_bucket_end(unsigned bucket);
int64_t histogram_mean(const struct histogram *histogram);
int64_t histogram_stddev(const struct histogram *histogram); /* of the population; what ping calls mdev */

#endif
