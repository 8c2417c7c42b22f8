/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One ring of descriptors of the TSN endpoint, by DMA. A descriptor has 256 bytes: a half that the device writes back, and from
 * byte 128 the half that software writes; each names the address of the next. Layout: Linux tsnep_hw.h.
 *
 * Whose a descriptor is says its owner counter, 1 to 3. Software raises it once in each round, one descriptor
 * earlier each time; that only tells rounds apart if the device takes a descriptor with the counter of the one before or
 * with its successor, and no other. The device's side is not published: this follows from what the driver does.
 */
#ifndef HOLDOFF_DEVICE_TSNEP_RING_H
#define HOLDOFF_DEVICE_TSNEP_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "hw/pci/pci.h"

#define TSNEP_BUFFER_MAX 16384 /* of TSNEP_DESC_LENGTH_MASK */

struct tsnep_ring {
	bool is_on;
	uint64_t address; /* of the descriptor that is next */
	unsigned owner;   /* the counter of the last one */
};

/* What TSNEP_xX_DESC_ADDR says: the first descriptor, and in bit 0 that counting starts anew. */
void tsnep_ring_place(struct tsnep_ring *ring, uint64_t address);

/*
 * Takes a frame out of the descriptors of one frame into buffer (TSNEP_BUFFER_MAX bytes): its length, 0 if software has given none.
 * *acknowledge is then where the first of them is, and *properties what it says. Broken descriptors stop the ring.
 */
unsigned tsnep_ring_take(struct tsnep_ring *ring, PCIDevice *pci, uint8_t *buffer, uint64_t *acknowledge,
			 uint32_t *properties);

/* Tells software that the frame of that descriptor has left at that time. */
void tsnep_ring_acknowledge(PCIDevice *pci, uint64_t address, uint32_t properties, uint64_t counter,
			    uint64_t timestamp);

enum tsnep_fill { TSNEP_FILLED, TSNEP_NO_DESCRIPTOR, TSNEP_TOO_SMALL };

/* Puts a frame, with its FCS, into the next descriptor; *properties is what that says. */
enum tsnep_fill tsnep_ring_fill(struct tsnep_ring *ring, PCIDevice *pci, const uint8_t *frame, unsigned frame_bytes,
				uint64_t counter, uint64_t timestamp, uint32_t *properties);

#endif
