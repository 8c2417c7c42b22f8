/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What becomes of probes: each case, and that their sum is right whatever comes. */
#include "live/tally.c"

#include "base/random.h"
#include "tap.h"

#define TIMEOUT_NS 1000

static struct tally tally;

static bool is_balanced(void)
{
	const struct tally_counts *const counts = &tally.counts;
	uint64_t waiting = 0;

	for (unsigned i = 0; i < TALLY_PROBES; i++) {
		waiting += tally.probe[i].state == TALLY_WAITING;
	}
	return counts->sent == counts->received + counts->late + counts->spoiled + counts->lost + waiting &&
	       waiting == tally_waiting(&tally);
}

static void begin(unsigned probes)
{
	tally_init(&tally, TIMEOUT_NS);
	for (unsigned i = 0; i < probes; i++) {
		tally_send(&tally, 10 * i, 56);
	}
}

static void test_each_fate(void)
{
	begin(6);
	tap_is(tally_reply(&tally, 1, 56, true, 100), TALLY_IS_RECEIVED, "in time");
	tap_is(tally_reply(&tally, 1, 56, true, 110), TALLY_IS_DUPLICATE, "again");
	tap_is(tally_reply(&tally, 2, 56, false, 120), TALLY_IS_CORRUPT, "damaged");
	tap_is(tally_reply(&tally, 3, 55, true, 130), TALLY_IS_CORRUPT, "another length");
	tap_is(tally_reply(&tally, 7, 56, true, 140), TALLY_IS_FOREIGN, "never sent");
	tap_is(tally_reply(&tally, 0, 56, true, 140), TALLY_IS_FOREIGN, "no number");
	tally_expire(&tally, 1030);
	tap_is((int64_t)tally.counts.lost, 0, "nothing is lost when its time is just over");
	tally_expire(&tally, 1031);
	tap_is((int64_t)tally.counts.lost, 1, "the fourth is lost 1 ns later");
	tap_is(tally_reply(&tally, 4, 56, true, 1100), TALLY_IS_LATE, "its reply is late");
	tap_is(tally_reply(&tally, 5, 56, true, 1041), TALLY_IS_LATE, "also when nobody had looked for the loss");
	tap_is(tally_reply(&tally, 6, 56, true, 1050), TALLY_IS_RECEIVED, "at the last instant");
	tap_is((int64_t)tally.counts.received, 2, "two received");
	tap_is((int64_t)tally.counts.late, 2, "two late");
	tap_is((int64_t)tally.counts.lost, 0, "late is not lost");
	tap_is((int64_t)tally.counts.spoiled, 2, "two spoiled");
	tap_is(tally_reply(&tally, 3, 56, true, 150), TALLY_IS_RECEIVED, "an intact one after a damaged one counts");
	tap_is((int64_t)tally.counts.spoiled, 1, "instead of it");
	tap_is((int64_t)tally.counts.corrupt, 2, "though damaged it was");
	tap_ok(is_balanced(), "and the sum is right");
}

static void test_refusal(void)
{
	begin(3);
	tally_refused(&tally, 1);
	tally_refused(&tally, 1);
	tally_refused(&tally, 9);
	tap_is((int64_t)tally.counts.lost, 1, "what the network refuses is lost, once");
	tally_reply(&tally, 2, 56, true, 50);
	tally_refused(&tally, 2);
	tap_is((int64_t)tally.counts.received, 1, "but not what has come");
	tap_is(tally_reply(&tally, 1, 56, true, 60), TALLY_IS_RECEIVED, "and a reply is a reply");
	tap_is((int64_t)tally.counts.reordered, 1, "after a later one: reordered");
	tap_ok(is_balanced(), "and the sum is right");
}

/* Of n swapped pairs n are reordered; one that is overtaken by many is one. */
static void test_order(void)
{
	begin(10);
	for (unsigned i = 1; i <= 10; i += 2) {
		tally_reply(&tally, i + 1, 56, true, 200);
		tally_reply(&tally, i, 56, true, 200);
	}
	tap_is((int64_t)tally.counts.reordered, 5, "five pairs swapped are five reordered");
	begin(10);
	for (unsigned i = 2; i <= 10; i++) {
		tally_reply(&tally, i, 56, true, 200);
	}
	tally_reply(&tally, 1, 56, true, 200);
	tap_is((int64_t)tally.counts.reordered, 1, "one overtaken by nine is one");
}

static void test_room(void)
{
	begin(TALLY_PROBES);
	tap_ok(!tally_has_room(&tally), "no room while the first of 65536 waits");
	tap_is(tally_deadline(&tally), TIMEOUT_NS, "its time is over first");
	tally_reply(&tally, 2, 56, true, 20);
	tap_ok(!tally_has_room(&tally), "a later one that came makes none");
	tally_reply(&tally, 1, 56, true, 20);
	tap_ok(tally_has_room(&tally), "the first one does");
	tally_send(&tally, 5, 56);
	tap_ok(!tally_find(&tally, 1) && tally_find(&tally, TALLY_PROBES + 1), "and is forgotten for a new one");
	tap_is(tally_reply(&tally, 1, 56, true, 30), TALLY_IS_FOREIGN, "a reply to what is forgotten is nobody's");
	tap_ok(is_balanced(), "and the sum is right");
	tally_expire(&tally, INT64_MAX);
	tap_is(tally_deadline(&tally), NEVER_AT_NS, "none waits");
}

static void test_any_order(void)
{
	struct random random;
	int64_t now_at_ns = 0;
	bool balanced = true;

	random_init(&random, 7, 1);
	begin(0);
	for (unsigned i = 0; i < 300000; i++) {
		const uint64_t sequence =
			tally.last + 2 - random_below(&random, tally.last + 2 < 90 ? tally.last + 2 : 90);

		now_at_ns += (int64_t)random_below(&random, 40);
		switch (random_below(&random, 8)) {
		case 0:
			tally_refused(&tally, sequence);
			break;
		case 1:
			tally_expire(&tally, now_at_ns);
			break;
		case 2:
		case 3:
			tally_reply(&tally, sequence, 56, random_below(&random, 4) != 0, now_at_ns);
			break;
		default:
			if (tally_has_room(&tally)) {
				tally_send(&tally, now_at_ns, 56);
			}
		}
		balanced = balanced && (i % 1000 || is_balanced());
	}
	tap_ok(balanced, "the sum is right whatever comes: %d lost, %d late, %d spoiled", (int)tally.counts.lost,
	       (int)tally.counts.late, (int)tally.counts.spoiled);
	tap_ok(tally.counts.lost && tally.counts.late && tally.counts.spoiled && tally.counts.foreign,
	       "all of it came");
}

int main(void)
{
	test_each_fate();
	test_refusal();
	test_order();
	test_room();
	test_any_order();
	return tap_done();
}
