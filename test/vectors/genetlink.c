/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vectors/genetlink.h"

#include <errno.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEADERS_BYTES ((uint32_t)(NLMSG_HDRLEN + GENL_HDRLEN))
#define ATTRIBUTE_HEADER_BYTES ((uint32_t)sizeof(struct nlattr))

/* Messages and attributes begin at multiples of four bytes. */
static uint32_t aligned(uint32_t bytes)
{
	return (bytes + 3) & ~UINT32_C(3);
}

/* ---- messages ---- */

static struct nlmsghdr *header_of(struct genetlink_message *message)
{
	return (struct nlmsghdr *)(void *)message->data;
}

static void begin(struct genetlink *genetlink, struct genetlink_message *message, uint16_t type, uint8_t command)
{
	const struct genlmsghdr generic = { .cmd = command, .version = 1 };

	memset(message, 0, HEADERS_BYTES);
	*header_of(message) = (struct nlmsghdr){
		.nlmsg_type = type,
		.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
		.nlmsg_seq = ++genetlink->sequence,
	};
	memcpy(message->data + NLMSG_HDRLEN, &generic, sizeof(generic));
	message->bytes = HEADERS_BYTES;
}

void genetlink_put(struct genetlink_message *message, uint16_t type, const void *value, uint16_t bytes)
{
	const struct nlattr attribute = { .nla_len = (uint16_t)(ATTRIBUTE_HEADER_BYTES + bytes), .nla_type = type };
	uint8_t *const at = message->data + message->bytes;

	memset(at, 0, aligned(attribute.nla_len));
	memcpy(at, &attribute, sizeof(attribute));
	memcpy(at + ATTRIBUTE_HEADER_BYTES, value, bytes);
	message->bytes += aligned(attribute.nla_len);
}

void genetlink_begin(struct genetlink *genetlink, struct genetlink_message *message, uint8_t command,
		     const char *device)
{
	begin(genetlink, message, genetlink->family, command);
	const uint32_t nest_at = message->bytes;

	genetlink_put(message, 1 | NLA_F_NESTED, NULL, 0);
	genetlink_put(message, ETHTOOL_A_HEADER_DEV_NAME, device, (uint16_t)(strlen(device) + 1));
	const uint16_t length = (uint16_t)(message->bytes - nest_at);

	memcpy(message->data + nest_at, &length, sizeof(length));
}

static const void *find_from(const uint8_t *data, uint32_t from, uint32_t to, uint16_t type, uint16_t *bytes)
{
	struct nlattr attribute;

	for (uint32_t at = from; at + ATTRIBUTE_HEADER_BYTES <= to; at += aligned(attribute.nla_len)) {
		memcpy(&attribute, data + at, sizeof(attribute));
		if (attribute.nla_len < ATTRIBUTE_HEADER_BYTES || at + attribute.nla_len > to) {
			return NULL;
		}
		if ((attribute.nla_type & NLA_TYPE_MASK) == type) {
			*bytes = (uint16_t)(attribute.nla_len - ATTRIBUTE_HEADER_BYTES);
			return data + at + ATTRIBUTE_HEADER_BYTES;
		}
	}
	return NULL;
}

const void *genetlink_find(const struct genetlink_message *reply, uint16_t type, uint16_t bytes)
{
	uint16_t found = 0;
	const void *const value = find_from(reply->data, HEADERS_BYTES, reply->bytes, type, &found);

	return value && found == bytes ? value : NULL;
}

/* ---- exchange ---- */

static void take_end(const struct nlmsghdr *header, struct genetlink_answer *answer)
{
	const uint8_t *const data = (const uint8_t *)header;
	struct nlmsgerr error;
	uint16_t bytes;

	memcpy(&error, data + NLMSG_HDRLEN, sizeof(error));
	answer->error = error.error;
	uint32_t from = (uint32_t)(NLMSG_HDRLEN + sizeof(error));

	if (!(header->nlmsg_flags & NLM_F_ACK_TLVS)) {
		return;
	}
	if (!(header->nlmsg_flags & NLM_F_CAPPED)) {
		from += aligned(error.msg.nlmsg_len) - (uint32_t)NLMSG_HDRLEN;
	}
	const void *const text = find_from(data, from, header->nlmsg_len, NLMSGERR_ATTR_MSG, &bytes);

	if (text) {
		snprintf(answer->text, sizeof(answer->text), "%.*s", (int)bytes, (const char *)text);
	}
	const void *const offset = find_from(data, from, header->nlmsg_len, NLMSGERR_ATTR_OFFS, &bytes);

	if (offset && bytes == sizeof(answer->offset)) {
		memcpy(&answer->offset, offset, sizeof(answer->offset));
	}
}

/* Whether this was the acknowledgement. */
static bool take(const struct genetlink *genetlink, const struct nlmsghdr *header, struct genetlink_message *reply,
		 struct genetlink_answer *answer)
{
	if (header->nlmsg_seq != genetlink->sequence) {
		return false;
	}
	if (header->nlmsg_type == NLMSG_ERROR) {
		take_end(header, answer);
		return true;
	}
	if (reply && header->nlmsg_len <= sizeof(reply->data)) {
		memcpy(reply->data, header, header->nlmsg_len);
		reply->bytes = header->nlmsg_len;
	}
	return false;
}

/* The messages of a datagram. */
static bool take_all(const struct genetlink *genetlink, const struct genetlink_message *received, uint32_t bytes,
		     struct genetlink_message *reply, struct genetlink_answer *answer)
{
	const struct nlmsghdr *header;

	for (uint32_t at = 0; at + sizeof(*header) <= bytes; at += aligned(header->nlmsg_len)) {
		header = (const struct nlmsghdr *)(const void *)(received->data + at);
		if (header->nlmsg_len < sizeof(*header) || at + header->nlmsg_len > bytes) {
			return false;
		}
		if (take(genetlink, header, reply, answer)) {
			return true;
		}
	}
	return false;
}

int genetlink_exchange(struct genetlink *genetlink, struct genetlink_message *message, struct genetlink_message *reply,
		       struct genetlink_answer *answer, struct err *err)
{
	struct genetlink_message received;

	*answer = (struct genetlink_answer){ 0 };
	header_of(message)->nlmsg_len = message->bytes;
	if (send(genetlink->fd, message->data, message->bytes, 0) < 0) {
		return err_set(err, -errno, "sending over netlink: %s", strerror(errno));
	}
	for (;;) {
		const ssize_t bytes = recv(genetlink->fd, received.data, sizeof(received.data), 0);
		if (bytes < 0) {
			return err_set(err, -errno, "receiving over netlink: %s", strerror(errno));
		}
		if (take_all(genetlink, &received, (uint32_t)bytes, reply, answer)) {
			return 0;
		}
	}
}

/* ---- opening ---- */

static int find_family(struct genetlink *genetlink, const char *family, struct err *err)
{
	struct genetlink_message message, reply = { 0 };
	struct genetlink_answer answer;

	begin(genetlink, &message, GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	genetlink_put(&message, CTRL_ATTR_FAMILY_NAME, family, (uint16_t)(strlen(family) + 1));
	const int ret = genetlink_exchange(genetlink, &message, &reply, &answer, err);
	const void *const id = genetlink_find(&reply, CTRL_ATTR_FAMILY_ID, sizeof(genetlink->family));

	if (ret || answer.error || !id) {
		return ret ? ret : err_set(err, -ENOENT, "this kernel has no netlink family \"%s\"", family);
	}
	memcpy(&genetlink->family, id, sizeof(genetlink->family));
	return 0;
}

int genetlink_open(struct genetlink *genetlink, const char *family, struct err *err)
{
	const int yes = 1;

	*genetlink = (struct genetlink){ .fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC) };
	if (genetlink->fd < 0 || setsockopt(genetlink->fd, SOL_NETLINK, NETLINK_EXT_ACK, &yes, sizeof(yes)) ||
	    setsockopt(genetlink->fd, SOL_NETLINK, NETLINK_CAP_ACK, &yes, sizeof(yes))) {
		return err_set(err, -errno, "netlink: %s", strerror(errno));
	}
	return find_family(genetlink, family, err);
}
