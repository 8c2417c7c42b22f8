/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sockets to the kernel or to a test's peer, and generic netlink families by name. The controller (family 16)
 * answers with a family's number, which differs from boot to boot, and with those of its multicast groups.
 */
#include "nic/netlink.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"

#define LOOK_UP_TIMEOUT_MS 5000
#define GROUP_NAME_MAX 16

/* ---- families ---- */

struct family_search {
	struct netlink *netlink;
	const char *group;
	char name[GROUP_NAME_MAX]; /* of the group at hand */
	uint64_t id;
};

static int take_group(void *context, const struct nlattr *attribute, struct err *err)
{
	struct family_search *const search = context;

	switch (mnl_attr_get_type(attribute)) {
	case CTRL_ATTR_MCAST_GRP_NAME:
		netlink_text(attribute, search->name, sizeof(search->name));
		return 0;
	case CTRL_ATTR_MCAST_GRP_ID:
		return netlink_number(attribute, UINT32_MAX, &search->id, err);
	default:
		return 0;
	}
}

static int take_group_entry(void *context, const struct nlattr *attribute, struct err *err)
{
	struct family_search *const search = context;

	search->name[0] = '\0';
	search->id = 0;
	const int ret = netlink_nest(attribute, take_group, search, err);

	if (!ret && search->group && strcmp(search->name, search->group) == 0) {
		search->netlink->monitor_group = (uint32_t)search->id;
	}
	return ret;
}

static int take_family_attribute(void *context, const struct nlattr *attribute, struct err *err)
{
	struct family_search *const search = context;
	uint64_t id;

	if (mnl_attr_get_type(attribute) == CTRL_ATTR_MCAST_GROUPS) {
		return netlink_nest(attribute, take_group_entry, search, err);
	}
	if (mnl_attr_get_type(attribute) != CTRL_ATTR_FAMILY_ID) {
		return 0;
	}
	const int ret = netlink_number(attribute, UINT16_MAX, &id, err);

	if (!ret) {
		search->netlink->family = (uint16_t)id;
	}
	return ret;
}

static int take_family(void *context, const struct nlmsghdr *message, struct err *err)
{
	struct family_search *const search = context;

	/* The controller's type stands for the family until it is known. */
	search->netlink->family = 0;
	const int ret = netlink_attributes(message, GENL_HDRLEN, take_family_attribute, search, err);

	if (!search->netlink->family) {
		search->netlink->family = GENL_ID_CTRL;
	}
	return ret;
}

static int look_up(struct netlink *netlink, const char *family, const char *group, struct err *err)
{
	alignas(struct nlmsghdr) uint8_t buffer[NETLINK_MESSAGE_MAX];
	struct family_search search = { .netlink = netlink, .group = group };

	snprintf(netlink->name, sizeof(netlink->name), "%s", family);
	netlink->family = GENL_ID_CTRL;
	struct nlmsghdr *const request = netlink_request(netlink, buffer, CTRL_CMD_GETFAMILY, 1, 0);

	mnl_attr_put_strz(request, CTRL_ATTR_FAMILY_NAME, family);
	const int ret = netlink_exchange(netlink, request, take_family, &search, LOOK_UP_TIMEOUT_MS, err);

	if (ret == -ENOENT) {
		return err_set(err, ret, "the kernel has no generic netlink family \"%s\"", family);
	}
	if (ret) {
		return err_prefix(err, ret, "looking up the netlink family \"%s\"", family);
	}
	if (netlink->family == GENL_ID_CTRL) {
		return err_set(err, -EBADMSG, "the kernel does not say the id of the netlink family \"%s\"", family);
	}
	return 0;
}

/* ---- sockets ---- */

static void init(struct netlink *netlink, int fd, bool owns_fd)
{
	*netlink = (struct netlink){ .fd = fd, .owns_fd = owns_fd };
	if (getrandom(&netlink->sequence, sizeof(netlink->sequence), GRND_NONBLOCK) < 0) {
		netlink->sequence = (uint32_t)getpid() << 12;
	}
}

/* Not all options exist on every kernel, and all are dispensable. */
static void set_options(int fd)
{
	static const int options[] = { NETLINK_EXT_ACK, NETLINK_CAP_ACK };
	const int on = 1;

	for (unsigned i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		setsockopt(fd, SOL_NETLINK, options[i], &on, sizeof(on));
	}
}

static int open_kernel(struct netlink *netlink, int protocol, struct err *err)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK };
	socklen_t size = sizeof(address);
	const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);

	if (fd < 0) {
		return err_set(err, -errno, "opening a netlink socket: %s", strerror(errno));
	}
	init(netlink, fd, true);
	netlink->is_kernel = true;
	set_options(fd);
	if (bind(fd, (const struct sockaddr *)&address, size) || getsockname(fd, (struct sockaddr *)&address, &size)) {
		const int error = errno;

		close(fd);
		return err_set(err, -error, "binding a netlink socket: %s", strerror(error));
	}
	netlink->port = address.nl_pid;
	return 0;
}

static int pass_descriptor(int over, int fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr aligned;
	} control = { .bytes = { 0 } };
	char byte = 0;
	struct iovec data = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof(control.bytes)
	};
	struct cmsghdr *const header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	ssize_t sent;

	do {
		sent = sendmsg(over, &message, MSG_NOSIGNAL);
	} while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : 0;
}

/* A connection of our own to the peer at the other end of descriptor `over`. */
static int open_peer(struct netlink *netlink, int over, struct err *err)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
		return err_set(err, -errno, "making a pair of sockets: %s", strerror(errno));
	}
	const int ret = pass_descriptor(over, ends[1]);

	close(ends[1]);
	if (ret) {
		close(ends[0]);
		return err_set(err, ret, "%s=%d is no unix socket with a peer: %s", NETLINK_FD_VARIABLE, over,
			       strerror(-ret));
	}
	init(netlink, ends[0], true);
	return 0;
}

static int open_any(struct netlink *netlink, struct err *err)
{
	const char *const variable = getenv(NETLINK_FD_VARIABLE);
	uint32_t over;

	if (!variable) {
		return open_kernel(netlink, NETLINK_GENERIC, err);
	}
	if (text_parse_u32(variable, NETLINK_FD_VARIABLE, &over, err)) {
		return -EINVAL;
	}
	if (over > INT32_MAX) {
		return err_set(err, -EINVAL, "%s: %s is no descriptor", NETLINK_FD_VARIABLE, variable);
	}
	return open_peer(netlink, (int)over, err);
}

int netlink_open(struct netlink *netlink, const char *family, const char *group, struct err *err)
{
	int ret = open_any(netlink, err);

	if (ret) {
		return ret;
	}
	ret = look_up(netlink, family, group, err);
	if (ret) {
		netlink_close(netlink);
	}
	return ret;
}

int netlink_attach(struct netlink *netlink, int fd, const char *family, const char *group, struct err *err)
{
	init(netlink, fd, false);
	return look_up(netlink, family, group, err);
}

int netlink_open_route(struct netlink *netlink, struct err *err)
{
	const int ret = open_kernel(netlink, NETLINK_ROUTE, err);

	if (!ret) {
		snprintf(netlink->name, sizeof(netlink->name), "route");
	}
	return ret;
}

void netlink_close(struct netlink *netlink)
{
	if (netlink->owns_fd && netlink->fd >= 0) {
		close(netlink->fd);
	}
	netlink->fd = -1;
}
