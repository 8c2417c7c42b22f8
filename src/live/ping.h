/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Series of echo probes to one host, measured. Nothing is printed.
 *
 * A series is a loop of one thread: probes are sent when they are due, replies taken, and the time between is waited
 * for in ppoll. What one probe is (its payload, and how long after what it is sent) may come from the caller, who can
 * so mix sizes and gaps within one series; else all are alike, at a mean interval.
 *
 * Gaps at an interval are drawn evenly from a half to one and a half of it, so that probes do not keep step with a
 * timer of the NIC; their mean is the interval. Fixed ones follow a schedule without drift. At interval 0 the next probe
 * goes when the reply is in, or after 10 ms, as ping -f does.
 */
#ifndef HOLDOFF_LIVE_PING_H
#define HOLDOFF_LIVE_PING_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "live/host.h"
#include "live/link_watch.h"
#include "live/tally.h"
#include "live/trouble.h"
#include "stats/histogram.h"

/* Between which two points a round trip was measured. */
enum ping_span {
	PING_TO_KERNEL,      /* user space before send, to the kernel's receive stamp: what ping measures */
	PING_TO_APPLICATION, /* user space before send, to the return of the receiving call */
	PING_FROM_DRIVER,    /* the driver's transmit stamp to the kernel's receive stamp */
	PING_ON_WIRE,        /* transmit stamp to receive stamp of the NIC */
	PING_SPANS
};

/* One probe. */
struct ping_probe {
	unsigned payload_bytes;
	int64_t gap_ns;
	bool is_after_reply; /* the gap counts from the reply to the last probe (10 ms at most), else from its sending */
};

/* What came, for who wants each of them. */
struct ping_reply {
	enum tally_verdict verdict;
	uint64_t sequence; /* of the probe, from 1; not of a foreign one */
	unsigned payload_bytes;
	int time_to_live; /* -1: not known */
	struct sockaddr_storage from;
	uint32_t has; /* 1u << enum ping_span; only of received ones */
	int64_t rtt_ns
		[PING_SPANS]; /* PING_FROM_DRIVER and PING_ON_WIRE may come too late for this, and are only counted */
	int64_t quiet_ns; /* from the reply before the probe was sent (or its sending, if it had none) to its sending */
	int64_t received_at_ns; /* by the kernel's stamp if there is one; only differences of it mean something */
};

/* The next probe; false: there are no more. */
typedef bool ping_next_fn(void *context, struct ping_probe *probe);
typedef void ping_reply_fn(void *context, const struct ping_reply *reply);

struct ping_request {
	struct host host;
	int ifindex; /* the only interface to send by; 0: as the routes have it */
	unsigned payload_bytes;
	int64_t interval_ns;
	bool is_fixed;
	uint64_t count;          /* of probes; 0: no limit */
	int64_t duration_ns;     /* of sending; 0: no limit */
	int64_t timeout_ns;      /* later replies are late */
	unsigned transmit_every; /* one probe in so many asks for its transmit stamp; 0: none */
	uint64_t seed;           /* of the gaps */
	int stop_fd;             /* ends the series when it can be read; -1: none */
	ping_next_fn *next;      /* NULL: payload_bytes and interval_ns for all */
	bool is_closed;          /* next is asked when the last probe is answered, or 10 ms after it, and no sooner */
	ping_reply_fn *on_reply; /* or NULL */
	void *context;           /* of both */
};

enum ping_end {
	PING_ENDED_BY_COUNT, /* or there was no next probe */
	PING_ENDED_BY_DURATION,
	PING_ENDED_BY_STOP,
	PING_ENDED_BY_INTERFACE /* it is gone */
};

struct ping_event {
	int64_t at_ns; /* since the series began */
	enum link_change change;
	char name[IFNAMSIZ];
};

#define PING_EVENTS_MAX 16

/* Of all series since ping_open. */
struct ping_result {
	struct tally_counts counts;
	uint64_t waiting; /* neither answered nor lost when the series was stopped */
	struct histogram rtt[PING_SPANS];
	uint64_t unsent;    /* probes that the kernel did not send; why is among the troubles */
	uint64_t no_buffer; /* how often there was no room for sending, and it was tried again */
	uint64_t unstamped; /* received ones without the kernel's stamp: not among PING_TO_KERNEL */
	uint64_t stepped;   /* received ones during which real time was stepped: neither */
	uint64_t overrun;   /* messages that this host's socket had no room for */
	struct troubles troubles;
	unsigned event_count;
	struct ping_event events[PING_EVENTS_MAX];
	uint64_t other_events; /* that found no place */
	int64_t elapsed_ns;    /* of the series, with waiting for the last replies */
	enum ping_end end;     /* of the last one */
	bool is_raw, has_stamps;
	struct err no_stamps;     /* why there are none */
	struct link_state device; /* as it was last heard of */
};

struct ping; /* about 5 MB */

/* Opens socket and memory; ping_close releases both. The request is copied. */
int ping_open(struct ping **ping, const struct ping_request *request, struct err *err);
void ping_close(struct ping *ping);

/* One series, as long as the request says; may be repeated. An error is one that ends the series; the result stands. */
int ping_run(struct ping *ping, struct err *err);
/* Until the next ping_run or ping_close. */
const struct ping_result *ping_result(const struct ping *ping);

/* All of that in one. */
int ping_measure(const struct ping_request *request, struct ping_result *result, struct err *err);

/* "rtt_to_kernel_ns", for JSON; and what it spans, for people. */
const char *ping_span_key(enum ping_span span);
const char *ping_span_words(enum ping_span span);

#endif
