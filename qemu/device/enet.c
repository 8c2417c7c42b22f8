/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The FEC/ENET in place of QEMU's own, whose coalescing registers do nothing. The controllers of an i.MX6UL are part of
 * the processor and made with it, under the type name "imx.enet": that type's functions are exchanged, and what makes and
 * connects them notices nothing. Interrupts are the business of src/chip/fec.c; here are descriptors, MAC filter, MDIO and a
 * PHY.
 *
 * Registers: enet_regs.h. Choices:
 *  - Ring 0 is the only one that frames go through, as on an i.MX6UL; RXIC and TXIC of the others can be written and read.
 *  - A frame's descriptors are given back when its last bit has left, and what is received lies in memory with its last bit:
 *    no latency of DMA. A frame that finds no descriptor is lost: there is no FIFO that keeps it.
 *  - MDIO takes no time, except that EIR.MII tells that it is over.
 *  - The timers of IEEE 1588 keep what is written to them and do not run; no frame has a time stamp. Pause frames are not
 *    sent and not heeded. Of the events in EIR there are MII, GRA, RXF and TXF.
 *  - The speed is that of the link, whatever ECR.SPEED and RCR.RMII_10T say.
 */
#include "qemu/osdep.h"

#include "hw/irq.h"
#include "hw/net/imx_fec.h"
#include "hw/qdev-properties.h"
#include "net/checksum.h"
#include "net/eth.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "qemu/bswap.h"
#include "qemu/module.h"

#include "device/enet_regs.h"
#include "device/enet_ring.h"
#include "device/link.h"
#include "device/log.h"
#include "device/moderated.h"
#include "device/phy.h"
#include "device/wire.h"

#define PHY_IDENTIFIER 0x48440010 /* nobody's: the generic driver takes it */
#define FCS_BYTES 4
#define FRAME_BYTES_MIN 60 /* without FCS */
#define FRAME_BYTES_MAX 16384
#define FRAMES_AT_ONCE_MAX 4096
#define SHIFT_BYTES 2 /* of RACC_SHIFT16 */

struct enet {
	char name[16];
	IMXFECState *board; /* QEMU's part: properties, interrupt lines, memory region */
	struct moderated moderated;
	struct link_end link;
	struct phy phy;
	struct wire wire;
	struct enet_ring rx, tx;
	bool rx_active, tx_active; /* until the ring has no descriptor for the device */
	bool is_starting;
	uint32_t events;           /* of EIR, that are not the chip's */
	uint8_t plain[ENET_BYTES]; /* registers that only keep what is written */
	uint8_t frame[SHIFT_BYTES + FRAME_BYTES_MAX + FCS_BYTES];
};

/*
 * What both controllers are made with: properties of the type, since they are made before any device that has options. For -global
 * driver=imx.enet,property=NAME,value=VALUE.
 */
struct setting {
	const char *name;
	uint32_t value;
	enum assume_name choice; /* ASSUME_COUNT: none */
};

enum { AHB_HZ, SPEED, FIRST_CHOICE, SETTINGS = FIRST_CHOICE + 3 };

static struct setting settings[SETTINGS] = {
	[AHB_HZ] = { "ahb-hz", 132000000, ASSUME_COUNT },
	[SPEED] = { "speed", 1000, ASSUME_COUNT },
	[FIRST_CHOICE] = { "fec-timer-clock", 0, ASSUME_FEC_TIMER_CLOCK },
	{ "fec-rx-scale", 1000000, ASSUME_FEC_RX_SCALE },
	{ "fec-event-delayed", 1, ASSUME_FEC_EVENT_DELAYED },
};

static uint32_t plain(const struct enet *enet, uint32_t offset)
{
	return (uint32_t)ldl_le_p(enet->plain + offset);
}

static void keep(struct enet *enet, uint32_t offset, uint32_t value)
{
	stl_le_p(enet->plain + offset, value);
}

static void count(struct enet *enet, uint32_t offset, uint32_t more)
{
	keep(enet, offset, plain(enet, offset) + more);
}

static bool is_on(const struct enet *enet)
{
	return plain(enet, ECR) & ECR_ETHEREN;
}

static void update_interrupt(struct enet *enet)
{
	const uint32_t mask = moderated_read(&enet->moderated, EIMR);

	qemu_set_irq(enet->board->irq[0], enet->moderated.lines || enet->events & mask);
}

static void lines_changed(void *device, uint32_t lines)
{
	struct enet *enet = device;

	(void)lines;
	update_interrupt(enet);
}

static void add_event(struct enet *enet, uint32_t event)
{
	enet->events |= event;
	update_interrupt(enet);
}

/* ---- sending ---- */

static void start_sending(struct enet *enet);

static void frame_sent(void *device, unsigned queue, unsigned frame_bytes)
{
	struct enet *enet = device;

	enet_ring_give_back(&enet->tx);
	count(enet, RMON_T_PACKETS, 1);
	count(enet, RMON_T_OCTETS, frame_bytes);
	count(enet, IEEE_T_FRAME_OK, 1);
	moderated_frame_sent(&enet->moderated, queue, frame_bytes, CHIP_FRAME_INTERRUPT);
	if (plain(enet, TCR) & TCR_GTS) {
		add_event(enet, EIR_GRA);
	}
	start_sending(enet);
}

static bool send_next(struct enet *enet)
{
	uint8_t *buffer = wire_is_free(&enet->wire) ? wire_buffer(&enet->wire) : enet->frame;
	uint32_t checksums = 0;
	const unsigned bytes = enet_ring_take(&enet->tx, buffer, FRAME_BYTES_MAX, &checksums);

	if (bytes == 0) {
		return false;
	}
	if (checksums) {
		net_checksum_calculate(buffer, (int)bytes,
				       (checksums & BD_LONG_IINS ? CSUM_IP : 0) |
					       (checksums & BD_LONG_PINS ? CSUM_TCP | CSUM_UDP : 0));
	}
	if (wire_is_free(&enet->wire)) {
		wire_send(&enet->wire, 0, bytes);
	} else {
		frame_sent(enet, 0, bytes + FCS_BYTES);
	}
	return true;
}

static bool may_send(const struct enet *enet)
{
	return enet->tx_active && !(plain(enet, TCR) & TCR_GTS) && !enet->wire.busy;
}

/* Without a link frames are lost and count as sent; that takes no time, and the ring may be a circle. */
static void start_sending(struct enet *enet)
{
	if (enet->is_starting) {
		return;
	}
	enet->is_starting = true;
	for (unsigned i = 0; i < FRAMES_AT_ONCE_MAX && may_send(enet); i++) {
		enet->tx_active = send_next(enet);
	}
	enet->is_starting = false;
}

/* ---- receiving ---- */

/* The upper six bits of the FCS of an address are its place among 64. */
static bool is_in_group(const struct enet *enet, const uint8_t *address)
{
	const unsigned hash = net_crc32_le(address, ETH_ALEN) >> 26;

	return plain(enet, hash >= 32 ? GAUR : GALR) >> hash % 32 & 1;
}

static bool is_for_us(const struct enet *enet, const uint8_t *frame)
{
	const uint32_t control = plain(enet, RCR);

	if (control & RCR_PROM) {
		return true;
	}
	if (is_broadcast_ether_addr(frame)) {
		return !(control & RCR_BC_REJ);
	}
	if (is_multicast_ether_addr(frame)) {
		return is_in_group(enet, frame);
	}
	return (uint32_t)ldl_be_p(frame) == plain(enet, PALR) &&
	       (uint32_t)lduw_be_p(frame + 4) == plain(enet, PAUR) >> 16;
}

static void receive(struct enet *enet, const uint8_t *frame, unsigned bytes)
{
	const unsigned shift = plain(enet, RACC) & RACC_SHIFT16 ? SHIFT_BYTES : 0;
	const unsigned padded = MAX(bytes, FRAME_BYTES_MIN), frame_bytes = padded + FCS_BYTES;
	uint16_t flags = 0;
	bool is_kept = false;

	if (is_broadcast_ether_addr(frame)) {
		flags = BD_BROADCAST;
	} else if (is_multicast_ether_addr(frame)) {
		flags = BD_MULTICAST;
	}
	memset(enet->frame, 0, shift + frame_bytes); /* the FCS too: nobody looks at it */
	memcpy(enet->frame + shift, frame, bytes);
	if (frame_bytes <= (plain(enet, RCR) >> RCR_MAX_FL_SHIFT & RCR_MAX_FL_MASK)) {
		enet->rx_active = enet->rx_active && enet_ring_fill(&enet->rx, enet->frame, shift + frame_bytes,
								    plain(enet, MRBR) & MRBR_MASK, flags);
		is_kept = enet->rx_active;
	}
	if (!is_kept) {
		count(enet, IEEE_R_DROP, 1);
		log_event(enet->name, "missed %u", frame_bytes);
		return;
	}
	count(enet, RMON_R_PACKETS, 1);
	count(enet, RMON_R_OCTETS, frame_bytes);
	count(enet, IEEE_R_FRAME_OK, 1);
	moderated_frame_received(&enet->moderated, 0, frame_bytes, CHIP_FRAME_INTERRUPT);
}

static ssize_t enet_receive(NetClientState *client, const uint8_t *frame, size_t size)
{
	struct enet *enet = qemu_get_nic_opaque(client);

	if (is_on(enet) && enet->link.speed_mbps && size >= 2 * ETH_ALEN + 2 && size <= FRAME_BYTES_MAX &&
	    is_for_us(enet, frame)) {
		receive(enet, frame, (unsigned)size);
	}
	return (ssize_t)size;
}

/* ---- registers ---- */

static void link_changed(void *device, unsigned speed_mbps)
{
	struct enet *enet = device;

	phy_link_changed(&enet->phy, speed_mbps);
	wire_set_speed(&enet->wire, speed_mbps);
	moderated_set_link(&enet->moderated, speed_mbps);
	start_sending(enet);
}

/* MMFR: start 01, operation 10 read or 01 write, PHY, register, turnaround, data. Without a clock in MSCR nothing moves. */
static void manage(struct enet *enet, uint32_t frame)
{
	const unsigned number = frame >> 18 & 31;
	const bool is_ours = (frame >> 23 & 31) == enet->board->phy_num && frame >> 30 == 1;

	keep(enet, MMFR, frame);
	if (!(plain(enet, MSCR) & MSCR_MII_SPEED)) {
		return;
	}
	if ((frame >> 28 & 3) == 2) {
		keep(enet, MMFR, (frame & 0xffff0000u) | (is_ours ? phy_read(&enet->phy, number) : 0xffffu));
	} else if (is_ours) {
		phy_write(&enet->phy, number, (uint16_t)frame);
	}
	add_event(enet, EIR_MII);
}

static void begin_rings(struct enet *enet)
{
	const bool is_long = plain(enet, ECR) & ECR_EN1588;

	enet->rx_active = enet->tx_active = false;
	enet_ring_place(&enet->rx, plain(enet, RDSR), is_long);
	enet_ring_place(&enet->tx, plain(enet, TDSR), is_long);
}

static void reset(struct enet *enet)
{
	const uint8_t *address = enet->board->conf.macaddr.a;

	wire_drop(&enet->wire);
	memset(enet->plain, 0, sizeof(enet->plain));
	keep(enet, PALR, (uint32_t)ldl_be_p(address));
	keep(enet, PAUR, (uint32_t)lduw_be_p(address + 4) << 16 | 0x8808);
	keep(enet, RCR, 1518u << RCR_MAX_FL_SHIFT | 1);
	keep(enet, ECR, 0xf0000000);
	enet->events = 0;
	begin_rings(enet);
	moderated_reset(&enet->moderated);
	update_interrupt(enet);
}

static void control(struct enet *enet, uint32_t value)
{
	const bool was_on = is_on(enet);

	if (value & ECR_RESET) {
		reset(enet);
		return;
	}
	keep(enet, ECR, value);
	if (!is_on(enet)) {
		wire_drop(&enet->wire);
	}
	if (is_on(enet) != was_on) {
		begin_rings(enet);
	}
}

static void stop_or_go(struct enet *enet, uint32_t value)
{
	keep(enet, TCR, value);
	if (value & TCR_GTS && !enet->wire.busy) {
		add_event(enet, EIR_GRA);
	}
	start_sending(enet);
}

/* A register of the chip. */
static bool concerns_interrupts(uint32_t offset)
{
	return offset == EIR || offset == EIMR || (offset >= TXIC0 && offset < TXIC0 + 4 * RINGS) ||
	       (offset >= RXIC0 && offset < RXIC0 + 4 * RINGS);
}

static uint64_t enet_read(void *opaque, hwaddr offset, unsigned size)
{
	struct enet *enet = opaque;

	(void)size;
	if (concerns_interrupts((uint32_t)offset)) {
		return moderated_read(&enet->moderated, (uint32_t)offset) | (offset == EIR ? enet->events : 0);
	}
	switch (offset) {
	case RDAR:
		return enet->rx_active ? DAR_ACTIVE : 0;
	case TDAR:
		return enet->tx_active ? DAR_ACTIVE : 0;
	default:
		return plain(enet, (uint32_t)offset);
	}
}

static void enet_write(void *opaque, hwaddr offset, uint64_t value64, unsigned size)
{
	struct enet *enet = opaque;
	const uint32_t value = (uint32_t)value64;

	(void)size;
	if (concerns_interrupts((uint32_t)offset)) {
		enet->events &= ~(offset == EIR ? value : 0);
		moderated_write(&enet->moderated, (uint32_t)offset, value);
		update_interrupt(enet);
		return;
	}
	switch (offset) {
	case RDAR:
		enet->rx_active = is_on(enet);
		break;
	case TDAR:
		enet->tx_active = is_on(enet);
		start_sending(enet);
		break;
	case ECR:
		control(enet, value);
		break;
	case MMFR:
		manage(enet, value);
		break;
	case TCR:
		stop_or_go(enet, value);
		break;
	default:
		keep(enet, (uint32_t)offset, value);
		if ((offset == RDSR || offset == TDSR) && !is_on(enet)) {
			begin_rings(enet);
		}
	}
}

static const MemoryRegionOps enet_ops = {
	.read = enet_read,
	.write = enet_write,
	.endianness = DEVICE_LITTLE_ENDIAN,
	.valid = { .min_access_size = 4, .max_access_size = 4 },
};

static NetClientInfo enet_net = { .type = NET_CLIENT_DRIVER_NIC, .size = sizeof(NICState), .receive = enet_receive };

/* ---- in place of QEMU's ---- */

static struct chip_config configured(void)
{
	struct chip_config config = { .family = CHIP_FEC,
				      .queues = RINGS,
				      .timer_clock_hz = settings[AHB_HZ].value,
				      .assume = assume_defaults() };

	for (unsigned i = FIRST_CHOICE; i < SETTINGS; i++) {
		config.assume.value[settings[i].choice] = settings[i].value;
	}
	return config;
}

static void enet_reset(DeviceState *device)
{
	reset(qemu_get_nic_opaque(qemu_get_queue(IMX_FEC(device)->nic)));
}

/* The first that QEMU makes is the second that Linux meets: fec.0 is the guest's eth0. */
static void set_name(struct enet *enet)
{
	static unsigned made;

	snprintf(enet->name, sizeof(enet->name), "fec.%u", made++ ^ 1);
}

static void enet_realize(DeviceState *device, Error **errp)
{
	IMXFECState *board = IMX_FEC(device);
	const struct chip_config config = configured();

	if (!log_open(errp)) {
		return;
	}
	struct enet *enet = g_new0(struct enet, 1);

	set_name(enet);
	enet->board = board;
	memory_region_init_io(&board->iomem, OBJECT(device), &enet_ops, enet, TYPE_IMX_ENET, ENET_BYTES);
	sysbus_init_mmio(SYS_BUS_DEVICE(device), &board->iomem);
	sysbus_init_irq(SYS_BUS_DEVICE(device), &board->irq[0]);
	sysbus_init_irq(SYS_BUS_DEVICE(device), &board->irq[1]);
	qemu_macaddr_default_if_unset(&board->conf.macaddr);
	board->nic =
		qemu_new_nic(&enet_net, &board->conf, TYPE_IMX_ENET, enet->name, &device->mem_reentrancy_guard, enet);
	NetClientState *client = qemu_get_queue(board->nic);

	moderated_init(&enet->moderated, &config, enet->name, lines_changed, enet);
	wire_init(&enet->wire, client, frame_sent, enet);
	link_init(&enet->link, client, settings[SPEED].value, link_changed, enet);
	phy_init(&enet->phy, &enet->link, PHY_IDENTIFIER);
}

static void get_setting(Object *object, Visitor *visitor, const char *name, void *opaque, Error **errp)
{
	struct setting *setting = opaque;

	visit_type_uint32(visitor, name, &setting->value, errp);
}

static void set_setting(Object *object, Visitor *visitor, const char *name, void *opaque, Error **errp)
{
	struct setting *setting = opaque;
	const struct assume_info *info = setting->choice < ASSUME_COUNT ? &assume_infos[setting->choice] : NULL;
	uint32_t value;

	if (!visit_type_uint32(visitor, name, &value, errp)) {
		return;
	}
	if (info && (value < info->min || value > info->max)) {
		error_setg(errp, "%s is %" PRId64 " to %" PRId64 ", not %u", name, info->min, info->max, value);
		return;
	}
	setting->value = value;
}

static void take_over(void)
{
	ObjectClass *class = object_class_by_name(TYPE_IMX_ENET);

	if (class) {
		for (unsigned i = 0; i < SETTINGS; i++) {
			object_class_property_add(class, settings[i].name, "uint32", get_setting, set_setting, NULL,
						  &settings[i]);
		}
		DEVICE_CLASS(class)->realize = enet_realize;
		DEVICE_CLASS(class)->reset = enet_reset;
		DEVICE_CLASS(class)->vmsd = NULL;
	}
}

/* This runs before QEMU has registered its own types; what is added now runs after that. */
static void wait_for_types(void)
{
	register_module_init(take_over, MODULE_INIT_QOM);
}

static void __attribute__((constructor)) register_module(void)
{
	register_module_init(wait_for_types, MODULE_INIT_QOM);
}
