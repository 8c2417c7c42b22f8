/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/time.h"
#include "live/clocks.h"

/* Time for a password to be typed. */
#define HELLO_MS 120000
#define ANSWER_MS 10000
/* A driver may take its link down and up for a setting. */
#define SET_MS 30000
#define LOOK_MS 50

/* What a shell may say before the hello: messages of the day, warnings. */
#define NOISE_LINES_MAX 1000

/* It ends when its stdin does; ssh takes a round trip or two. */
#define END_MS 3000

#define CLOCK_TRIES 3

/* ---- the process ---- */

__attribute__((noreturn)) static void run_command(const char *command, int in, int out)
{
	sigset_t none;

	dup2(in, 0);
	dup2(out, 1);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static void close_pair(int pair[2])
{
	close(pair[0]);
	close(pair[1]);
}

static int start_command(struct remote *remote, const char *command, struct err *err)
{
	int to[2], from[2];

	if (pipe2(to, O_CLOEXEC)) {
		return err_set(err, -errno, "no pipe can be had: %s", strerror(errno));
	}
	if (pipe2(from, O_CLOEXEC)) {
		const int error = errno;

		close_pair(to);
		return err_set(err, -error, "no pipe can be had: %s", strerror(error));
	}
	remote->pid = fork();
	if (remote->pid == 0) {
		run_command(command, to[0], from[1]);
	}
	const int error = errno;

	close(to[0]);
	close(from[1]);
	remote->out = to[1];
	remote->in = from[0];
	if (remote->pid < 0) {
		close(remote->out);
		close(remote->in);
		return err_set(err, -error, "the peer's command cannot be started: %s", strerror(error));
	}
	return 0;
}

/* True once it has ended; then *status is as waitpid has it. */
static bool wait_for_end(struct remote *remote, int limit_ms, int *status)
{
	const int fd = (int)syscall(SYS_pidfd_open, remote->pid, 0);

	if (fd >= 0) {
		struct pollfd pollfd = { .fd = fd, .events = POLLIN };

		poll(&pollfd, 1, limit_ms);
		close(fd);
	}
	if (waitpid(remote->pid, status, WNOHANG) != remote->pid) {
		return false;
	}
	remote->has_ended = true;
	return true;
}

/* Its output is closed. */
static int complain_of_end(struct remote *remote, struct err *err)
{
	int status = 0;

	if (remote->has_ended || !wait_for_end(remote, LOOK_MS * 10, &status)) {
		return err_set(err, -EPIPE, "the peer's command has closed its output");
	}
	/* A shell that waits for a command says so of its signal. */
	const int signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) - 128;

	if (signal_number > 0) {
		return err_set(err, -EPIPE, "the peer's command was ended by signal %d", signal_number);
	}
	return err_set(err, -EPIPE, "the peer's command has ended, with status %d", WEXITSTATUS(status));
}

void remote_end(struct remote *remote)
{
	static const struct {
		int signal, limit_ms;
	} steps[] = { { 0, END_MS }, { SIGTERM, END_MS }, { SIGKILL, -1 } };
	int status;

	close(remote->out);
	close(remote->in);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !remote->has_ended; i++) {
		if (steps[i].signal) {
			kill(remote->pid, steps[i].signal);
		}
		wait_for_end(remote, steps[i].limit_ms, &status);
	}
	if (!remote->has_ended) {
		/* Without pidfd nothing was waited for, but it has been killed. */
		waitpid(remote->pid, &status, 0);
	}
}

/* ---- messages ---- */

int remote_say(struct remote *remote, const struct protocol_message *message, struct err *err)
{
	char line[PROTOCOL_LINE_MAX];
	const size_t length = strlen(protocol_print(message, line));

	for (size_t done = 0; done < length;) {
		const ssize_t written = write(remote->out, line + done, length - done);

		if (written < 0 && errno != EINTR) {
			return complain_of_end(remote, err);
		}
		done += written > 0 ? (size_t)written : 0;
	}
	return 0;
}

static int say(struct remote *remote, enum protocol_kind kind, struct err *err)
{
	struct protocol_message message;

	protocol_init(&message, kind);
	return remote_say(remote, &message, err);
}

bool remote_has_line(const struct remote *remote)
{
	return memchr(remote->lines.bytes, '\n', remote->lines.used) != NULL;
}

/* The next line, or what went wrong. */
static int read_line(struct remote *remote, int timeout_ms, char line[PROTOCOL_LINE_MAX], bool *was_too_long,
		     struct err *err)
{
	const int64_t until_ns = clocks_monotonic_ns() + timeout_ms * NS_PER_MS;

	while (!protocol_lines_next(&remote->lines, line, was_too_long)) {
		struct pollfd pollfd = { .fd = remote->in, .events = POLLIN };
		const int64_t left_ms = (until_ns - clocks_monotonic_ns()) / NS_PER_MS;

		if (poll(&pollfd, 1, left_ms > 0 ? (int)left_ms : 0) <= 0) {
			if (left_ms <= 0) {
				return err_set(err, -ETIMEDOUT, "the peer does not answer");
			}
			continue;
		}
		size_t room;
		char *const place = protocol_lines_room(&remote->lines, &room);
		const ssize_t got = read(remote->in, place, room);

		if (got == 0 || (got < 0 && errno != EINTR)) {
			return complain_of_end(remote, err);
		}
		protocol_lines_added(&remote->lines, got > 0 ? (size_t)got : 0);
	}
	return 0;
}

int remote_hear(struct remote *remote, struct protocol_message *message, int timeout_ms, struct err *err)
{
	char line[PROTOCOL_LINE_MAX];
	bool was_too_long;
	int ret = read_line(remote, timeout_ms, line, &was_too_long, err);

	if (ret == 0) {
		ret = was_too_long ? err_set(err, -EPROTO, "a line that long is no message")
				   : protocol_parse(message, line, err);
	}
	if (ret == -EPROTO) {
		return err_prefix(err, ret, "the peer does not keep to the protocol");
	}
	if (ret == 0 && message->kind == PROTOCOL_ERROR) {
		return err_set(err, -EREMOTEIO, "the peer: %.300s", message->text);
	}
	return ret;
}

int remote_expect(struct remote *remote, struct protocol_message *message, enum protocol_kind kind, int timeout_ms,
		  struct err *err)
{
	int ret = remote_hear(remote, message, timeout_ms, err);

	/* That it has ended it says once a load, of one that may be over: more than that is no answer. */
	if (ret == 0 && message->kind == PROTOCOL_ENDED && kind != PROTOCOL_ENDED) {
		ret = remote_hear(remote, message, timeout_ms, err);
	}
	if (ret == 0 && message->kind != kind) {
		return err_set(err, -EPROTO, "the peer says \"%s\" where \"%s\" was due",
			       protocol_kind_name(message->kind), protocol_kind_name(kind));
	}
	return ret;
}

/* ---- the beginning ---- */

/* Lines before the hello are of the shell. */
static int wait_for_hello(struct remote *remote, struct protocol_message *message, const _Atomic bool *stop,
			  struct err *err)
{
	char line[PROTOCOL_LINE_MAX];
	int64_t left_ms = HELLO_MS;

	for (unsigned lines = 0; lines < NOISE_LINES_MAX;) {
		bool was_too_long;
		const int ret = read_line(remote, LOOK_MS, line, &was_too_long, err);

		if (ret == -ETIMEDOUT && left_ms > 0 && !(stop && atomic_load(stop))) {
			left_ms -= LOOK_MS;
			continue;
		}
		if (ret == -ETIMEDOUT) {
			return err_set(err, ret,
				       "there is no hello from the peer's command; it has to run holdoff peer");
		}
		if (ret) {
			return err_prefix(err, ret, "before its hello");
		}
		lines++;
		if (!was_too_long && protocol_begins(line)) {
			return protocol_parse(message, line, err);
		}
	}
	return err_set(err, -EPROTO,
		       "the peer's command says a thousand lines and no hello; it has to run holdoff peer");
}

static int answer_hello(struct remote *remote, const struct clock_identity *mine, const char *program_version,
			struct err *err)
{
	struct protocol_message message;

	protocol_init(&message, PROTOCOL_HELLO);
	protocol_put(&message, PROTOCOL_PROTOCOL, PROTOCOL_VERSION);
	protocol_put_text(&message, PROTOCOL_PROGRAM, program_version);
	if (mine->boot[0]) {
		protocol_put_text(&message, PROTOCOL_BOOT, mine->boot);
		protocol_put(&message, PROTOCOL_TIME_NAMESPACE, mine->time_namespace);
	}
	return remote_say(remote, &message, err);
}

/* The same boot is not believed alone: what its clock says has to lie between two readings of ours. */
static int compare_clocks(struct remote *remote, struct err *err)
{
	int ret = 0;

	for (unsigned i = 0; ret == 0 && i < CLOCK_TRIES; i++) {
		struct protocol_message message;
		const int64_t before_ns = clocks_monotonic_ns();

		ret = say(remote, PROTOCOL_CLOCK, err);
		ret = ret ? ret : remote_expect(remote, &message, PROTOCOL_CLOCK, ANSWER_MS, err);
		if (ret == 0) {
			const int64_t theirs_ns = (int64_t)message.number[PROTOCOL_AT_NS];

			remote->shares_clock &= protocol_has(&message, PROTOCOL_AT_NS) && before_ns <= theirs_ns &&
						theirs_ns <= clocks_monotonic_ns();
		}
	}
	return ret;
}

static int meet(struct remote *remote, const char *program_version, const _Atomic bool *stop, struct err *err)
{
	struct clock_identity mine, theirs = { .boot = "" };
	struct protocol_message hello;
	int ret = wait_for_hello(remote, &hello, stop, err);

	if (ret) {
		return ret;
	}
	snprintf(remote->program, sizeof(remote->program), "%.63s", protocol_word(&hello, PROTOCOL_PROGRAM));
	if (protocol_has(&hello, PROTOCOL_BOOT)) {
		snprintf(theirs.boot, sizeof(theirs.boot), "%.39s", protocol_word(&hello, PROTOCOL_BOOT));
		theirs.time_namespace = hello.number[PROTOCOL_TIME_NAMESPACE];
	}
	clock_identify(&mine);
	remote->shares_clock = clock_is_same(&mine, &theirs);
	ret = answer_hello(remote, &mine, program_version, err);
	return ret || !remote->shares_clock ? ret : compare_clocks(remote, err);
}

int remote_start(struct remote *remote, const char *command, const char *program_version, const _Atomic bool *stop,
		 struct err *err)
{
	*remote = (struct remote){ .pid = -1 };
	int ret = start_command(remote, command, err);

	if (ret) {
		return ret;
	}
	ret = meet(remote, program_version, stop, err);
	if (ret) {
		remote_end(remote);
	}
	return ret;
}

/* ---- settings ---- */

int remote_set(struct remote *remote, const char *address, const char *words, struct coalesce *reported,
	       struct err *err)
{
	struct protocol_message message;

	protocol_init(&message, PROTOCOL_SET);
	protocol_put_text(&message, PROTOCOL_ADDRESS, address);
	if (words[0]) {
		protocol_put_text(&message, PROTOCOL_TEXT, words);
	}
	int ret = remote_say(remote, &message, err);

	ret = ret ? ret : remote_expect(remote, &message, PROTOCOL_SETTING, SET_MS, err);
	*reported = (struct coalesce){ 0 };
	if (ret == 0 && protocol_has(&message, PROTOCOL_TEXT)) {
		ret = coalesce_parse_text(reported, message.text, err);
	}
	return ret;
}
