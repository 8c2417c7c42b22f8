/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/size_steps.h"

struct finding {
	const struct size_steps_request *request;
	struct step_search *search;
	struct random random;
	enum ping_span span;
};

static bool next_probe(void *context, struct ping_probe *probe)
{
	struct finding *const finding = context;
	const struct size_steps_request *const request = finding->request;
	const int64_t mean_ns = request->ping.interval_ns;
	int64_t payload_bytes;

	if (!step_next(finding->search, &payload_bytes)) {
		return false;
	}
	*probe = (struct ping_probe){ .payload_bytes = (unsigned)payload_bytes,
				      .gap_ns = mean_ns,
				      .is_after_reply = true };
	if (!request->ping.is_fixed && mean_ns) {
		probe->gap_ns = mean_ns / 2 + (int64_t)random_below(&finding->random, (uint64_t)mean_ns + 1);
	}
	if (request->on_progress) {
		request->on_progress(request->progress_context, finding->search);
	}
	return true;
}

static void take_reply(void *context, const struct ping_reply *reply)
{
	struct finding *const finding = context;

	if (reply->verdict == TALLY_IS_RECEIVED && reply->has & (1u << finding->span)) {
		step_take(finding->search, reply->payload_bytes, reply->rtt_ns[finding->span]);
	}
}

int size_steps_find(const struct size_steps_request *request, struct size_steps_result *result, struct err *err)
{
	const struct step_options options = {
		.low = request->low_bytes,
		.high = request->high_bytes,
		.spacing = request->spacing_bytes,
		.least_ns = request->least_ns,
		.least_ppm = request->least_ppm,
		.seed = request->ping.seed,
	};
	struct finding finding = { .request = request, .search = &result->search };
	struct ping_request series = request->ping;
	struct ping *ping;

	random_init(&finding.random, request->ping.seed, 1);
	step_begin(&result->search, &options);
	series.next = next_probe;
	series.is_closed = true;
	series.on_reply = take_reply;
	series.context = &finding;
	int ret = ping_open(&ping, &series, err);

	if (ret < 0) {
		return ret;
	}
	finding.span = ping_result(ping)->has_stamps ? PING_TO_KERNEL : PING_TO_APPLICATION;
	ret = ping_run(ping, err);
	step_end(&result->search);
	result->ping = *ping_result(ping);
	result->span = finding.span;
	ping_close(ping);
	return ret;
}
