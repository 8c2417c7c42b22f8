/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/table_output.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As a file that this process creates would have it. */
static void give_usual_mode(int fd)
{
	const mode_t mask = umask(0);

	umask(mask);
	fchmod(fd, 0666 & ~mask);
}

static int write_and_rename(const struct table_row *rows, size_t count, enum table_format format, const char *output,
			    char *temporary)
{
	const int fd = mkstemp(temporary);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out) {
		return -errno;
	}
	give_usual_mode(fd);
	int ret = table_write(rows, count, format, out);

	if (fclose(out) != 0 && ret == 0) {
		ret = -errno;
	}
	if (ret == 0 && rename(temporary, output) != 0) {
		ret = -errno;
	}
	if (ret < 0) {
		unlink(temporary);
	}
	return ret;
}

/* Into a file beside it that then takes its name; signals wait until one or the other is there. */
static int write_file(const struct table_row *rows, size_t count, enum table_format format, const char *output,
		      struct err *err)
{
	char temporary[4096];
	sigset_t all, before;
	struct stat status;

	if ((size_t)snprintf(temporary, sizeof(temporary), "%s.XXXXXX", output) >= sizeof(temporary)) {
		return err_set(err, -ENAMETOOLONG, "%.60s...: the name is too long", output);
	}
	if (stat(output, &status) == 0 && !S_ISREG(status.st_mode)) {
		return err_set(err, -EINVAL,
			       "%s is no regular file: without --output the table goes to standard output", output);
	}
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	const int ret = write_and_rename(rows, count, format, output, temporary);

	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret < 0 ? err_set(err, ret, "cannot write %s: %s", output, strerror(-ret)) : 0;
}

int table_output(const struct table_row *rows, size_t count, enum table_format format, const char *output,
		 struct err *err)
{
	if (output) {
		return write_file(rows, count, format, output, err);
	}
	table_write(rows, count, format, stdout); /* main looks after failed writes */
	return 0;
}
