/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/link_watch.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdalign.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nic/netlink.h"

#define LOWER_UP (1u << 16) /* IFF_LOWER_UP, which <net/if.h> lacks */

static int take_attribute(void *context, const struct nlattr *attribute, struct err *err)
{
	struct link_state *const state = context;

	(void)err;
	if (mnl_attr_get_type(attribute) == IFLA_IFNAME) {
		netlink_text(attribute, state->name, sizeof(state->name));
	}
	return 0;
}

static void take_link(struct link_watch *watch, const struct nlmsghdr *message)
{
	const struct ifinfomsg *const header = mnl_nlmsg_get_payload(message);

	/* A bridge tells of its ports in messages of its own family. */
	if (mnl_nlmsg_get_payload_len(message) < sizeof(*header) || header->ifi_index != watch->ifindex ||
	    header->ifi_family != AF_UNSPEC) {
		return;
	}
	watch->now.is_gone = message->nlmsg_type == RTM_DELLINK;
	watch->now.is_up = header->ifi_flags & IFF_UP;
	watch->now.has_carrier = header->ifi_flags & LOWER_UP;
	netlink_attributes(message, sizeof(*header), take_attribute, &watch->now, NULL);
}

static void take_message(struct link_watch *watch, const struct nlmsghdr *message)
{
	const struct nlmsgerr *const error = mnl_nlmsg_get_payload(message);

	if (message->nlmsg_type == RTM_NEWLINK || message->nlmsg_type == RTM_DELLINK) {
		take_link(watch, message);
	} else if (message->nlmsg_type == NLMSG_ERROR && mnl_nlmsg_get_payload_len(message) >= sizeof(*error) &&
		   error->error == -ENODEV) {
		watch->now.is_gone = true;
	}
}

static int ask(const struct link_watch *watch)
{
	alignas(struct nlmsghdr) uint8_t buffer[256];
	struct nlmsghdr *const message = mnl_nlmsg_put_header(buffer);
	struct ifinfomsg *const header = mnl_nlmsg_put_extra_header(message, sizeof(*header));

	message->nlmsg_type = RTM_GETLINK;
	message->nlmsg_flags = NLM_F_REQUEST;
	header->ifi_index = watch->ifindex;
	return send(watch->fd, message, message->nlmsg_len, 0) < 0 ? -errno : 0;
}

/* All that has come. Where some was lost, the interface is looked at anew. */
static void receive(struct link_watch *watch)
{
	alignas(struct nlmsghdr) uint8_t buffer[NETLINK_MESSAGE_MAX];

	for (;;) {
		const ssize_t bytes = recv(watch->fd, buffer, sizeof(buffer), MSG_DONTWAIT);

		if (bytes < 0 && errno == ENOBUFS && ask(watch) == 0) {
			continue;
		}
		if (bytes <= 0) {
			return;
		}
		int left = (int)bytes;

		for (const struct nlmsghdr *message = (const struct nlmsghdr *)buffer; mnl_nlmsg_ok(message, left);
		     message = mnl_nlmsg_next(message, &left)) {
			take_message(watch, message);
		}
	}
}

int link_watch_open(struct link_watch *watch, int ifindex, struct err *err)
{
	const int group = RTNLGRP_LINK;

	*watch = (struct link_watch){ .fd = -1, .ifindex = ifindex };
	const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd < 0) {
		return err_set(err, -errno, "no netlink socket: %s", strerror(errno));
	}
	watch->fd = fd;
	if (setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) < 0 || ask(watch) < 0) {
		const int ret = err_set(err, -errno, "interfaces cannot be watched: %s", strerror(errno));

		link_watch_close(watch);
		return ret;
	}
	/* The kernel answers while it is being asked. */
	receive(watch);
	watch->told = watch->now;
	return 0;
}

void link_watch_close(struct link_watch *watch)
{
	if (watch->fd >= 0) {
		close(watch->fd);
	}
	watch->fd = -1;
}

/* The first difference, which is then told. An interface that is down has no carrier, which is no news. */
static bool find_difference(struct link_state *told, const struct link_state *now, enum link_change *change)
{
	if (now->is_gone != told->is_gone) {
		told->is_gone = now->is_gone;
		*change = LINK_GONE;
		return now->is_gone;
	}
	if (strcmp(now->name, told->name) != 0) {
		memcpy(told->name, now->name, sizeof(told->name));
		*change = LINK_RENAMED;
		return true;
	}
	if (now->is_up != told->is_up) {
		told->is_up = now->is_up;
		told->has_carrier = now->is_up || now->has_carrier;
		*change = now->is_up ? LINK_CAME_UP : LINK_WENT_DOWN;
		return true;
	}
	if (now->is_up && now->has_carrier != told->has_carrier) {
		told->has_carrier = now->has_carrier;
		*change = now->has_carrier ? LINK_HAS_CARRIER : LINK_LOST_CARRIER;
		return true;
	}
	return false;
}

bool link_watch_next(struct link_watch *watch, enum link_change *change, char name[IFNAMSIZ])
{
	if (watch->fd < 0) {
		return false;
	}
	receive(watch);
	if (!find_difference(&watch->told, &watch->now, change)) {
		return false;
	}
	memcpy(name, watch->told.name, IFNAMSIZ);
	return true;
}

const char *link_change_words(enum link_change change)
{
	static const char *const words[] = {
		[LINK_WENT_DOWN] = "went down",
		[LINK_CAME_UP] = "came up",
		[LINK_LOST_CARRIER] = "lost its carrier",
		[LINK_HAS_CARRIER] = "has a carrier again",
		[LINK_RENAMED] = "is the interface's new name",
		[LINK_GONE] = "is gone",
	};

	return words[change];
}
