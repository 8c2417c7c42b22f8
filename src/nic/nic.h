/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A real network interface as the kernel shows it: read and set, nothing remembered. What a kernel or driver does
 * not have is said as absent (-EOPNOTSUPP, a cleared bit), never as a zero. Every function returns 0 or a negative
 * errno with a sentence; the kernel's own words (extended acknowledgement) are part of it.
 *
 * Coalescing goes over the ethtool generic netlink family (libmnl); single queues over ioctl ETHTOOL_PERQUEUE,
 * since netlink has no such message; NAPI instances over the netdev family where the kernel has it (6.8 to read,
 * 6.13 to set), else the per-device knobs of sysfs. Kernels 5.10 to 6.18 were looked at.
 */
#ifndef HOLDOFF_NIC_NIC_H
#define HOLDOFF_NIC_NIC_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "coalesce/settings.h"

#define NIC_ADDRESS_MAX 32
#define NIC_QUEUES_MAX 256
#define NIC_NAPIS_MAX 256
#define NIC_VECTORS_MAX 512

struct netlink; /* nic/netlink.h */

/*
 * An opened interface: sockets and names. In the network namespace that the process is in when it is opened
 * (nic_enter_netns).
 */
struct nic {
	char name[IFNAMSIZ]; /* as the kernel calls it now, also when it was opened by an alternative name */
	int ifindex;
	int ioctl_fd;
	struct netlink *ethtool; /* owned */
	struct netlink *netdev;  /* owned; NULL where the kernel has no such family */
	struct netlink *watch;   /* owned; of notifications, NULL before nic_watch_open */
};

/*
 * Moves the process into a network namespace: a name as `ip netns` knows it, or a path. Also makes /sys show that
 * namespace (a mount namespace of its own). Before any nic is opened.
 */
int nic_enter_netns(const char *name, struct err *err);

/* -ENODEV (with the nearest name), -EPERM, ... The nic is closed with nic_close in any case that returned 0. */
int nic_open(struct nic *nic, const char *name, struct err *err);
void nic_close(struct nic *nic);

/*
 * Names of all interfaces of this namespace, in order of ifindex; returns how many there are (at most max are
 * written).
 */
int nic_list(char (*names)[IFNAMSIZ], unsigned max, struct err *err);

/* ---- what it is ---- */

enum nic_fact {
	NIC_HAS_DRIVER = 1u << 0,
	NIC_HAS_SPEED = 1u << 1, /* link up and the driver says */
	NIC_HAS_RINGS = 1u << 2,
	NIC_HAS_CHANNELS = 1u << 3,
	NIC_HAS_PERMANENT_ADDRESS = 1u << 4,
	NIC_HAS_PCI_ID = 1u << 5,
	NIC_HAS_CLOCK = 1u << 6, /* debugfs is readable and names the clock that the driver converts times with */
};

struct nic_identity {
	uint32_t has; /* enum nic_fact */
	char name[IFNAMSIZ];
	int ifindex;
	uint8_t address[NIC_ADDRESS_MAX], permanent_address[NIC_ADDRESS_MAX];
	unsigned address_bytes, permanent_address_bytes;
	char driver[32], driver_version[32], firmware[64],
		bus[64]; /* ETHTOOL_GDRVINFO; bus_info such as "0000:00:03.0" */
	char kernel[65]; /* uname -r, "6.1.0-57-amd64" */
	/* uname -v; Debian names the stable release there: "#1 SMP Debian 6.1.192-1 (2026-01-01)" */
	char build[65];
	char queueing[32];   /* kind of its queueing discipline, "noqueue" for none; "": the kernel does not say */
	char compatible[64]; /* the first name of the device tree node, "fsl,imx8mp-fec"; "" without one */
	uint16_t pci_vendor, pci_device;
	uint32_t clock_hz; /* fec: "ahb", stmmac: "stmmaceth" */
	char clock[40];    /* its name in debugfs */
	bool is_up, has_carrier;
	unsigned speed_mbps;
	uint32_t rx_ring, tx_ring;
	uint32_t rx_channels, tx_channels, other_channels, combined_channels;
};

int nic_identify(struct nic *nic, struct nic_identity *identity, struct err *err);

/* ---- coalescing ---- */

/*
 * Fields that the driver supports are present (the kernel leaves the others out). -EOPNOTSUPP: no coalescing at
 * all.
 */
int nic_coalesce_get(struct nic *nic, struct coalesce *settings, struct err *err);
/*
 * Sends exactly the given fields, nothing else. Success means that the kernel has taken it: read back to see what
 * became of it.
 */
int nic_coalesce_set(struct nic *nic, const struct coalesce *change, struct err *err);

/*
 * One queue. The old ioctl has no word for "unsupported": of what it returns, only `supported` fields (of the
 * whole device) are present. -EOPNOTSUPP: the driver has no such operation; -EINVAL: no such queue.
 */
int nic_queue_coalesce_get(struct nic *nic, unsigned queue, uint32_t supported, struct coalesce *settings,
			   struct err *err);
int nic_queue_coalesce_set(struct nic *nic, unsigned queue, const struct coalesce *whole, struct err *err);

/* ---- NAPI ---- */

enum nic_napi_field {
	NIC_NAPI_IRQ = 1u << 0,
	NIC_NAPI_DEFER_HARD_IRQS = 1u << 1,
	NIC_NAPI_GRO_FLUSH_TIMEOUT = 1u << 2,
	NIC_NAPI_IRQ_SUSPEND_TIMEOUT = 1u << 3,
	NIC_NAPI_THREADED = 1u << 4,
	NIC_NAPI_PID = 1u << 5,
};

struct nic_napi {
	uint32_t id;      /* 0: the whole device, through sysfs */
	uint32_t present; /* enum nic_napi_field */
	uint32_t irq, defer_hard_irqs, threaded, pid;
	uint64_t gro_flush_timeout_ns, irq_suspend_timeout_ns;
};

/*
 * Instances in order of id. Where the kernel cannot tell instances apart: one row of id 0 with the knobs of sysfs.
 */
int nic_napi_list(struct nic *nic, struct nic_napi *napis, unsigned max, unsigned *count, struct err *err);
/*
 * Sends exactly the present fields of change; id 0 writes sysfs. Only the two deferral knobs, the suspend timeout
 * and threaded can be set.
 */
int nic_napi_set(struct nic *nic, const struct nic_napi *change, struct err *err);

/* ---- interrupt vectors ---- */

enum nic_vector_source { NIC_VECTOR_MSI, NIC_VECTOR_LEGACY, NIC_VECTOR_NAME };

struct nic_vector {
	uint32_t irq;
	enum nic_vector_source source;      /* /sys/.../msi_irqs, /sys/.../irq, or only its name in /proc/interrupts */
	char action[80];                    /* as /proc/interrupts has it, "" when not requested */
	char affinity[128], effective[128]; /* lists of CPUs ("0-3"), "" where not readable */
	bool is_shared; /* a legacy line with other devices' actions on it: its rate is an upper bound */
	bool is_data;   /* false: link, PHY, misc, flow director: no queue */
};

/* In order of irq. Found through /sys first, by name in /proc/interrupts only where /sys has none. */
int nic_vector_list(struct nic *nic, struct nic_vector *vectors, unsigned max, unsigned *count, struct err *err);

/* ---- counters ---- */

/* struct rtnl_link_stats64 (include/uapi/linux/if_link.h says what each counts): since the interface exists. */
struct nic_link_counters {
	uint64_t rx_frames, rx_bytes, rx_errors, rx_dropped, rx_missed, rx_no_handler;
	uint64_t tx_frames, tx_bytes, tx_errors, tx_dropped;
};

/* Also the statistics that a driver gives to `ethtool -S`, under names of its own. */
struct nic_statistic {
	char name[33];
	uint64_t value;
};

int nic_link_counters(struct nic *nic, struct nic_link_counters *counters, struct err *err);
/*
 * In the driver's order; *statistics is allocated and to be freed, NULL when count is 0. -EOPNOTSUPP: the driver has
 * none.
 */
int nic_statistics(struct nic *nic, struct nic_statistic **statistics, unsigned *count, struct err *err);

/* ---- what else bears on measurements ---- */

/* Offloads that can be on or off, as `ethtool -k` names them in the kernel ("rx-gro", "tx-tcp-segmentation"). */
struct nic_feature {
	char name[33];
	bool is_active;
};

/* Allocated as above. */
int nic_features(struct nic *nic, struct nic_feature **features, unsigned *count, struct err *err);
/* Energy Efficient Ethernet: -EOPNOTSUPP where the driver does not say. */
int nic_eee(struct nic *nic, bool *is_enabled, bool *is_active, struct err *err);

/* ---- notifications ---- */

/* In place of an ifindex: notifications were lost, of whatever interfaces. */
#define NIC_WATCH_ALL (-1)

/*
 * Waits until a coalescing notification of any interface arrives (its ifindex is stored), or timeout_ms is over (0
 * returned with *ifindex 0). -1: no timeout. Needs nic_watch_open on the same nic.
 */
int nic_watch_open(struct nic *nic, struct err *err);
int nic_watch(struct nic *nic, int timeout_ms, int *ifindex, struct err *err);

#endif
