/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "live/bulk.h"

#define CONNECT_MS 5000
#define BACKLOG 8

static int fail(int fd, const char *what, const struct address *address, struct err *err)
{
	const int error = errno;
	char text[ADDRESS_TEXT_MAX];

	if (fd >= 0) {
		close(fd);
	}
	return err_set(err, -error, "%s %s: %s", what, address_print(address, text), strerror(error));
}

/* A datagram that does not fit leaves in no fragments: its frames would not be those of the workload. */
static void forbid_fragments(int fd, const struct address *address)
{
	const int always = address->any.sa_family == AF_INET6 ? IPV6_PMTUDISC_DO : IP_PMTUDISC_DO;

	if (address->any.sa_family == AF_INET6) {
		setsockopt(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &always, sizeof(always));
	} else {
		setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &always, sizeof(always));
	}
}

static int open_bound(int type, const struct address *address, int ifindex, struct err *err)
{
	const int fd = socket(address->any.sa_family, type | SOCK_CLOEXEC, 0);

	if (fd < 0 || (ifindex && setsockopt(fd, SOL_SOCKET, SO_BINDTOIFINDEX, &ifindex, sizeof(ifindex))) ||
	    bind(fd, &address->any, address->size)) {
		return fail(fd, "no socket can be had at", address, err);
	}
	return fd;
}

int socket_datagram(const struct address *address, int ifindex, struct err *err)
{
	const int fd = open_bound(SOCK_DGRAM, address, ifindex, err);

	if (fd >= 0) {
		forbid_fragments(fd, address);
	}
	return fd;
}

int socket_connected(const struct address *address, int ifindex, const struct address *to, struct err *err)
{
	const int fd = socket_datagram(address, ifindex, err);

	if (fd >= 0 && connect(fd, &to->any, to->size)) {
		return fail(fd, "there is no way to", to, err);
	}
	return fd;
}

int socket_listen(const struct address *address, const struct workload *workload, struct err *err)
{
	const int fd = open_bound(SOCK_STREAM, address, 0, err);

	if (fd < 0) {
		return fd;
	}
	const int ret = bulk_prepare(fd, workload, err);

	if (ret) {
		close(fd);
		return ret;
	}
	return listen(fd, BACKLOG) ? fail(fd, "no connection can be had at", address, err) : fd;
}

/* With a limit of our own: the kernel's is minutes. */
static int connect_stream(int fd, const struct address *to)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLOUT };
	int error = 0;
	socklen_t size = sizeof(error);

	if (connect(fd, &to->any, to->size) == 0) {
		return 0;
	}
	if (errno != EINPROGRESS) {
		return -1;
	}
	if (poll(&pollfd, 1, CONNECT_MS) != 1) {
		errno = ETIMEDOUT;
		return -1;
	}
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
	errno = error;
	return error ? -1 : 0;
}

int socket_stream(const struct address *address, int ifindex, const struct address *to, const struct workload *workload,
		  struct err *err)
{
	const int fd = open_bound(SOCK_STREAM | SOCK_NONBLOCK, address, ifindex, err);

	if (fd < 0) {
		return fd;
	}
	const int ret = bulk_prepare(fd, workload, err);

	if (ret) {
		close(fd);
		return ret;
	}
	if (connect_stream(fd, to)) {
		return fail(fd, "no connection to", to, err);
	}
	/* From here on calls may wait, with a limit. */
	const int flags = fcntl(fd, F_GETFL);

	fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
	return fd;
}
