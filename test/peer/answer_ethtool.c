/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The family "ethtool", as net/ethtool/netlink.c and coalesce.c of Linux 6.12 have it. */
#include <errno.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <stdio.h>
#include <string.h>

#include "peer/peer.h"
#include "peer/peer_private.h"

static int read_device(const struct nlmsghdr *message)
{
	const struct nlattr *const header = peer_find(message, 1), *attribute;

	if (!header) {
		return 0;
	}
	for_each_nested(attribute, header)
	{
		if (mnl_attr_get_type(attribute) == ETHTOOL_A_HEADER_DEV_INDEX &&
		    mnl_attr_get_payload_len(attribute) == sizeof(uint32_t)) {
			return (int)mnl_attr_get_u32(attribute);
		}
	}
	return 0;
}

static int answer_coalesce_get(struct asking *asking)
{
	uint8_t buffer[BUILD_BYTES] __attribute__((aligned(8)));
	struct coalesce reported;
	const int ret = peer_get(asking->peer, &reported);

	if (ret) {
		return ret;
	}
	struct nlmsghdr *const message = peer_begin(asking, buffer, ETHTOOL_MSG_COALESCE_GET_REPLY, 0);

	peer_put_device(message, asking->ifindex);
	peer_put_settings(message, &reported, asking->peer->now);
	peer_replies_add(asking->replies, message);
	return 0;
}

static void notify(struct asking *asking)
{
	struct peer_replies *const replies = asking->replies;
	struct coalesce reported;

	if (peer_get(asking->peer, &reported)) {
		return;
	}
	struct nlmsghdr *const message = peer_begin(asking, replies->notification, ETHTOOL_MSG_COALESCE_NTF, 0);

	message->nlmsg_seq = asking->peer->sets;
	message->nlmsg_pid = 0;
	peer_put_device(message, asking->ifindex);
	peer_put_settings(message, &reported, PEER_WELL);
	replies->notification_bytes = message->nlmsg_len;
}

static int answer_coalesce_set(struct asking *asking)
{
	struct peer *const peer = asking->peer;
	struct coalesce request = { 0 };
	const struct nlattr *attribute, *refused = NULL;
	char text[COALESCE_TEXT_MAX];
	const unsigned sets = peer->sets;

	for_each_attribute(attribute, asking->request)
	{
		if (mnl_attr_get_type(attribute) != 1) {
			peer_take_setting(attribute, &request, &refused);
		}
	}
	snprintf(peer->log, sizeof(peer->log), "coalesce-set %.180s", coalesce_print(&request, text));
	if (peer->now == PEER_FORBIDDEN) {
		return -EPERM;
	}
	if (!peer->supported) {
		return -EOPNOTSUPP;
	}
	if (refused) {
		asking->refusal = "attribute is not known or has a wrong size";
		asking->refused = refused;
		return -EINVAL;
	}
	for_each_attribute(attribute, asking->request)
	{
		const enum coalesce_field field = peer_field_of(mnl_attr_get_type(attribute));

		if (field < COALESCE_FIELDS && !(peer->supported & COALESCE_BIT(field))) {
			asking->refusal = "cannot modify an unsupported parameter";
			asking->refused = attribute;
			return -EINVAL;
		}
	}
	const int ret = peer_set(peer, &request);

	if (!ret && peer->sets != sets) {
		notify(asking);
		asking->replies->changed = true;
	}
	return ret;
}

static int answer_numbers(struct asking *asking, uint8_t command, const uint16_t *attributes, const uint32_t *values,
			  unsigned count)
{
	uint8_t buffer[BUILD_BYTES] __attribute__((aligned(8)));
	struct nlmsghdr *const message = peer_begin(asking, buffer, command, 0);

	peer_put_device(message, asking->ifindex);
	for (unsigned i = 0; i < count; i++) {
		mnl_attr_put_u32(message, attributes[i], values[i]);
	}
	peer_replies_add(asking->replies, message);
	return 0;
}

int peer_answer_ethtool(struct asking *asking)
{
	static const uint16_t speed[] = { ETHTOOL_A_LINKMODES_SPEED };
	static const uint16_t rings[] = { ETHTOOL_A_RINGS_RX, ETHTOOL_A_RINGS_TX };
	static const uint16_t channels[] = { ETHTOOL_A_CHANNELS_COMBINED_COUNT };
	const struct peer *const peer = asking->peer;
	const uint32_t speed_mbps = peer->config.speed_mbps ? peer->config.speed_mbps : UINT32_MAX;
	const uint32_t ring[] = { peer->has_model ? peer->driver.variant->rx_ring : 256,
				  peer->has_model ? peer->driver.variant->tx_ring : 256 };

	asking->ifindex = read_device(asking->request);
	if (!asking->ifindex) {
		asking->refusal = "request header missing";
		return -EINVAL;
	}
	switch (((const struct genlmsghdr *)mnl_nlmsg_get_payload(asking->request))->cmd) {
	case ETHTOOL_MSG_COALESCE_GET:
		return answer_coalesce_get(asking);
	case ETHTOOL_MSG_COALESCE_SET:
		return answer_coalesce_set(asking);
	case ETHTOOL_MSG_LINKMODES_GET:
		return answer_numbers(asking, ETHTOOL_MSG_LINKMODES_GET_REPLY, speed, &speed_mbps, 1);
	case ETHTOOL_MSG_RINGS_GET:
		return answer_numbers(asking, ETHTOOL_MSG_RINGS_GET_REPLY, rings, ring, 2);
	case ETHTOOL_MSG_CHANNELS_GET:
		return answer_numbers(asking, ETHTOOL_MSG_CHANNELS_GET_REPLY, channels, &peer->config.queues, 1);
	default:
		return -EOPNOTSUPP;
	}
}
