/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What messages are built of and what is found in them. */
#include <errno.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <stdio.h>
#include <string.h>

#include "peer/peer.h"
#include "peer/peer_private.h"

struct nlmsghdr *peer_begin(const struct asking *asking, void *buffer, uint8_t command, uint16_t flags)
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

void peer_put_device(struct nlmsghdr *message, int ifindex)
{
	struct nlattr *const nest = mnl_attr_nest_start(message, 1);

	mnl_attr_put_u32(message, ETHTOOL_A_HEADER_DEV_INDEX, (uint32_t)ifindex);
	mnl_attr_nest_end(message, nest);
}

/* What kernels since 6.11, and ones that nobody has yet, put in. */
void peer_put_unknown(struct nlmsghdr *message)
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

void peer_put_settings(struct nlmsghdr *message, const struct coalesce *settings, enum peer_misbehaviour now)
{
	bool is_first = true;

	if (now == PEER_UNKNOWN) {
		peer_put_unknown(message);
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

/* ---- reading ---- */

const struct nlattr *peer_find(const struct nlmsghdr *message, uint16_t type)
{
	const struct nlattr *attribute;

	for_each_attribute(attribute, message)
	{
		if (mnl_attr_get_type(attribute) == type) {
			return attribute;
		}
	}
	return NULL;
}

enum coalesce_field peer_field_of(uint16_t attribute)
{
	enum coalesce_field field = 0;

	while (field < COALESCE_FIELDS && coalesce_fields[field].attribute != attribute) {
		field++;
	}
	return field;
}

/* The given fields; *refused is the first attribute that is none, or of the wrong size. */
void peer_take_setting(const struct nlattr *attribute, struct coalesce *settings, const struct nlattr **refused)
{
	const enum coalesce_field field = peer_field_of(mnl_attr_get_type(attribute));
	const unsigned bytes = mnl_attr_get_payload_len(attribute);

	if (field == COALESCE_FIELDS || bytes != (coalesce_fields[field].unit == COALESCE_UNIT_SWITCH ? 1 : 4)) {
		*refused = *refused ? *refused : attribute;
		return;
	}
	coalesce_put(settings, field, bytes == 1 ? mnl_attr_get_u8(attribute) : mnl_attr_get_u32(attribute));
}
