/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program at the far end: a command for the shell whose stdin and stdout are pipes ("ssh user@host holdoff peer"). What
 * it writes to stderr goes to ours. It stays between loads; its end, by whatever, is seen and said.
 *
 * The caller ignores SIGPIPE. The command ignores SIGINT: a terminal's Ctrl-C is for us to end it in order.
 */
#ifndef HOLDOFF_LIVE_REMOTE_H
#define HOLDOFF_LIVE_REMOTE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "coalesce/settings.h"
#include "live/clock.h"
#include "live/protocol.h"

struct remote {
	int in, out; /* its stdout and stdin */
	pid_t pid;
	bool has_ended;
	bool shares_clock;               /* CLOCK_MONOTONIC here and there is one and the same */
	char program[PROTOCOL_WORD_MAX]; /* its version */
	struct protocol_lines lines;
};

/* In the network namespace that the process is in now. Waits for its hello, *stop (may be NULL) ends that. On failure
 * nothing is left. */
int remote_start(struct remote *remote, const char *command, const char *program_version, const _Atomic bool *stop,
		 struct err *err);

int remote_say(struct remote *remote, const struct protocol_message *message, struct err *err);
/*
 * The next message. -ETIMEDOUT after timeout_ms; -EPIPE when the command has ended; -EPROTO for what is no
 * message; its error message: -EREMOTEIO with its sentence.
 */
int remote_hear(struct remote *remote, struct protocol_message *message, int timeout_ms, struct err *err);
/* As remote_hear, and the message has to be of this kind; a left-over "ended" is passed over. */
int remote_expect(struct remote *remote, struct protocol_message *message, enum protocol_kind kind, int timeout_ms,
		  struct err *err);

/*
 * Sets the interface of the other end that has this address (words as `ethtool -C` has them; "": back to what was there before
 * the first of these). *reported is what it says then. -EREMOTEIO: refused there, with its sentence. The other end puts it back by
 * itself when it ends, in whatever way.
 */
int remote_set(struct remote *remote, const char *address, const char *words, struct coalesce *reported,
	       struct err *err);

/* Whether a message may be waiting; otherwise remote->in is to be polled. */
bool remote_has_line(const struct remote *remote);

/* Closes the pipes, which ends it, and waits for that; what does not end is killed. */
void remote_end(struct remote *remote);

#endif
