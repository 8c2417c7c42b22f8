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

#define TEMPORARY_MAX 4096

static int prepare(const char *path, const char *what, char temporary[TEMPORARY_MAX], struct err *err)
{
	struct stat status;

	if ((size_t)snprintf(temporary, TEMPORARY_MAX, "%s.XXXXXX", path) >= TEMPORARY_MAX) {
		return err_set(err, -ENAMETOOLONG, "%.60s...: the name is too long", path);
	}
	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
		return what ? err_set(err, -EINVAL,
				      "%s is no regular file: without --output the %s goes to standard output", path,
				      what)
			    : err_set(err, -EINVAL, "%s is no regular file", path);
	}
	return 0;
}

static int cannot_write(const char *path, int error, struct err *err)
{
	return err_set(err, error, "cannot write %s: %s", path, strerror(-error));
}

int whole_file_check(const char *path, const char *what, struct err *err)
{
	char temporary[TEMPORARY_MAX];
	const int ret = prepare(path, what, temporary, err);

	if (ret) {
		return ret;
	}
	const int fd = mkstemp(temporary);

	if (fd < 0) {
		return cannot_write(path, -errno, err);
	}
	close(fd);
	unlink(temporary);
	return 0;
}

int whole_file_write(const char *path, const char *what, whole_file_fn *write, const void *context, struct err *err)
{
	char temporary[TEMPORARY_MAX];
	sigset_t all, before;
	int ret = prepare(path, what, temporary, err);

	if (ret) {
		return ret;
	}
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	ret = write_and_rename(path, temporary, write, context);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret < 0 ? cannot_write(path, ret, err) : 0;
}
