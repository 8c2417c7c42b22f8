/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ethtool family: coalescing, and what identifies an interface. coalesce_fields[] says which attribute is
 * which field; those that it does not know (of newer kernels, and the profile nests 29 and 30) are passed over.
 *
 * A driver without the operation and one that refuses differ by the errno only: -EOPNOTSUPP against anything else.
 * Source: Documentation/networking/ethtool-netlink.rst and net/ethtool/coalesce.c of Linux 6.12.
 */
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/sockios.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "nic/nic_private.h"

/* Attribute 1 of every message of the family. */
#define HEADER 1

/* The device is named by its index: a name may have moved to another one meanwhile. */
static struct nlmsghdr *begin(struct nic *nic, void *buffer, uint8_t command)
{
	struct nlmsghdr *const message = netlink_request(nic->ethtool, buffer, command, ETHTOOL_GENL_VERSION, 0);
	struct nlattr *const header = mnl_attr_nest_start(message, HEADER);

	mnl_attr_put_u32(message, ETHTOOL_A_HEADER_DEV_INDEX, (uint32_t)nic->ifindex);
	mnl_attr_nest_end(message, header);
	return message;
}

/* ---- coalescing ---- */

static enum coalesce_field field_of_attribute(uint16_t attribute)
{
	enum coalesce_field field = COALESCE_RX_USECS;

	while (field < COALESCE_FIELDS && coalesce_fields[field].attribute != attribute) {
		field++;
	}
	return field;
}

int nic_coalesce_attribute(struct coalesce *settings, const struct nlattr *attribute, struct err *err)
{
	const enum coalesce_field field = field_of_attribute(mnl_attr_get_type(attribute));
	uint64_t value;

	if (field == COALESCE_FIELDS) {
		return 0;
	}
	const int ret = netlink_number(attribute, UINT32_MAX, &value, err);

	if (ret) {
		return err_prefix(err, ret, "%s", coalesce_fields[field].name);
	}
	coalesce_put(settings, field,
		     coalesce_fields[field].unit == COALESCE_UNIT_SWITCH ? value != 0 : (uint32_t)value);
	return 0;
}

void nic_coalesce_put(struct nlmsghdr *message, const struct coalesce *settings)
{
	for (enum coalesce_field field = COALESCE_RX_USECS; field < COALESCE_FIELDS; field++) {
		const struct coalesce_field_info *const info = &coalesce_fields[field];

		if (!coalesce_has(settings, field)) {
			continue;
		}
		if (info->unit == COALESCE_UNIT_SWITCH) {
			mnl_attr_put_u8(message, info->attribute, settings->value[field] != 0);
		} else {
			mnl_attr_put_u32(message, info->attribute, settings->value[field]);
		}
	}
}

struct reading {
	struct coalesce settings;
	int wanted_ifindex, ifindex; /* of the message at hand, 0: it does not say */
	bool is_read;
};

static int take_header_attribute(void *context, const struct nlattr *attribute, struct err *err)
{
	int *const ifindex = context;
	uint64_t value;

	if (mnl_attr_get_type(attribute) != ETHTOOL_A_HEADER_DEV_INDEX) {
		return 0;
	}
	const int ret = netlink_number(attribute, INT32_MAX, &value, err);

	if (!ret) {
		*ifindex = (int)value;
	}
	return ret;
}

static int take_coalesce_attribute(void *context, const struct nlattr *attribute, struct err *err)
{
	struct reading *const reading = context;

	if (mnl_attr_get_type(attribute) == HEADER) {
		return netlink_nest(attribute, take_header_attribute, &reading->ifindex, err);
	}
	return nic_coalesce_attribute(&reading->settings, attribute, err);
}

static int take_coalesce(void *context, const struct nlmsghdr *message, struct err *err)
{
	struct reading *const reading = context;
	struct reading fresh = { .wanted_ifindex = reading->wanted_ifindex };

	if (netlink_command(message) != ETHTOOL_MSG_COALESCE_GET_REPLY) {
		return 0;
	}
	const int ret = netlink_attributes(message, GENL_HDRLEN, take_coalesce_attribute, &fresh, err);

	if (ret) {
		return ret;
	}
	if (fresh.ifindex && fresh.ifindex != fresh.wanted_ifindex) {
		return 0;
	}
	fresh.is_read = true;
	*reading = fresh;
	return 0;
}

int nic_coalesce_get(struct nic *nic, struct coalesce *settings, struct err *err)
{
	alignas(struct nlmsghdr) uint8_t buffer[NETLINK_MESSAGE_MAX];
	struct reading reading = { .wanted_ifindex = nic->ifindex };
	const int ret = netlink_exchange(nic->ethtool, begin(nic, buffer, ETHTOOL_MSG_COALESCE_GET), take_coalesce,
					 &reading, NIC_TIMEOUT_MS, err);

	*settings = reading.settings;
	if (ret) {
		*settings = (struct coalesce){ 0 };
	}
	if (ret == -EOPNOTSUPP) {
		return err_set(err, ret, "%s: its driver has no interrupt coalescing to show or set", nic->name);
	}
	if (!ret && !reading.is_read) {
		return err_set(err, -EBADMSG, "%s: the kernel acknowledges but does not answer", nic->name);
	}
	return ret ? err_prefix(err, ret, "%s", nic->name) : 0;
}

static int explain_refusal(const struct nic *nic, const struct coalesce *change, int ret, struct err *err)
{
	const enum coalesce_field field = field_of_attribute(nic->ethtool->refused_attribute);

	if (ret == -EPERM) {
		return err_set(err, ret, "%s: changing settings needs root (CAP_NET_ADMIN)", nic->name);
	}
	if (ret == -EOPNOTSUPP && err && strstr(err->text, "the kernel answers")) {
		return err_set(err, ret, "%s: its driver has no interrupt coalescing to set, or not these settings",
			       nic->name);
	}
	if (field < COALESCE_FIELDS && coalesce_has(change, field)) {
		err_prefix(err, ret, "%s", coalesce_fields[field].name);
	}
	return err_prefix(err, ret, "%s", nic->name);
}

int nic_coalesce_set(struct nic *nic, const struct coalesce *change, struct err *err)
{
	alignas(struct nlmsghdr) uint8_t buffer[NETLINK_MESSAGE_MAX];

	if (!change->present) {
		return 0;
	}
	struct nlmsghdr *const request = begin(nic, buffer, ETHTOOL_MSG_COALESCE_SET);

	nic_coalesce_put(request, change);
	const int ret = netlink_exchange(nic->ethtool, request, NULL, NULL, NIC_TIMEOUT_MS, err);

	return ret ? explain_refusal(nic, change, ret, err) : 0;
}

/* ---- speed, rings, channels ---- */

struct number {
	uint16_t attribute;
	uint32_t *value;
	bool is_found;
};

struct numbers {
	struct number *numbers;
	unsigned count;
};

static int take_number(void *context, const struct nlattr *attribute, struct err *err)
{
	const struct numbers *const numbers = context;

	for (unsigned i = 0; i < numbers->count; i++) {
		struct number *const number = &numbers->numbers[i];
		uint64_t value;

		if (number->attribute != mnl_attr_get_type(attribute)) {
			continue;
		}
		if (netlink_number(attribute, UINT32_MAX, &value, err)) {
			return -EBADMSG;
		}
		*number->value = (uint32_t)value;
		number->is_found = true;
	}
	return 0;
}

static int take_numbers(void *context, const struct nlmsghdr *message, struct err *err)
{
	return netlink_attributes(message, GENL_HDRLEN, take_number, context, err);
}

/*
 * *any: at least one of them was said. Only a vanished interface is an error: what a driver does not have is just
 * absent.
 */
static int ask_numbers(struct nic *nic, uint8_t command, struct number *list, unsigned count, bool *any,
		       struct err *err)
{
	alignas(struct nlmsghdr) uint8_t buffer[NETLINK_MESSAGE_MAX];
	struct numbers numbers = { list, count };
	const int ret = netlink_exchange(nic->ethtool, begin(nic, buffer, command), take_numbers, &numbers,
					 NIC_TIMEOUT_MS, err);

	*any = false;
	for (unsigned i = 0; i < count && !ret; i++) {
		*any |= list[i].is_found;
	}
	switch (ret) {
	case -ENODEV:
	case -ETIMEDOUT:
	case -ECONNRESET:
	case -EBADMSG:
		return err_prefix(err, ret, "%s", nic->name);
	default:
		return 0;
	}
}

static int ask_speed(struct nic *nic, struct nic_identity *identity, struct err *err)
{
	uint32_t speed_mbps = 0;
	struct number numbers[] = { { ETHTOOL_A_LINKMODES_SPEED, &speed_mbps, false } };
	bool any;
	const int ret = ask_numbers(nic, ETHTOOL_MSG_LINKMODES_GET, numbers, 1, &any, err);

	if (!ret && any && speed_mbps && speed_mbps != (uint32_t)SPEED_UNKNOWN && identity->has_carrier) {
		identity->has |= NIC_HAS_SPEED;
		identity->speed_mbps = speed_mbps;
	}
	return ret;
}

static int ask_rings(struct nic *nic, struct nic_identity *identity, struct err *err)
{
	struct number numbers[] = {
		{ ETHTOOL_A_RINGS_RX, &identity->rx_ring, false },
		{ ETHTOOL_A_RINGS_TX, &identity->tx_ring, false },
	};
	bool any;
	const int ret = ask_numbers(nic, ETHTOOL_MSG_RINGS_GET, numbers, 2, &any, err);

	identity->has |= any ? NIC_HAS_RINGS : 0;
	return ret;
}

static int ask_channels(struct nic *nic, struct nic_identity *identity, struct err *err)
{
	struct number numbers[] = {
		{ ETHTOOL_A_CHANNELS_RX_COUNT, &identity->rx_channels, false },
		{ ETHTOOL_A_CHANNELS_TX_COUNT, &identity->tx_channels, false },
		{ ETHTOOL_A_CHANNELS_OTHER_COUNT, &identity->other_channels, false },
		{ ETHTOOL_A_CHANNELS_COMBINED_COUNT, &identity->combined_channels, false },
	};
	bool any;
	const int ret = ask_numbers(nic, ETHTOOL_MSG_CHANNELS_GET, numbers, 4, &any, err);

	identity->has |= any ? NIC_HAS_CHANNELS : 0;
	return ret;
}

int nic_ethtool_identify(struct nic *nic, struct nic_identity *identity, struct err *err)
{
	int ret = ask_speed(nic, identity, err);

	if (!ret) {
		ret = ask_rings(nic, identity, err);
	}
	return ret ? ret : ask_channels(nic, identity, err);
}

int nic_ethtool_ioctl(struct nic *nic, void *command, struct err *err)
{
	struct ifreq request = { .ifr_data = command };
	const int ret = nic_refresh_name(nic, err);

	if (ret) {
		return ret;
	}
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", nic->name);
	if (ioctl(nic->ioctl_fd, SIOCETHTOOL, &request)) {
		char name[ERR_NAME_MAX];
		const int error = errno;

		return err_set(err, -error, "%s: the kernel answers %s", nic->name, err_name(error, name));
	}
	return 0;
}

/* ---- notifications ---- */

static int take_notification_attribute(void *context, const struct nlattr *attribute, struct err *err)
{
	if (mnl_attr_get_type(attribute) != HEADER) {
		return 0;
	}
	return netlink_nest(attribute, take_header_attribute, context, err);
}

static int take_notification(void *context, const struct nlmsghdr *message, struct err *err)
{
	if (netlink_command(message) != ETHTOOL_MSG_COALESCE_NTF) {
		return 0;
	}
	return netlink_attributes(message, GENL_HDRLEN, take_notification_attribute, context, err);
}

int nic_watch_open(struct nic *nic, struct err *err)
{
	if (nic->watch) {
		return 0;
	}
	struct netlink *const watch = malloc(sizeof(*watch));

	if (!watch) {
		return err_set(err, -ENOMEM, "no memory for a netlink socket");
	}
	int ret = netlink_open(watch, ETHTOOL_GENL_NAME, ETHTOOL_MCGRP_MONITOR_NAME, err);

	if (!ret) {
		/* Joined now, so that nothing is missed between this and the first wait. */
		ret = netlink_listen(watch, take_notification, &(int){ 0 }, 0, err);
		if (ret != -ETIMEDOUT && ret) {
			netlink_close(watch);
		} else {
			ret = 0;
		}
	}
	if (ret) {
		free(watch);
		return ret;
	}
	nic->watch = watch;
	return 0;
}

int nic_watch(struct nic *nic, int timeout_ms, int *ifindex, struct err *err)
{
	const int64_t deadline_at_ms = netlink_now_ms() + timeout_ms;
	int left_ms = timeout_ms;

	*ifindex = 0;
	do {
		const int ret = netlink_listen(nic->watch, take_notification, ifindex, left_ms, err);

		if (ret == -ETIMEDOUT) {
			return 0;
		}
		if (ret == -ENOBUFS) {
			*ifindex = NIC_WATCH_ALL;
			return 0;
		}
		if (ret) {
			return ret;
		}
		left_ms = timeout_ms < 0 ? -1 : (int)(deadline_at_ms - netlink_now_ms());
	} while (!*ifindex && (timeout_ms < 0 || left_ms > 0));
	return 0;
}
