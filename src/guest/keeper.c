/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Theory of operation. A process that is killed cannot tidy up, so another one does: the keeper, a fork of the command,
 * deaf to signals and in a session of its own. It reads a pipe whose other end only we hold. The first thing in it is the
 * number of the process group that runs on our behalf; the next thing is its end, because we closed it or are no more. Then
 * the keeper kills the group and removes the folder. There is one way to the end for success, Ctrl-C and kill -9.
 *
 * The group's leader stays a zombie until the keeper is done, so that the group's number is not somebody else's by then; after
 * kill -9 of us init reaps it, in the very moment in which the keeper wakes up. The leader also asks the kernel to be
 * killed with us, for the moment before the keeper knows its number.
 */
#include "guest/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define PROCESS_NAME "holdoff-keeper"

/* Processes that were killed may still be making files for a moment. */
#define REMOVE_TRIES 100
#define REMOVE_WAIT_US 20000

/* ---- in the keeper ---- */

static int remove_one(const char *path, const struct stat *stat, int kind, struct FTW *where)
{
	(void)stat;
	(void)kind;
	(void)where;
	remove(path);
	return 0;
}

static void remove_folder(const char *folder)
{
	for (int tries = 0; tries < REMOVE_TRIES && access(folder, F_OK) == 0; tries++) {
		if (tries) {
			usleep(REMOVE_WAIT_US);
		}
		nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	}
}

/* Standard descriptors may be pipes whose readers wait for their end. */
static void leave_everything(void)
{
	const int null = open("/dev/null", O_RDWR);

	for (int fd = 0; fd <= 2 && null >= 0; fd++) {
		dup2(null, fd);
	}
	setsid();
	prctl(PR_SET_NAME, PROCESS_NAME);
	for (int number = 1; number < NSIG; number++) {
		signal(number, SIG_IGN);
	}
}

static ssize_t read_patiently(int fd, void *buffer, size_t size)
{
	ssize_t count;

	do {
		count = read(fd, buffer, size);
	} while (count < 0 && errno == EINTR);
	return count;
}

__attribute__((noreturn)) static void keep(const char *folder, int fd)
{
	pid_t group = 0;
	char nothing;

	leave_everything();
	if (read_patiently(fd, &group, sizeof(group)) == (ssize_t)sizeof(group)) {
		while (read_patiently(fd, &nothing, 1) > 0) {
		}
		kill(-group, SIGKILL);
	}
	remove_folder(folder);
	_exit(0);
}

/* ---- in the command ---- */

static int make_folder(char folder[PATH_MAX], struct err *err)
{
	const char *const place = getenv("TMPDIR");

	snprintf(folder, PATH_MAX, "%s/holdoff-bench.XXXXXX", place && *place ? place : "/tmp");
	if (!mkdtemp(folder)) {
		return err_set(err, -errno, "no folder can be made in \"%.200s\", which is for temporary files: %s",
			       place && *place ? place : "/tmp", strerror(errno));
	}
	return 0;
}

static int fork_keeper(struct keeper *keeper, const int fds[2])
{
	keeper->process = fork();
	if (keeper->process == 0) {
		close(fds[1]);
		keep(keeper->folder, fds[0]);
	}
	return keeper->process < 0 ? -errno : 0;
}

int keeper_start(struct keeper *keeper, struct err *err)
{
	int fds[2];
	int ret = make_folder(keeper->folder, err);

	if (ret < 0) {
		return ret;
	}
	keeper->group = 0;
	ret = pipe2(fds, O_CLOEXEC) < 0 ? -errno : 0;
	if (ret == 0) {
		ret = fork_keeper(keeper, fds);
		close(fds[0]);
		keeper->fd = fds[1];
	}
	if (ret < 0) {
		remove_folder(keeper->folder);
		return err_set(err, ret, "the process that tidies up cannot be started: %s", strerror(-ret));
	}
	return 0;
}

static volatile sig_atomic_t caught;
static volatile pid_t group_to_end;

static void end_group(int number)
{
	caught = number;
	if (group_to_end > 0) {
		kill(-group_to_end, SIGTERM);
	}
}

static const int ending[] = { SIGINT, SIGTERM, SIGHUP };

#define ENDING (sizeof(ending) / sizeof(ending[0]))

static void catch_signals(struct sigaction before[ENDING])
{
	const struct sigaction action = { .sa_handler = end_group };

	caught = 0;
	for (unsigned i = 0; i < ENDING; i++) {
		sigaction(ending[i], NULL, &before[i]);
		/* nohup stays nohup. */
		if (before[i].sa_handler != SIG_IGN) {
			sigaction(ending[i], &action, NULL);
		}
	}
}

static void release_signals(const struct sigaction before[ENDING])
{
	for (unsigned i = 0; i < ENDING; i++) {
		sigaction(ending[i], &before[i], NULL);
	}
}

/* Its own group has to have the terminal, or reading from it stops it. */
static void give_terminal(pid_t group)
{
	signal(SIGTTOU, SIG_IGN);
	tcsetpgrp(STDIN_FILENO, group);
	signal(SIGTTOU, SIG_DFL);
}

__attribute__((noreturn)) static void run_child(const struct keeper *keeper, const struct keeper_command *command,
						pid_t parent)
{
	const int input = command->is_interactive ? STDIN_FILENO : open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (command->is_interactive) {
		give_terminal(getpid());
	}
	/* Whom the terminal or the parent is gone for before it was asked about. */
	if (getppid() != parent || dup2(input, STDIN_FILENO) < 0 ||
	    (command->output_fd >= 0 && dup2(command->output_fd, STDOUT_FILENO) < 0) ||
	    setenv("TMPDIR", keeper->folder, 1) < 0) {
		_exit(126);
	}
	execv(command->arguments[0], (char *const *)command->arguments);
	_exit(126);
}

/* The zombie is kept. */
static int wait_for(pid_t process)
{
	siginfo_t info = { 0 };

	while (waitid(P_PID, (id_t)process, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
	}
	return info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
}

int keeper_run(struct keeper *keeper, const struct keeper_command *command, int *interrupted, struct err *err)
{
	const bool has_terminal = command->is_interactive && isatty(STDIN_FILENO);
	const pid_t parent = getpid();
	struct sigaction before[ENDING];
	struct termios terminal;

	if (has_terminal) {
		tcgetattr(STDIN_FILENO, &terminal);
	}
	fflush(NULL);
	catch_signals(before);
	const pid_t child = fork();
	if (child == 0) {
		release_signals(before);
		run_child(keeper, command, parent);
	}
	if (child < 0) {
		release_signals(before);
		return err_set(err, -errno, "\"%s\" cannot be started: %s", command->arguments[0], strerror(errno));
	}
	setpgid(child, child);
	keeper->group = group_to_end = child;
	if (write(keeper->fd, &child, sizeof(child)) != (ssize_t)sizeof(child) || caught) {
		kill(-child, SIGTERM);
	}
	const int status = wait_for(child);

	group_to_end = 0;
	if (has_terminal) {
		give_terminal(getpgrp());
		tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal);
	}
	release_signals(before);
	*interrupted = caught;
	return status;
}

void keeper_end(struct keeper *keeper)
{
	close(keeper->fd);
	while (waitpid(keeper->process, NULL, 0) < 0 && errno == EINTR) {
	}
	if (keeper->group) {
		while (waitpid(keeper->group, NULL, 0) < 0 && errno == EINTR) {
		}
	}
}
