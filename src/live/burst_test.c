/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the replies of a burst lie, on times made by hand. */
#include "live/burst.c"

#include "base/time.h"
#include "tap.h"

#define LEAST_NS (2 * NS_PER_US)

static int64_t times_ns[BURST_MAX];

/* Frames of a bundle spacing_ns apart, bundles begin gap_ns apart; from the last to the first. */
static unsigned make(unsigned bundles, unsigned frames, int64_t spacing_ns, int64_t gap_ns)
{
	unsigned count = 0;

	for (unsigned bundle = bundles; bundle > 0; bundle--) {
		for (unsigned frame = frames; frame > 0; frame--) {
			times_ns[count++] = NS_PER_S + (bundle - 1) * gap_ns + (frame - 1) * spacing_ns;
		}
	}
	return count;
}

int main(void)
{
	struct burst_shape shape = burst_shape_find(times_ns, make(4, 8, 1000, 100000), LEAST_NS);

	tap_is(shape.bundles, 4, "four bundles");
	tap_is(shape.largest, 8, "of eight");
	tap_is(shape.gap_ns, 100000, "100 us apart");
	tap_is(shape.spacing_ns, 1000, "with 1 us between frames");
	tap_is(shape.spread_ns, 307000, "307 us from the first to the last");
	shape = burst_shape_find(times_ns, make(1, 32, 12000, 0), LEAST_NS);
	tap_is(shape.bundles, 1, "frames that come evenly are one bundle");
	tap_is(shape.largest, 32, "of all");
	tap_is(shape.gap_ns, 0, "with no gap");
	shape = burst_shape_find(times_ns, make(2, 4, 100, 1500), LEAST_NS);
	tap_is(shape.bundles, 1, "what is closer than is of interest is no gap");
	shape = burst_shape_find(times_ns, make(2, 4, 1000, 7000), LEAST_NS);
	tap_is(shape.bundles, 1, "four times the spacing is no gap");
	shape = burst_shape_find(times_ns, make(2, 4, 1000, 7001), LEAST_NS);
	tap_is(shape.bundles, 2, "more is");
	make(4, 8, 1000, 100000);
	for (unsigned i = 0; i < 4; i++) {
		times_ns[i] += 20000; /* of the last bundle */
	}
	shape = burst_shape_find(times_ns, 32, LEAST_NS);
	tap_is(shape.bundles, 4, "a hiccup that is short beside the gaps is none");
	shape = burst_shape_find(times_ns, make(1, 1, 0, 0), LEAST_NS);
	tap_ok(shape.bundles == 1 && shape.largest == 1 && shape.spread_ns == 0, "a single reply");
	shape = burst_shape_find(times_ns, 0, LEAST_NS);
	tap_ok(shape.bundles == 0 && shape.largest == 0, "none");
	shape = burst_shape_find(times_ns, make(1, BURST_MAX, 1000, 0), LEAST_NS);
	tap_is(shape.largest, BURST_MAX, "as many as there can be");
	return tap_done();
}
