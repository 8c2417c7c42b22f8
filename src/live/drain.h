/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long frames that are sent stay the socket's: from the send to the driver's letting go of them after they have left,
 * as SIOCOUTQ shows it. That is the wire, the hold-off of transmit, interrupt and poll. The frames are echo replies that
 * nobody asked for, which every host drops without an answer, on a raw socket (CAP_NET_RAW). Devices that hand frames on to
 * another interface (veth, loopback) let go of them at once.
 */
#ifndef HOLDOFF_LIVE_DRAIN_H
#define HOLDOFF_LIVE_DRAIN_H

#include <stdint.h>

#include "base/err.h"
#include "live/host.h"

#define DRAIN_PAYLOAD_MAX 9000

struct drain {
	int fd;
	unsigned header_bytes;
	uint8_t packet[8 + DRAIN_PAYLOAD_MAX];
};

/* -EPERM without CAP_NET_RAW. ifindex: the only interface that frames leave by. */
int drain_open(struct drain *drain, const struct host *host, int ifindex, struct err *err);
void drain_close(struct drain *drain);

/* Of a train's first and last frame; -1: it was not gone in time. */
struct drain_times {
	int64_t first_ns, last_ns;
	int64_t gap_ns; /* from the first sending to the last */
};

/*
 * Sends so many frames, gap_ns from one to the next (0: as fast as the calls go), and watches without sleeping until all are
 * gone, for patience_ns at most. Before it, what was sent earlier has to be gone: -EAGAIN when that takes longer.
 */
int drain_train(struct drain *drain, unsigned frames, unsigned payload_bytes, int64_t gap_ns, int64_t patience_ns,
		struct drain_times *times, struct err *err);

#endif
