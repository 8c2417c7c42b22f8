/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many connections, one device: what a kernel is to many processes. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <libmnl/libmnl.h>

#include "peer/peer.h"

#define CONNECTIONS_MAX 250

enum kind { KIND_CONTROL, KIND_LISTENING, KIND_CLIENT };

struct connection {
	int fd;
	enum kind kind;
	bool is_member;
};

struct server {
	struct peer *peer;
	struct connection connections[CONNECTIONS_MAX];
	unsigned count;
	const char *state_path;
	FILE *log;
};

static void add(struct server *server, int fd, enum kind kind)
{
	if (fd < 0 || server->count == CONNECTIONS_MAX) {
		close(fd);
		return;
	}
	server->connections[server->count++] = (struct connection){ .fd = fd, .kind = kind };
}

static void hang_up(struct connection *connection)
{
	close(connection->fd);
	connection->fd = -1;
}

/* A byte with a descriptor is a new connection; "?" asks whether anybody is there. */
static void serve_control(struct server *server, struct connection *control)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr aligned;
	} space;
	char byte;
	struct iovec data = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = space.bytes, .msg_controllen = sizeof(space.bytes)
	};
	const ssize_t bytes = recvmsg(control->fd, &message, MSG_CMSG_CLOEXEC);

	if (bytes <= 0) {
		hang_up(control);
		return;
	}
	const struct cmsghdr *const header = CMSG_FIRSTHDR(&message);

	if (header && header->cmsg_type == SCM_RIGHTS) {
		int fd;

		memcpy(&fd, CMSG_DATA(header), sizeof(fd));
		add(server, fd, KIND_CLIENT);
	} else if (byte == '?' && send(control->fd, "!", 1, MSG_NOSIGNAL) < 0) {
		hang_up(control);
	}
}

static void sleep_ms(unsigned ms)
{
	const struct timespec time = { .tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000 };

	if (ms) {
		nanosleep(&time, NULL);
	}
}

/* A member that does not read loses notifications, as with the kernel. */
static void notify(struct server *server, const struct peer_replies *replies)
{
	for (unsigned i = 0; i < server->count && replies->notification_bytes; i++) {
		const struct connection *const connection = &server->connections[i];

		if (connection->is_member && connection->fd >= 0 &&
		    send(connection->fd, replies->notification, replies->notification_bytes,
			 MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
			continue;
		}
	}
}

/* What is done is saved before anybody hears of it. */
static void finish(struct server *server, struct connection *client, const struct peer_replies *replies)
{
	if (replies->changed && server->state_path) {
		peer_save(server->peer, server->state_path);
	}
	if (server->log && server->peer->log[0]) {
		fprintf(server->log, "%s\n", server->peer->log);
		fflush(server->log);
	}
	notify(server, replies);
	for (unsigned i = 0; i < replies->count; i++) {
		if (send(client->fd, replies->bytes + replies->begins[i], replies->sizes[i], MSG_NOSIGNAL) < 0) {
			hang_up(client);
			return;
		}
	}
	if (replies->hangs_up) {
		hang_up(client);
	}
}

static void serve_client(struct server *server, struct connection *client)
{
	static struct peer_replies replies;
	static uint8_t request[65536] __attribute__((aligned(8)));
	const ssize_t bytes = recv(client->fd, request, sizeof(request), MSG_DONTWAIT);

	if (bytes <= 0) {
		if (bytes == 0 || errno != EAGAIN) {
			hang_up(client);
		}
		return;
	}
	sleep_ms(server->peer->config.delay_ms / 2);
	peer_answer(server->peer, request, (size_t)bytes, &replies);
	if (server->peer->config.delay_ms && replies.changed && server->state_path) {
		peer_save(server->peer, server->state_path);
	}
	sleep_ms((server->peer->config.delay_ms + 1) / 2);
	finish(server, client, &replies);
}

/*
 * Whoever has joined before somebody's request hears of it, as with the kernel, whichever connection comes first
 * here.
 */
static void take_join(struct connection *client)
{
	struct nlmsghdr message;

	if (recv(client->fd, &message, sizeof(message), MSG_PEEK | MSG_DONTWAIT) == (ssize_t)sizeof(message) &&
	    message.nlmsg_type == NLMSG_NOOP) {
		recv(client->fd, &message, sizeof(message), MSG_DONTWAIT);
		client->is_member = true;
	}
}

static void serve_one(struct server *server, struct connection *connection)
{
	switch (connection->kind) {
	case KIND_LISTENING:
		add(server, accept4(connection->fd, NULL, NULL, SOCK_CLOEXEC), KIND_CONTROL);
		break;
	case KIND_CONTROL:
		serve_control(server, connection);
		break;
	case KIND_CLIENT:
		serve_client(server, connection);
		break;
	}
}

/* Drops the closed ones; whether somebody is left who could ask. */
static bool tidy(struct server *server)
{
	unsigned kept = 0;
	bool any = false;

	for (unsigned i = 0; i < server->count; i++) {
		if (server->connections[i].fd >= 0) {
			any |= server->connections[i].kind != KIND_LISTENING;
			server->connections[kept++] = server->connections[i];
		}
	}
	server->count = kept;
	return any;
}

void peer_serve(struct peer *peer, int control, int listening, const char *state_path, const char *log_path)
{
	struct server server = { .peer = peer,
				 .state_path = state_path,
				 .log = log_path ? fopen(log_path, "ae") : NULL };
	struct pollfd pollfds[CONNECTIONS_MAX];

	if (listening >= 0) {
		add(&server, listening, KIND_LISTENING);
	}
	add(&server, control, KIND_CONTROL);
	while (tidy(&server)) {
		const unsigned count = server.count;

		for (unsigned i = 0; i < count; i++) {
			pollfds[i] = (struct pollfd){ .fd = server.connections[i].fd, .events = POLLIN };
		}
		if (poll(pollfds, count, -1) < 0 && errno != EINTR) {
			break;
		}
		for (unsigned i = 0; i < count; i++) {
			if (pollfds[i].revents && server.connections[i].kind == KIND_CLIENT) {
				take_join(&server.connections[i]);
			}
		}
		for (unsigned i = 0; i < count; i++) {
			if (pollfds[i].revents && server.connections[i].fd >= 0) {
				serve_one(&server, &server.connections[i]);
			}
		}
	}
	if (server.log) {
		fclose(server.log);
	}
}

int peer_start(const struct peer_config *config, const char *state_path, const char *log_path, pid_t *server)
{
	static struct peer peer;
	struct err err = { "" };
	int ends[2];

	if (peer_init(&peer, config, &err) || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends)) {
		fprintf(stderr, "peer: %s\n", err.text);
		return -1;
	}
	if (state_path) {
		peer_load(&peer, state_path);
	}
	fflush(NULL);
	*server = fork();
	if (*server == 0) {
		close(ends[0]);
		fcntl(ends[1], F_SETFD, FD_CLOEXEC);
		peer_serve(&peer, ends[1], -1, state_path, log_path);
		_exit(0);
	}
	close(ends[1]);
	return ends[0];
}
