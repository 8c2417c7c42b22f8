/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one table of interrupt coalescing attributes: what the kernel's generic netlink calls
 * ETHTOOL_A_COALESCE_*. Parsing, printing, netlink, JSON, man page and completion all read it.
 * Source of ids and meaning: include/uapi/linux/ethtool_netlink.h and ethtool.h of Linux 6.12; of Linux 7.1 for 31, 32.
 */
#ifndef HOLDOFF_COALESCE_FIELD_H
#define HOLDOFF_COALESCE_FIELD_H

#include <stddef.h>
#include <stdint.h>

/* Every attribute that is one number or one switch, in the order of the kernel's ids. The two profile
 * attributes (29, 30) are nests and no field. */
enum coalesce_field {
	COALESCE_RX_USECS,
	COALESCE_RX_FRAMES,
	COALESCE_RX_USECS_IRQ,
	COALESCE_RX_FRAMES_IRQ,
	COALESCE_TX_USECS,
	COALESCE_TX_FRAMES,
	COALESCE_TX_USECS_IRQ,
	COALESCE_TX_FRAMES_IRQ,
	COALESCE_STATS_BLOCK_USECS,
	COALESCE_ADAPTIVE_RX,
	COALESCE_ADAPTIVE_TX,
	COALESCE_PKT_RATE_LOW,
	COALESCE_RX_USECS_LOW,
	COALESCE_RX_FRAMES_LOW,
	COALESCE_TX_USECS_LOW,
	COALESCE_TX_FRAMES_LOW,
	COALESCE_PKT_RATE_HIGH,
	COALESCE_RX_USECS_HIGH,
	COALESCE_RX_FRAMES_HIGH,
	COALESCE_TX_USECS_HIGH,
	COALESCE_TX_FRAMES_HIGH,
	COALESCE_SAMPLE_INTERVAL,
	COALESCE_CQE_MODE_TX,
	COALESCE_CQE_MODE_RX,
	COALESCE_TX_AGGR_MAX_BYTES,
	COALESCE_TX_AGGR_MAX_FRAMES,
	COALESCE_TX_AGGR_TIME_USECS,
	COALESCE_RX_CQE_FRAMES,
	COALESCE_RX_CQE_NSECS,
	COALESCE_FIELDS
};

enum coalesce_unit {
	COALESCE_UNIT_USECS,
	COALESCE_UNIT_NSECS,
	COALESCE_UNIT_FRAMES,
	COALESCE_UNIT_BYTES,
	COALESCE_UNIT_PACKETS_PER_S,
	COALESCE_UNIT_SECONDS,
	COALESCE_UNIT_SWITCH, /* 0 or 1: "off"/"on" in text, u8 in netlink */
};

struct coalesce_field_info {
	const char *name;     /* ethtool's word, "rx-usecs" */
	const char *alias;    /* another spelling that ethtool takes or prints, or NULL */
	const char *json_key; /* "rx_usecs": ends in its unit where the name does */
	uint16_t attribute;   /* ETHTOOL_A_COALESCE_* */
	enum coalesce_unit unit;
	const char *meaning; /* one line, no full stop */
};

extern const struct coalesce_field_info coalesce_fields[COALESCE_FIELDS];

/* By name or alias; COALESCE_FIELDS if there is none. */
enum coalesce_field coalesce_field_find(const char *word);
/* The name that a mistyped word most likely meant, or NULL. */
const char *coalesce_field_nearest(const char *word);
const char *coalesce_unit_name(enum coalesce_unit unit); /* "us", "ns", "frames", "bytes", "packets/s", "s", "on/off" */

#endif
