/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/gap_sweep.h"

#include <errno.h>
#include <stdlib.h>

#include "base/random.h"

#define BLOCK 4 /* probes at one gap in a row, the first of which is not counted */

/* What came of one gap. */
struct samples {
	unsigned count;
	int64_t rtt_ns[GAP_SAMPLES_MAX], quiet_ns[GAP_SAMPLES_MAX], period_ns[GAP_SAMPLES_MAX];
};

struct sweep {
	const struct gap_sweep_request *request;
	struct random random;
	enum ping_span span;
	unsigned order[GAP_SWEEP_MAX];
	unsigned position, in_block; /* of the probe that is sent next */
	unsigned blocks, blocks_wanted;
	uint64_t last_sequence; /* that was received */
	int64_t last_received_at_ns;
	uint8_t gap_of[TALLY_PROBES]; /* by number of the probe; GAP_SWEEP_MAX: not counted */
	uint64_t sent;
	struct samples samples[GAP_SWEEP_MAX];
};

static void shuffle(struct sweep *sweep)
{
	for (unsigned i = sweep->request->count; i > 1; i--) {
		const unsigned other = (unsigned)random_below(&sweep->random, i), kept = sweep->order[i - 1];

		sweep->order[i - 1] = sweep->order[other];
		sweep->order[other] = kept;
	}
}

static bool next_probe(void *context, struct ping_probe *probe)
{
	struct sweep *const sweep = context;
	const struct gap_sweep_request *const request = sweep->request;

	if (sweep->blocks == sweep->blocks_wanted) {
		return false;
	}
	if (sweep->position == 0 && sweep->in_block == 0) {
		shuffle(sweep);
	}
	const unsigned gap = sweep->order[sweep->position];

	*probe = (struct ping_probe){
		.payload_bytes = request->ping.payload_bytes,
		.gap_ns = request->gap_ns[gap],
		.is_after_reply = true,
	};
	sweep->gap_of[++sweep->sent % TALLY_PROBES] = sweep->in_block ? (uint8_t)gap : GAP_SWEEP_MAX;
	if (++sweep->in_block == BLOCK) {
		sweep->in_block = 0;
		sweep->position = (sweep->position + 1) % request->count;
		sweep->blocks++;
		if (request->on_progress) {
			request->on_progress(request->progress_context, sweep->blocks, sweep->blocks_wanted);
		}
	}
	return true;
}

/* Only where the probe before was answered too: else the gap is not what was meant. */
static void take_reply(void *context, const struct ping_reply *reply)
{
	struct sweep *const sweep = context;

	if (reply->verdict != TALLY_IS_RECEIVED || !(reply->has & (1u << sweep->span))) {
		return;
	}
	const unsigned gap = sweep->gap_of[reply->sequence % TALLY_PROBES];
	struct samples *const samples = gap < GAP_SWEEP_MAX ? &sweep->samples[gap] : NULL;

	if (samples && sweep->last_sequence + 1 == reply->sequence && samples->count < GAP_SAMPLES_MAX) {
		samples->rtt_ns[samples->count] = reply->rtt_ns[sweep->span];
		samples->quiet_ns[samples->count] = reply->quiet_ns;
		samples->period_ns[samples->count++] = reply->received_at_ns - sweep->last_received_at_ns;
	}
	sweep->last_sequence = reply->sequence;
	sweep->last_received_at_ns = reply->received_at_ns;
}

static void conclude(struct sweep *sweep, struct gap_sweep_result *result)
{
	const struct gap_sweep_request *const request = sweep->request;
	int64_t shortest_ns = INT64_MAX;

	result->count = request->count;
	result->is_cut = sweep->blocks < sweep->blocks_wanted;
	for (unsigned i = 0; i < request->count; i++) {
		struct samples *const samples = &sweep->samples[i];
		struct gap_point *const point = &result->point[i];

		*point = (struct gap_point){
			.gap_ns = request->gap_ns[i],
			.actual_ns = middle_find(samples->quiet_ns, samples->count).median_ns,
		};
		gap_point_find(point, samples->rtt_ns, samples->period_ns, samples->count);
		if (point->rtt.is_sure && point->rtt.median_ns < shortest_ns) {
			shortest_ns = point->rtt.median_ns;
		}
	}
	const int64_t least_ppm = request->least_ppm;
	const int64_t part_ns = shortest_ns == INT64_MAX ? 0
							 : shortest_ns / 1000000 * least_ppm +
								   shortest_ns % 1000000 * least_ppm / 1000000;

	gap_shape_find(&result->shape, result->point, result->count,
		       part_ns > request->least_ns ? part_ns : request->least_ns);
}

static int run(struct sweep *sweep, struct gap_sweep_result *result, struct err *err)
{
	struct ping_request series = sweep->request->ping;
	struct ping *ping;

	series.next = next_probe;
	series.is_closed = true;
	series.on_reply = take_reply;
	series.context = sweep;
	int ret = ping_open(&ping, &series, err);

	if (ret < 0) {
		return ret;
	}
	sweep->span = result->span = ping_result(ping)->has_stamps ? PING_TO_KERNEL : PING_TO_APPLICATION;
	ret = ping_run(ping, err);
	result->ping = *ping_result(ping);
	ping_close(ping);
	conclude(sweep, result);
	return ret;
}

int gap_sweep_run(const struct gap_sweep_request *request, struct gap_sweep_result *result, struct err *err)
{
	struct sweep *const sweep = calloc(1, sizeof(*sweep));

	*result = (struct gap_sweep_result){ 0 };
	if (!sweep) {
		return err_set(err, -ENOMEM, "no memory for the round trips");
	}
	sweep->request = request;
	sweep->blocks_wanted = request->count * ((request->samples + BLOCK - 2) / (BLOCK - 1));
	random_init(&sweep->random, request->ping.seed, 1);
	for (unsigned i = 0; i < request->count; i++) {
		sweep->order[i] = i;
	}
	const int ret = run(sweep, result, err);

	free(sweep);
	return ret;
}
