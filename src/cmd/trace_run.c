/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/trace_run.h"

#include <errno.h>

#include "store/store.h"

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

void trace_run_put(struct run *run, const struct path_result *result)
{
	for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
		if (result->stage[stages[i].stage].count) {
			run->findings.latency[stages[i].latency] = result->stage[stages[i].stage];
			run->findings.has |= 1u << stages[i].latency;
		}
	}
}

int trace_run_load(struct run *run, const char *file, const char *name, struct err *err)
{
	uint32_t wanted = 1u << RUN_FRAME_TO_IRQ;
	struct store_entry entry;
	struct store *store;
	int ret = store_open(&store, file ? file : STORE_DEFAULT, STORE_READ, err);

	if (ret) {
		return ret;
	}
	ret = store_get(store, name, &entry, run, err);
	store_close(store);
	for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
		wanted |= 1u << stages[i].latency;
	}
	if (ret == 0 && !(run->findings.has & wanted)) {
		ret = err_set(err, -EINVAL,
			      "run %s has no stages: it is of a model without them, or was measured without --trace",
			      name);
	}
	return ret;
}
