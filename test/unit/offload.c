/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the devices for QEMU compute for a driver: checksums against those of another program, cutting against its laws. */
#include "../../qemu/device/offload.c"

#include <stdlib.h>

#include "base/random.h"
#include "tap.h"

/* The checksums of these two were computed by a Python script, from the RFCs. */
static const uint8_t udp_frame[] = {
	2,    0,    0, 0,    0, 2,  2,  0, 0,   0,   0,   1,   0x08, 0,   0x45, 0,   0,
	37,   0,    7, 0x40, 0, 64, 17, 0, 0,   10,  0,   0,   1,    10,  0,    0,   2,
	0x03, 0xe8, 7, 0xd0, 0, 17, 0,  0, 'h', 'o', 'l', 'd', '-',  'o', 'f',  'f', 'x',
};
static const uint8_t tcp_frame[] = {
	2,  0,    0,    0,    0,    2, 2,   0, 0, 0, 0, 1,   0x86, 0xdd, 0x60, 0,    0,    0,    0,    29,   6,
	64, 0xfe, 0x80, 0,    0,    0, 0,   0, 0, 0, 0, 0,   0,    0,    0,    0,    1,    0xfe, 0x80, 0,    0,
	0,  0,    0,    0,    0,    0, 0,   0, 0, 0, 0, 2,   0x03, 0xe8, 7,    0xd0, 0xff, 0xff, 0xff, 0xf0, 0,
	0,  0,    5,    0x50, 0x19, 0, 100, 0, 0, 0, 0, 'h', 'o',  'l',  'd',  '-',  'o',  'f',  'f',  'x',
};

static void test_checksums(void)
{
	struct offload_place place;
	uint8_t frame[128];

	memcpy(frame, udp_frame, sizeof(udp_frame));
	tap_ok(offload_find(frame, sizeof(udp_frame), &place) && place.version == 4 && place.protocol == OFFLOAD_UDP,
	       "UDP over IPv4 is found");
	tap_ok(!offload_network_right(frame, &place), "its IP checksum is wrong");
	tap_ok(offload_transport_right(frame, &place), "that of UDP is 0: there is none");
	offload_network_fill(frame, &place);
	offload_transport_fill(frame, &place);
	tap_is(get16(frame + 24), 0x26bf, "IP checksum");
	tap_is(get16(frame + 40), 0xff67, "UDP checksum");
	tap_ok(offload_network_right(frame, &place) && offload_transport_right(frame, &place), "both are right");
	frame[sizeof(udp_frame) - 1] ^= 1;
	tap_ok(!offload_transport_right(frame, &place), "a bit in the payload makes it wrong");

	memcpy(frame, tcp_frame, sizeof(tcp_frame));
	tap_ok(offload_find(frame, sizeof(tcp_frame), &place) && place.version == 6 && place.protocol == OFFLOAD_TCP,
	       "TCP over IPv6 is found");
	offload_network_fill(frame, &place);
	offload_transport_fill(frame, &place);
	tap_is(get16(frame + 70), 0xc602, "TCP checksum");
	tap_ok(offload_network_right(frame, &place), "IPv6 has no checksum to be wrong");
}

/* Damaged frames, in a block of just their size for sanitizers to see: nothing outside is read. */
static void test_noise(void)
{
	struct random random;
	unsigned found = 0;

	random_init(&random, 1, 0);
	for (unsigned i = 0; i < 20000; i++) {
		const uint8_t *const model = random_below(&random, 2) ? udp_frame : tcp_frame;
		const unsigned size = model == udp_frame ? sizeof(udp_frame) : sizeof(tcp_frame);
		const unsigned bytes = random_below(&random, 2) ? size : (unsigned)random_below(&random, size);
		uint8_t *const frame = malloc(bytes ? bytes : 1);
		struct offload_place place;

		memcpy(frame, model, bytes);
		for (unsigned changes = 0; bytes && changes < 3; changes++) {
			frame[random_below(&random, bytes)] = (uint8_t)random_u64(&random);
		}
		if (offload_find(frame, bytes, &place)) {
			found++;
			(void)offload_network_right(frame, &place);
			(void)offload_transport_right(frame, &place);
			offload_network_fill(frame, &place);
			offload_transport_fill(frame, &place);
			(void)offload_segments(frame, &place, 1 + (unsigned)random_below(&random, 5));
		}
		free(frame);
	}
	tap_within(found, 1000, 19000, "of 20000 damaged frames, %u have an IP packet", found);
}

static void test_short(void)
{
	struct offload_place place;
	uint8_t frame[sizeof(udp_frame)];

	tap_ok(!offload_find(udp_frame, sizeof(udp_frame) - 1, &place), "a packet that is cut off is none");
	memcpy(frame, udp_frame, sizeof(frame));
	frame[20] = 0x20;
	tap_ok(offload_find(frame, sizeof(frame), &place) && place.protocol == 0,
	       "the protocol of a fragment is not looked into");
}

struct whole {
	uint8_t frame[4096];
	unsigned bytes, payload_bytes, header_bytes;
};

/* TCP over IPv6 as Linux hands it over to be cut: without the length of its payload. */
static void make_whole(struct whole *whole, struct random *random, unsigned payload_bytes)
{
	whole->header_bytes = sizeof(tcp_frame) - 9;
	whole->payload_bytes = payload_bytes;
	whole->bytes = whole->header_bytes + payload_bytes;
	memcpy(whole->frame, tcp_frame, whole->header_bytes);
	put16(whole->frame + 18, 0);
	for (unsigned i = 0; i < payload_bytes; i++) {
		whole->frame[whole->header_bytes + i] = (uint8_t)random_u64(random);
	}
}

static uint32_t sequence_of(const uint8_t *frame)
{
	return get16(frame + 58) << 16 | get16(frame + 60);
}

/* 0, or which law is broken. */
static unsigned check_segment(const struct whole *whole, const uint8_t *segment, unsigned bytes, unsigned mss,
			      unsigned index, unsigned count)
{
	const unsigned payload = bytes - whole->header_bytes, before = index * mss;
	struct offload_place place;

	if (index + 1 < count ? payload != mss : payload != whole->payload_bytes - before) {
		return 1;
	}
	if (!offload_find(segment, bytes, &place) || place.end != bytes || !offload_transport_right(segment, &place)) {
		return 2;
	}
	if (memcmp(segment + whole->header_bytes, whole->frame + whole->header_bytes + before, payload) != 0) {
		return 3;
	}
	if (sequence_of(segment) != sequence_of(whole->frame) + before) {
		return 4;
	}
	return (segment[67] & TCP_LAST_FLAGS) == (index + 1 == count ? TCP_LAST_FLAGS : 0) ? 0 : 5;
}

static void test_cutting(void)
{
	static struct whole whole;
	struct random random;
	struct offload_place place;
	unsigned broken = 0, cut = 0;

	random_init(&random, 2, 0);
	for (unsigned i = 0; i < 500 && !broken; i++) {
		const unsigned mss = 1 + (unsigned)random_below(&random, 1460);
		uint8_t segment[2048];

		make_whole(&whole, &random, 1 + (unsigned)random_below(&random, 4000));
		broken = offload_find(whole.frame, whole.bytes, &place) ? 0 : 6;
		const unsigned count = offload_segments(whole.frame, &place, mss);

		for (unsigned index = 0; index < count && !broken; index++) {
			const unsigned bytes = offload_segment(whole.frame, &place, mss, index, segment);

			broken = check_segment(&whole, segment, bytes, mss, index, count);
			cut++;
		}
	}
	tap_is(broken, 0, "%u segments: lengths, checksums, payload, sequence numbers (they wrap), flags of the last",
	       cut);
	tap_ok(offload_find(udp_frame, sizeof(udp_frame), &place) && offload_segments(udp_frame, &place, 100) == 0,
	       "UDP is not cut");
	make_whole(&whole, &random, 100);
	tap_ok(offload_find(whole.frame, whole.bytes, &place) && offload_segments(whole.frame, &place, 0) == 0,
	       "nor is anything into pieces of nothing");
}

int main(void)
{
	test_checksums();
	test_short();
	test_noise();
	test_cutting();
	return tap_done();
}
