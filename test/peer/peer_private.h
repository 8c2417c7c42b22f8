/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HOLDOFF_TEST_PEER_PEER_PRIVATE_H
#define HOLDOFF_TEST_PEER_PEER_PRIVATE_H

#include <libmnl/libmnl.h>

#include "peer/peer.h"

/* An attribute that lies wholly in [at, end), or NULL. */
static inline struct nlattr *peer_attribute_at(const void *at, const void *end)
{
	const size_t left = (size_t)((const uint8_t *)end - (const uint8_t *)at);
	struct nlattr *const attribute = (struct nlattr *)(uintptr_t)at;

	return at < end && left >= sizeof(*attribute) && attribute->nla_len >= sizeof(*attribute) &&
			       attribute->nla_len <= left
		       ? attribute
		       : NULL;
}

static inline struct nlattr *peer_attribute_after(const struct nlattr *attribute, const void *end)
{
	return peer_attribute_at((const uint8_t *)(const void *)attribute + ((attribute->nla_len + 3u) & ~3u), end);
}

#define for_each_attribute(attribute, message)                                                                         \
	for (attribute =                                                                                               \
		     peer_attribute_at(mnl_nlmsg_get_payload_offset(message, 4), mnl_nlmsg_get_payload_tail(message)); \
	     attribute; attribute = peer_attribute_after(attribute, mnl_nlmsg_get_payload_tail(message)))

#define nest_end(nest) ((const void *)((const uint8_t *)(const void *)(nest) + (nest)->nla_len))
#define for_each_nested(attribute, nest)                                                           \
	for (attribute = peer_attribute_at(mnl_attr_get_payload(nest), nest_end(nest)); attribute; \
	     attribute = peer_attribute_after(attribute, nest_end(nest)))

#define KERNEL(major, minor) ((major)*1000000u + (minor)*1000u)
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

/* ---- message.c ---- */

struct nlmsghdr *peer_begin(const struct asking *asking, void *buffer, uint8_t command, uint16_t flags);
void peer_put_device(struct nlmsghdr *message, int ifindex);
void peer_put_unknown(struct nlmsghdr *message);
void peer_put_settings(struct nlmsghdr *message, const struct coalesce *settings, enum peer_misbehaviour now);
const struct nlattr *peer_find(const struct nlmsghdr *message, uint16_t type);
enum coalesce_field peer_field_of(uint16_t attribute);
/* The given field; *refused becomes the first attribute that is none, or of the wrong size. */
void peer_take_setting(const struct nlattr *attribute, struct coalesce *settings, const struct nlattr **refused);

/* ---- answer_*.c: 0 or the errno that the acknowledgement has ---- */

int peer_answer_ethtool(struct asking *asking);
int peer_answer_netdev(struct asking *asking);
int peer_answer_stand_in(struct asking *asking);

/* ---- device.c ---- */

int peer_get_queue(const struct peer *peer, unsigned queue, struct coalesce *reported);
int peer_set_queue(struct peer *peer, unsigned queue, const struct coalesce *settings);

/* ---- replies.c ---- */

/* A message as a datagram of its own. */
void peer_replies_add(struct peer_replies *replies, const struct nlmsghdr *message);
void peer_replies_add_done(struct peer_replies *replies, const struct nlmsghdr *request);
/* An acknowledgement of request into buffer (16 KiB); words and the attribute at fault may be NULL. */
void peer_build_ack(enum peer_extack extack, const struct nlmsghdr *request, int error, const char *words,
		    const struct nlattr *refused, void *buffer);
/* Turns good replies to request into bad ones. */
void peer_misbehave(enum peer_misbehaviour misbehaviour, const struct nlmsghdr *request, struct peer_replies *replies);

#endif
