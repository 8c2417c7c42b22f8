/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Generic netlink over a socket: messages are built and parsed with libmnl, sending and receiving is here. The
 * other end may be the kernel, or a test: with HOLDOFF_NETLINK_FD=N in the environment, netlink_open makes a pair
 * of seqpacket sockets, passes one end over the unix socket N (SCM_RIGHTS with one byte) and talks over the other.
 * So several processes that inherited N each have a connection of their own. netlink_attach talks over a given
 * descriptor itself (a test's socketpair, a recorded reply).
 *
 * In that mode the test's peer also answers for what has no netlink form, in a private family "holdoff-peer"
 * (nic/stand_in.h: driver information, settings of single queues); where it does not offer that family, single
 * queues are -EOPNOTSUPP and driver information is the real interface's. Names, addresses and sysfs are always
 * those of the real interface of that name. Membership of a multicast group is told to such a peer by a NLMSG_NOOP
 * message with the group's id.
 *
 * Robust against what kernels and tests send: replies to other requests and of other senders are skipped,
 * multi-part replies collected, truncated messages and attributes refused, EINTR retried. Where the receive buffer
 * overran (ENOBUFS) or a dump was interrupted the request is sent again, so a reply may be seen twice. Extended
 * acknowledgements become the sentence.
 */
#ifndef HOLDOFF_NIC_NETLINK_H
#define HOLDOFF_NIC_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libmnl/libmnl.h>

#include "base/err.h"

#define NETLINK_MESSAGE_MAX 32768
#define NETLINK_FD_VARIABLE "HOLDOFF_NETLINK_FD"

struct netlink {
	int fd;
	bool owns_fd, is_kernel;
	uint32_t port; /* ours; 0 unless is_kernel */
	uint32_t sequence;
	uint16_t family; /* of the generic netlink family that was looked up; 0 on a socket of netlink_open_route */
	uint32_t monitor_group;     /* id of its multicast group that was asked for, or 0 */
	bool is_member;             /* of monitor_group */
	uint16_t refused_attribute; /* the attribute of the request that the last refusal pointed at, or 0 */
	char name[16];              /* of the family */
};

/* Opens a socket and looks the family up; group may be NULL. -ENOENT: the kernel has no such family. */
int netlink_open(struct netlink *netlink, const char *family, const char *group, struct err *err);
/* The same over a descriptor that stays the caller's. */
int netlink_attach(struct netlink *netlink, int fd, const char *family, const char *group, struct err *err);
/*
 * A socket to the kernel's rtnetlink, whatever the environment says; messages then have their own types and no
 * generic header.
 */
int netlink_open_route(struct netlink *netlink, struct err *err);
void netlink_close(struct netlink *netlink);

/*
 * Begins a request in buffer (NETLINK_MESSAGE_MAX bytes); attributes are put with mnl_attr_put_*. NLM_F_REQUEST is
 * added, and NLM_F_ACK unless it is a dump.
 */
struct nlmsghdr *netlink_request(struct netlink *netlink, void *buffer, uint8_t command, uint8_t version,
				 uint16_t flags);

/* Called for each reply; attributes begin behind the generic header. Non-zero ends the exchange. */
typedef int netlink_reply_fn(void *context, const struct nlmsghdr *message, struct err *err);

/*
 * Sends, receives until the reply is complete (acknowledgement, or the end of a dump). reply may be NULL. Gives up
 * after timeout_ms without a word that belongs to the reply (-ETIMEDOUT).
 */
int netlink_exchange(struct netlink *netlink, struct nlmsghdr *request, netlink_reply_fn *reply, void *context,
		     int timeout_ms, struct err *err);

/* CLOCK_MONOTONIC, which the timeouts here are counted by. */
int64_t netlink_now_ms(void);

/*
 * Joins the group and waits for notifications; for each that comes reply is called. 0 after at least one,
 * -ETIMEDOUT after none, -ENOBUFS when some were lost. timeout_ms -1: no end.
 */
int netlink_listen(struct netlink *netlink, netlink_reply_fn *reply, void *context, int timeout_ms, struct err *err);

/* ---- attributes ---- */

/* Messages and attributes begin at multiples of four bytes. */
static inline size_t netlink_aligned(size_t bytes)
{
	return (bytes + NLMSG_ALIGNTO - 1) & ~(size_t)(NLMSG_ALIGNTO - 1);
}

typedef int netlink_attribute_fn(void *context, const struct nlattr *attribute, struct err *err);

/*
 * Those of a message behind header_bytes of family header, or of a nest. -EBADMSG unless they fill the space
 * exactly; a non-zero answer of the function ends the walk and is returned.
 */
int netlink_attributes(const struct nlmsghdr *message, size_t header_bytes, netlink_attribute_fn *function,
		       void *context, struct err *err);
int netlink_nest(const struct nlattr *nest, netlink_attribute_fn *function, void *context, struct err *err);

/* An unsigned number of 1, 2, 4 or 8 bytes up to max; -EBADMSG for anything else. */
int netlink_number(const struct nlattr *attribute, uint64_t max, uint64_t *value, struct err *err);
/* A text, cut to size, control characters made "?"; need not end in NUL. */
void netlink_text(const struct nlattr *attribute, char *text, size_t size);

static inline uint8_t netlink_command(const struct nlmsghdr *message)
{
	return *(const uint8_t *)mnl_nlmsg_get_payload(message);
}

#endif
