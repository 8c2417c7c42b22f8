/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The asking end of closed loops: request and response on some sockets side by side, and files in lock-step. A loop sends
 * when its answer is in; a request without an answer is given up after a second, a block is then sent, or asked for, once more.
 */
#ifndef HOLDOFF_LIVE_EXCHANGE_H
#define HOLDOFF_LIVE_EXCHANGE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/err.h"
#include "live/packet.h"
#include "live/way.h"
#include "workload/workload.h"

#define EXCHANGE_LOOPS_MAX 64
#define EXCHANGE_PATIENCE_NS (1 * NS_PER_S)

struct exchange_loop {
	int fd; /* connected */
	uint32_t sequence;
	bool is_waiting;   /* for the answer to sequence */
	bool was_given_up; /* the one before it */
	bool is_repeated;  /* the request of sequence has been sent more than once */
	int64_t sent_at_ns;
};

struct exchange {
	/* To be set. */
	unsigned loop_count;
	struct exchange_loop loop[EXCHANGE_LOOPS_MAX]; /* fd */
	const struct packet_form *form, *their_form;
	const struct workload *workload;
	uint32_t size; /* of a request */
	int64_t duration_ns;
	_Atomic bool stop; /* from outside */

	/* What it found. */
	struct histogram rtt; /* from before sending to the return of receiving */
	uint64_t sent, sent_bytes, received, received_bytes, duplicated, late, corrupt, foreign, unexpected,
		retransmitted, given_up;
	uint64_t block; /* of a file: the next one */
	bool is_complete;
	int64_t first_sent_at_ns, last_sent_at_ns, first_received_at_ns, last_received_at_ns;
	int64_t cpu_ns;
};

int exchange_run(struct exchange *exchange, struct err *err);
/* What the asking end knows: ways[WORKLOAD_TX] of what left, ways[WORKLOAD_RX] of what came back. */
void exchange_report(const struct exchange *exchange, struct way ways[2]);

#endif
