/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings as the ioctls before netlink have them: one structure, every value always there. No word for
 * "unsupported" or "not given", and no place for the completion queue modes and what came later. Source:
 * include/uapi/linux/ethtool.h.
 */
#ifndef HOLDOFF_NIC_OLD_SETTINGS_H
#define HOLDOFF_NIC_OLD_SETTINGS_H

#include <stdint.h>

#include <linux/ethtool.h>

#include "coalesce/field.h"

/* Where a field stands in the structure, NULL: nowhere. */
uint32_t *old_settings_field(struct ethtool_coalesce *settings, enum coalesce_field field);

#endif
