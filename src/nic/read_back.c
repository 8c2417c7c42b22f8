/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A driver that rounds reports what lies near to what was asked, so the search begins at the wanted values and
 * goes out from there: first all fields by a little (units and counts are rounded together), then each alone by
 * more.
 */
#include "nic/read_back.h"

#include <limits.h>
#include <stdlib.h>

bool read_back_holds(struct driver *driver, const struct coalesce *request, const struct coalesce *wanted)
{
	struct driver_result result = { 0 };
	struct coalesce reported;

	driver_set(driver, request, &result);
	if (result.error || driver_get(driver, &reported)) {
		return false;
	}
	for (enum coalesce_field field = COALESCE_RX_USECS; field < COALESCE_FIELDS; field++) {
		if (coalesce_has(wanted, field) &&
		    (!coalesce_has(&reported, field) || reported.value[field] != wanted->value[field])) {
			return false;
		}
	}
	return true;
}

static bool try(const struct driver *driver, const struct coalesce *request, const struct coalesce *wanted)
{
	struct driver copy = *driver;

	return read_back_holds(&copy, request, wanted);
}

#define SEARCH_FIELDS 4
#define SEARCH_RADIUS 3
#define SEARCH_REACH 4096

struct search {
	const struct driver *driver;
	const struct coalesce *wanted;
	struct coalesce request;
	enum coalesce_field fields[SEARCH_FIELDS];
	unsigned field_count;
};

/* Moves a field by offset from what the goal has; false where that is no number. */
static bool move(struct search *search, const struct coalesce *goal, enum coalesce_field field, int64_t offset)
{
	const int64_t value = (int64_t)goal->value[field] + offset;

	search->request.value[field] = (uint32_t)value;
	return value >= 0 && value <= UINT32_MAX;
}

/*
 * The number'th way to move all fields by at most radius; the sum of the moves, or -1 where it is not to be tried.
 */
static int move_all(struct search *search, const struct coalesce *goal, int radius, unsigned number)
{
	const unsigned ways = (unsigned)(2 * radius + 1);
	bool is_edge = false;
	int sum = 0;

	for (unsigned i = 0; i < search->field_count; i++) {
		const int offset = (int)(number % ways) - radius;

		number /= ways;
		is_edge |= abs(offset) == radius;
		sum += abs(offset);
		if (!move(search, goal, search->fields[i], offset)) {
			return -1;
		}
	}
	return is_edge ? sum : -1; /* what is no edge was tried with a smaller radius */
}

/* Of the requests with one field moved by just radius and none by more, the nearest. */
static bool search_near(struct search *search, const struct coalesce *goal, int radius, struct coalesce *found)
{
	int best = INT_MAX;
	unsigned count = 1;

	for (unsigned i = 0; i < search->field_count; i++) {
		count *= (unsigned)(2 * radius + 1);
	}
	for (unsigned number = 0; number < count; number++) {
		const int sum = move_all(search, goal, radius, number);

		if (sum >= 0 && sum < best && try(search->driver, &search->request, search->wanted)) {
			best = sum;
			*found = search->request;
		}
	}
	return best < INT_MAX;
}

/* One field further away, the others as they should be. */
static bool search_far(struct search *search, const struct coalesce *goal, enum coalesce_field field)
{
	for (int64_t distance = 1; distance <= SEARCH_REACH; distance++) {
		for (int sign = -1; sign <= 1; sign += 2) {
			if (move(search, goal, field, sign * distance) &&
			    try(search->driver, &search->request, search->wanted)) {
				return true;
			}
		}
	}
	search->request.value[field] = goal->value[field];
	return false;
}

bool read_back_find(const struct driver *driver, const struct coalesce *goal, const struct coalesce *wanted,
		    struct coalesce *request)
{
	struct search search = { .driver = driver, .wanted = wanted, .request = *goal };

	for (enum coalesce_field field = COALESCE_RX_USECS; field < COALESCE_FIELDS; field++) {
		if (coalesce_has(goal, field) && search.field_count < SEARCH_FIELDS) {
			search.fields[search.field_count++] = field;
		}
	}
	for (int radius = 0; radius <= SEARCH_RADIUS; radius++) {
		if (search_near(&search, goal, radius, request)) {
			return true;
		}
	}
	search.request = *goal;
	for (unsigned i = 0; i < search.field_count; i++) {
		if (search_far(&search, goal, search.fields[i])) {
			*request = search.request;
			return true;
		}
	}
	return false;
}
