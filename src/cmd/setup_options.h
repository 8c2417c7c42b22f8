/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that simulate and sweep share: one for each key of a setup, made from the table of keys. */
#ifndef HOLDOFF_CMD_SETUP_OPTIONS_H
#define HOLDOFF_CMD_SETUP_OPTIONS_H

#include "cmd/cmd.h"
#include "sim/setup.h"

/*
 * Writes SETUP_KEYS options, so that the index of an option is its enum setup_key; a command's own options
 * follow behind them. --assume may be repeated, --workload too where repeats_workload.
 */
void setup_options(struct cmd_option options[SETUP_KEYS], bool repeats_workload);

#endif
