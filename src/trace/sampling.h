/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many packets a trace passes over so that it costs no more than it may. Pure. What it costs has two parts: one that
 * goes with the packets that are followed, and one that is there for each event, whether or not it is of use. Only the
 * first gets smaller, so there are costs below which no trace comes: they are found by trying.
 */
#ifndef HOLDOFF_TRACE_SAMPLING_H
#define HOLDOFF_TRACE_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#define SAMPLING_EVERY_MAX 1024

struct sampling {
	uint64_t max_ppm;  /* of one CPU; 0: any */
	unsigned every;    /* one packet in so many is followed */
	unsigned most;     /* the largest `every` so far */
	unsigned too_dear; /* windows in a row in which even SAMPLING_EVERY_MAX cost more than it may */
};

void sampling_init(struct sampling *sampling, uint64_t max_ppm);

/* Of a window of time, the programs' share: changes `every`. False: it can't be had so cheaply. */
bool sampling_take(struct sampling *sampling, int64_t run_ns, int64_t window_ns);

#endif
