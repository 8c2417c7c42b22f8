/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the runs of holdoff tune come from: a store, or a sweep of a model that is made on the spot. */
#ifndef HOLDOFF_CMD_TUNE_RUNS_H
#define HOLDOFF_CMD_TUNE_RUNS_H

#include "cmd/cmd.h"
#include "cmd/tune.h"
#include "store/store.h"

/* The texts are those of the command line. */
struct tune_source {
	const char *target; /* a board, or of a store an interface as well */
	struct tuning_question question;
	const char *store;          /* NULL: a model */
	struct store_filter filter; /* of a store */
	/* Of a model: */
	const char *plan; /* NULL: that called default */
	unsigned word_count;
	const char **words; /* settings */
	uint32_t seeds, jobs;
	bool yes;                    /* however long it takes */
	bool has_workload, has_seed; /* among the arguments, which take the place of the plan's and of seeds */
};

/* Add tunings to the page, in no order and not concluded. Negative errno, with what the page then has for the caller to free. */
int tune_runs_from_store(struct tune_page *page, struct tune_source *source, struct err *err);
int tune_runs_from_model(struct tune_page *page, struct cmd_arguments arguments, const struct tune_source *source,
			 struct err *err);

#endif
