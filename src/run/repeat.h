/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures of each repeat of a measured run, by the names that figures of whole runs have. */
#ifndef HOLDOFF_RUN_REPEAT_H
#define HOLDOFF_RUN_REPEAT_H

#include "run/figure.h"

/*
 * In thousandths of the figure's unit. False when there is no such repeat, it did not observe the figure, or nobody keeps
 * that figure of repeats: those that are kept are the median and 99th percentile of round trips or one way, irq-rate,
 * cpu-busy, cpu-per-frame and goodput.
 */
bool run_repeat_figure(const struct run *run, unsigned repeat, const struct figure *figure, int64_t *thousandths);

#endif
