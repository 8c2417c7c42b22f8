/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a trace is shown: as a page and as JSON. */
#ifndef HOLDOFF_CMD_TRACE_H
#define HOLDOFF_CMD_TRACE_H

#include <stdio.h>

#include "base/err.h"
#include "run/run.h"
#include "trace/path.h"

struct trace_report {
	char device[64];     /* "" where a trace by hand does not tell */
	const char *backend; /* "file", "bpf", "tracefs" */
	const char *source;  /* the file; NULL: this kernel */
	int64_t resolution_ns;
	uint64_t lost;     /* events that the kernel could not hand over */
	uint64_t unusable; /* events of CPUs or times that cannot be */
	uint32_t kinds;    /* 1u << enum path_kind: what can be seen at all */
	uint32_t parts;    /* 1u << enum trace_part: what was asked for; 0: all */
	bool by_hand;
	bool per_queue, histogram, only_stages;
	bool has_no_queue; /* no queueing discipline */
	bool has_tx_usecs, has_rx_usecs;
	uint32_t tx_usecs, rx_usecs;
	bool has_cost;
	uint64_t hits; /* of the tracer's programs, while that was counted */
	int64_t cost_window_ns;
	int64_t hit_ns;             /* all hits together */
	int64_t timing_ns;          /* of a hit: what taking its time adds; negative: not known */
	int64_t added_rtt_ns;       /* estimated: each program once; 0: not known */
	unsigned every, every_most; /* one packet in so many was followed: at the end, and at most; 0: all, always */
	bool is_stopped;            /* cost more than it may */
	struct path_result result;
	const struct run *beside; /* to stand beside it, with stages; NULL: none. Borrowed */
	const char *beside_name;
};

void trace_print(const struct trace_report *report, FILE *out);
/* 0, or the negative errno of the first failed write. */
int trace_write_json(const struct trace_report *report, FILE *out);

/* Why there is nothing of a stage; NULL: there is. */
const char *trace_missing(const struct trace_report *report, enum path_stage stage, char buffer[ERR_TEXT_MAX]);

/* Where most of the time of all packets goes, in a sentence; "" where there is no stage. Returns buffer. */
const char *trace_likely(const struct trace_report *report, char buffer[ERR_TEXT_MAX]);

/* Packets that were sent and whose end was not seen, in ppm of all that were sent and are not still on their way. */
unsigned trace_unmatched_ppm(const struct path_result *result);

#endif
