/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HOLDOFF_CMD_SWEEP_MODEL_H
#define HOLDOFF_CMD_SWEEP_MODEL_H

#include "base/err.h"
#include "report/table.h"
#include "sim/plan.h"

#define SWEEP_JOBS_MAX 256

struct sweep_model_request {
	uint32_t jobs; /* cells at a time, 1 to SWEEP_JOBS_MAX */
	enum table_format format;
	const char *output; /* or NULL */
	bool yes;           /* also what takes long */
};

/* Runs all cells of a plan and writes the table. */
int sweep_model(const struct plan *plan, const struct sweep_model_request *request, struct err *err);

#endif
