/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/echo.h"

#include <string.h>

enum { IPV4_REQUEST = 8, IPV4_REPLY = 0, IPV6_REQUEST = 128, IPV6_REPLY = 129 };
enum { TYPE_AT = 0, CODE_AT = 1, CHECKSUM_AT = 2, IDENTIFIER_AT = 4, SEQUENCE_AT = 6 };

/* Of the payload. */
#define TOKEN_BYTES 8
#define NUMBERS_BYTES 16 /* token and sequence */

#define ETHERNET_BYTES 18 /* header and FCS */
#define ETHERNET_MIN 64
#define IPV4_BYTES 20
#define IPV6_BYTES 40

static void put_u16(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static uint16_t get_u16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static void put_u64(uint8_t *at, uint64_t value)
{
	for (int i = 7; i >= 0; i--, value >>= 8) {
		at[i] = (uint8_t)value;
	}
}

static uint64_t get_u64(const uint8_t *at)
{
	uint64_t value = 0;

	for (int i = 0; i < 8; i++) {
		value = value << 8 | at[i];
	}
	return value;
}

/* RFC 1071; 0 over a message with the right checksum in it. */
static uint16_t checksum(const uint8_t *message, size_t bytes)
{
	uint64_t sum = 0;

	for (size_t at = 0; at + 1 < bytes; at += 2) {
		sum += get_u16(message + at);
	}
	if (bytes % 2) {
		sum += (uint64_t)message[bytes - 1] << 8;
	}
	while (sum >> 16) {
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return (uint16_t)~sum;
}

void echo_init(struct echo *echo, bool is_ipv6, uint16_t identifier, uint64_t token)
{
	uint64_t state = token | 1;

	echo->is_ipv6 = is_ipv6;
	echo->identifier = identifier;
	echo->token = token;
	echo->packet[TYPE_AT] = is_ipv6 ? IPV6_REQUEST : IPV4_REQUEST;
	echo->packet[CODE_AT] = 0;
	put_u16(echo->packet + IDENTIFIER_AT, identifier);
	put_u64(echo->packet + ECHO_HEADER_BYTES, token);
	/* Marsaglia's xorshift64: any pattern does in which bytes that are cut, swapped or moved show. */
	for (size_t at = ECHO_HEADER_BYTES + NUMBERS_BYTES; at < sizeof(echo->packet); at++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		echo->packet[at] = (uint8_t)(state >> 32);
	}
}

size_t echo_request(struct echo *echo, uint64_t sequence, unsigned payload_bytes)
{
	const size_t bytes = ECHO_HEADER_BYTES + payload_bytes;

	put_u16(echo->packet + SEQUENCE_AT, (uint16_t)sequence);
	put_u64(echo->packet + ECHO_HEADER_BYTES + TOKEN_BYTES, sequence);
	put_u16(echo->packet + CHECKSUM_AT, 0);
	if (!echo->is_ipv6) {
		put_u16(echo->packet + CHECKSUM_AT, checksum(echo->packet, bytes));
	}
	return bytes;
}

/* The last number up to highest that ends in these 16 bits; 0 when there is none. */
static uint64_t whole_sequence(uint16_t low, uint64_t highest)
{
	const uint64_t sequence = (highest & ~(uint64_t)UINT16_MAX) | low;

	if (sequence <= highest) {
		return sequence;
	}
	return sequence > ECHO_SEQUENCES ? sequence - ECHO_SEQUENCES : 0;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Finds the request's number, in the payload where it is whole, and says whether all is as it was sent. */
static bool is_as_sent(const struct echo *echo, const uint8_t *payload, size_t bytes, uint64_t *sequence)
{
	uint8_t numbers[NUMBERS_BYTES];

	put_u64(numbers, echo->token);
	if (bytes >= NUMBERS_BYTES) {
		const uint64_t carried = get_u64(payload + TOKEN_BYTES);

		/* An earlier one with the same 16 bits, or nonsense. */
		if (carried && carried < *sequence && (uint16_t)carried == (uint16_t)*sequence) {
			*sequence = carried;
		}
	}
	put_u64(numbers + TOKEN_BYTES, *sequence);
	if (memcmp(payload, numbers, smaller(bytes, NUMBERS_BYTES)) != 0) {
		return false;
	}
	return bytes <= NUMBERS_BYTES ||
	       memcmp(payload + NUMBERS_BYTES, echo->packet + ECHO_HEADER_BYTES + NUMBERS_BYTES,
		      bytes - NUMBERS_BYTES) == 0;
}

enum echo_match echo_match(const struct echo *echo, const uint8_t *message, size_t bytes, uint64_t highest,
			   struct echo_reply *reply)
{
	*reply = (struct echo_reply){ 0 };
	if (bytes < ECHO_HEADER_BYTES || bytes > sizeof(echo->packet) ||
	    message[TYPE_AT] != (echo->is_ipv6 ? IPV6_REPLY : IPV4_REPLY) || message[CODE_AT] != 0 ||
	    get_u16(message + IDENTIFIER_AT) != echo->identifier) {
		return ECHO_FOREIGN;
	}
	reply->payload_bytes = (unsigned)(bytes - ECHO_HEADER_BYTES);
	reply->sequence = whole_sequence(get_u16(message + SEQUENCE_AT), highest);
	/* The kernel has looked at the checksum of IPv6 already, it has addresses in it. */
	const bool is_sound = echo->is_ipv6 || checksum(message, bytes) == 0;
	const bool is_same = is_as_sent(echo, message + ECHO_HEADER_BYTES, reply->payload_bytes, &reply->sequence);

	if (reply->sequence == 0) {
		return ECHO_FOREIGN;
	}
	return is_sound && is_same ? ECHO_INTACT : ECHO_DAMAGED;
}

size_t echo_ip_header_bytes(const uint8_t *packet, size_t bytes)
{
	if (bytes < IPV4_BYTES || packet[0] >> 4 != 4) {
		return 0;
	}
	const size_t header = (size_t)(packet[0] & 15) * 4;

	return header >= IPV4_BYTES && header <= bytes ? header : 0;
}

bool echo_match_quoted(const struct echo *echo, const uint8_t *message, size_t bytes, uint64_t highest,
		       uint64_t *sequence)
{
	if (bytes < ECHO_HEADER_BYTES || message[TYPE_AT] != (echo->is_ipv6 ? IPV6_REQUEST : IPV4_REQUEST) ||
	    get_u16(message + IDENTIFIER_AT) != echo->identifier) {
		return false;
	}
	*sequence = whole_sequence(get_u16(message + SEQUENCE_AT), highest);
	return *sequence != 0;
}

unsigned echo_frame_bytes(bool is_ipv6, unsigned payload_bytes)
{
	const unsigned bytes = payload_bytes + ECHO_HEADER_BYTES + (is_ipv6 ? IPV6_BYTES : IPV4_BYTES) + ETHERNET_BYTES;

	return bytes > ETHERNET_MIN ? bytes : ETHERNET_MIN;
}

unsigned echo_largest_payload(bool is_ipv6, unsigned mtu)
{
	const unsigned headers = ECHO_HEADER_BYTES + (is_ipv6 ? IPV6_BYTES : IPV4_BYTES);

	if (mtu <= headers) {
		return 0;
	}
	return mtu - headers < ECHO_PAYLOAD_MAX ? mtu - headers : ECHO_PAYLOAD_MAX;
}
