/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The traffic of one load at the far end: what the messages start and stop. */
#ifndef HOLDOFF_LIVE_PEER_PRIVATE_H
#define HOLDOFF_LIVE_PEER_PRIVATE_H

#include <stdatomic.h>

#include "live/address.h"
#include "live/answer.h"
#include "live/bulk.h"
#include "live/collect.h"
#include "live/pace.h"
#include "live/peer.h"
#include "live/worker.h"

/* What the other end asked for. */
struct peer_order {
	struct workload workload;
	bool both;
	uint64_t seed;
	int64_t duration_ns;
	uint64_t their_token;
	struct address address, source; /* to be bound to; that may send */
	bool shares_clock;
};

enum { PEER_RECEIVER, PEER_SENDER, PEER_WORKERS };

struct peer_traffic {
	struct peer_order order;
	struct packet_form form, their_form;
	int fd;
	struct collect collect;
	struct answer answer;
	struct bulk bulk[2];      /* by way */
	_Atomic bool is_taken[2]; /* there is a connection for this way */
	_Atomic uint64_t turned_away;
	struct workload schedule;
	_Atomic uint64_t asked;
	_Atomic bool may_start, stop;
	struct worker worker[PEER_WORKERS];
	struct way ways[2]; /* by way: WORKLOAD_TX comes here */
};

/* Sockets, and threads that wait. Fills in `bound`, the address and port of the data. The traffic is closed by
 * peer_traffic_stop also when this failed. */
int peer_traffic_open(struct peer_traffic *traffic, const struct peer_order *order, struct address *bound,
		      struct err *err);
void peer_traffic_start(struct peer_traffic *traffic);
/* Whether its part is over: what it sends has been sent, or the other end is gone. A failure of its threads: negative, with why. */
int peer_traffic_has_ended(struct peer_traffic *traffic, struct err *err);
/* Takes what is still on its way (of `sent`, UINT64_MAX: not known), ends the threads, closes the sockets, and leaves what was
 * found in ways. */
void peer_traffic_stop(struct peer_traffic *traffic, bool at_once, uint64_t sent);

#endif
