/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/whole_file.h"

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

static int write_and_rename(const char *path, char *temporary, whole_file_fn *write_whole, const void *context)
{
	const int fd = mkstemp(temporary);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out) {
		return -errno;
	}
	give_usual_mode(fd);
	int ret = write_whole(context, out);

	if (fclose(out) != 0 && ret == 0) {
		ret = -errno;
	}
	if (ret == 0 && rename(temporary, path) != 0) {
		ret = -errno;
	}
	if (ret < 0) {
		unlink(temporary);
	}
	return ret;
}

int whole_file_write(const char *path, const char *what, whole_file_fn *write, const void *context, struct err *err)
{
	char temporary[4096];
	sigset_t all, before;
	struct stat status;

	if ((size_t)snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path) >= sizeof(temporary)) {
		return err_set(err, -ENAMETOOLONG, "%.60s...: the name is too long", path);
	}
	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
		return err_set(err, -EINVAL, "%s is no regular file: without --output the %s goes to standard output",
			       path, what);
	}
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	const int ret = write_and_rename(path, temporary, write, context);

	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret < 0 ? err_set(err, ret, "cannot write %s: %s", path, strerror(-ret)) : 0;
}
