/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of runs, to standard output or into a file. */
#ifndef HOLDOFF_CMD_TABLE_OUTPUT_H
#define HOLDOFF_CMD_TABLE_OUTPUT_H

#include "base/err.h"
#include "report/table.h"

/* output NULL: standard output. A file has to be a regular one, and appears whole or not at all. */
int table_output(const struct table_row *rows, size_t count, enum table_format format, const char *output,
		 struct err *err);

#endif
