/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/tally.h"

#include <stddef.h>
#include <string.h>

#include "base/time.h"

void tally_init(struct tally *tally, int64_t timeout_ns)
{
	memset(tally, 0, sizeof(*tally));
	tally->timeout_ns = timeout_ns;
	tally->oldest = 1;
}

static struct tally_probe *slot_of(struct tally *tally, uint64_t sequence)
{
	return &tally->probe[sequence % TALLY_PROBES];
}

/* Moves on to the first probe that waits. */
static void skip_done(struct tally *tally)
{
	while (tally->oldest <= tally->last && slot_of(tally, tally->oldest)->state != TALLY_WAITING) {
		tally->oldest++;
	}
}

bool tally_has_room(const struct tally *tally)
{
	return tally->last + 1 - tally->oldest < TALLY_PROBES;
}

struct tally_probe *tally_send(struct tally *tally, int64_t now_at_ns, unsigned payload_bytes)
{
	struct tally_probe *const probe = slot_of(tally, ++tally->last);

	*probe = (struct tally_probe){
		.sequence = tally->last,
		.sent_at_ns = now_at_ns,
		.payload_bytes = payload_bytes,
		.state = TALLY_WAITING,
	};
	tally->counts.sent++;
	return probe;
}

struct tally_probe *tally_find(struct tally *tally, uint64_t sequence)
{
	struct tally_probe *const probe = slot_of(tally, sequence);

	return sequence && probe->sequence == sequence && probe->state != TALLY_FREE ? probe : NULL;
}

/* A probe that had ended some other way gets an intact reply. */
static void take_back(struct tally_counts *counts, enum tally_state state)
{
	counts->spoiled -= state == TALLY_SPOILED;
	counts->lost -= state == TALLY_LOST;
}

static enum tally_verdict take_damaged(struct tally *tally, struct tally_probe *probe)
{
	struct tally_counts *const counts = &tally->counts;

	counts->corrupt++;
	if (probe->state == TALLY_WAITING || probe->state == TALLY_LOST) {
		take_back(counts, probe->state);
		probe->state = TALLY_SPOILED;
		counts->spoiled++;
	}
	skip_done(tally);
	return TALLY_IS_CORRUPT;
}

static enum tally_verdict take_intact(struct tally *tally, struct tally_probe *probe, int64_t now_at_ns)
{
	struct tally_counts *const counts = &tally->counts;
	const bool is_late = now_at_ns - probe->sent_at_ns > tally->timeout_ns;

	take_back(counts, probe->state);
	probe->state = is_late ? TALLY_LATE : TALLY_RECEIVED;
	skip_done(tally);
	if (is_late) {
		counts->late++;
		return TALLY_IS_LATE;
	}
	counts->received++;
	if (probe->sequence < tally->highest_received) {
		counts->reordered++;
	} else {
		tally->highest_received = probe->sequence;
	}
	return TALLY_IS_RECEIVED;
}

enum tally_verdict tally_reply(struct tally *tally, uint64_t sequence, unsigned payload_bytes, bool is_intact,
			       int64_t now_at_ns)
{
	struct tally_probe *const probe = tally_find(tally, sequence);

	if (!probe) {
		tally_foreign(tally);
		return TALLY_IS_FOREIGN;
	}
	if (!is_intact || payload_bytes != probe->payload_bytes) {
		return take_damaged(tally, probe);
	}
	if (probe->state == TALLY_RECEIVED || probe->state == TALLY_LATE) {
		tally->counts.duplicate++;
		return TALLY_IS_DUPLICATE;
	}
	return take_intact(tally, probe, now_at_ns);
}

void tally_foreign(struct tally *tally)
{
	tally->counts.foreign++;
}

static void lose(struct tally *tally, struct tally_probe *probe)
{
	probe->state = TALLY_LOST;
	tally->counts.lost++;
	skip_done(tally);
}

void tally_refused(struct tally *tally, uint64_t sequence)
{
	struct tally_probe *const probe = tally_find(tally, sequence);

	if (probe && probe->state == TALLY_WAITING) {
		lose(tally, probe);
	}
}

void tally_expire(struct tally *tally, int64_t now_at_ns)
{
	while (now_at_ns > tally_deadline(tally)) {
		lose(tally, slot_of(tally, tally->oldest));
	}
}

int64_t tally_deadline(const struct tally *tally)
{
	return tally->oldest > tally->last ? NEVER_AT_NS
					   : tally->probe[tally->oldest % TALLY_PROBES].sent_at_ns + tally->timeout_ns;
}

uint64_t tally_waiting(const struct tally *tally)
{
	const struct tally_counts *const counts = &tally->counts;

	return counts->sent - counts->received - counts->late - counts->spoiled - counts->lost;
}
