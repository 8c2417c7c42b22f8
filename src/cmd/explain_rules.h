/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a driver makes of a request whose rules are known and whose chip is not modelled. */
#ifndef HOLDOFF_CMD_EXPLAIN_RULES_H
#define HOLDOFF_CMD_EXPLAIN_RULES_H

#include <stdio.h>

#include "driver/rules.h"
#include "explain/explanation.h"

struct explain_rules {
	const struct driver_rules *rules;
	const char *name;         /* as it was asked for */
	struct rules_state state; /* after the request */
	/* requested is given (empty: the defaults are explained); subject, result, nearest values, reported and hold are
	 * found. There is no board, no variant and no register. */
	struct explanation explanation;
};

void explain_rules_make(struct explain_rules *made);
void explain_rules_print(const struct explain_rules *made, FILE *out);
/* One document, schema holdoff.explain/1: without registers, board and speeds, which nobody knows. */
void explain_rules_print_json(const struct explain_rules *made, FILE *out);

#endif
