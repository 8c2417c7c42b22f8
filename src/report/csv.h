/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cells of comma-separated values (RFC 4180). */
#ifndef HOLDOFF_REPORT_CSV_H
#define HOLDOFF_REPORT_CSV_H

#include <stdio.h>

/* Quoted always, a quote doubled; without a comma. */
void csv_put_text(FILE *out, const char *text);

#endif
