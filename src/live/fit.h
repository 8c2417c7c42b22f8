/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of a workload live traffic can honour, and how long its datagrams are. Pure. */
#ifndef HOLDOFF_LIVE_FIT_H
#define HOLDOFF_LIVE_FIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "workload/workload.h"

enum fit_means {
	FIT_PEER,  /* holdoff peer at the far end */
	FIT_ECHO,  /* any host that answers ICMP echo */
	FIT_IPERF3 /* an iperf3 server */
};

/* 0, or -EINVAL or -EOPNOTSUPP with one sentence about what can't be had and what would be right. */
int fit_check(const struct workload *workload, bool both, enum fit_means means, struct err *err);

/* Payload bytes of a datagram, or of a message of ICMP echo; of tftp and tcp without a meaning. */
uint32_t fit_size(const struct workload *workload);

/* A burst of an open-loop workload ends where the gap is above this; 0 where there are none. */
int64_t fit_burst_gap(const struct workload *workload);

/* The longest time in which nothing is sent by the schedule. */
int64_t fit_longest_pause(const struct workload *workload);

/* udp, voip and fieldbus: the schedule as udp has it. */
void fit_schedule(const struct workload *workload, struct workload *schedule);

#endif
