/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plot/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CPU_SECONDS 60
#define NOT_FOUND 127
#define NOT_STARTED 126

/* Files without a name on both sides: whatever the child does with them, nobody waits for the other. */
static int script_file(const char *script)
{
	const int fd = memfd_create("holdoff-plot", MFD_CLOEXEC);
	const size_t length = strlen(script);

	if (fd >= 0 && (write(fd, script, length) != (ssize_t)length || lseek(fd, 0, SEEK_SET) != 0)) {
		close(fd);
		errno = ENOMEM;
		return -1;
	}
	return fd;
}

static _Noreturn void become_gnuplot(int in, int out)
{
	const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	const struct rlimit limit = { CPU_SECONDS, CPU_SECONDS };

	setrlimit(RLIMIT_CPU, &limit);
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(nowhere, 2) < 0) {
		_exit(NOT_STARTED);
	}
	/* -d: without the user's own start-up file. */
	execlp("gnuplot", "gnuplot", "-d", "-", (char *)NULL);
	_exit(errno == ENOENT ? NOT_FOUND : NOT_STARTED);
}

static int wait_for(pid_t child, struct err *err)
{
	int status;

	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR) {
			return err_set(err, -errno, "gnuplot got lost: %s", strerror(errno));
		}
	}
	if (WIFSIGNALED(status)) {
		const bool is_long = WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL;

		return err_set(err, is_long ? -ETIME : -EPROTO, "gnuplot was ended by signal %d (%s)", WTERMSIG(status),
			       strsignal(WTERMSIG(status)));
	}
	if (WEXITSTATUS(status) == NOT_FOUND) {
		return err_set(err, -ENOENT, "gnuplot is not installed (Debian: apt-get install gnuplot-nox)");
	}
	return WEXITSTATUS(status) ? err_set(err, -EPROTO, "gnuplot failed with status %d", WEXITSTATUS(status)) : 0;
}

static int read_whole(int fd, char **text, struct err *err)
{
	struct stat stat;

	if (fstat(fd, &stat) != 0) {
		return err_set(err, -errno, "cannot read what gnuplot wrote: %s", strerror(errno));
	}
	const size_t size = (size_t)stat.st_size;

	*text = malloc(size + 1);
	if (!*text || pread(fd, *text, size, 0) != (ssize_t)size) {
		free(*text);
		*text = NULL;
		return err_set(err, -ENOMEM, "no memory for a plot");
	}
	(*text)[size] = '\0';
	if (!strstr(*text, "<svg") || !strstr(*text, "</svg>")) {
		free(*text);
		*text = NULL;
		return err_set(err, -EPROTO, "gnuplot gave no SVG");
	}
	return 0;
}

int gnuplot_draw(const char *script, char **svg, struct err *err)
{
	const int in = script_file(script);
	const int out = in < 0 ? -1 : memfd_create("holdoff-plot", MFD_CLOEXEC);
	int ret = 0;

	*svg = NULL;
	if (out < 0) {
		ret = err_set(err, -errno, "cannot hand a script to gnuplot: %s", strerror(errno));
	} else {
		const pid_t child = fork();

		if (child == 0) {
			become_gnuplot(in, out);
		}
		ret = child < 0 ? err_set(err, -errno, "cannot start gnuplot: %s", strerror(errno))
				: wait_for(child, err);
		ret = ret ? ret : read_whole(out, svg, err);
		close(out);
	}
	if (in >= 0) {
		close(in);
	}
	return ret;
}
