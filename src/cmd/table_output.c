/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/table_output.h"

#include <stdio.h>

#include "cmd/whole_file.h"

struct table {
	const struct table_row *rows;
	size_t count;
	enum table_format format;
};

static int write_table(const void *context, FILE *out)
{
	const struct table *const table = context;

	return table_write(table->rows, table->count, table->format, out);
}

int table_output(const struct table_row *rows, size_t count, enum table_format format, const char *output,
		 struct err *err)
{
	if (output) {
		return whole_file_write(output, "table", write_table, &(struct table){ rows, count, format }, err);
	}
	table_write(rows, count, format, stdout); /* main looks after failed writes */
	return 0;
}
