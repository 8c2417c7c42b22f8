/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The receiver of numbered datagrams: takes what comes into a arrivals, by the kernel's receive stamps, and looks at every
 * byte. It belongs to a connected socket, or locks onto the first address that shows the token: what comes from others is
 * counted as foreign.
 *
 * Where the data come from the far end, it also asks for them: it says now and then how many may have been sent in all.
 * At the far end it takes what it was asked into `asked`.
 */
#ifndef HOLDOFF_LIVE_COLLECT_H
#define HOLDOFF_LIVE_COLLECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "live/address.h"
#include "live/arrivals.h"
#include "live/packet.h"
#include "live/way.h"

/* Stamps of what was sent last, written by the sender: the other end's word is not needed for how long it took. */
#define COLLECT_SENT_WINDOW 65536

struct collect_sent {
	_Atomic uint64_t next; /* sequence of the next message */
	_Atomic uint32_t stamp_ns[COLLECT_SENT_WINDOW];
};

void collect_sent_put(struct collect_sent *sent, uint64_t sequence, uint32_t stamp_ns);

/* Who hears nothing for so long takes the other end for gone. */
#define COLLECT_SILENCE_NS (5 * NS_PER_S)

struct collect {
	/* To be set. */
	int fd;
	const struct packet_form *form; /* of what has to come */
	enum packet_kind kind;          /* PACKET_DATA, or what comes in its place */
	uint32_t size;                  /* of a datagram */
	bool shares_clock;              /* with the sender: the stamp of a packet is of our clock */
	/* What comes back was sent from here: how many so far, and their stamps. NULL: it comes from the other end. */
	const struct collect_sent *own;
	bool may_be_silent; /* silence does not end it: the data go the other way only */
	int64_t silence_ns;
	/* What of a message is the packet: bytes of headers that stand before it, in a raw socket. NULL: all of it. */
	const uint8_t *(*strip)(void *context, const uint8_t *message, uint32_t *size);
	void *context;
	/* The asking end. */
	const struct packet_form *ask_form;                                   /* of the far end; NULL: does not ask */
	uint64_t (*allow)(const struct collect *collect, int64_t elapsed_ns); /* how many may have been sent by now */
	const struct workload *workload;                                      /* for allow */
	/* The far end. */
	bool locks;              /* the socket is not connected yet */
	struct address only;     /* size 0: any; else the host that may be locked onto */
	_Atomic uint64_t *asked; /* may be NULL */
	_Atomic bool is_locked;

	/* Set from outside while it runs. */
	_Atomic bool stop;         /* end at once */
	_Atomic bool drain;        /* end when `expected` have come, or nothing more comes */
	_Atomic uint64_t expected; /* datagrams that have left for here */

	/* What it found, to be read when it has returned. */
	struct arrivals arrivals;
	uint64_t corrupt, foreign, socket_dropped;
	bool was_silent; /* it ended because nothing came any more */
	int64_t cpu_ns;
	int64_t last_heard_at_ns;
	int64_t asked_at_ns, started_at_ns;
};

/* Makes the socket stamp, and take as much as it may. Fills in what was not set to be empty. */
void collect_init(struct collect *collect, int64_t burst_gap_ns);
/* Receives until it is told to end. A negative errno when the socket failed. */
int collect_run(struct collect *collect, struct err *err);
/* What a receiver knows of a way. */
void collect_report(const struct collect *collect, struct way *way);

/* For allow: by the rate of the workload, with a second and some more in hand. */
uint64_t collect_allow(const struct collect *collect, int64_t elapsed_ns);

/* A receiving socket's queue as large as this user may have it. */
void collect_enlarge(int fd);
/* Datagrams that the socket had no room for; false where the kernel does not say. */
bool collect_socket_drops(int fd, uint64_t *drops);

#endif
