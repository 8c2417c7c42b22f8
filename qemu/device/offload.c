/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "device/offload.h"

#include <string.h>

#define ETHERTYPE_AT 12u
#define TAG_BYTES 4u
#define IPV4_BYTES 20u
#define IPV6_BYTES 40u
#define TCP_BYTES 20u
#define UDP_BYTES 8u
#define TCP_LAST_FLAGS 0x09u /* FIN and PSH: of the last segment alone */

static unsigned get16(const uint8_t *from)
{
	return (unsigned)from[0] << 8 | from[1];
}

static void put16(uint8_t *to, unsigned value)
{
	to[0] = (uint8_t)(value >> 8);
	to[1] = (uint8_t)value;
}

static bool find_ipv4(const uint8_t *frame, unsigned bytes, struct offload_place *place)
{
	const uint8_t *header = frame + place->network;
	const unsigned room = bytes - place->network;
	const unsigned header_bytes = room >= IPV4_BYTES ? (header[0] & 0xfu) * 4 : 0;

	if (header_bytes < IPV4_BYTES || header[0] >> 4 != 4 || get16(header + 2) > room ||
	    get16(header + 2) < header_bytes) {
		return false;
	}
	place->version = 4;
	place->transport = place->network + header_bytes;
	place->end = place->network + get16(header + 2);
	/* A fragment has a part of what the checksum is over. */
	place->protocol = get16(header + 6) & 0x3fff ? 0 : header[9];
	return true;
}

static bool find_ipv6(const uint8_t *frame, unsigned bytes, struct offload_place *place)
{
	const uint8_t *header = frame + place->network;
	const unsigned room = bytes - place->network;

	if (room < IPV6_BYTES || header[0] >> 4 != 6) {
		return false;
	}
	/* 0 in a frame that is to be cut: how long it is, the NIC knows by other means. */
	const unsigned payload = get16(header + 4) ? get16(header + 4) : room - IPV6_BYTES;

	if (IPV6_BYTES + payload > room) {
		return false;
	}
	place->version = 6;
	place->transport = place->network + IPV6_BYTES;
	place->end = place->transport + payload;
	place->protocol = header[6];
	return true;
}

static unsigned transport_bytes(unsigned protocol)
{
	return protocol == OFFLOAD_TCP ? TCP_BYTES : UDP_BYTES;
}

bool offload_find(const uint8_t *frame, unsigned bytes, struct offload_place *place)
{
	unsigned type_at = ETHERTYPE_AT;
	bool found = false;

	if (bytes < ETHERTYPE_AT + TAG_BYTES + 2) {
		return false;
	}
	if (get16(frame + type_at) == 0x8100) {
		type_at += TAG_BYTES;
	}
	place->network = type_at + 2;
	if (get16(frame + type_at) == 0x0800) {
		found = find_ipv4(frame, bytes, place);
	} else if (get16(frame + type_at) == 0x86dd) {
		found = find_ipv6(frame, bytes, place);
	}
	if (found && place->end - place->transport < transport_bytes(place->protocol)) {
		place->protocol = 0;
	}
	return found;
}

static uint32_t sum(uint32_t start, const uint8_t *data, unsigned bytes)
{
	for (unsigned i = 0; i + 1 < bytes; i += 2) {
		start += get16(data + i);
	}
	if (bytes & 1) {
		start += (uint32_t)data[bytes - 1] << 8;
	}
	return start;
}

static unsigned folded(uint32_t value)
{
	while (value >> 16) {
		value = (value & 0xffff) + (value >> 16);
	}
	return value;
}

static unsigned network_sum(const uint8_t *frame, const struct offload_place *place)
{
	return folded(sum(0, frame + place->network, place->transport - place->network));
}

/* With the pseudo header. */
static unsigned transport_sum(const uint8_t *frame, const struct offload_place *place)
{
	const unsigned addresses_at = place->network + (place->version == 4 ? 12 : 8);
	const unsigned addresses_bytes = place->version == 4 ? 8 : 32;
	const unsigned bytes = place->end - place->transport;
	const uint32_t pseudo = sum(place->protocol + bytes, frame + addresses_at, addresses_bytes);

	return folded(sum(pseudo, frame + place->transport, bytes));
}

static bool has_transport(const struct offload_place *place)
{
	return place->protocol == OFFLOAD_TCP || place->protocol == OFFLOAD_UDP;
}

static unsigned checksum_at(const struct offload_place *place)
{
	return place->transport + (place->protocol == OFFLOAD_TCP ? 16 : 6);
}

bool offload_network_right(const uint8_t *frame, const struct offload_place *place)
{
	return place->version != 4 || network_sum(frame, place) == 0xffff;
}

bool offload_transport_right(const uint8_t *frame, const struct offload_place *place)
{
	if (!has_transport(place)) {
		return true;
	}
	if (place->protocol == OFFLOAD_UDP && place->version == 4 && get16(frame + checksum_at(place)) == 0) {
		return true;
	}
	return transport_sum(frame, place) == 0xffff;
}

void offload_network_fill(uint8_t *frame, const struct offload_place *place)
{
	if (place->version == 4) {
		put16(frame + place->network + 10, 0);
		put16(frame + place->network + 10, ~network_sum(frame, place));
	}
}

void offload_transport_fill(uint8_t *frame, const struct offload_place *place)
{
	if (!has_transport(place)) {
		return;
	}
	put16(frame + checksum_at(place), 0);
	const unsigned checksum = ~transport_sum(frame, place) & 0xffff;

	/* 0 would mean that there is none. */
	put16(frame + checksum_at(place), checksum == 0 && place->protocol == OFFLOAD_UDP ? 0xffff : checksum);
}

/* Where the payload of a TCP frame begins; 0 if there is none to cut. */
static unsigned payload_at(const uint8_t *frame, const struct offload_place *place)
{
	if (place->protocol != OFFLOAD_TCP) {
		return 0;
	}
	const unsigned at = place->transport + (frame[place->transport + 12] >> 4) * 4u;

	return at >= place->transport + TCP_BYTES && at < place->end ? at : 0;
}

unsigned offload_segments(const uint8_t *frame, const struct offload_place *place, unsigned mss)
{
	const unsigned at = payload_at(frame, place);

	return at && mss ? (place->end - at + mss - 1) / mss : 0;
}

static void fix_network(uint8_t *out, const struct offload_place *place, unsigned index)
{
	uint8_t *header = out + place->network;

	if (place->version == 4) {
		put16(header + 2, place->end - place->network);
		put16(header + 4, get16(header + 4) + index);
	} else {
		put16(header + 4, place->end - place->transport);
	}
}

static void fix_tcp(uint8_t *header, uint32_t payload_before, bool is_last)
{
	const uint32_t sequence = (get16(header + 4) << 16 | get16(header + 6)) + payload_before;

	put16(header + 4, sequence >> 16);
	put16(header + 6, sequence);
	if (!is_last) {
		header[13] &= (uint8_t)~TCP_LAST_FLAGS;
	}
}

unsigned offload_segment(const uint8_t *frame, const struct offload_place *place, unsigned mss, unsigned index,
			 uint8_t *out)
{
	const unsigned at = payload_at(frame, place), before = index * mss;
	const bool is_last = place->end - at - before <= mss;
	const unsigned payload = is_last ? place->end - at - before : mss;
	struct offload_place cut = *place;

	cut.end = at + payload;
	memcpy(out, frame, at);
	memcpy(out + at, frame + at + before, payload);
	fix_network(out, &cut, index);
	fix_tcp(out + place->transport, before, is_last);
	offload_network_fill(out, &cut);
	offload_transport_fill(out, &cut);
	return cut.end;
}
