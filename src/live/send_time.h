/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sending by time: SO_TXTIME (socket(7), tc-etf(8), tc-fq(8)). The queueing discipline of the interface holds a packet until its
 * instant. Used where the interface's root is one that does so; others would send at once.
 */
#ifndef HOLDOFF_LIVE_SEND_TIME_H
#define HOLDOFF_LIVE_SEND_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>

struct send_time {
	bool is_on;
	char discipline[8]; /* "fq", "etf" */
	bool is_offloaded;  /* etf: the NIC keeps the instant */
	clockid_t clock;    /* of the instants that it wants */
	int64_t lead_ns;    /* so much before the instant a message has to be there at the latest */
	int64_t ahead_ns;   /* how long before its instant it is handed over */
};

/* Looks the discipline up and turns SO_TXTIME on. Leaves is_on false where there is none, or no permission. */
void send_time_init(struct send_time *send_time, int fd, int ifindex);

/* What has to be added to CLOCK_MONOTONIC for the discipline's clock, now. */
int64_t send_time_offset(const struct send_time *send_time);

#endif
