/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Laws that every simulation obeys, whatever the board: what goes in comes out, nothing is faster than the wire, time is not
 * booked twice; and the closed-form truths about coalescing that Andrew Lunn's mail (FEC thread, July 2024) states.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/record.h"
#include "report/run_json.h"
#include "sim/world_testing.h"
#include "tap.h"

static const char *const boards[] = {
	"imx6q",   "imx6ul", "imx6sx", "imx7d", "imx8mq",  "imx8mm",   "imx8mp", "imx8mp-eqos",
	"imx8qxp", "imx8qm", "tsnep",  "macb",  "rtl8169", "rtl8168d", "e1000e",
};

static const char *const workloads[] = {
	"ping interval=1ms",
	"ping size=1472 interval=0",
	"rr connections=8",
	"udp rate=20k pattern=poisson",
	"udp size=18 rate=line",
	"udp pattern=burst count=64 every=1ms",
	"udp size=1472 rate=line dir=tx",
	"tcp",
	"tcp dir=tx",
	"tftp bytes=64k",
	"tftp dir=tx bytes=64k",
	"voip",
	"fieldbus",
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* ---- what holds for every run ---- */

/* The run as the page for programs and as the record that is kept. */
static char *written(const struct run *run)
{
	char *text = NULL;
	size_t length;
	FILE *const out = open_memstream(&text, &length);
	struct json_writer writer;

	run_json_write(run, out);
	json_begin(&writer, out);
	record_put(&writer, NULL, run);
	json_end(&writer);
	fclose(out);
	return text;
}

static bool is_kept_whole(const struct run *run)
{
	static struct run copy;
	size_t length;
	char *const record = record_print(run, &length), *const before = written(run);
	const int ret = record_parse(&copy, record, length, NULL);
	char *const after = ret == 0 ? written(&copy) : NULL;
	const bool is_same = after && strcmp(before, after) == 0;

	free(record);
	free(before);
	free(after);
	return is_same;
}

static bool is_conserved(const struct run_findings *found)
{
	return found->sent == found->received + found->dropped + found->in_flight;
}

static bool cpu_times_fit(const struct run *run)
{
	for (unsigned i = 0; i < run->findings.cpus; i++) {
		const struct run_cpu *cpu = &run->findings.cpu[i];

		if (run_cpu_busy_ns(cpu) > run->conditions.duration_ns) {
			return false;
		}
	}
	return true;
}

/* A poll completes or is repeated; one may be under way when counting begins, one when it ends. */
static bool polls_add_up(const struct run_findings *found)
{
	const int64_t left = (int64_t)(found->napi_polls - found->napi_completes - found->napi_repolls);

	return left >= -1 && left <= 1;
}

static bool is_within_wire(const struct run *run)
{
	return run_goodput_bps(run) <= (uint64_t)run->conditions.speed_mbps * 1000000;
}

/* A round trip crosses the wire twice; a datagram takes at least its way through the stack. */
static bool is_slower_than_light(const struct run *run)
{
	const struct workload *workload = &run->conditions.workload;
	const struct histogram *round_trip = &run->findings.latency[RUN_RTT];
	const int64_t wire_ns =
		INT64_C(8000) * workload_frame_bytes(workload->kind, workload->size) / run->conditions.speed_mbps;

	if (round_trip->count > 0 && workload->kind != WORKLOAD_TFTP && round_trip->min_ns <= 2 * wire_ns) {
		return false;
	}
	return run->findings.latency[RUN_ONE_WAY].count == 0 || run->findings.latency[RUN_ONE_WAY].min_ns > 0;
}

/* An ideal peer, two hosts, or two NICs of one host that share its CPU. */
static const struct {
	const char *name;
	bool is_board;
	const char *shared;
} peers[] = { { "an ideal peer", false, "no" }, { "two hosts", true, "no" }, { "one host", true, "yes" } };

static void every_run(unsigned p)
{
	static struct run run;
	unsigned runs = 0, conserved = 0, fitting = 0, within = 0, slow = 0, alive = 0, balanced = 0, kept = 0;

	for (unsigned b = 0; b < COUNT(boards); b++) {
		for (unsigned w = 0; w < COUNT(workloads); w++) {
			SIMULATE(&run, "board", boards[b], "peer", peers[p].is_board ? boards[b] : "ideal:0us",
				 "shared-host", peers[p].shared, "workload", workloads[w], "duration", "50ms");
			runs++;
			conserved += is_conserved(&run.findings);
			fitting += cpu_times_fit(&run);
			balanced += polls_add_up(&run.findings);
			within += is_within_wire(&run);
			slow += is_slower_than_light(&run);
			alive += run.findings.received > 0;
			kept += is_kept_whole(&run);
			if (!is_conserved(&run.findings)) {
				tap_note("%s, %s: sent %" PRIu64 ", received %" PRIu64 ", dropped %" PRIu64
					 ", in flight %" PRIu64,
					 boards[b], workloads[w], run.findings.sent, run.findings.received,
					 run.findings.dropped, run.findings.in_flight);
			}
			if (run.findings.received == 0 || !is_slower_than_light(&run)) {
				tap_note("%s, %s: nothing received, or too fast", boards[b], workloads[w]);
			}
		}
	}
	tap_is(conserved, runs, "%s: frames are conserved: sent = received + dropped + in flight, in %u runs",
	       peers[p].name, runs);
	tap_is(fitting, runs, "the time booked on each CPU fits into the run");
	tap_is(balanced, runs, "each poll completes or is repeated");
	tap_is(within, runs, "goodput is never above the wire");
	tap_is(slow, runs, "latency is never below the wire and above 0");
	tap_is(kept, runs, "what is kept of a run is read back whole");
	tap_is(alive, runs, "every workload gets through on every board");
}

static void same_again(void)
{
	static struct run first, second, other;

	SIMULATE(&first, "board", "imx8qxp", "workload", "udp rate=20k pattern=poisson", "duration", "200ms");
	SIMULATE(&second, "board", "imx8qxp", "workload", "udp rate=20k pattern=poisson", "duration", "200ms");
	SIMULATE(&other, "board", "imx8qxp", "workload", "udp rate=20k pattern=poisson", "duration", "200ms", "seed",
		 "2");
	tap_ok(memcmp(&first.findings, &second.findings, sizeof(first.findings)) == 0,
	       "the same seed gives the same findings");
	tap_ok(memcmp(&first.findings, &other.findings, sizeof(first.findings)) != 0, "another seed gives others");
}

/* ---- the regimes of coalescing ---- */

static const char *const hold_off_boards[] = { "imx6ul", "imx6sx", "imx7d",   "imx8mq",
					       "imx8mm", "imx8mp", "imx8qxp", "imx8qm" };

static int64_t busy_ppm(const struct run *run)
{
	return run_ppm(run_busy_ns(run), run->conditions.duration_ns);
}

/* A frame every 2 ms: an interrupt each, at 1000 us as at 100, for the same CPU time. */
static void voip(void)
{
	static struct run slow, fast;

	for (unsigned b = 0; b < COUNT(hold_off_boards); b++) {
		const char *board = hold_off_boards[b];

		SIMULATE(&slow, "board", board, "workload", "voip", "duration", "2s", "set", "rx-usecs 1000");
		SIMULATE(&fast, "board", board, "workload", "voip", "duration", "2s", "set", "rx-usecs 100");
		tap_within((int64_t)slow.findings.irq_count, 998, 1000, "%s, voip at 1000 us: an interrupt per frame",
			   board);
		tap_within((int64_t)fast.findings.irq_count, 998, 1000, "%s, voip at 100 us: an interrupt per frame",
			   board);
		tap_within(busy_ppm(&fast) * 1000 / busy_ppm(&slow), 980, 1020,
			   "%s, voip: the same CPU time, within 2 %%", board);
		tap_ok(fast.findings.latency[RUN_ONE_WAY].max_ns < slow.findings.latency[RUN_ONE_WAY].min_ns,
		       "%s, voip: but the latency falls", board);
	}
}

/* A frame every 0.5 ms: two or three share an interrupt at 1000 us (a tie when the third comes as the timer ends), none at 100. */
static void half_millisecond(void)
{
	static struct run run;

	for (unsigned b = 0; b < COUNT(hold_off_boards); b++) {
		const char *board = hold_off_boards[b];

		SIMULATE(&run, "board", board, "workload", "udp rate=2000", "duration", "2s", "set", "rx-usecs 1000");
		tap_within((int64_t)run.findings.irq_count, 1330, 2002,
			   "%s, 2000 frames/s at 1000 us: 667 to 1000 interrupts/s", board);
		SIMULATE(&run, "board", board, "workload", "udp rate=2000", "duration", "2s", "set", "rx-usecs 100");
		tap_within((int64_t)run.findings.irq_count, 3996, 4000,
			   "%s, 2000 frames/s at 100 us: 2000 interrupts/s", board);
	}
}

/* The interrupt stays masked only where a frame takes longer in the poll than on the wire: the CPU decides, not the timer. */
static void bulk(void)
{
	static struct run run;
	static const char *const hosts[] = { "icount-1ns", "cortex-a53", "cortex-a7" };

	for (unsigned h = 0; h < COUNT(hosts); h++) {
		SIMULATE(&run, "board", "imx8qxp", "host", hosts[h], "workload", "udp size=18 rate=line", "duration",
			 "300ms", "app-cpu", "0", "set", "rx-usecs 100");
		const struct run_findings *found = &run.findings;
		const int64_t per_frame_ns = found->cpu[0].softirq_ns / (int64_t)found->rx_frames;

		tap_ok(per_frame_ns > 672,
		       "%s: a 64-byte frame takes %" PRId64 " ns in the poll, more than its 672 ns on the wire",
		       hosts[h], per_frame_ns);
		tap_within(run_ppm(found->irq_masked_ns, run.conditions.duration_ns), 990000, 1000000,
			   "%s: so the interrupt stays masked", hosts[h]);
	}
	SIMULATE(&run, "board", "e1000e", "host", "icount-1ns", "workload", "udp size=1472 rate=line", "duration",
		 "300ms", "set", "rx-usecs 0");
	const int64_t per_frame_ns = run.findings.cpu[0].softirq_ns / (int64_t)run.findings.rx_frames;
	tap_ok(per_frame_ns < 12304,
	       "icount-1ns: a full frame takes %" PRId64 " ns in the poll, less than its 12304 ns on the wire",
	       per_frame_ns);
	tap_within(run_ppm(run.findings.irq_masked_ns, run.conditions.duration_ns), 100000, 800000,
		   "icount-1ns: so the interrupt is unmasked between frames");
}

/* More than the CPU can take: ksoftirqd and the application share it in turns, and what does not fit is lost at the ring, before it costs. */
static void overload(void)
{
	static struct run run;

	SIMULATE(&run, "board", "imx8qxp", "host", "icount-1ns", "workload", "udp size=18 rate=max", "duration", "1s");
	const struct run_cpu *cpu = &run.findings.cpu[0];

	tap_within(run_ppm(cpu->app_ns, run.conditions.duration_ns), 200000, 500000,
		   "overload: the application has its turns");
	tap_is((int64_t)run.findings.socket_dropped, 0, "overload: it reads all that is polled");
	tap_ok(run.findings.rx_dropped > run.findings.rx_frames, "overload: most frames find no descriptor");
	tap_ok(run.findings.ksoftirqd_runs > 50, "overload: ksoftirqd does the polling");
}

/* A throttle delays nothing that comes into a quiet vector; a reply pays what is left since the interrupt of its own request. */
static void throttle(void)
{
	static struct run off, on;
	char name[64];

	SIMULATE(&off, "board", "e1000e", "host", "icount-1ns", "workload", "udp rate=500", "duration", "1s", "set",
		 "rx-usecs 0");
	for (unsigned usecs = 10; usecs <= 1000; usecs *= 10) {
		snprintf(name, sizeof(name), "rx-usecs %u", usecs);
		SIMULATE(&on, "board", "e1000e", "host", "icount-1ns", "workload", "udp rate=500", "duration", "1s",
			 "set", name);
		tap_is(on.findings.latency[RUN_ONE_WAY].max_ns, off.findings.latency[RUN_ONE_WAY].max_ns,
		       "throttle of %u us: a frame each 2 ms is not delayed", usecs);
	}
	SIMULATE(&on, "board", "e1000e", "host", "icount-1ns", "workload", "rr", "duration", "100ms", "set",
		 "rx-usecs 100");
	tap_within(on.findings.latency[RUN_RTT].max_ns, 90000, 120000,
		   "throttle of 100 us: request and reply in a loop lock to it");
}

/* One mechanism, four settings: what an i.MX8QXP ping pays for RX and TX hold-off (in the silicon's clock, 4/3 of nominal), and up to 130 us
 * for the host. */
static void shared_poll(void)
{
	static struct run run;
	static const struct {
		const char *set, *delay;
		int64_t hold_ns; /* with the delay of the peer */
	} cases[] = {
		/* The TX interrupt fetches the reply, which has come meanwhile. */
		{ "rx-usecs 1000 tx-usecs 1000", "ideal:300us", 1333000 },
		/* The RX hold-off ends first. */
		{ "rx-usecs 100 tx-usecs 1000", "ideal:300us", 433000 },
		/* The TX interrupt is over before the reply. */
		{ "rx-usecs 1000 tx-usecs 100", "ideal:300us", 1633000 },
		{ "rx-usecs 1000 tx-usecs 1000", "ideal:1500us", 2833000 },
	};

	for (unsigned i = 0; i < COUNT(cases); i++) {
		SIMULATE(&run, "board", "imx8qxp", "driver", "fec@6.12", "workload", "ping interval=50ms", "duration",
			 "1s", "set", cases[i].set, "peer", cases[i].delay);
		tap_within(histogram_mean(&run.findings.latency[RUN_RTT]), cases[i].hold_ns,
			   cases[i].hold_ns + 130 * NS_PER_US, "imx8qxp, %s, peer %s", cases[i].set, cases[i].delay);
	}
}

/* A ping between two FECs at their defaults, whose hosts are late for an interrupt by a mean of jitter_ns. */
static int64_t mean_rtt_ns(const char *shared_poll, int64_t jitter_ns, int64_t *min_ns)
{
	static struct world_config config;
	static struct run run;

	CONFIGURE(&config, "board", "imx6ul-bench", "peer", "imx6ul-bench", "assume", shared_poll, "set",
		  "rx-usecs 1000 tx-usecs 1000", "peer-set", "rx-usecs 1000 tx-usecs 1000", "workload",
		  "ping interval=0", "duration", "1s");
	config.end[0].profile.irq_jitter_ns = config.end[1].profile.irq_jitter_ns = jitter_ns;
	run_world(&run, &config);
	*min_ns = run.findings.latency[RUN_RTT].min_ns;
	return histogram_mean(&run.findings.latency[RUN_RTT]);
}

/*
 * Where a transmit interrupt serves receive too, a ping has several orbits: two whole hold-offs, or one or none of them where a
 * timer of transmit, started by the round trip before, comes first. Which one depends on some us.
 */
static void several_orbits(void)
{
	int64_t min_ns, mean_ns = mean_rtt_ns("fec-shared-poll=1", 0, &min_ns);

	tap_within(mean_ns, 2000 * NS_PER_US, 2050 * NS_PER_US, "undisturbed, a ping waits for both hold-offs of 1 ms");
	mean_ns = mean_rtt_ns("fec-shared-poll=1", 3 * NS_PER_US, &min_ns);
	tap_within(mean_ns, 1100 * NS_PER_US, 1700 * NS_PER_US, "3 us of jitter let transmit interrupts come first");
	tap_within(min_ns, 20 * NS_PER_US, 500 * NS_PER_US, "in some round trips at both ends");
	mean_ns = mean_rtt_ns("fec-shared-poll=0", 3 * NS_PER_US, &min_ns);
	tap_within(min_ns, 2000 * NS_PER_US, 2050 * NS_PER_US,
		   "never where each direction is served by its own interrupt");
}

int main(void)
{
	for (unsigned p = 0; p < COUNT(peers); p++) {
		every_run(p);
	}
	same_again();
	voip();
	half_millisecond();
	bulk();
	overload();
	throttle();
	shared_poll();
	several_orbits();
	return tap_done();
}
