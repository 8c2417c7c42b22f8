/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ways to make a load; load_run chooses. */
#ifndef HOLDOFF_LIVE_LOAD_PRIVATE_H
#define HOLDOFF_LIVE_LOAD_PRIVATE_H

#include <stdatomic.h>

#include "live/link_watch.h"
#include "live/load.h"

/* The interface that a load leaves through, while it runs. */
struct load_link {
	struct link_watch watch;
	int64_t since_ns;
};

/* A request whose addresses are known. */
struct load {
	const struct load_request *request;
	struct address to, from;
	int ifindex;     /* that was asked for, 0: none */
	int out_ifindex; /* that it leaves through, 0: not known */
	struct load_link *link;
};

int load_with_peer(const struct load *load, struct load_result *result, struct err *err);
int load_with_echo(const struct load *load, struct load_result *result, struct err *err);
int load_with_iperf3(const struct load *load, struct load_result *result, struct err *err);

/* What has happened to the interface since the last look. False once it is gone, which ends the load. */
bool load_look_at_link(const struct load *load, struct load_result *result);

/* Marks the result; the first reason stays. */
void load_spoil(struct load_result *result, const char *why);

static inline bool load_is_stopped(const struct load *load)
{
	return load->request->stop && atomic_load_explicit(load->request->stop, memory_order_relaxed);
}

#endif
