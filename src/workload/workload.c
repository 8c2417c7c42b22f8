/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One table says which kinds take which keys, where their values live and how far they may go; parsing, printing
 * and help all read it.
 */
#include "workload/workload_private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"

#define PING (1u << WORKLOAD_PING)
#define RR (1u << WORKLOAD_RR)
#define UDP (1u << WORKLOAD_UDP)
#define TCP (1u << WORKLOAD_TCP)
#define TFTP (1u << WORKLOAD_TFTP)
#define VOIP (1u << WORKLOAD_VOIP)
#define FIELDBUS (1u << WORKLOAD_FIELDBUS)

#define MTU_DEFAULT 1500

const struct workload_kind_info workload_kinds[WORKLOAD_KINDS] = {
	[WORKLOAD_PING] = { "ping",
			    "ICMP echo: the board asks, the kernel of the peer answers",
			    46,
			    0,
			    { .kind = WORKLOAD_PING, .mtu = MTU_DEFAULT, .size = 56, .interval_ns = NS_PER_S } },
	[WORKLOAD_RR] = { "rr",
			  "request and response between two applications; the board asks",
			  46,
			  0,
			  { .kind = WORKLOAD_RR, .mtu = MTU_DEFAULT, .size = 64, .connections = 1 } },
	[WORKLOAD_UDP] = { "udp",
			   "datagrams one way, at a rate or in bursts",
			   46,
			   0,
			   { .kind = WORKLOAD_UDP, .mtu = MTU_DEFAULT, .size = 64 } },
	[WORKLOAD_TCP] = { "tcp",
			   "bulk transfer one way",
			   70,
			   0,
			   { .kind = WORKLOAD_TCP,
			     .mtu = MTU_DEFAULT,
			     .window_bytes = 256 << 10,
			     .mss = 1448,
			     .delayed_ack = true,
			     .gro = true } },
	/* The 4 bytes of opcode and block number (RFC 1350). */
	[WORKLOAD_TFTP] = { "tftp",
			    "lock-step blocks of a file, each acknowledged before the next",
			    46,
			    4,
			    { .kind = WORKLOAD_TFTP, .mtu = MTU_DEFAULT, .size = 512, .total_bytes = 1000000 } },
	[WORKLOAD_VOIP] = { "voip",
			    "one datagram each 2 ms, one way",
			    46,
			    0,
			    { .kind = WORKLOAD_VOIP, .mtu = MTU_DEFAULT, .size = 160, .rate_per_s = 500 } },
	[WORKLOAD_FIELDBUS] = { "fieldbus",
				"a raw frame out, returned by the bus at once",
				18,
				0,
				{ .kind = WORKLOAD_FIELDBUS,
				  .mtu = MTU_DEFAULT,
				  .size = 64,
				  .interval_ns = NS_PER_MS } },
};

static_assert(WORKLOAD_DEFAULT_MAX >= TEXT_DURATION_MAX, "a default is a printed value");

/* Ethernet around an IP packet: addresses, type, FCS. */
#define ETHERNET_BYTES 18
#define MINIMUM_FRAME_BYTES 64

#define DAY_NS (86400 * NS_PER_S)

const struct workload_key_info workload_key_infos[WORKLOAD_KEYS] = {
	[WORKLOAD_KEY_SIZE] = { "size", "BYTES", "payload of a datagram, request, echo or frame",
				PING | RR | UDP | VOIP | FIELDBUS },
	[WORKLOAD_KEY_BLKSIZE] = { "blksize", "BYTES", "payload of a block", TFTP },
	[WORKLOAD_KEY_INTERVAL] = { "interval", "TIME", "between sends; 0: when the reply is in (ping: or after 10 ms)",
				    PING | RR | FIELDBUS },
	[WORKLOAD_KEY_RATE] = { "rate", "PACKETS/s|max|BITSbps",
				"datagrams per second; in bps: bits on the wire with preamble and gap", UDP },
	[WORKLOAD_KEY_PATTERN] = { "pattern", "cbr|poisson|burst", "how the datagrams are spread", UDP },
	[WORKLOAD_KEY_COUNT] = { "count", "PACKETS", "pattern=burst: datagrams back to back", UDP },
	[WORKLOAD_KEY_EVERY] = { "every", "TIME", "pattern=burst: from burst to burst", UDP },
	[WORKLOAD_KEY_CONNECTIONS] = { "connections", "1..64", "closed loops side by side", RR },
	[WORKLOAD_KEY_WINDOW] = { "window", "BYTES", "most bytes in flight", TCP },
	[WORKLOAD_KEY_MSS] = { "mss", "BYTES", "payload of a segment", TCP },
	[WORKLOAD_KEY_DELACK] = { "delack", "on|off", "an ACK per two segments, or after 40 ms", TCP },
	[WORKLOAD_KEY_GRO] = { "gro", "on|off", "receive offload merges the segments of a poll", TCP },
	[WORKLOAD_KEY_BYTES] = { "bytes", "BYTES", "size of the file; 0: until the run ends", TFTP },
	[WORKLOAD_KEY_DIR] = { "dir", "rx|tx", "way of the data as the board sees it", UDP | TCP | TFTP | VOIP },
	[WORKLOAD_KEY_XDP] = { "xdp", "on|off", "an XDP program drops each datagram in the driver", UDP },
	[WORKLOAD_KEY_MTU] = { "mtu", "BYTES", "largest IP packet of the link; a payload has to fit",
			       PING | RR | UDP | TCP | TFTP | VOIP | FIELDBUS },
};

const struct workload_member workload_members[WORKLOAD_KEYS] = {
	[WORKLOAD_KEY_SIZE] = { WORKLOAD_TYPE_U32, offsetof(struct workload, size), 0, 0, true },
	[WORKLOAD_KEY_BLKSIZE] = { WORKLOAD_TYPE_U32, offsetof(struct workload, size), 8, 0,
				   true }, /* RFC 2348: at least 8 */
	[WORKLOAD_KEY_INTERVAL] = { WORKLOAD_TYPE_DURATION, offsetof(struct workload, interval_ns), 0, DAY_NS, false },
	[WORKLOAD_KEY_RATE] = { WORKLOAD_TYPE_RATE, offsetof(struct workload, rate_per_s), 0, WORKLOAD_RATE_MAX,
				false },
	[WORKLOAD_KEY_PATTERN] = { WORKLOAD_TYPE_PATTERN, offsetof(struct workload, pattern), 0, 0, false },
	[WORKLOAD_KEY_COUNT] = { WORKLOAD_TYPE_U32, offsetof(struct workload, burst_count), 1, 1000000, false },
	[WORKLOAD_KEY_EVERY] = { WORKLOAD_TYPE_DURATION, offsetof(struct workload, burst_every_ns), 1, DAY_NS, false },
	[WORKLOAD_KEY_CONNECTIONS] = { WORKLOAD_TYPE_U32, offsetof(struct workload, connections), 1, 64, false },
	[WORKLOAD_KEY_WINDOW] = { WORKLOAD_TYPE_U64, offsetof(struct workload, window_bytes), 1, UINT64_C(1) << 30,
				  false },
	[WORKLOAD_KEY_MSS] = { WORKLOAD_TYPE_U32, offsetof(struct workload, mss), 64, 0, true },
	[WORKLOAD_KEY_DELACK] = { WORKLOAD_TYPE_BOOL, offsetof(struct workload, delayed_ack), 0, 0, false },
	[WORKLOAD_KEY_GRO] = { WORKLOAD_TYPE_BOOL, offsetof(struct workload, gro), 0, 0, false },
	[WORKLOAD_KEY_BYTES] = { WORKLOAD_TYPE_U64, offsetof(struct workload, total_bytes), 0, UINT64_C(1) << 40,
				 false },
	[WORKLOAD_KEY_DIR] = { WORKLOAD_TYPE_DIRECTION, offsetof(struct workload, direction), 0, 0, false },
	[WORKLOAD_KEY_XDP] = { WORKLOAD_TYPE_BOOL, offsetof(struct workload, xdp_drop), 0, 0, false },
	[WORKLOAD_KEY_MTU] = { WORKLOAD_TYPE_U32, offsetof(struct workload, mtu), 576, 9000, false },
};

const char *const workload_pattern_names[3] = { "cbr", "poisson", "burst" };
const char *const workload_direction_names[2] = { "rx", "tx" };

const struct workload_key_info *workload_keys(unsigned *count)
{
	*count = WORKLOAD_KEYS;
	return workload_key_infos;
}

const char *workload_kind_name(enum workload_kind kind)
{
	return workload_kinds[kind].name;
}

const char *workload_kind_meaning(enum workload_kind kind)
{
	return workload_kinds[kind].meaning;
}

uint32_t workload_largest_payload(enum workload_kind kind, uint32_t mtu)
{
	return mtu + ETHERNET_BYTES - workload_kinds[kind].overhead_bytes - workload_kinds[kind].header_bytes;
}

unsigned workload_frame_bytes(enum workload_kind kind, uint32_t payload)
{
	const unsigned bytes = payload + workload_kinds[kind].overhead_bytes;

	return bytes < MINIMUM_FRAME_BYTES ? MINIMUM_FRAME_BYTES : bytes;
}

uint32_t workload_payload(const struct workload *workload)
{
	return workload->kind == WORKLOAD_TCP ? workload->mss : workload->size;
}

unsigned workload_data_frame_bytes(const struct workload *workload)
{
	return workload_frame_bytes(workload->kind,
				    workload_payload(workload) + workload_kinds[workload->kind].header_bytes);
}

static void print_value(const struct workload *workload, enum workload_key key, char buffer[TEXT_DURATION_MAX])
{
	const char *const place = (const char *)workload + workload_members[key].offset;
	uint64_t number = 0;

	switch (workload_members[key].type) {
	case WORKLOAD_TYPE_U32:
		snprintf(buffer, TEXT_DURATION_MAX, "%" PRIu32, *(const uint32_t *)place);
		return;
	case WORKLOAD_TYPE_DURATION:
		text_print_duration(*(const int64_t *)place, buffer);
		return;
	case WORKLOAD_TYPE_U64:
	case WORKLOAD_TYPE_RATE:
		memcpy(&number, place, sizeof(number));
		snprintf(buffer, TEXT_DURATION_MAX, "%" PRIu64, number);
		return;
	case WORKLOAD_TYPE_BOOL:
		snprintf(buffer, TEXT_DURATION_MAX, "%s", *(const bool *)place ? "on" : "off");
		return;
	case WORKLOAD_TYPE_PATTERN:
		snprintf(buffer, TEXT_DURATION_MAX, "%s", workload_pattern_names[workload->pattern]);
		return;
	case WORKLOAD_TYPE_DIRECTION:
		snprintf(buffer, TEXT_DURATION_MAX, "%s", workload_direction_names[workload->direction]);
		return;
	}
}

char *workload_key_default(enum workload_kind kind, unsigned key, char buffer[WORKLOAD_DEFAULT_MAX])
{
	const bool must_be_given = key == WORKLOAD_KEY_RATE || key == WORKLOAD_KEY_COUNT || key == WORKLOAD_KEY_EVERY;

	buffer[0] = '\0';
	if (!must_be_given && workload_takes(kind, (enum workload_key)key)) {
		print_value(&workload_kinds[kind].defaults, (enum workload_key)key, buffer);
	}
	return buffer;
}

/* A rate must be given, also when it is the 0 of "as fast as the wire". */
static bool must_print(const struct workload *workload, enum workload_key key)
{
	return key == WORKLOAD_KEY_RATE && workload->pattern != WORKLOAD_BURST;
}

char *workload_print(const struct workload *workload, char buffer[WORKLOAD_TEXT_MAX])
{
	const struct workload *const defaults = &workload_kinds[workload->kind].defaults;
	size_t length = (size_t)snprintf(buffer, WORKLOAD_TEXT_MAX, "%s", workload_kinds[workload->kind].name);

	for (enum workload_key key = 0; key < WORKLOAD_KEYS; key++) {
		char value[TEXT_DURATION_MAX], usual[TEXT_DURATION_MAX];

		if (!workload_takes(workload->kind, key)) {
			continue;
		}
		print_value(workload, key, value);
		print_value(defaults, key, usual);
		if (!must_print(workload, key) && strcmp(value, usual) == 0) {
			continue;
		}
		length += (size_t)snprintf(buffer + length, WORKLOAD_TEXT_MAX - length, " %s=%s",
					   workload_key_infos[key].name,
					   must_print(workload, key) && workload->rate_per_s == 0 ? "max" : value);
		assert(length < WORKLOAD_TEXT_MAX);
	}
	return buffer;
}
