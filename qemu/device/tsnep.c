/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The TSN endpoint as a device of QEMU: a PCI function with one MSI-X vector for each pair of queues (the real one sits on
 * the bus of an FPGA; qemu/tsnep/tsnep_pci.c hides the difference from the driver). Interrupts are the business of
 * src/chip/tsnep.c, queues that of tsnep_queues.c; here are registers, the MAC filter, MDIO and a PHY.
 *
 * Registers: Linux tsnep_hw.h. What they do beyond what the driver relies on is not published. Choices:
 *  - A received frame goes to queue 0, or where its EtherType is assigned to.
 *  - MDIO takes no time.
 *  - System time and counter run at the nominal rate: ECM_CLOCK_RATE is kept and has no effect. Gate control is
 *    not there, and ECM_TYPE says so.
 */
#include "qemu/osdep.h"

#include "hw/pci/msix.h"
#include "hw/pci/pci.h"
#include "hw/qdev-properties.h"
#include "net/eth.h"
#include "net/net.h"
#include "qemu/bswap.h"
#include "qemu/module.h"

#include "device/link.h"
#include "device/log.h"
#include "device/moderated.h"
#include "device/phy.h"
#include "device/tsnep_queues.h"
#include "device/tsnep_regs.h"

#define TYPE_TSNEP "tsnep"
OBJECT_DECLARE_SIMPLE_TYPE(Tsnep, TSNEP)

#define TSNEP_VENDOR 0x1af4 /* with 0x10f0 to 0x10ff free for experiments: QEMU, docs/specs/pci-ids */
#define TSNEP_DEVICE 0x10f5
#define VERSION 0x0100 /* 1.00 */
#define BAR_BYTES 0x8000
#define PHY_ADDRESS 1
#define PHY_IDENTIFIER 0x48440010 /* nobody's: the generic driver takes it */
#define HEADER_BYTES (2 * ETH_ALEN + 2)

struct Tsnep {
	PCIDevice pci;
	MemoryRegion bar;
	NICState *nic;
	NICConf conf;
	uint32_t queue_count, link_mbps, delay_from, delay_runs; /* properties */

	struct moderated moderated;
	struct link_end link;
	struct phy phy;
	struct tsnep_queues queues;
	uint32_t lines; /* that messages were sent for */
	uint32_t time_high;
	uint8_t plain[BAR_BYTES]; /* registers that only keep what is written */
};

static void send_messages(Tsnep *tsnep, uint32_t lines)
{
	for (unsigned queue = 0; queue < tsnep->queue_count; queue++) {
		if (lines >> queue & 1) {
			msix_notify(&tsnep->pci, queue);
		}
	}
}

static void lines_changed(void *device, uint32_t lines)
{
	Tsnep *tsnep = device;

	send_messages(tsnep, lines & ~tsnep->lines);
	tsnep->lines = lines;
}

/* Where lines are levels, one that stays up interrupts again when its handler has acknowledged what it saw. */
static void acknowledge(Tsnep *tsnep, uint32_t sources)
{
	moderated_write(&tsnep->moderated, ECM_INT_ACTIVE, sources);
	send_messages(tsnep, tsnep->lines & 1);
}

/* ---- receiving ---- */

static bool is_for_us(const Tsnep *tsnep, const uint8_t *frame)
{
	const unsigned filter = lduw_le_p(tsnep->plain + TSNEP_RX_FILTER);

	if (is_broadcast_ether_addr(frame) || memcmp(frame, tsnep->plain + TSNEP_MAC_ADDRESS_LOW, ETH_ALEN) == 0) {
		return true;
	}
	return filter & (is_multicast_ether_addr(frame) ? TSNEP_RX_FILTER_ACCEPT_ALL_MULTICASTS
							: TSNEP_RX_FILTER_ACCEPT_ALL_UNICASTS);
}

static unsigned queue_for(const Tsnep *tsnep, const uint8_t *frame)
{
	for (unsigned i = 0; i < TSNEP_RX_ASSIGN_COUNT; i++) {
		const uint8_t assign = tsnep->plain[TSNEP_RX_ASSIGN + i];
		const unsigned queue = (assign & TSNEP_RX_ASSIGN_QUEUE_MASK) >> TSNEP_RX_ASSIGN_QUEUE_SHIFT;

		if (assign & TSNEP_RX_ASSIGN_ACTIVE && queue < tsnep->queue_count &&
		    lduw_be_p(frame + 2 * ETH_ALEN) == lduw_le_p(tsnep->plain + TSNEP_RX_ASSIGN_ETHER_TYPE + 2 * i)) {
			return queue;
		}
	}
	return 0;
}

static ssize_t tsnep_receive(NetClientState *client, const uint8_t *frame, size_t size)
{
	Tsnep *tsnep = qemu_get_nic_opaque(client);

	if (tsnep->link.speed_mbps && size > HEADER_BYTES && size <= TSNEP_BUFFER_MAX && is_for_us(tsnep, frame)) {
		tsnep_queues_receive(&tsnep->queues, queue_for(tsnep, frame), frame, (unsigned)size);
	}
	return (ssize_t)size;
}

/* ---- registers ---- */

static void link_changed(void *device, unsigned speed_mbps)
{
	Tsnep *tsnep = device;

	phy_link_changed(&tsnep->phy, speed_mbps);
	tsnep_queues_set_speed(&tsnep->queues, speed_mbps);
	moderated_set_link(&tsnep->moderated, speed_mbps);
}

static void manage(Tsnep *tsnep, uint32_t control)
{
	const unsigned number = (control & ECM_MD_ADDR_MASK) >> ECM_MD_ADDR_SHIFT;
	const bool is_ours = (control & ECM_MD_PHY_ADDR_MASK) >> ECM_MD_PHY_ADDR_SHIFT == PHY_ADDRESS;
	uint32_t data = 0xffff;

	if (control & ECM_MD_WRITE) {
		data = control >> ECM_MD_DATA_SHIFT;
		if (is_ours) {
			phy_write(&tsnep->phy, number, (uint16_t)data);
		}
	} else if (is_ours) {
		data = phy_read(&tsnep->phy, number);
	}
	stl_le_p(tsnep->plain + ECM_MD_CONTROL, data << ECM_MD_DATA_SHIFT);
}

/* Whether a pair of queues has a register at this offset: which pair, and where pair 0 has it. */
static bool is_of_pair(const Tsnep *tsnep, hwaddr offset, unsigned *queue, uint32_t *within)
{
	*queue = offset < TSNEP_MAC_SIZE ? 0 : 1 + (unsigned)(offset - TSNEP_MAC_SIZE) / TSNEP_QUEUE_SIZE;
	*within = (uint32_t)(*queue == 0 ? offset : (offset - TSNEP_MAC_SIZE) % TSNEP_QUEUE_SIZE);
	return *queue < tsnep->queue_count && *within >= TSNEP_CONTROL && *within <= TSNEP_RX_STATISTIC;
}

static bool is_delay(const Tsnep *tsnep, hwaddr offset)
{
	return offset >= ECM_INT_DELAY && offset < ECM_INT_DELAY + tsnep->queue_count;
}

/* offset is a multiple of 4. */
static uint32_t read_word(Tsnep *tsnep, hwaddr offset)
{
	unsigned queue;
	uint32_t within;

	switch (offset) {
	case ECM_TYPE:
		return tsnep->queue_count << ECM_QUEUE_COUNT_SHIFT | VERSION;
	case ECM_SYSTEM_TIME_LOW:
		return (uint32_t)tsnep_system_time(&tsnep->queues);
	case ECM_SYSTEM_TIME_HIGH:
		return (uint32_t)(tsnep_system_time(&tsnep->queues) >> 32);
	case ECM_COUNTER_LOW:
		return (uint32_t)tsnep_counter();
	case ECM_COUNTER_HIGH:
		return (uint32_t)(tsnep_counter() >> 32);
	case ECM_INT_ENABLE:
	case ECM_INT_ACTIVE:
		return moderated_read(&tsnep->moderated, (uint32_t)offset);
	default:
		return is_of_pair(tsnep, offset, &queue, &within) ? tsnep_queues_read(&tsnep->queues, queue, within)
								  : (uint32_t)ldl_le_p(tsnep->plain + offset);
	}
}

static uint64_t tsnep_read(void *opaque, hwaddr offset, unsigned size)
{
	Tsnep *tsnep = opaque;
	uint64_t value = 0;

	if (is_delay(tsnep, offset)) {
		for (unsigned i = 0; i < size; i++) {
			value |= (uint64_t)moderated_read(&tsnep->moderated, (uint32_t)offset + i) << 8 * i;
		}
		return value;
	}
	return read_word(tsnep, offset & ~(hwaddr)3) >> 8 * (offset & 3) & (UINT32_MAX >> (32 - 8 * size));
}

static void write_word(Tsnep *tsnep, hwaddr offset, uint32_t value)
{
	unsigned queue;
	uint32_t within;

	switch (offset) {
	case ECM_INT_ENABLE:
		moderated_write(&tsnep->moderated, (uint32_t)offset, value);
		break;
	case ECM_INT_ACTIVE:
		acknowledge(tsnep, value);
		break;
	case ECM_SYSTEM_TIME_HIGH:
		tsnep->time_high = value;
		break;
	case ECM_SYSTEM_TIME_LOW:
		tsnep->queues.time_offset_ns = (int64_t)((uint64_t)tsnep->time_high << 32 | value) - moderated_now_ns();
		break;
	case ECM_MD_CONTROL:
		manage(tsnep, value);
		break;
	default:
		if (is_of_pair(tsnep, offset, &queue, &within)) {
			tsnep_queues_write(&tsnep->queues, queue, within, value);
		} else {
			stl_le_p(tsnep->plain + offset, value);
		}
	}
}

static void tsnep_write(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
	Tsnep *tsnep = opaque;

	if (is_delay(tsnep, offset)) {
		for (unsigned i = 0; i < size; i++) {
			moderated_write(&tsnep->moderated, (uint32_t)offset + i, (uint8_t)(value >> 8 * i));
		}
	} else if (size == 4) {
		write_word(tsnep, offset, (uint32_t)value);
	} else {
		stn_le_p(tsnep->plain + offset, (int)size, value);
	}
}

static const MemoryRegionOps tsnep_ops = {
	.read = tsnep_read,
	.write = tsnep_write,
	.endianness = DEVICE_LITTLE_ENDIAN,
	.impl = { .min_access_size = 1, .max_access_size = 4 },
};

static NetClientInfo tsnep_net = { .type = NET_CLIENT_DRIVER_NIC, .size = sizeof(NICState), .receive = tsnep_receive };

static bool assume(struct assume *assume, enum assume_name name, uint32_t value, Error **errp)
{
	const struct assume_info *info = &assume_infos[name];

	if (value < info->min || value > info->max) {
		error_setg(errp, "%s is %" PRId64 " to %" PRId64 ", not %u", info->name, info->min, info->max, value);
		return false;
	}
	assume->value[name] = value;
	return true;
}

static bool configure(const Tsnep *tsnep, struct chip_config *config, Error **errp)
{
	if (tsnep->queue_count < 1 || tsnep->queue_count > CHIP_QUEUES_MAX) {
		error_setg(errp, "tsnep has 1 to %d pairs of queues, not %u", CHIP_QUEUES_MAX, tsnep->queue_count);
		return false;
	}
	*config =
		(struct chip_config){ .family = CHIP_TSNEP, .queues = tsnep->queue_count, .assume = assume_defaults() };
	return assume(&config->assume, ASSUME_TSNEP_DELAY_FROM, tsnep->delay_from, errp) &&
	       assume(&config->assume, ASSUME_TSNEP_DELAY_RUNS, tsnep->delay_runs, errp);
}

static void tsnep_reset(DeviceState *device)
{
	Tsnep *tsnep = TSNEP(device);

	tsnep_queues_reset(&tsnep->queues);
	memset(tsnep->plain, 0, sizeof(tsnep->plain));
	memcpy(tsnep->plain + TSNEP_MAC_ADDRESS_LOW, tsnep->conf.macaddr.a, ETH_ALEN);
	moderated_reset(&tsnep->moderated);
}

static void tsnep_realize(PCIDevice *pci, Error **errp)
{
	Tsnep *tsnep = TSNEP(pci);
	struct chip_config config;

	if (!configure(tsnep, &config, errp) || !log_open(errp) ||
	    msix_init_exclusive_bar(pci, (unsigned short)tsnep->queue_count, 1, errp) < 0) {
		return;
	}
	for (unsigned queue = 0; queue < tsnep->queue_count; queue++) {
		msix_vector_use(pci, queue);
	}
	memory_region_init_io(&tsnep->bar, OBJECT(tsnep), &tsnep_ops, tsnep, TYPE_TSNEP, BAR_BYTES);
	pci_register_bar(pci, 0, PCI_BASE_ADDRESS_SPACE_MEMORY, &tsnep->bar);
	qemu_macaddr_default_if_unset(&tsnep->conf.macaddr);
	tsnep->nic = qemu_new_nic(&tsnep_net, &tsnep->conf, TYPE_TSNEP, DEVICE(pci)->id,
				  &DEVICE(pci)->mem_reentrancy_guard, tsnep);
	NetClientState *client = qemu_get_queue(tsnep->nic);

	moderated_init(&tsnep->moderated, &config, client->name, lines_changed, tsnep);
	tsnep_queues_init(&tsnep->queues, pci, client, &tsnep->moderated, tsnep->queue_count);
	link_init(&tsnep->link, client, tsnep->link_mbps, link_changed, tsnep);
	phy_init(&tsnep->phy, &tsnep->link, PHY_IDENTIFIER);
}

static void tsnep_exit(PCIDevice *pci)
{
	Tsnep *tsnep = TSNEP(pci);

	link_stop(&tsnep->link);
	tsnep_queues_stop(&tsnep->queues);
	moderated_stop(&tsnep->moderated);
	qemu_del_nic(tsnep->nic);
	msix_uninit_exclusive_bar(pci);
}

static Property tsnep_properties[] = {
	DEFINE_NIC_PROPERTIES(Tsnep, conf),
	DEFINE_PROP_UINT32("queues", Tsnep, queue_count, 1),
	DEFINE_PROP_UINT32("speed", Tsnep, link_mbps, 1000),
	DEFINE_PROP_UINT32("tsnep-delay-from", Tsnep, delay_from, 0), /* as holdoff's --assume */
	DEFINE_PROP_UINT32("tsnep-delay-runs", Tsnep, delay_runs, 1),
	DEFINE_PROP_END_OF_LIST(),
};

static void tsnep_class_init(ObjectClass *class, void *data)
{
	PCIDeviceClass *pci = PCI_DEVICE_CLASS(class);
	DeviceClass *device = DEVICE_CLASS(class);

	pci->realize = tsnep_realize;
	pci->exit = tsnep_exit;
	pci->vendor_id = TSNEP_VENDOR;
	pci->device_id = TSNEP_DEVICE;
	pci->class_id = PCI_CLASS_NETWORK_ETHERNET;
	device->reset = tsnep_reset;
	device_class_set_props(device, tsnep_properties);
	set_bit(DEVICE_CATEGORY_NETWORK, device->categories);
}

static const TypeInfo tsnep_info = {
	.name = TYPE_TSNEP,
	.parent = TYPE_PCI_DEVICE,
	.instance_size = sizeof(Tsnep),
	.class_init = tsnep_class_init,
	.interfaces = (InterfaceInfo[]){ { INTERFACE_CONVENTIONAL_PCI_DEVICE }, {} },
};

static void register_tsnep(void)
{
	type_register_static(&tsnep_info);
}

static void __attribute__((constructor)) register_module(void)
{
	register_module_init(register_tsnep, MODULE_INIT_QOM);
}
