/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the iperf3 program says with -J (versions 3.1 to 3.x; looked at: 3.12), as ways. Pure. Strict: another version, a
 * missing field or one of another type is refused, with its name.
 */
#ifndef HOLDOFF_LIVE_IPERF3_JSON_H
#define HOLDOFF_LIVE_IPERF3_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "live/way.h"

struct iperf3_report {
	struct way ways[2]; /* by enum workload_direction */
	char program[64];   /* "iperf 3.12" */
	int64_t lasted_ns;
};

struct iperf3_expectation {
	bool is_udp;
	bool comes; /* -R: the data come here */
	bool both;  /* --bidir */
};

/* -EBADMSG; what iperf3 itself complains of: -EREMOTEIO with its words. */
int iperf3_json_read(const char *text, size_t size, const struct iperf3_expectation *expected,
		     struct iperf3_report *report, struct err *err);

#endif
