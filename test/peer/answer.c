/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One request to its answer. Sources: net/ethtool/netlink.c, coalesce.c and net/core/netdev-genl.c of Linux 6.12,
 * and what the kernel of the machine answered to the same requests (6.18).
 */
#include <errno.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <stdio.h>
#include <string.h>

#include <libmnl/libmnl.h>

#include "nic/stand_in.h"
#include "peer/peer.h"
#include "peer/peer_private.h"

enum {
	FAMILY_ETHTOOL = 21,
	FAMILY_NETDEV = 20,
	FAMILY_STAND_IN = 40,
	GROUP_MONITOR = 5,
};

static void acknowledge(struct asking *asking, int error)
{
	uint8_t buffer[BUILD_BYTES] __attribute__((aligned(8)));

	peer_build_ack(asking->peer->config.extack, asking->request, error, asking->refusal, asking->refused, buffer);
	peer_replies_add(asking->replies, (const struct nlmsghdr *)(const void *)buffer);
}

static uint16_t family_id(const struct peer *peer, const char *name)
{
	if (strcmp(name, ETHTOOL_GENL_NAME) == 0) {
		return FAMILY_ETHTOOL;
	}
	if (strcmp(name, "netdev") == 0 && peer->kernel >= KERNEL(6, 8)) {
		return FAMILY_NETDEV;
	}
	return strcmp(name, STAND_IN_FAMILY) == 0 && !peer->config.hides_identity ? FAMILY_STAND_IN : 0;
}

static int answer_control(struct asking *asking)
{
	uint8_t buffer[BUILD_BYTES] __attribute__((aligned(8)));
	const struct nlattr *const name = peer_find(asking->request, CTRL_ATTR_FAMILY_NAME);
	char text[16] = "";

	if (name) {
		snprintf(text, sizeof(text), "%.*s", (int)mnl_attr_get_payload_len(name), mnl_attr_get_str(name));
	}
	const uint16_t id = family_id(asking->peer, text);

	if (!id) {
		return -ENOENT;
	}
	struct nlmsghdr *const message = peer_begin(asking, buffer, CTRL_CMD_NEWFAMILY, 0);

	mnl_attr_put_strz(message, CTRL_ATTR_FAMILY_NAME, text);
	mnl_attr_put_u16(message, CTRL_ATTR_FAMILY_ID, id);
	mnl_attr_put_u32(message, CTRL_ATTR_VERSION, 1);
	mnl_attr_put_u32(message, CTRL_ATTR_HDRSIZE, 0);
	struct nlattr *const groups = mnl_attr_nest_start(message, CTRL_ATTR_MCAST_GROUPS);
	struct nlattr *const group = mnl_attr_nest_start(message, 1);

	mnl_attr_put_u32(message, CTRL_ATTR_MCAST_GRP_ID, GROUP_MONITOR);
	mnl_attr_put_strz(message, CTRL_ATTR_MCAST_GRP_NAME,
			  id == FAMILY_ETHTOOL ? ETHTOOL_MCGRP_MONITOR_NAME : "mgmt");
	mnl_attr_nest_end(message, group);
	mnl_attr_nest_end(message, groups);
	peer_replies_add(asking->replies, message);
	return 0;
}

static int answer_family(struct asking *asking)
{
	struct peer *const peer = asking->peer;

	if (peer->now == PEER_GONE) {
		asking->refusal = "no device matches name";
		return -ENODEV;
	}
	if (peer->now == PEER_BUSY) {
		asking->refusal = "the device is resetting";
		return -EBUSY;
	}
	switch (asking->request->nlmsg_type) {
	case GENL_ID_CTRL:
		return answer_control(asking);
	case FAMILY_ETHTOOL:
		return peer_answer_ethtool(asking);
	case FAMILY_NETDEV:
		return peer_answer_netdev(asking);
	case FAMILY_STAND_IN:
		return peer_answer_stand_in(asking);
	default:
		return -ENOENT;
	}
}

/* Looking families up and the stand-ins always work. */
static enum peer_misbehaviour misbehaviour_of(struct peer *peer, const struct nlmsghdr *request)
{
	const struct peer_config *const config = &peer->config;

	if (request->nlmsg_type != FAMILY_ETHTOOL && request->nlmsg_type != FAMILY_NETDEV) {
		return PEER_WELL;
	}
	peer->requests++;
	return !config->misbehave_at || config->misbehave_at == peer->requests ? config->misbehaviour : PEER_WELL;
}

void peer_answer(struct peer *peer, const void *request, size_t bytes, struct peer_replies *replies)
{
	struct asking asking = { .peer = peer, .request = request, .replies = replies };

	replies->count = 0;
	replies->used = replies->notification_bytes = 0;
	replies->hangs_up = replies->changed = false;
	peer->log[0] = '\0';
	if (bytes < NLMSG_HDRLEN + GENL_HDRLEN || asking.request->nlmsg_len > bytes ||
	    asking.request->nlmsg_len < NLMSG_HDRLEN + GENL_HDRLEN) {
		return;
	}
	peer->now = misbehaviour_of(peer, request);
	if (peer->now == PEER_HANG_UP) {
		replies->hangs_up = true;
		return;
	}
	const int error = answer_family(&asking);

	if (peer->log[0]) {
		snprintf(peer->log + strlen(peer->log), sizeof(peer->log) - strlen(peer->log), " = %d%s", error,
			 error              ? ""
			 : replies->changed ? " changed"
					    : " unchanged");
	}
	if ((asking.request->nlmsg_flags & NLM_F_DUMP) && !error) {
		peer_replies_add_done(replies, request);
	} else if (error || (asking.request->nlmsg_flags & NLM_F_ACK)) {
		acknowledge(&asking, error);
	}
	peer_misbehave(peer->now, request, replies);
}
