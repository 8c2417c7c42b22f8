/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a driver makes of a request whose rules are known and whose chip is not modelled. */
#ifndef HOLDOFF_CMD_EXPLAIN_RULES_H
#define HOLDOFF_CMD_EXPLAIN_RULES_H

#include <stdio.h>

#include "driver/rules.h"

struct explain_rules {
	const struct driver_rules *rules;
	const char *name;          /* as it was asked for */
	struct coalesce requested; /* empty: the driver's defaults are explained */
	/* Found by explain_rules_make: */
	struct driver_result result;
	struct rules_state state; /* after the request */
	bool has_below, has_above;
	uint32_t below, above;
};

void explain_rules_make(struct explain_rules *explanation);
void explain_rules_print(const struct explain_rules *explanation, FILE *out);
/* One document, schema holdoff.explain/1: without registers, board and speeds, which nobody knows. */
void explain_rules_print_json(const struct explain_rules *explanation, FILE *out);

#endif
