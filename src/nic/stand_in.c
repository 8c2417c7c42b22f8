/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nic/stand_in.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <stdalign.h>

#include "nic/nic_private.h"

static int take_identity_attribute(void *context, const struct nlattr *attribute, struct err *err)
{
	struct nic_identity *const identity = context;
	uint64_t value = 0;

	switch (mnl_attr_get_type(attribute)) {
	case STAND_IN_DRIVER:
		netlink_text(attribute, identity->driver, sizeof(identity->driver));
		identity->has |= NIC_HAS_DRIVER;
		return 0;
	case STAND_IN_BUS:
		netlink_text(attribute, identity->bus, sizeof(identity->bus));
		return 0;
	case STAND_IN_FIRMWARE:
		netlink_text(attribute, identity->firmware, sizeof(identity->firmware));
		return 0;
	case STAND_IN_KERNEL:
		netlink_text(attribute, identity->kernel, sizeof(identity->kernel));
		return 0;
	case STAND_IN_BUILD:
		netlink_text(attribute, identity->build, sizeof(identity->build));
		return 0;
	case STAND_IN_COMPATIBLE:
		netlink_text(attribute, identity->compatible, sizeof(identity->compatible));
		return 0;
	default:
		break;
	}
	if (mnl_attr_get_type(attribute) < STAND_IN_PCI_ID || netlink_number(attribute, UINT32_MAX, &value, err)) {
		return 0;
	}
	switch (mnl_attr_get_type(attribute)) {
	case STAND_IN_PCI_ID:
		identity->has |= NIC_HAS_PCI_ID;
		identity->pci_vendor = (uint16_t)(value >> 16);
		identity->pci_device = (uint16_t)value;
		return 0;
	case STAND_IN_CLOCK_HZ:
		identity->has |= NIC_HAS_CLOCK;
		identity->clock_hz = (uint32_t)value;
		return 0;
	case STAND_IN_CARRIER:
		identity->is_up = identity->has_carrier = value != 0;
		return 0;
	default:
		return 0;
	}
}

static int take_identity(void *context, const struct nlmsghdr *message, struct err *err)
{
	return netlink_attributes(message, GENL_HDRLEN, take_identity_attribute, context, err);
}

static int take_settings_attribute(void *context, const struct nlattr *attribute, struct err *err)
{
	return nic_coalesce_attribute(context, attribute, err);
}

static int take_queue_attribute(void *context, const struct nlattr *attribute, struct err *err)
{
	if (mnl_attr_get_type(attribute) != STAND_IN_SETTINGS) {
		return 0;
	}
	return netlink_nest(attribute, take_settings_attribute, context, err);
}

static int take_queue(void *context, const struct nlmsghdr *message, struct err *err)
{
	return netlink_attributes(message, GENL_HDRLEN, take_queue_attribute, context, err);
}

/* One request on a connection of its own. */
static int ask(uint8_t command, const unsigned *queue, const struct coalesce *settings, netlink_reply_fn *reply,
	       void *context, struct err *err)
{
	alignas(struct nlmsghdr) uint8_t buffer[NETLINK_MESSAGE_MAX];
	struct netlink netlink;
	int ret = netlink_open(&netlink, STAND_IN_FAMILY, NULL, err);

	if (ret == -ENOENT) {
		return err_set(err, -EOPNOTSUPP, "the peer does not offer this");
	}
	if (ret) {
		return ret;
	}
	struct nlmsghdr *const request = netlink_request(&netlink, buffer, command, 1, 0);

	if (queue) {
		mnl_attr_put_u32(request, STAND_IN_QUEUE, *queue);
	}
	if (settings) {
		struct nlattr *const nest = mnl_attr_nest_start(request, STAND_IN_SETTINGS);

		nic_coalesce_put(request, settings);
		mnl_attr_nest_end(request, nest);
	}
	ret = netlink_exchange(&netlink, request, reply, context, NIC_TIMEOUT_MS, err);
	netlink_close(&netlink);
	return ret;
}

int stand_in_identity(struct nic_identity *identity, struct err *err)
{
	return ask(STAND_IN_IDENTITY_GET, NULL, NULL, take_identity, identity, err);
}

int stand_in_queue_get(unsigned queue, struct coalesce *settings, struct err *err)
{
	return ask(STAND_IN_QUEUE_GET, &queue, NULL, take_queue, settings, err);
}

int stand_in_queue_set(unsigned queue, const struct coalesce *settings, struct err *err)
{
	return ask(STAND_IN_QUEUE_SET, &queue, settings, NULL, NULL, err);
}
