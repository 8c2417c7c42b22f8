/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters of the interface (rtnetlink) and of its driver, and which offloads it has: what the old ioctl of ethtool
 * calls string sets. A set's size and its strings are asked for apart, and may differ when a driver changes its queues
 * in between: the smaller number counts.
 */
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "nic/nic_private.h"

/* More than any driver has; a number beyond it is nonsense. */
#define STRINGS_MAX 65536

static int take_counters(void *context, const struct nlattr *attribute, struct err *err)
{
	struct rtnl_link_stats64 *const counters = context;
	const size_t size = mnl_attr_get_payload_len(attribute);

	(void)err;
	if (mnl_attr_get_type(attribute) == IFLA_STATS64) {
		/* Newer kernels have more of them, older ones fewer. */
		memcpy(counters, mnl_attr_get_payload(attribute), size < sizeof(*counters) ? size : sizeof(*counters));
	}
	return 0;
}

static int take_link(void *context, const struct nlmsghdr *message, struct err *err)
{
	return message->nlmsg_type == RTM_NEWLINK
		       ? netlink_attributes(message, sizeof(struct ifinfomsg), take_counters, context, err)
		       : 0;
}

static int ask(int ifindex, struct rtnl_link_stats64 *counters, struct err *err)
{
	alignas(struct nlmsghdr) uint8_t buffer[NETLINK_MESSAGE_MAX];
	struct netlink netlink;
	int ret = netlink_open_route(&netlink, err);

	if (ret) {
		return ret;
	}
	struct nlmsghdr *const message = mnl_nlmsg_put_header(buffer);

	message->nlmsg_type = RTM_GETLINK;
	message->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	message->nlmsg_pid = netlink.port;
	struct ifinfomsg *const header = mnl_nlmsg_put_extra_header(message, sizeof(*header));

	header->ifi_family = AF_UNSPEC;
	header->ifi_index = ifindex;
	ret = netlink_exchange(&netlink, message, take_link, counters, NIC_TIMEOUT_MS, err);
	netlink_close(&netlink);
	return ret;
}

int nic_link_counters(struct nic *nic, struct nic_link_counters *counters, struct err *err)
{
	struct rtnl_link_stats64 stats = { 0 };
	const int ret = ask(nic->ifindex, &stats, err);

	*counters = (struct nic_link_counters){
		.rx_frames = stats.rx_packets,
		.rx_bytes = stats.rx_bytes,
		.rx_errors = stats.rx_errors,
		.rx_dropped = stats.rx_dropped,
		.rx_missed = stats.rx_missed_errors,
		.rx_no_handler = stats.rx_nohandler,
		.tx_frames = stats.tx_packets,
		.tx_bytes = stats.tx_bytes,
		.tx_errors = stats.tx_errors,
		.tx_dropped = stats.tx_dropped,
	};
	return ret == -ENODEV ? err_set(err, ret, "the interface %s is gone", nic->name) : ret;
}

static int count_strings(struct nic *nic, enum ethtool_stringset set, unsigned *count, struct err *err)
{
	/* With room for one length behind it. */
	union {
		struct ethtool_sset_info info;
		uint8_t room[sizeof(struct ethtool_sset_info) + sizeof(uint32_t)];
	} request = { .info = { .cmd = ETHTOOL_GSSET_INFO, .sset_mask = UINT64_C(1) << set } };
	const int ret = nic_ethtool_ioctl(nic, &request, err);

	if (ret) {
		return ret;
	}
	*count = request.info.sset_mask ? request.info.data[0] : 0;
	if (*count > STRINGS_MAX) {
		return err_set(err, -EBADMSG, "%s: the driver says that it has %u strings", nic->name, *count);
	}
	return 0;
}

/* Allocated, with room for count; the driver may know fewer. */
static int read_strings(struct nic *nic, enum ethtool_stringset set, unsigned *count, struct ethtool_gstrings **strings,
			struct err *err)
{
	int ret = count_strings(nic, set, count, err);

	*strings = NULL;
	if (ret || !*count) {
		return ret;
	}
	struct ethtool_gstrings *const request = calloc(1, sizeof(*request) + (size_t)(*count + 1) * ETH_GSTRING_LEN);

	if (!request) {
		return err_set(err, -ENOMEM, "no memory for %u names", *count);
	}
	*request = (struct ethtool_gstrings){ .cmd = ETHTOOL_GSTRINGS, .string_set = set, .len = *count };
	ret = nic_ethtool_ioctl(nic, request, err);
	if (ret) {
		free(request);
		return ret;
	}
	*count = request->len < *count ? request->len : *count;
	*strings = request;
	return 0;
}

static void copy_name(char name[33], const struct ethtool_gstrings *strings, unsigned i)
{
	memcpy(name, strings->data + (size_t)i * ETH_GSTRING_LEN, ETH_GSTRING_LEN);
	name[ETH_GSTRING_LEN] = '\0';
}

static int read_statistics(struct nic *nic, const struct ethtool_gstrings *strings, struct nic_statistic *statistics,
			   unsigned *count, struct err *err)
{
	/* Drivers write as many values as they have, whatever was asked: room for some that came meanwhile. */
	struct ethtool_stats *const request =
		calloc(1, sizeof(*request) + (2 * (size_t)*count + 64) * sizeof(uint64_t));

	if (!request) {
		return err_set(err, -ENOMEM, "no memory for %u statistics", *count);
	}
	*request = (struct ethtool_stats){ .cmd = ETHTOOL_GSTATS, .n_stats = *count };
	const int ret = nic_ethtool_ioctl(nic, request, err);

	*count = request->n_stats < *count ? request->n_stats : *count;
	for (unsigned i = 0; ret == 0 && i < *count; i++) {
		copy_name(statistics[i].name, strings, i);
		statistics[i].value = request->data[i];
	}
	free(request);
	return ret;
}

int nic_statistics(struct nic *nic, struct nic_statistic **statistics, unsigned *count, struct err *err)
{
	struct ethtool_gstrings *strings;
	int ret = read_strings(nic, ETH_SS_STATS, count, &strings, err);

	*statistics = NULL;
	if (ret || !*count) {
		free(strings);
		return ret;
	}
	*statistics = calloc(*count, sizeof(**statistics));
	ret = *statistics ? read_statistics(nic, strings, *statistics, count, err)
			  : err_set(err, -ENOMEM, "no memory for %u statistics", *count);
	free(strings);
	if (ret) {
		free(*statistics);
		*statistics = NULL;
	}
	return ret;
}

static int read_features(struct nic *nic, const struct ethtool_gstrings *strings, struct nic_feature *features,
			 unsigned count, struct err *err)
{
	const unsigned blocks = (count + 31) / 32;
	struct ethtool_gfeatures *const request =
		calloc(1, sizeof(*request) + blocks * sizeof(struct ethtool_get_features_block));

	if (!request) {
		return err_set(err, -ENOMEM, "no memory for %u offloads", count);
	}
	*request = (struct ethtool_gfeatures){ .cmd = ETHTOOL_GFEATURES, .size = blocks };
	const int ret = nic_ethtool_ioctl(nic, request, err);

	for (unsigned i = 0; ret == 0 && i < count; i++) {
		copy_name(features[i].name, strings, i);
		features[i].is_active = request->features[i / 32].active >> i % 32 & 1;
	}
	free(request);
	return ret;
}

int nic_features(struct nic *nic, struct nic_feature **features, unsigned *count, struct err *err)
{
	struct ethtool_gstrings *strings;
	int ret = read_strings(nic, ETH_SS_FEATURES, count, &strings, err);

	*features = NULL;
	if (ret || !*count) {
		free(strings);
		return ret;
	}
	*features = calloc(*count, sizeof(**features));
	ret = *features ? read_features(nic, strings, *features, *count, err)
			: err_set(err, -ENOMEM, "no memory for %u offloads", *count);
	free(strings);
	if (ret) {
		free(*features);
		*features = NULL;
	}
	return ret;
}

int nic_eee(struct nic *nic, bool *is_enabled, bool *is_active, struct err *err)
{
	struct ethtool_eee request = { .cmd = ETHTOOL_GEEE };
	const int ret = nic_ethtool_ioctl(nic, &request, err);

	*is_enabled = request.eee_enabled != 0;
	*is_active = request.eee_active != 0;
	return ret;
}
