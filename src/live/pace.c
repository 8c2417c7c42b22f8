/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/pace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "base/wide.h"
#include "live/clock.h"
#include "live/clocks.h"
#include "live/pace_private.h"

/* From the call to the first instant: the trial of waking is over, and both ends are there. */
#define BEGIN_NS (5 * NS_PER_MS)

/* When the end has come, what is later than this stays behind: the rate was not kept. */
#define LATE_MAX_NS (20 * NS_PER_MS)

/* What the kernel holds until its instant has left so long after it. */
#define STAMPS_NS (20 * NS_PER_MS)

/* While the other end has not asked for more. */
#define NOT_ASKED_NS (200 * NS_PER_US)

struct pace {
	const struct pace_request *request;
	struct way *way;
	struct pace_wait wait;
	struct pace_sender sender;
	struct workload_schedule schedule;
	int64_t start_at_ns, end_at_ns;
	int64_t next_at_ns; /* of the schedule: the first that has not left */
	int64_t due_at_ns[PACE_BATCH_MAX];
	uint64_t sequence; /* of the next message */
	uint64_t calls, single_calls;
	int64_t first_call_at_ns, last_call_at_ns; /* the latter its return */
	int64_t last_left_at_ns, last_due_at_ns;
	struct histogram gap_error, lateness;
};

static bool is_paced(const struct pace *pace)
{
	return pace->request->workload->pattern == WORKLOAD_BURST || pace->request->workload->rate_per_s > 0;
}

static bool must_stop(const struct pace *pace)
{
	return atomic_load_explicit(pace->request->stop, memory_order_relaxed);
}

static uint64_t asked(const struct pace *pace)
{
	return pace->request->asked ? atomic_load_explicit(pace->request->asked, memory_order_acquire) : UINT64_MAX;
}

/* How long before its instant a message is handed over. */
static int64_t ahead(const struct pace *pace)
{
	return pace->sender.send_time.is_on ? pace->sender.send_time.ahead_ns : 0;
}

/* Writes what is due at now_ns, and is asked for: how many. */
static unsigned fill(struct pace *pace, int64_t now_ns)
{
	const uint64_t limit = asked(pace);
	unsigned count = 0;

	while (count < pace->sender.batch_max && pace->next_at_ns - ahead(pace) <= now_ns &&
	       pace->next_at_ns < pace->end_at_ns && pace->sequence + count < limit) {
		pace->request->write(pace->request->context, pace_sender_message(&pace->sender, count),
				     pace->sequence + count, (uint32_t)now_ns);
		pace->due_at_ns[count++] = pace->next_at_ns;
		pace->next_at_ns = workload_schedule_next(&pace->schedule);
	}
	return count;
}

static int64_t distance(int64_t a_ns, int64_t b_ns)
{
	return a_ns > b_ns ? a_ns - b_ns : b_ns - a_ns;
}

/* The messages of one call are taken to have left evenly spread over it. */
static void record(struct pace *pace, unsigned taken, int64_t called_at_ns, int64_t returned_at_ns)
{
	for (unsigned i = 0; i < taken; i++) {
		const int64_t left_at_ns = called_at_ns + (returned_at_ns - called_at_ns) * i / taken;
		const int64_t due_at_ns = pace->due_at_ns[i];

		histogram_record(&pace->lateness, time_max(left_at_ns - due_at_ns, 0));
		if (pace->sequence + i > 0) {
			histogram_record(&pace->gap_error, distance(left_at_ns - pace->last_left_at_ns,
								    due_at_ns - pace->last_due_at_ns));
		}
		pace->last_left_at_ns = left_at_ns;
		pace->last_due_at_ns = due_at_ns;
	}
}

static void count_sent(struct pace *pace, unsigned taken)
{
	struct way *const way = pace->way;

	way_put(way, WAY_SENT, way->count[WAY_SENT] + taken);
	way_put(way, WAY_SENT_BYTES,
		way->count[WAY_SENT_BYTES] + (uint64_t)taken * (pace->request->size - pace->request->header_bytes));
	if (pace->request->sent) {
		atomic_store_explicit(pace->request->sent, way->count[WAY_SENT], memory_order_release);
	}
}

/* One call, if anything is due. */
static int send_due(struct pace *pace, int64_t now_ns, struct err *err)
{
	const unsigned count = fill(pace, now_ns);
	unsigned done = 0;
	int ret = 0;

	pace->calls += count > 0;
	pace->single_calls += count == 1;
	while (done < count && ret == 0 && !must_stop(pace)) {
		const int64_t called_at_ns = clocks_monotonic_ns();
		unsigned taken;
		bool not_taken;

		if (done > 0) {
			/* What has no room is lost, and the rest moves up. */
			memmove(pace->sender.buffer, pace_sender_message(&pace->sender, done),
				(size_t)(count - done) * pace->request->size);
			memmove(pace->due_at_ns, pace->due_at_ns + done, (count - done) * sizeof(pace->due_at_ns[0]));
		}
		if (pace->first_call_at_ns == 0) {
			pace->first_call_at_ns = called_at_ns;
		}
		ret = pace_sender_send(&pace->sender, count - done, pace->due_at_ns, pace->request->stop, &taken,
				       &not_taken, err);
		pace->last_call_at_ns = clocks_monotonic_ns();
		if (is_paced(pace) && !pace->sender.send_time.is_on) {
			record(pace, taken, called_at_ns, pace->last_call_at_ns);
		}
		count_sent(pace, taken);
		if (not_taken) {
			way_put(pace->way, WAY_NOT_TAKEN, pace->way->count[WAY_NOT_TAKEN] + 1);
		}
		pace->sequence += taken + not_taken;
		done += taken + not_taken;
	}
	return ret;
}

static int run(struct pace *pace, struct err *err)
{
	int ret = 0;

	while (ret == 0 && pace->next_at_ns < pace->end_at_ns && !must_stop(pace)) {
		pace_wait_until(&pace->wait, pace->next_at_ns - ahead(pace), pace->request->stop);
		const int64_t now_ns = clocks_monotonic_ns();

		if (now_ns >= pace->end_at_ns && (!is_paced(pace) || now_ns - pace->next_at_ns > LATE_MAX_NS)) {
			break;
		}
		if (pace->sequence >= asked(pace)) {
			pace_wait_until(&pace->wait, now_ns + NOT_ASKED_NS, pace->request->stop);
			continue;
		}
		ret = send_due(pace, now_ns, err);
	}
	return ret;
}

/* What the schedule would have sent by its end: what was written, and what is left of it. */
static uint64_t scheduled(struct pace *pace)
{
	const struct workload *const workload = pace->request->workload;
	const int64_t left_ns = pace->end_at_ns - pace->next_at_ns;

	if (left_ns <= 0) {
		return pace->sequence;
	}
	if (workload->pattern == WORKLOAD_BURST) {
		const uint64_t bursts = (uint64_t)((left_ns - 1) / workload->burst_every_ns);

		return pace->sequence + 1 + pace->schedule.left_in_burst + bursts * workload->burst_count;
	}
	return pace->sequence + 1 + wide_scale(workload->rate_per_s, (uint64_t)left_ns - 1, (uint64_t)NS_PER_S);
}

static void describe(const struct pace *pace, char method[WAY_METHOD_MAX])
{
	const struct send_time *const send_time = &pace->sender.send_time;
	char early[TEXT_DURATION_MAX];

	text_print_duration(pace->wait.early_ns / NS_PER_US * NS_PER_US, early);
	if (send_time->is_on) {
		snprintf(method, WAY_METHOD_MAX, "the kernel sends by time (SO_TXTIME, %s%s)", send_time->discipline,
			 send_time->is_offloaded ? ", offloaded" : "");
		return;
	}
	const char *const together = pace->calls == pace->single_calls ? "one by one"
				     : pace->sender.segments           ? "what is due at once in one buffer (UDP GSO)"
								       : "what is due at once in one call (sendmmsg)";

	if (!is_paced(pace)) {
		snprintf(method, WAY_METHOD_MAX, "as fast as it goes, %s",
			 pace->sender.segments ? "64 at a time or what fits (UDP GSO)" : "64 at a time (sendmmsg)");
	} else if (pace->wait.is_busy) {
		snprintf(method, WAY_METHOD_MAX, "sleeps, waits the last %s busily, %s", early, together);
	} else {
		snprintf(method, WAY_METHOD_MAX, "sleeps, wakes %s early, %s", early, together);
	}
}

/* Of the last messages they come after their instants. */
static void wait_for_stamps(struct pace *pace)
{
	const _Atomic bool never = false;

	pace_wait_until(&pace->wait, time_min(pace->next_at_ns, clocks_monotonic_ns() + STAMPS_NS) + STAMPS_NS, &never);
	pace_stamps_take(&pace->sender.stamps);
}

static void report(struct pace *pace)
{
	struct way *const way = pace->way;

	if (is_paced(pace)) {
		way_put(way, WAY_SCHEDULED, scheduled(pace));
	}
	way_put(way, WAY_SENDING_NS, (uint64_t)(pace->last_call_at_ns - pace->first_call_at_ns));
	if (pace->sender.send_time.is_on) {
		wait_for_stamps(pace);
		pace->gap_error = pace->sender.stamps.gap_error;
		pace->lateness = pace->sender.stamps.lateness;
		way_put(way, WAY_NOT_TAKEN, way->count[WAY_NOT_TAKEN] + pace->sender.stamps.missed);
	}
	way_put_span(way, WAY_GAP_ERROR, &pace->gap_error);
	way_put_span(way, WAY_LATENESS, &pace->lateness);
	describe(pace, way->method);
}

int pace_run(const struct pace_request *request, struct way *way, struct err *err)
{
	struct pace *const pace = calloc(1, sizeof(*pace));
	const int64_t cpu_ns = clock_thread_cpu();

	if (!pace) {
		return err_set(err, -ENOMEM, "no memory for a sender");
	}
	pace->request = request;
	pace->way = way;
	way_put(way, WAY_SENT, 0);
	way_put(way, WAY_SENT_BYTES, 0);
	int ret = pace_sender_open(&pace->sender, request, is_paced(pace), err);

	if (ret == 0) {
		for (unsigned i = 0; i < pace->sender.batch_max; i++) {
			request->write(request->context, pace_sender_message(&pace->sender, i), 0, 0);
		}
		pace_wait_init(&pace->wait);
		pace->start_at_ns = clocks_monotonic_ns() + BEGIN_NS;
		pace->end_at_ns = pace->start_at_ns + request->duration_ns;
		workload_schedule_init(&pace->schedule, request->workload, pace->start_at_ns, request->seed);
		pace->next_at_ns = workload_schedule_next(&pace->schedule);
		ret = run(pace, err);
		report(pace);
		pace_sender_close(&pace->sender);
	}
	way_put(way, WAY_SENDER_CPU_NS, (uint64_t)(clock_thread_cpu() - cpu_ns));
	free(pace);
	return ret;
}
