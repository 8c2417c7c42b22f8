/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"

#include "device/tsnep_ring.h"

#include "device/tsnep_regs.h"

#define SOFTWARE_HALF 128
#define INLINE_DATA 24 /* in that half, in place of an address */
#define FRAGMENTS_MAX 64

struct descriptor {
	uint32_t properties, more_properties;
	uint64_t next, data;
};

void tsnep_ring_place(struct tsnep_ring *ring, uint64_t address)
{
	ring->address = address & ~UINT64_C(0xff);
	if (address & TSNEP_RESET_OWNER_COUNTER) {
		ring->owner = 1;
	}
}

static unsigned successor(unsigned owner)
{
	return owner == 3 ? 1 : owner + 1;
}

/* Reads the next descriptor: false if it is not the device's. */
static bool next_descriptor(struct tsnep_ring *ring, PCIDevice *pci, struct descriptor *descriptor)
{
	uint32_t words[8];

	pci_dma_read(pci, ring->address + SOFTWARE_HALF, words, sizeof(words));
	const unsigned owner = le32_to_cpu(words[0]) >> TSNEP_DESC_OWNER_COUNTER_SHIFT;

	if (owner != ring->owner && owner != successor(ring->owner)) {
		return false;
	}
	ring->owner = owner;
	descriptor->properties = le32_to_cpu(words[0]);
	descriptor->more_properties = le32_to_cpu(words[1]);
	descriptor->next = le32_to_cpu(words[4]) | (uint64_t)le32_to_cpu(words[5]) << 32;
	descriptor->data = le32_to_cpu(words[6]) | (uint64_t)le32_to_cpu(words[7]) << 32;
	return true;
}

/* Software writes the fragments of a frame one after the other, and this may come in between: then nothing is taken. */
unsigned tsnep_ring_take(struct tsnep_ring *ring, PCIDevice *pci, uint8_t *buffer, uint64_t *acknowledge,
			 uint32_t *properties)
{
	struct tsnep_ring at = *ring;
	struct descriptor descriptor;
	unsigned bytes = 0, fragments = 0;

	do {
		if (!next_descriptor(&at, pci, &descriptor)) {
			return 0;
		}
		const bool is_inline = descriptor.properties & TSNEP_TX_DESC_DATA_AFTER_DESC_FLAG;
		const unsigned length = descriptor.more_properties & TSNEP_DESC_LENGTH_MASK;

		if (fragments == 0) {
			*properties = descriptor.properties;
		}
		if (bytes + length > TSNEP_BUFFER_MAX || ++fragments > FRAGMENTS_MAX) {
			ring->is_on = false;
			return 0;
		}
		pci_dma_read(pci, is_inline ? at.address + SOFTWARE_HALF + INLINE_DATA : descriptor.data,
			     buffer + bytes, length);
		bytes += length;
		at.address = descriptor.next;
	} while (!(descriptor.properties & TSNEP_TX_DESC_LAST_FRAGMENT_FLAG));
	*acknowledge = ring->address;
	*ring = at;
	return bytes;
}

static void put_time(uint32_t *words, uint64_t counter, uint64_t timestamp)
{
	words[0] = cpu_to_le32((uint32_t)counter);
	words[1] = cpu_to_le32((uint32_t)(counter >> 32));
	words[2] = cpu_to_le32((uint32_t)timestamp);
	words[3] = cpu_to_le32((uint32_t)(timestamp >> 32));
}

void tsnep_ring_acknowledge(PCIDevice *pci, uint64_t address, uint32_t properties, uint64_t counter, uint64_t timestamp)
{
	uint32_t times[4];
	const uint32_t word = cpu_to_le32(properties & (TSNEP_TX_DESC_OWNER_MASK | TSNEP_DESC_EXTENDED_WRITEBACK_FLAG));

	if (properties & TSNEP_DESC_EXTENDED_WRITEBACK_FLAG) {
		put_time(times, counter, timestamp);
		pci_dma_write(pci, address + 8, times, sizeof(times));
	}
	pci_dma_write(pci, address, &word, sizeof(word));
}

enum tsnep_fill tsnep_ring_fill(struct tsnep_ring *ring, PCIDevice *pci, const uint8_t *frame, unsigned frame_bytes,
				uint64_t counter, uint64_t timestamp, uint32_t *properties)
{
	struct descriptor descriptor;
	uint32_t times[4];

	if (!next_descriptor(ring, pci, &descriptor)) {
		return TSNEP_NO_DESCRIPTOR;
	}
	if (sizeof(times) + frame_bytes > (descriptor.properties & TSNEP_RX_DESC_BUFFER_SIZE_MASK)) {
		return TSNEP_TOO_SMALL;
	}
	put_time(times, counter, timestamp);
	pci_dma_write(pci, descriptor.data, times, sizeof(times));
	pci_dma_write(pci, descriptor.data + sizeof(times), frame, frame_bytes);
	const uint32_t word = cpu_to_le32((descriptor.properties & TSNEP_DESC_OWNER_COUNTER_MASK) |
					  (uint32_t)(sizeof(times) + frame_bytes));

	pci_dma_write(pci, ring->address, &word, sizeof(word));
	ring->address = descriptor.next;
	*properties = descriptor.properties;
	return TSNEP_FILLED;
}
