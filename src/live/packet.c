/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/packet.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

#include "base/random.h"

#define KIND_SHIFT 12
#define CHECK_MASK 0xfffu

void packet_form_init(struct packet_form *form, uint64_t token)
{
	struct random random;

	form->token = token;
	random_init(&random, token, 0);
	for (size_t at = 0; at < sizeof(form->body); at += sizeof(uint64_t)) {
		const uint64_t bytes = htobe64(random_u64(&random));

		memcpy(form->body + at, &bytes, sizeof(bytes));
	}
}

/* The finalizer of splitmix64 (Steele, Lea, Flood 2014): every bit of the input bears on every bit of the result. */
static uint64_t mix(uint64_t value)
{
	value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
	return value ^ value >> 31;
}

static uint16_t mark_of(uint64_t token, const struct packet *packet, size_t size)
{
	const uint64_t numbers = (uint64_t)packet->sequence << 32 | packet->stamp_ns;
	const uint64_t check = mix(mix(token ^ numbers) ^ ((uint64_t)size << 8 | packet->kind));

	return (uint16_t)((unsigned)packet->kind << KIND_SHIFT | (check & CHECK_MASK));
}

void packet_rewrite(const struct packet_form *form, const struct packet *packet, uint8_t *bytes, size_t size)
{
	const uint64_t token = htobe64(form->token);
	const uint32_t sequence = htobe32(packet->sequence), stamp = htobe32(packet->stamp_ns);
	const uint16_t mark = htobe16(mark_of(form->token, packet, size));

	memcpy(bytes, &token, sizeof(token));
	memcpy(bytes + 8, &sequence, sizeof(sequence));
	memcpy(bytes + 12, &stamp, sizeof(stamp));
	memcpy(bytes + 16, &mark, sizeof(mark));
}

void packet_write(const struct packet_form *form, const struct packet *packet, uint8_t *bytes, size_t size)
{
	assert(size >= PACKET_HEADER_BYTES && size <= PACKET_BYTES_MAX);
	packet_rewrite(form, packet, bytes, size);
	memcpy(bytes + PACKET_HEADER_BYTES, form->body + PACKET_HEADER_BYTES, size - PACKET_HEADER_BYTES);
}

enum packet_verdict packet_read(const struct packet_form *form, const uint8_t *bytes, size_t size,
				struct packet *packet)
{
	uint64_t token;
	uint32_t sequence, stamp;
	uint16_t mark;

	if (size < PACKET_HEADER_BYTES) {
		return PACKET_FOREIGN;
	}
	memcpy(&token, bytes, sizeof(token));
	memcpy(&sequence, bytes + 8, sizeof(sequence));
	memcpy(&stamp, bytes + 12, sizeof(stamp));
	memcpy(&mark, bytes + 16, sizeof(mark));
	if (be64toh(token) != form->token) {
		return PACKET_FOREIGN;
	}
	const struct packet found = { .kind = (enum packet_kind)(be16toh(mark) >> KIND_SHIFT),
				      .sequence = be32toh(sequence),
				      .stamp_ns = be32toh(stamp) };

	if (found.kind >= PACKET_KINDS || size > PACKET_BYTES_MAX ||
	    be16toh(mark) != mark_of(form->token, &found, size) ||
	    memcmp(bytes + PACKET_HEADER_BYTES, form->body + PACKET_HEADER_BYTES, size - PACKET_HEADER_BYTES) != 0) {
		return PACKET_CORRUPT;
	}
	*packet = found;
	return PACKET_FINE;
}

uint64_t packet_extend(uint32_t sequence, uint64_t near)
{
	const int32_t distance = (int32_t)(sequence - (uint32_t)near);

	if (distance < 0 && near < (uint64_t) - (int64_t)distance) {
		return near + (uint32_t)distance; /* below 0 there is nothing */
	}
	return near + (uint64_t)(int64_t)distance;
}
