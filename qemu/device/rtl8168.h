/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The RTL8168 as a PCI device: what its files share. rtl8168.c has bus and registers, rtl8168_rings.c descriptors and frames,
 * rtl8168_ports.c the registers behind which others lie, the PHY's above all. Interrupts and their moderation are those
 * of src/chip/rtl8169.c.
 *
 * Registers and bits are spelt as in Linux' drivers/net/ethernet/realtek/r8169_main.c.
 */
#ifndef HOLDOFF_DEVICE_RTL8168_H
#define HOLDOFF_DEVICE_RTL8168_H

#include "hw/pci/pci.h"
#include "net/eth.h"
#include "net/net.h"

#include "device/link.h"
#include "device/moderated.h"
#include "device/offload.h"
#include "device/phy.h"
#include "device/wire.h"

/* Of the chip: causes and moderation. */
#define TxPoll 0x38u
#define IntrMask 0x3cu
#define IntrStatus 0x3eu
#define CPlusCmd 0xe0u
#define IntrMitigate 0xe2u
/* Of the device. */
#define MAC0 0x00u
#define MAR0 0x08u
#define CounterAddrLow 0x10u
#define CounterAddrHigh 0x14u
#define TxDescStartAddrLow 0x20u
#define ChipCmd 0x37u
#define TxConfig 0x40u
#define RxConfig 0x44u
#define Cfg9346 0x50u
#define Config0 0x51u
#define Config5 0x56u
#define PHYAR 0x60u
#define CSIDR 0x64u
#define CSIAR 0x68u
#define PHYstatus 0x6cu
#define ERIDR 0x70u
#define ERIAR 0x74u
#define EPHYAR 0x80u
#define OCPDR 0xb0u
#define GPHY_OCP 0xb8u
#define MCU 0xd3u
#define RxMaxSize 0xdau
#define EFUSEAR 0xdcu
#define RxDescAddrLow 0xe4u
#define MISC 0xf0u

/* ChipCmd */
#define CmdReset 0x10u
#define CmdRxEnb 0x08u
#define CmdTxEnb 0x04u
#define RxBufEmpty 0x01u
/* CPlusCmd */
#define RxVlan 0x40u
#define RxChkSum 0x20u
/* MISC */
#define RXDV_GATED_EN 0x80000u

#define RTL8168_PACKET_BYTES_MAX 66000 /* before it is cut: 64000 of Linux' and headers */
#define RTL8168_PAGES 64u
#define RTL8168_RING_ALIGNMENT 0xffu /* bits of a ring's address that have to be 0 */

/* What differs between the chips, by XID. */
struct rtl8168_version {
	uint16_t xid;
	uint32_t phy_identifier;
	enum chip_family family;
	bool old_offloads; /* checksums and segmentation by the bits of the 8169 */
	bool phy_in_ocp;   /* PHY registers through GPHY_OCP in place of PHYAR */
	bool mac_in_eri;   /* the driver takes the address from the ERI space */
};

struct rtl8168_counters {
	uint64_t tx_packets, rx_packets, rx_unicast, rx_broadcast;
	uint32_t rx_multicast;
	uint16_t rx_missed;
};

/* The packet that is being sent: out of which descriptors, and what of it is left. */
struct rtl8168_packet {
	unsigned first, count; /* descriptors; count 0: none */
	unsigned bytes;
	unsigned tag; /* 802.1Q, as the descriptor has it; ~0: none */
	struct offload_place place;
	unsigned mss; /* 0: it goes as it is */
	unsigned segment, segments;
	unsigned frame_bytes; /* of the first frame that it becomes, with FCS */
	uint8_t data[RTL8168_PACKET_BYTES_MAX];
};

/* Memory behind the ports: registers of which drivers read back what they wrote. */
struct rtl8168_ports {
	unsigned page; /* of the PHY, chosen by its register 31 */
	uint16_t pages[RTL8168_PAGES][32];
	uint16_t ephy[128];
	uint32_t csi[1024];
	uint32_t eri[4][1024]; /* by type */
	uint16_t mac_ocp[0x8000], phy_ocp[0x8000];
};

struct rtl8168 {
	PCIDevice parent;
	MemoryRegion memory, io;
	NICState *nic;
	NICConf conf;
	uint32_t xid, speed; /* properties, and so are those of the choices that are r8169's */
	struct assume assume;
	const struct rtl8168_version *version;
	struct moderated moderated;
	struct wire wire;
	struct link_end link;
	struct phy phy;
	uint8_t registers[256];
	unsigned tx_index, rx_index;
	struct rtl8168_packet packet;
	struct rtl8168_counters counters;
	struct rtl8168_ports ports;
};

/* A register of the device's own, little endian. */
uint32_t rtl8168_get(const struct rtl8168 *rtl8168, uint32_t offset, unsigned bytes);
void rtl8168_put(struct rtl8168 *rtl8168, uint32_t offset, unsigned bytes, uint32_t value);
void rtl8168_guest_error(struct rtl8168 *rtl8168, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* rtl8168_rings.c: empties the rings' state, as on reset; sends what is in the ring, while there is a wire for it. */
void rtl8168_rings_reset(struct rtl8168 *rtl8168);
void rtl8168_transmit(struct rtl8168 *rtl8168);
/* `sent` of the wire, `receive` of the net client. */
void rtl8168_sent(void *device, unsigned queue, unsigned frame_bytes);
ssize_t rtl8168_receive(NetClientState *client, const uint8_t *frame, size_t bytes);

/* rtl8168_ports.c: does what was written to the port at `offset`, whose last byte has been; false if there is no port. */
bool rtl8168_port_written(struct rtl8168 *rtl8168, uint32_t offset);
void rtl8168_ports_init(struct rtl8168 *rtl8168);

#endif
