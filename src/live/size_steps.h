/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The step finder (stats/step.h) on round trips: at which payload they jump. One probe at a time, each after a gap from
 * the reply before it.
 */
#ifndef HOLDOFF_LIVE_SIZE_STEPS_H
#define HOLDOFF_LIVE_SIZE_STEPS_H

#include "live/ping.h"
#include "stats/step.h"

struct size_steps_request {
	struct ping_request ping; /* its payload, next, on_reply and context are not used; interval_ns: the mean gap */
	unsigned low_bytes, high_bytes, spacing_bytes; /* payloads; spacing 0: the finder's own */
	int64_t least_ns;
	unsigned least_ppm;
	/* Called before each probe, or NULL: for progress. */
	void (*on_progress)(void *context, const struct step_search *search);
	void *progress_context;
};

struct size_steps_result {
	struct step_search search; /* with the steps that were found */
	struct ping_result ping;
	enum ping_span span; /* of the round trips: to the kernel, or where it has no stamps to the application */
};

/* About 1.7 MB: the caller allocates the result. An error is one of ping_open or ping_run. */
int size_steps_find(const struct size_steps_request *request, struct size_steps_result *result, struct err *err);

#endif
