/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pairs of queues of the TSN endpoint, between their rings, the wire and the chip's interrupts. What is not published,
 * and chosen here:
 *  - The pairs send in turn, a frame each.
 *  - A ring that has been used up waits for the next write of TSNEP_CONTROL_TX_ENABLE.
 *  - Without a link frames are lost and count as sent, since the driver waits for that when it closes.
 *  - Address registers take effect with their upper half.
 */
#ifndef HOLDOFF_DEVICE_TSNEP_QUEUES_H
#define HOLDOFF_DEVICE_TSNEP_QUEUES_H

#include "device/moderated.h"
#include "device/tsnep_ring.h"
#include "device/wire.h"

struct tsnep_pair {
	struct tsnep_ring rx, tx;
	uint32_t rx_address_low, tx_address_low;
	uint8_t no_descriptor, too_small; /* frames that were missed; stay at 255 */
	uint64_t sent_descriptor;         /* of the frame on the wire */
	uint32_t sent_properties;
};

struct tsnep_queues {
	PCIDevice *pci;
	struct moderated *moderated;
	struct wire wire;
	unsigned count;
	struct tsnep_pair pairs[CHIP_QUEUES_MAX];
	unsigned turn; /* the pair that sent last */
	bool is_starting;
	int64_t time_offset_ns;                        /* of the system time, against the counter */
	uint8_t frame[TSNEP_BUFFER_MAX + 4 /* FCS */]; /* that is being received, or lost */
};

/* Keeps pci, client and moderated. */
void tsnep_queues_init(struct tsnep_queues *queues, PCIDevice *pci, NetClientState *client, struct moderated *moderated,
		       unsigned count);
void tsnep_queues_stop(struct tsnep_queues *queues);
/* All off; what is on the wire is lost. */
void tsnep_queues_reset(struct tsnep_queues *queues);

/* Of the link; 0: down. */
void tsnep_queues_set_speed(struct tsnep_queues *queues, unsigned speed_mbps);

/* A frame without FCS, of at most TSNEP_BUFFER_MAX bytes, has come for a queue. */
void tsnep_queues_receive(struct tsnep_queues *queues, unsigned queue, const uint8_t *frame, unsigned bytes);

/* Registers from TSNEP_CONTROL to TSNEP_RX_STATISTIC. Those that a pair has not got read 0 and ignore writes. */
uint32_t tsnep_queues_read(const struct tsnep_queues *queues, unsigned queue, uint32_t offset);
void tsnep_queues_write(struct tsnep_queues *queues, unsigned queue, uint32_t offset, uint32_t value);

/* The device's two clocks, in ns. */
uint64_t tsnep_counter(void);
uint64_t tsnep_system_time(const struct tsnep_queues *queues);

#endif
