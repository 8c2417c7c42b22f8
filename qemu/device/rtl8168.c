/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Realtek RTL8168 and its family, for Linux' r8169. Properties: xid (which chip, see the table of versions), speed (10,
 * 100, 1000: the most that the PHY offers), and the model choices of the family by their names (chip/assume.h).
 */
#include "qemu/osdep.h"

#include "device/rtl8168.h"

#include "device/log.h"
#include "hw/pci/msi.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "qemu/module.h"

#define TYPE_RTL8168 "rtl8168"
OBJECT_DECLARE_SIMPLE_TYPE(rtl8168, RTL8168)

#define XID_MASK 0xfcf00000u /* in TxConfig */
#define TXCFG_EMPTY 0x800u
#define Cfg9346_Unlock 0xc0u
#define NPQ 0x40u
#define HPQ 0x80u
#define CounterReset 0x1u
#define CounterDump 0x8u
/* PHYstatus */
#define _1000bpsF 0x10u
#define _100bps 0x08u
#define _10bps 0x04u
#define LinkStatus 0x02u
#define FullDup 0x01u
/* MCU: receive and transmit FIFO are empty, the link list is ready */
#define MCU_IDLE 0x32u
#define MSI_CAPABILITY 0x50

/* The PHYs: what realtek.ko of Linux 6.1 has a driver for, of the kind that the chip came with. */
static const struct rtl8168_version versions[] = {
	{ 0x283, 0x001cc912, CHIP_RTL8168, .old_offloads = false }, /* 8168d: the chip of the thread on r8169 */
	{ 0x180, 0x001cc910, CHIP_RTL8169, .old_offloads = true },  /* 8169sc */
	{ 0x380, 0x001cc912, CHIP_RTL8168, .old_offloads = true },  /* 8168b */
	{ 0x3c0, 0x001cc912, CHIP_RTL8168, .old_offloads = false }, /* 8168c */
	{ 0x2c1, 0x001cc915, CHIP_RTL8168, .old_offloads = false }, /* 8168e */
	{ 0x2c8, 0x001cc915, CHIP_RTL8168, .old_offloads = false }, /* 8168evl */
	{ 0x480, 0x001cc915, CHIP_RTL8168, .mac_in_eri = true },    /* 8168f */
	{ 0x4c0, 0x001cc800, CHIP_RTL8168, .mac_in_eri = true, .phy_in_ocp = true }, /* 8168g */
	{ 0x541, 0x001cc800, CHIP_RTL8168, .mac_in_eri = true, .phy_in_ocp = true }, /* 8168h */
};

/* Registers of the device's own that the log tells of. */
static const struct {
	uint32_t offset;
	unsigned bytes;
	const char *name;
} logged[] = {
	{ TxDescStartAddrLow, 4, "TxDescStartAddrLow" },
	{ ChipCmd, 1, "ChipCmd" },
	{ TxConfig, 4, "TxConfig" },
	{ RxConfig, 4, "RxConfig" },
	{ RxMaxSize, 2, "RxMaxSize" },
	{ RxDescAddrLow, 4, "RxDescAddrLow" },
};

uint32_t rtl8168_get(const struct rtl8168 *rtl8168, uint32_t offset, unsigned bytes)
{
	return (uint32_t)ldn_le_p(rtl8168->registers + offset, (int)bytes);
}

void rtl8168_put(struct rtl8168 *rtl8168, uint32_t offset, unsigned bytes, uint32_t value)
{
	stn_le_p(rtl8168->registers + offset, (int)bytes, value);
}

void rtl8168_guest_error(struct rtl8168 *rtl8168, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list values;

	if (log_wanted()) {
		va_start(values, format);
		text = g_strdup_vprintf(format, values);
		va_end(values);
		log_event(rtl8168->moderated.name, "guest-error %s", text);
	}
}

/* ---- registers ---- */

static uint8_t phy_status(const struct rtl8168 *rtl8168)
{
	switch (rtl8168->link.speed_mbps) {
	case 1000:
		return _1000bpsF | LinkStatus | FullDup;
	case 100:
		return _100bps | LinkStatus | FullDup;
	case 10:
		return _10bps | LinkStatus | FullDup;
	default:
		return 0;
	}
}

/* Registers of 16 bits that belong to the chip. */
static bool is_of_chip(uint32_t offset)
{
	offset &= ~1u;
	return offset == IntrMask || offset == IntrStatus || offset == CPlusCmd || offset == IntrMitigate;
}

static uint8_t read_byte(struct rtl8168 *rtl8168, uint32_t offset)
{
	if (is_of_chip(offset)) {
		return (uint8_t)(moderated_read(&rtl8168->moderated, offset & ~1u) >> (offset & 1) * 8);
	}
	switch (offset) {
	case TxPoll:
		return 0;
	case PHYstatus:
		return phy_status(rtl8168);
	case MCU:
		return rtl8168->registers[offset] | MCU_IDLE;
	default:
		return rtl8168->registers[offset];
	}
}

/* Whatever width at whatever offset: a dump of all registers reads four bytes at a time. */
static uint64_t read_registers(void *opaque, hwaddr offset, unsigned bytes)
{
	struct rtl8168 *rtl8168 = opaque;
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++) {
		value |= (uint64_t)read_byte(rtl8168, (uint32_t)(offset + i) & 0xff) << i * 8;
	}
	return value;
}

/* The chip gets its registers whole. A byte alone leaves the other one as it is; in IntrStatus that is to write 0. */
static void write_chip_register(struct rtl8168 *rtl8168, uint32_t offset, unsigned bytes, uint32_t value)
{
	const uint32_t whole = offset & ~1u;

	if (bytes == 1) {
		const unsigned shift = (offset & 1) * 8;
		const uint32_t other = whole == IntrStatus ? 0 : moderated_read(&rtl8168->moderated, whole);

		value = (other & ~(0xffu << shift)) | value << shift;
	}
	moderated_write(&rtl8168->moderated, whole, value);
}

static void put_u64(uint8_t *to, uint64_t value)
{
	stq_le_p(to, value);
}

/* The layout is struct rtl8169_counters of the driver. */
static void dump_counters(struct rtl8168 *rtl8168, uint64_t address)
{
	const struct rtl8168_counters *counters = &rtl8168->counters;
	uint8_t dump[64] = { 0 };

	put_u64(dump, counters->tx_packets);
	put_u64(dump + 8, counters->rx_packets);
	stw_le_p(dump + 28, counters->rx_missed);
	put_u64(dump + 40, counters->rx_unicast);
	put_u64(dump + 48, counters->rx_broadcast);
	stl_le_p(dump + 56, counters->rx_multicast);
	if (pci_dma_write(&rtl8168->parent, address, dump, sizeof(dump)) != MEMTX_OK) {
		rtl8168_guest_error(rtl8168, "no memory for the counters at 0x%" PRIx64, address);
	}
}

static void counter_command(struct rtl8168 *rtl8168)
{
	const uint32_t low = rtl8168_get(rtl8168, CounterAddrLow, 4);

	if (low & CounterDump) {
		dump_counters(rtl8168, (low & ~0x3fu) | (uint64_t)rtl8168_get(rtl8168, CounterAddrHigh, 4) << 32);
	}
	if (low & CounterReset) {
		rtl8168->counters = (struct rtl8168_counters){ 0 };
	}
	rtl8168_put(rtl8168, CounterAddrLow, 4, low & ~(CounterDump | CounterReset));
}

static void fix_tx_config(struct rtl8168 *rtl8168)
{
	const uint32_t value = rtl8168_get(rtl8168, TxConfig, 4) & ~(XID_MASK | TXCFG_EMPTY);

	rtl8168_put(rtl8168, TxConfig, 4, value | (rtl8168->xid << 20 & XID_MASK) | TXCFG_EMPTY);
}

/* What CmdReset does: MAC address, filter, configuration and PHY stay. */
static void reset_chip(struct rtl8168 *rtl8168)
{
	rtl8168_rings_reset(rtl8168);
	moderated_reset(&rtl8168->moderated);
	chip_write(&rtl8168->moderated.chip, moderated_now_ns(), IntrStatus, 0xffff);
	rtl8168->registers[ChipCmd] = 0;
	rtl8168_put(rtl8168, TxConfig, 4, 0);
	rtl8168_put(rtl8168, RxConfig, 4, 0);
	fix_tx_config(rtl8168);
}

static void chip_command(struct rtl8168 *rtl8168)
{
	const uint8_t command = rtl8168->registers[ChipCmd];

	if (command & CmdReset) {
		reset_chip(rtl8168);
		return;
	}
	rtl8168->registers[ChipCmd] = command & (uint8_t)~RxBufEmpty;
}

static void poll_command(struct rtl8168 *rtl8168, uint8_t value)
{
	moderated_write(&rtl8168->moderated, TxPoll, value);
	if (value & HPQ) {
		rtl8168_guest_error(rtl8168, "the ring of high priority is not modelled");
	}
	if (!(value & NPQ)) {
		return;
	}
	if (!(rtl8168->registers[ChipCmd] & CmdTxEnb)) {
		rtl8168_guest_error(rtl8168, "frames to send, and the transmitter is off");
	}
	rtl8168_transmit(rtl8168);
}

static bool is_locked(const struct rtl8168 *rtl8168, uint32_t offset)
{
	return (offset < MAC0 + ETH_ALEN || (offset >= Config0 && offset <= Config5)) &&
	       (rtl8168->registers[Cfg9346] & Cfg9346_Unlock) != Cfg9346_Unlock;
}

/* The last byte of a register that does something has been written. */
static void act(struct rtl8168 *rtl8168, uint32_t offset)
{
	switch (offset) {
	case CounterAddrLow + 3:
		counter_command(rtl8168);
		break;
	case ChipCmd:
		chip_command(rtl8168);
		break;
	case TxConfig + 3:
		fix_tx_config(rtl8168);
		break;
	case TxDescStartAddrLow + 3:
	case RxDescAddrLow + 3:
		if (rtl8168_get(rtl8168, offset - 3, 4) & RTL8168_RING_ALIGNMENT) {
			rtl8168_guest_error(rtl8168, "a ring does not begin at a multiple of 256 bytes");
		}
		break;
	default:
		if (offset % 4 == 3) {
			rtl8168_port_written(rtl8168, offset - 3);
		}
		break;
	}
}

static void write_byte(struct rtl8168 *rtl8168, uint32_t offset, uint8_t value)
{
	if (offset == TxPoll) {
		poll_command(rtl8168, value);
		return;
	}
	if (is_locked(rtl8168, offset)) {
		if (value != rtl8168->registers[offset]) {
			rtl8168_guest_error(rtl8168, "register 0x%02x is locked by Cfg9346", offset);
		}
		return;
	}
	rtl8168->registers[offset] = value;
	act(rtl8168, offset);
}

static void log_write(const struct rtl8168 *rtl8168, uint32_t offset, unsigned bytes, uint32_t value)
{
	for (size_t i = 0; log_wanted() && i < ARRAY_SIZE(logged); i++) {
		if (logged[i].offset == offset && logged[i].bytes == bytes) {
			log_event(rtl8168->moderated.name, "write %s 0x%0*x", logged[i].name, (int)bytes * 2, value);
		}
	}
}

static void write_registers(void *opaque, hwaddr address, uint64_t value, unsigned bytes)
{
	struct rtl8168 *rtl8168 = opaque;
	const uint32_t offset = (uint32_t)address & 0xff;
	unsigned width;

	log_write(rtl8168, offset, bytes, (uint32_t)value);
	for (unsigned i = 0; i < bytes && offset + i < sizeof(rtl8168->registers); i += width) {
		const uint32_t at = offset + i;

		if (is_of_chip(at)) {
			width = at % 2 == 0 && i + 2 <= bytes ? 2 : 1;
			write_chip_register(rtl8168, at, width,
					    (uint32_t)(value >> i * 8) & (width == 2 ? 0xffff : 0xff));
		} else {
			width = 1;
			write_byte(rtl8168, at, (uint8_t)(value >> i * 8));
		}
	}
}

static const MemoryRegionOps register_ops = {
	.read = read_registers,
	.write = write_registers,
	.endianness = DEVICE_LITTLE_ENDIAN,
	.valid = { .min_access_size = 1, .max_access_size = 4, .unaligned = true },
	.impl = { .min_access_size = 1, .max_access_size = 4, .unaligned = true },
};

/* ---- what happens from outside ---- */

static void lines_changed(void *device, uint32_t lines)
{
	struct rtl8168 *rtl8168 = device;

	if (!msi_enabled(&rtl8168->parent)) {
		pci_set_irq(&rtl8168->parent, lines != 0);
	} else if (lines) {
		msi_notify(&rtl8168->parent, 0);
	}
}

static void link_changed(void *device, unsigned speed_mbps)
{
	struct rtl8168 *rtl8168 = device;

	phy_link_changed(&rtl8168->phy, speed_mbps);
	wire_set_speed(&rtl8168->wire, speed_mbps);
	moderated_set_link(&rtl8168->moderated, speed_mbps);
	rtl8168_transmit(rtl8168);
}

static void cable_moved(NetClientState *client)
{
	struct rtl8168 *rtl8168 = qemu_get_nic_opaque(client);

	link_restart(&rtl8168->link);
}

static NetClientInfo client_info = {
	.type = NET_CLIENT_DRIVER_NIC,
	.size = sizeof(NICState),
	.receive = rtl8168_receive,
	.link_status_changed = cable_moved,
};

/* ---- the device ---- */

static const struct rtl8168_version *version_of(uint32_t xid)
{
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		if (versions[i].xid == xid) {
			return &versions[i];
		}
	}
	return NULL;
}

static bool check_properties(struct rtl8168 *rtl8168, Error **errp)
{
	rtl8168->version = version_of(rtl8168->xid);
	if (!rtl8168->version) {
		g_autoptr(GString) known = g_string_new(NULL);

		for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
			g_string_append_printf(known, " 0x%x", versions[i].xid);
		}
		error_setg(errp, "there is no xid 0x%x here, only%s", rtl8168->xid, known->str);
		return false;
	}
	if (!link_bit(rtl8168->speed)) {
		error_setg(errp, "speed is 10, 100 or 1000, not %u", rtl8168->speed);
		return false;
	}
	return true;
}

static void start_parts(struct rtl8168 *rtl8168)
{
	const struct chip_config config = {
		.family = rtl8168->version->family,
		.queues = 1,
		.assume = rtl8168->assume,
	};
	NetClientState *client = qemu_get_queue(rtl8168->nic);

	moderated_init(&rtl8168->moderated, &config, client->name, lines_changed, rtl8168);
	wire_init(&rtl8168->wire, client, rtl8168_sent, rtl8168);
	link_init(&rtl8168->link, client, rtl8168->speed, link_changed, rtl8168);
	phy_init(&rtl8168->phy, &rtl8168->link, rtl8168->version->phy_identifier);
	rtl8168_ports_init(rtl8168);
}

static void realize(PCIDevice *pci, Error **errp)
{
	struct rtl8168 *rtl8168 = RTL8168(pci);

	if (!check_properties(rtl8168, errp) || !moderated_check(&rtl8168->assume, errp) || !log_open(errp)) {
		return;
	}
	pci_config_set_interrupt_pin(pci->config, 1);
	memory_region_init_io(&rtl8168->io, OBJECT(rtl8168), &register_ops, rtl8168, "rtl8168-io", 256);
	memory_region_init_io(&rtl8168->memory, OBJECT(rtl8168), &register_ops, rtl8168, "rtl8168-memory", 4096);
	pci_register_bar(pci, 0, PCI_BASE_ADDRESS_SPACE_IO, &rtl8168->io);
	pci_register_bar(pci, 2, PCI_BASE_ADDRESS_SPACE_MEMORY | PCI_BASE_ADDRESS_MEM_TYPE_64, &rtl8168->memory);
	if (msi_init(pci, MSI_CAPABILITY, 1, true, false, errp) < 0) {
		return;
	}
	qemu_macaddr_default_if_unset(&rtl8168->conf.macaddr);
	rtl8168->nic = qemu_new_nic(&client_info, &rtl8168->conf, object_get_typename(OBJECT(pci)), DEVICE(pci)->id,
				    &DEVICE(pci)->mem_reentrancy_guard, rtl8168);
	qemu_format_nic_info_str(qemu_get_queue(rtl8168->nic), rtl8168->conf.macaddr.a);
	start_parts(rtl8168);
}

static void unrealize(PCIDevice *pci)
{
	struct rtl8168 *rtl8168 = RTL8168(pci);

	link_stop(&rtl8168->link);
	wire_stop(&rtl8168->wire);
	moderated_stop(&rtl8168->moderated);
	msi_uninit(pci);
	qemu_del_nic(rtl8168->nic);
}

static void reset(DeviceState *device)
{
	struct rtl8168 *rtl8168 = RTL8168(device);

	memset(rtl8168->registers, 0, sizeof(rtl8168->registers));
	memcpy(rtl8168->registers + MAC0, rtl8168->conf.macaddr.a, ETH_ALEN);
	reset_chip(rtl8168);
}

static void preset(Object *object)
{
	RTL8168(object)->assume = assume_defaults();
}

#define CHOICE(name, which) \
	DEFINE_PROP_UNSIGNED_NODEFAULT(name, struct rtl8168, assume.value[which], qdev_prop_int64, int64_t)

static Property properties[] = {
	DEFINE_NIC_PROPERTIES(struct rtl8168, conf),
	DEFINE_PROP_UINT32("xid", struct rtl8168, xid, 0x283),
	DEFINE_PROP_UINT32("speed", struct rtl8168, speed, 1000),
	CHOICE("r8169-small-bypass", ASSUME_R8169_SMALL_BYPASS),
	CHOICE("r8169-free-running", ASSUME_R8169_FREE_RUNNING),
	CHOICE("r8169-event-delayed", ASSUME_R8169_EVENT_DELAYED),
	CHOICE("r8169-frame-count", ASSUME_R8169_FRAME_COUNT),
	DEFINE_PROP_END_OF_LIST(),
};

static const VMStateDescription no_migration = { .name = TYPE_RTL8168, .unmigratable = 1 };

static void class_init(ObjectClass *class, void *data)
{
	DeviceClass *device = DEVICE_CLASS(class);
	PCIDeviceClass *pci = PCI_DEVICE_CLASS(class);

	pci->realize = realize;
	pci->exit = unrealize;
	pci->vendor_id = PCI_VENDOR_ID_REALTEK;
	pci->device_id = 0x8168;
	pci->class_id = PCI_CLASS_NETWORK_ETHERNET;
	device->reset = reset;
	device->vmsd = &no_migration;
	device->desc = "Realtek RTL8168 (holdoff)";
	device_class_set_props(device, properties);
	set_bit(DEVICE_CATEGORY_NETWORK, device->categories);
}

static const TypeInfo type = {
	.name = TYPE_RTL8168,
	.parent = TYPE_PCI_DEVICE,
	.instance_size = sizeof(struct rtl8168),
	.instance_init = preset,
	.class_init = class_init,
	.interfaces = (InterfaceInfo[]){ { INTERFACE_CONVENTIONAL_PCI_DEVICE }, {} },
};

static void register_types(void)
{
	type_register_static(&type);
}

type_init(register_types)
