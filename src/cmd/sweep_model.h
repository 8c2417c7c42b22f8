/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HOLDOFF_CMD_SWEEP_MODEL_H
#define HOLDOFF_CMD_SWEEP_MODEL_H

#include "base/err.h"
#include "report/table.h"
#include "run/run.h"
#include "sim/plan.h"

#define SWEEP_JOBS_MAX 256

/* Of this machine, 1 to SWEEP_JOBS_MAX. */
uint32_t sweep_model_cores(void);

struct sweep_model_request {
	uint32_t jobs; /* cells at a time, 1 to SWEEP_JOBS_MAX */
	enum table_format format;
	const char *output;        /* or NULL */
	bool yes;                  /* also what takes long */
	const char *store, *label; /* where runs are kept, and what to call them there; or NULL */
	const char *command;       /* that makes them, for the store */
	uint32_t shard, shards;    /* only cells whose number leaves shard when divided by shards; shards 0: all */
	bool resumes;              /* cells that the store has are not run again */
	/*
	 * If not NULL it has each run when it is done, one at a time but in no order, and there is no table. run is NULL where
	 * the driver refused the setting, for the reason in why.
	 */
	int (*each)(void *context, const struct run *run, const char *why, struct err *err);
	void *context; /* for each */
};

/* Runs all cells of a plan and writes the table; each run is kept as soon as it is done. */
int sweep_model(const struct plan *plan, const struct sweep_model_request *request, struct err *err);

#endif
