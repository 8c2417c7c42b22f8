/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a NIC computes for its driver: checksums of IP, TCP and UDP, and one large TCP frame cut into many. Bytes in, bytes
 * out. Frames begin with the destination address and end before the FCS; one 802.1Q tag is understood.
 */
#ifndef HOLDOFF_DEVICE_OFFLOAD_H
#define HOLDOFF_DEVICE_OFFLOAD_H

#include <stdbool.h>
#include <stdint.h>

enum { OFFLOAD_TCP = 6, OFFLOAD_UDP = 17 };

/* Where the headers of a frame begin. */
struct offload_place {
	unsigned network, transport;
	unsigned end;     /* of the IP packet, without padding */
	unsigned version; /* 4 or 6 */
	unsigned protocol;
};

/* False: no IP packet that is whole; with fragments and extension headers, protocol is neither TCP nor UDP. */
bool offload_find(const uint8_t *frame, unsigned bytes, struct offload_place *place);

/* Each is right: what does not have one (IPv6 has no header checksum, UDP of IPv4 may have 0) is. */
bool offload_network_right(const uint8_t *frame, const struct offload_place *place);
bool offload_transport_right(const uint8_t *frame, const struct offload_place *place);

/* Written into the frame; nothing is done where there is no such header. */
void offload_network_fill(uint8_t *frame, const struct offload_place *place);
void offload_transport_fill(uint8_t *frame, const struct offload_place *place);

/* Into how many frames of mss bytes of payload a TCP frame is cut; 0 if it cannot be. */
unsigned offload_segments(const uint8_t *frame, const struct offload_place *place, unsigned mss);

/* Segment `index` of them, whole and with its checksums, into out, which holds headers and mss. Returns its length. */
unsigned offload_segment(const uint8_t *frame, const struct offload_place *place, unsigned mss, unsigned index,
			 uint8_t *out);

#endif
