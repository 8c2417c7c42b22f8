/*
 * SPDX-License-Identifier: GPL-2.0-or-later */ /* Laws at the borders of what profiles and options allow:
 * costs of nothing and of a second, idle states everywhere, a budget of one, buffers too small for a frame,
 * deferral timers of one ns, sixteen switches, interrupts and applications on CPUs of their own. The
 * combinations are drawn with a fixed seed; a failure prints what was drawn.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/time.h"
#include "sim/setup.h"
#include "tap.h"

#define RUNS 300
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define PICK(random, list) ((list)[random_below(random, COUNT(list))])

static const char *const boards[] = {
	"imx6q", "imx8mm", "imx8mp-eqos", "tsnep", "macb", "rtl8169", "rtl8168d", "e1000e"
};

static const char *const workloads[] = {
	"ping interval=0",
	"ping interval=1us",
	"rr connections=64",
	"udp rate=max size=18",
	"udp rate=max size=1472 dir=tx",
	"udp rate=100k pattern=poisson xdp=on",
	"udp pattern=burst count=1000 every=1ms",
	"tcp window=1460 mss=1448",
	"tcp window=1M mss=64 gro=off delack=off",
	"tcp dir=tx",
	"tftp",
	"fieldbus interval=1us",
};

static const char *const durations[] = { "1ns", "1us", "1ms", "10ms" };
static const char *const hops[] = { "0", "1", "16" };
static const char *const timeouts[] = { "0", "1", "20000", "100000000000" };
static const char *const deferrals[] = { "0", "1", "2147483647" };
static const char *const cpus[] = { "0", "1", "7" };
static const int64_t costs[] = { 0, 1, 100, 2 * NS_PER_US, 999 * NS_PER_MS };
static const int64_t per_byte[] = { 0, 1000, 1000000 };
static const uint64_t buffers[] = { 1, 2000, 212992, 1 << 30 };

/* Every cost of the profile from costs[0 .. most], at least 1 for a send. */
static void draw_profile(struct random *random, struct profile *profile)
{
	static const uint32_t rates[] = { 24, 250, 10000 }, budgets[] = { 1, 300, 1000000 };
	const uint64_t most = 1 + random_below(random, COUNT(costs));

	for (unsigned i = 0; i < profile_key_count; i++) {
		void *member = (char *)profile + profile_keys[i].offset;

		if (profile_keys[i].type == INI_DURATION) {
			*(int64_t *)member = costs[random_below(random, most)];
		} else if (profile_keys[i].type == INI_I64) {
			*(int64_t *)member = PICK(random, per_byte);
		}
	}
	profile->send_ns = profile->send_ns ? profile->send_ns : 1;
	profile->hz = PICK(random, rates);
	profile->netdev_budget = PICK(random, budgets);
	profile->netdev_budget_ns = 2 * NS_PER_S / profile->hz;
	profile->rcvbuf_bytes = PICK(random, buffers);
	profile->sndbuf_bytes = PICK(random, buffers);
	profile->ksoftirqd_takes_all = random_below(random, 2);
	profile->idle_states = (uint32_t)random_below(random, 3);
	profile->idle[0] = (struct profile_idle_state){ .exit_ns = 10 * NS_PER_US, .residency_ns = 0 };
	profile->idle[1] = (struct profile_idle_state){ .exit_ns = 700 * NS_PER_US, .residency_ns = 1 };
}

static void put(struct setup *setup, enum setup_key key, const char *text)
{
	struct err err = { "" };

	if (setup_put(setup, key, text, &err) < 0) {
		printf("Bail out! %s %s: %s\n", setup_keys[key].name, text, err.text);
		exit(1);
	}
}

static void draw(struct random *random, struct world_config *config)
{
	struct setup setup;
	struct err err = { "" };

	setup_init(&setup);
	put(&setup, SETUP_BOARD, PICK(random, boards));
	if (random_below(random, 2)) {
		put(&setup, SETUP_PEER, PICK(random, boards));
	}
	put(&setup, SETUP_WORKLOAD, PICK(random, workloads));
	put(&setup, SETUP_DURATION, PICK(random, durations));
	put(&setup, SETUP_HOPS, PICK(random, hops));
	put(&setup, SETUP_CPUS, "8");
	put(&setup, SETUP_IRQ_CPU, PICK(random, cpus));
	put(&setup, SETUP_APP_CPU, PICK(random, cpus));
	put(&setup, SETUP_GRO_FLUSH_TIMEOUT, PICK(random, timeouts));
	put(&setup, SETUP_DEFER_HARD_IRQS, PICK(random, deferrals));
	if (setup_config(&setup, config, &err) < 0) {
		printf("Bail out! %s\n", err.text);
		exit(1);
	}
	draw_profile(random, &config->end[0].profile);
	draw_profile(random, &config->end[1].profile);
	config->seed = random_u64(random);
}

static bool fits(const struct run *run)
{
	for (unsigned i = 0; i < run->findings.cpus; i++) {
		const struct run_cpu *cpu = &run->findings.cpu[i];

		if (run_cpu_busy_ns(cpu) > run->conditions.duration_ns) {
			return false;
		}
	}
	return run->findings.irq_masked_ns <= run->conditions.duration_ns;
}

static void any_run(void)
{
	static struct world_config config;
	static struct run run;
	struct random random;
	unsigned conserved = 0, fitting = 0, alive = 0;
	struct err err = { "" };

	random_init(&random, 1, 0);
	for (unsigned i = 0; i < RUNS; i++) {
		draw(&random, &config);
		if (world_run(&config, &run, &err) < 0) {
			printf("Bail out! run %u: %s\n", i, err.text);
			exit(1);
		}
		const struct run_findings *found = &run.findings;
		const bool is_conserved = found->sent == found->received + found->dropped + found->in_flight;
		const bool is_fitting = fits(&run);

		conserved += is_conserved;
		fitting += is_fitting;
		alive += found->received > 0;
		if (!is_conserved || !is_fitting) {
			tap_note("run %u, %s: sent %" PRIu64 ", received %" PRIu64 ", dropped %" PRIu64
				 ", in flight %" PRIu64,
				 i, run.conditions.board, found->sent, found->received, found->dropped,
				 found->in_flight);
		}
	}
	tap_is(conserved, RUNS, "frames are conserved in %d runs", RUNS);
	tap_is(fitting, RUNS, "the booked times fit into the runs");
	tap_ok(alive > RUNS / 4, "something got through in %u", alive);
}

int main(void)
{
	any_run();
	return tap_done();
}
