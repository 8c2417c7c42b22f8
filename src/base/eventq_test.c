/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/eventq.h"

#include <stdbool.h>

#include "base/random.h"
#include "tap.h"

static void test_order(void)
{
	struct eventq queue;

	eventq_init(&queue);
	tap_ok(eventq_first_at_ns(&queue) == NEVER_AT_NS, "an empty queue waits for nothing");
	eventq_set(&queue, 31, 100);
	tap_is(eventq_first(&queue), 31, "the last slot alone is first");
	eventq_set(&queue, 0, 100);
	tap_is(eventq_first(&queue), 31, "among equals the one set first stays first");
	eventq_set(&queue, 31, 100);
	tap_is(eventq_first(&queue), 0, "setting a slot again puts it behind its equals");
	eventq_update(&queue, 0, 100);
	tap_is(eventq_first(&queue), 0, "an update to the same instant keeps the place");
	eventq_update(&queue, 0, 101);
	tap_is(eventq_first(&queue), 31, "an update to a later instant moves");
	eventq_set(&queue, 5, 99);
	tap_is(eventq_first(&queue), 5, "an earlier instant overtakes");
	tap_is(eventq_first_at_ns(&queue), 99, "the first instant is that of the first slot");
	eventq_set(&queue, 5, NEVER_AT_NS);
	tap_is(eventq_first(&queue), 31, "an emptied slot is out");
	eventq_set(&queue, 31, NEVER_AT_NS);
	eventq_set(&queue, 0, NEVER_AT_NS);
	tap_ok(eventq_first_at_ns(&queue) == NEVER_AT_NS, "emptied again");
	eventq_set(&queue, 4, INT64_MIN);
	eventq_set(&queue, 5, -1);
	tap_is(eventq_first(&queue), 4, "the smallest instant of all is first");
}

/* All slots at one instant come out in the order in which they were set. */
static void test_ties(void)
{
	struct eventq queue;
	unsigned in_order = 0;

	eventq_init(&queue);
	for (unsigned n = 0; n < EVENTQ_SLOTS; n++) {
		eventq_set(&queue, (n * 13 + 5) % EVENTQ_SLOTS, 7);
	}
	for (unsigned n = 0; n < EVENTQ_SLOTS; n++) {
		in_order += eventq_first(&queue) == (n * 13 + 5) % EVENTQ_SLOTS && eventq_first_at_ns(&queue) == 7;
		eventq_set(&queue, eventq_first(&queue), NEVER_AT_NS);
	}
	tap_is(in_order, EVENTQ_SLOTS, "equal instants come out in the order of setting");
}

/* Against the obvious way: look at all slots. */
static unsigned first_by_search(const int64_t *at_ns, const unsigned *set_as)
{
	unsigned first = 0;

	for (unsigned slot = 1; slot < EVENTQ_SLOTS; slot++) {
		if (at_ns[slot] < at_ns[first] || (at_ns[slot] == at_ns[first] && set_as[slot] < set_as[first])) {
			first = slot;
		}
	}
	return first;
}

static void test_against_search(void)
{
	struct eventq queue;
	struct random random;
	int64_t at_ns[EVENTQ_SLOTS];
	unsigned set_as[EVENTQ_SLOTS] = { 0 };
	unsigned wrong = 0;

	eventq_init(&queue);
	random_init(&random, 1, 0);
	for (unsigned slot = 0; slot < EVENTQ_SLOTS; slot++) {
		at_ns[slot] = NEVER_AT_NS;
	}
	for (unsigned step = 1; step <= 200000; step++) {
		const unsigned slot = (unsigned)random_below(&random, EVENTQ_SLOTS);
		const uint64_t instant = random_below(&random, 12); /* few: ties are the rule */
		const int64_t set_ns = instant == 11 ? NEVER_AT_NS : (int64_t)instant;

		eventq_set(&queue, slot, set_ns);
		at_ns[slot] = set_ns;
		set_as[slot] = step;
		const unsigned expected = first_by_search(at_ns, set_as);

		wrong += eventq_first_at_ns(&queue) != at_ns[expected];
		wrong += at_ns[expected] != NEVER_AT_NS && eventq_first(&queue) != expected;
	}
	tap_is(wrong, 0, "200000 random moves agree with a search over all slots");
}

int main(void)
{
	test_order();
	test_ties();
	test_against_search();
	return tap_done();
}
