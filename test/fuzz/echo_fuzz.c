/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Echo replies and what becomes of probes. The input: byte 0 is the family; then what happens, one after the other: a
 * byte, and what it needs: 0 a probe of the length in the next two bytes; 1 some time passes; 2 a message behind its
 * length in two bytes; 3 the same behind an IPv4 header; 4 the right reply to the probe whose number is in the next
 * two bytes; 5 a quoted request.
 */
#include "live/echo.h"
#include "live/tally.h"

#include "fuzz/fuzz.h"

static struct echo echo;
static struct tally tally;
static int64_t now_at_ns;

struct input {
	const uint8_t *data;
	size_t size;
};

static unsigned take_u16(struct input *input)
{
	if (input->size < 2) {
		input->size = 0;
		return 0;
	}
	const unsigned value = input->data[0] | (unsigned)input->data[1] << 8;

	input->data += 2;
	input->size -= 2;
	return value;
}

static void take_message(const uint8_t *message, size_t bytes)
{
	struct echo_reply reply;
	const enum echo_match match = echo_match(&echo, message, bytes, tally.last, &reply);

	fuzz_require(reply.sequence <= tally.last);
	if (match == ECHO_FOREIGN) {
		tally_foreign(&tally);
		return;
	}
	fuzz_require(reply.sequence > 0 && reply.payload_bytes + ECHO_HEADER_BYTES == bytes);
	const enum tally_verdict verdict =
		tally_reply(&tally, reply.sequence, reply.payload_bytes, match == ECHO_INTACT, now_at_ns);

	fuzz_require(match == ECHO_INTACT || verdict == TALLY_IS_CORRUPT || verdict == TALLY_IS_FOREIGN);
}

static void take_bytes(struct input *input, bool has_header)
{
	const size_t wanted = take_u16(input), bytes = wanted < input->size ? wanted : input->size;
	const size_t header = has_header ? echo_ip_header_bytes(input->data, bytes) : 0;

	fuzz_require(header <= bytes);
	/* In memory of just its size. */
	char *const copy = fuzz_text(input->data + header, bytes - header);

	take_message((const uint8_t *)copy, bytes - header);
	free(copy);
	input->data += bytes;
	input->size -= bytes;
}

static void take_quoted(struct input *input)
{
	uint64_t sequence = 0;

	if (echo_match_quoted(&echo, input->data, input->size, tally.last, &sequence)) {
		fuzz_require(sequence > 0 && sequence <= tally.last);
		tally_refused(&tally, sequence);
	}
}

static void send_probe(unsigned payload_bytes)
{
	payload_bytes = payload_bytes < ECHO_PAYLOAD_MAX ? payload_bytes : ECHO_PAYLOAD_MAX;
	if (tally_has_room(&tally)) {
		echo_request(&echo, tally_send(&tally, now_at_ns, payload_bytes)->sequence, payload_bytes);
	}
}

/* Type, checksum and all as a peer would; a probe that was not sent has no answer. */
static void answer(unsigned sequence)
{
	const struct tally_probe *const probe = tally_find(&tally, sequence);
	const bool was_waiting = probe && probe->state == TALLY_WAITING;
	const uint64_t answered = tally.counts.received + tally.counts.late;

	if (!probe) {
		return;
	}
	const size_t bytes = echo_request(&echo, sequence, probe->payload_bytes);
	uint8_t *const copy = (uint8_t *)fuzz_text(echo.packet, bytes);

	copy[0] = echo.is_ipv6 ? 129 : 0;
	if (!echo.is_ipv6) {
		/* The sum of a request and its reply differ by the type, 8 in the upper byte (RFC 1624). */
		const unsigned sum = ((unsigned)copy[2] << 8 | copy[3]) + 0x0800;
		const unsigned folded = (sum & 0xffff) + (sum >> 16);

		copy[2] = (uint8_t)(folded >> 8);
		copy[3] = (uint8_t)folded;
	}
	take_message(copy, bytes);
	free(copy);
	fuzz_require(!was_waiting || tally.counts.received + tally.counts.late == answered + 1);
}

static void step(struct input *input)
{
	const uint8_t what = *input->data++;

	input->size--;
	switch (what % 6) {
	case 0:
		send_probe(take_u16(input));
		break;
	case 1:
		now_at_ns += take_u16(input);
		tally_expire(&tally, now_at_ns);
		break;
	case 2:
	case 3:
		take_bytes(input, what % 6 == 3);
		break;
	case 4:
		answer(take_u16(input));
		break;
	default:
		take_quoted(input);
		break;
	}
	const struct tally_counts *const counts = &tally.counts;

	fuzz_require(counts->sent ==
		     counts->received + counts->late + counts->spoiled + counts->lost + tally_waiting(&tally));
	fuzz_require(tally_waiting(&tally) <= counts->sent && counts->reordered <= counts->received);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };

	if (!size) {
		return 0;
	}
	tally_init(&tally, 10000);
	now_at_ns = 0;
	echo_init(&echo, data[0] & 1, 0x4242, UINT64_C(0x1122334455667788));
	input.data++;
	input.size--;
	while (input.size) {
		step(&input);
	}
	return 0;
}
