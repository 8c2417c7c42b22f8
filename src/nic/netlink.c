/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Theory of operation. One request is outstanding at a time. It carries a sequence number that no earlier request
 * of this socket had (they begin at random, since a socket of a test may have seen another process), and only
 * messages with that number and our port are part of the reply; everything else is skipped. A request that is no
 * dump asks for an acknowledgement, so the end is always said: NLMSG_ERROR (with 0 on success), or NLMSG_DONE of a
 * dump, which may carry an error too.
 *
 * Sources: Documentation/userspace-api/netlink/intro.rst and include/uapi/linux/netlink.h of Linux 6.12. Extended
 * acknowledgements: text and offset since 4.12, policy since 5.10, missing attributes since 6.1.
 */
#include "nic/netlink.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <poll.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define ATTEMPTS 3

/* Of the kernel's answer; older headers lack them. */
enum {
	EXTACK_MESSAGE = 1,
	EXTACK_OFFSET = 2,
	EXTACK_MISSING_TYPE = 5,
};

/* ---- requests ---- */

struct nlmsghdr *netlink_request(struct netlink *netlink, void *buffer, uint8_t command, uint8_t version,
				 uint16_t flags)
{
	struct nlmsghdr *const message = mnl_nlmsg_put_header(buffer);

	message->nlmsg_type = netlink->family;
	message->nlmsg_flags = (uint16_t)(flags | NLM_F_REQUEST | ((flags & NLM_F_DUMP) == NLM_F_DUMP ? 0 : NLM_F_ACK));
	message->nlmsg_pid = netlink->port;
	struct genlmsghdr *const header = mnl_nlmsg_put_extra_header(message, sizeof(*header));

	header->cmd = command;
	header->version = version;
	return message;
}

/* ---- one datagram ---- */

int64_t netlink_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* NEVER: no end. */
#define NEVER_AT_MS INT64_MAX

static int64_t deadline_after(int timeout_ms)
{
	return timeout_ms < 0 ? NEVER_AT_MS : netlink_now_ms() + timeout_ms;
}

/* 0 when something can be received. */
static int wait_readable(int fd, int64_t deadline_at_ms, struct err *err)
{
	for (;;) {
		struct pollfd pollfd = { .fd = fd, .events = POLLIN };
		const int64_t left_ms = deadline_at_ms == NEVER_AT_MS ? -1 : deadline_at_ms - netlink_now_ms();

		if (deadline_at_ms != NEVER_AT_MS && left_ms < 0) {
			return err_set(err, -ETIMEDOUT, "no answer over netlink");
		}
		const int ready = poll(&pollfd, 1, (int)(left_ms > INT32_MAX ? INT32_MAX : left_ms));

		if (ready > 0) {
			return 0;
		}
		if (ready < 0 && errno != EINTR) {
			return err_set(err, -errno, "waiting for netlink: %s", strerror(errno));
		}
		if (ready == 0 && left_ms == 0) {
			return err_set(err, -ETIMEDOUT, "no answer over netlink");
		}
	}
}

/* One datagram of the other end: its bytes, or -errno. */
static int receive(const struct netlink *netlink, void *buffer, int64_t deadline_at_ms, struct err *err)
{
	for (;;) {
		const int ret = wait_readable(netlink->fd, deadline_at_ms, err);

		if (ret) {
			return ret;
		}
		struct sockaddr_nl sender = { 0 };
		struct iovec space = { .iov_base = buffer, .iov_len = NETLINK_MESSAGE_MAX };
		struct msghdr header = { .msg_iov = &space, .msg_iovlen = 1 };

		if (netlink->is_kernel) {
			header.msg_name = &sender;
			header.msg_namelen = sizeof(sender);
		}
		const ssize_t bytes = recvmsg(netlink->fd, &header, MSG_DONTWAIT);

		if (bytes < 0 && (errno == EINTR || errno == EAGAIN)) {
			continue;
		}
		if (bytes < 0) {
			return err_set(err, -errno, "receiving over netlink: %s", strerror(errno));
		}
		if (bytes == 0 && !netlink->is_kernel) {
			return err_set(err, -ECONNRESET, "the other end of the netlink connection is gone");
		}
		if (header.msg_flags & MSG_TRUNC) {
			return err_set(err, -EMSGSIZE, "a netlink message is longer than %d bytes",
				       NETLINK_MESSAGE_MAX);
		}
		if (sender.nl_pid == 0) {
			return (int)bytes;
		}
	}
}

static int send_message(const struct netlink *netlink, const struct nlmsghdr *message, struct err *err)
{
	ssize_t sent;

	do {
		sent = send(netlink->fd, message, message->nlmsg_len, MSG_NOSIGNAL);
	} while (sent < 0 && errno == EINTR);
	if (sent < 0 && errno == EPIPE) {
		return err_set(err, -ECONNRESET, "the other end of the netlink connection is gone");
	}
	return sent < 0 ? err_set(err, -errno, "sending over netlink: %s", strerror(errno)) : 0;
}

/* ---- refusals ---- */

struct extack {
	char text[200];
	bool has_offset, has_missing;
	uint64_t offset, missing;
};

/* What does not parse here is left out: the errno is what counts. */
static int take_extack(void *context, const struct nlattr *attribute, struct err *err)
{
	struct extack *const extack = context;

	(void)err;
	switch (mnl_attr_get_type(attribute)) {
	case EXTACK_MESSAGE:
		netlink_text(attribute, extack->text, sizeof(extack->text));
		break;
	case EXTACK_OFFSET:
		extack->has_offset = !netlink_number(attribute, UINT32_MAX, &extack->offset, NULL);
		break;
	case EXTACK_MISSING_TYPE:
		extack->has_missing = !netlink_number(attribute, UINT16_MAX, &extack->missing, NULL);
		break;
	default:
		break;
	}
	return 0;
}

struct search {
	const uint8_t *wanted;
	uint16_t found;
};

static int match_attribute(void *context, const struct nlattr *attribute, struct err *err)
{
	struct search *const search = context;

	(void)err;
	if ((const uint8_t *)(const void *)attribute == search->wanted) {
		search->found = mnl_attr_get_type(attribute);
	} else if (attribute->nla_type & NLA_F_NESTED) {
		netlink_nest(attribute, match_attribute, search, NULL);
	}
	return search->found;
}

/* The attribute of our request that stands at this offset, or 0. */
static uint16_t attribute_at(const struct nlmsghdr *request, size_t header_bytes, uint64_t offset)
{
	if (offset >= request->nlmsg_len) {
		return 0;
	}
	struct search search = { .wanted = (const uint8_t *)(const void *)request + offset };

	netlink_attributes(request, header_bytes, match_attribute, &search, NULL);
	return search.found;
}

/* The attributes behind a refusal: after the copy of the request, which NLM_F_CAPPED leaves out. */
static void read_extack(const struct nlmsghdr *message, size_t skip, struct extack *extack)
{
	if ((message->nlmsg_flags & NLM_F_ACK_TLVS) && mnl_nlmsg_get_payload_len(message) >= skip) {
		netlink_attributes(message, skip, take_extack, extack, NULL);
	}
}

static size_t header_bytes_of(const struct netlink *netlink, const struct nlmsghdr *request)
{
	if (netlink->family || request->nlmsg_type == GENL_ID_CTRL) {
		return GENL_HDRLEN;
	}
	return mnl_nlmsg_get_payload_len(request); /* rtnetlink: its headers differ, and nobody asks */
}

static int refuse(struct netlink *netlink, const struct nlmsghdr *request, int error, const struct extack *extack,
		  struct err *err)
{
	char name[ERR_NAME_MAX];

	if (extack->has_offset) {
		netlink->refused_attribute = attribute_at(request, header_bytes_of(netlink, request), extack->offset);
	}
	err_name(error, name);
	if (extack->text[0]) {
		return err_set(err, error, "the kernel says: %s (%s)", extack->text, name);
	}
	if (extack->has_missing) {
		return err_set(err, error, "the kernel misses attribute %u (%s)", (unsigned)extack->missing, name);
	}
	return err_set(err, error, "the kernel answers %s", name);
}

/* ---- exchange ---- */

struct exchange {
	struct netlink *netlink;
	const struct nlmsghdr *request;
	netlink_reply_fn *reply;
	void *context;
	bool heard, is_done, was_interrupted;
};

#define ERRNO_MAX 4095

/* NLMSG_ERROR, also when it says success; skip is where the extended part would begin. */
static int take_end(struct exchange *exchange, const struct nlmsghdr *message, size_t skip, struct err *err)
{
	int error;

	memcpy(&error, mnl_nlmsg_get_payload(message), sizeof(error));
	if (error > 0 || error < -ERRNO_MAX) {
		return err_set(err, -EBADMSG, "a netlink acknowledgement says %d, which is no errno", error);
	}
	exchange->is_done = true;
	if (!error) {
		return 0;
	}
	struct extack extack = { .text = "" };

	read_extack(message, skip, &extack);
	return refuse(exchange->netlink, exchange->request, error, &extack, err);
}

static int take_error(struct exchange *exchange, const struct nlmsghdr *message, struct err *err)
{
	struct nlmsgerr error;

	if (mnl_nlmsg_get_payload_len(message) < sizeof(error)) {
		return err_set(err, -EBADMSG, "a netlink acknowledgement is cut off");
	}
	memcpy(&error, mnl_nlmsg_get_payload(message), sizeof(error));
	size_t skip = sizeof(error);

	if (!(message->nlmsg_flags & NLM_F_CAPPED) && error.msg.nlmsg_len > NLMSG_HDRLEN) {
		skip += netlink_aligned(error.msg.nlmsg_len - NLMSG_HDRLEN);
	}
	return take_end(exchange, message, skip, err);
}

static int take_done(struct exchange *exchange, const struct nlmsghdr *message, struct err *err)
{
	if (mnl_nlmsg_get_payload_len(message) < sizeof(int)) {
		exchange->is_done = true; /* older than the status in it */
		return 0;
	}
	return take_end(exchange, message, sizeof(int), err);
}

static int take_reply(struct exchange *exchange, const struct nlmsghdr *message, struct err *err)
{
	const uint16_t family = exchange->netlink->family;

	if (message->nlmsg_type < NLMSG_MIN_TYPE) {
		return 0;
	}
	if (family && message->nlmsg_type != exchange->request->nlmsg_type) {
		return 0;
	}
	if (family && mnl_nlmsg_get_payload_len(message) < GENL_HDRLEN) {
		return err_set(err, -EBADMSG, "a generic netlink message has no header");
	}
	return exchange->reply ? exchange->reply(exchange->context, message, err) : 0;
}

static int take_message(struct exchange *exchange, const struct nlmsghdr *message, struct err *err)
{
	const struct netlink *const netlink = exchange->netlink;

	if (message->nlmsg_seq != exchange->request->nlmsg_seq || message->nlmsg_pid != netlink->port) {
		return 0;
	}
	exchange->heard = true;
	if (message->nlmsg_flags & NLM_F_DUMP_INTR) {
		exchange->was_interrupted = true;
	}
	switch (message->nlmsg_type) {
	case NLMSG_ERROR:
		return take_error(exchange, message, err);
	case NLMSG_DONE:
		return take_done(exchange, message, err);
	case NLMSG_OVERRUN:
		return err_set(err, -ENOBUFS, "netlink messages were lost");
	default:
		return take_reply(exchange, message, err);
	}
}

/* Every message of a datagram; non-zero of the function ends it. */
typedef int message_fn(void *context, const struct nlmsghdr *message, struct err *err);

/* Lengths are compared here: libmnl 1.0.4 takes one above 2^31 for a negative number that fits. */
static int each_message(const uint8_t *bytes, size_t count, message_fn *function, void *context, const bool *is_done,
			struct err *err)
{
	while (count > 0) {
		const struct nlmsghdr *const message = (const struct nlmsghdr *)(const void *)bytes;

		if (count < NLMSG_HDRLEN || message->nlmsg_len < NLMSG_HDRLEN || message->nlmsg_len > count) {
			return err_set(err, -EBADMSG, "a netlink message is cut off: %zu bytes are left for it", count);
		}
		const int ret = function(context, message, err);

		if (ret || *is_done) {
			return ret;
		}
		const size_t step = netlink_aligned(message->nlmsg_len);

		bytes += step < count ? step : count;
		count -= step < count ? step : count;
	}
	return 0;
}

static int take_message_of_exchange(void *context, const struct nlmsghdr *message, struct err *err)
{
	return take_message(context, message, err);
}

static int exchange_once(struct exchange *exchange, int timeout_ms, struct err *err)
{
	alignas(struct nlmsghdr) uint8_t buffer[NETLINK_MESSAGE_MAX];
	int ret = send_message(exchange->netlink, exchange->request, err);
	int64_t deadline_at_ms = deadline_after(timeout_ms);

	while (!ret && !exchange->is_done) {
		exchange->heard = false;
		ret = receive(exchange->netlink, buffer, deadline_at_ms, err);
		if (ret >= 0) {
			ret = each_message(buffer, (size_t)ret, take_message_of_exchange, exchange, &exchange->is_done,
					   err);
		}
		if (exchange->heard) {
			deadline_at_ms = deadline_after(timeout_ms);
		}
	}
	return ret;
}

int netlink_exchange(struct netlink *netlink, struct nlmsghdr *request, netlink_reply_fn *reply, void *context,
		     int timeout_ms, struct err *err)
{
	netlink->refused_attribute = 0;
	for (unsigned attempt = 1;; attempt++) {
		struct exchange exchange = {
			.netlink = netlink, .request = request, .reply = reply, .context = context
		};

		request->nlmsg_seq = ++netlink->sequence;
		const int ret = exchange_once(&exchange, timeout_ms, err);
		const bool again = ret == -ENOBUFS || (ret == 0 && exchange.was_interrupted);

		/* A list that never holds still is still better than none. */
		if (!again || attempt == ATTEMPTS) {
			return ret;
		}
	}
}

/* ---- notifications ---- */

struct listening {
	const struct netlink *netlink;
	netlink_reply_fn *reply;
	void *context;
	unsigned count;
};

static int take_notification(void *context, const struct nlmsghdr *message, struct err *err)
{
	struct listening *const listening = context;

	if (message->nlmsg_type == NLMSG_OVERRUN) {
		return err_set(err, -ENOBUFS, "notifications were lost");
	}
	if (message->nlmsg_type != listening->netlink->family) {
		return 0;
	}
	if (mnl_nlmsg_get_payload_len(message) < GENL_HDRLEN) {
		return err_set(err, -EBADMSG, "a notification has no header");
	}
	listening->count++;
	return listening->reply(listening->context, message, err);
}

/* To a peer that is no kernel: a message that says which group. */
static int join_peer(const struct netlink *netlink, struct err *err)
{
	alignas(struct nlmsghdr) uint8_t buffer[64];
	struct nlmsghdr *const message = mnl_nlmsg_put_header(buffer);

	message->nlmsg_type = NLMSG_NOOP;
	*(uint32_t *)mnl_nlmsg_put_extra_header(message, sizeof(uint32_t)) = netlink->monitor_group;
	return send_message(netlink, message, err);
}

static int join(struct netlink *netlink, struct err *err)
{
	if (netlink->is_member) {
		return 0;
	}
	if (!netlink->monitor_group) {
		return err_set(err, -EOPNOTSUPP, "the kernel sends no notifications of \"%s\"", netlink->name);
	}
	if (!netlink->is_kernel) {
		const int ret = join_peer(netlink, err);

		netlink->is_member = !ret;
		return ret;
	}
	if (setsockopt(netlink->fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &netlink->monitor_group,
		       sizeof(netlink->monitor_group))) {
		return err_set(err, -errno, "joining the notifications of \"%s\": %s", netlink->name, strerror(errno));
	}
	netlink->is_member = true;
	return 0;
}

int netlink_listen(struct netlink *netlink, netlink_reply_fn *reply, void *context, int timeout_ms, struct err *err)
{
	alignas(struct nlmsghdr) uint8_t buffer[NETLINK_MESSAGE_MAX];
	const bool no_end = false;
	const int64_t deadline_at_ms = deadline_after(timeout_ms);
	struct listening listening = { .netlink = netlink, .reply = reply, .context = context };
	int ret = join(netlink, err);

	while (!ret && !listening.count) {
		ret = receive(netlink, buffer, deadline_at_ms, err);
		if (ret >= 0) {
			ret = each_message(buffer, (size_t)ret, take_notification, &listening, &no_end, err);
		}
	}
	return ret;
}
