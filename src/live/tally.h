/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What became of each probe. Pure: time is an argument. A probe is waiting, then received (intact and in time), late
 * (intact, after the timeout), spoiled (only a damaged reply came) or lost, so that always
 *
 *	sent = received + late + spoiled + lost + waiting
 *
 * Replies beyond that are counted as what they are and change nothing else: a second intact one is a duplicate, a
 * damaged one is corrupt, one to a probe that was never sent is foreign. The last 65536 probes are remembered, and so
 * many can wait.
 */
#ifndef HOLDOFF_LIVE_TALLY_H
#define HOLDOFF_LIVE_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#define TALLY_PROBES 65536

enum tally_state { TALLY_FREE, TALLY_WAITING, TALLY_RECEIVED, TALLY_LATE, TALLY_SPOILED, TALLY_LOST };

struct tally_counts {
	uint64_t sent, received, late, spoiled, lost; /* probes */
	uint64_t duplicate, corrupt, foreign;         /* replies */
	uint64_t reordered; /* received ones that came after one to a later probe (RFC 4737) */
};

struct tally_probe {
	uint64_t sequence;
	int64_t sent_at_ns;
	unsigned payload_bytes;
	enum tally_state state;
};

struct tally {
	struct tally_counts counts;
	int64_t timeout_ns;
	uint64_t last;             /* number of the last probe, 0: none yet */
	uint64_t oldest;           /* no earlier one waits */
	uint64_t highest_received; /* for reordering */
	struct tally_probe probe[TALLY_PROBES];
};

enum tally_verdict { TALLY_IS_RECEIVED, TALLY_IS_LATE, TALLY_IS_DUPLICATE, TALLY_IS_CORRUPT, TALLY_IS_FOREIGN };

void tally_init(struct tally *tally, int64_t timeout_ns);

/* Whether another probe has room: not when the one 65536 before still waits. */
bool tally_has_room(const struct tally *tally);
/* A probe was sent; they are numbered from 1. Needs room. */
struct tally_probe *tally_send(struct tally *tally, int64_t now_at_ns, unsigned payload_bytes);
/* The probe of this number, or NULL when it was not sent or is forgotten. */
struct tally_probe *tally_find(struct tally *tally, uint64_t sequence);

/* A reply to this probe came; a reply with another length than the probe's is not intact. */
enum tally_verdict tally_reply(struct tally *tally, uint64_t sequence, unsigned payload_bytes, bool is_intact,
			       int64_t now_at_ns);
/* A reply to somebody else. */
void tally_foreign(struct tally *tally);
/* The network said that this probe does not arrive: it is lost, unless a reply comes all the same. */
void tally_refused(struct tally *tally, uint64_t sequence);
/* Those whose time is over are lost. */
void tally_expire(struct tally *tally, int64_t now_at_ns);

/* When the next one is lost; NEVER_AT_NS when none waits. */
int64_t tally_deadline(const struct tally *tally);
uint64_t tally_waiting(const struct tally *tally);

#endif
