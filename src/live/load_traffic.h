/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This host's part in a load with holdoff peer: sockets, threads, and what they found. */
#ifndef HOLDOFF_LIVE_LOAD_TRAFFIC_H
#define HOLDOFF_LIVE_LOAD_TRAFFIC_H

#include "live/bulk.h"
#include "live/collect.h"
#include "live/exchange.h"
#include "live/load_private.h"
#include "live/pace.h"
#include "live/worker.h"

enum { LOAD_SENDER, LOAD_RECEIVER, LOAD_WORKERS };

struct load_traffic {
	const struct load *load;
	struct load_result *result;
	const struct workload *workload;
	struct packet_form form, their_form;
	struct address far; /* its data socket */
	bool leaves, comes; /* by schedule, or as a stream */
	int fds[EXCHANGE_LOOPS_MAX];
	unsigned fd_count;
	struct workload schedule;
	struct collect collect;
	struct collect_sent *sent; /* of fieldbus */
	struct exchange exchange;
	struct bulk bulk[2]; /* by way */
	struct worker worker[LOAD_WORKERS];
	struct way ways[2]; /* what is known here */
	_Atomic bool stop;
	bool peer_has_ended, peer_is_gone, link_is_gone;
};

/* Request and response, or a file: closed loops. */
bool load_traffic_is_exchange(const struct load_traffic *traffic);
bool load_traffic_is_stream(const struct load_traffic *traffic);

/* Sockets to traffic->far, and what receives; then what sends. */
int load_traffic_open(struct load_traffic *traffic, struct err *err);
int load_traffic_start(struct load_traffic *traffic, struct err *err);

/* True when all has been sent that is to be, as far as it is known here, or when it can't go on: then the result says why. */
bool load_traffic_is_over(struct load_traffic *traffic);

/* Both also after a failure of the above. The second takes what is still on its way, as far as the sender's count tells. */
void load_traffic_stop_senders(struct load_traffic *traffic);
void load_traffic_stop_receiver(struct load_traffic *traffic, const struct way *theirs);
/* What was found here, into traffic->ways and the result's round trips. Of closed loops the senders have to be stopped, of others both. */
void load_traffic_report(struct load_traffic *traffic);
void load_traffic_close(struct load_traffic *traffic);

#endif
