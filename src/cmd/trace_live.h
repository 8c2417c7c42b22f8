/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracing an interface of this machine. */
#ifndef HOLDOFF_CMD_TRACE_LIVE_H
#define HOLDOFF_CMD_TRACE_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/trace.h"
#include "cmd/trace_view.h"
#include "nic/nic.h"
#include "trace/probes.h"

enum trace_backend { TRACE_ANY, TRACE_BPF, TRACE_TRACEFS };

struct trace_live {
	enum trace_backend backend; /* TRACE_ANY: BPF, or where that is not to be had tracefs */
	const char *device, *netns, *events_file;
	int64_t duration_ns;
	uint64_t count;        /* of packets, sent or received; 0: any number */
	unsigned max_cost_ppm; /* of one CPU; 0: any cost */
	struct probes_choice choice;
	struct trace_view view; /* drawn each second */
};

/* The interface's interrupts into a request; an interface like veth has none. */
void trace_vectors(struct nic *nic, struct probes_request *request);

/* Until it is over, enough, too dear, or interrupted. 0, or a negative errno with a sentence. */
int trace_live_run(struct trace_live *live, struct trace_report *report, struct err *err);

#endif
