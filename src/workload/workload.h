/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workloads: one vocabulary for simulated and live traffic. A workload is a value, read from a string
 * such as "udp rate=20k size=64 pattern=poisson"; the table of kinds and keys drives parsing, printing and help.
 */
#ifndef HOLDOFF_WORKLOAD_WORKLOAD_H
#define HOLDOFF_WORKLOAD_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/random.h"

enum workload_kind {
	WORKLOAD_PING,     /* ICMP echo; the board asks, the kernel of the peer answers */
	WORKLOAD_RR,       /* request and response between two applications; the board asks */
	WORKLOAD_UDP,      /* datagrams one way */
	WORKLOAD_TCP,      /* bulk transfer one way */
	WORKLOAD_TFTP,     /* lock-step blocks; dir is the way of the data */
	WORKLOAD_VOIP,     /* one frame per 2 ms, one way */
	WORKLOAD_FIELDBUS, /* the board sends a frame, the bus returns it at once */
	WORKLOAD_KINDS
};

enum workload_direction { WORKLOAD_RX, WORKLOAD_TX }; /* of the data, as the board sees it */
enum workload_pattern { WORKLOAD_CBR, WORKLOAD_POISSON, WORKLOAD_BURST };

struct workload {
	enum workload_kind kind;
	uint32_t mtu;  /* of the link, in bytes of IP packet, 576 .. 9000: what a payload has to fit */
	uint32_t size; /* payload bytes of a datagram, request, echo or block; what does not fit a frame is an error */
	enum workload_direction direction;
	int64_t interval_ns; /* ping, rr, fieldbus: between sends; ping and rr 0: next when the reply is in (ping: or after
			      * 10 ms) */
	uint64_t rate_per_s; /* udp: packets per second; 0: as fast as the wire takes them */
	enum workload_pattern pattern;
	uint32_t burst_count;   /* pattern=burst: frames back to back ... */
	int64_t burst_every_ns; /* ... each so often */
	uint32_t connections;   /* rr: closed loops side by side, 1 .. 64 */
	uint64_t window_bytes;  /* tcp: most bytes in flight */
	uint32_t mss;           /* tcp: payload of a segment */
	bool delayed_ack;       /* tcp: an ACK per two segments, else 40 ms; off: per segment */
	bool gro;               /* receive offload merges segments of one poll */
	bool xdp_drop;          /* udp: an XDP program drops each datagram in the driver; it counts as received */
	uint64_t total_bytes;   /* tftp: size of the file; 0: until the run ends */
};

struct workload_key_info {
	const char *name;  /* "rate" */
	const char *value; /* what it takes, for people: "PACKETS/s", "cbr|poisson|burst" */
	const char *meaning;
	uint32_t kinds; /* bit per workload_kind that takes it */
};

const struct workload_key_info *workload_keys(unsigned *count);

#define WORKLOAD_DEFAULT_MAX 32

/* What the key with this index is for this kind when it is not given; "" where it has to be given, or is without
 * meaning. Returns buffer. */
char *workload_key_default(enum workload_kind kind, unsigned key, char buffer[WORKLOAD_DEFAULT_MAX]);
const char *workload_kind_name(enum workload_kind kind);
const char *workload_kind_meaning(enum workload_kind kind);

/* Strict: unknown kinds and keys name the nearest known one, a key that another kind takes is said to be its. */
int workload_parse(struct workload *workload, const char *text, struct err *err);

#define WORKLOAD_TEXT_MAX 256

/* The canonical text: kind and every key that differs from its default for the kind; parses back to the same value.
 * Returns buffer. */
char *workload_print(const struct workload *workload, char buffer[WORKLOAD_TEXT_MAX]);

/* The largest payload whose frame fits this MTU. */
uint32_t workload_largest_payload(enum workload_kind kind, uint32_t mtu);

/* Bytes of a frame from destination address to FCS (at least 64) that carries this payload: ICMP and UDP add 46, TCP 70
 * (with time stamps), fieldbus 18. */
unsigned workload_frame_bytes(enum workload_kind kind, uint32_t payload);

/* Payload of a datagram, request, echo, block or segment, without headers of the application, and the frame that brings it. */
uint32_t workload_payload(const struct workload *workload);
unsigned workload_data_frame_bytes(const struct workload *workload);

/* When frames of an open-loop workload leave (udp, voip): a stream of instants. */
struct workload_schedule {
	struct random random;
	int64_t next_at_ns;
	uint64_t sent; /* frames since the start */
	uint64_t rate_per_s;
	enum workload_pattern pattern;
	uint32_t burst_count, left_in_burst;
	int64_t burst_every_ns, burst_at_ns;
	int64_t start_at_ns;
	int64_t step_ns;    /* cbr: whole ns between frames, ... */
	uint64_t step_rest; /* ... what is left of them, in 1 / rate_per_s ns, ... */
	uint64_t rest;      /* ... and what has added up; poisson: in 1 / 1024 ns */
};

void workload_schedule_init(struct workload_schedule *schedule, const struct workload *workload, int64_t start_at_ns,
			    uint64_t seed);
/*
 * The instant of the next frame; never goes back. CBR instants are start + floor(n * 1e9 / rate): no drift. For rate 0
 * always the same instant: the wire paces. Poisson: the first gap comes before the first frame. Bursts: burst_count
 * equal instants, then the next burst.
 */
int64_t workload_schedule_next(struct workload_schedule *schedule);

#endif
