/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The paced sender: messages of one size leave a connected datagram socket at the instants of a workload's schedule.
 *
 * What is due leaves in one call: as one buffer that the kernel or the NIC cuts (UDP GSO), else by sendmmsg. Before an
 * instant it sleeps, and wakes as much earlier as waking up took in a trial at the start; the rest it waits busily,
 * unless there is only one CPU, which the receiver may need. Where the interface has a queueing discipline that sends by time
 * (fq, etf), messages are handed over early and the kernel sends them at their instants (SO_TXTIME). A sender
 * that is late does not skip: it sends all that is due at once, since the schedule does not depend on it.
 */
#ifndef HOLDOFF_LIVE_PACE_H
#define HOLDOFF_LIVE_PACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "live/way.h"
#include "workload/workload.h"

/* Messages in one call, also what GSO takes in kernels before 6.8. */
#define PACE_BATCH_MAX 64

struct pace_request {
	int fd;                          /* connected, blocking */
	const struct workload *workload; /* udp or voip: rate and pattern */
	uint64_t seed;
	int64_t duration_ns;
	uint32_t size;         /* of a message, as it is handed to the socket */
	uint32_t header_bytes; /* of them, that are not counted as payload */
	/* Writes message number `sequence`; the buffer holds an earlier message, or what `write` was asked for first. */
	void (*write)(void *context, uint8_t *message, uint64_t sequence, uint32_t stamp_ns);
	void *context;
	bool may_segment;              /* UDP: GSO may be tried */
	int ifindex;                   /* of the interface that it leaves through, 0: not known: no SO_TXTIME */
	const _Atomic uint64_t *asked; /* how many messages may leave in all; NULL: no limit */
	const _Atomic bool *stop;      /* ends it early */
	_Atomic uint64_t *sent;        /* kept up to date; may be NULL */
};

/*
 * Sends until the schedule is past duration_ns, or until stopped. Fills in what a sender knows of a way, also when it
 * fails. A negative errno when the network took no more messages: -ENETDOWN, -ENODEV, -ENETUNREACH, -ECONNREFUSED (nobody listens any
 * more), -EMSGSIZE, ...
 */
int pace_run(const struct pace_request *request, struct way *way, struct err *err);

#endif
