/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/file.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Their size is not known before they are read. */
char *file_read(const char *path)
{
	size_t size = 16384, length = 0, got;
	char *text = malloc(size);
	FILE *const file = fopen(path, "re");

	while (text && file && (got = fread(text + length, 1, size - length - 1, file)) > 0) {
		length += got;
		if (length + 1 == size) {
			char *const more = realloc(text, size *= 2);

			if (!more) {
				free(text);
			}
			text = more;
		}
	}
	const int error = text ? errno : ENOMEM;
	const bool failed = !file || ferror(file);

	if (file) {
		fclose(file);
	}
	if (!text || failed) {
		free(text);
		errno = error;
		return NULL;
	}
	text[length] = '\0';
	return text;
}

bool file_read_line(char *line, size_t size, const char *path_format, ...)
{
	char path[PATH_MAX];
	va_list values;

	va_start(values, path_format);
	const int length = vsnprintf(path, sizeof(path), path_format, values);
	va_end(values);
	FILE *const file = length > 0 && length < PATH_MAX ? fopen(path, "re") : NULL;
	const bool has_line = file && fgets(line, (int)size, file);

	if (file) {
		fclose(file);
	}
	line[has_line ? strcspn(line, "\n") : 0] = '\0';
	return has_line;
}
