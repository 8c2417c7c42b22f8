/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Datagrams: what is handed over may be anything, or one of ours with some bytes changed: then it may not pass for another. What
 * passes is counted, each number once.
 */
#include "fuzz/fuzz.h"
#include "live/arrivals.h"
#include "live/packet.h"

#define SIZE_MAX_HERE 2000

static struct packet_form form;
static struct arrivals arrivals;

/* A packet of ours, changed where the input says so: pairs of place and change. */
static void check_changed(const uint8_t *data, size_t size)
{
	static uint8_t bytes[SIZE_MAX_HERE];
	const size_t length = PACKET_HEADER_BYTES + (size > 1 ? (size_t)data[0] * 4 + data[1] % 4 : 0);
	const struct packet packet = { PACKET_DATA, 4711, 815 };
	bool body_changed = false;
	struct packet found;

	packet_write(&form, &packet, bytes, length);
	for (size_t i = 2; i + 2 < size; i += 3) {
		const size_t place = ((size_t)data[i] << 8 | data[i + 1]) % length;

		bytes[place] ^= data[i + 2];
		body_changed |= place >= PACKET_HEADER_BYTES && data[i + 2];
	}
	uint8_t *const copy = malloc(length);

	fuzz_require(copy != NULL);
	memcpy(copy, bytes, length);
	const enum packet_verdict verdict = packet_read(&form, copy, length, &found);
	bool differs = false;

	for (size_t i = PACKET_HEADER_BYTES; body_changed && i < length; i++) {
		differs |= bytes[i] != form.body[i];
	}
	fuzz_require(verdict != PACKET_FINE || (!differs && found.kind < PACKET_KINDS));
	free(copy);
}

/* Four bytes are a number, with what they may say of its time. */
static void check_arrivals(const uint8_t *data, size_t size)
{
	uint64_t takes = 0, fresh = 0;

	arrivals_init(&arrivals, size % 2 ? UINT64_MAX : 100000, 1000);
	for (size_t i = 0; i + 4 <= size; i += 4) {
		const uint32_t sequence = (uint32_t)data[i] << 24 | (uint32_t)data[i + 1] << 16 |
					  (uint32_t)data[i + 2] << 8 | data[i + 3];
		const int64_t at_ns = data[i] % 7 == 0 ? ARRIVALS_UNKNOWN_NS : (int64_t)(i * data[i + 1]);

		takes++;
		fresh += arrivals_take(&arrivals, sequence, 1, at_ns,
				       data[i + 2] % 5 ? data[i + 3] : ARRIVALS_UNKNOWN_NS);
	}
	fuzz_require(fresh == arrivals.received && arrivals.bytes == fresh);
	fuzz_require(arrivals.received + arrivals.duplicated + arrivals.unexpected == takes);
	fuzz_require(arrivals.reordered <= arrivals.received && arrivals.next <= arrivals.limit);
	fuzz_require(arrivals.gap.count + arrivals.gap.out_of_range <= fresh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct packet found = { .sequence = 42 };

	packet_form_init(&form, UINT64_C(0x686f6c646f666621));
	if (packet_read(&form, data, size, &found) != PACKET_FINE) {
		fuzz_require(found.sequence == 42);
	}
	check_changed(data, size);
	check_arrivals(data, size);
	return 0;
}
