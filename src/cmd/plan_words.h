/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of a command line that make a grid of settings. */
#ifndef HOLDOFF_CMD_PLAN_WORDS_H
#define HOLDOFF_CMD_PLAN_WORDS_H

#include "base/err.h"
#include "sim/plan.h"

/*
 * Words NAME=V1,V2 or NAME V1,V2: each goes over the plan's of that name, but not over another word. -EINVAL for an unknown
 * setting, one without a value, or one that is given twice.
 */
int plan_words_put(struct plan *plan, const char *const *words, unsigned count, struct err *err);

#endif
