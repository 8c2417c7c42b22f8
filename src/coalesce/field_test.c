/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "coalesce/field.h"

#include <linux/ethtool_netlink.h>
#include <string.h>

#include "tap.h"

/* What the installed header calls each attribute. */
static const uint16_t header_ids[COALESCE_FIELDS] = {
	[COALESCE_RX_USECS] = ETHTOOL_A_COALESCE_RX_USECS,
	[COALESCE_RX_FRAMES] = ETHTOOL_A_COALESCE_RX_MAX_FRAMES,
	[COALESCE_RX_USECS_IRQ] = ETHTOOL_A_COALESCE_RX_USECS_IRQ,
	[COALESCE_RX_FRAMES_IRQ] = ETHTOOL_A_COALESCE_RX_MAX_FRAMES_IRQ,
	[COALESCE_TX_USECS] = ETHTOOL_A_COALESCE_TX_USECS,
	[COALESCE_TX_FRAMES] = ETHTOOL_A_COALESCE_TX_MAX_FRAMES,
	[COALESCE_TX_USECS_IRQ] = ETHTOOL_A_COALESCE_TX_USECS_IRQ,
	[COALESCE_TX_FRAMES_IRQ] = ETHTOOL_A_COALESCE_TX_MAX_FRAMES_IRQ,
	[COALESCE_STATS_BLOCK_USECS] = ETHTOOL_A_COALESCE_STATS_BLOCK_USECS,
	[COALESCE_ADAPTIVE_RX] = ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX,
	[COALESCE_ADAPTIVE_TX] = ETHTOOL_A_COALESCE_USE_ADAPTIVE_TX,
	[COALESCE_PKT_RATE_LOW] = ETHTOOL_A_COALESCE_PKT_RATE_LOW,
	[COALESCE_RX_USECS_LOW] = ETHTOOL_A_COALESCE_RX_USECS_LOW,
	[COALESCE_RX_FRAMES_LOW] = ETHTOOL_A_COALESCE_RX_MAX_FRAMES_LOW,
	[COALESCE_TX_USECS_LOW] = ETHTOOL_A_COALESCE_TX_USECS_LOW,
	[COALESCE_TX_FRAMES_LOW] = ETHTOOL_A_COALESCE_TX_MAX_FRAMES_LOW,
	[COALESCE_PKT_RATE_HIGH] = ETHTOOL_A_COALESCE_PKT_RATE_HIGH,
	[COALESCE_RX_USECS_HIGH] = ETHTOOL_A_COALESCE_RX_USECS_HIGH,
	[COALESCE_RX_FRAMES_HIGH] = ETHTOOL_A_COALESCE_RX_MAX_FRAMES_HIGH,
	[COALESCE_TX_USECS_HIGH] = ETHTOOL_A_COALESCE_TX_USECS_HIGH,
	[COALESCE_TX_FRAMES_HIGH] = ETHTOOL_A_COALESCE_TX_MAX_FRAMES_HIGH,
	[COALESCE_SAMPLE_INTERVAL] = ETHTOOL_A_COALESCE_RATE_SAMPLE_INTERVAL,
	[COALESCE_CQE_MODE_TX] = ETHTOOL_A_COALESCE_USE_CQE_MODE_TX,
	[COALESCE_CQE_MODE_RX] = ETHTOOL_A_COALESCE_USE_CQE_MODE_RX,
	/* Newer than Debian 12's header, which ends before them. */
	[COALESCE_TX_AGGR_MAX_BYTES] = 26,
	[COALESCE_TX_AGGR_MAX_FRAMES] = 27,
	[COALESCE_TX_AGGR_TIME_USECS] = 28,
	[COALESCE_RX_CQE_FRAMES] = 31,
	[COALESCE_RX_CQE_NSECS] = 32,
};

static void test_row(enum coalesce_field field)
{
	const struct coalesce_field_info *const info = &coalesce_fields[field];

	tap_is(info->attribute, header_ids[field], "%s: attribute id", info->name);
	tap_is(coalesce_field_find(info->name), field, "%s: found by name", info->name);
	if (info->alias) {
		tap_is(coalesce_field_find(info->alias), field, "%s: found as %s", info->name, info->alias);
	}
	tap_is((int64_t)strspn(info->json_key, "abcdefghijklmnopqrstuvwxyz_"), (int64_t)strlen(info->json_key),
	       "%s: the JSON key %s is snake case", info->name, info->json_key);
	tap_ok(info->meaning[0] && info->meaning[strlen(info->meaning) - 1] != '.', "%s: a meaning without full stop",
	       info->name);
}

static void test_find(void)
{
	tap_is(coalesce_field_find("rx-usec"), COALESCE_FIELDS, "a part of a name is no name");
	tap_is(coalesce_field_find("rx-usecss"), COALESCE_FIELDS, "a longer name is no name");
	tap_is(coalesce_field_find(""), COALESCE_FIELDS, "an empty name is no name");
	tap_is_text(coalesce_field_nearest("rx-usec"), "rx-usecs", "the nearest name");
	tap_is_text(coalesce_field_nearest("adaptive_tx"), "adaptive-tx", "the nearest name with an underscore");
	tap_ok(!coalesce_field_nearest("mtu"), "nothing is near mtu");
	tap_is_text(coalesce_unit_name(COALESCE_UNIT_PACKETS_PER_S), "packets/s", "the name of a unit");
	tap_is_text(coalesce_unit_name(COALESCE_UNIT_SWITCH), "on/off", "the name of the last unit");
}

int main(void)
{
	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		test_row(field);
	}
	test_find();
	return tap_done();
}
