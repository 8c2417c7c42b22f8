/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"

#include "device/tsnep_queues.h"

#include "device/log.h"
#include "device/tsnep_regs.h"

#define FCS_BYTES 4u
#define SHORTEST_BYTES 60u /* without FCS */
#define FRAMES_AT_ONCE_MAX 4096

static_assert(TSNEP_BUFFER_MAX <= WIRE_FRAME_BYTES_MAX, "what a ring gives fits on the wire");

uint64_t tsnep_counter(void)
{
	return (uint64_t)moderated_now_ns();
}

uint64_t tsnep_system_time(const struct tsnep_queues *queues)
{
	return (uint64_t)(moderated_now_ns() + queues->time_offset_ns);
}

/* ---- sending ---- */

static void start_sending(struct tsnep_queues *queues);

static void frame_sent(void *device, unsigned queue, unsigned frame_bytes)
{
	struct tsnep_queues *queues = device;
	const struct tsnep_pair *pair = &queues->pairs[queue];

	tsnep_ring_acknowledge(queues->pci, pair->sent_descriptor, pair->sent_properties, tsnep_counter(),
			       tsnep_system_time(queues));
	if (pair->sent_properties & TSNEP_DESC_INTERRUPT_FLAG) {
		moderated_frame_sent(queues->moderated, queue, frame_bytes, CHIP_FRAME_INTERRUPT);
	}
	start_sending(queues);
}

/* The next frame out of a ring: its length, or 0; the ring is then off. */
static unsigned take(struct tsnep_queues *queues, unsigned queue, uint8_t *buffer)
{
	struct tsnep_pair *pair = &queues->pairs[queue];

	if (!pair->tx.is_on) {
		return 0;
	}
	const unsigned bytes =
		tsnep_ring_take(&pair->tx, queues->pci, buffer, &pair->sent_descriptor, &pair->sent_properties);

	if (!pair->tx.is_on) {
		log_event(queues->moderated->name, "guest-error descriptors of queue %u are no frame", queue);
	}
	pair->tx.is_on = bytes > 0;
	return bytes;
}

static bool send_of(struct tsnep_queues *queues, unsigned queue)
{
	const bool has_link = wire_is_free(&queues->wire);
	const unsigned bytes = take(queues, queue, has_link ? wire_buffer(&queues->wire) : queues->frame);

	if (bytes == 0) {
		return false;
	}
	queues->turn = queue;
	if (has_link) {
		wire_send(&queues->wire, queue, bytes);
	} else {
		frame_sent(queues, queue, bytes + FCS_BYTES);
	}
	return true;
}

static bool send_of_next(struct tsnep_queues *queues)
{
	for (unsigned i = 1; i <= queues->count; i++) {
		if (send_of(queues, (queues->turn + i) % queues->count)) {
			return true;
		}
	}
	return false;
}

/* To lose frames takes no time, and must not go on for ever: a ring may be a circle. */
static void start_sending(struct tsnep_queues *queues)
{
	if (queues->is_starting) {
		return;
	}
	queues->is_starting = true;
	for (unsigned i = 0; i < FRAMES_AT_ONCE_MAX && !queues->wire.busy && send_of_next(queues); i++) {
	}
	queues->is_starting = false;
}

/* ---- receiving ---- */

static void count(uint8_t *counter)
{
	*counter += *counter < UINT8_MAX;
}

static enum tsnep_fill fill(struct tsnep_queues *queues, struct tsnep_pair *pair, unsigned frame_bytes,
			    uint32_t *properties)
{
	if (!pair->rx.is_on) {
		return TSNEP_NO_DESCRIPTOR;
	}
	return tsnep_ring_fill(&pair->rx, queues->pci, queues->frame, frame_bytes, tsnep_counter(),
			       tsnep_system_time(queues), properties);
}

/* The FCS is written as 0: nobody looks at it. */
void tsnep_queues_receive(struct tsnep_queues *queues, unsigned queue, const uint8_t *frame, unsigned bytes)
{
	struct tsnep_pair *pair = &queues->pairs[queue];
	const unsigned frame_bytes = MAX(bytes, SHORTEST_BYTES) + FCS_BYTES;
	uint32_t properties = 0;

	memcpy(queues->frame, frame, bytes);
	memset(queues->frame + bytes, 0, frame_bytes - bytes);
	switch (fill(queues, pair, frame_bytes, &properties)) {
	case TSNEP_FILLED:
		if (properties & TSNEP_DESC_INTERRUPT_FLAG) {
			moderated_frame_received(queues->moderated, queue, frame_bytes, CHIP_FRAME_INTERRUPT);
		}
		return;
	case TSNEP_NO_DESCRIPTOR:
		count(&pair->no_descriptor);
		break;
	case TSNEP_TOO_SMALL:
		count(&pair->too_small);
		break;
	}
	log_event(queues->moderated->name, "missed %u", frame_bytes);
}

/* ---- registers ---- */

uint32_t tsnep_queues_read(const struct tsnep_queues *queues, unsigned queue, uint32_t offset)
{
	const struct tsnep_pair *pair = &queues->pairs[queue];

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

void tsnep_queues_write(struct tsnep_queues *queues, unsigned queue, uint32_t offset, uint32_t value)
{
	struct tsnep_pair *pair = &queues->pairs[queue];

	switch (offset) {
	case TSNEP_CONTROL:
		pair->rx.is_on = (pair->rx.is_on || value & TSNEP_CONTROL_RX_ENABLE) &&
				 !(value & TSNEP_CONTROL_RX_DISABLE);
		pair->tx.is_on = pair->tx.is_on || value & TSNEP_CONTROL_TX_ENABLE;
		start_sending(queues);
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

/* ---- the whole ---- */

void tsnep_queues_set_speed(struct tsnep_queues *queues, unsigned speed_mbps)
{
	wire_set_speed(&queues->wire, speed_mbps);
	start_sending(queues);
}

void tsnep_queues_reset(struct tsnep_queues *queues)
{
	wire_drop(&queues->wire);
	memset(queues->pairs, 0, sizeof(queues->pairs));
	queues->time_offset_ns = 0;
}

void tsnep_queues_init(struct tsnep_queues *queues, PCIDevice *pci, NetClientState *client, struct moderated *moderated,
		       unsigned count)
{
	queues->pci = pci;
	queues->moderated = moderated;
	queues->count = count;
	queues->turn = 0;
	queues->is_starting = false;
	wire_init(&queues->wire, client, frame_sent, queues);
	tsnep_queues_reset(queues);
}

void tsnep_queues_stop(struct tsnep_queues *queues)
{
	wire_stop(&queues->wire);
}
