/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several runs of one experiment as one. */
#ifndef HOLDOFF_RUN_SUM_H
#define HOLDOFF_RUN_SUM_H

#include "run/run.h"

/*
 * Adds what another run of the same experiment found: counts, times and histograms are summed, what either lacks the sum lacks,
 * taints of both are kept, repeats are counted. Conditions are those of the first; `into` is the first, or empty (run_init).
 */
void run_add(struct run *into, const struct run *more);

#endif
