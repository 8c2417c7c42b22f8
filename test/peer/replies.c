/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Datagrams: acknowledgements in every form, and how good answers are spoiled. */
#include <string.h>

#include "peer/peer.h"
#include "peer/peer_private.h"

enum {
	EXTACK_MESSAGE = 1,
	EXTACK_OFFSET = 2,
	EXTACK_POLICY = 4,
	EXTACK_MISSING_TYPE = 5,
	EXTACK_MISSING_NEST = 6,
};

static void add_bytes(struct peer_replies *replies, const void *bytes, size_t count)
{
	const size_t begin = (replies->used + 7) & ~(size_t)7;

	if (replies->count == PEER_DATAGRAMS_MAX || begin + count > PEER_BYTES_MAX) {
		return;
	}
	memcpy(replies->bytes + begin, bytes, count);
	replies->begins[replies->count] = begin;
	replies->sizes[replies->count++] = count;
	replies->used = begin + count;
}

void peer_replies_add(struct peer_replies *replies, const struct nlmsghdr *message)
{
	add_bytes(replies, message, message->nlmsg_len);
}

static struct nlmsghdr *message_at(struct peer_replies *replies, unsigned i)
{
	return (struct nlmsghdr *)(void *)(replies->bytes + replies->begins[i]);
}

void peer_replies_add_done(struct peer_replies *replies, const struct nlmsghdr *request)
{
	uint8_t buffer[64] __attribute__((aligned(8)));
	struct nlmsghdr *const message = mnl_nlmsg_put_header(buffer);

	message->nlmsg_type = NLMSG_DONE;
	message->nlmsg_flags = NLM_F_MULTI;
	message->nlmsg_seq = request->nlmsg_seq;
	message->nlmsg_pid = request->nlmsg_pid;
	*(int *)mnl_nlmsg_put_extra_header(message, sizeof(int)) = 0;
	peer_replies_add(replies, message);
}

/* ---- acknowledgements ---- */

static void put_policy(struct nlmsghdr *message)
{
	struct nlattr *const nest = mnl_attr_nest_start(message, EXTACK_POLICY);

	mnl_attr_put_u32(message, 1, 4);
	mnl_attr_put_u64(message, 4, 0);
	mnl_attr_put_u64(message, 5, 1);
	mnl_attr_nest_end(message, nest);
	mnl_attr_put_u32(message, EXTACK_MISSING_TYPE, 1);
	mnl_attr_put_u32(message, EXTACK_MISSING_NEST, 20);
}

static void put_extack(enum peer_extack extack, const struct nlmsghdr *request, const char *words,
		       const struct nlattr *refused, struct nlmsghdr *message)
{
	if (words && extack != PEER_EXTACK_NONE) {
		message->nlmsg_flags |= NLM_F_ACK_TLVS;
		mnl_attr_put_strz(message, EXTACK_MESSAGE, words);
	}
	if (refused && extack != PEER_EXTACK_NONE && extack != PEER_EXTACK_MESSAGE) {
		message->nlmsg_flags |= NLM_F_ACK_TLVS;
		mnl_attr_put_u32(
			message, EXTACK_OFFSET,
			(uint32_t)((const uint8_t *)(const void *)refused - (const uint8_t *)(const void *)request));
	}
	if (extack == PEER_EXTACK_POLICY) {
		message->nlmsg_flags |= NLM_F_ACK_TLVS;
		put_policy(message);
	}
}

/* The request is left out on success, and with NLM_F_CAPPED. */
void peer_build_ack(enum peer_extack extack, const struct nlmsghdr *request, int error, const char *words,
		    const struct nlattr *refused, void *buffer)
{
	struct nlmsghdr *const message = mnl_nlmsg_put_header(buffer);

	message->nlmsg_type = NLMSG_ERROR;
	message->nlmsg_seq = request->nlmsg_seq;
	message->nlmsg_pid = request->nlmsg_pid;
	struct nlmsgerr *const payload = mnl_nlmsg_put_extra_header(message, sizeof(*payload));

	payload->error = error;
	payload->msg = *request;
	if (error && extack == PEER_EXTACK_UNCAPPED) {
		const size_t bytes = mnl_nlmsg_get_payload_len(request);

		memcpy(mnl_nlmsg_put_extra_header(message, bytes), mnl_nlmsg_get_payload(request), bytes);
	} else {
		message->nlmsg_flags |= NLM_F_CAPPED;
	}
	if (error) {
		put_extack(extack, request, words, refused, message);
	}
}

/* ---- spoiling ---- */

static void remove_first(struct peer_replies *replies, unsigned count)
{
	count = count < replies->count ? count : replies->count;
	memmove(replies->begins, replies->begins + count, (replies->count - count) * sizeof(replies->begins[0]));
	memmove(replies->sizes, replies->sizes + count, (replies->count - count) * sizeof(replies->sizes[0]));
	replies->count -= count;
}

/* The answer to the request before this one, with another number in its last attribute, ahead of the good one. */
static void put_stale_first(struct peer_replies *replies)
{
	static struct peer_replies good;

	good = *replies;
	replies->count = 0;
	replies->used = 0;
	for (unsigned i = 0; i < good.count; i++) {
		add_bytes(replies, good.bytes + good.begins[i], good.sizes[i]);
		message_at(replies, i)->nlmsg_seq--;
		replies->bytes[replies->begins[i] + good.sizes[i] - 4] ^= 0x55;
	}
	for (unsigned i = 0; i < good.count; i++) {
		add_bytes(replies, good.bytes + good.begins[i], good.sizes[i]);
	}
}

static void pack(struct peer_replies *replies)
{
	size_t end = replies->count ? replies->begins[0] + replies->sizes[0] : 0;

	for (unsigned i = 1; i < replies->count; i++) {
		end = (end + 3) & ~(size_t)3;
		memmove(replies->bytes + end, replies->bytes + replies->begins[i], replies->sizes[i]);
		end += replies->sizes[i];
	}
	if (replies->count) {
		replies->sizes[0] = end - replies->begins[0];
		replies->count = 1;
	}
}

static void swap_first_and_last(struct peer_replies *replies)
{
	const unsigned last = replies->count - 1;
	const size_t begin = replies->begins[0], size = replies->sizes[0];

	replies->begins[0] = replies->begins[last];
	replies->sizes[0] = replies->sizes[last];
	replies->begins[last] = begin;
	replies->sizes[last] = size;
}

static void for_all(struct peer_replies *replies, uint32_t add_to_sequence, uint32_t add_to_port, uint16_t flags)
{
	for (unsigned i = 0; i < replies->count; i++) {
		struct nlmsghdr *const message = message_at(replies, i);

		message->nlmsg_seq += add_to_sequence;
		message->nlmsg_pid += add_to_port;
		message->nlmsg_flags |= flags;
	}
}

static void make_multipart(const struct nlmsghdr *request, struct peer_replies *replies)
{
	if (replies->count < 2) {
		return;
	}
	replies->count--;
	for_all(replies, 0, 0, NLM_F_MULTI);
	peer_replies_add_done(replies, request);
}

static void overrun(struct peer_replies *replies)
{
	replies->count = 1;
	message_at(replies, 0)->nlmsg_type = NLMSG_OVERRUN;
}

static void make_huge(struct peer_replies *replies)
{
	static const uint8_t zeros[40000];

	add_bytes(replies, zeros, sizeof(zeros));
	replies->begins[0] = replies->begins[replies->count - 1];
	replies->sizes[0] = sizeof(zeros);
	message_at(replies, 0)->nlmsg_len = sizeof(zeros);
	replies->count = 1;
}

/* The last attribute of the first message: its length field. */
static void cut_attribute(struct peer_replies *replies)
{
	const struct nlmsghdr *const message = message_at(replies, 0);
	struct nlattr *attribute, *last = NULL;

	for_each_attribute(attribute, message)
	{
		last = attribute;
	}
	if (last) {
		last->nla_len = (uint16_t)(last->nla_len + 64);
	}
}

static void spoil_error(struct peer_replies *replies)
{
	struct nlmsghdr *const message = message_at(replies, replies->count - 1);

	if (message->nlmsg_type == NLMSG_ERROR) {
		((struct nlmsgerr *)mnl_nlmsg_get_payload(message))->error = 5;
	}
}

static void make_empty(struct peer_replies *replies)
{
	message_at(replies, 0)->nlmsg_len = NLMSG_HDRLEN;
	replies->sizes[0] = NLMSG_HDRLEN;
}

void peer_misbehave(enum peer_misbehaviour misbehaviour, const struct nlmsghdr *request, struct peer_replies *replies)
{
	if (!replies->count) {
		return;
	}
	switch (misbehaviour) {
	case PEER_CUT_ATTRIBUTE:
		cut_attribute(replies);
		break;
	case PEER_TRUNCATED:
		replies->sizes[0] -= replies->sizes[0] / 3;
		break;
	case PEER_EMPTY:
		make_empty(replies);
		break;
	case PEER_HUGE:
		make_huge(replies);
		break;
	case PEER_STALE:
		put_stale_first(replies);
		break;
	case PEER_WRONG_SEQUENCE:
		for_all(replies, 1000, 0, 0);
		break;
	case PEER_WRONG_PORT:
		for_all(replies, 0, 4711, 0);
		break;
	case PEER_MULTIPART:
		make_multipart(request, replies);
		break;
	case PEER_PACKED:
		pack(replies);
		break;
	case PEER_EARLY_ACK:
		swap_first_and_last(replies);
		break;
	case PEER_NO_ACK:
		replies->count--;
		break;
	case PEER_NO_REPLY:
		remove_first(replies, replies->count - 1);
		break;
	case PEER_BAD_ERRNO:
		spoil_error(replies);
		break;
	case PEER_OVERRUN:
		overrun(replies);
		break;
	case PEER_INTERRUPTED:
		for_all(replies, 0, 0, NLM_F_DUMP_INTR);
		break;
	case PEER_SILENT:
		replies->count = 0;
		break;
	case PEER_HANG_UP_AFTER:
		replies->count = 0;
		replies->hangs_up = true;
		break;
	default:
		break;
	}
}
