/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was counted and measured of one way of a load, at both of its ends. One table of names drives JSON, text and the
 * protocol between the ends. What nobody counted is absent, never 0. Pure.
 */
#ifndef HOLDOFF_LIVE_WAY_H
#define HOLDOFF_LIVE_WAY_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/histogram.h"

enum way_count {
	WAY_SCHEDULED,
	WAY_SENT,
	WAY_SENT_BYTES,
	WAY_NOT_TAKEN,
	WAY_SENDING_NS,
	WAY_SENDER_CPU_NS,
	WAY_RECEIVED,
	WAY_RECEIVED_BYTES,
	WAY_RECEIVING_NS,
	WAY_DUPLICATED,
	WAY_REORDERED,
	WAY_CORRUPT,
	WAY_FOREIGN,
	WAY_UNEXPECTED,
	WAY_LATE,
	WAY_UNANSWERED,
	WAY_SOCKET_DROPPED,
	WAY_BURSTS,
	WAY_BURST_PACKETS_MAX,
	WAY_RECEIVER_CPU_NS,
	WAY_RETRANSMITTED,
	WAY_MSS_BYTES,
	WAY_WINDOW_BYTES,
	WAY_COUNTS
};

enum way_span {
	WAY_GAP,       /* from arrival to arrival */
	WAY_ONE_WAY,   /* from before the sending call to the return of the receiving call */
	WAY_GAP_ERROR, /* a gap between departures against the one of the schedule, without its sign */
	WAY_LATENESS,  /* from the instant of the schedule to the sending call */
	WAY_SPANS
};

#define WAY_METHOD_MAX 160

struct way {
	uint32_t has;       /* 1u << enum way_count */
	uint32_t has_spans; /* 1u << enum way_span */
	uint64_t count[WAY_COUNTS];
	struct histogram span[WAY_SPANS];
	char method[WAY_METHOD_MAX]; /* how it was paced; "" where it was not */
};

struct way_info {
	const char *name; /* in JSON and in the protocol */
	const char *meaning;
};

extern const struct way_info way_counts[WAY_COUNTS];
extern const struct way_info way_spans[WAY_SPANS];

void way_init(struct way *way);
void way_put(struct way *way, enum way_count count, uint64_t value);
/* Leaves it absent when nothing was recorded. */
void way_put_span(struct way *way, enum way_span span, const struct histogram *histogram);

static inline bool way_has(const struct way *way, enum way_count count)
{
	return way->has >> count & 1;
}

static inline bool way_has_span(const struct way *way, enum way_span span)
{
	return way->has_spans >> span & 1;
}

/* What left and did not arrive; false if one of the two is not known. More than was sent can't have arrived: 0 then. */
bool way_lost(const struct way *way, uint64_t *lost);

/* What a sender, and what a receiver knows. */
#define WAY_COUNTS_OF_SENDER                                                                                        \
	(1u << WAY_SCHEDULED | 1u << WAY_SENT | 1u << WAY_SENT_BYTES | 1u << WAY_NOT_TAKEN | 1u << WAY_SENDING_NS | \
	 1u << WAY_SENDER_CPU_NS | 1u << WAY_RETRANSMITTED | 1u << WAY_MSS_BYTES | 1u << WAY_WINDOW_BYTES)
#define WAY_SPANS_OF_SENDER (1u << WAY_GAP_ERROR | 1u << WAY_LATENESS)

/* Leaves only what one of the two ends can know. */
void way_keep(struct way *way, bool of_sender);

/* What the other one knows goes over what is there. */
void way_merge(struct way *way, const struct way *other);

/* Thousandths of packets, and bits of payload, per second at the receiver, from its first arrival to its last; false if not known. */
bool way_arrival_rate(const struct way *way, uint64_t *milli_per_s);
bool way_goodput(const struct way *way, uint64_t *bits_per_s);
/* The same of what was sent. */
bool way_departure_rate(const struct way *way, uint64_t *milli_per_s);

#endif
