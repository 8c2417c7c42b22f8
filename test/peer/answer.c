/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One request to its answer. Sources: net/ethtool/netlink.c, coalesce.c and net/core/netdev-genl.c of Linux 6.12, and what the kernel
 * of the machine answered to the same requests (6.18).
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

enum {
	NAPI_GET = 11,
	NAPI_SET = 14,
	NAPI_IFINDEX = 1,
	NAPI_ID = 2,
	NAPI_IRQ = 3,
	NAPI_PID = 4,
	NAPI_DEFER_HARD_IRQS = 5,
	NAPI_GRO_FLUSH_TIMEOUT = 6,
	NAPI_IRQ_SUSPEND_TIMEOUT = 7,
	NAPI_THREADED = 8,
};

#define KERNEL(major, minor) ((major) * 1000000u + (minor) * 1000u)
#define BUILD_BYTES 16384

/* A request that is being answered. */
struct asking {
	struct peer *peer;
	const struct nlmsghdr *request;
	struct peer_replies *replies;
	int ifindex;
	const char *refusal; /* words of the extended acknowledgement, or NULL */
	const struct nlattr *refused;
};

/* ---- building ---- */

static struct nlmsghdr *begin(const struct asking *asking, void *buffer, uint8_t command, uint16_t flags)
{
	struct nlmsghdr *const message = mnl_nlmsg_put_header(buffer);

	message->nlmsg_type = asking->request->nlmsg_type;
	message->nlmsg_flags = flags;
	message->nlmsg_seq = asking->request->nlmsg_seq;
	message->nlmsg_pid = asking->request->nlmsg_pid;
	struct genlmsghdr *const header = mnl_nlmsg_put_extra_header(message, sizeof(*header));

	header->cmd = command;
	header->version = 1;
	return message;
}

static void put_device(struct nlmsghdr *message, int ifindex)
{
	struct nlattr *const nest = mnl_attr_nest_start(message, 1);

	mnl_attr_put_u32(message, ETHTOOL_A_HEADER_DEV_INDEX, (uint32_t)ifindex);
	mnl_attr_nest_end(message, nest);
}

/* What kernels since 6.11, and ones that nobody has yet, put in. */
static void put_unknown(struct nlmsghdr *message)
{
	struct nlattr *const profile = mnl_attr_nest_start(message, 29);

	for (uint32_t i = 0; i < 5; i++) {
		struct nlattr *const entry = mnl_attr_nest_start(message, 1);

		mnl_attr_put_u32(message, 1, i * 8);
		mnl_attr_put_u32(message, 2, 256);
		mnl_attr_nest_end(message, entry);
	}
	mnl_attr_nest_end(message, profile);
	mnl_attr_put_u64(message, 200, UINT64_C(0x123456789abcdef));
	mnl_attr_put(message, 201, 0, NULL);
	mnl_attr_put_strz(message, 202, "of tomorrow");
}

static void put_field(struct nlmsghdr *message, enum coalesce_field field, uint32_t value)
{
	if (coalesce_fields[field].unit == COALESCE_UNIT_SWITCH) {
		mnl_attr_put_u8(message, coalesce_fields[field].attribute, (uint8_t)value);
	} else {
		mnl_attr_put_u32(message, coalesce_fields[field].attribute, value);
	}
}

static void put_settings(struct nlmsghdr *message, const struct coalesce *settings, enum peer_misbehaviour now)
{
	bool is_first = true;

	if (now == PEER_UNKNOWN) {
		put_unknown(message);
	}
	for (unsigned i = 0; i < COALESCE_FIELDS; i++) {
		const enum coalesce_field field = now == PEER_REORDERED ? COALESCE_FIELDS - 1 - i : i;

		if (!coalesce_has(settings, field)) {
			continue;
		}
		if (is_first && now == PEER_SHORT_ATTRIBUTE) {
			mnl_attr_put(message, coalesce_fields[field].attribute, 3, "abc");
		} else if (!is_first || now != PEER_MISSING) {
			put_field(message, field, settings->value[field]);
		}
		is_first = false;
	}
}

static void acknowledge(struct asking *asking, int error)
{
	uint8_t buffer[BUILD_BYTES] __attribute__((aligned(8)));

	peer_build_ack(asking->peer->config.extack, asking->request, error, asking->refusal, asking->refused, buffer);
	peer_replies_add(asking->replies, (const struct nlmsghdr *)(const void *)buffer);
}

/* ---- reading ---- */

static const struct nlattr *find(const struct nlmsghdr *message, uint16_t type)
{
	const struct nlattr *attribute;

	for_each_attribute(attribute, message) {
		if (mnl_attr_get_type(attribute) == type) {
			return attribute;
		}
	}
	return NULL;
}

static int read_device(const struct nlmsghdr *message)
{
	const struct nlattr *const header = find(message, 1), *attribute;

	if (!header) {
		return 0;
	}
	for_each_nested(attribute, header) {
		if (mnl_attr_get_type(attribute) == ETHTOOL_A_HEADER_DEV_INDEX &&
		    mnl_attr_get_payload_len(attribute) == sizeof(uint32_t)) {
			return (int)mnl_attr_get_u32(attribute);
		}
	}
	return 0;
}

static enum coalesce_field field_of(uint16_t attribute)
{
	enum coalesce_field field = 0;

	while (field < COALESCE_FIELDS && coalesce_fields[field].attribute != attribute) {
		field++;
	}
	return field;
}

/* The given fields; *refused is the first attribute that is none, or of the wrong size. */
static void take_setting(const struct nlattr *attribute, struct coalesce *settings, const struct nlattr **refused)
{
	const enum coalesce_field field = field_of(mnl_attr_get_type(attribute));
	const unsigned bytes = mnl_attr_get_payload_len(attribute);

	if (field == COALESCE_FIELDS || bytes != (coalesce_fields[field].unit == COALESCE_UNIT_SWITCH ? 1 : 4)) {
		*refused = *refused ? *refused : attribute;
		return;
	}
	coalesce_put(settings, field, bytes == 1 ? mnl_attr_get_u8(attribute) : mnl_attr_get_u32(attribute));
}

/* ---- ethtool ---- */

static int answer_coalesce_get(struct asking *asking)
{
	uint8_t buffer[BUILD_BYTES] __attribute__((aligned(8)));
	struct coalesce reported;
	const int ret = peer_get(asking->peer, &reported);

	if (ret) {
		return ret;
	}
	struct nlmsghdr *const message = begin(asking, buffer, ETHTOOL_MSG_COALESCE_GET_REPLY, 0);

	put_device(message, asking->ifindex);
	put_settings(message, &reported, asking->peer->now);
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
	struct nlmsghdr *const message = begin(asking, replies->notification, ETHTOOL_MSG_COALESCE_NTF, 0);

	message->nlmsg_seq = asking->peer->sets;
	message->nlmsg_pid = 0;
	put_device(message, asking->ifindex);
	put_settings(message, &reported, PEER_WELL);
	replies->notification_bytes = message->nlmsg_len;
}

static int answer_coalesce_set(struct asking *asking)
{
	struct peer *const peer = asking->peer;
	struct coalesce request = { 0 };
	const struct nlattr *attribute, *refused = NULL;
	char text[COALESCE_TEXT_MAX];
	const unsigned sets = peer->sets;

	for_each_attribute(attribute, asking->request) {
		if (mnl_attr_get_type(attribute) != 1) {
			take_setting(attribute, &request, &refused);
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
	for_each_attribute(attribute, asking->request) {
		const enum coalesce_field field = field_of(mnl_attr_get_type(attribute));

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

static int answer_numbers(struct asking *asking, uint8_t command, const uint16_t *attributes, const uint32_t *values, unsigned count)
{
	uint8_t buffer[BUILD_BYTES] __attribute__((aligned(8)));
	struct nlmsghdr *const message = begin(asking, buffer, command, 0);

	put_device(message, asking->ifindex);
	for (unsigned i = 0; i < count; i++) {
		mnl_attr_put_u32(message, attributes[i], values[i]);
	}
	peer_replies_add(asking->replies, message);
	return 0;
}

static int answer_ethtool(struct asking *asking)
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

/* ---- netdev ---- */

/* The kernel's "uint": four bytes where they do. */
static void put_uint(struct nlmsghdr *message, uint16_t type, uint64_t value)
{
	if (value > UINT32_MAX) {
		mnl_attr_put_u64(message, type, value);
	} else {
		mnl_attr_put_u32(message, type, (uint32_t)value);
	}
}

static void put_napi(struct asking *asking, const struct peer_napi *napi, int ifindex, uint16_t flags)
{
	uint8_t buffer[BUILD_BYTES] __attribute__((aligned(8)));
	struct nlmsghdr *const message = begin(asking, buffer, NAPI_GET, flags);
	const unsigned kernel = asking->peer->kernel;

	if (asking->peer->now == PEER_UNKNOWN) {
		put_unknown(message);
	}
	mnl_attr_put_u32(message, NAPI_ID, napi->id);
	mnl_attr_put_u32(message, NAPI_IFINDEX, (uint32_t)ifindex);
	if (kernel >= KERNEL(6, 17)) {
		put_uint(message, NAPI_THREADED, napi->threaded);
	}
	if (napi->irq) {
		mnl_attr_put_u32(message, NAPI_IRQ, napi->irq);
	}
	if (napi->pid) {
		mnl_attr_put_u32(message, NAPI_PID, napi->pid);
	}
	if (kernel >= KERNEL(6, 13)) {
		mnl_attr_put_u32(message, NAPI_DEFER_HARD_IRQS, napi->defer_hard_irqs);
		put_uint(message, NAPI_IRQ_SUSPEND_TIMEOUT, napi->irq_suspend_timeout_ns);
		put_uint(message, NAPI_GRO_FLUSH_TIMEOUT, napi->gro_flush_timeout_ns);
	}
	peer_replies_add(asking->replies, message);
}

/* The kernel lists the newest first. */
static int answer_napi_dump(struct asking *asking)
{
	const struct nlattr *const ifindex = find(asking->request, NAPI_IFINDEX);

	for (unsigned i = asking->peer->config.napis; i > 0; i--) {
		put_napi(asking, &asking->peer->napis[i - 1], ifindex ? (int)mnl_attr_get_u32(ifindex) : 1, NLM_F_MULTI);
	}
	return 0;
}

static bool read_uint(const struct nlmsghdr *message, uint16_t type, uint64_t *value)
{
	const struct nlattr *const attribute = find(message, type);

	if (!attribute) {
		return false;
	}
	*value = mnl_attr_get_payload_len(attribute) == 8 ? mnl_attr_get_u64(attribute) : mnl_attr_get_u32(attribute);
	return true;
}

static int set_napi(struct asking *asking, struct peer_napi *napi)
{
	const struct nlmsghdr *const request = asking->request;
	uint64_t value;

	if (read_uint(request, NAPI_DEFER_HARD_IRQS, &value) && value > INT32_MAX) {
		asking->refusal = "integer out of range";
		asking->refused = find(request, NAPI_DEFER_HARD_IRQS);
		return -ERANGE;
	}
	if (read_uint(request, NAPI_THREADED, &value) && (value > 1 || asking->peer->kernel < KERNEL(6, 17))) {
		asking->refusal = "integer out of range";
		asking->refused = find(request, NAPI_THREADED);
		return -ERANGE;
	}
	if (read_uint(request, NAPI_DEFER_HARD_IRQS, &value)) {
		napi->defer_hard_irqs = (uint32_t)value;
	}
	if (read_uint(request, NAPI_THREADED, &value)) {
		napi->threaded = (uint32_t)value;
	}
	read_uint(request, NAPI_GRO_FLUSH_TIMEOUT, &napi->gro_flush_timeout_ns);
	read_uint(request, NAPI_IRQ_SUSPEND_TIMEOUT, &napi->irq_suspend_timeout_ns);
	asking->replies->changed = true;
	return 0;
}

static int answer_netdev(struct asking *asking)
{
	struct peer *const peer = asking->peer;
	const uint8_t command = ((const struct genlmsghdr *)mnl_nlmsg_get_payload(asking->request))->cmd;
	uint64_t id;

	if (command == NAPI_GET && (asking->request->nlmsg_flags & NLM_F_DUMP)) {
		return answer_napi_dump(asking);
	}
	if (command != NAPI_GET && (command != NAPI_SET || peer->kernel < KERNEL(6, 13))) {
		return -EOPNOTSUPP;
	}
	if (!read_uint(asking->request, NAPI_ID, &id)) {
		return -EINVAL;
	}
	if (command == NAPI_SET) {
		snprintf(peer->log, sizeof(peer->log), "napi-set %u", (unsigned)id);
	}
	if (command == NAPI_SET && peer->now == PEER_FORBIDDEN) {
		return -EPERM;
	}
	for (unsigned i = 0; i < peer->config.napis; i++) {
		if (peer->napis[i].id != id) {
			continue;
		}
		if (command == NAPI_SET) {
			return set_napi(asking, &peer->napis[i]);
		}
		put_napi(asking, &peer->napis[i], 1, 0);
		return 0;
	}
	return -ENOENT;
}

/* ---- in place of ioctls ---- */

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
	struct nlmsghdr *const message = begin(asking, buffer, STAND_IN_IDENTITY_GET, 0);
	char driver[24];

	snprintf(driver, sizeof(driver), "%.*s", (int)strcspn(peer->config.device, "@"), peer->config.device);
	put_text(message, STAND_IN_DRIVER,
		 strcmp(driver, "stmmac") == 0	 ? "st_gmac"
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
	struct nlmsghdr *const message = begin(asking, buffer, STAND_IN_QUEUE_GET, 0);
	struct nlattr *const nest = mnl_attr_nest_start(message, STAND_IN_SETTINGS);

	put_settings(message, &reported, PEER_WELL);
	mnl_attr_nest_end(message, nest);
	peer_replies_add(asking->replies, message);
	return 0;
}

static int answer_queue_set(struct asking *asking, unsigned queue)
{
	const struct nlattr *const nest = find(asking->request, STAND_IN_SETTINGS), *attribute, *refused = NULL;
	struct coalesce settings = { 0 };
	char text[COALESCE_TEXT_MAX];

	if (!nest) {
		return -EINVAL;
	}
	for_each_nested(attribute, nest) {
		take_setting(attribute, &settings, &refused);
	}
	snprintf(asking->peer->log, sizeof(asking->peer->log), "queue-set %u %.170s", queue, coalesce_print(&settings, text));
	const int ret = refused ? -EINVAL : peer_set_queue(asking->peer, queue, &settings);

	if (!ret) {
		notify(asking); /* the ioctl does so too */
		asking->replies->notification_bytes = 0;
		asking->replies->changed = true;
	}
	return ret;
}

static int answer_stand_in(struct asking *asking)
{
	const uint8_t command = ((const struct genlmsghdr *)mnl_nlmsg_get_payload(asking->request))->cmd;
	const struct nlattr *const queue = find(asking->request, STAND_IN_QUEUE);

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

/* ---- families ---- */

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
	const struct nlattr *const name = find(asking->request, CTRL_ATTR_FAMILY_NAME);
	char text[16] = "";

	if (name) {
		snprintf(text, sizeof(text), "%.*s", (int)mnl_attr_get_payload_len(name), mnl_attr_get_str(name));
	}
	const uint16_t id = family_id(asking->peer, text);

	if (!id) {
		return -ENOENT;
	}
	struct nlmsghdr *const message = begin(asking, buffer, CTRL_CMD_NEWFAMILY, 0);

	mnl_attr_put_strz(message, CTRL_ATTR_FAMILY_NAME, text);
	mnl_attr_put_u16(message, CTRL_ATTR_FAMILY_ID, id);
	mnl_attr_put_u32(message, CTRL_ATTR_VERSION, 1);
	mnl_attr_put_u32(message, CTRL_ATTR_HDRSIZE, 0);
	struct nlattr *const groups = mnl_attr_nest_start(message, CTRL_ATTR_MCAST_GROUPS);
	struct nlattr *const group = mnl_attr_nest_start(message, 1);

	mnl_attr_put_u32(message, CTRL_ATTR_MCAST_GRP_ID, GROUP_MONITOR);
	mnl_attr_put_strz(message, CTRL_ATTR_MCAST_GRP_NAME, id == FAMILY_ETHTOOL ? ETHTOOL_MCGRP_MONITOR_NAME : "mgmt");
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
		return answer_ethtool(asking);
	case FAMILY_NETDEV:
		return answer_netdev(asking);
	case FAMILY_STAND_IN:
		return answer_stand_in(asking);
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
			 error ? "" : replies->changed ? " changed" : " unchanged");
	}
	if ((asking.request->nlmsg_flags & NLM_F_DUMP) && !error) {
		peer_replies_add_done(replies, request);
	} else if (error || (asking.request->nlmsg_flags & NLM_F_ACK)) {
		acknowledge(&asking, error);
	}
	peer_misbehave(peer->now, request, replies);
}
