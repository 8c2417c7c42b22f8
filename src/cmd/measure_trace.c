/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/measure_trace.h"

#include <stdio.h>
#include <stdlib.h>

#include "cmd/trace_live.h"
#include "cmd/trace_run.h"

int measure_trace_begin(struct probes **probes, struct nic *nic, struct err *err)
{
	struct probes_request request = { .ifindex = nic->ifindex, .kinds = PROBES_ALL_KINDS };

	snprintf(request.device, sizeof(request.device), "%s", nic->name);
	trace_vectors(nic, &request);
	return probes_open(probes, &request, err);
}

void measure_trace_end(struct probes *probes, struct run *run)
{
	struct path_result *const result = probes ? malloc(sizeof(*result)) : NULL;
	struct err err = { "" };

	if (probes) {
		probes_stop(probes);
	}
	if (result && probes_read(probes, result, &err) == 0) {
		trace_run_put(run, result);
	}
	free(result);
	probes_close(probes);
}
