/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measuring lo with traffic that is made up: how often it is repeated, how it ends, and what is said then. */
#include "live/measure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "tap.h"

/* Round trips of `first_ns` in the first run, of `step_ns` more in each further one. */
struct made_up {
	int64_t first_ns, step_ns;
	unsigned runs, ends_in; /* 0: never */
	int ends_with;
	uint64_t seeds[MEASURE_REPEATS_MAX + 1];
};

static int run_made_up(void *context, int64_t duration_ns, uint64_t seed, struct run *found, struct err *err)
{
	struct made_up *const made_up = context;
	const int64_t rtt_ns = made_up->first_ns + made_up->step_ns * made_up->runs;

	(void)duration_ns;
	made_up->seeds[made_up->runs++] = seed;
	if (made_up->runs == made_up->ends_in && made_up->ends_with != -EINTR) {
		return err_set(err, made_up->ends_with, "the cable was cut");
	}
	for (unsigned i = 0; i < 10; i++) {
		histogram_record(&found->findings.latency[RUN_RTT], rtt_ns);
	}
	found->findings.has = 1u << RUN_RTT;
	found->findings.sent = found->findings.received = 10;
	return made_up->runs == made_up->ends_in ? made_up->ends_with : 0;
}

static struct run *run;

static int try(struct made_up *made_up, unsigned repeats, int64_t budget_ns, struct err *err)
{
	struct nic nic;

	run_init(run);
	nic_open(&nic, "lo", err);
	const struct measure_request request = {
		.nic = &nic,
		.traffic = { run_made_up, made_up },
		.duration_ns = NS_PER_MS,
		.repeats = repeats,
		.budget_ns = budget_ns,
		.seed = 7,
	};
	const int ret = measure(&request, run, err);

	nic_close(&nic);
	return ret;
}

static bool is_tainted_by(const char *part)
{
	for (unsigned i = 0; i < run->conditions.measured.taint_count && i < RUN_TAINTS_MAX; i++) {
		if (strstr(run->conditions.measured.taint[i], part)) {
			return true;
		}
	}
	return false;
}

static void test_repeats(void)
{
	struct err err = { "" };
	struct made_up three = { .first_ns = 1000 }, steady = { .first_ns = 1000 };
	struct made_up drifting = { .first_ns = 1000, .step_ns = 1000 };

	tap_is(try(&three, 3, 0, &err), 0, "three repeats%s", err.text);
	tap_is(three.runs, 3, "are three runs");
	tap_is(run->conditions.measured.repeats, 3, "and said to be");
	tap_is((int64_t)run->findings.latency[RUN_RTT].count, 30, "whose round trips are together");
	tap_is((int64_t)run->findings.sent, 30, "as is what was sent");
	tap_is(run->conditions.measured.repeat_count, 3, "and each by itself as well");
	tap_is((int64_t)run->conditions.measured.repeat[2].latency_count, 10, "with its own round trips");
	tap_ok(three.seeds[0] == 7 && three.seeds[2] == 9, "each with a seed of its own");
	tap_is(run->conditions.measured.median_high_ns, 0, "three have no interval");
	tap_ok(run->conditions.source == RUN_MEASURED && run->conditions.duration_ns > 0, "it is measured, and lasted");

	tap_is(try(&steady, 0, NS_PER_S, &err), 0, "repeats as needed%s", err.text);
	tap_is(steady.runs, 6, "six where all are alike");
	tap_is(run->conditions.measured.median_low_ns, 1000, "with an interval");
	tap_ok(!is_tainted_by("still not known"), "and no doubt");

	tap_is(try(&drifting, 0, NS_PER_S, &err), 0, "where they drift%s", err.text);
	tap_ok(drifting.runs == MEASURE_REPEATS_MAX || drifting.runs > 20, "many (%u)", drifting.runs);
	tap_is(run->conditions.measured.repeat[2].latency_p50_ns, 3000, "each repeat keeps its own median");
	tap_ok(is_tainted_by("the median is still not known to 5 %"), "and it is said that it was not enough");
}

static void test_ends(void)
{
	struct err err = { "" };
	struct made_up stopped = { .first_ns = 1000, .ends_in = 2, .ends_with = -EINTR };
	struct made_up broken = { .first_ns = 1000, .ends_in = 2, .ends_with = -EIO };
	struct made_up never = { .first_ns = 1000, .ends_in = 1, .ends_with = -EIO };

	tap_is(try(&stopped, 5, 0, &err), -EINTR, "stopped in the second repeat");
	tap_is((int64_t)run->findings.latency[RUN_RTT].count, 20, "what came so far is there");
	tap_ok(run->conditions.measured.is_incomplete, "and said to be incomplete");
	tap_is(try(&broken, 5, 0, &err), -EINTR, "failed in the second repeat");
	tap_is((int64_t)run->findings.latency[RUN_RTT].count, 10, "the first one is there");
	tap_ok(is_tainted_by("ended early: the cable was cut"), "and why there are no more");
	tap_is(try(&never, 5, 0, &err), -EIO, "failed in the first: nothing");
	tap_is_text(err.text, "the cable was cut", "but why");
}

int main(void)
{
	run = malloc(sizeof(*run));
	if (!run) {
		return 1;
	}
	test_repeats();
	test_ends();
	free(run);
	return tap_done();
}
