/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fake/answer.h"

#include <string.h>

/* Of an Ethernet frame. */
enum { DESTINATION = 0, SOURCE = 6, TYPE = 12, PACKET = 14 };
enum { TYPE_IPV4 = 0x0800, TYPE_ARP = 0x0806, TYPE_IPV6 = 0x86dd };
/* Of an IPv4 packet without options, and of an IPv6 packet. */
enum {
	IPV4_LENGTH = 2,
	IPV4_TTL = 8,
	IPV4_PROTOCOL = 9,
	IPV4_CHECKSUM = 10,
	IPV4_FROM = 12,
	IPV4_TO = 16,
	IPV4_BYTES = 20
};
enum { IPV6_LENGTH = 4, IPV6_NEXT = 6, IPV6_LIMIT = 7, IPV6_FROM = 8, IPV6_TO = 24, IPV6_BYTES = 40 };
enum { ICMP = 1, ICMPV6 = 58 };
/* Of ICMP. */
enum { ICMP_TYPE = 0, ICMP_CODE = 1, ICMP_CHECKSUM = 2, ICMP_ID = 4, ICMP_SEQUENCE = 6, ICMP_BYTES = 8 };
enum { SOLICITATION = 135, ADVERTISEMENT = 136, TARGET = 8, TARGET_BYTES = 16 };

static const uint8_t hardware_address[6] = { 0x02, 0, 0, 0, 0xfa, 0xce };

static unsigned get_u16(const uint8_t *at)
{
	return (unsigned)at[0] << 8 | at[1];
}

static void put_u16(uint8_t *at, unsigned value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static uint32_t add(uint32_t sum, const uint8_t *data, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		sum += i % 2 ? data[i] : (uint32_t)data[i] << 8;
	}
	return sum;
}

static unsigned fold(uint32_t sum)
{
	while (sum >> 16) {
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return ~sum & 0xffff;
}

static bool is_ipv6(const struct frame *frame)
{
	return get_u16(frame->data + TYPE) == TYPE_IPV6;
}

static size_t message_at(const struct frame *frame)
{
	return is_ipv6(frame) ? PACKET + IPV6_BYTES : PACKET + IPV4_BYTES;
}

/* Lengths and checksums follow from what is there. */
static void complete(struct frame *frame)
{
	uint8_t *const packet = frame->data + PACKET, *const message = frame->data + message_at(frame);
	const size_t message_bytes = frame->bytes - message_at(frame);
	uint32_t sum = 0;

	if (is_ipv6(frame)) {
		put_u16(packet + IPV6_LENGTH, (unsigned)message_bytes);
		sum = add(add(0, packet + IPV6_FROM, 32), (const uint8_t[]){ 0, ICMPV6 }, 2) + (uint32_t)message_bytes;
	} else {
		put_u16(packet + IPV4_LENGTH, (unsigned)(IPV4_BYTES + message_bytes));
		put_u16(packet + IPV4_CHECKSUM, 0);
		put_u16(packet + IPV4_CHECKSUM, fold(add(0, packet, IPV4_BYTES)));
	}
	if (message_bytes > ICMP_CHECKSUM + 1) {
		put_u16(message + ICMP_CHECKSUM, 0);
		put_u16(message + ICMP_CHECKSUM, fold(add(sum, message, message_bytes)));
	}
}

/* A frame back to where one came from. */
static void turn_round(const struct frame *from, struct frame *back)
{
	memcpy(back->data + DESTINATION, from->data + SOURCE, 6);
	memcpy(back->data + SOURCE, hardware_address, 6);
}

static void swap_addresses(struct frame *frame)
{
	uint8_t *const packet = frame->data + PACKET;
	const size_t from = is_ipv6(frame) ? IPV6_FROM : IPV4_FROM, bytes = is_ipv6(frame) ? 16 : 4;
	uint8_t kept[16];

	memcpy(kept, packet + from, bytes);
	memcpy(packet + from, packet + from + bytes, bytes);
	memcpy(packet + from + bytes, kept, bytes);
}

static bool answer_arp(const struct frame *question, struct frame *answer)
{
	enum { OPERATION = 6, SENDER = 8, SENDER_IP = 14, TARGET_HARDWARE = 18, TARGET_IP = 24, BYTES = 28 };
	static const uint8_t nobody[4] = { 0 };
	const uint8_t *const asked = question->data + PACKET;
	uint8_t *const told = answer->data + PACKET;

	/* Nor is a host answered that asks whether its own address is free. */
	if (question->bytes < PACKET + BYTES || get_u16(asked + OPERATION) != 1 ||
	    memcmp(asked + SENDER_IP, nobody, 4) == 0 || memcmp(asked + SENDER_IP, asked + TARGET_IP, 4) == 0) {
		return false;
	}
	*answer = *question;
	answer->bytes = PACKET + BYTES;
	turn_round(question, answer);
	put_u16(told + OPERATION, 2);
	memcpy(told + SENDER, hardware_address, 6);
	memcpy(told + SENDER_IP, asked + TARGET_IP, 4);
	memcpy(told + TARGET_HARDWARE, asked + SENDER, 10);
	return true;
}

static bool answer_solicitation(const struct frame *question, struct frame *answer)
{
	static const uint8_t nobody[16] = { 0 };
	const uint8_t *const asked = question->data + PACKET;

	if (question->bytes < PACKET + IPV6_BYTES + 24 || asked[IPV6_NEXT] != ICMPV6 ||
	    asked[IPV6_BYTES] != SOLICITATION || memcmp(asked + IPV6_FROM, nobody, 16) == 0) {
		return false;
	}
	*answer = *question;
	answer->bytes = PACKET + IPV6_BYTES + 32;
	turn_round(question, answer);
	uint8_t *const packet = answer->data + PACKET, *const message = packet + IPV6_BYTES;

	memcpy(packet + IPV6_TO, asked + IPV6_FROM, 16);
	memcpy(packet + IPV6_FROM, asked + IPV6_BYTES + TARGET, TARGET_BYTES);
	packet[IPV6_LIMIT] = 255;
	message[ICMP_TYPE] = ADVERTISEMENT;
	message[4] = 0x60; /* solicited, override */
	/* RFC 4861: option 2, one unit of eight bytes: the hardware address. */
	message[24] = 2;
	message[25] = 1;
	memcpy(message + 26, hardware_address, 6);
	complete(answer);
	return true;
}

bool answer_neighbour(const struct frame *question, struct frame *answer)
{
	if (question->bytes < PACKET) {
		return false;
	}
	switch (get_u16(question->data + TYPE)) {
	case TYPE_ARP:
		return answer_arp(question, answer);
	case TYPE_IPV6:
		return answer_solicitation(question, answer);
	default:
		return false;
	}
}

bool answer_is_echo(const struct frame *frame)
{
	const uint8_t *const packet = frame->data + PACKET;

	if (frame->bytes < PACKET + IPV4_BYTES + ICMP_BYTES) {
		return false;
	}
	if (get_u16(frame->data + TYPE) == TYPE_IPV4) {
		return packet[0] == 0x45 && packet[IPV4_PROTOCOL] == ICMP && packet[IPV4_BYTES] == 8;
	}
	return is_ipv6(frame) && frame->bytes >= PACKET + IPV6_BYTES + ICMP_BYTES && packet[IPV6_NEXT] == ICMPV6 &&
	       packet[IPV6_BYTES] == 128;
}

static void copy(const struct frame *from, struct frame *to)
{
	to->bytes = from->bytes;
	memcpy(to->data, from->data, from->bytes);
}

void answer_echo(const struct frame *request, struct frame *reply)
{
	copy(request, reply);
	turn_round(request, reply);
	swap_addresses(reply);
	reply->data[message_at(reply)] = is_ipv6(reply) ? 129 : 0;
	reply->data[PACKET + (is_ipv6(reply) ? IPV6_LIMIT : IPV4_TTL)] = 64;
	complete(reply);
}

void answer_corrupt(struct frame *reply, bool keep_checksum)
{
	reply->data[reply->bytes - 1] ^= 0x20;
	if (!keep_checksum) {
		complete(reply);
	}
}

void answer_from_elsewhere(struct frame *reply)
{
	reply->data[PACKET + (is_ipv6(reply) ? IPV6_FROM + 15 : IPV4_FROM + 3)] ^= 0x40;
	complete(reply);
}

void answer_other_identifier(struct frame *reply)
{
	reply->data[message_at(reply) + ICMP_ID] ^= 0x40;
	complete(reply);
}

void answer_never_asked(struct frame *reply)
{
	reply->data[message_at(reply) + ICMP_SEQUENCE] ^= 0x40;
	complete(reply);
}

void answer_longer(struct frame *reply, size_t bytes)
{
	memset(reply->data + reply->bytes, 0xee, bytes);
	reply->bytes += bytes;
	complete(reply);
}

void answer_cut(struct frame *reply, size_t message_bytes)
{
	if (reply->bytes > message_at(reply) + message_bytes) {
		reply->bytes = message_at(reply) + message_bytes;
	}
	complete(reply);
}

void answer_error(const struct frame *request, struct frame *error, unsigned mtu)
{
	const bool is_six = is_ipv6(request);
	const size_t message = message_at(request),
		     quoted = request->bytes - PACKET < 500 ? request->bytes - PACKET : 500;

	copy(request, error);
	turn_round(request, error);
	swap_addresses(error);
	memcpy(error->data + message + ICMP_BYTES, request->data + PACKET, quoted);
	error->bytes = message + ICMP_BYTES + quoted;
	memset(error->data + message, 0, ICMP_BYTES);
	error->data[message + ICMP_TYPE] = is_six ? (mtu ? 2 : 1) : 3;
	error->data[message + ICMP_CODE] = is_six ? (mtu ? 0 : 3) : mtu ? 4 : 1;
	put_u16(error->data + message + 6, mtu);
	answer_from_elsewhere(error);
}
