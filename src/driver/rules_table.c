/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One row a driver, in the order of the fields in which the driver checks them. Files are those of Linux 6.12 below
 * drivers/net unless another source is named; rows say where something is older or newer. What a row does not say the
 * driver takes as it comes.
 */
#include <errno.h>
#include <string.h>

#include "driver/rules.h"

#define BIT(name) COALESCE_BIT(COALESCE_##name)
#define USECS (BIT(RX_USECS) | BIT(TX_USECS))
#define FRAMES (BIT(RX_FRAMES) | BIT(TX_FRAMES))
#define ADAPTIVE (BIT(ADAPTIVE_RX) | BIT(ADAPTIVE_TX))

#define NS_PER_US_STEP 1000u /* of a microsecond each */

/* Fields that two drivers have alike. igb and igc: 13 bits of 1 us; ixgbe: 9 bits of 2 us; i40e and ice: 13 bits of 2 us. */
#define EITR_OF_1US(name)                                                                                             \
	{                                                                                                             \
		.field = (name), .least = 10, .most = 10000, .code_count = 3, .codes = { 0, 1, 3 }, .error = -EINVAL, \
		.wraps_at = 8192                                                                                      \
	}
#define EITR_OF_2US(name)                                                                            \
	{                                                                                            \
		.field = (name), .most = 1022, .code_count = 2, .codes = { 0, 1 }, .error = -EINVAL, \
		.step_ns = 2 * NS_PER_US_STEP, .rounding = RULE_DOWN                                 \
	}
#define ITR_UP(name)                                                                                                 \
	{                                                                                                            \
		.field = (name), .most = 8160, .error = -EINVAL, .step_ns = 2 * NS_PER_US_STEP, .rounding = RULE_UP, \
		.reads_back_rounded = true                                                                           \
	}
#define ITR_DOWN(name)                                                                                                \
	{                                                                                                             \
		.field = (name), .most = 8160, .error = -EINVAL, .step_ns = 2 * NS_PER_US_STEP, .rounding = RULE_DOWN \
	}

static const char shared_timer[] = "queues are paired: one timer serves both directions, rx-usecs sets it";
static const char is_adaptive[] = "cannot be changed while the adaptive mode is on: switch it off in the same request";

static const struct driver_rules rows[] = {
	{
		.drivers = { "igb" },
		.kernels = "6.1 and 6.12",
		.supported = USECS,
		.defaults = "rx-usecs 3 tx-usecs 0",
		.kind = CHIP_HOLD_THROTTLE,
		.unit_ns = 1000,
		.field_count = 2,
		.fields = { EITR_OF_1US(COALESCE_RX_USECS), EITR_OF_1US(COALESCE_TX_USECS) },
		.cross_count = 1,
		.cross = { { RULE_TX_WITH_PAIRS, COALESCE_TX_USECS, -EINVAL, shared_timer } },
		.lowest = "rx-usecs 0",
		.source = "ethernet/intel/igb/igb_ethtool.c; 13 bits of a microsecond in EITR",
	},
	{
		.drivers = { "igc" },
		.kernels = "6.6 and later; before, tx-usecs had to be 0",
		.supported = USECS,
		.defaults = "rx-usecs 3 tx-usecs 3",
		.kind = CHIP_HOLD_THROTTLE,
		.unit_ns = 1000,
		.field_count = 2,
		.fields = { EITR_OF_1US(COALESCE_RX_USECS), EITR_OF_1US(COALESCE_TX_USECS) },
		.cross_count = 1,
		.cross = { { RULE_TX_KEPT, COALESCE_TX_USECS, -EINVAL, shared_timer } },
		.lowest = "rx-usecs 0",
		.source = "ethernet/intel/igc/igc_ethtool.c; intel-wired-lan, August 2023",
	},
	{
		.drivers = { "ixgbe", "ixgbevf" },
		.kernels = "6.1 and 6.12",
		.supported = USECS,
		.defaults = "rx-usecs 1 tx-usecs 0",
		.kind = CHIP_HOLD_THROTTLE,
		.unit_ns = 1000,
		.field_count = 2,
		.fields = { EITR_OF_2US(COALESCE_RX_USECS), EITR_OF_2US(COALESCE_TX_USECS) },
		.cross_count = 1,
		.cross = { { RULE_TX_WITH_PAIRS, COALESCE_TX_USECS, -EINVAL, shared_timer } },
		.lowest = "rx-usecs 0",
		.source = "ethernet/intel/ixgbe/ixgbe_ethtool.c, ixgbevf/ethtool.c: EITR has bits 11 to 3",
	},
	{
		.drivers = { "i40e" },
		.kernels = "6.8 and later; before, it also showed rx-frames-irq, which had no effect",
		.supported = USECS | ADAPTIVE | BIT(TX_FRAMES_IRQ) | BIT(RX_USECS_HIGH) | BIT(TX_USECS_HIGH),
		.defaults = "rx-usecs 50 tx-usecs 50 tx-frames-irq 256 adaptive-rx on adaptive-tx on rx-usecs-high 0 "
			    "tx-usecs-high 0",
		.kind = CHIP_HOLD_THROTTLE,
		.unit_ns = 1000,
		.per_queue = true,
		.field_count = 4,
		.fields = { { .field = COALESCE_RX_USECS_HIGH,
			      .most = 236,
			      .error = -EINVAL,
			      .step_ns = 4 * NS_PER_US_STEP,
			      .rounding = RULE_DOWN,
			      .reads_back_rounded = true },
			    ITR_UP(COALESCE_RX_USECS),
			    ITR_UP(COALESCE_TX_USECS),
			    { .field = COALESCE_TX_FRAMES_IRQ,
			      .note = "it limits the work of a poll, and holds no interrupt" } },
		.cross_count = 3,
		.cross = { { RULE_FOLLOWS_HIGH, COALESCE_TX_USECS_HIGH, -EINVAL,
			     "is not used: rx-usecs-high limits the rate of the vector" },
			   { RULE_NOT_WHILE_ADAPTIVE_RX, COALESCE_RX_USECS, -EINVAL, is_adaptive },
			   { RULE_NOT_WHILE_ADAPTIVE_TX, COALESCE_TX_USECS, -EINVAL, is_adaptive } },
		.lowest = "rx-usecs 0 tx-usecs 0 adaptive-rx off adaptive-tx off",
		.source = "ethernet/intel/i40e/i40e_ethtool.c",
	},
	{
		.drivers = { "iavf" },
		.kernels = "6.1 and 6.12",
		.supported = USECS | ADAPTIVE,
		.defaults = "rx-usecs 50 tx-usecs 50 adaptive-rx on adaptive-tx on",
		.kind = CHIP_HOLD_THROTTLE,
		.unit_ns = 1000,
		.per_queue = true,
		.field_count = 2,
		.fields = { ITR_UP(COALESCE_RX_USECS), ITR_UP(COALESCE_TX_USECS) },
		.cross_count = 2,
		.cross = { { RULE_NOT_WHILE_ADAPTIVE_RX, COALESCE_RX_USECS, -EINVAL, is_adaptive },
			   { RULE_NOT_WHILE_ADAPTIVE_TX, COALESCE_TX_USECS, -EINVAL, is_adaptive } },
		.lowest = "rx-usecs 0 tx-usecs 0 adaptive-rx off adaptive-tx off",
		.source = "ethernet/intel/iavf/iavf_ethtool.c; intel-wired-lan, November 2023",
	},
	{
		.drivers = { "ice" },
		.kernels = "5.16 and later; before, odd times were refused",
		.supported = USECS | ADAPTIVE | BIT(RX_USECS_HIGH),
		.defaults = "rx-usecs 50 tx-usecs 50 adaptive-rx on adaptive-tx on rx-usecs-high 0",
		.kind = CHIP_HOLD_THROTTLE,
		.unit_ns = 1000,
		.per_queue = true,
		.field_count = 3,
		.fields = { { .field = COALESCE_RX_USECS_HIGH,
			      .least = 4,
			      .most = 236,
			      .code_count = 1,
			      .codes = { 0 },
			      .error = -EINVAL,
			      .step_ns = 4 * NS_PER_US_STEP,
			      .rounding = RULE_DOWN },
			    ITR_DOWN(COALESCE_RX_USECS),
			    ITR_DOWN(COALESCE_TX_USECS) },
		.cross_count = 3,
		.cross = { { RULE_NOT_WHILE_ADAPTIVE_RX, COALESCE_RX_USECS_HIGH, -EINVAL, is_adaptive },
			   { RULE_NOT_WHILE_ADAPTIVE_RX, COALESCE_RX_USECS, -EINVAL, is_adaptive },
			   { RULE_NOT_WHILE_ADAPTIVE_TX, COALESCE_TX_USECS, -EINVAL, is_adaptive } },
		.lowest = "rx-usecs 0 tx-usecs 0 adaptive-rx off adaptive-tx off",
		.source = "ethernet/intel/ice/ice_ethtool.c; intel-wired-lan, September 2021",
	},
	{
		.drivers = { "fsl_enetc", "fsl_enetc_vf", "fsl_enetc4" },
		.kernels = "6.12",
		.supported = USECS | FRAMES | BIT(ADAPTIVE_RX),
		.defaults = "rx-usecs 0 rx-frames 256 tx-usecs 600 tx-frames 128 adaptive-rx on",
		.kind = CHIP_HOLD_OFF,
		.zero_is_each = true,
		.unit_ns = 1000,
		.field_count = 3,
		.fields = { { .field = COALESCE_RX_FRAMES,
			      .code_count = 1,
			      .codes = { 256 },
			      .only_codes = true,
			      .error = -EOPNOTSUPP },
			    { .field = COALESCE_TX_FRAMES,
			      .code_count = 1,
			      .codes = { 128 },
			      .only_codes = true,
			      .error = -EOPNOTSUPP },
			    { .field = COALESCE_ADAPTIVE_RX, .note = "a change of it restarts the interface" } },
		.lowest = "rx-usecs 0 tx-usecs 0 adaptive-rx off",
		.source = "ethernet/freescale/enetc/enetc_ethtool.c",
	},
	{
		.drivers = { "mvneta" },
		.kernels = "6.1 and 6.12",
		.supported = BIT(RX_USECS) | FRAMES,
		.defaults = "rx-usecs 100 rx-frames 32 tx-frames 0",
		.kind = CHIP_HOLD_OFF,
		.unit_ns = 1000,
		.field_count = 1,
		.fields = { { .field = COALESCE_TX_FRAMES,
			      .wraps_at = 16384,
			      .note = "there is no timer for sent frames: they wait until there are so many (ping "
				      "stalled "
				      "at 16)" } },
		.lowest = "rx-usecs 0 rx-frames 0 tx-frames 0",
		.source = "ethernet/marvell/mvneta.c; commit aebea2ba0f74",
	},
	{
		.drivers = { "bcmgenet" },
		.kernels = "6.1 and 6.12",
		.supported = BIT(RX_USECS) | FRAMES | BIT(ADAPTIVE_RX),
		.defaults = "rx-usecs 0 rx-frames 1 tx-frames 1 adaptive-rx off",
		.kind = CHIP_HOLD_OFF,
		.unit_ns = 1000,
		.tx_at_ring_empty = true,
		.field_count = 3,
		.fields = { { .field = COALESCE_TX_FRAMES, .least = 1, .most = 511, .error = -EINVAL },
			    { .field = COALESCE_RX_FRAMES, .most = 511, .error = -EINVAL },
			    { .field = COALESCE_RX_USECS,
			      .most = 524281,
			      .error = -EINVAL,
			      .step_ns = 8192,
			      .rounding = RULE_UP,
			      .reads_back_rounded = true } },
		.cross_count = 1,
		.cross = { { RULE_BOTH_ZERO_RX, COALESCE_RX_USECS, -EINVAL,
			     "with rx-frames 0 nothing would ever raise an interrupt" } },
		.lowest = "rx-usecs 0 rx-frames 1 tx-frames 1 adaptive-rx off",
		.source = "ethernet/broadcom/genet/bcmgenet.c: 125 MHz divided by 1024",
	},
	{
		/* Without the feature NOTF_COAL, which no release of QEMU's own device offers by default. */
		.drivers = { "virtio_net" },
		.kernels = "6.1 and 6.12, where the device does not offer NOTF_COAL",
		.supported = USECS | FRAMES | BIT(ADAPTIVE_RX),
		.defaults = "rx-usecs 0 rx-frames 1 tx-usecs 0 tx-frames 1 adaptive-rx off",
		.kind = CHIP_HOLD_OFF,
		.unit_ns = 1000,
		.zero_is_each = true,
		.is_conditional = true,
		.field_count = 5,
		.fields = { { .field = COALESCE_RX_USECS,
			      .code_count = 1,
			      .codes = { 0 },
			      .only_codes = true,
			      .error = -EOPNOTSUPP },
			    { .field = COALESCE_TX_USECS,
			      .code_count = 1,
			      .codes = { 0 },
			      .only_codes = true,
			      .error = -EOPNOTSUPP },
			    { .field = COALESCE_TX_FRAMES,
			      .code_count = 2,
			      .codes = { 0, 1 },
			      .only_codes = true,
			      .error = -EINVAL },
			    { .field = COALESCE_RX_FRAMES,
			      .code_count = 1,
			      .codes = { 1 },
			      .only_codes = true,
			      .error = -EINVAL },
			    { .field = COALESCE_ADAPTIVE_RX,
			      .code_count = 1,
			      .codes = { 0 },
			      .only_codes = true,
			      .error = -EOPNOTSUPP } },
		.cross_count = 1,
		.cross = { { RULE_BUSY_WHILE_UP, COALESCE_TX_FRAMES, -EBUSY,
			     "between 0 and more it switches the transmit interrupt, which needs the interface to be "
			     "down" } },
		.lowest = "rx-usecs 0 rx-frames 1",
		.source = "virtio_net.c",
	},
	{
		.drivers = { "ena" },
		.kernels = "6.1 and 6.12, with a resolution of 1us, which the device decides",
		.supported = USECS | BIT(ADAPTIVE_RX),
		.defaults = "rx-usecs 20 tx-usecs 64 adaptive-rx on",
		.kind = CHIP_HOLD_OFF,
		.unit_ns = 1000,
		.lowest = "rx-usecs 0 tx-usecs 0 adaptive-rx off",
		.source = "ethernet/amazon/ena/ena_ethtool.c, ena_com.c",
	},
	{
		.drivers = { "mlx5_core" },
		.kernels = "6.1 and 6.12",
		.supported = USECS | FRAMES | ADAPTIVE | BIT(CQE_MODE_RX) | BIT(CQE_MODE_TX),
		.defaults =
			"rx-usecs 16 rx-frames 32 tx-usecs 16 tx-frames 32 adaptive-rx on adaptive-tx on cqe-mode-tx "
			"off cqe-mode-rx off",
		.kind = CHIP_HOLD_OFF,
		.unit_ns = 1000,
		.field_count = 4,
		.fields = { { .field = COALESCE_TX_USECS, .most = 4095, .error = -ERANGE },
			    { .field = COALESCE_RX_USECS, .most = 4095, .error = -ERANGE },
			    { .field = COALESCE_TX_FRAMES, .most = 65535, .error = -ERANGE },
			    { .field = COALESCE_RX_FRAMES, .most = 65535, .error = -ERANGE } },
		.lowest = "rx-usecs 0 rx-frames 0 tx-usecs 0 tx-frames 0 adaptive-rx off adaptive-tx off",
		.source = "ethernet/mellanox/mlx5/core/en_ethtool.c: 12 bits of time, 16 of frames",
	},
	{
		.drivers = { "r8152" },
		.kernels = "6.1 and 6.12, RTL8153 and later",
		.supported = USECS,
		.defaults = "rx-usecs 15000 tx-usecs 0",
		.kind = CHIP_HOLD_OFF,
		.unit_ns = 1,
		.field_count = 2,
		.fields = { { .field = COALESCE_RX_USECS,
			      .most = 524280,
			      .error = -EINVAL,
			      .step_ns = 8,
			      .rounding = RULE_DOWN },
			    { .field = COALESCE_TX_USECS, .is_ignored = true } },
		.lowest = "rx-usecs 0",
		.source = "usb/r8152.c: COALESCE_SLOW, and an eighth of the number in the register",
	},
	{
		.drivers = { "r8125" },
		.kernels = "r8169 of 6.1 and 6.12 for RTL8125 and RTL8126; of the vendor's driver nothing is known",
		.has_none = true,
		.defaults = "",
		.unit_ns = 1000,
		.lowest = "",
		.source = "ethernet/realtek/r8169_main.c: the timers are switched off, their unit is not published",
	},
};

const struct driver_rules *driver_rules_all(unsigned *count)
{
	*count = sizeof(rows) / sizeof(rows[0]);
	return rows;
}

const struct driver_rules *driver_rules_find(const char *driver)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (unsigned name = 0; name < RULES_DRIVERS_MAX && rows[i].drivers[name]; name++) {
			if (strcmp(rows[i].drivers[name], driver) == 0) {
				return &rows[i];
			}
		}
	}
	return NULL;
}
