/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/csv.h"

void csv_put_text(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text; text++) {
		if (*text == '"') {
			putc('"', out);
		}
		putc(*text, out);
	}
	putc('"', out);
}
