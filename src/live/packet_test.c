/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "packet.c"

#include <string.h>

#include "tap.h"

static struct packet_form form, other;
static uint8_t bytes[PACKET_BYTES_MAX + 1];

static void test_round_trip(void)
{
	static const size_t sizes[] = { PACKET_HEADER_BYTES, PACKET_HEADER_BYTES + 1, 64, 1472, PACKET_BYTES_MAX };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const struct packet packet = { PACKET_BLOCK, 0xdeadbeef, 0x12345678 };
		struct packet found = { 0 };

		packet_write(&form, &packet, bytes, sizes[i]);
		tap_is(packet_read(&form, bytes, sizes[i], &found), PACKET_FINE, "%zu bytes are read again", sizes[i]);
		tap_ok(found.kind == PACKET_BLOCK && found.sequence == 0xdeadbeef && found.stamp_ns == 0x12345678,
		       "with what was in them");
		tap_is(packet_read(&other, bytes, sizes[i], &found), PACKET_FOREIGN,
		       "for who has another token they are foreign");
	}
}

static void test_layout(void)
{
	const struct packet packet = { PACKET_DATA, 1, 2 };

	packet_write(&form, &packet, bytes, 64);
	tap_ok(memcmp(bytes, "\x01\x02\x03\x04\x05\x06\x07\x08\0\0\0\x01\0\0\0\x02", 16) == 0,
	       "token, sequence and stamp stand first, big-endian");
	tap_is(bytes[16] >> 4, PACKET_DATA, "then the kind");
}

/* Every single changed byte is seen; a bit of the header may get past its 12 bits of checksum once in 4096. */
static void test_damage(void)
{
	const struct packet packet = { PACKET_DATA, 77, 99 };
	struct packet found = { 0 };
	unsigned unseen_in_body = 0, unseen_in_header = 0, foreign = 0;

	packet_write(&form, &packet, bytes, 200);
	for (unsigned bit = 0; bit < 200 * 8; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		const enum packet_verdict verdict = packet_read(&form, bytes, 200, &found);

		foreign += verdict == PACKET_FOREIGN;
		unseen_in_body += verdict == PACKET_FINE && bit >= PACKET_HEADER_BYTES * 8;
		unseen_in_header += verdict == PACKET_FINE && bit < PACKET_HEADER_BYTES * 8;
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	tap_is(foreign, 64, "a wrong bit of the token makes it foreign");
	tap_is(unseen_in_body, 0, "every wrong bit of the body is seen");
	tap_within(unseen_in_header, 0, 1, "and those of the header");
	tap_is(found.sequence, 0, "nothing was written by what is not fine");
}

static void test_length(void)
{
	const struct packet packet = { PACKET_DATA, 77, 99 };
	struct packet found = { 0 };

	packet_write(&form, &packet, bytes, 200);
	tap_is(packet_read(&form, bytes, 199, &found), PACKET_CORRUPT, "a cut packet is corrupt");
	tap_is(packet_read(&form, bytes, PACKET_HEADER_BYTES, &found), PACKET_CORRUPT,
	       "also when only its header is left");
	tap_is(packet_read(&form, bytes, PACKET_HEADER_BYTES - 1, &found), PACKET_FOREIGN, "less than that is foreign");
	tap_is(packet_read(&form, bytes, 0, &found), PACKET_FOREIGN, "so is nothing");
	tap_is(packet_read(&form, bytes, sizeof(bytes), &found), PACKET_CORRUPT, "too long is corrupt");
}

static void test_kinds(void)
{
	unsigned fine = 0;

	for (unsigned kind = 0; kind < 16; kind++) {
		const struct packet packet = { (enum packet_kind)kind, 5, 6 };
		struct packet found;

		packet_write(&form, &packet, bytes, 64);
		fine += packet_read(&form, bytes, 64, &found) == PACKET_FINE;
	}
	tap_is(fine, PACKET_KINDS, "kinds that there are not are refused");
}

static void test_extend(void)
{
	tap_is((int64_t)packet_extend(5, 3), 5, "near 0");
	tap_is((int64_t)packet_extend(3, 5), 3, "below");
	tap_is((int64_t)packet_extend(1, UINT64_C(0xffffffff)), INT64_C(0x100000001), "over the end of 32 bits");
	tap_is((int64_t)packet_extend(0xffffffff, UINT64_C(0x100000001)), INT64_C(0xffffffff), "and back");
	tap_is((int64_t)packet_extend(0xfffffffe, 5), INT64_C(0xfffffffe), "never below 0");
}

int main(void)
{
	packet_form_init(&form, UINT64_C(0x0102030405060708));
	packet_form_init(&other, UINT64_C(0x0102030405060709));
	test_round_trip();
	test_layout();
	test_damage();
	test_length();
	test_kinds();
	test_extend();
	return tap_done();
}
