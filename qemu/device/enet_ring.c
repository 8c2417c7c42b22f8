/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"

#include "device/enet_ring.h"

#include "exec/address-spaces.h"
#include "qemu/bswap.h"
#include "sysemu/dma.h"

#include "device/enet_regs.h"

#define SHORT_BYTES 8
#define LONG_BYTES 32
#define FRAGMENTS_MAX 256 /* a ring of software's may be a circle without end */

struct descriptor {
	uint32_t address;
	uint16_t length, flags;
	uint32_t data;
	uint32_t extra; /* of the longer form */
};

static struct descriptor read_descriptor(const struct enet_ring *ring, uint32_t address)
{
	uint8_t bytes[12];

	dma_memory_read(&address_space_memory, address, bytes, ring->is_long ? 12 : SHORT_BYTES,
			MEMTXATTRS_UNSPECIFIED);
	return (struct descriptor){
		.address = address,
		.length = lduw_le_p(bytes),
		.flags = lduw_le_p(bytes + 2),
		.data = (uint32_t)ldl_le_p(bytes + 4),
		.extra = ring->is_long ? (uint32_t)ldl_le_p(bytes + 8) : 0,
	};
}

/* What belongs to software again. */
static void write_descriptor(const struct enet_ring *ring, const struct descriptor *descriptor)
{
	uint8_t bytes[4];

	if (ring->is_long) {
		stl_le_p(bytes, 0);
		dma_memory_write(&address_space_memory, descriptor->address + 8, bytes, 4, MEMTXATTRS_UNSPECIFIED);
		stl_le_p(bytes, BD_LONG_DONE);
		dma_memory_write(&address_space_memory, descriptor->address + 16, bytes, 4, MEMTXATTRS_UNSPECIFIED);
	}
	stw_le_p(bytes, descriptor->length);
	stw_le_p(bytes + 2, descriptor->flags);
	dma_memory_write(&address_space_memory, descriptor->address, bytes, 4, MEMTXATTRS_UNSPECIFIED);
}

static uint32_t after(const struct enet_ring *ring, const struct descriptor *descriptor)
{
	return descriptor->flags & BD_WRAP ? ring->first
					   : descriptor->address + (ring->is_long ? LONG_BYTES : SHORT_BYTES);
}

void enet_ring_place(struct enet_ring *ring, uint32_t address, bool is_long)
{
	*ring = (struct enet_ring){ .first = address, .next = address, .is_long = is_long };
}

unsigned enet_ring_take(const struct enet_ring *ring, uint8_t *buffer, unsigned size, uint32_t *checksums)
{
	uint32_t address = ring->next;
	unsigned bytes = 0;

	for (unsigned i = 0; i < FRAGMENTS_MAX; i++) {
		const struct descriptor descriptor = read_descriptor(ring, address);

		if (!(descriptor.flags & BD_READY) || descriptor.length > size - bytes) {
			return 0;
		}
		dma_memory_read(&address_space_memory, descriptor.data, buffer + bytes, descriptor.length,
				MEMTXATTRS_UNSPECIFIED);
		bytes += descriptor.length;
		if (descriptor.flags & BD_LAST) {
			*checksums = descriptor.extra & (BD_LONG_PINS | BD_LONG_IINS);
			return bytes;
		}
		address = after(ring, &descriptor);
	}
	return 0;
}

void enet_ring_give_back(struct enet_ring *ring)
{
	for (unsigned i = 0; i < FRAGMENTS_MAX; i++) {
		struct descriptor descriptor = read_descriptor(ring, ring->next);

		if (!(descriptor.flags & BD_READY)) {
			return;
		}
		ring->next = after(ring, &descriptor);
		descriptor.flags &= (uint16_t)~BD_READY;
		write_descriptor(ring, &descriptor);
		if (descriptor.flags & BD_LAST) {
			return;
		}
	}
}

static bool has_room(const struct enet_ring *ring, unsigned descriptors)
{
	uint32_t address = ring->next;

	for (unsigned i = 0; i < descriptors; i++) {
		const struct descriptor descriptor = read_descriptor(ring, address);

		if (!(descriptor.flags & BD_EMPTY)) {
			return false;
		}
		address = after(ring, &descriptor);
		if (address == ring->next) {
			return i + 1 == descriptors;
		}
	}
	return true;
}

bool enet_ring_fill(struct enet_ring *ring, const uint8_t *frame, unsigned frame_bytes, unsigned buffer_bytes,
		    uint16_t flags)
{
	if (buffer_bytes == 0 || !has_room(ring, (frame_bytes + buffer_bytes - 1) / buffer_bytes)) {
		return false;
	}
	for (unsigned done = 0; done < frame_bytes;) {
		struct descriptor descriptor = read_descriptor(ring, ring->next);
		const unsigned part = MIN(frame_bytes - done, buffer_bytes);

		dma_memory_write(&address_space_memory, descriptor.data, frame + done, part, MEMTXATTRS_UNSPECIFIED);
		done += part;
		ring->next = after(ring, &descriptor);
		descriptor.flags &= BD_WRAP;
		if (done == frame_bytes) {
			descriptor.flags |= BD_LAST | flags;
		}
		/* The last one tells the whole length. */
		descriptor.length = (uint16_t)(done == frame_bytes ? frame_bytes : part);
		write_descriptor(ring, &descriptor);
	}
	return true;
}
