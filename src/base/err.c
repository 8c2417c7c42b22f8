/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A sentence often quotes input: what would break the line or drive a terminal becomes '?'. */
static void make_printable(char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || *text == 0x7f) {
			*text = '?';
		}
	}
}

int err_set(struct err *err, int code, const char *format, ...)
{
	if (!err) {
		return code;
	}
	/* Not straight into err->text: the arguments may point there. */
	char text[ERR_TEXT_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	make_printable(text);
	memcpy(err->text, text, sizeof(text));
	return code;
}

int err_prefix(struct err *err, int code, const char *format, ...)
{
	if (!err) {
		return code;
	}
	char prefix[ERR_TEXT_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(prefix, sizeof(prefix), format, arguments);
	va_end(arguments);
	return err_set(err, code, "%s: %s", prefix, err->text);
}

char *err_name(int error, char buffer[ERR_NAME_MAX])
{
	const char *name = strerrorname_np(error < 0 ? -error : error);

	if (name) {
		snprintf(buffer, ERR_NAME_MAX, "%s", name);
	} else {
		snprintf(buffer, ERR_NAME_MAX, "errno %d", error);
	}
	return buffer;
}
