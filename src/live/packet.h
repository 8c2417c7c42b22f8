/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What live traffic carries: 18 bytes, so that a UDP datagram of them is a frame of 64, and behind them bytes that both
 * ends know. Big-endian:
 *
 *	0  token     8   of the end that it goes to, random; what has another one is somebody else's
 *	8  sequence  4   from 0, per kind
 *	12 stamp     4   the sender's CLOCK_MONOTONIC before the sending call, the low 32 bits of it in ns
 *	16 mark      2   kind in the upper 4 bits, a checksum over the rest of the header and the length in the lower 12
 *	18 body          pseudo-random bytes that follow from the token
 *
 * Pure: bytes in, verdict out. Whatever comes from the network may be handed to packet_read.
 */
#ifndef HOLDOFF_LIVE_PACKET_H
#define HOLDOFF_LIVE_PACKET_H

#include <stddef.h>
#include <stdint.h>

#define PACKET_HEADER_BYTES 18
#define PACKET_BYTES_MAX 9000

enum packet_kind {
	PACKET_DATA, /* one way, at a rate */
	PACKET_ASK, /* sequence and stamp are the lower and upper half of how many PACKET_DATA may have been sent in all */
	PACKET_REQUEST, /* to be returned as PACKET_REPLY of the same length, with sequence and stamp as they are */
	PACKET_REPLY,
	PACKET_BLOCK,  /* of a file; sequence is its number, from 0 */
	PACKET_ACK,    /* sequence is the number of the block that is wanted next */
	PACKET_STREAM, /* the first bytes of a TCP connection; sequence is the way of its data */
	PACKET_KINDS
};

struct packet {
	enum packet_kind kind;
	uint32_t sequence;
	uint32_t stamp_ns;
};

/* What all packets for one end have in common. */
struct packet_form {
	uint64_t token;
	uint8_t body[PACKET_BYTES_MAX];
};

enum packet_verdict {
	PACKET_FINE,
	PACKET_FOREIGN, /* too short to be one of ours, or with another token */
	PACKET_CORRUPT, /* has the token, but mark, length or body are wrong */
};

void packet_form_init(struct packet_form *form, uint64_t token);

/* A whole packet of size bytes, PACKET_HEADER_BYTES .. PACKET_BYTES_MAX. */
void packet_write(const struct packet_form *form, const struct packet *packet, uint8_t *bytes, size_t size);
/* The header alone, into a packet that has been written before with the same size. */
void packet_rewrite(const struct packet_form *form, const struct packet *packet, uint8_t *bytes, size_t size);

/* packet is written only when the verdict is PACKET_FINE. */
enum packet_verdict packet_read(const struct packet_form *form, const uint8_t *bytes, size_t size,
				struct packet *packet);

/* The 64-bit sequence nearest to `near` that has these lower 32 bits. */
uint64_t packet_extend(uint32_t sequence, uint64_t near);

#endif
