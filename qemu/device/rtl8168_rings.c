/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Descriptors and frames. A frame is sent out of consecutive descriptors, which go back to the driver when its last bit has
 * left; it is received into as many as it needs, or, where the driver has not left enough, thrown away. The FIFOs in
 * between, which are of a few kB and documented nowhere, are left out, and so is the time that reading memory takes.
 */
#include "qemu/osdep.h"

#include "device/rtl8168.h"

#include "device/log.h"
#include "net/checksum.h"

#define FCS_BYTES 4u
#define TAG_BYTES 4u
#define ADDRESSES_BYTES 12u
#define SHORTEST_BYTES 60u
#define DESCRIPTOR_BYTES 16u
#define DESCRIPTORS_MAX 1024u
#define FRAGMENTS_MAX 256u
#define NO_TAG (~0u)

/* opts1 of both rings */
#define DescOwn 0x80000000u
#define RingEnd 0x40000000u
#define FirstFrag 0x20000000u
#define LastFrag 0x10000000u
/* opts1 and opts2 of sent frames, old offloads */
#define TD_LSO 0x08000000u
#define TD0_CHECKSUMS 0x00070000u
#define TD0_MSS_SHIFT 16
/* the new ones */
#define TD1_GTSEN 0x06000000u
#define TD1_CHECKSUMS 0xf0000000u
#define TD1_MSS_SHIFT 18
#define TD_MSS_MAX 0x7ffu
#define TxVlanTag 0x20000u
/* opts1 and opts2 of received frames */
#define RX_SIZE 0x3fffu
#define RX_MULTICAST 0x08000000u
#define RX_PHYSICAL 0x04000000u
#define RX_BROADCAST 0x02000000u
#define PID1 0x40000u
#define PID0 0x20000u
#define IPFail 0x10000u
#define UDPFail 0x8000u
#define TCPFail 0x4000u
#define RxVlanTag 0x10000u
/* RxConfig */
#define AcceptBroadcast 0x08u
#define AcceptMulticast 0x04u
#define AcceptMyPhys 0x02u
#define AcceptAllPhys 0x01u

struct descriptor {
	uint32_t opts1, opts2;
	uint64_t buffer;
};

static uint64_t ring_address(const struct rtl8168 *rtl8168, uint32_t low)
{
	return (rtl8168_get(rtl8168, low, 4) & ~RTL8168_RING_ALIGNMENT) | (uint64_t)rtl8168_get(rtl8168, low + 4, 4)
										  << 32;
}

static bool read_memory(struct rtl8168 *rtl8168, uint64_t address, void *to, unsigned bytes)
{
	if (pci_dma_read(&rtl8168->parent, address, to, bytes) == MEMTX_OK) {
		return true;
	}
	rtl8168_guest_error(rtl8168, "no memory to read at 0x%" PRIx64, address);
	return false;
}

static bool write_memory(struct rtl8168 *rtl8168, uint64_t address, const void *from, unsigned bytes)
{
	if (pci_dma_write(&rtl8168->parent, address, from, bytes) == MEMTX_OK) {
		return true;
	}
	rtl8168_guest_error(rtl8168, "no memory to write at 0x%" PRIx64, address);
	return false;
}

static bool read_descriptor(struct rtl8168 *rtl8168, uint64_t ring, unsigned index, struct descriptor *descriptor)
{
	uint8_t raw[DESCRIPTOR_BYTES];

	if (!read_memory(rtl8168, ring + index * DESCRIPTOR_BYTES, raw, sizeof(raw))) {
		return false;
	}
	descriptor->opts1 = ldl_le_p(raw);
	descriptor->opts2 = ldl_le_p(raw + 4);
	descriptor->buffer = ldq_le_p(raw + 8);
	return true;
}

static unsigned next_index(unsigned index, uint32_t opts1)
{
	return opts1 & RingEnd || index + 1 == DESCRIPTORS_MAX ? 0 : index + 1;
}

void rtl8168_rings_reset(struct rtl8168 *rtl8168)
{
	wire_drop(&rtl8168->wire);
	rtl8168->packet.count = 0;
	rtl8168->tx_index = 0;
	rtl8168->rx_index = 0;
}

/* ---- send ---- */

/* Hands the packet's descriptors back to the driver, and goes on behind them. */
static void give_back(struct rtl8168 *rtl8168)
{
	const uint64_t ring = ring_address(rtl8168, TxDescStartAddrLow);
	struct rtl8168_packet *packet = &rtl8168->packet;
	unsigned index = packet->first;
	struct descriptor descriptor;

	for (; packet->count; packet->count--) {
		uint8_t opts1[4];

		if (!read_descriptor(rtl8168, ring, index, &descriptor)) {
			break;
		}
		stl_le_p(opts1, descriptor.opts1 & ~DescOwn);
		write_memory(rtl8168, ring + index * DESCRIPTOR_BYTES, opts1, sizeof(opts1));
		index = next_index(index, descriptor.opts1);
	}
	packet->count = 0;
	rtl8168->tx_index = index;
}

static bool add_fragment(struct rtl8168 *rtl8168, const struct descriptor *descriptor)
{
	struct rtl8168_packet *packet = &rtl8168->packet;
	const unsigned bytes = descriptor->opts1 & 0xffff;

	if (packet->bytes + bytes > sizeof(packet->data)) {
		rtl8168_guest_error(rtl8168, "a packet of more than %zu bytes to send", sizeof(packet->data));
		return false;
	}
	if (!read_memory(rtl8168, descriptor->buffer, packet->data + packet->bytes, bytes)) {
		return false;
	}
	packet->bytes += bytes;
	return true;
}

/* What the first descriptor asks for. */
static void read_orders(struct rtl8168 *rtl8168, const struct descriptor *first)
{
	struct rtl8168_packet *packet = &rtl8168->packet;
	const bool is_old = rtl8168->version->old_offloads;
	const bool cut = first->opts1 & (is_old ? TD_LSO : TD1_GTSEN);
	const bool fill = is_old ? first->opts1 & TD0_CHECKSUMS : first->opts2 & TD1_CHECKSUMS;
	const uint32_t mss = is_old ? first->opts1 >> TD0_MSS_SHIFT : first->opts2 >> TD1_MSS_SHIFT;

	packet->tag = first->opts2 & TxVlanTag ? first->opts2 & 0xffff : NO_TAG;
	packet->mss = 0;
	packet->segment = 0;
	packet->segments = 1;
	packet->frame_bytes = 0;
	if (!(cut || fill)) {
		return;
	}
	if (!offload_find(packet->data, packet->bytes, &packet->place)) {
		rtl8168_guest_error(rtl8168, "checksums are asked for in what is no IP packet");
		return;
	}
	if (!cut) {
		offload_network_fill(packet->data, &packet->place);
		offload_transport_fill(packet->data, &packet->place);
		return;
	}
	packet->segments = offload_segments(packet->data, &packet->place, mss & TD_MSS_MAX);
	packet->mss = mss & TD_MSS_MAX;
	if (packet->segments == 0) {
		rtl8168_guest_error(rtl8168, "no TCP packet to cut, or into no bytes");
		packet->mss = 0;
		packet->segments = 1;
	}
}

/* The next packet of the ring. False: there is none that is whole. */
static bool take_packet(struct rtl8168 *rtl8168)
{
	const uint64_t ring = ring_address(rtl8168, TxDescStartAddrLow);
	struct rtl8168_packet *packet = &rtl8168->packet;
	unsigned index = rtl8168->tx_index, count = 0;
	struct descriptor descriptor, first = { 0 };
	bool good = true;

	packet->bytes = 0;
	do {
		if (!read_descriptor(rtl8168, ring, index, &descriptor)) {
			return false;
		}
		if (!(descriptor.opts1 & DescOwn) || count == FRAGMENTS_MAX) {
			if (count) {
				rtl8168_guest_error(rtl8168, "a packet without a last fragment in %u descriptors",
						    count);
			}
			return false;
		}
		if (count == 0) {
			first = descriptor;
		}
		good = good && add_fragment(rtl8168, &descriptor);
		index = next_index(index, descriptor.opts1);
		count++;
	} while (!(descriptor.opts1 & LastFrag));

	packet->first = rtl8168->tx_index;
	packet->count = count;
	if (!(first.opts1 & FirstFrag)) {
		rtl8168_guest_error(rtl8168, "a packet without a first fragment");
		good = false;
	}
	if (good) {
		read_orders(rtl8168, &first);
	} else {
		packet->segments = 0;
		packet->segment = 0;
	}
	return true;
}

static unsigned insert_tag(uint8_t *frame, unsigned bytes, unsigned tag)
{
	memmove(frame + ADDRESSES_BYTES + TAG_BYTES, frame + ADDRESSES_BYTES, bytes - ADDRESSES_BYTES);
	stw_be_p(frame + ADDRESSES_BYTES, 0x8100);
	stw_le_p(frame + ADDRESSES_BYTES + 2, tag);
	return bytes + TAG_BYTES;
}

/* Puts the next frame of the packet onto the wire. */
static void send_segment(struct rtl8168 *rtl8168)
{
	struct rtl8168_packet *packet = &rtl8168->packet;
	uint8_t *frame = wire_buffer(&rtl8168->wire);
	unsigned bytes = packet->bytes;

	if (packet->mss) {
		bytes = offload_segment(packet->data, &packet->place, packet->mss, packet->segment, frame);
	} else if (bytes + TAG_BYTES <= WIRE_FRAME_BYTES_MAX) {
		memcpy(frame, packet->data, bytes);
	} else {
		rtl8168_guest_error(rtl8168, "a frame of %u bytes to send", bytes);
		bytes = 0;
	}
	packet->segment++;
	if (packet->tag != NO_TAG && bytes >= ADDRESSES_BYTES) {
		bytes = insert_tag(frame, bytes, packet->tag);
	}
	wire_send(&rtl8168->wire, 0, bytes);
}

void rtl8168_transmit(struct rtl8168 *rtl8168)
{
	struct rtl8168_packet *packet = &rtl8168->packet;

	while (wire_is_free(&rtl8168->wire) && rtl8168->registers[ChipCmd] & CmdTxEnb) {
		if (packet->count == 0 && !take_packet(rtl8168)) {
			return;
		}
		if (packet->segment == packet->segments) {
			give_back(rtl8168);
			continue;
		}
		send_segment(rtl8168);
	}
}

void rtl8168_sent(void *device, unsigned queue, unsigned frame_bytes)
{
	struct rtl8168 *rtl8168 = device;
	struct rtl8168_packet *packet = &rtl8168->packet;

	rtl8168->counters.tx_packets++;
	if (packet->segment == 1) {
		packet->frame_bytes = frame_bytes;
	}
	if (packet->segment == packet->segments) {
		give_back(rtl8168);
		moderated_frame_sent(&rtl8168->moderated, queue, packet->frame_bytes, 0);
	}
	rtl8168_transmit(rtl8168);
}

/* ---- receive ---- */

/* From the RTL8168 on, the eight bytes of the filter lie the other way round. */
static bool hash_matches(const struct rtl8168 *rtl8168, const uint8_t *address)
{
	const unsigned bit = net_crc32(address, ETH_ALEN) >> 26;
	const unsigned byte = rtl8168->version->family == CHIP_RTL8168 ? 7 - bit / 8 : bit / 8;

	return rtl8168->registers[MAR0 + byte] >> bit % 8 & 1;
}

/* Why the filter lets the frame in, as a bit of its descriptor; and whether it does. */
static bool accepts(struct rtl8168 *rtl8168, const uint8_t *frame, uint32_t *reason)
{
	static const uint8_t broadcast[ETH_ALEN] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	const uint32_t accept = rtl8168_get(rtl8168, RxConfig, 4);

	if (memcmp(frame, broadcast, ETH_ALEN) == 0) {
		*reason = RX_BROADCAST;
		return accept & (AcceptBroadcast | AcceptAllPhys);
	}
	if (frame[0] & 1) {
		*reason = RX_MULTICAST;
		return accept & AcceptAllPhys || (accept & AcceptMulticast && hash_matches(rtl8168, frame));
	}
	const bool is_mine = memcmp(frame, rtl8168->registers + MAC0, ETH_ALEN) == 0;

	*reason = is_mine ? RX_PHYSICAL : 0;
	return accept & AcceptAllPhys || (is_mine && accept & AcceptMyPhys);
}

static uint32_t checksum_status(const uint8_t *frame, unsigned bytes)
{
	struct offload_place place;

	if (!offload_find(frame, bytes, &place)) {
		return 0;
	}
	const uint32_t network = offload_network_right(frame, &place) ? 0 : IPFail;
	const bool right = offload_transport_right(frame, &place);

	switch (place.protocol) {
	case OFFLOAD_TCP:
		return PID0 | network | (right ? 0 : TCPFail);
	case OFFLOAD_UDP:
		return PID1 | network | (right ? 0 : UDPFail);
	default:
		return PID0 | PID1 | network;
	}
}

/* A frame on its way into memory. */
struct arrival {
	uint8_t data[WIRE_FRAME_BYTES_MAX + FCS_BYTES];
	unsigned bytes; /* with FCS */
	uint32_t opts1, opts2;
};

/* How many descriptors the frame takes; 0 if the driver has not left enough. */
static unsigned count_buffers(struct rtl8168 *rtl8168, uint64_t ring, unsigned bytes)
{
	unsigned index = rtl8168->rx_index, count = 0, room = 0;
	struct descriptor descriptor;

	while (room < bytes) {
		if (count == FRAGMENTS_MAX || !read_descriptor(rtl8168, ring, index, &descriptor) ||
		    !(descriptor.opts1 & DescOwn)) {
			return 0;
		}
		if ((descriptor.opts1 & RX_SIZE) == 0) {
			rtl8168_guest_error(rtl8168, "receive descriptor %u is of no bytes", index);
		}
		room += descriptor.opts1 & RX_SIZE;
		index = next_index(index, descriptor.opts1);
		count++;
	}
	return count;
}

static void fill_buffer(struct rtl8168 *rtl8168, uint64_t ring, const struct arrival *arrival, unsigned *done)
{
	const unsigned index = rtl8168->rx_index;
	struct descriptor descriptor;
	uint8_t status[8];

	if (!read_descriptor(rtl8168, ring, index, &descriptor)) {
		return;
	}
	const unsigned bytes = MIN(descriptor.opts1 & RX_SIZE, arrival->bytes - *done);
	const uint32_t first = *done == 0 ? FirstFrag : 0;
	const bool is_last = *done + bytes == arrival->bytes;

	write_memory(rtl8168, descriptor.buffer, arrival->data + *done, bytes);
	*done += bytes;
	stl_le_p(status, (descriptor.opts1 & RingEnd) | first | (is_last ? LastFrag : 0) | arrival->opts1 |
				 (is_last ? arrival->bytes : bytes));
	stl_le_p(status + 4, arrival->opts2);
	write_memory(rtl8168, ring + index * DESCRIPTOR_BYTES, status, sizeof(status));
	rtl8168->rx_index = next_index(index, descriptor.opts1);
}

static bool store(struct rtl8168 *rtl8168, const struct arrival *arrival)
{
	const uint64_t ring = ring_address(rtl8168, RxDescAddrLow);
	unsigned count = count_buffers(rtl8168, ring, arrival->bytes), done = 0;

	if (count == 0) {
		return false;
	}
	while (count--) {
		fill_buffer(rtl8168, ring, arrival, &done);
	}
	return true;
}

static void prepare(struct rtl8168 *rtl8168, struct arrival *arrival, const uint8_t *frame, unsigned bytes)
{
	const uint32_t command = moderated_read(&rtl8168->moderated, CPlusCmd);

	memcpy(arrival->data, frame, bytes);
	if (bytes < SHORTEST_BYTES) {
		memset(arrival->data + bytes, 0, SHORTEST_BYTES - bytes);
		bytes = SHORTEST_BYTES;
	}
	stl_le_p(arrival->data + bytes, net_crc32_le(arrival->data, (int)bytes));
	arrival->bytes = bytes + FCS_BYTES;
	arrival->opts2 = 0;
	if (command & RxChkSum) {
		arrival->opts1 |= checksum_status(arrival->data, bytes);
	}
	if (command & RxVlan && lduw_be_p(arrival->data + ADDRESSES_BYTES) == 0x8100) {
		arrival->opts2 = RxVlanTag | lduw_le_p(arrival->data + ADDRESSES_BYTES + 2);
		arrival->bytes -= TAG_BYTES;
		memmove(arrival->data + ADDRESSES_BYTES, arrival->data + ADDRESSES_BYTES + TAG_BYTES,
			arrival->bytes - ADDRESSES_BYTES);
	}
}

static void count_received(struct rtl8168_counters *counters, uint32_t reason)
{
	counters->rx_packets++;
	counters->rx_broadcast += reason == RX_BROADCAST;
	counters->rx_multicast += reason == RX_MULTICAST;
	counters->rx_unicast += reason == RX_PHYSICAL;
}

static bool receives(const struct rtl8168 *rtl8168, size_t bytes)
{
	return rtl8168->registers[ChipCmd] & CmdRxEnb && !(rtl8168_get(rtl8168, MISC, 4) & RXDV_GATED_EN) &&
	       rtl8168->link.speed_mbps && bytes >= ADDRESSES_BYTES + 2 && bytes <= WIRE_FRAME_BYTES_MAX &&
	       bytes + FCS_BYTES <= rtl8168_get(rtl8168, RxMaxSize, 2);
}

/* Takes every frame: one that it does not want, or has no room for, is gone, as on a wire. */
ssize_t rtl8168_receive(NetClientState *client, const uint8_t *frame, size_t bytes)
{
	struct rtl8168 *rtl8168 = qemu_get_nic_opaque(client);
	static struct arrival arrival;

	if (!receives(rtl8168, bytes) || !accepts(rtl8168, frame, &arrival.opts1)) {
		return (ssize_t)bytes;
	}
	const unsigned frame_bytes = MAX((unsigned)bytes, SHORTEST_BYTES) + FCS_BYTES;
	const uint32_t reason = arrival.opts1;

	prepare(rtl8168, &arrival, frame, (unsigned)bytes);
	if (store(rtl8168, &arrival)) {
		count_received(&rtl8168->counters, reason);
		moderated_frame_received(&rtl8168->moderated, 0, frame_bytes, 0);
	} else {
		rtl8168->counters.rx_missed++;
		moderated_frame_missed(&rtl8168->moderated, 0, frame_bytes);
	}
	return (ssize_t)bytes;
}
