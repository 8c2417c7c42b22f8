/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "tap.h"

static const char text[] = "[sweep]\n"
			   "board = imx8mm\n"
			   "rx-usecs = 0, 100 ,1000\n"
			   "speed = 100,1000\n"
			   "duration = 2s\n"
			   "[workload]\n"
			   "a = ping\n"
			   "b = voip\n";

static void test_grid(struct plan *plan)
{
	char label[PLAN_LABEL_MAX];
	struct setup setup;
	struct err err = { "" };
	uint32_t cells;

	plan_init(plan);
	tap_is(plan_parse(plan, text, "x", &err), 0, "a plan is read%s", err.text);
	tap_is(plan_cells(plan, &cells, &err), 0, "its cells are counted");
	tap_is(cells, 12, "two workloads times three times two");
	tap_is(plan_cell(plan, 0, &setup, label, &err), 0, "the first cell");
	tap_is_text(label, "rx-usecs 0 speed 100", "has the first of every list");
	tap_is(plan_cell(plan, 1, &setup, label, &err), 0, "the second cell");
	tap_is_text(label, "rx-usecs 0 speed 1000", "has the second of the last list");
	tap_is(plan_cell(plan, 10, &setup, label, &err), 0, "the last but one");
	tap_is_text(label, "rx-usecs 1000 speed 100", "white space around values is not theirs");
	tap_is(setup.workload.kind, WORKLOAD_VOIP, "is of the second workload");
	tap_is(setup.request.value[COALESCE_RX_USECS], 1000, "asks for what its label says");
	tap_is(setup.speed_mbps, 100, "also of the setup");
	tap_is(setup.duration_ns, 2 * NS_PER_S, "and has what all share");
}

static void test_override(struct plan *plan)
{
	uint32_t cells;

	plan_init(plan);
	plan_parse(plan, text, "x", NULL);
	tap_is(plan_put(plan, "rx-usecs", "7", NULL), 0, "a word takes the place of the list of the plan");
	tap_is(plan_put(plan, "speed", "10", NULL), 0, "so does an option");
	plan_cells(plan, &cells, NULL);
	tap_is(cells, 2, "two workloads are left");
	tap_is(plan->axis_count, 1, "the speed is no dimension any more");
	tap_is(plan->setup.speed_mbps, 10, "but what all share");
}

static void test_bad(struct plan *plan)
{
	static const struct {
		const char *name, *values, *complaint;
	} cases[] = {
		{ "rx-usecs", "", "rx-usecs: a value is missing in \"\"" },
		{ "rx-usecs", "1,,2", "rx-usecs: a value is missing in \"1,,2\"" },
		{ "rx-usecs", "1,2,", "rx-usecs: a value is missing in \"1,2,\"" },
		{ "rx-usecs", "1,2,1", "rx-usecs: 1 is in the list twice" },
		{ "rx-usec", "1", "unknown setting \"rx-usec\": did you mean rx-usecs?" },
		{ "xyzzy", "1", "unknown setting \"xyzzy\": one is rx-usecs" },
		{ "rx-usecs", "1,x", NULL },
		{ "speed", "100,99", "speed 99 is no link speed: 10, 100, 1000, 2500 or 10000 (Mb/s)" },
		{ "workload", "pong", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = { "" };

		plan_init(plan);
		tap_ok(plan_put(plan, cases[i].name, cases[i].values, &err) < 0, "%s %s is refused", cases[i].name,
		       cases[i].values);
		if (cases[i].complaint) {
			tap_is_text(err.text, cases[i].complaint, "%s %s, its sentence", cases[i].name,
				    cases[i].values);
		} else {
			tap_ok(err.text[0], "%s %s: %s", cases[i].name, cases[i].values, err.text);
		}
		tap_is(plan->axis_count, 0, "and leaves nothing behind");
	}
}

/* Settings that came as one text are named in the table like those that came as words. */
static void test_set(struct plan *plan)
{
	char label[PLAN_LABEL_MAX];
	struct setup setup;
	struct err err = { "" };

	plan_init(plan);
	plan_add_workload(plan, "ping", NULL);
	tap_is(plan_put(plan, "set", "rx-usecs 100 tx-usecs 5,6", &err), 0, "set takes words: %s", err.text);
	tap_is(plan_cell(plan, 1, &setup, label, &err), 0, "its second cell");
	tap_is_text(label, "rx-usecs 100 tx-usecs 6", "each is an axis");
	tap_is(setup.request.value[COALESCE_TX_USECS], 6, "and is asked for");
	tap_is(plan_put(plan, "set", "rx-usecs", &err), -EINVAL, "a word without value is refused");
	tap_is_text(err.text, "set: rx-usecs lacks its value", "with a sentence");
	tap_is(plan_put(plan, "set", "rx-usec 1", &err), -EINVAL, "so is a mistyped one");
}

static void test_peers(struct plan *plan)
{
	char label[PLAN_LABEL_MAX];
	struct setup setup;
	struct err err = { "" };

	plan_init(plan);
	plan_add_workload(plan, "ping", NULL);
	tap_is(plan_put(plan, "peer", "ideal:0us,ideal:300us~10us,280us..340us,e1000e", &err), 0,
	       "peers are a list: %s", err.text);
	tap_is(plan->axis_count == 1 ? plan->axes[0].count : 0, 3, "of three: a range belongs to its delay");
	plan_cell(plan, 1, &setup, label, &err);
	tap_is_text(label, "peer ideal:300us~10us,280us..340us", "with its comma");
	tap_is(plan_put(plan, "peer", "ideal:300us,280us..340us", &err), 0, "a single one with a range: %s", err.text);
	tap_is(plan->axis_count, 0, "is no list");
	tap_is_text(plan->setup.peer, "ideal:300us,280us..340us", "but what all share");
}

static void test_conditions(struct plan *plan)
{
	char text_of[PLAN_CONDITIONS_MAX];

	plan_init(plan);
	plan_conditions(plan, text_of);
	tap_is_text(text_of, "", "nothing given, nothing said");
	plan_put(plan, "board", "imx8mm", NULL);
	plan_put(plan, "assume", "fec-rx-scale=900000", NULL);
	plan_put(plan, "assume", "fec-shared-poll=0", NULL);
	plan_put(plan, "duration", "2s", NULL);
	plan_put(plan, "duration", "1s", NULL);
	plan_put(plan, "hops", "1", NULL);
	plan_put(plan, "rx-usecs", "1", NULL);
	plan_conditions(plan, text_of);
	tap_is_text(text_of, "hops 1, assume fec-rx-scale=900000 fec-shared-poll=0, duration 1s",
		    "what all cells share and no column has");
	plan_put(plan, "hops", "1,2", NULL);
	plan_conditions(plan, text_of);
	tap_is_text(text_of, "assume fec-rx-scale=900000 fec-shared-poll=0, duration 1s", "not what became a list");
}

static void test_limits(struct plan *plan)
{
	static const char *const names[] = { "rx-usecs", "tx-usecs", "rx-frames", "tx-frames" };
	struct err err = { "" };
	uint32_t cells;

	plan_init(plan);
	tap_is(plan_cells(plan, &cells, &err), -EINVAL, "a plan without workload is refused: %s", err.text);
	plan_add_workload(plan, "ping", NULL);
	for (unsigned i = 0; i < 4; i++) {
		plan_put(plan, names[i], "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20", NULL);
	}
	tap_is(plan_cells(plan, &cells, &err), -ERANGE, "20 to the fourth are too many: %s", err.text);
	tap_is(plan_parse(plan, "[workload]\na = pong\n", "x", &err), -EINVAL, "an unknown workload in a file");
	tap_ok(strncmp(err.text, "x:2: ", 5) == 0, "is said with its line: %s", err.text);
	tap_is(plan_load(plan, "defualt", &err), -ENODEV, "an unknown plan is refused");
	tap_is_text(err.text, "unknown plan \"defualt\": did you mean default? (holdoff help --list plans lists them)",
		    "with the nearest name");
	plan_init(plan);
	tap_is(plan_load(plan, "default", &err), 0, "the default plan can be read%s", err.text);
}

static void frames(const char *workload, int64_t low, int64_t high)
{
	struct world_config config;

	world_config_init(&config);
	config.speed_mbps = 1000;
	config.duration_ns = 10 * NS_PER_S;
	config.warmup_ns = 0;
	if (workload_parse(&config.workload, workload, NULL) == 0) {
		tap_within((int64_t)plan_frames(&config), low, high, "frames of %s in 10 s", workload);
	} else {
		tap_ok(false, "%s is a workload", workload);
	}
}

static void test_estimate(void)
{
	frames("ping interval=1s", 20, 30);
	frames("udp rate=20k size=64", 200000, 200010);
	frames("udp rate=max size=18", 14880000, 14900000);
	frames("udp rate=100M size=18", 14880000, 14900000);
	frames("udp size=64 pattern=burst count=32 every=5ms", 64000, 64400);
	frames("voip", 5000, 5010);
	frames("tcp", 812000, 3300000);
}

static void test_deferral_estimate(void)
{
	struct world_config config;

	world_config_init(&config);
	config.speed_mbps = 1000;
	config.duration_ns = 10 * NS_PER_S;
	config.warmup_ns = 0;
	config.end[0].gro_flush_timeout_ns = 10 * NS_PER_US;
	config.end[0].defer_hard_irqs = INT32_MAX;
	tap_is(workload_parse(&config.workload, "ping interval=1s", NULL), 0, "a ping each second");
	tap_within((int64_t)plan_frames(&config), 1000000, 1000100, "and a deferral poll each 10 us for 10 s");
	config.end[0].defer_hard_irqs = 2;
	tap_within((int64_t)plan_frames(&config), 60, 90, "or two for each frame");
}

int main(void)
{
	struct plan *plan = malloc(sizeof(*plan));

	if (!plan) {
		return 1;
	}
	test_grid(plan);
	test_override(plan);
	test_bad(plan);
	test_set(plan);
	test_peers(plan);
	test_conditions(plan);
	test_limits(plan);
	test_estimate();
	test_deferral_estimate();
	free(plan);
	return tap_done();
}
