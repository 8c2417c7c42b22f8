/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/way.h"

#include <assert.h>

#include "base/time.h"
#include "base/wide.h"

const struct way_info way_counts[WAY_COUNTS] = {
	[WAY_SCHEDULED] = { "scheduled", "due before the end, by the schedule" },
	[WAY_SENT] = { "sent", "packets that the sending kernel took" },
	[WAY_SENT_BYTES] = { "sent_bytes", "payload of them" },
	[WAY_NOT_TAKEN] = { "not_taken", "packets that the sending kernel had no room for, or no time" },
	[WAY_SENDING_NS] = { "sending_ns", "from the first sending call to the last" },
	[WAY_SENDER_CPU_NS] = { "sender_cpu_ns", "CPU time of the sending thread, busy waiting included" },
	[WAY_RECEIVED] = { "received", "different packets that arrived" },
	[WAY_RECEIVED_BYTES] = { "received_bytes", "payload of them" },
	[WAY_RECEIVING_NS] = { "receiving_ns", "from the first arrival to the last" },
	[WAY_DUPLICATED] = { "duplicated", "packets that had arrived before" },
	[WAY_REORDERED] = { "reordered", "packets that arrived after one with a higher number" },
	[WAY_CORRUPT] = { "corrupt", "packets of this load with wrong bytes or another length" },
	[WAY_FOREIGN] = { "foreign", "packets at our port that are not of this load" },
	[WAY_UNEXPECTED] = { "unexpected", "packets with a number that nobody asked for" },
	[WAY_LATE] = { "late", "answers to requests that had been given up, after a second" },
	[WAY_UNANSWERED] = { "unanswered", "requests without an answer, whichever way it was lost" },
	[WAY_SOCKET_DROPPED] = { "socket_dropped", "packets that arrived when the receiving socket was full" },
	[WAY_BURSTS] = { "bursts", "groups of arrivals with less than half a period between them" },
	[WAY_BURST_PACKETS_MAX] = { "burst_packets_max", "most packets in one of them" },
	[WAY_RECEIVER_CPU_NS] = { "receiver_cpu_ns", "CPU time of the receiving thread" },
	[WAY_RETRANSMITTED] = { "retransmitted", "segments or blocks sent once more" },
	[WAY_MSS_BYTES] = { "mss_bytes", "payload of a TCP segment, as the sending socket has it" },
	[WAY_WINDOW_BYTES] = { "window_bytes", "largest window that the receiving end of TCP offered" },
};

const struct way_info way_spans[WAY_SPANS] = {
	[WAY_GAP] = { "gap_ns", "from arrival to arrival, by the kernel's stamps" },
	[WAY_ONE_WAY] = { "one_way_ns", "from before the sending call to the return of the receiving call" },
	[WAY_GAP_ERROR] = { "gap_error_ns", "gap between departures against the schedule's" },
	[WAY_LATENESS] = { "lateness_ns", "from the instant of the schedule to the sending call" },
};

static_assert(WAY_COUNTS <= 32 && WAY_SPANS <= 32, "one bit each");

void way_init(struct way *way)
{
	*way = (struct way){ 0 };
}

void way_put(struct way *way, enum way_count count, uint64_t value)
{
	way->has |= 1u << count;
	way->count[count] = value;
}

void way_put_span(struct way *way, enum way_span span, const struct histogram *histogram)
{
	if (histogram->count + histogram->out_of_range > 0) {
		way->has_spans |= 1u << span;
		way->span[span] = *histogram;
	}
}

bool way_lost(const struct way *way, uint64_t *lost)
{
	const uint64_t sent = way->count[WAY_SENT], received = way->count[WAY_RECEIVED] + way->count[WAY_LATE];

	*lost = sent > received ? sent - received : 0;
	return way_has(way, WAY_SENT) && way_has(way, WAY_RECEIVED);
}

void way_keep(struct way *way, bool of_sender)
{
	way->has &= of_sender ? WAY_COUNTS_OF_SENDER : ~WAY_COUNTS_OF_SENDER;
	way->has_spans &= of_sender ? WAY_SPANS_OF_SENDER : ~WAY_SPANS_OF_SENDER;
	if (!of_sender) {
		way->method[0] = '\0';
	}
}

void way_merge(struct way *way, const struct way *other)
{
	for (enum way_count count = 0; count < WAY_COUNTS; count++) {
		if (way_has(other, count)) {
			way_put(way, count, other->count[count]);
		}
	}
	for (enum way_span span = 0; span < WAY_SPANS; span++) {
		if (way_has_span(other, span)) {
			way_put_span(way, span, &other->span[span]);
		}
	}
	for (unsigned i = 0; other->method[0] && i < WAY_METHOD_MAX; i++) {
		way->method[i] = other->method[i];
	}
}

/* scale * count / span, where there are both. */
static bool rate(uint64_t count, uint64_t span_ns, unsigned scale, uint64_t *result)
{
	if (!count || !span_ns) {
		return false;
	}
	*result = wide_scale(count, (uint64_t)NS_PER_S * scale, span_ns);
	return true;
}

/* From the first to the last of n there are n - 1 gaps. */
bool way_arrival_rate(const struct way *way, uint64_t *milli_per_s)
{
	const uint64_t received = way->count[WAY_RECEIVED];

	return rate(received ? received - 1 : 0, way->count[WAY_RECEIVING_NS], 1000, milli_per_s);
}

bool way_departure_rate(const struct way *way, uint64_t *milli_per_s)
{
	const uint64_t sent = way->count[WAY_SENT];

	return rate(sent ? sent - 1 : 0, way->count[WAY_SENDING_NS], 1000, milli_per_s);
}

/* Of numbered packets the first began the span and does not count; of a byte stream all do. */
bool way_goodput(const struct way *way, uint64_t *bits_per_s)
{
	uint64_t bytes = way->count[WAY_RECEIVED_BYTES];

	if (way_has(way, WAY_RECEIVED) && way->count[WAY_RECEIVED]) {
		bytes -= bytes / way->count[WAY_RECEIVED];
	}
	return rate(bytes, way->count[WAY_RECEIVING_NS], 8, bits_per_s);
}
