/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests of this part share: a nic whose far end is the scripted peer (test/peer). The interface is lo,
 * which every network namespace has; nothing is ever set on it.
 */
#ifndef HOLDOFF_NIC_NIC_TESTING_H
#define HOLDOFF_NIC_NIC_TESTING_H

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nic/netlink.h"
#include "nic/nic.h"
#include "peer/peer.h"
#include "tap.h"

struct testing_peer {
	pid_t server;
	int control;
};

/* Options as the peer's program takes them, "--driver fec@old --speed 100"; no value may hold a blank. */
static inline struct peer_config testing_config(const char *options)
{
	struct peer_config config = peer_config_default();
	struct err err = { "" };
	char text[512], *rest = NULL;

	snprintf(text, sizeof(text), "%s", options);
	for (char *name = strtok_r(text, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
		if (strcmp(name, "--no-per-queue") == 0) {
			config.has_per_queue = false;
		} else if (strcmp(name, "--no-identity") == 0) {
			config.hides_identity = true;
		} else if (strcmp(name, "--no-link") == 0) {
			config.has_no_link = true;
		} else if (peer_config_option(&config, name, strtok_r(NULL, " ", &rest), &err)) {
			fprintf(stderr, "%s %s\n", name, err.text);
			abort();
		}
	}
	return config;
}

/* From here to testing_end everything that is opened talks to this peer. */
static inline struct testing_peer testing_begin(const char *options)
{
	const struct peer_config config = testing_config(options);
	struct testing_peer peer;
	char number[16];

	peer.control = peer_start(&config, NULL, NULL, &peer.server);
	if (peer.control < 0) {
		abort();
	}
	snprintf(number, sizeof(number), "%d", peer.control);
	setenv(NETLINK_FD_VARIABLE, number, 1);
	return peer;
}

static inline void testing_end(struct testing_peer *peer)
{
	int status = 0;

	unsetenv(NETLINK_FD_VARIABLE);
	close(peer->control);
	kill(peer->server, SIGTERM);
	waitpid(peer->server, &status, 0);
}

static inline struct nic testing_nic(void)
{
	struct err err = { "" };
	struct nic nic;

	if (nic_open(&nic, "lo", &err)) {
		printf("# %s\n", err.text);
		abort();
	}
	return nic;
}

static inline struct coalesce testing_settings(const char *words)
{
	struct err err = { "" };
	struct coalesce settings;

	if (coalesce_parse_text(&settings, words, &err)) {
		printf("# %s\n", err.text);
		abort();
	}
	return settings;
}

/* "rx-usecs 3", or the name of the errno. */
static inline const char *testing_get(struct nic *nic, struct err *err)
{
	static char text[COALESCE_TEXT_MAX];
	struct coalesce settings;
	const int ret = nic_coalesce_get(nic, &settings, err);

	return ret ? err_name(ret, text) : coalesce_print(&settings, text);
}

#endif
