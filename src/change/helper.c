/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Theory of operation. The helper knows nothing but a token; everything else it reads from the entry, again and again: whether the layer
 * with that token is still there (else it is confirmed, put back or given up, and the helper ends), whether it was applied, and
 * when it is due. It waits for four things: the command's end (a socket that the command holds the other end of), the deadline (a timer of
 * CLOCK_BOOTTIME), a change of the folder (inotify, so that it ends soon after a confirmation), and SIGTERM.
 *
 * It is a fork of the command and no program of its own: it works when the program's file was removed or replaced, and from other programs
 * that use this part. It leaves the command's process group and session, so a terminal's or ssh's end does not reach it.
 */
#include "change/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "change/change_private.h"
#include "nic/netlink.h"

#define READY_TIMEOUT_MS 10000

/* A command that is still at it so long after the deadline hangs or was stopped; the kernel's answer may take 5 s. */
#define GRACE_NS (7 * NS_PER_S)

/* A revert that fails is tried again, ever more rarely, for about ten minutes. */
#define RETRY_FIRST_NS (250 * NS_PER_MS)
#define RETRY_MAX_NS (60 * NS_PER_S)
#define RETRIES 18

#define PROCESS_NAME "holdoff-revert"

/* An entry that cannot be read just now is looked at again. */
#define UNREADABLE_NS (500 * NS_PER_MS)

struct helper {
	const struct helper_task *task;
	int command_fd, timer_fd, watch_fd, signal_fd, command_pidfd; /* -1: not there */
	bool command_ended, is_told_to_end;
	unsigned retries;
	int64_t retry_at_ns;
};

int64_t helper_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* ---- what is to be done ---- */

enum verdict { HELPER_ENDS, HELPER_WAITS, HELPER_REVERTS };

/* By the entry as it is now; *at_ns is when to look again at the latest. */
static enum verdict judge(const struct helper *helper, int64_t *at_ns)
{
	static struct journal journal;
	char path[JOURNAL_PATH_MAX];

	journal_path(path, helper->task->folder, helper->task->netns, helper->task->ifindex, ".entry");
	const int ret = journal_read(&journal, path, NULL);
	const bool is_ours = ret == 0 && journal.open.is_present && journal.open.token == helper->task->token;

	if (ret && ret != -ENOENT && ret != -EBADMSG) {
		/* Out of memory or of descriptors: that says nothing about the entry. */
		*at_ns = helper_now() + UNREADABLE_NS;
		return HELPER_WAITS;
	}
	*at_ns = NEVER_AT_NS;
	if (!is_ours) {
		/* Before the entry is written the command may well be alive. */
		return helper->command_ended ? HELPER_ENDS : HELPER_WAITS;
	}
	if (helper->command_ended && helper->is_told_to_end) {
		return HELPER_REVERTS;
	}
	if (!journal.open.is_applied || journal.open.deadline_at_ns == NEVER_AT_NS) {
		/* Half done, or not yet kept. A trial that could not be put back has no deadline any more either. */
		*at_ns = helper->task->deadline_at_ns;
		return helper->command_ended ? HELPER_REVERTS : HELPER_WAITS;
	}
	*at_ns = journal.open.deadline_at_ns;
	return helper->command_ended && helper_now() >= *at_ns ? HELPER_REVERTS : HELPER_WAITS;
}

/* ---- waiting ---- */

static void arm_timer(const struct helper *helper, int64_t at_ns)
{
	struct itimerspec when = { 0 };

	if (at_ns != NEVER_AT_NS) {
		/* 0 would disarm it. */
		at_ns = at_ns > 0 ? at_ns : 1;
		when.it_value.tv_sec = (time_t)(at_ns / NS_PER_S);
		when.it_value.tv_nsec = (long)(at_ns % NS_PER_S);
	}
	timerfd_settime(helper->timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
}

/* Takes what has come; there is nothing in it but that it came. */
static bool drain(int fd)
{
	_Alignas(8) char buffer[4096];
	bool has_come = false;

	while (read(fd, buffer, sizeof(buffer)) > 0) {
		has_come = true;
	}
	return has_come;
}

static void end_hanging_command(const struct helper *helper)
{
	if (helper->command_pidfd >= 0) {
		syslog(LOG_ERR, "%s: the command that set it hangs past its deadline and is ended", helper->task->name);
		syscall(SYS_pidfd_send_signal, helper->command_pidfd, SIGKILL, NULL, 0);
	}
}

static void wait_until(struct helper *helper, int64_t at_ns)
{
	struct pollfd fds[] = {
		{ .fd = helper->command_ended ? -1 : helper->command_fd, .events = POLLIN },
		{ .fd = helper->timer_fd, .events = POLLIN },
		{ .fd = helper->watch_fd, .events = POLLIN },
		{ .fd = helper->signal_fd, .events = POLLIN },
	};

	arm_timer(helper, at_ns);
	if (poll(fds, sizeof(fds) / sizeof(fds[0]), -1) < 0 && errno != EINTR) {
		const struct timespec span = { .tv_nsec = 100000000 };

		nanosleep(&span, NULL);
	}
	helper->command_ended |= (fds[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0;
	drain(helper->timer_fd);
	drain(helper->watch_fd);
	helper->is_told_to_end |= drain(helper->signal_fd);
}

/* The deadline has come, and the command still holds the lock. */
static void wait_for_command(struct helper *helper, int64_t deadline_at_ns)
{
	if (deadline_at_ns == NEVER_AT_NS || helper_now() < deadline_at_ns) {
		wait_until(helper, deadline_at_ns);
		return;
	}
	wait_until(helper, deadline_at_ns + GRACE_NS);
	if (!helper->command_ended && helper_now() >= deadline_at_ns + GRACE_NS) {
		end_hanging_command(helper);
		helper->command_ended = true;
	}
}

/* True when there is nothing more to do. */
static bool revert(struct helper *helper, int *status)
{
	struct err err = { "" };
	const int ret = change_revert_trial(helper->task, helper->is_told_to_end, &err);

	if (ret == CHANGE_NOT_DUE) {
		return false;
	}
	*status = ret == 0 ? 0 : ret == -ESTALE ? 1 : 7;
	if (ret == 0) {
		return true;
	}
	syslog(LOG_ERR, "%s could not be put back: %s", helper->task->name, err.text);
	if (ret == -ESTALE || helper->is_told_to_end || helper->retries == RETRIES) {
		return true;
	}
	const int64_t span_ns = RETRY_FIRST_NS << (helper->retries < 8 ? helper->retries : 8);

	helper->retry_at_ns = helper_now() + time_min(span_ns, RETRY_MAX_NS);
	helper->retries++;
	return false;
}

static int watch_over(struct helper *helper)
{
	int status = 0;

	for (;;) {
		int64_t at_ns;

		switch (judge(helper, &at_ns)) {
		case HELPER_ENDS:
			change_clean(helper->task);
			return status;
		case HELPER_REVERTS:
			if (helper->retry_at_ns > helper_now() && !helper->is_told_to_end) {
				wait_until(helper, helper->retry_at_ns);
			} else if (revert(helper, &status)) {
				return status;
			}
			break;
		case HELPER_WAITS:
			if (helper->command_ended) {
				wait_until(helper, at_ns);
			} else {
				wait_for_command(helper, at_ns);
			}
			break;
		}
	}
}

/* ---- starting ---- */

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Every descriptor but those of the helper's own, and a test's peer. While it has the command's it would hold the lock
 * and not see the command's end: without close_range (Linux 5.9) it does not start. */
static bool close_others(int command_fd)
{
	const char *const peer = getenv(NETLINK_FD_VARIABLE);
	int kept[2] = { command_fd, peer ? atoi(peer) : command_fd };
	unsigned from = 3;
	bool are_closed = true;

	qsort(kept, 2, sizeof(kept[0]), by_number);
	for (unsigned i = 0; i < 2; i++) {
		if (kept[i] > (int)from) {
			are_closed &= syscall(SYS_close_range, from, (unsigned)kept[i] - 1, 0) == 0;
		}
		from = kept[i] >= (int)from ? (unsigned)kept[i] + 1 : from;
	}
	return are_closed && syscall(SYS_close_range, from, ~0u, 0) == 0;
}

static void leave_terminal(void)
{
	const int null = open("/dev/null", O_RDWR);

	for (int fd = 0; fd <= 2 && null >= 0; fd++) {
		dup2(null, fd);
	}
	if (null > 2) {
		close(null);
	}
	if (chdir("/") < 0) {
		_exit(7);
	}
	prctl(PR_SET_NAME, PROCESS_NAME);
	openlog("holdoff", LOG_PID, LOG_DAEMON);
}

static int open_signals(void)
{
	sigset_t all, ending;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigemptyset(&ending);
	sigaddset(&ending, SIGTERM);
	return signalfd(-1, &ending, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* The watch is a convenience: without it the helper only ends later. */
static int open_watch(const char *folder)
{
	const int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	if (fd >= 0 && inotify_add_watch(fd, folder, IN_MOVED_TO | IN_DELETE) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

__attribute__((noreturn)) static void run_helper(const struct helper_task *task, int command_fd, pid_t command)
{
	struct helper helper = { .task = task, .command_fd = command_fd };

	/* Pending signals are those of the command: a fork starts without. */
	if (!close_others(command_fd)) {
		_exit(7);
	}
	helper.signal_fd = open_signals();
	helper.timer_fd = timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
	helper.watch_fd = open_watch(task->folder);
	helper.command_pidfd = (int)syscall(SYS_pidfd_open, command, 0);
	leave_terminal();
	const bool is_ready = helper.timer_fd >= 0 && helper.signal_fd >= 0;
	const uint32_t pid = (uint32_t)getpid();

	if (!is_ready || send(command_fd, &pid, sizeof(pid), MSG_NOSIGNAL) != (ssize_t)sizeof(pid)) {
		_exit(7);
	}
	_exit(watch_over(&helper));
}

/* In the child of the command: a session of its own, then a child that is nobody's and cannot get a terminal. */
__attribute__((noreturn)) static void detach(const struct helper_task *task, int command_fd, pid_t command)
{
	setsid();
	const pid_t child = fork();

	if (child == 0) {
		run_helper(task, command_fd, command);
	}
	_exit(child < 0);
}

static int wait_ready(int fd, uint32_t *pid)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	int ready;

	do {
		ready = poll(&pollfd, 1, READY_TIMEOUT_MS);
	} while (ready < 0 && errno == EINTR);
	return ready == 1 && read(fd, pid, sizeof(*pid)) == (ssize_t)sizeof(*pid) ? 0 : -ECHILD;
}

static int complain(int code, struct err *err)
{
	return err_set(err, code, "the process that would put it back cannot be started: %s; nothing was sent",
		       strerror(-code));
}

int helper_start(const struct helper_task *task, uint32_t *pid, struct err *err)
{
	const pid_t command = getpid();
	int fds[2], status = 0;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0) {
		return complain(-errno, err);
	}
	const pid_t child = fork();

	if (child == 0) {
		detach(task, fds[1], command);
	}
	close(fds[1]);
	if (child < 0) {
		const int code = errno;

		close(fds[0]);
		return complain(-code, err);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
	}
	if (wait_ready(fds[0], pid)) {
		close(fds[0]);
		return complain(-ECHILD, err);
	}
	return fds[0];
}

/* ---- from outside ---- */

/* Another process may have its number by now. False if /proc does not tell. */
static bool has_other_name(uint32_t pid)
{
	char path[32], name[32];

	snprintf(path, sizeof(path), "/proc/%u/comm", (unsigned)pid);
	const int file = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t got = file < 0 ? -1 : read(file, name, sizeof(name));

	if (file >= 0) {
		close(file);
	}
	return got > 0 && (got != (ssize_t)sizeof(PROCESS_NAME) || memcmp(name, PROCESS_NAME "\n", (size_t)got) != 0);
}

bool helper_is_gone(uint32_t pid)
{
	if (!pid) {
		return false;
	}
	const int fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);

	if (fd < 0) {
		return errno == ESRCH;
	}
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	/* Readable once it has ended, also while nobody has waited for it. */
	const bool has_ended = poll(&pollfd, 1, 0) == 1;

	close(fd);
	return has_ended || has_other_name(pid);
}
