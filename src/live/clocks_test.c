/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readings of two clocks, and whether one of them was stepped in between. */
#include "live/clocks.c"

#include "tap.h"

static struct clocks at(int64_t monotonic_ns, int64_t offset_ns)
{
	return (struct clocks){ monotonic_ns, monotonic_ns + offset_ns };
}

static bool stepped(int64_t first_ns, int64_t second_ns)
{
	const struct clocks before = at(NS_PER_S, first_ns), after = at(3 * NS_PER_S, second_ns);

	return clocks_stepped(&before, &after);
}

int main(void)
{
	const int64_t epoch_ns = INT64_C(1700000000) * NS_PER_S;
	const struct clocks first = clocks_read(0), second = clocks_read(clocks_offset_ns(&first));

	tap_ok(second.monotonic_at_ns >= first.monotonic_at_ns, "monotonic time does not go back");
	tap_ok(first.real_at_ns > epoch_ns, "real time is after 2023");
	tap_ok(clocks_monotonic_ns() >= second.monotonic_at_ns, "nor does it by itself");
	tap_ok(!stepped(epoch_ns, epoch_ns), "the same difference is no step");
	tap_ok(!stepped(epoch_ns, epoch_ns + 20000), "nor is what an interrupted reading makes");
	tap_ok(!stepped(epoch_ns, epoch_ns - 20000), "either way");
	tap_ok(stepped(epoch_ns, epoch_ns + 20001), "more is");
	tap_ok(stepped(epoch_ns, epoch_ns - 20001), "either way");
	tap_ok(stepped(epoch_ns, epoch_ns - NS_PER_S), "a second back");
	return tap_done();
}
