/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a test's peer says in place of the ioctls and files of a real machine, over a generic netlink family of its
 * own: the driver that the interface is said to have, and settings of single queues. Asked only under
 * HOLDOFF_NETLINK_FD; see nic/netlink.h.
 */
#ifndef HOLDOFF_NIC_STAND_IN_H
#define HOLDOFF_NIC_STAND_IN_H

#include <stdbool.h>

#include "nic/nic.h"

#define STAND_IN_FAMILY "holdoff-peer"

enum stand_in_command {
	STAND_IN_IDENTITY_GET = 1, /* no attributes; the answer holds what the peer knows */
	STAND_IN_QUEUE_GET,        /* STAND_IN_QUEUE; the answer holds STAND_IN_SETTINGS */
	STAND_IN_QUEUE_SET,        /* both */
};

enum stand_in_attribute {
	STAND_IN_DRIVER = 1, /* texts */
	STAND_IN_BUS,
	STAND_IN_FIRMWARE,
	STAND_IN_KERNEL,
	STAND_IN_BUILD,
	STAND_IN_COMPATIBLE,
	STAND_IN_PCI_ID,   /* u32: vendor << 16 | device */
	STAND_IN_CLOCK_HZ, /* u32 */
	STAND_IN_CARRIER,  /* u8 */
	STAND_IN_QUEUE,    /* u32 */
	STAND_IN_SETTINGS, /* nest of ETHTOOL_A_COALESCE_* */
};

/* -EOPNOTSUPP where the peer does not offer the family. */
int stand_in_identity(struct nic_identity *identity, struct err *err);
int stand_in_queue_get(unsigned queue, struct coalesce *settings, struct err *err);
int stand_in_queue_set(unsigned queue, const struct coalesce *settings, struct err *err);

#endif
