/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A load against an iperf3 server: the iperf3 program is run, and what it says with -J is read. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/time.h"
#include "live/clocks.h"
#include "live/iperf3_json.h"
#include "live/load_private.h"

#define WORDS_MAX 32
#define WORD_MAX 96
#define OUTPUT_MAX (16 << 20)
#define LOOK_MS 100
#define OVERDUE_NS (20 * NS_PER_S)

struct command_line {
	char words[WORDS_MAX][WORD_MAX];
	unsigned count;
};

static void add(struct command_line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct command_line *line, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	vsnprintf(line->words[line->count++], WORD_MAX, format, values);
	va_end(values);
}

static void add_traffic(struct command_line *line, const struct load_request *request)
{
	const struct workload *const workload = &request->workload;
	struct workload usual;

	if (workload->kind == WORKLOAD_UDP) {
		add(line, "-u");
		add(line, "-l");
		add(line, "%u", (unsigned)workload->size);
		add(line, "-b");
		add(line, "%" PRIu64, workload->rate_per_s * workload->size * 8);
	} else if (workload_parse(&usual, "tcp", NULL) == 0) {
		/* The kernel's own choice where nothing else was asked for. */
		if (workload->window_bytes != usual.window_bytes) {
			add(line, "-w");
			add(line, "%" PRIu64, workload->window_bytes);
		}
		if (workload->mss != usual.mss) {
			add(line, "-M");
			add(line, "%u", (unsigned)workload->mss);
		}
	}
	if (request->both) {
		add(line, "--bidir");
	} else if (workload->direction == WORKLOAD_RX) {
		add(line, "-R");
	}
}

static void compose(struct command_line *line, const struct load *load, const struct load_result *result)
{
	const struct load_request *const request = load->request;

	add(line, "iperf3");
	add(line, "-c");
	add(line, "%s", result->address);
	add(line, "-p");
	add(line, "%u", (unsigned)request->port);
	add(line, "-J");
	add(line, "-t");
	add(line, "%" PRId64, request->duration_ns / NS_PER_S);
	add(line, "-B");
	add(line, "%s", result->source);
	if (load->ifindex) {
		add(line, "--bind-dev");
		add(line, "%s", result->device);
	}
	add_traffic(line, request);
}

static int check(const struct load_request *request, struct err *err)
{
	if (request->duration_ns % NS_PER_S) {
		return err_set(err, -EINVAL, "iperf3 runs for whole seconds");
	}
	if (request->workload.kind == WORKLOAD_TCP && !request->workload.delayed_ack) {
		return err_set(err, -EOPNOTSUPP, "delack=off: iperf3 leaves acknowledging to the kernel");
	}
	return 0;
}

/* ---- the program ---- */

__attribute__((noreturn)) static void run_program(struct command_line *line, int out)
{
	char *words[WORDS_MAX + 1];
	sigset_t none;

	for (unsigned i = 0; i < line->count; i++) {
		words[i] = line->words[i];
	}
	words[line->count] = NULL;
	dup2(out, STDOUT_FILENO);
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execvp(words[0], words);
	_exit(127);
}

static int start_program(struct command_line *line, pid_t *pid, int *fd, struct err *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC)) {
		return err_set(err, -errno, "no pipe can be had: %s", strerror(errno));
	}
	*pid = fork();
	if (*pid == 0) {
		run_program(line, ends[1]);
	}
	const int error = errno;

	close(ends[1]);
	*fd = ends[0];
	if (*pid < 0) {
		close(ends[0]);
		return err_set(err, -error, "iperf3 cannot be started: %s", strerror(error));
	}
	return 0;
}

/* All that it prints, until it ends, or until it has to. */
static int read_output(const struct load *load, int fd, char *output, size_t *size, struct err *err)
{
	const int64_t overdue_at_ns = clocks_monotonic_ns() + load->request->duration_ns + OVERDUE_NS;

	for (*size = 0; *size < OUTPUT_MAX;) {
		struct pollfd pollfd = { .fd = fd, .events = POLLIN };

		if (load_is_stopped(load)) {
			return err_set(err, -EINTR, "interrupted");
		}
		if (clocks_monotonic_ns() > overdue_at_ns) {
			return err_set(err, -ETIMEDOUT, "iperf3 does not end in its time");
		}
		if (poll(&pollfd, 1, LOOK_MS) <= 0) {
			continue;
		}
		const ssize_t got = read(fd, output + *size, OUTPUT_MAX - *size);

		if (got == 0 || (got < 0 && errno != EINTR)) {
			return 0;
		}
		*size += got > 0 ? (size_t)got : 0;
	}
	return err_set(err, -EFBIG, "iperf3 says more than %d bytes", OUTPUT_MAX);
}

static int run(const struct load *load, struct command_line *line, char *output, size_t *size, struct err *err)
{
	pid_t pid = -1;
	int fd = -1, status = 0;
	int ret = start_program(line, &pid, &fd, err);

	if (ret) {
		return ret;
	}
	ret = read_output(load, fd, output, size, err);
	close(fd);
	if (ret) {
		kill(pid, SIGTERM);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
	}
	if (ret == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127 && *size == 0) {
		return err_set(err, -ENOENT, "the program iperf3 is not installed here (Debian package iperf3)");
	}
	return ret;
}

int load_with_iperf3(const struct load *load, struct load_result *result, struct err *err)
{
	const struct load_request *const request = load->request;
	const struct iperf3_expectation expected = { .is_udp = request->workload.kind == WORKLOAD_UDP,
						     .comes = !request->both &&
							      request->workload.direction == WORKLOAD_RX,
						     .both = request->both };
	struct command_line line = { .count = 0 };
	size_t size = 0;
	int ret = check(request, err);

	if (ret) {
		return ret;
	}
	struct iperf3_report *const report = malloc(sizeof(*report));
	char *const output = malloc(OUTPUT_MAX);

	ret = report && output ? 0 : err_set(err, -ENOMEM, "no memory for what iperf3 says");
	if (ret == 0) {
		compose(&line, load, result);
		ret = run(load, &line, output, &size, err);
	}
	if (ret == 0) {
		ret = iperf3_json_read(output, size, &expected, report, err);
	}
	if (ret == 0) {
		memcpy(result->ways, report->ways, sizeof(result->ways));
		memcpy(result->program, report->program, sizeof(result->program));
		result->lasted_ns = report->lasted_ns;
	}
	free(output);
	free(report);
	return ret;
}
