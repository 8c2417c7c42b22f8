/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff validate: what its files share. */
#ifndef HOLDOFF_CMD_VALIDATE_H
#define HOLDOFF_CMD_VALIDATE_H

#include <stdio.h>

#include "validate/summary.h"

struct validation {
	struct cell *cells;
	unsigned count, capacity;
	unsigned mapped, unstable; /* of count: that could be run; of those, that were not repeated within 3 % */
	int64_t *errors;           /* room for summary_make */
};

extern const char *const validate_use_names[CELL_USES];
extern const char *const validate_kind_names[CELL_KINDS];

void validate_print_text(const struct validation *validation, FILE *out);
void validate_print_json(const struct validation *validation, FILE *out);

#endif
