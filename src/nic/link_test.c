/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of interfaces as a dump builds it: in any order, and parts of it twice. */
#include "nic/link.c"

#include "tap.h"

static bool is_sorted(const struct listing *listing)
{
	for (size_t i = 1; i < listing->count; i++) {
		if (listing->entries[i].ifindex <= listing->entries[i - 1].ifindex) {
			return false;
		}
	}
	return true;
}

int main(void)
{
	enum { INTERFACES = 1000 };
	struct listing listing = { 0 };
	struct nic_link link = { .name = "first" };
	struct err err = { "" };

	for (int i = 0; i < INTERFACES; i++) {
		link.ifindex = i * 7 % INTERFACES + 1;
		insert(&listing, &link, &err);
	}
	tap_is((int64_t)listing.count, INTERFACES, "interfaces in any order");
	tap_ok(is_sorted(&listing), "are listed in order of index");
	link = (struct nic_link){ .ifindex = 500, .name = "second" };
	tap_is(insert(&listing, &link, &err), 0, "one again, with another name");
	tap_is((int64_t)listing.count, INTERFACES, "is still one");
	tap_is_text(listing.entries[499].name, "second", "with the later name");
	free(listing.entries);
	return tap_done();
}
