/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace as a run, whose stages stand beside a model's (report/stages.h). */
#ifndef HOLDOFF_CMD_TRACE_RUN_H
#define HOLDOFF_CMD_TRACE_RUN_H

#include "base/err.h"
#include "run/run.h"
#include "trace/path.h"

/* Puts the stages that a run has a place for into it; the others of the run stay. */
void trace_run_put(struct run *run, const struct path_result *result);

/*
 * The run that is kept under that number or UUID in a file of runs; file NULL: holdoff.db. It must have stages. Negative
 * errno with a sentence.
 */
int trace_run_load(struct run *run, const char *file, const char *name, struct err *err);

#endif
