/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command with all its children, which is over when we are, however that comes about. Theory of operation: keeper.c.
 */
#ifndef HOLDOFF_GUEST_KEEPER_H
#define HOLDOFF_GUEST_KEEPER_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct keeper {
	char folder[PATH_MAX]; /* for the command's files, made by keeper_start */
	pid_t process, group;
	int fd; /* the keeper reads the group's number from it, and then our end */
};

/*
 * Makes the folder, in $TMPDIR or /tmp, and the process that will remove it. 0 or a negative errno. Borrows nothing;
 * every keeper that was started wants keeper_end.
 */
int keeper_start(struct keeper *keeper, struct err *err);

struct keeper_command {
	const char *const *arguments; /* NULL at the end; the first is the path of the program */
	int output_fd;                /* its standard output, or -1: ours */
	bool is_interactive;          /* it gets our standard input, and the terminal until it is done */
};

/*
 * Runs the command in a process group of its own and waits for it. Its TMPDIR is the keeper's folder. SIGINT, SIGTERM
 * and SIGHUP meanwhile end the group, and *interrupted is that signal then, else 0. Returns the command's exit status, 128
 * and the signal that killed it, or a negative errno.
 */
int keeper_run(struct keeper *keeper, const struct keeper_command *command, int *interrupted, struct err *err);

/* Ends what is left of the group and removes the folder; returns when both is done. */
void keeper_end(struct keeper *keeper);

#endif
