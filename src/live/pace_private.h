/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of the paced sender: waiting for an instant, and handing messages to the kernel. */
#ifndef HOLDOFF_LIVE_PACE_PRIVATE_H
#define HOLDOFF_LIVE_PACE_PRIVATE_H

#include <sys/socket.h>
#include <sys/uio.h>

#include "live/pace.h"
#include "live/send_time.h"
#include "live/stamp.h"

/* ---- pace_wait.c ---- */

struct pace_wait {
	int64_t early_ns; /* waking so much before an instant */
	bool is_busy;     /* and waiting busily from there on */
};

/* Tries how late this thread wakes up; takes a few ms. */
void pace_wait_init(struct pace_wait *wait);
/* Returns at the instant, or not much later than *stop was set. */
void pace_wait_until(const struct pace_wait *wait, int64_t at_ns, const _Atomic bool *stop);

/* ---- pace_stamps.c: when messages leave that the kernel sends by time ---- */

/* More than the kernel holds at a time. */
#define PACE_STAMPS_MAX 8192

struct pace_stamps {
	bool is_on; /* the socket has them; whether its driver makes them shows */
	struct stamps stamps;
	int64_t offset_ns; /* of CLOCK_REALTIME to CLOCK_MONOTONIC */
	int64_t due_at_ns[PACE_STAMPS_MAX];
	bool has_last;
	uint32_t last_id;
	int64_t last_left_at_ns, last_due_at_ns;
	struct histogram gap_error, lateness;
	uint64_t missed; /* dropped, since they came too late for their instant */
};

void pace_stamps_open(struct pace_stamps *stamps, int fd);
/* Adds to the control messages of the message with this index in its call. */
void pace_stamps_request(struct pace_stamps *stamps, struct msghdr *message, unsigned index, int64_t due_at_ns);
void pace_stamps_sent(struct pace_stamps *stamps, unsigned taken, bool all);
/* Those that have come. */
void pace_stamps_take(struct pace_stamps *stamps);

/* ---- pace_send.c ---- */

struct pace_sender {
	int fd;
	uint32_t size, header_bytes; /* of a message, and of that what is no payload */
	unsigned batch_max;
	bool segments;              /* a batch is one buffer, cut by GSO */
	struct send_time send_time; /* each message has its instant */
	struct pace_stamps stamps;  /* and its stamp */
	uint8_t *buffer;            /* batch_max messages */
	struct mmsghdr messages[PACE_BATCH_MAX];
	struct iovec parts[PACE_BATCH_MAX];
	_Alignas(struct cmsghdr) uint8_t control[PACE_BATCH_MAX][CMSG_SPACE(sizeof(uint64_t)) + STAMP_REQUEST_BYTES];
};

/* is_paced: the schedule has instants, which the kernel may be told. */
int pace_sender_open(struct pace_sender *sender, const struct pace_request *request, bool is_paced, struct err *err);
void pace_sender_close(struct pace_sender *sender);

static inline uint8_t *pace_sender_message(const struct pace_sender *sender, unsigned index)
{
	return sender->buffer + (size_t)index * sender->size;
}

/*
 * The first `count` messages of the buffer, at_ns being their instants. Blocks while the socket is full. *taken: how many the kernel took,
 * from the first on; all of them unless *not_taken, when it had no room for the one that follows, or an error.
 */
int pace_sender_send(struct pace_sender *sender, unsigned count, const int64_t *at_ns, const _Atomic bool *stop,
		     unsigned *taken, bool *not_taken, struct err *err);

#endif
