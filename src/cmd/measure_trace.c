/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/measure_trace.h"

#include <stdio.h>
#include <stdlib.h>

#include "cmd/trace_live.h"

/* The model's stages, and what is nearest to them in a trace: a frame is taken from the ring when the stack has it. */
static const struct {
	enum run_latency latency;
	enum path_stage stage;
} stages[] = {
	{ RUN_XMIT_TO_IRQ, PATH_XMIT_TO_IRQ },
	{ RUN_IRQ_TO_COMPLETION, PATH_IRQ_TO_COMPLETION },
	{ RUN_IRQ_TO_POLL, PATH_IRQ_TO_STACK },
	{ RUN_POLL_TO_APP, PATH_STACK_TO_COPY },
};

int measure_trace_begin(struct probes **probes, struct nic *nic, struct err *err)
{
	struct probes_request request = { .ifindex = nic->ifindex };

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
		for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
			if (result->stage[stages[i].stage].count) {
				run->findings.latency[stages[i].latency] = result->stage[stages[i].stage];
				run->findings.has |= 1u << stages[i].latency;
			}
		}
	}
	free(result);
	probes_close(probes);
}
