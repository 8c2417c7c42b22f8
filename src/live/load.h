/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One load: traffic of a workload between this host and another, for a while, and what was counted at both ends. Prints nothing.
 */
#ifndef HOLDOFF_LIVE_LOAD_H
#define HOLDOFF_LIVE_LOAD_H

#include <net/if.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "live/address.h"
#include "live/fit.h"
#include "live/remote.h"
#include "live/way.h"
#include "workload/workload.h"

#define LOAD_LINK_TROUBLE_MAX 96

struct load_request {
	struct workload workload; /* dir: tx leaves this host */
	bool both;                /* udp, voip, tcp: the other way too, at the same time */
	const char *host;         /* the other end, a name or an address */
	const char *device;       /* NULL: as routed */
	enum fit_means means;
	struct remote *remote; /* FIT_PEER: started; stays the caller's, and can be used for the next load */
	uint16_t port;         /* FIT_IPERF3 */
	int64_t duration_ns;
	uint64_t seed;            /* of Poisson's gaps */
	const _Atomic bool *stop; /* ends it early; may be NULL */
};

struct load_result {
	struct way ways[2]; /* by enum workload_direction; a way without data is empty */
	bool has_rtt;
	struct histogram rtt;  /* rr, tftp, fieldbus, ICMP echo: from before sending to the return of receiving */
	bool shares_clock;     /* both ends read one clock: there are one-way delays */
	bool is_complete_file; /* tftp: all of it has arrived */
	char address[ADDRESS_TEXT_MAX], source[ADDRESS_TEXT_MAX];
	char device[IFNAMSIZ]; /* it left through; "" not known */
	char program[64];      /* at the other end: "holdoff 0.1.0", "iperf 3.12"; "" for ICMP echo */
	int64_t lasted_ns;
	bool is_incomplete; /* it ended before its time, or not all was reported */
	char why[ERR_TEXT_MAX];
	char link_trouble[LOAD_LINK_TROUBLE_MAX]; /* "eth0 lost its carrier, 1.2s into the load"; "" when it stayed up */
};

/*
 * 0 once traffic has begun, also when it ended early (is_incomplete, why). A negative errno when it could not begin: -EINVAL,
 * -EOPNOTSUPP what is asked for can't be had; -ENODEV no such device; -ENETUNREACH, -EPIPE the peer has ended, -EPROTONOSUPPORT, ...
 */
int load_run(const struct load_request *request, struct load_result *result, struct err *err);

#endif
