/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flock on a file that is removed before it is let go. Who gets the lock of a file that has been removed meanwhile holds nothing and
 * tries again; so the name in the folder and the lock always belong together.
 */
#include "change/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HOLDER_MAX 256
#define RETRY_MS 10

void lock_own_command(char *text, unsigned size)
{
	const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	const ssize_t got = file < 0 ? -1 : read(file, text, size - 1);
	size_t length = got < 0 ? 0 : (size_t)got;

	if (file >= 0) {
		close(file);
	}
	while (length && text[length - 1] == '\0') {
		length--;
	}
	for (size_t i = 0; i < length; i++) {
		text[i] = text[i] == '\0' ? ' ' : text[i];
	}
	text[length] = '\0';
	/* The program's folder tells nobody anything. */
	const char *const space = strchr(text, ' ');
	const size_t first = space ? (size_t)(space - text) : length;
	const char *const slash = memrchr(text, '/', first);

	if (slash) {
		memmove(text, slash + 1, strlen(slash + 1) + 1);
	}
}

void lock_now(char *text, unsigned size)
{
	const time_t now = time(NULL);
	struct tm local;

	if (!localtime_r(&now, &local) || !strftime(text, size, "%Y-%m-%d %H:%M:%S %z", &local)) {
		text[0] = '\0';
	}
}

/* Whether the open file is still the one that the path names. */
static bool is_current(int fd, const char *path)
{
	struct stat ours, named;

	return fstat(fd, &ours) == 0 && stat(path, &named) == 0 && ours.st_ino == named.st_ino &&
	       ours.st_dev == named.st_dev;
}

/* Failing to say who we are is no reason not to hold it. */
static void say_holder(int fd)
{
	char command[120], since[32], text[HOLDER_MAX];

	lock_own_command(command, sizeof(command));
	lock_now(since, sizeof(since));
	const int length = snprintf(text, sizeof(text), "process %d (%s) since %s\n", (int)getpid(), command, since);

	if (ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)length, 0) != length) {
		(void)!ftruncate(fd, 0);
	}
}

static int complain(int fd, const char *name, struct err *err)
{
	char holder[HOLDER_MAX];
	const ssize_t got = pread(fd, holder, sizeof(holder) - 1, 0);

	holder[got > 0 ? got : 0] = '\0';
	holder[strcspn(holder, "\n")] = '\0';
	return err_set(err, -EBUSY, "%s is being changed by another holdoff: %s", name,
		       holder[0] ? holder : "one that is just starting");
}

static void sleep_ms(unsigned ms)
{
	const struct timespec span = { .tv_nsec = (long)ms * 1000000 };

	nanosleep(&span, NULL);
}

/* One try: a descriptor, or -EAGAIN when somebody else has it or it went away. */
static int try_once(const char *path, const char *name, struct err *err)
{
	/* Who can read it can lock it, and keep it locked. */
	const int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0) {
		const int code = errno;

		return err_set(err, -code, "%s cannot be opened: %s", path, strerror(code));
	}
	int ret = fd;

	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		const int code = errno;

		if (code == EWOULDBLOCK || code == EINTR) {
			complain(fd, name, err);
			ret = -EAGAIN;
		} else {
			ret = err_set(err, -code, "%s cannot be locked: %s", path, strerror(code));
		}
	} else if (!is_current(fd, path)) {
		ret = -EAGAIN;
	}
	if (ret < 0) {
		close(fd);
	}
	return ret;
}

int lock_take(const char *path, const char *name, int wait_ms, struct err *err)
{
	for (int waited_ms = 0;; waited_ms += RETRY_MS) {
		const int fd = try_once(path, name, err);

		if (fd >= 0) {
			say_holder(fd);
			return fd;
		}
		if (fd != -EAGAIN) {
			return fd;
		}
		if (wait_ms != LOCK_WAIT_FOREVER && waited_ms >= wait_ms) {
			return -EBUSY;
		}
		sleep_ms(RETRY_MS);
	}
}

void lock_drop(int fd, const char *path)
{
	if (fd >= 0) {
		unlink(path);
		close(fd);
	}
}
