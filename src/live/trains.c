/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/trains.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "live/drain.h"
#include "live/ping.h"

#define WAKING_GAP_NS (5 * NS_PER_MS) /* from the frame that wakes to the first that counts, at least */
#define FIRST_FRAME 0                 /* of a train */

/* Which frame of which train a probe is. */
struct place {
	unsigned train, frame;
};

#define PLACES_MAX (PLAN_TRAINS_MAX * 8 + PLAN_BURST_MAX * 8)

struct trains {
	struct trains_request request;
	struct ping *ping;
	enum ping_span span;
	struct drain drain;
	bool has_drains;

	/* of the block that is being sent */
	const struct plan_block *block;
	struct plan_answer *answers;
	int64_t first_sent_at_ns[PLAN_TRAINS_MAX]; /* by the clock of the receive stamps; -1: not known */
	struct place next;
	unsigned place_count;
	uint64_t first_sequence; /* of the block */
	struct place places[PLACES_MAX];
};

/* ---- echo ---- */

/* The frame that wakes has place 0, of no train. */
static bool next_probe(void *context, struct ping_probe *probe)
{
	struct trains *const trains = context;
	const struct plan_block *const block = trains->block;

	if (trains->next.train == block->count || trains->place_count == PLACES_MAX) {
		return false;
	}
	const struct plan_train *const train = &block->trains[trains->next.train];
	const bool is_waking = trains->place_count == 0;
	const bool begins = trains->next.frame == FIRST_FRAME;

	*probe = (struct ping_probe){
		.payload_bytes = train->payload_bytes,
		.gap_ns = begins ? time_max(train->quiet_ns, WAKING_GAP_NS * (trains->place_count == 1))
				 : train->gap_ns,
		.is_after_reply = begins,
	};
	trains->places[trains->place_count++] = is_waking ? (struct place){ PLAN_TRAINS_MAX, 0 } : trains->next;
	if (!is_waking && ++trains->next.frame == train->frames) {
		trains->next = (struct place){ trains->next.train + 1, FIRST_FRAME };
	}
	return true;
}

static void take_reply(void *context, const struct ping_reply *reply)
{
	struct trains *const trains = context;
	const uint64_t index = reply->sequence - trains->first_sequence;

	if (reply->verdict != TALLY_IS_RECEIVED || !(reply->has & (1u << trains->span)) ||
	    reply->sequence < trains->first_sequence || index >= trains->place_count ||
	    trains->places[index].train == PLAN_TRAINS_MAX) {
		return;
	}
	const struct place place = trains->places[index];
	struct plan_answer *const answer = &trains->answers[place.train];
	const int64_t rtt_ns = reply->rtt_ns[trains->span], sent_at_ns = reply->received_at_ns - rtt_ns;

	if (place.frame == FIRST_FRAME) {
		answer->first_ns = rtt_ns;
		trains->first_sent_at_ns[place.train] = sent_at_ns;
	}
	if (place.frame + 1 == trains->block->trains[place.train].frames) {
		answer->last_ns = rtt_ns;
		answer->gap_ns = trains->first_sent_at_ns[place.train] >= 0
					 ? sent_at_ns - trains->first_sent_at_ns[place.train]
					 : answer->gap_ns;
	}
}

static int run_echo(struct trains *trains, const struct plan_block *block, struct plan_answer *answers, struct err *err)
{
	trains->block = block;
	trains->answers = answers;
	trains->next = (struct place){ 0, FIRST_FRAME };
	trains->place_count = 0;
	trains->first_sequence = ping_result(trains->ping)->counts.sent + 1;
	for (unsigned i = 0; i < block->count; i++) {
		trains->first_sent_at_ns[i] = -1;
	}
	const int ret = ping_run(trains->ping, err);

	if (ret == 0 && ping_result(trains->ping)->end == PING_ENDED_BY_STOP) {
		return err_set(err, -EINTR, "stopped");
	}
	return ret == 0 && ping_result(trains->ping)->end == PING_ENDED_BY_INTERFACE
		       ? err_set(err, -ENODEV, "the interface is gone")
		       : ret;
}

/* ---- frames without an answer ---- */

/* The quiet time; -EINTR when it is stopped. */
static int keep_quiet(const struct trains *trains, int64_t quiet_ns, struct err *err)
{
	struct pollfd stop = { .fd = trains->request.stop_fd, .events = POLLIN };
	const struct timespec time = { (time_t)(quiet_ns / NS_PER_S), (long)(quiet_ns % NS_PER_S) };

	return ppoll(&stop, 1, &time, NULL) > 0 ? err_set(err, -EINTR, "stopped") : 0;
}

static int run_drains(struct trains *trains, const struct plan_block *block, struct plan_answer *answers,
		      struct err *err)
{
	const int64_t patience_ns = trains->request.patience_ns;
	struct drain_times times;
	int ret = drain_train(&trains->drain, 1, block->trains[0].payload_bytes, 0, patience_ns, &times, err);

	for (unsigned i = 0; ret == 0 && i < block->count; i++) {
		const struct plan_train *const train = &block->trains[i];

		ret = keep_quiet(trains, train->quiet_ns, err);
		if (ret == 0) {
			ret = drain_train(&trains->drain, train->frames, train->payload_bytes, train->gap_ns,
					  patience_ns, &times, err);
		}
		/* Frames before that never go are this train's answer too. */
		if (ret == -EAGAIN) {
			ret = 0;
		} else if (ret == 0) {
			answers[i] = (struct plan_answer){ times.gap_ns, times.first_ns, times.last_ns };
		}
	}
	return ret == -EAGAIN ? 0 : ret;
}

/* ---- both ---- */

int trains_open(struct trains **out, const struct trains_request *request, bool *has_drains, struct err *err)
{
	struct trains *const trains = calloc(1, sizeof(*trains));
	struct ping_request series = {
		.host = request->host,
		.ifindex = request->ifindex,
		.timeout_ns = request->patience_ns,
		.stop_fd = request->stop_fd,
		.next = next_probe,
		.on_reply = take_reply,
		.context = trains,
	};

	*out = NULL;
	if (!trains) {
		return err_set(err, -ENOMEM, "no memory for probes");
	}
	trains->request = *request;
	trains->drain.fd = -1;
	int ret = ping_open(&trains->ping, &series, err);

	if (ret < 0) {
		trains_close(trains);
		return ret;
	}
	trains->span = ping_result(trains->ping)->has_stamps ? PING_TO_KERNEL : PING_TO_APPLICATION;
	ret = drain_open(&trains->drain, &request->host, request->ifindex, err);
	*has_drains = trains->has_drains = ret == 0;
	*out = trains;
	return 0;
}

void trains_close(struct trains *trains)
{
	if (trains) {
		ping_close(trains->ping);
		drain_close(&trains->drain);
		free(trains);
	}
}

int trains_run(struct trains *trains, const struct plan_block *block, struct plan_answer *answers, struct err *err)
{
	for (unsigned i = 0; i < block->count; i++) {
		answers[i] = (struct plan_answer){ block->trains[i].gap_ns, -1, -1 };
	}
	return block->direction == FIT_TX ? run_drains(trains, block, answers, err)
					  : run_echo(trains, block, answers, err);
}
