/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures for tables that people read. */
#ifndef HOLDOFF_REPORT_ROUNDED_H
#define HOLDOFF_REPORT_ROUNDED_H

#include <stdbool.h>
#include <stdint.h>

#define ROUNDED_TEXT_MAX 48

/*
 * Thousandths with two decimals below 10, with one below 10000, else with none: three digits or more. Where `signs` is set a
 * value above 0 has its sign too. Returns buffer.
 */
char *rounded_print(int64_t thousandths, bool signs, char buffer[ROUNDED_TEXT_MAX]);

#endif
