/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/burst.h"

#include <errno.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/time.h"
#include "stats/middle.h"

#define GAP_FACTOR 4

struct bursts {
	const struct burst_request *request;
	struct burst_result *result;
	struct random random;
	uint64_t sent;  /* probes */
	uint64_t burst; /* number of the one whose replies come in, from 0 */
	unsigned replies;
	int64_t received_at_ns[BURST_MAX], times_ns[BURST_MAX];
};

struct burst_shape burst_shape_find(int64_t *received_at_ns, unsigned count, int64_t least_ns)
{
	int64_t times_ns[BURST_MAX], begins_ns[BURST_MAX];
	struct burst_shape shape = { .replies = count, .bundles = count > 0 };
	int64_t longest_ns = 0;
	unsigned begin = 0;

	if (count == 0) {
		return shape;
	}
	middle_find(received_at_ns, count); /* sorts */
	for (unsigned i = 1; i < count; i++) {
		times_ns[i - 1] = received_at_ns[i] - received_at_ns[i - 1];
		longest_ns = time_max(longest_ns, times_ns[i - 1]);
	}
	shape.spread_ns = received_at_ns[count - 1] - received_at_ns[0];
	shape.spacing_ns = middle_find(times_ns, count - 1).median_ns;
	const int64_t shorter_ns = time_max(GAP_FACTOR * shape.spacing_ns, longest_ns / GAP_FACTOR);

	for (unsigned i = 1; i <= count; i++) {
		const bool is_gap = i < count && received_at_ns[i] - received_at_ns[i - 1] >= least_ns &&
				    received_at_ns[i] - received_at_ns[i - 1] > shorter_ns;

		if (i < count && !is_gap) {
			continue;
		}
		shape.largest = i - begin > shape.largest ? i - begin : shape.largest;
		if (is_gap) {
			begins_ns[shape.bundles - 1] = received_at_ns[i] - received_at_ns[begin];
			shape.bundles++;
			begin = i;
		}
	}
	shape.gap_ns = middle_find(begins_ns, shape.bundles - 1).median_ns;
	return shape;
}

static void end_burst(struct bursts *bursts)
{
	struct burst_result *const result = bursts->result;

	if (bursts->replies == 0) {
		return;
	}
	const struct burst_shape shape =
		burst_shape_find(bursts->received_at_ns, bursts->replies, bursts->request->least_ns);

	result->bursts++;
	result->complete += shape.replies == bursts->request->frames;
	histogram_record(&result->spread, shape.spread_ns);
	histogram_record(&result->spacing, shape.spacing_ns);
	histogram_record(&result->bundles, shape.bundles);
	histogram_record(&result->largest, shape.largest);
	if (shape.bundles > 1) {
		result->bundled++;
		histogram_record(&result->gap, shape.gap_ns);
	}
	bursts->replies = 0;
}

static bool next_probe(void *context, struct ping_probe *probe)
{
	struct bursts *const bursts = context;
	const struct ping_request *const ping = &bursts->request->ping;
	const unsigned frames = bursts->request->frames;
	const bool is_first = bursts->sent % frames == 0;

	if (ping->count && bursts->sent == ping->count * frames) {
		return false;
	}
	bursts->sent++;
	*probe = (struct ping_probe){ .payload_bytes = ping->payload_bytes };
	if (is_first) {
		probe->gap_ns =
			ping->is_fixed ? ping->interval_ns
				       : ping->interval_ns / 2 + (int64_t)random_below(&bursts->random,
										       (uint64_t)ping->interval_ns + 1);
	}
	return true;
}

/* A reply to a later burst ends the one before; what still comes of that is not counted. */
static void take_reply(void *context, const struct ping_reply *reply)
{
	struct bursts *const bursts = context;

	if (reply->verdict != TALLY_IS_RECEIVED) {
		return;
	}
	const uint64_t burst = (reply->sequence - 1) / bursts->request->frames;

	if (burst > bursts->burst) {
		end_burst(bursts);
		bursts->burst = burst;
	}
	if (burst == bursts->burst && bursts->replies < bursts->request->frames) {
		bursts->received_at_ns[bursts->replies++] = reply->received_at_ns;
	}
}

static void init_result(struct burst_result *result)
{
	*result = (struct burst_result){ 0 };
	histogram_init(&result->spread);
	histogram_init(&result->spacing);
	histogram_init(&result->gap);
	histogram_init(&result->bundles);
	histogram_init(&result->largest);
}

int burst_run(const struct burst_request *request, struct burst_result *result, struct err *err)
{
	struct bursts *const bursts = calloc(1, sizeof(*bursts));
	struct ping_request series = request->ping;
	struct ping *ping;

	init_result(result);
	if (!bursts) {
		return err_set(err, -ENOMEM, "no memory for bursts");
	}
	bursts->request = request;
	bursts->result = result;
	random_init(&bursts->random, request->ping.seed, 1);
	series.next = next_probe;
	series.on_reply = take_reply;
	series.context = bursts;
	series.count = 0;
	int ret = ping_open(&ping, &series, err);

	if (ret == 0) {
		ret = ping_run(ping, err);
		end_burst(bursts);
		result->ping = *ping_result(ping);
		ping_close(ping);
	}
	free(bursts);
	return ret;
}
