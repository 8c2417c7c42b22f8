/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "coalesce/field.h"

#include <string.h>

#include "base/text.h"

/*
 * Attribute ids are written as numbers: the program must build with headers older than the kernel it talks to. A
 * test compares them with the installed header. Words and aliases are those of ethtool -C (6.1 to 6.15: it takes
 * rx-frame-low and prints both spellings over time).
 */
const struct coalesce_field_info coalesce_fields[COALESCE_FIELDS] = {
	[COALESCE_RX_USECS] = { "rx-usecs", NULL, "rx_usecs", 2, COALESCE_UNIT_USECS,
				"longest wait after a received frame" },
	[COALESCE_RX_FRAMES] = { "rx-frames", NULL, "rx_frames", 3, COALESCE_UNIT_FRAMES,
				 "received frames that end the wait" },
	[COALESCE_RX_USECS_IRQ] = { "rx-usecs-irq", NULL, "rx_usecs_irq", 4, COALESCE_UNIT_USECS,
				    "rx-usecs while the host serves an interrupt" },
	[COALESCE_RX_FRAMES_IRQ] = { "rx-frames-irq", NULL, "rx_frames_irq", 5, COALESCE_UNIT_FRAMES,
				     "rx-frames while the host serves an interrupt" },
	[COALESCE_TX_USECS] = { "tx-usecs", NULL, "tx_usecs", 6, COALESCE_UNIT_USECS,
				"longest wait after a sent frame" },
	[COALESCE_TX_FRAMES] = { "tx-frames", NULL, "tx_frames", 7, COALESCE_UNIT_FRAMES,
				 "sent frames that end the wait" },
	[COALESCE_TX_USECS_IRQ] = { "tx-usecs-irq", NULL, "tx_usecs_irq", 8, COALESCE_UNIT_USECS,
				    "tx-usecs while the host serves an interrupt" },
	[COALESCE_TX_FRAMES_IRQ] = { "tx-frames-irq", NULL, "tx_frames_irq", 9, COALESCE_UNIT_FRAMES,
				     "tx-frames while the host serves an interrupt" },
	[COALESCE_STATS_BLOCK_USECS] = { "stats-block-usecs", NULL, "stats_block_usecs", 10, COALESCE_UNIT_USECS,
					 "how often the NIC writes its counters to memory" },
	[COALESCE_ADAPTIVE_RX] = { "adaptive-rx", NULL, "adaptive_rx", 11, COALESCE_UNIT_SWITCH,
				   "driver or NIC choose the receive values" },
	[COALESCE_ADAPTIVE_TX] = { "adaptive-tx", NULL, "adaptive_tx", 12, COALESCE_UNIT_SWITCH,
				   "driver or NIC choose the transmit values" },
	[COALESCE_PKT_RATE_LOW] = { "pkt-rate-low", NULL, "pkt_rate_low_per_s", 13, COALESCE_UNIT_PACKETS_PER_S,
				    "below this rate the -low values hold" },
	[COALESCE_RX_USECS_LOW] = { "rx-usecs-low", NULL, "rx_usecs_low", 14, COALESCE_UNIT_USECS,
				    "rx-usecs at low rates" },
	[COALESCE_RX_FRAMES_LOW] = { "rx-frames-low", "rx-frame-low", "rx_frames_low", 15, COALESCE_UNIT_FRAMES,
				     "rx-frames at low rates" },
	[COALESCE_TX_USECS_LOW] = { "tx-usecs-low", NULL, "tx_usecs_low", 16, COALESCE_UNIT_USECS,
				    "tx-usecs at low rates" },
	[COALESCE_TX_FRAMES_LOW] = { "tx-frames-low", "tx-frame-low", "tx_frames_low", 17, COALESCE_UNIT_FRAMES,
				     "tx-frames at low rates" },
	[COALESCE_PKT_RATE_HIGH] = { "pkt-rate-high", NULL, "pkt_rate_high_per_s", 18, COALESCE_UNIT_PACKETS_PER_S,
				     "above this rate the -high values hold" },
	[COALESCE_RX_USECS_HIGH] = { "rx-usecs-high", NULL, "rx_usecs_high", 19, COALESCE_UNIT_USECS,
				     "rx-usecs at high rates" },
	[COALESCE_RX_FRAMES_HIGH] = { "rx-frames-high", "rx-frame-high", "rx_frames_high", 20, COALESCE_UNIT_FRAMES,
				      "rx-frames at high rates" },
	[COALESCE_TX_USECS_HIGH] = { "tx-usecs-high", NULL, "tx_usecs_high", 21, COALESCE_UNIT_USECS,
				     "tx-usecs at high rates" },
	[COALESCE_TX_FRAMES_HIGH] = { "tx-frames-high", "tx-frame-high", "tx_frames_high", 22, COALESCE_UNIT_FRAMES,
				      "tx-frames at high rates" },
	[COALESCE_SAMPLE_INTERVAL] = { "sample-interval", NULL, "sample_interval_s", 23, COALESCE_UNIT_SECONDS,
				       "how often adaptive modes look at the rate" },
	[COALESCE_CQE_MODE_TX] = { "cqe-mode-tx", NULL, "cqe_mode_tx", 24, COALESCE_UNIT_SWITCH,
				   "each sent frame restarts the wait" },
	[COALESCE_CQE_MODE_RX] = { "cqe-mode-rx", NULL, "cqe_mode_rx", 25, COALESCE_UNIT_SWITCH,
				   "each received frame restarts the wait" },
	[COALESCE_TX_AGGR_MAX_BYTES] = { "tx-aggr-max-bytes", NULL, "tx_aggr_max_bytes", 26, COALESCE_UNIT_BYTES,
					 "most bytes that the driver gathers into one transfer" },
	[COALESCE_TX_AGGR_MAX_FRAMES] = { "tx-aggr-max-frames", NULL, "tx_aggr_max_frames", 27, COALESCE_UNIT_FRAMES,
					  "most frames that the driver gathers into one transfer" },
	[COALESCE_TX_AGGR_TIME_USECS] = { "tx-aggr-time-usecs", NULL, "tx_aggr_time_usecs", 28, COALESCE_UNIT_USECS,
					  "longest wait for more frames to gather" },
	[COALESCE_RX_CQE_FRAMES] = { "rx-cqe-frames", NULL, "rx_cqe_frames", 31, COALESCE_UNIT_FRAMES,
				     "received frames that share one completion entry" },
	[COALESCE_RX_CQE_NSECS] = { "rx-cqe-nsecs", NULL, "rx_cqe_nsecs", 32, COALESCE_UNIT_NSECS,
				    "longest wait for more frames to share a completion entry" },
};

enum coalesce_field coalesce_field_find(const char *word)
{
	enum coalesce_field field = 0;

	for (; field < COALESCE_FIELDS; field++) {
		const struct coalesce_field_info *const info = &coalesce_fields[field];

		if (strcmp(word, info->name) == 0 || (info->alias && strcmp(word, info->alias) == 0)) {
			break;
		}
	}
	return field;
}

const char *coalesce_field_nearest(const char *word)
{
	const char *names[COALESCE_FIELDS];

	for (unsigned field = 0; field < COALESCE_FIELDS; field++) {
		names[field] = coalesce_fields[field].name;
	}
	return text_nearest(word, names, COALESCE_FIELDS);
}

const char *coalesce_unit_name(enum coalesce_unit unit)
{
	static const char *const names[] = {
		[COALESCE_UNIT_USECS] = "us",
		[COALESCE_UNIT_NSECS] = "ns",
		[COALESCE_UNIT_FRAMES] = "frames",
		[COALESCE_UNIT_BYTES] = "bytes",
		[COALESCE_UNIT_PACKETS_PER_S] = "packets/s",
		[COALESCE_UNIT_SECONDS] = "s",
		[COALESCE_UNIT_SWITCH] = "on/off",
	};

	return names[unit];
}
