/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of this part share. */
#ifndef HOLDOFF_NIC_NIC_PRIVATE_H
#define HOLDOFF_NIC_NIC_PRIVATE_H

#include <libmnl/libmnl.h>

#include "nic/netlink.h"
#include "nic/nic.h"

/* The kernel answers while the request is being sent, unless it waits for its own lock. */
#define NIC_TIMEOUT_MS 5000

/* ---- link.c: rtnetlink ---- */

struct nic_link {
	int ifindex;
	char name[IFNAMSIZ];
	uint8_t address[NIC_ADDRESS_MAX], permanent_address[NIC_ADDRESS_MAX];
	unsigned address_bytes, permanent_address_bytes; /* 0: none */
	char queueing
		[32]; /* kind of its queueing discipline, "noqueue" where it has none; "": the kernel does not say */
	bool is_up, has_carrier;
};

/* By name or alternative name; -ENODEV. */
int nic_link_find(const char *name, struct nic_link *link, struct err *err);
int nic_link_get(int ifindex, struct nic_link *link, struct err *err);

/* ---- ethtool.c ---- */

/* Takes the attribute into settings if it is one of coalesce_fields[]. */
int nic_coalesce_attribute(struct coalesce *settings, const struct nlattr *attribute, struct err *err);
void nic_coalesce_put(struct nlmsghdr *message, const struct coalesce *settings);

/* Speed, rings and channels, each with its bit in identity->has where the driver knows it. */
int nic_ethtool_identify(struct nic *nic, struct nic_identity *identity, struct err *err);

/* SIOCETHTOOL for the interface under its present name; `command` begins with the number of the command. */
int nic_ethtool_ioctl(struct nic *nic, void *command, struct err *err);

/* ---- device.c: what /sys and debugfs say of the device ---- */

void nic_device_identify(const struct nic *nic, struct nic_identity *identity);

/* ---- sysfs.c ---- */

/* 0 when /sys shows this interface, or nothing at all; -EXDEV when it shows those of another network namespace. */
int nic_check_sysfs(const struct nic *nic, struct err *err);

/* ---- nic.c ---- */

/* Asks for the name again: it may have changed since the interface was opened. -ENODEV. */
int nic_refresh_name(struct nic *nic, struct err *err);

#endif
