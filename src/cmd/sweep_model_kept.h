/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a model's sweep keeps: an experiment with all cells of the plan, and each cell's run as soon as it is done. The
 * experiment's UUID is made of the plan, so that shards of one plan, run anywhere, are one experiment when their stores are
 * merged.
 */
#ifndef HOLDOFF_CMD_SWEEP_MODEL_KEPT_H
#define HOLDOFF_CMD_SWEEP_MODEL_KEPT_H

#include "cmd/storing.h"
#include "cmd/sweep_model.h"
#include "report/table.h"
#include "store/store.h"

struct model_kept {
	struct storing storing; /* its store is NULL when nothing is kept */
	struct store_experiment experiment;
};

/* Nothing is kept unless the request has a store. On failure nothing is left open. */
int model_kept_begin(struct model_kept *kept, const struct plan *plan, const struct sweep_model_request *request,
		     struct err *err);
void model_kept_end(struct model_kept *kept);

/* The rows of cells whose run is there, and is_there of each of them; both have as many as the plan has cells. */
int model_kept_read(struct model_kept *kept, struct table_row *rows, bool *is_there, struct err *err);

/* The run and its cell's state, as one. why: the driver refused the setting, and run is NULL. */
int model_kept_add(struct model_kept *kept, uint32_t cell, const struct run *run, const char *why, struct err *err);

#endif
