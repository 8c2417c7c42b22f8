/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The TSN endpoint as a device of QEMU: a PCI function with one MSI-X vector for each pair of queues (the real one sits on
 * the bus of an FPGA; qemu/tsnep/tsnep_pci.c hides the difference from the driver). Interrupts are the business of
 * src/chip/tsnep.c; here are queues, MAC filter, MDIO and a PHY.
 *
 * Registers: Linux tsnep_hw.h. What they do beyond what the driver relies on is not published. Choices:
 *  - The pairs of queues send in turn, a frame each.
 *  - A received frame goes to queue 0, or where its EtherType is assigned to.
 *  - Address registers take effect with their upper half.
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
#include "device/tsnep_regs.h"
#include "device/tsnep_ring.h"
#include "device/wire.h"

#define TYPE_TSNEP "tsnep"
OBJECT_DECLARE_SIMPLE_TYPE(Tsnep, TSNEP)

#define TSNEP_VENDOR 0x1af4 /* with 0x10f0 to 0x10ff free for experiments: QEMU, docs/specs/pci-ids */
#define TSNEP_DEVICE 0x10f5
#define VERSION 0x0100 /* 1.00 */
#define BAR_BYTES 0x8000
#define PHY_ADDRESS 1
#define PHY_IDENTIFIER 0x48440010 /* nobody's: the generic driver takes it */
#define FCS_BYTES 4
#define FRAME_BYTES_MIN 60 /* without FCS */
#define HEADER_BYTES (2 * ETH_ALEN + 2)
#define FRAMES_AT_ONCE_MAX 4096

struct pair {
	struct tsnep_ring rx, tx;
	uint32_t rx_address_low, tx_address_low;
	uint8_t no_descriptor, too_small;
	uint64_t sent_descriptor; /* of the frame on the wire */
	uint32_t sent_properties;
};

struct Tsnep {
	PCIDevice pci;
	MemoryRegion bar;
	NICState *nic;
	NICConf conf;
	uint32_t queues, link_mbps, delay_from, delay_runs; /* properties */

	struct moderated moderated;
	struct link_end link;
	struct phy phy;
	struct wire wire;
	uint32_t lines; /* that messages were sent for */
	struct pair pairs[CHIP_QUEUES_MAX];
	unsigned turn; /* the pair that sent last */
	bool is_starting;
	uint32_t time_high;
	int64_t time_offset_ns;
	uint8_t plain[BAR_BYTES];                    /* registers that only keep what is written */
	uint8_t frame[TSNEP_BUFFER_MAX + FCS_BYTES]; /* that is being received, or lost */
};

static_assert(TSNEP_BUFFER_MAX <= WIRE_FRAME_BYTES_MAX, "what a ring gives fits on the wire");

static uint64_t counter_now(void)
{
	return (uint64_t)moderated_now_ns();
}

static uint64_t system_time(const Tsnep *tsnep)
{
	return (uint64_t)(moderated_now_ns() + tsnep->time_offset_ns);
}

static void send_messages(Tsnep *tsnep, uint32_t lines)
{
	for (unsigned queue = 0; queue < tsnep->queues; queue++) {
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

/* ---- sending ---- */

static void start_sending(Tsnep *tsnep);

static void frame_sent(void *device, unsigned queue, unsigned frame_bytes)
{
	Tsnep *tsnep = device;
	const struct pair *pair = &tsnep->pairs[queue];

	tsnep_ring_acknowledge(&tsnep->pci, pair->sent_descriptor, pair->sent_properties, counter_now(),
			       system_time(tsnep));
	if (pair->sent_properties & TSNEP_DESC_INTERRUPT_FLAG) {
		moderated_frame_sent(&tsnep->moderated, queue, frame_bytes, CHIP_FRAME_INTERRUPT);
	}
	start_sending(tsnep);
}

static bool send_of(Tsnep *tsnep, unsigned queue)
{
	struct pair *pair = &tsnep->pairs[queue];
	const bool has_link = wire_is_free(&tsnep->wire);

	if (!pair->tx.is_on) {
		return false;
	}
	const unsigned bytes = tsnep_ring_take(&pair->tx, &tsnep->pci,
					       has_link ? wire_buffer(&tsnep->wire) : tsnep->frame,
					       &pair->sent_descriptor, &pair->sent_properties);

	if (bytes == 0) {
		if (!pair->tx.is_on) {
			log_event(tsnep->moderated.name, "guest-error transmit descriptors of queue %u are no frame",
				  queue);
		}
		pair->tx.is_on = false;
		return false;
	}
	tsnep->turn = queue;
	if (has_link) {
		wire_send(&tsnep->wire, queue, bytes);
	} else {
		frame_sent(tsnep, queue, bytes + FCS_BYTES);
	}
	return true;
}

static bool send_of_next(Tsnep *tsnep)
{
	for (unsigned i = 1; i <= tsnep->queues; i++) {
		if (send_of(tsnep, (tsnep->turn + i) % tsnep->queues)) {
			return true;
		}
	}
	return false;
}

/*
 * Without a link frames are lost and count as sent, since the driver waits for that when it closes. That takes no time, and
 * must not go on for ever: a ring may be a circle.
 */
static void start_sending(Tsnep *tsnep)
{
	if (tsnep->is_starting) {
		return;
	}
	tsnep->is_starting = true;
	for (unsigned i = 0; i < FRAMES_AT_ONCE_MAX && !tsnep->wire.busy && send_of_next(tsnep); i++) {
	}
	tsnep->is_starting = false;
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

		if (assign & TSNEP_RX_ASSIGN_ACTIVE && queue < tsnep->queues &&
		    lduw_be_p(frame + 2 * ETH_ALEN) == lduw_le_p(tsnep->plain + TSNEP_RX_ASSIGN_ETHER_TYPE + 2 * i)) {
			return queue;
		}
	}
	return 0;
}

static void count(uint8_t *counter)
{
	*counter += *counter < UINT8_MAX;
}

static void receive(Tsnep *tsnep, unsigned queue, unsigned frame_bytes)
{
	struct pair *pair = &tsnep->pairs[queue];
	uint32_t properties = 0;

	switch (pair->rx.is_on ? tsnep_ring_fill(&pair->rx, &tsnep->pci, tsnep->frame, frame_bytes, counter_now(),
						 system_time(tsnep), &properties)
			       : TSNEP_NO_DESCRIPTOR) {
	case TSNEP_FILLED:
		if (properties & TSNEP_DESC_INTERRUPT_FLAG) {
			moderated_frame_received(&tsnep->moderated, queue, frame_bytes, CHIP_FRAME_INTERRUPT);
		}
		return;
	case TSNEP_NO_DESCRIPTOR:
		count(&pair->no_descriptor);
		break;
	case TSNEP_TOO_SMALL:
		count(&pair->too_small);
		break;
	}
	log_event(tsnep->moderated.name, "missed %u", frame_bytes);
}

static ssize_t tsnep_receive(NetClientState *client, const uint8_t *frame, size_t size)
{
	Tsnep *tsnep = qemu_get_nic_opaque(client);
	const unsigned bytes = MAX((unsigned)MIN(size, TSNEP_BUFFER_MAX), FRAME_BYTES_MIN);

	if (tsnep->link.speed_mbps && size > HEADER_BYTES && size <= TSNEP_BUFFER_MAX && is_for_us(tsnep, frame)) {
		memset(tsnep->frame, 0, bytes + FCS_BYTES); /* the FCS too: nobody looks at it */
		memcpy(tsnep->frame, frame, size);
		receive(tsnep, queue_for(tsnep, frame), bytes + FCS_BYTES);
	}
	return (ssize_t)size;
}

/* ---- registers ---- */

static void link_changed(void *device, unsigned speed_mbps)
{
	Tsnep *tsnep = device;

	phy_link_changed(&tsnep->phy, speed_mbps);
	wire_set_speed(&tsnep->wire, speed_mbps);
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

/* The pair of queues that has a register at this offset, and where pair 0 has it; or NULL. */
static struct pair *pair_at(Tsnep *tsnep, hwaddr offset, hwaddr *within)
{
	const unsigned queue = offset < TSNEP_MAC_SIZE ? 0 : 1 + (unsigned)(offset - TSNEP_MAC_SIZE) / TSNEP_QUEUE_SIZE;

	*within = queue == 0 ? offset : (offset - TSNEP_MAC_SIZE) % TSNEP_QUEUE_SIZE;
	if (queue >= tsnep->queues || *within < TSNEP_CONTROL || *within > TSNEP_RX_STATISTIC) {
		return NULL;
	}
	return &tsnep->pairs[queue];
}

static uint32_t read_pair(const struct pair *pair, hwaddr offset)
{
	switch (offset) {
	case TSNEP_CONTROL:
		return (pair->tx.is_on ? TSNEP_CONTROL_TX_ENABLE : 0) | (pair->rx.is_on ? TSNEP_CONTROL_RX_ENABLE : 0);
	case TSNEP_TX_DESC_ADDR_LOW:
		return (uint32_t)pair->tx.address;
	case TSNEP_TX_DESC_ADDR_HIGH:
		return (uint32_t)(pair->tx.address >> 32);
	case TSNEP_RX_DESC_ADDR_LOW:
		return (uint32_t)pair->rx.address;
	case TSNEP_RX_DESC_ADDR_HIGH:
		return (uint32_t)(pair->rx.address >> 32);
	case TSNEP_RX_STATISTIC:
		return pair->no_descriptor | (uint32_t)pair->too_small << 8;
	default:
		return 0;
	}
}

static void write_pair(Tsnep *tsnep, struct pair *pair, hwaddr offset, uint32_t value)
{
	switch (offset) {
	case TSNEP_CONTROL:
		pair->rx.is_on = (pair->rx.is_on || value & TSNEP_CONTROL_RX_ENABLE) &&
				 !(value & TSNEP_CONTROL_RX_DISABLE);
		pair->tx.is_on = pair->tx.is_on || value & TSNEP_CONTROL_TX_ENABLE;
		start_sending(tsnep);
		break;
	case TSNEP_TX_DESC_ADDR_LOW:
		pair->tx_address_low = value;
		break;
	case TSNEP_RX_DESC_ADDR_LOW:
		pair->rx_address_low = value;
		break;
	case TSNEP_TX_DESC_ADDR_HIGH:
		tsnep_ring_place(&pair->tx, pair->tx_address_low | (uint64_t)value << 32);
		break;
	case TSNEP_RX_DESC_ADDR_HIGH:
		tsnep_ring_place(&pair->rx, pair->rx_address_low | (uint64_t)value << 32);
		break;
	default:
		break;
	}
}

static bool is_delay(const Tsnep *tsnep, hwaddr offset)
{
	return offset >= ECM_INT_DELAY && offset < ECM_INT_DELAY + tsnep->queues;
}

/* offset is a multiple of 4. */
static uint32_t read_word(Tsnep *tsnep, hwaddr offset)
{
	const struct pair *pair;
	hwaddr within;

	switch (offset) {
	case ECM_TYPE:
		return tsnep->queues << ECM_QUEUE_COUNT_SHIFT | VERSION;
	case ECM_SYSTEM_TIME_LOW:
		return (uint32_t)system_time(tsnep);
	case ECM_SYSTEM_TIME_HIGH:
		return (uint32_t)(system_time(tsnep) >> 32);
	case ECM_COUNTER_LOW:
		return (uint32_t)counter_now();
	case ECM_COUNTER_HIGH:
		return (uint32_t)(counter_now() >> 32);
	case ECM_INT_ENABLE:
	case ECM_INT_ACTIVE:
		return moderated_read(&tsnep->moderated, (uint32_t)offset);
	default:
		pair = pair_at(tsnep, offset, &within);
		return pair ? read_pair(pair, within) : (uint32_t)ldl_le_p(tsnep->plain + offset);
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
	struct pair *pair;
	hwaddr within;

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
		tsnep->time_offset_ns = (int64_t)((uint64_t)tsnep->time_high << 32 | value) - moderated_now_ns();
		break;
	case ECM_MD_CONTROL:
		manage(tsnep, value);
		break;
	default:
		pair = pair_at(tsnep, offset, &within);
		if (pair) {
			write_pair(tsnep, pair, within, value);
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
	if (tsnep->queues < 1 || tsnep->queues > CHIP_QUEUES_MAX) {
		error_setg(errp, "tsnep has 1 to %d pairs of queues, not %u", CHIP_QUEUES_MAX, tsnep->queues);
		return false;
	}
	*config = (struct chip_config){ .family = CHIP_TSNEP, .queues = tsnep->queues, .assume = assume_defaults() };
	return assume(&config->assume, ASSUME_TSNEP_DELAY_FROM, tsnep->delay_from, errp) &&
	       assume(&config->assume, ASSUME_TSNEP_DELAY_RUNS, tsnep->delay_runs, errp);
}

static void tsnep_reset(DeviceState *device)
{
	Tsnep *tsnep = TSNEP(device);

	wire_drop(&tsnep->wire);
	memset(tsnep->pairs, 0, sizeof(tsnep->pairs));
	memset(tsnep->plain, 0, sizeof(tsnep->plain));
	memcpy(tsnep->plain + TSNEP_MAC_ADDRESS_LOW, tsnep->conf.macaddr.a, ETH_ALEN);
	tsnep->time_offset_ns = 0;
	moderated_reset(&tsnep->moderated);
}

static void tsnep_realize(PCIDevice *pci, Error **errp)
{
	Tsnep *tsnep = TSNEP(pci);
	struct chip_config config;

	if (!configure(tsnep, &config, errp) || !log_open(errp) ||
	    msix_init_exclusive_bar(pci, (unsigned short)tsnep->queues, 1, errp) < 0) {
		return;
	}
	for (unsigned queue = 0; queue < tsnep->queues; queue++) {
		msix_vector_use(pci, queue);
	}
	memory_region_init_io(&tsnep->bar, OBJECT(tsnep), &tsnep_ops, tsnep, TYPE_TSNEP, BAR_BYTES);
	pci_register_bar(pci, 0, PCI_BASE_ADDRESS_SPACE_MEMORY, &tsnep->bar);
	qemu_macaddr_default_if_unset(&tsnep->conf.macaddr);
	tsnep->nic = qemu_new_nic(&tsnep_net, &tsnep->conf, TYPE_TSNEP, DEVICE(pci)->id,
				  &DEVICE(pci)->mem_reentrancy_guard, tsnep);
	NetClientState *client = qemu_get_queue(tsnep->nic);

	moderated_init(&tsnep->moderated, &config, client->name, lines_changed, tsnep);
	wire_init(&tsnep->wire, client, frame_sent, tsnep);
	link_init(&tsnep->link, client, tsnep->link_mbps, link_changed, tsnep);
	phy_init(&tsnep->phy, &tsnep->link, PHY_IDENTIFIER);
}

static void tsnep_exit(PCIDevice *pci)
{
	Tsnep *tsnep = TSNEP(pci);

	link_stop(&tsnep->link);
	wire_stop(&tsnep->wire);
	moderated_stop(&tsnep->moderated);
	qemu_del_nic(tsnep->nic);
	msix_uninit_exclusive_bar(pci);
}

static Property tsnep_properties[] = {
	DEFINE_NIC_PROPERTIES(Tsnep, conf),
	DEFINE_PROP_UINT32("queues", Tsnep, queues, 2),
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
