/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"

#define LINE_WIDTH 96
#define TEXT_MAX 1200

void cmd_print_labelled(FILE *out, int width, const char *label, const char *format, ...)
{
	char buffer[TEXT_MAX];
	const char *text = buffer;
	va_list values;

	va_start(values, format);
	vsnprintf(buffer, sizeof(buffer), format, values);
	va_end(values);
	int column = fprintf(out, "%-*s", width, label);
	while (*text) {
		const int length = (int)strcspn(text, " ");

		if (column > width && column + 1 + length > LINE_WIDTH) {
			column = fprintf(out, "\n%-*s", width, "") - 1;
		}
		column += fprintf(out, "%s%.*s", column > width ? " " : "", length, text);
		text += length;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}
