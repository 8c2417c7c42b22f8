/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An explanation as a page for a terminal. */
#ifndef HOLDOFF_CMD_EXPLANATION_TEXT_H
#define HOLDOFF_CMD_EXPLANATION_TEXT_H

#include <stdio.h>

#include "chip/chip.h"
#include "explain/explanation.h"

/*
 * A line or two for people: "hold-off 133.12us from the first frame not yet signalled, or 200 frames". Returns
 * buffer.
 */
#define EXPLANATION_HOLD_MAX 240
char *explanation_hold_text(const struct chip_hold *hold, char buffer[EXPLANATION_HOLD_MAX]);

void explanation_print(const struct explanation *explanation, FILE *out);
/* Its last lines: accepted or not and the nearest values; the warnings. */
void explanation_print_verdict(const struct explanation *explanation, FILE *out);
void explanation_print_warnings(const struct explanation *explanation, FILE *out);

#endif
