/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --store FILE and --label TEXT of commands that make runs: where these are kept. */
#ifndef HOLDOFF_CMD_STORING_H
#define HOLDOFF_CMD_STORING_H

#include "base/err.h"
#include "run/run.h"
#include "store/store.h"

#define STORING_OPTION                                                                        \
	{                                                                                     \
		"store", "FILE", "keep the run in that file as well (holdoff-runs(1))", false \
	}
#define STORING_LABEL_OPTION                                                  \
	{                                                                     \
		"label", "TEXT", "with --store: what to call it there", false \
	}

struct storing {
	struct store *store; /* NULL: runs are not kept */
	const char *file;
	struct store_entry entry; /* what the runs of this command have in common */
	int64_t number;           /* of the last run that was kept; 0: none was */
};

/*
 * Before anything is measured, so that a file that cannot be written is told at once. file NULL: nothing is kept, and a
 * label is -EINVAL. argv[0] is the name of the command. Borrows file.
 */
int storing_begin(struct storing *storing, const char *file, const char *label, int argc, char *const *argv,
		  struct err *err);
/* Keeps a run, durable when it returns 0. */
int storing_put(struct storing *storing, const struct run *run, struct err *err);
void storing_end(struct storing *storing);

#endif
