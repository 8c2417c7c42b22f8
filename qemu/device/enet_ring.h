/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A ring of buffer descriptors of the ENET, by DMA. A descriptor is 8 bytes, or 32 where the longer form is on; the last one has
 * the flag BD_WRAP. Whose it is says its flag BD_READY or BD_EMPTY. The bytes are little-endian, as with ECR_DBSWP set,
 * which every driver for a little-endian processor does.
 */
#ifndef HOLDOFF_DEVICE_ENET_RING_H
#define HOLDOFF_DEVICE_ENET_RING_H

#include <stdbool.h>
#include <stdint.h>

struct enet_ring {
	uint32_t first, next; /* addresses */
	bool is_long;
};

/* Begins at the first descriptor. */
void enet_ring_place(struct enet_ring *ring, uint32_t address, bool is_long);

/*
 * Takes a frame out of the descriptors from the next one to one with BD_LAST, without moving on: its length, 0 if software has not
 * given a whole one that fits in size bytes. *checksums has BD_LONG_PINS and BD_LONG_IINS as the last one has them.
 */
unsigned enet_ring_take(const struct enet_ring *ring, uint8_t *buffer, unsigned size, uint32_t *checksums);
/* Gives the descriptors of that frame back: it has left. */
void enet_ring_give_back(struct enet_ring *ring);

/*
 * Puts a frame, with its FCS, into as many descriptors as it needs, each of buffer_bytes; flags is BD_MULTICAST and its like. False
 * if there is no room; then nothing has been given.
 */
bool enet_ring_fill(struct enet_ring *ring, const uint8_t *frame, unsigned frame_bytes, unsigned buffer_bytes,
		    uint16_t flags);

#endif
