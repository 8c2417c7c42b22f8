/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ways to make a load; load_run chooses. */
#ifndef HOLDOFF_LIVE_LOAD_PRIVATE_H
#define HOLDOFF_LIVE_LOAD_PRIVATE_H

#include <stdatomic.h>

#include "live/load.h"

/* A request whose addresses are known. */
struct load {
	const struct load_request *request;
	struct address to, from;
	int ifindex;     /* that was asked for, 0: none */
	int out_ifindex; /* that it leaves through, 0: not known */
};

int load_with_peer(const struct load *load, struct load_result *result, struct err *err);
int load_with_echo(const struct load *load, struct load_result *result, struct err *err);
int load_with_iperf3(const struct load *load, struct load_result *result, struct err *err);

/* Marks the result; the first reason stays. */
void load_spoil(struct load_result *result, const char *why);

static inline bool load_is_stopped(const struct load *load)
{
	return load->request->stop && atomic_load_explicit(load->request->stop, memory_order_relaxed);
}

#endif
