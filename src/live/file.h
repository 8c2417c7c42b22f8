/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of /proc and /sys as texts. */
#ifndef HOLDOFF_LIVE_FILE_H
#define HOLDOFF_LIVE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* All of a file of unknown length, ended by a 0, to be freed; NULL with errno set. */
char *file_read(const char *path);

/* The first line, without its end. False, with an empty line, when it cannot be read. */
bool file_read_line(char *line, size_t size, const char *path_format, ...) __attribute__((format(printf, 3, 4)));

#endif
