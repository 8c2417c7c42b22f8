/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bulk transfer over TCP: one connection for each way, always made by the end that was called by its user. It begins with
 * a packet that shows the token and says which way its data go.
 *
 * Of the workload, `mss` and `window` are asked of the socket, and what became of them is read back; delack=off acknowledges
 * each segment as it is read, on is what the kernel does by itself; gro is a matter of the interface.
 */
#ifndef HOLDOFF_LIVE_BULK_H
#define HOLDOFF_LIVE_BULK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "live/address.h"
#include "live/packet.h"
#include "live/way.h"
#include "workload/workload.h"

struct bulk {
	/* To be set. */
	int fd;
	const struct packet_form *form; /* what both ends know of the bytes: that of the far end */
	const struct workload *workload;
	int64_t duration_ns;     /* of sending */
	int64_t silence_ns;      /* a receiver that gets nothing for so long ends */
	_Atomic bool stop;       /* from outside: end at once */
	_Atomic bool *may_start; /* a sender waits for it; NULL: starts at once */

	/* What it found. */
	uint64_t bytes, corrupt;
	uint64_t retransmitted, mss_bytes, window_bytes;
	bool has_info;
	int64_t first_at_ns, last_at_ns; /* bytes */
	int64_t cpu_ns;
	_Atomic bool was_silent;
};

/* Before connecting or listening. */
int bulk_prepare(int fd, const struct workload *workload, struct err *err);

/* The connecting end: says who it is, and which way (enum workload_direction) the data go. */
int bulk_introduce(int fd, const struct packet_form *form, unsigned way, struct err *err);

/*
 * The listening end: waits for a connection from that host (size 0: any) that shows the token, and turns others away. Returns its descriptor, or a
 * negative errno; -ETIMEDOUT after timeout_ns, -ECANCELED when stopped. Counts those that were turned away.
 */
int bulk_accept(int listening_fd, const struct packet_form *form, const struct address *only, int64_t timeout_ns,
		const _Atomic bool *stop, unsigned *way, _Atomic uint64_t *turned_away, struct err *err);

int bulk_send(struct bulk *bulk, struct err *err);
int bulk_receive(struct bulk *bulk, struct err *err);
void bulk_report_sender(const struct bulk *bulk, struct way *way);
void bulk_report_receiver(const struct bulk *bulk, struct way *way);

#endif
