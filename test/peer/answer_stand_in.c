/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stands in for ioctls: driver information and single queues. */
#include <errno.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <stdio.h>
#include <string.h>

#include "nic/stand_in.h"
#include "peer/peer.h"
#include "peer/peer_private.h"

static void put_text(struct nlmsghdr *message, uint16_t type, const char *text)
{
	if (text[0]) {
		mnl_attr_put_strz(message, type, text);
	}
}

static int answer_identity(struct asking *asking)
{
	uint8_t buffer[BUILD_BYTES] __attribute__((aligned(8)));
	const struct peer *const peer = asking->peer;
	const bool is_named_store = strncmp(peer->config.device, "store@", 6) == 0;
	const char *const device = peer->config.device + (is_named_store ? 6 : 0);
	struct nlmsghdr *const message = peer_begin(asking, buffer, STAND_IN_IDENTITY_GET, 0);
	char driver[24];

	snprintf(driver, sizeof(driver), "%.*s", (int)strcspn(device, "@"), device);
	put_text(message, STAND_IN_DRIVER,
		 strcmp(driver, "stmmac") == 0   ? "st_gmac"
		 : strcmp(driver, "virtio") == 0 ? "virtio_net"
						 : driver);
	put_text(message, STAND_IN_BUS, "0000:00:03.0");
	put_text(message, STAND_IN_FIRMWARE, "peer");
	put_text(message, STAND_IN_KERNEL, peer->config.kernel);
	put_text(message, STAND_IN_BUILD, "#1 SMP");
	put_text(message, STAND_IN_COMPATIBLE, peer->config.compatible);
	if (peer->config.pci_id) {
		mnl_attr_put_u32(message, STAND_IN_PCI_ID, peer->config.pci_id);
	}
	if (peer->config.clock_hz) {
		mnl_attr_put_u32(message, STAND_IN_CLOCK_HZ, peer->config.clock_hz);
	}
	mnl_attr_put_u8(message, STAND_IN_CARRIER, peer->config.speed_mbps && !peer->config.has_no_link);
	peer_replies_add(asking->replies, message);
	return 0;
}

static int answer_queue_get(struct asking *asking, unsigned queue)
{
	uint8_t buffer[BUILD_BYTES] __attribute__((aligned(8)));
	struct coalesce reported;
	const int ret = peer_get_queue(asking->peer, queue, &reported);

	if (ret) {
		return ret;
	}
	struct nlmsghdr *const message = peer_begin(asking, buffer, STAND_IN_QUEUE_GET, 0);
	struct nlattr *const nest = mnl_attr_nest_start(message, STAND_IN_SETTINGS);

	peer_put_settings(message, &reported, PEER_WELL);
	mnl_attr_nest_end(message, nest);
	peer_replies_add(asking->replies, message);
	return 0;
}

static int answer_queue_set(struct asking *asking, unsigned queue)
{
	const struct nlattr *const nest = peer_find(asking->request, STAND_IN_SETTINGS), *attribute, *refused = NULL;
	struct coalesce settings = { 0 };
	char text[COALESCE_TEXT_MAX];

	if (!nest) {
		return -EINVAL;
	}
	for_each_nested(attribute, nest)
	{
		peer_take_setting(attribute, &settings, &refused);
	}
	snprintf(asking->peer->log, sizeof(asking->peer->log), "queue-set %u %.170s", queue,
		 coalesce_print(&settings, text));
	const int ret = refused ? -EINVAL : peer_set_queue(asking->peer, queue, &settings);

	if (!ret) {
		asking->replies->changed = true;
	}
	return ret;
}

int peer_answer_stand_in(struct asking *asking)
{
	const uint8_t command = ((const struct genlmsghdr *)mnl_nlmsg_get_payload(asking->request))->cmd;
	const struct nlattr *const queue = peer_find(asking->request, STAND_IN_QUEUE);

	if (command == STAND_IN_IDENTITY_GET) {
		return answer_identity(asking);
	}
	if (!queue || mnl_attr_get_payload_len(queue) != sizeof(uint32_t)) {
		return -EINVAL;
	}
	switch (command) {
	case STAND_IN_QUEUE_GET:
		return answer_queue_get(asking, mnl_attr_get_u32(queue));
	case STAND_IN_QUEUE_SET:
		return answer_queue_set(asking, mnl_attr_get_u32(queue));
	default:
		return -EOPNOTSUPP;
	}
}
