/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run as a page for a terminal: conditions first, then what came out, and where there were round trips the two
 * last lines are those of ping.
 */
#ifndef HOLDOFF_REPORT_RUN_TEXT_H
#define HOLDOFF_REPORT_RUN_TEXT_H

#include <stdio.h>

#include "run/run.h"

/* 0, or the negative errno of the first failed write. */
int run_text_write(const struct run *run, FILE *out);

/* What a latency of that run is called there. */
const char *run_text_latency(const struct run *run, enum run_latency latency);

#endif
