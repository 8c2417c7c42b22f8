/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sends the trains of a plan (infer/plan.h) to a host: as ICMP echo, or as frames without an answer. */
#ifndef HOLDOFF_LIVE_TRAINS_H
#define HOLDOFF_LIVE_TRAINS_H

#include "base/err.h"
#include "infer/plan.h"
#include "live/host.h"

struct trains;

struct trains_request {
	struct host host;
	int ifindex;
	int64_t patience_ns; /* what takes longer did not come */
	int stop_fd;         /* ends it when it can be read; -1: none */
};

/*
 * About 6 MB; trains_close releases it. Without CAP_NET_RAW there are no frames without an answer: has_drains is false, and
 * err says why, though 0 is returned.
 */
int trains_open(struct trains **trains, const struct trains_request *request, bool *has_drains, struct err *err);
void trains_close(struct trains *trains);

/* One answer a train. A first lone frame, which is not among them, wakes what sleeps. -EINTR: it was stopped. */
int trains_run(struct trains *trains, const struct plan_block *block, struct plan_answer *answers, struct err *err);

#endif
