/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of ping share: ping.c sends and waits, ping_receive.c takes what comes. */
#ifndef HOLDOFF_LIVE_PING_PRIVATE_H
#define HOLDOFF_LIVE_PING_PRIVATE_H

#include "base/random.h"
#include "live/clocks.h"
#include "live/echo.h"
#include "live/icmp_socket.h"
#include "live/ping.h"

#define PING_STAMP_IDS 4096 /* transmit stamps that may be due at a time */
#define PING_IN_A_ROW 64    /* probes before replies are taken, and replies before probes that are due */

/* When a probe passed where. */
struct times {
	struct clocks sent;
	struct stamp transmit[2]; /* software, hardware */
	struct stamp received;
	uint64_t sequence;
	int64_t quiet_ns;
	bool has_transmit[2], is_received, is_driver_counted, is_wire_counted;
};

struct ping {
	struct ping_request request;
	struct icmp_socket icmp;
	struct link_watch watch;
	struct random random;
	struct ping_result result;
	int64_t opened_at_ns, began_at_ns, looked_at_ns;
	int64_t offset_ns; /* of the clocks, lately */
	bool has_true_stamp;

	/* the schedule */
	struct ping_probe next;
	bool is_drawn; /* whether there is a next one is known */
	bool has_next, is_stopped;
	int64_t base_at_ns;  /* what gaps count from: the last probe's due time */
	int64_t retry_at_ns; /* not before */
	int64_t last_sent_at_ns, last_reply_at_ns;
	uint64_t last_sequence; /* of the last probe that was sent */
	uint64_t attempts;      /* in this series */

	uint64_t stamp_sequence[PING_STAMP_IDS]; /* which probe a transmit stamp is of */
	struct tally tally;
	struct times times[TALLY_PROBES];
	struct echo echo;
	uint8_t buffer[ICMP_BUFFER_BYTES];
};

/* Takes all errors and transmit stamps that have come; true when there was any. */
bool ping_take_reports(struct ping *ping);
/* Takes the replies that have come, up to a limit; true when there was any. */
bool ping_take_replies(struct ping *ping);
/* Counts what the kernel refused. */
void ping_add_trouble(struct ping *ping, enum trouble_origin origin, int error);

#endif
