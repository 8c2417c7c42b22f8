/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Echo messages as bytes: requests as the RFCs have them, replies that are ours, damaged or somebody else's. */
#include "live/echo.c"

#include <stdlib.h>

#include "tap.h"

#define TOKEN UINT64_C(0x1122334455667788)
#define IDENTIFIER 0x4242

static struct echo *make(bool is_ipv6)
{
	struct echo *const echo = malloc(sizeof(*echo));

	echo_init(echo, is_ipv6, IDENTIFIER, TOKEN);
	return echo;
}

/* What a peer answers: the same with another type; IPv4 has a checksum. Returns the length. */
static size_t answer(struct echo *echo, uint64_t sequence, unsigned payload_bytes, uint8_t *message)
{
	const size_t bytes = echo_request(echo, sequence, payload_bytes);

	memcpy(message, echo->packet, bytes);
	message[TYPE_AT] = echo->is_ipv6 ? IPV6_REPLY : IPV4_REPLY;
	put_u16(message + CHECKSUM_AT, 0);
	if (!echo->is_ipv6) {
		put_u16(message + CHECKSUM_AT, checksum(message, bytes));
	}
	return bytes;
}

static void fix_checksum(uint8_t *message, size_t bytes)
{
	put_u16(message + CHECKSUM_AT, 0);
	put_u16(message + CHECKSUM_AT, checksum(message, bytes));
}

static void test_request(void)
{
	struct echo *const four = make(false), *const six = make(true);
	static const uint8_t expected[] = { 8,    0,    0,    0,    0x42, 0x42, 0x00, 0x07, 0x11, 0x22, 0x33, 0x44,
					    0x55, 0x66, 0x77, 0x88, 0,    0,    0,    0,    0,    0,    0,    7 };

	tap_is((int64_t)echo_request(four, 7, 16), sizeof(expected), "16 bytes of payload make 24");
	tap_ok(memcmp(four->packet, expected, 2) == 0 && memcmp(four->packet + 4, expected + 4, 20) == 0,
	       "type, identifier, sequence, token and the whole number");
	tap_is(checksum(four->packet, sizeof(expected)), 0, "its checksum is right");
	tap_is(checksum(four->packet, echo_request(four, 8, 57)), 0, "with an odd length too");
	tap_is((int64_t)echo_request(four, 9, 0), 8, "no payload at all");
	tap_is(six->packet[0], 128, "ICMPv6 has its own type");
	tap_is((int64_t)echo_request(six, 9, ECHO_PAYLOAD_MAX), ECHO_HEADER_BYTES + ECHO_PAYLOAD_MAX, "the largest");
	tap_is(get_u16(six->packet + CHECKSUM_AT), 0, "whose checksum is the kernel's business");
	free(four);
	free(six);
}

/* A known sum: the example of RFC 1071, section 3. */
static void test_checksum(void)
{
	static const uint8_t bytes[] = { 0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7 };

	tap_is(checksum(bytes, sizeof(bytes)), (uint16_t)~0xddf2, "the checksum of RFC 1071's example");
}

static void test_match(bool is_ipv6, unsigned payload_bytes)
{
	struct echo *const echo = make(is_ipv6);
	uint8_t *const message = malloc(sizeof(echo->packet) + 1);
	struct echo_reply reply;
	const size_t bytes = answer(echo, 70000, payload_bytes, message);

	tap_ok(echo_match(echo, message, bytes, 70001, &reply) == ECHO_INTACT && reply.sequence == 70000 &&
		       reply.payload_bytes == payload_bytes,
	       "IPv%d with %u bytes: a reply is known, with its whole number", is_ipv6 ? 6 : 4, payload_bytes);
	bool all_found = true;

	for (size_t at = ECHO_HEADER_BYTES; at < bytes; at += at < 40 ? 1 : 97) {
		message[at] ^= 0x10;
		fix_checksum(message, bytes);
		all_found = all_found && echo_match(echo, message, bytes, 70001, &reply) == ECHO_DAMAGED &&
			    reply.sequence == 70000;
		message[at] ^= 0x10;
	}
	tap_ok(all_found, "every changed byte is found, whatever the checksum says");
	free(message);
	free(echo);
}

static void test_not_ours(void)
{
	struct echo *const echo = make(false);
	uint8_t message[128] = { 0 };
	struct echo_reply reply;
	const size_t bytes = answer(echo, 5, 56, message);

	for (size_t cut = 0; cut < ECHO_HEADER_BYTES; cut++) {
		if (echo_match(echo, message, cut, 5, &reply) != ECHO_FOREIGN) {
			tap_ok(false, "%zu bytes are no reply", cut);
		}
	}
	tap_is(echo_match(echo, message, bytes, 4, &reply), ECHO_FOREIGN, "a number that was not sent yet");
	tap_is(echo_match(echo, message, bytes, 0, &reply), ECHO_FOREIGN, "nothing was sent at all");
	message[IDENTIFIER_AT] ^= 1;
	tap_is(echo_match(echo, message, bytes, 5, &reply), ECHO_FOREIGN, "another identifier");
	message[IDENTIFIER_AT] ^= 1;
	message[TYPE_AT] = IPV4_REQUEST;
	tap_is(echo_match(echo, message, bytes, 5, &reply), ECHO_FOREIGN, "a request");
	message[TYPE_AT] = IPV4_REPLY;
	message[CODE_AT] = 1;
	tap_is(echo_match(echo, message, bytes, 5, &reply), ECHO_FOREIGN, "a code that no reply has");
	message[CODE_AT] = 0;
	message[CHECKSUM_AT] ^= 1;
	tap_is(echo_match(echo, message, bytes, 5, &reply), ECHO_DAMAGED, "a wrong checksum");
	free(echo);
}

/* The header's number begins again after 65535. */
static void test_numbers(void)
{
	struct echo *const echo = make(false);
	uint8_t message[128];
	struct echo_reply reply;
	size_t bytes = answer(echo, 65535, 8, message);

	tap_ok(echo_match(echo, message, bytes, 65540, &reply) == ECHO_INTACT && reply.sequence == 65535,
	       "without the whole number: the last with these 16 bits");
	bytes = answer(echo, 65536, 0, message);
	tap_ok(echo_match(echo, message, bytes, 65540, &reply) == ECHO_INTACT && reply.sequence == 65536,
	       "number 65536 is 0 in the header");
	tap_is(echo_match(echo, message, bytes, 65535, &reply), ECHO_FOREIGN, "which nobody has before");
	bytes = answer(echo, 9, 56, message);
	tap_ok(echo_match(echo, message, bytes, 65545, &reply) == ECHO_INTACT && reply.sequence == 9,
	       "an early one that comes a round later is itself");
	free(echo);
}

static void test_quoted(void)
{
	struct echo *const echo = make(false);
	uint64_t sequence = 0;

	echo_request(echo, 12, 56);
	tap_ok(echo_match_quoted(echo, echo->packet, 8, 20, &sequence) && sequence == 12, "a quoted request is known");
	tap_ok(!echo_match_quoted(echo, echo->packet, 7, 20, &sequence), "not from fewer bytes than a header");
	tap_ok(!echo_match_quoted(echo, echo->packet, 8, 11, &sequence), "not before it was sent");
	echo->packet[IDENTIFIER_AT] ^= 1;
	tap_ok(!echo_match_quoted(echo, echo->packet, 8, 20, &sequence), "not somebody else's");
	free(echo);
}

static void test_headers(void)
{
	uint8_t packet[60] = { 0x45 };

	tap_is((int64_t)echo_ip_header_bytes(packet, 60), 20, "an IPv4 header");
	packet[0] = 0x4f;
	tap_is((int64_t)echo_ip_header_bytes(packet, 60), 60, "the longest one");
	tap_is((int64_t)echo_ip_header_bytes(packet, 59), 0, "one that is cut off");
	packet[0] = 0x44;
	tap_is((int64_t)echo_ip_header_bytes(packet, 60), 0, "one that is too short");
	packet[0] = 0x65;
	tap_is((int64_t)echo_ip_header_bytes(packet, 60), 0, "another version");
	tap_is((int64_t)echo_ip_header_bytes(packet, 19), 0, "less than a header");
}

static void test_sizes(void)
{
	tap_is(echo_frame_bytes(false, 81), 127, "81 bytes make a frame of 127");
	tap_is(echo_frame_bytes(false, 82), 128, "82 one of 128");
	tap_is(echo_frame_bytes(false, 1472), 1518, "1472 the longest of 1500 bytes of MTU");
	tap_is(echo_frame_bytes(false, 17), 64, "short ones are padded");
	tap_is(echo_frame_bytes(true, 62), 128, "ICMPv6: 62 make 128");
	tap_is(echo_largest_payload(false, 1500), 1472, "what an MTU of 1500 takes");
	tap_is(echo_largest_payload(true, 1500), 1452, "and with IPv6");
	tap_is(echo_largest_payload(false, 65536), ECHO_PAYLOAD_MAX, "never more than IPv4 has");
	tap_is(echo_largest_payload(true, 48), 0, "an MTU with no room");
}

int main(void)
{
	test_request();
	test_checksum();
	for (int six = 0; six < 2; six++) {
		test_match(six, 56);
		test_match(six, 1472);
		test_match(six, ECHO_PAYLOAD_MAX);
	}
	test_not_ours();
	test_numbers();
	test_quoted();
	test_headers();
	test_sizes();
	return tap_done();
}
