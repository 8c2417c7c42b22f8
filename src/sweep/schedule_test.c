/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sweep/schedule.h"

#include <string.h>

#include "tap.h"

#define SETTINGS 5
#define WORKLOADS 3
#define VISITS ((SETTINGS + 1) * WORKLOADS)

/* Where a setting stands among the settings of its round. */
static unsigned place_of(const struct sweep_visit *visits, uint32_t setting)
{
	unsigned place = 0;

	while (visits[place * WORKLOADS].setting != setting) {
		place++;
	}
	return place;
}

static void check_round(void)
{
	struct sweep_visit visits[VISITS], again[VISITS];
	unsigned seen[SETTINGS + 1][WORKLOADS] = { { 0 } };
	bool stands_together = true, is_once = true;

	sweep_round(1, 0, SETTINGS, WORKLOADS, visits);
	for (unsigned i = 0; i < VISITS; i++) {
		const uint32_t setting = visits[i].setting == SWEEP_CONTROL ? SETTINGS : visits[i].setting;

		seen[setting][visits[i].workload]++;
		stands_together &= visits[i].setting == visits[i - i % WORKLOADS].setting;
	}
	for (unsigned i = 0; i < VISITS; i++) {
		is_once &= seen[i / WORKLOADS][i % WORKLOADS] == 1;
	}
	tap_is(sweep_visits(SETTINGS, WORKLOADS), VISITS, "visits of a round");
	tap_ok(is_once, "every setting and the control meet every workload once");
	tap_ok(stands_together, "visits of one setting stand together");
	sweep_round(1, 0, SETTINGS, WORKLOADS, again);
	tap_ok(memcmp(visits, again, sizeof(visits)) == 0, "a round is the same again");
	sweep_round(1, 1, SETTINGS, WORKLOADS, again);
	tap_ok(memcmp(visits, again, sizeof(visits)) != 0, "the next one is another");
	sweep_round(2, 0, SETTINGS, WORKLOADS, again);
	tap_ok(memcmp(visits, again, sizeof(visits)) != 0, "with another seed as well");
}

/* Over many rounds no setting has a place of its own. */
static void check_fair(void)
{
	unsigned places[SETTINGS + 1] = { 0 }, rounds = 6000, first = 0;
	bool is_fair = true;

	for (unsigned round = 0; round < rounds; round++) {
		struct sweep_visit visits[VISITS];

		sweep_round(3, round, SETTINGS, WORKLOADS, visits);
		places[place_of(visits, SWEEP_CONTROL)]++;
		first += visits[0].workload == 0;
	}
	for (unsigned i = 0; i <= SETTINGS; i++) {
		is_fair &= places[i] > 850 && places[i] < 1150;
	}
	tap_ok(is_fair, "the control is everywhere equally often");
	tap_ok(first > 1850 && first < 2150, "so is a workload among those of a setting (%u of 6000)", first);
}

int main(void)
{
	check_round();
	check_fair();
	return tap_done();
}
