/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/run.h"

#include <stdlib.h>

#include "tap.h"

static void test_milli(void)
{
	tap_is((int64_t)run_milli(1, 3), 333, "a third is 0.333");
	tap_is((int64_t)run_milli(2, 3), 667, "two thirds round up to 0.667");
	tap_is((int64_t)run_milli(1, 2000), 1, "half a thousandth rounds up");
	tap_is((int64_t)run_milli(1, 2001), 0, "less than half a thousandth rounds down");
	tap_is((int64_t)run_milli(5, 0), 0, "nothing divided by is 0");
	tap_ok(run_milli(UINT64_MAX, 1) == UINT64_MAX, "what does not fit saturates");
	tap_ok(run_milli(UINT64_MAX, UINT64_MAX) == 1000, "the largest numbers do not overflow on the way");
}

static void test_ppm(void)
{
	tap_is(run_ppm(1, 1000000), 1, "one in a million");
	tap_is(run_ppm(3000000000, 3000000000), 1000000, "the whole");
	tap_is(run_ppm(-1, 10), 0, "a negative part counts as none");
	tap_is(run_ppm(1, 0), 0, "a share of nothing is none");
	tap_ok(run_ppm(INT64_MAX, 1) == UINT32_MAX, "a share far above the whole saturates");
}

static void test_goodput(struct run *run)
{
	run->findings.app_bytes = 117625000;
	run->findings.app_bytes_span_ns = 1000000000;
	tap_is((int64_t)run_goodput_bps(run), 941000000, "117.625 MB in a second are 941 Mb/s");
	run->findings.app_bytes = UINT64_C(1) << 60;
	run->findings.app_bytes_span_ns = INT64_MAX;
	tap_is((int64_t)run_goodput_bps(run), 1000000000, "a run of centuries does not overflow");
	run->findings.app_bytes_span_ns = 0;
	tap_is((int64_t)run_goodput_bps(run), 0, "no time, no goodput");
}

static void test_init(struct run *run)
{
	run->findings.has = 77;
	run_init(run);
	tap_is(run->findings.has, 0, "a fresh run has observed nothing");
	tap_is_text(run->conditions.effective_rx_kind, "none", "and holds nothing back");
	tap_ok(run_hold_kind("hold-off") && !run_hold_kind("held"), "kinds of holding back are known by their text");
	tap_is_text(run_latency_key(RUN_RTT), "rtt_ns", "the key of the round trip");
	tap_is_text(run_latency_key(RUN_POLL_TO_APP), "poll_to_app", "the key of the last stage");
	const struct run_cpu cpu = { .hardirq_ns = 1, .softirq_ns = 20, .app_ns = 300, .idle_exit_ns = 4000 };

	tap_is(run_cpu_busy_ns(&cpu), 4321, "busy is the sum of its parts");
}

int main(void)
{
	struct run *run = calloc(1, sizeof(*run));

	if (!run) {
		return 1;
	}
	test_milli();
	test_ppm();
	test_goodput(run);
	test_init(run);
	free(run);
	return tap_done();
}
