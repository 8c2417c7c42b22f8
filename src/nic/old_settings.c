/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nic/old_settings.h"

#include <stddef.h>

#define COLUMN(field, member) [field] = offsetof(struct ethtool_coalesce, member)

/* Where a field stands in the ioctl's structure; 0 (which is the number of the command): nowhere. */
static const uint8_t columns[COALESCE_FIELDS] = {
	COLUMN(COALESCE_RX_USECS, rx_coalesce_usecs),
	COLUMN(COALESCE_RX_FRAMES, rx_max_coalesced_frames),
	COLUMN(COALESCE_RX_USECS_IRQ, rx_coalesce_usecs_irq),
	COLUMN(COALESCE_RX_FRAMES_IRQ, rx_max_coalesced_frames_irq),
	COLUMN(COALESCE_TX_USECS, tx_coalesce_usecs),
	COLUMN(COALESCE_TX_FRAMES, tx_max_coalesced_frames),
	COLUMN(COALESCE_TX_USECS_IRQ, tx_coalesce_usecs_irq),
	COLUMN(COALESCE_TX_FRAMES_IRQ, tx_max_coalesced_frames_irq),
	COLUMN(COALESCE_STATS_BLOCK_USECS, stats_block_coalesce_usecs),
	COLUMN(COALESCE_ADAPTIVE_RX, use_adaptive_rx_coalesce),
	COLUMN(COALESCE_ADAPTIVE_TX, use_adaptive_tx_coalesce),
	COLUMN(COALESCE_PKT_RATE_LOW, pkt_rate_low),
	COLUMN(COALESCE_RX_USECS_LOW, rx_coalesce_usecs_low),
	COLUMN(COALESCE_RX_FRAMES_LOW, rx_max_coalesced_frames_low),
	COLUMN(COALESCE_TX_USECS_LOW, tx_coalesce_usecs_low),
	COLUMN(COALESCE_TX_FRAMES_LOW, tx_max_coalesced_frames_low),
	COLUMN(COALESCE_PKT_RATE_HIGH, pkt_rate_high),
	COLUMN(COALESCE_RX_USECS_HIGH, rx_coalesce_usecs_high),
	COLUMN(COALESCE_RX_FRAMES_HIGH, rx_max_coalesced_frames_high),
	COLUMN(COALESCE_TX_USECS_HIGH, tx_coalesce_usecs_high),
	COLUMN(COALESCE_TX_FRAMES_HIGH, tx_max_coalesced_frames_high),
	COLUMN(COALESCE_SAMPLE_INTERVAL, rate_sample_interval),
};

uint32_t *old_settings_field(struct ethtool_coalesce *settings, enum coalesce_field field)
{
	return columns[field] ? (uint32_t *)(void *)((uint8_t *)settings + columns[field]) : NULL;
}
