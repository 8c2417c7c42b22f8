/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Generic netlink over a socket that somebody hands in: messages are built and parsed by libmnl, sending and receiving is
 * here. So the other end may be the kernel, or a test at the other end of a socketpair: with HOLDOFF_NETLINK_FD=N in the
 * environment, netlink_open takes descriptor N (a connected datagram or seqpacket socket) in place of a kernel socket.
 *
 * Robust against what kernels and tests send: replies to other requests and of other senders are skipped, multi-part replies
 * collected, truncated messages and attributes refused, unknown attributes ignored, ENOBUFS and EINTR retried, extended
 * acknowledgements turned into the sentence.
 */
#ifndef HOLDOFF_NIC_NETLINK_H
#define HOLDOFF_NIC_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libmnl/libmnl.h>

#include "base/err.h"

#define NETLINK_MESSAGE_MAX 32768

struct netlink {
	int fd;
	bool owns_fd, is_kernel;
	uint32_t port;      /* ours; 0 unless is_kernel */
	uint32_t sequence;
	uint16_t family;    /* of the generic netlink family that was looked up */
	uint32_t monitor_group; /* id of its multicast group that was asked for, or 0 */
	char name[16];      /* of the family */
};

/* Opens a socket and looks the family up; group may be NULL. -ENOENT: the kernel has no such family. */
int netlink_open(struct netlink *netlink, const char *family, const char *group, struct err *err);
/* The same over a descriptor that stays the caller's. */
int netlink_attach(struct netlink *netlink, int fd, const char *family, const char *group, struct err *err);
void netlink_close(struct netlink *netlink);

/* Begins a request in buffer (NETLINK_MESSAGE_MAX bytes); attributes are put with mnl_attr_put_*. */
struct nlmsghdr *netlink_request(struct netlink *netlink, void *buffer, uint8_t command, uint8_t version, uint16_t flags);

/* Called for each reply; attributes begin at *attributes (mnl_attr_for_each style over `bytes` bytes). Non-zero ends the exchange. */
typedef int netlink_reply_fn(void *context, const struct nlmsghdr *message, struct err *err);

/* Sends, receives until the reply is complete (acknowledgement, or the end of a dump). reply may be NULL. Gives up after timeout_ms without
 * a word from the other end (-ETIMEDOUT). */
int netlink_exchange(struct netlink *netlink, struct nlmsghdr *request, netlink_reply_fn *reply, void *context, int timeout_ms,
		     struct err *err);

/* Joins the group and waits for a notification; for each that comes reply is called. 0 after one, -ETIMEDOUT after none. */
int netlink_listen(struct netlink *netlink, netlink_reply_fn *reply, void *context, int timeout_ms, struct err *err);

#endif
