/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two runs beside one another, stage by stage: a model's and a measured one, or any two. The rows are those of run_text.h, so
 * that a stage is called the same wherever it is printed.
 */
#ifndef HOLDOFF_REPORT_STAGES_H
#define HOLDOFF_REPORT_STAGES_H

#include <stdio.h>

#include "report/json_writer.h"
#include "run/run.h"

/*
 * Of each latency that either has: how many, the median and the 99th percentile of both, and by how much the median of
 * right is above that of left. What one of them lacks is absent. Each column of a model says so in its head.
 */
void stages_write(const struct run *left, const struct run *right, FILE *out);

/* The same as an array of objects: stage, left and right (each with count, p50, p99), difference_p50_ns where both have it. */
void stages_put(struct json_writer *writer, const char *key, const struct run *left, const struct run *right);

#endif
