/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff peer: the far end of a load, started by it over a shell. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/peer_set.h"
#include "live/peer.h"

static const struct cmd_usage peer_usage = {
	.name = "peer",
	.synopsis = NULL,
	.about = "The far end of holdoff load, which starts it itself:\n"
		 "\n"
		 "  holdoff load HOST --peer 'ssh user@HOST holdoff peer' --workload ...\n"
		 "\n"
		 "It speaks with the other end over stdin and stdout, opens no port but that of the data, sends\n"
		 "to the other end alone and no more than that asks for, and ends with its stdin.\n",
};

int cmd_peer(int argc, char **argv)
{
	struct cmd_arguments arguments;
	struct err err = { "" };
	const char *value;

	cmd_arguments_init(&arguments, &peer_usage, argc, argv);
	if (cmd_next(&arguments, &value) == CMD_STOP) {
		return arguments.status;
	}
	if (isatty(STDIN_FILENO)) {
		return cmd_usage_error(&peer_usage,
				       "holdoff load starts its peer itself: there is nothing to type here");
	}
	signal(SIGPIPE, SIG_IGN);
	const int ret = peer_serve(STDIN_FILENO, STDOUT_FILENO, HOLDOFF_VERSION, peer_setter(), &err);
	const int back = peer_put_back();

	/* What was wrong with the other end has been said to it, which is where somebody reads it, if it still listens. */
	if (ret && !err.text[0]) {
		err_set(&err, ret, "the other end cannot be told anything: %s", strerror(-ret));
		cmd_fail(-EINVAL, &err);
	}
	return back ? CMD_REVERT_FAILED : ret ? CMD_USAGE : CMD_FINE;
}
