/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/fit.h"

#include <errno.h>

#include "base/time.h"
#include "live/block.h"
#include "live/packet.h"

/* A frame of the bus has 18 bytes around its payload, a UDP datagram in Ethernet 46: frames of the same length. */
#define FIELDBUS_HEADERS_BYTES 28

uint32_t fit_size(const struct workload *workload)
{
	if (workload->kind == WORKLOAD_FIELDBUS) {
		return workload->size > FIELDBUS_HEADERS_BYTES ? workload->size - FIELDBUS_HEADERS_BYTES : 0;
	}
	return workload->size;
}

int64_t fit_burst_gap(const struct workload *workload)
{
	return workload->kind == WORKLOAD_UDP && workload->pattern == WORKLOAD_BURST
		       ? (workload->burst_every_ns + 1) / 2
		       : 0;
}

int64_t fit_longest_pause(const struct workload *workload)
{
	if (workload->kind == WORKLOAD_FIELDBUS) {
		return workload->interval_ns;
	}
	if (workload->kind == WORKLOAD_UDP && workload->pattern == WORKLOAD_BURST) {
		return workload->burst_every_ns;
	}
	if ((workload->kind == WORKLOAD_UDP || workload->kind == WORKLOAD_VOIP) && workload->rate_per_s) {
		/* Of a Poisson process a gap of 40 times the mean is not to be seen in any run. */
		return (workload->pattern == WORKLOAD_POISSON ? 40 : 1) * NS_PER_S / (int64_t)workload->rate_per_s;
	}
	return 0;
}

void fit_schedule(const struct workload *workload, struct workload *schedule)
{
	*schedule = *workload;
	if (workload->kind == WORKLOAD_FIELDBUS) {
		schedule->pattern = WORKLOAD_BURST;
		schedule->burst_count = 1;
		schedule->burst_every_ns = workload->interval_ns;
	}
}

static int check_size(const struct workload *workload, struct err *err)
{
	switch (workload->kind) {
	case WORKLOAD_UDP:
	case WORKLOAD_VOIP:
	case WORKLOAD_RR:
		return workload->size >= PACKET_HEADER_BYTES ? 0
							     : err_set(err, -EINVAL,
								       "size: a live datagram carries a token, a "
								       "number and a time, at least %d bytes (a frame "
								       "of 64), not %u",
								       PACKET_HEADER_BYTES, (unsigned)workload->size);
	case WORKLOAD_FIELDBUS:
		return fit_size(workload) >= PACKET_HEADER_BYTES
			       ? 0
			       : err_set(err, -EINVAL,
					 "size: live, a UDP datagram in a frame of that length stands for the bus: at "
					 "least %d "
					 "bytes, not %u",
					 PACKET_HEADER_BYTES + FIELDBUS_HEADERS_BYTES, (unsigned)workload->size);
	case WORKLOAD_TFTP:
		return workload->size + BLOCK_HEADER_BYTES >= PACKET_HEADER_BYTES
			       ? 0
			       : err_set(err, -EINVAL,
					 "blksize: a live block carries a token and a number, at least %d bytes, "
					 "not %u",
					 PACKET_HEADER_BYTES - BLOCK_HEADER_BYTES, (unsigned)workload->size);
	default:
		return 0;
	}
}

static int check_means(const struct workload *workload, enum fit_means means, struct err *err)
{
	const char *const kind = workload_kind_name(workload->kind);

	if (means == FIT_ECHO && workload->kind != WORKLOAD_UDP && workload->kind != WORKLOAD_VOIP &&
	    workload->kind != WORKLOAD_FIELDBUS) {
		return err_set(err, -EINVAL,
			       "%s needs a program at the other end: --peer COMMAND%s; without one udp, voip and "
			       "fieldbus go, as "
			       "ICMP echo",
			       kind, workload->kind == WORKLOAD_TCP ? ", or --iperf3" : "");
	}
	if (means == FIT_IPERF3 && workload->kind != WORKLOAD_TCP &&
	    (workload->kind != WORKLOAD_UDP || workload->pattern != WORKLOAD_CBR)) {
		return err_set(err, -EINVAL, "an iperf3 server takes tcp, and udp at a constant rate, not %s",
			       workload->kind == WORKLOAD_UDP ? "in this pattern" : kind);
	}
	return 0;
}

int fit_check(const struct workload *workload, bool both, enum fit_means means, struct err *err)
{
	if (workload->kind == WORKLOAD_PING) {
		return err_set(err, -EINVAL,
			       "ping needs no other end but a kernel: without --peer, --iperf3 and --both it is what "
			       "holdoff ping does");
	}
	if (workload->xdp_drop) {
		return err_set(
			err, -EOPNOTSUPP,
			"xdp=on: holdoff loads no XDP program into a real driver; leave it out, and load one at the "
			"receiving end yourself");
	}
	if (workload->kind == WORKLOAD_RR && workload->interval_ns > 0) {
		return err_set(
			err, -EOPNOTSUPP,
			"interval: a live rr asks again when the answer is in, by a clock only the model's does; "
			"leave it out");
	}
	if (workload->kind == WORKLOAD_TCP && !workload->gro) {
		return err_set(
			err, -EOPNOTSUPP,
			"gro=off: that is a setting of the receiving interface (ethtool -K DEV gro off), not of a "
			"socket; set it there and leave gro out");
	}
	if (both && workload->kind != WORKLOAD_UDP && workload->kind != WORKLOAD_VOIP &&
	    workload->kind != WORKLOAD_TCP) {
		return err_set(err, -EINVAL, "both ways at once go udp, voip and tcp; %s goes both ways by itself",
			       workload_kind_name(workload->kind));
	}
	const int ret = check_means(workload, means, err);

	/* What iperf3 puts into its datagrams is its own business. */
	return ret || means == FIT_IPERF3 ? ret : check_size(workload, err);
}
