/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/wrapped.h"

#include <string.h>

void wrapped_write(FILE *out, int indent, int column, const char *text)
{
	int first = column;

	text += strspn(text, " ");
	while (*text) {
		const int length = (int)strcspn(text, " ");

		if (column > first && column + 1 + length > WRAPPED_WIDTH) {
			fprintf(out, "\n%*s", indent, "");
			first = column = indent;
		}
		column += fprintf(out, "%s%.*s", column > first ? " " : "", length, text);
		text += length;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}
