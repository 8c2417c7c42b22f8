/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are written whole or not at all. */
#ifndef HOLDOFF_CMD_WHOLE_FILE_H
#define HOLDOFF_CMD_WHOLE_FILE_H

#include <stdio.h>

#include "base/err.h"

/* Writes all of it. 0, or the negative errno of the first failed write. */
typedef int whole_file_fn(const void *context, FILE *out);

/*
 * Into a file beside it that then takes its name; signals wait until one or the other is there. -EINVAL when there is
 * something of that name that is no regular file; `what` is written then to standard output without --output, as the
 * sentence says; NULL: it never is.
 */
int whole_file_write(const char *path, const char *what, whole_file_fn *write, const void *context, struct err *err);

/* Whether that can be had, with the same sentences: before what takes long, so that nothing is lost for a name. */
int whole_file_check(const char *path, const char *what, struct err *err);

#endif
