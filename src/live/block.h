/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files in blocks, as TFTP has them (RFC 1350): a datagram of blksize and 4 bytes, but the last; what our packets put into
 * the first 18 of them stands for opcode, number and data, so that frames are as long as TFTP's. An acknowledgement is a frame of
 * 64 bytes either way. Pure.
 */
#ifndef HOLDOFF_LIVE_BLOCK_H
#define HOLDOFF_LIVE_BLOCK_H

#include <stdint.h>

#include "live/packet.h"
#include "workload/workload.h"

#define BLOCK_HEADER_BYTES 4

/* UINT64_MAX for a file without an end. As in TFTP, a file that fills its last block is ended by an empty one. */
static inline uint64_t block_count(const struct workload *workload)
{
	return workload->total_bytes ? workload->total_bytes / workload->size + 1 : UINT64_MAX;
}

/* Bytes of the file in it. */
static inline uint32_t block_data(const struct workload *workload, uint64_t number)
{
	return number + 1 < block_count(workload) ? workload->size : (uint32_t)(workload->total_bytes % workload->size);
}

/* Of its datagram. */
static inline uint32_t block_size(const struct workload *workload, uint64_t number)
{
	const uint32_t size = block_data(workload, number) + BLOCK_HEADER_BYTES;

	return size < PACKET_HEADER_BYTES ? PACKET_HEADER_BYTES : size;
}

#endif
