/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stdio.h>

#include "cmd/cmd.h"
#include "report/wrapped.h"

#define TEXT_MAX 1200

void cmd_print_labelled(FILE *out, int width, const char *label, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list values;

	va_start(values, format);
	vsnprintf(text, sizeof(text), format, values);
	va_end(values);
	wrapped_write(out, width, fprintf(out, "%-*s", width, label), text);
}
