/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single runs of the world at the edges of what can be asked of it; what holds for every run is in test/law. */
#include "sim/world_testing.h"

#include <string.h>

#include "tap.h"

static void test_slow_ideal_peer(struct run *run)
{
	const struct run_findings *found = &run->findings;

	SIMULATE(run, "board", "imx8mm", "peer", "ideal:1s", "workload", "ping interval=10us", "duration", "1s");
	tap_ok(found->dropped > 0, "an ideal peer drops the answers for which there is no room");
	tap_is((int64_t)found->sent, (int64_t)(found->received + found->dropped + found->in_flight),
	       "and they are accounted for");
}

/* A window of one segment without delayed ACKs is a closed loop: as many round trips as fit. */
static void test_smallest_tcp_window(struct run *run)
{
	SIMULATE(run, "board", "imx8mm", "workload", "tcp window=1448 delack=off", "duration", "1s");
	tap_within((int64_t)run->findings.app_bytes / 1448, 500, 1000000, "receiving one segment at a time goes on");
	SIMULATE(run, "board", "imx8mm", "workload", "tcp window=1448 delack=off dir=tx", "duration", "1s");
	tap_within((int64_t)run->findings.app_bytes / 1448, 500, 1000000, "and so does sending them");
}

static void test_tcp_sender_pays(struct run *run)
{
	static struct world_config config;

	CONFIGURE(&config, "board", "tsnep", "workload", "tcp dir=tx", "duration", "100ms");
	config.end[0].profile.segment_ns = NS_PER_MS;
	run_world(run, &config);
	tap_within((int64_t)run->findings.tx_frames, 50, 100,
		   "where a segment costs 1 ms, a CPU sends 100 in 100 ms at most");
}

/* As in sysfs: two files, and writing one leaves the other. */
static void test_one_deferral_knob(struct run *run)
{
	const struct run_conditions *conditions = &run->conditions;

	SIMULATE(run, "board", "rtl8168d", "driver", "r8169@6.12", "gro-flush-timeout", "50000", "workload", "voip",
		 "duration", "10ms");
	tap_is(conditions->gro_flush_timeout_ns, 50000, "gro-flush-timeout is what was asked for");
	tap_is(conditions->defer_hard_irqs, 1, "and defer-hard-irqs still the driver's");
	SIMULATE(run, "board", "rtl8168d", "driver", "r8169@6.12", "defer-hard-irqs", "3", "workload", "voip",
		 "duration", "10ms");
	tap_is(conditions->gro_flush_timeout_ns, 20000, "and the other way round");
}

/* With gro-flush-timeout segments of several polls merge, so that there are fewer acknowledgements. */
static void test_gro_waits_for_its_timer(struct run *run)
{
	SIMULATE(run, "board", "imx8mm", "workload", "tcp", "set", "rx-usecs 20 rx-frames 2", "duration", "100ms");
	const int64_t acknowledgements = (int64_t)run->findings.tx_frames;

	SIMULATE(run, "board", "imx8mm", "workload", "tcp", "set", "rx-usecs 20 rx-frames 2", "gro-flush-timeout",
		 "200000", "duration", "100ms");
	tap_within((int64_t)run->findings.tx_frames, 1, acknowledgements / 2, "GRO keeps segments between polls");
	SIMULATE(run, "board", "imx8mm", "workload", "tcp window=2896", "set", "rx-usecs 20 rx-frames 2",
		 "gro-flush-timeout", "200000", "duration", "100ms");
	tap_within((int64_t)run->findings.deferred_polls, 250, 500, "a window of two waits for the timer");
	tap_within((int64_t)run->findings.app_bytes / 2896, 250, 500, "which lets go of it");
}

/* Where the CPU is what limits, two ends of one host get half each. */
static void test_shared_host(struct run *run)
{
	static const char *const work = "udp size=18 rate=line";

	SIMULATE(run, "board", "imx8mm", "peer", "imx8mm", "cpus", "1", "workload", work, "duration", "200ms");
	const int64_t apart = (int64_t)run->findings.app_bytes;

	SIMULATE(run, "board", "imx8mm", "peer", "imx8mm", "cpus", "1", "shared-host", "yes", "workload", work,
		 "duration", "200ms");
	tap_within((int64_t)run->findings.app_bytes * 100 / apart, 5, 70,
		   "per cent of the datagrams on one CPU for both");
	tap_within(run_busy_ns(run) / (run->conditions.duration_ns / 100), 99, 100, "which is busy all the time");
	tap_ok(run->conditions.shared_host, "and the run says so");
}

/* Registers of the peer alone: its hold-off is in the round trip, once. */
static void test_peer_registers(struct run *run)
{
	static const char *const ping = "ping size=1000 interval=5ms";

	SIMULATE(run, "board", "rtl8168d", "peer", "rtl8168d", "workload", ping, "duration", "100ms");
	const int64_t off_ns = histogram_mean(&run->findings.latency[RUN_RTT]);

	SIMULATE(run, "board", "rtl8168d", "peer", "rtl8168d", "peer-registers", "IntrMitigate=0x00f0", "workload",
		 ping, "duration", "100ms");
	tap_within(histogram_mean(&run->findings.latency[RUN_RTT]) - off_ns, 70000, 76000,
		   "15 units of 5 us written to the peer's chip are 75 us of a round trip");
}

static int64_t mean_rtt_ns(struct run *run, const struct world_config *config)
{
	run_world(run, config);
	return histogram_mean(&run->findings.latency[RUN_RTT]);
}

/* What follows the doorbell of a reply, or the unmasking, is in nobody's way but on a CPU that has the other end's work too. */
static void test_after_the_fact(struct run *run)
{
	static struct world_config apart, shared;

	CONFIGURE(&apart, "board", "tsnep", "peer", "tsnep", "host", "icount-1ns", "peer-host", "icount-1ns", "set",
		  "rx-usecs 0", "peer-set", "rx-usecs 0", "workload", "ping size=1000 interval=5ms", "duration",
		  "100ms");
	CONFIGURE(&shared, "board", "tsnep", "peer", "tsnep", "host", "icount-1ns", "shared-host", "yes", "set",
		  "rx-usecs 0", "peer-set", "rx-usecs 0", "workload", "ping size=56 interval=5ms", "duration", "100ms");
	const int64_t apart_ns = mean_rtt_ns(run, &apart), shared_ns = mean_rtt_ns(run, &shared);

	apart.end[1].profile.echo_exit_ns = shared.end[1].profile.echo_exit_ns = 20 * NS_PER_US;
	tap_is(mean_rtt_ns(run, &apart), apart_ns, "echo-exit of another host is not in the round trip");
	tap_within(mean_rtt_ns(run, &shared) - shared_ns, 10 * NS_PER_US, 20 * NS_PER_US, "on one CPU it is");
	apart.end[1].profile.echo_exit_ns = shared.end[1].profile.echo_exit_ns = 0;
	apart.end[1].profile.poll_exit_ns = shared.end[1].profile.poll_exit_ns = 20 * NS_PER_US;
	tap_is(mean_rtt_ns(run, &apart), apart_ns, "nor is poll-exit");
	tap_within(mean_rtt_ns(run, &shared) - shared_ns, 10 * NS_PER_US, 20 * NS_PER_US, "but on one CPU");
	apart.end[1].profile.poll_exit_ns = 0;
	apart.end[1].profile.echo_byte_ps = 2000;
	tap_is(mean_rtt_ns(run, &apart) - apart_ns, 2000, "echo-byte-ps is: 1000 bytes of 2000 ps");
}

/* The interrupt of the link coming up is over: it does not poll the first frame in place of the one that is held off. */
static void test_quiet_start(struct run *run)
{
	SIMULATE(run, "board", "rtl8168d", "peer", "rtl8168d", "shared-host", "yes", "registers", "IntrMitigate=0x00f0",
		 "peer-registers", "IntrMitigate=0x00f0", "workload", "ping size=82 interval=5ms", "duration", "100ms");
	tap_within(run->findings.latency[RUN_RTT].min_ns, 150 * NS_PER_US, 250 * NS_PER_US,
		   "the first ping is held off as all others");
}

/*
 * The reply's arrival at one NIC and its departure from the other interrupt one CPU at once. The second interrupt falls into
 * the entry of the softirq, which polls both and is pending all the same; as it has woken ping, ksoftirqd is left with nothing.
 */
static void test_softirq_pending_for_nothing(struct run *run)
{
	static struct world_config config;

	CONFIGURE(&config, "board", "tsnep", "host", "icount-1ns", "peer", "tsnep", "set", "rx-usecs 0", "peer-set",
		  "rx-usecs 0", "shared-host", "yes", "workload", "ping size=1472 interval=1ms", "duration", "100ms");
	run_world(run, &config);
	tap_is((int64_t)run->findings.ksoftirqd_runs, (int64_t)run->findings.latency[RUN_RTT].count,
	       "two NICs on one CPU: ksoftirqd is woken with each reply");
	config.end[0].profile.irq_drains = config.end[1].profile.irq_drains = true;
	run_world(run, &config);
	tap_is((int64_t)run->findings.ksoftirqd_runs, 0,
	       "but not where both interrupts are handled before the softirq");
	config.end[0].profile.irq_drains = config.end[1].profile.irq_drains = false;
	config.shared_host = false;
	config.end[1].profile = config.end[0].profile;
	run_world(run, &config);
	tap_is((int64_t)run->findings.ksoftirqd_runs, 0, "and never on two");
}

static void test_registers_are_programmed(struct run *run)
{
	const struct run_conditions *conditions = &run->conditions;
	int64_t value = -1;

	SIMULATE(run, "board", "rtl8168d", "registers", "IntrMitigate=0x5151", "workload", "voip", "duration", "10ms");
	for (unsigned i = 0; i < conditions->programmed_count; i++) {
		if (strcmp(conditions->programmed[i].name, "IntrMitigate") == 0) {
			value = conditions->programmed[i].value;
		}
	}
	tap_is(value, 0x5151, "a register written past the driver is programmed with what was written last");
}

/* A timer wakes one CPU while the NIC wakes the other. */
static void test_two_cpus_leave_idle_states(struct run *run)
{
	SIMULATE(run, "board", "imx8mm", "host", "server", "cpus", "4", "app-cpu", "1", "workload",
		 "ping interval=997us", "duration", "1s");
	tap_within((int64_t)run->findings.latency[RUN_RTT].count, 1000, 1004, "each goes on with what woke it");
}

/* One ping in 20 s: the CPU sleeps through the ticks in between. */
static void test_idle_cpu_has_no_tick(struct run *run)
{
	SIMULATE(run, "board", "imx8mm", "host", "cortex-a53-idle", "workload", "ping interval=30s", "duration", "20s");
	tap_within(run->findings.cpu[0].idle_exit_ns, 1, 10 * 700 * NS_PER_US, "a handful of idle exits of 700 us");
}

/* The timer starts a poll for each burst; those that follow it are polls of the same burst. */
static void test_deferred_polls(struct run *run)
{
	SIMULATE(run, "board", "e1000e", "gro-flush-timeout", "3000000", "defer-hard-irqs", "4", "workload",
		 "udp pattern=burst count=200 every=5ms", "duration", "100ms");
	tap_ok(run->findings.napi_repolls > 50, "a burst of 200 takes several polls");
	tap_within((int64_t)run->findings.deferred_polls, 1, (int64_t)run->findings.napi_completes,
		   "a timer that a completion has set starts one poll");
}

/* Two segments each way, 10 us each. */
static void test_propagation(struct run *run)
{
	SIMULATE(run, "board", "imx6q", "hops", "1", "workload", "ping interval=10ms", "duration", "100ms");
	const int64_t near_ns = run->findings.latency[RUN_RTT].min_ns;

	SIMULATE(run, "board", "imx6q", "hops", "1", "propagation", "10us", "workload", "ping interval=10ms",
		 "duration", "100ms");
	/* What is cold after a longer gap costs a little more. */
	tap_within(run->findings.latency[RUN_RTT].min_ns - near_ns, 40 * NS_PER_US, 41 * NS_PER_US,
		   "propagation counts on each segment");
	SIMULATE(run, "board", "imx8mm", "peer", "imx8mm", "hops", "16", "propagation", "100us", "workload",
		 "udp size=18 rate=max dir=tx", "duration", "50ms");
	tap_ok(run->findings.received > 0, "the longest wire has room for all frames on it");
}

/* Both NICs of a host interrupt at once, within a microsecond of the sender's going to sleep or long after it. */
static void test_idle_time_of_kernel(struct run *run)
{
	static const char *const common[] = {
		"board", "refnic-holdoff", "peer", "refnic-holdoff", "shared-host", "on"
	};

	SIMULATE(run, common[0], common[1], common[2], common[3], common[4], common[5], "set", "rx-usecs 0", "peer-set",
		 "rx-usecs 0", "workload", "udp rate=500", "duration", "100ms");
	tap_is(run->findings.counted_idle_ns, 0,
	       "an interrupt that waits for the switch to the idle task comes before its clock is stopped");
	SIMULATE(run, common[0], common[1], common[2], common[3], common[4], common[5], "set", "rx-usecs 100",
		 "peer-set", "rx-usecs 100", "workload", "udp rate=500", "duration", "100ms");
	tap_within(run->findings.counted_idle_ns, 50 * 4 * NS_PER_US, 50 * 9 * NS_PER_US,
		   "on an idle CPU the second one makes the kernel count the rest as idle");
}

/* A sender that has run longer is preempted at its next return from the kernel; one that the reader has kept waiting is not. */
static void test_woken_reader_preempts(struct run *run)
{
	SIMULATE(run, "board", "refnic-throttle", "peer", "refnic-throttle", "shared-host", "on", "set", "rx-usecs 0",
		 "peer-set", "rx-usecs 0", "workload", "udp pattern=burst count=32 every=5ms", "duration", "200ms");
	tap_within(histogram_percentile(&run->findings.latency[RUN_SEND_TO_RECV], 500000), 15 * NS_PER_US,
		   45 * NS_PER_US, "a datagram of a burst is read while the burst goes on");
	tap_ok(run->findings.irq_count > 35 * 32, "and so most have an interrupt of their own (%llu of 1280)",
	       (unsigned long long)run->findings.irq_count);
}

int main(void)
{
	static struct run run;

	test_slow_ideal_peer(&run);
	test_smallest_tcp_window(&run);
	test_tcp_sender_pays(&run);
	test_one_deferral_knob(&run);
	test_gro_waits_for_its_timer(&run);
	test_deferred_polls(&run);
	test_propagation(&run);
	test_registers_are_programmed(&run);
	test_shared_host(&run);
	test_peer_registers(&run);
	test_quiet_start(&run);
	test_softirq_pending_for_nothing(&run);
	test_after_the_fact(&run);
	test_two_cpus_leave_idle_states(&run);
	test_idle_cpu_has_no_tick(&run);
	test_idle_time_of_kernel(&run);
	test_woken_reader_preempts(&run);
	return tap_done();
}
