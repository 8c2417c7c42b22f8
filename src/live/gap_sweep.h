/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Round trips by the quiet time before them: a few probes at one gap, then at another, in an order drawn anew each time
 * round, so that whatever drifts meets all gaps alike. The first probe of each block follows another gap than its own
 * block's, and is not counted.
 */
#ifndef HOLDOFF_LIVE_GAP_SWEEP_H
#define HOLDOFF_LIVE_GAP_SWEEP_H

#include "live/gap_shape.h"
#include "live/ping.h"

#define GAP_SWEEP_MAX 48

struct gap_sweep_request {
	struct ping_request ping; /* its interval, next, on_reply and context are not used */
	unsigned count;
	int64_t gap_ns[GAP_SWEEP_MAX]; /* rising */
	unsigned samples;              /* of each gap, 17 .. GAP_SAMPLES_MAX */
	int64_t least_ns;              /* smaller differences are of no interest */
	unsigned least_ppm;            /* nor smaller parts of the shortest median */
	void (*on_progress)(void *context, unsigned done, unsigned wanted); /* or NULL; done of so many blocks */
	void *progress_context;
};

struct gap_sweep_result {
	unsigned count;
	struct gap_point point[GAP_SWEEP_MAX];
	struct gap_shape shape;
	bool is_cut; /* it ended before all gaps had their samples */
	struct ping_result ping;
	enum ping_span span;
};

int gap_sweep_run(const struct gap_sweep_request *request, struct gap_sweep_result *result, struct err *err);

#endif
