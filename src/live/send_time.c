/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/send_time.h"

#include <linux/net_tstamp.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "live/clocks.h"
#include "nic/netlink.h"

#define TIMEOUT_MS 2000

/* Handed over so long before the discipline needs it: longer than a thread is usually kept from running. */
#define AHEAD_NS (2 * NS_PER_MS)

struct search {
	int ifindex;
	bool is_at_root;
	char kind[16];
	struct tc_etf_qopt etf;
};

static int take_etf(void *context, const struct nlattr *attribute, struct err *err)
{
	struct search *const search = context;

	(void)err;
	if (mnl_attr_get_type(attribute) == TCA_ETF_PARMS &&
	    mnl_attr_get_payload_len(attribute) >= sizeof(search->etf)) {
		memcpy(&search->etf, mnl_attr_get_payload(attribute), sizeof(search->etf));
	}
	return 0;
}

static int take_attribute(void *context, const struct nlattr *attribute, struct err *err)
{
	struct search *const search = context;

	if (mnl_attr_get_type(attribute) == TCA_KIND) {
		netlink_text(attribute, search->kind, sizeof(search->kind));
	} else if (mnl_attr_get_type(attribute) == TCA_OPTIONS && strcmp(search->kind, "etf") == 0) {
		return netlink_nest(attribute, take_etf, search, err);
	}
	return 0;
}

/* The kind comes before its options (tc_fill_qdisc). */
static int take_discipline(void *context, const struct nlmsghdr *message, struct err *err)
{
	struct search *const search = context;
	const struct tcmsg *const header = mnl_nlmsg_get_payload(message);

	if (message->nlmsg_type != RTM_NEWQDISC || mnl_nlmsg_get_payload_len(message) < sizeof(*header) ||
	    header->tcm_ifindex != search->ifindex || header->tcm_parent != TC_H_ROOT) {
		return 0;
	}
	search->is_at_root = true;
	return netlink_attributes(message, sizeof(*header), take_attribute, search, err);
}

static bool look_up(struct search *search)
{
	alignas(struct nlmsghdr) uint8_t buffer[NETLINK_MESSAGE_MAX];
	struct netlink netlink;

	if (netlink_open_route(&netlink, NULL)) {
		return false;
	}
	struct nlmsghdr *const request = mnl_nlmsg_put_header(buffer);

	request->nlmsg_type = RTM_GETQDISC;
	request->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	request->nlmsg_pid = netlink.port;
	struct tcmsg *const header = mnl_nlmsg_put_extra_header(request, sizeof(*header));

	header->tcm_family = AF_UNSPEC;
	header->tcm_ifindex = search->ifindex;
	const int ret = netlink_exchange(&netlink, request, take_discipline, search, TIMEOUT_MS, NULL);

	netlink_close(&netlink);
	return ret == 0 && search->is_at_root;
}

void send_time_init(struct send_time *send_time, int fd, int ifindex)
{
	struct search search = { .ifindex = ifindex };
	struct sock_txtime option = { .clockid = CLOCK_MONOTONIC, .flags = SOF_TXTIME_REPORT_ERRORS };

	*send_time = (struct send_time){ .clock = CLOCK_MONOTONIC };
	if (!ifindex || !look_up(&search)) {
		return;
	}
	if (strcmp(search.kind, "etf") == 0) {
		option.clockid = search.etf.clockid;
		send_time->lead_ns = search.etf.delta;
		send_time->is_offloaded = search.etf.flags & TC_ETF_OFFLOAD_ON;
	} else if (strcmp(search.kind, "fq") != 0) {
		return;
	}
	/* For another clock than CLOCK_MONOTONIC the kernel wants CAP_NET_ADMIN. */
	send_time->is_on = setsockopt(fd, SOL_SOCKET, SO_TXTIME, &option, sizeof(option)) == 0;
	send_time->clock = option.clockid;
	send_time->ahead_ns = send_time->lead_ns + AHEAD_NS;
	snprintf(send_time->discipline, sizeof(send_time->discipline), "%.7s", search.kind);
}

int64_t send_time_offset(const struct send_time *send_time)
{
	struct timespec now;

	if (send_time->clock == CLOCK_MONOTONIC || clock_gettime(send_time->clock, &now)) {
		return 0;
	}
	return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec - clocks_monotonic_ns();
}
