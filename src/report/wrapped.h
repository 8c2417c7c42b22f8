/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text for people in lines that fit a terminal. */
#ifndef HOLDOFF_REPORT_WRAPPED_H
#define HOLDOFF_REPORT_WRAPPED_H

#include <stdio.h>

#define WRAPPED_WIDTH 96

/*
 * Writes text word by word, and a newline. The line has `column` columns so far; words that do not fit into
 * WRAPPED_WIDTH columns go on the next line, behind `indent` blanks. A word that is longer than a line has one of its
 * own.
 */
void wrapped_write(FILE *out, int indent, int column, const char *text);

#endif
