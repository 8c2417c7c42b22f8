/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ICMP and ICMPv6 echo as bytes (RFC 792, RFC 4443): requests are built, replies recognised. No clock, no socket.
 *
 * A payload holds, as far as it is long enough: the session's token (8 bytes), the request's number (8 bytes), then a
 * pattern that follows from the token. So a reply whose payload is not what was sent is found, and a number is whole
 * although the header has room for 16 bits of it only.
 */
#ifndef HOLDOFF_LIVE_ECHO_H
#define HOLDOFF_LIVE_ECHO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ECHO_HEADER_BYTES 8
#define ECHO_PAYLOAD_MAX 65507 /* what an IPv4 packet has room for */
#define ECHO_SEQUENCES 65536   /* numbers that a header can tell apart */

struct echo {
	bool is_ipv6;
	uint16_t identifier;
	uint64_t token;
	uint8_t packet[ECHO_HEADER_BYTES +
		       ECHO_PAYLOAD_MAX]; /* the next request; behind the numbers always the pattern */
};

void echo_init(struct echo *echo, bool is_ipv6, uint16_t identifier, uint64_t token);

/*
 * Builds request `sequence` (from 1) in echo->packet, with its checksum for IPv4 (the kernel makes that of IPv6), and
 * returns its length. payload_bytes: at most ECHO_PAYLOAD_MAX.
 */
size_t echo_request(struct echo *echo, uint64_t sequence, unsigned payload_bytes);

enum echo_match {
	ECHO_FOREIGN, /* no echo reply, or to somebody else's request */
	ECHO_DAMAGED, /* ours by its identifier, but not what was sent */
	ECHO_INTACT
};

struct echo_reply {
	uint64_t sequence; /* of the request; 0: none that was sent */
	unsigned payload_bytes;
};

/*
 * What a received message is; it begins with the ICMP header. highest: number of the last request. A number that the
 * header alone has to tell is that of the last request with these 16 bits.
 */
enum echo_match echo_match(const struct echo *echo, const uint8_t *message, size_t bytes, uint64_t highest,
			   struct echo_reply *reply);

/* Length of the IPv4 header that a raw socket puts before the message; 0 when these bytes are no IPv4 packet. */
size_t echo_ip_header_bytes(const uint8_t *packet, size_t bytes);

/* Of a request, or its beginning, that an ICMP error quotes: whether it is ours, and its number. */
bool echo_match_quoted(const struct echo *echo, const uint8_t *message, size_t bytes, uint64_t highest,
		       uint64_t *sequence);

/* Bytes from destination address to FCS of the Ethernet frame, without tags, that carries this payload: at least 64. */
unsigned echo_frame_bytes(bool is_ipv6, unsigned payload_bytes);
/* The largest payload that is not fragmented with this MTU (68 and more); 0 when there is none. */
unsigned echo_largest_payload(bool is_ipv6, unsigned mtu);

#endif
