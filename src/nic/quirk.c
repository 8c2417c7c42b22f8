/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One row for each driver, or family of drivers, whose numbers need a word. Files are those of Linux 6.12 below
 * drivers/net unless another source is named. Drivers that re-arm their interrupt in any case call napi_complete_done
 * and do not look at its answer.
 */
#include "nic/quirk.h"

#include <string.h>

#define US(us) (INT64_C(1000) * (us))

/*
 * The default profiles of the kernel's library DIM (lib/dim/net_dim.c): the shortest and the longest time of each. A
 * driver or a user may have put others in their place (rx-profile, tx-profile), which is not seen here.
 */
static const struct nic_range dim[2][2] = {
	/* from the first completion, from the latest one (CQE mode) */
	{ { US(1), US(256) }, { US(2), US(64) } }, /* rx */
	{ { US(1), US(128) }, { US(5), US(64) } }, /* tx */
};

static const struct nic_quirk quirks[] = {
	{
		.drivers = { "e1000e", "e1000" },
		.flags = NIC_QUIRK_THROTTLE | NIC_QUIRK_TX_FOLLOWS_RX,
		/* 70000, 20000 and 4000 interrupts/s; from 2000 to 8000 for the simplified mode */
		.codes = { { 1, { 14080, 249856 }, "dynamic" },
			   { 3, { 49920, 249856 }, "dynamic, conservative" },
			   { 4, { US(125), US(500) }, "simplified" } },
		.notes = { "rx-usecs 1, 3 and 4 are modes, not times" },
		.source = "ethernet/intel/e1000e/ethtool.c, netdev.c",
	},
	{
		.drivers = { "igb", "igc" },
		.flags = NIC_QUIRK_THROTTLE | NIC_QUIRK_TX_FOLLOWS_RX,
		/* half or a third of the mean frame size in quarter us; mode 3 never below 196 quarters */
		.codes = { { 1, { 10500, US(375) }, "dynamic" }, { 3, { US(49), US(375) }, "dynamic, conservative" } },
		.notes = { "rx-usecs 1 and 3 are modes, not times",
			   "queues in pairs have one timer: tx-usecs is that of rx-usecs, whatever it shows" },
		.source = "ethernet/intel/igb/igb_main.c, igb_ethtool.c, igc likewise",
	},
	{
		.drivers = { "ixgbe" },
		.flags = NIC_QUIRK_THROTTLE | NIC_QUIRK_TX_FOLLOWS_RX,
		.codes = { { 1, { US(10), US(126) }, "dynamic" } },
		.notes = { "usecs 1 is a mode, not a time", "times go down to a multiple of 2us",
			   "a change across 10us, or one that switches receive coalescing (RSC), resets the port" },
		.source = "ethernet/intel/ixgbe/ixgbe_main.c, ixgbe_ethtool.c",
	},
	{
		.drivers = { "ixgbevf" },
		.flags = NIC_QUIRK_THROTTLE | NIC_QUIRK_TX_FOLLOWS_RX,
		.codes = { { 1, { US(10), US(84) }, "adaptive" } },
		.notes = { "usecs 1 is a mode, adaptive, not a time of 1us" },
		.source = "ethernet/intel/ixgbevf/ixgbevf_main.c, ethtool.c",
	},
	{
		.drivers = { "i40e", "iavf" },
		.flags = NIC_QUIRK_THROTTLE | NIC_QUIRK_HIGH_IS_RATE,
		.adaptive_rx = { US(2), US(126) },
		.adaptive_tx = { US(2), US(126) },
		.notes = { "times go up to a multiple of 2us",
			   "rx-usecs-high is no threshold: it is the least time between interrupts of a vector, in "
			   "steps of 4us",
			   "tx-frames-irq limits the work of a poll, no interrupt" },
		.source = "ethernet/intel/i40e/i40e_ethtool.c, i40e_txrx.c, iavf likewise",
	},
	{
		.drivers = { "ice" },
		.flags = NIC_QUIRK_THROTTLE | NIC_QUIRK_HIGH_IS_RATE,
		.adaptive_rx = { US(2), US(126) },
		.adaptive_tx = { US(2), US(256) },
		.notes = { "times go down to a multiple of 2us", "rx-usecs-high is no threshold: it is the least time "
								 "between interrupts of a vector, in steps of 4us" },
		.source = "ethernet/intel/ice/ice_ethtool.c, ice_main.c (profiles)",
	},
	{
		.drivers = { "fec" },
		.flags = NIC_QUIRK_REARMS,
		.notes = { "one NAPI instance serves every ring, and a poll masks all of its lines" },
		.source = "ethernet/freescale/fec_main.c",
	},
	{
		.drivers = { "fsl_enetc", "fsl_enetc_vf", "fsl_enetc4" },
		.flags = NIC_QUIRK_REARMS,
		.notes = { "frames are fixed to half the ring at most",
			   "changing the adaptive mode restarts the interface" },
		.source = "ethernet/freescale/enetc/enetc.c, enetc_ethtool.c",
	},
	{
		.drivers = { "bcmgenet" },
		.flags = NIC_QUIRK_REARMS | NIC_QUIRK_RING_EMPTY,
		.notes = { "times go up to a multiple of 8.192us",
			   "sent frames: by their number, and when the ring is empty; there is no timer" },
		.source = "ethernet/broadcom/genet/bcmgenet.c",
	},
	{
		.drivers = { "r8152" },
		.flags = NIC_QUIRK_NANOSECONDS | NIC_QUIRK_TX_IGNORED,
		.notes = { "rx-usecs is a number of nanoseconds (15000 is 15us), which the device counts in steps of 8",
			   "tx-usecs is taken and ignored",
			   "changing a value stops and restarts the interface's queues" },
		.source = "usb/r8152.c",
	},
	{
		.drivers = { "r8169" },
		.notes = { "taking the interface down loses hardware settings; the driver sets a deferral of 20us at "
			   "load instead" },
		.source = "ethernet/realtek/r8169_main.c; commit 42f66a44d837",
	},
	{
		.drivers = { "macb" },
		.notes = { "no moderation in hardware; the driver sets a deferral of 20us at load instead" },
		.source = "ethernet/cadence/macb_main.c; commit d93607082e98",
	},
	{
		.drivers = { "be2net" },
		.flags = NIC_QUIRK_LOW_HIGH,
		.adaptive_rx = { 0, US(96) },
		.notes = { "rx-frames 1 turns LRO off",
			   "adaptive moves between rx-usecs-low and rx-usecs-high, by default 0 and 96" },
		.source = "Emulex Drivers for Linux User Manual 10.2",
	},
	{
		.drivers = { "mlx4_en" },
		.flags = NIC_QUIRK_LOW_HIGH,
		.notes = { "adaptive moves between rx-usecs-low and rx-usecs-high with the packet rates that stand "
			   "beside them" },
		.source = "ethernet/mellanox/mlx4/en_netdev.c",
	},
	{
		.drivers = { "fsl_dpaa2_eth" },
		.notes = { "the times are those of the CPUs' DPIO portals: every port that uses them has the same, and "
			   "changes with this one" },
		.source = "ethernet/freescale/dpaa2/dpaa2-ethtool.c; netdev, October 2021",
	},
	{
		.drivers = { "st_gmac", "st_mac100", "st_xgmac", "stmmaceth" },
		.notes = { "rx-usecs 0 is refused (Linux 6.12) or skipped (6.1), and cores before 3.50 ignore it",
			   "of sent frames the driver's own timer counts from the latest one" },
		.source = "ethernet/stmicro/stmmac/stmmac_ethtool.c, stmmac_main.c",
	},
	{
		.drivers = { "mvneta" },
		.flags = NIC_QUIRK_NO_TX_TIMER,
		.notes = { "sent frames: by their number alone; there is no timer",
			   "large times overflow the register without a word" },
		.source = "ethernet/marvell/mvneta.c; commit aebea2ba0f74",
	},
	{
		.drivers = { "tun" },
		.flags = NIC_QUIRK_BATCH,
		.notes = { "rx-frames is the size of a batch (at most 64), handed over when its sender has no more: no "
			   "delay" },
		.source = "tun.c",
	},
	{
		.drivers = { "virtio_net" },
		.flags = NIC_QUIRK_ZERO_FRAMES,
		.notes = { "the device notifies each packet where usecs or frames is 0",
			   "tx-frames 0 or 1 also decides whether sent frames raise interrupts" },
		.source = "virtio_net.c; virtio specification, Notifications Coalescing",
	},
	{
		.drivers = { "ena" },
		.notes = { "the device decides the resolution of times" },
		.source = "ethernet/amazon/ena/ena_ethtool.c, ena_com.c",
	},
	{
		.drivers = { "mcp251xfd" },
		.flags = NIC_QUIRK_IRQ_FIELDS,
		.notes = { "the delays are rx-usecs-irq and tx-usecs-irq, and change only while the interface is "
			   "down" },
		.source = "can/spi/mcp251xfd/mcp251xfd-ethtool.c",
	},
	{
		.drivers = { "hv_netvsc" },
		.notes = { "the hypervisor moderates, and tells nothing about it" },
		.source = "hyperv/netvsc_drv.c",
	},
	{
		.drivers = { "veth", "dummy", "ifb", "bridge", "bonding", "team", "vxlan" },
		.flags = NIC_QUIRK_SOFTWARE,
		.notes = { "no hardware: only deferral can hold a frame here" },
		.source = "veth.c, dummy.c, ifb.c and others: no coalescing operations, no interrupts",
	},
};

#define QUIRKS (sizeof(quirks) / sizeof(quirks[0]))

const struct nic_quirk *nic_quirks(unsigned *count)
{
	*count = QUIRKS;
	return quirks;
}

static bool drives(const struct nic_quirk *quirk, const char *driver)
{
	for (unsigned i = 0; i < NIC_QUIRK_DRIVERS_MAX && quirk->drivers[i]; i++) {
		if (strcmp(quirk->drivers[i], driver) == 0) {
			return true;
		}
	}
	return false;
}

const struct nic_quirk *nic_quirk_find(const char *driver)
{
	for (size_t i = 0; i < QUIRKS; i++) {
		if (drives(&quirks[i], driver)) {
			return &quirks[i];
		}
	}
	return NULL;
}

const struct nic_mode_code *nic_quirk_code(const struct nic_quirk *quirk, uint32_t usecs)
{
	for (unsigned i = 0; quirk && i < NIC_QUIRK_CODES_MAX && quirk->codes[i].name; i++) {
		if (quirk->codes[i].value == usecs) {
			return &quirk->codes[i];
		}
	}
	return NULL;
}

/* What a user has set for adaptive moderation to move between, where the driver heeds it. */
static struct nic_range low_to_high(const struct coalesce *settings)
{
	const struct nic_range range = { US(settings->value[COALESCE_RX_USECS_LOW]),
					 US(settings->value[COALESCE_RX_USECS_HIGH]) };

	return range;
}

struct nic_range nic_adaptive_range(const struct nic_quirk *quirk, const struct coalesce *settings, bool is_tx)
{
	const enum coalesce_field cqe = is_tx ? COALESCE_CQE_MODE_TX : COALESCE_CQE_MODE_RX;
	const struct nic_range own = !quirk  ? (struct nic_range){ 0, 0 }
				     : is_tx ? quirk->adaptive_tx
					     : quirk->adaptive_rx;

	if (!is_tx && nic_quirk_has(quirk, NIC_QUIRK_LOW_HIGH) && settings->value[COALESCE_RX_USECS_HIGH]) {
		return low_to_high(settings);
	}
	if (own.to_ns) {
		return own;
	}
	return dim[is_tx][coalesce_has(settings, cqe) && settings->value[cqe]];
}
