/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The family "netdev", as net/core/netdev-genl.c of Linux 6.12 and the kernel of 6.18 have it. */
#include <errno.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <stdio.h>
#include <string.h>

#include "peer/peer.h"
#include "peer/peer_private.h"

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
	struct nlmsghdr *const message = peer_begin(asking, buffer, NAPI_GET, flags);
	const unsigned kernel = asking->peer->kernel;

	if (asking->peer->now == PEER_UNKNOWN) {
		peer_put_unknown(message);
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
	const struct nlattr *const ifindex = peer_find(asking->request, NAPI_IFINDEX);

	for (unsigned i = asking->peer->config.napis; i > 0; i--) {
		put_napi(asking, &asking->peer->napis[i - 1], ifindex ? (int)mnl_attr_get_u32(ifindex) : 1,
			 NLM_F_MULTI);
	}
	return 0;
}

static bool read_uint(const struct nlmsghdr *message, uint16_t type, uint64_t *value)
{
	const struct nlattr *const attribute = peer_find(message, type);

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
		asking->refused = peer_find(request, NAPI_DEFER_HARD_IRQS);
		return -ERANGE;
	}
	if (read_uint(request, NAPI_THREADED, &value) && (value > 1 || asking->peer->kernel < KERNEL(6, 17))) {
		asking->refusal = "integer out of range";
		asking->refused = peer_find(request, NAPI_THREADED);
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

int peer_answer_netdev(struct asking *asking)
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
