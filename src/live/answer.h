/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The far end of request and response, of fieldbus and of files in lock-step: it answers each packet that carries the
 * token and comes from the host that was named, with one packet, and sends nothing else.
 */
#ifndef HOLDOFF_LIVE_ANSWER_H
#define HOLDOFF_LIVE_ANSWER_H

#include <stdatomic.h>
#include <stdbool.h>

#include "live/address.h"
#include "live/packet.h"
#include "live/way.h"
#include "workload/workload.h"

struct answer {
	/* To be set. */
	int fd; /* not connected: requests come from several ports */
	const struct packet_form *form, *their_form;
	const struct workload *workload;
	uint32_t size; /* of a request and its answer */
	struct address only;
	_Atomic bool stop; /* from outside */
	int64_t silence_ns;

	/* What it found. */
	uint64_t requests, request_bytes, answers, answer_bytes;
	uint64_t duplicated, corrupt, foreign, unexpected, not_taken;
	uint64_t wanted; /* block of a file that comes here */
	int64_t first_at_ns, last_at_ns, last_heard_at_ns;
	int64_t cpu_ns;
	bool was_silent;
};

int answer_run(struct answer *answer, struct err *err);
/* ways[WORKLOAD_TX] has what came here, ways[WORKLOAD_RX] what left. */
void answer_report(const struct answer *answer, struct way ways[2]);

#endif
