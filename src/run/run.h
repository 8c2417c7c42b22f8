/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run: the conditions and findings of one experiment, simulated or measured: the value in the waist
 * between those who produce numbers and those who print them. It holds no pointers and can be copied. What
 * was not observed is absent: a cleared bit in `has`, never a zero.
 */
#ifndef HOLDOFF_RUN_RUN_H
#define HOLDOFF_RUN_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "coalesce/settings.h"
#include "run/measured.h"
#include "stats/histogram.h"
#include "workload/workload.h"

#define RUN_SCHEMA "holdoff.run/1"
#define RUN_CPUS_MAX 8
#define RUN_LEVELS_MAX 5
#define RUN_NAME_MAX 64
#define RUN_REGISTERS_MAX 16
#define RUN_ASSUMES_MAX 16

enum run_source { RUN_MODEL, RUN_MEASURED };

/* Which latency sections were observed. */
enum run_latency {
	/* A round trip. What it spans is the workload's: ping from user space before send to the kernel's receive stamp,
	 * rr, tftp and fieldbus from before send to the return of receive. */
	RUN_RTT,
	/* Last bit at the NIC to the return of the receiving call; bulk TCP: to the socket. Measured: from before the sending
	 * call at the other end. */
	RUN_ONE_WAY,
	RUN_XMIT_TO_IRQ,       /* return of the driver's xmit to the entry of the hard irq that finds the frame sent */
	RUN_IRQ_TO_COMPLETION, /* that entry to the skb being freed */
	/* Last bit at the NIC to the entry of the hard irq (or timer) that leads to its poll; 0 when already polling. */
	RUN_FRAME_TO_IRQ,
	RUN_IRQ_TO_POLL,  /* that entry (or arrival, when later) to the frame being taken from the ring */
	RUN_POLL_TO_APP,  /* taken from the ring to the return of the receiving call */
	RUN_SEND_TO_RECV, /* in the model, datagrams between two boards: from before send to the return of receive */
	RUN_LATENCIES
};

struct run_register {
	char name[24];
	uint32_t value;
};

struct run_assume {
	char name[32];
	int64_t value;
};

/*
 * Busy is the sum. Of a measured CPU app_ns is all that was neither handler nor softirq nor idle, of whatever process,
 * and idle_exit_ns is in it.
 */
struct run_cpu {
	int64_t hardirq_ns, softirq_ns, app_ns, idle_exit_ns;
	unsigned number; /* the kernel's */
};

/* Counters that were not observed: bits of run_findings.lacks. A model observes all of them. */
enum run_lack {
	RUN_LACKS_IRQS = 1u << 0,     /* irq_count, irq_frames */
	RUN_LACKS_IRQ_WORK = 1u << 1, /* irq_rx_count, irq_tx_count */
	RUN_LACKS_POLLS = 1u << 2,    /* napi_polls, napi_frames, budget_exhausted */
	RUN_LACKS_POLL_KINDS =
		1u << 3,             /* napi_completes, napi_repolls, deferred_polls, ksoftirqd_runs, irq_masked_ns */
	RUN_LACKS_SQUEEZE = 1u << 4, /* time_squeeze */
	RUN_LACKS_CPUS = 1u << 5,    /* cpu[] */
	RUN_LACKS_FRAMES = 1u << 6,  /* rx_frames .. rx_dropped, tx_frames, tx_bytes */
	RUN_LACKS_SOCKET_DROPS = 1u << 7 /* socket_dropped */
};

struct run_conditions {
	enum run_source source;
	uint64_t seed;
	char board[RUN_NAME_MAX], driver[RUN_NAME_MAX], peer[RUN_NAME_MAX], host[RUN_NAME_MAX];
	char host_source[160]; /* of the profile: measured on, fitted on, "scaled from a53 x 1.5 (why)" */
	char host_fit[48];     /* the same in a few words, for rows of tables */
	unsigned speed_mbps;
	unsigned hops;          /* store-and-forward switches between the ends */
	int64_t propagation_ns; /* on each segment of the wire */
	unsigned cpus;
	unsigned irq_cpu, app_cpu; /* of the board: who takes interrupts, who runs the application */
	char peer_driver[RUN_NAME_MAX], peer_host[RUN_NAME_MAX]; /* of a peer that is a board, else "" */
	struct coalesce peer_requested;
	bool shared_host; /* the peer is a NIC of the same machine: its work is in what the CPUs did */
	struct coalesce requested, reported;
	bool reports_settings; /* the driver has a get */
	unsigned programmed_count;
	struct run_register programmed[RUN_REGISTERS_MAX];
	int64_t effective_rx_ns, effective_tx_ns; /* hold-off or throttle; 0: none */
	const char *effective_rx_kind,
		*effective_tx_kind; /* "none", "hold-off", "restarting hold-off", "throttle", "frame count": static text */
	uint32_t effective_rx_frames, effective_tx_frames; /* 0: no count */
	/* Longest restarting hold-off; least gap between interrupts on top of another kind; 0: none. */
	int64_t effective_rx_limit_ns, effective_tx_limit_ns, effective_rx_throttle_ns, effective_tx_throttle_ns;
	uint32_t effective_rx_bypass_below_bytes, effective_tx_bypass_below_bytes; /* shorter frames are not held */
	int64_t xmit_ns; /* what the driver's xmit takes: the stages begin at its return; 0: not known */
	int64_t gro_flush_timeout_ns;
	uint32_t defer_hard_irqs;
	struct workload workload;
	int64_t duration_ns;   /* of what was counted */
	int64_t warmup_ns;     /* before it, not counted */
	unsigned assume_count; /* model choices that differ from their default */
	struct run_assume assumes[RUN_ASSUMES_MAX];
	struct run_measured measured; /* source RUN_MEASURED only */
};

struct run_findings {
	uint32_t has;   /* 1u << enum run_latency */
	uint32_t lacks; /* enum run_lack */
	struct histogram latency[RUN_LATENCIES];
	uint64_t irq_count, irq_rx_count,
		irq_tx_count;    /* hard irqs of the NIC; with RX, with TX work found (one may have both) */
	uint64_t peer_irq_count; /* hard irqs of the NIC of a peer that is a board */
	uint64_t irq_frames;     /* frames received through polls that those led to: frames per irq */
	/* How long each level of adaptive moderation was in force for receive, and how often it changed; all 0: none is. */
	int64_t level_ns[RUN_LEVELS_MAX];
	uint64_t level_changes;
	uint64_t napi_polls, napi_completes, napi_repolls, napi_frames, budget_exhausted, time_squeeze, ksoftirqd_runs;
	uint64_t deferred_polls; /* polls that a timer started */
	int64_t irq_masked_ns;   /* the NIC's interrupt was masked */
	unsigned cpus;
	struct run_cpu cpu[RUN_CPUS_MAX]; /* a machine with more: those with most time in softirqs */
	unsigned other_cpus;              /* of such a machine, the rest together */
	struct run_cpu other_cpu;
	/* In a model: of the time in softirqs, what the kernel's own account of idle time counts as idle. */
	int64_t counted_idle_ns;
	uint64_t cycles, instructions; /* of all CPUs; 0: not counted */
	uint64_t rx_frames, rx_bytes,
		rx_dropped;      /* at the NIC of the board: taken from the ring; dropped because it was full */
	uint64_t socket_dropped; /* receive buffer of the socket full */
	uint64_t tx_frames, tx_bytes;
	uint64_t sent, received,
		in_flight; /* of the workload, both ends together: sent = received + dropped + in flight */
	uint64_t dropped;
	uint64_t retransmitted;
	uint64_t app_bytes;        /* payload that reached the receiving application */
	int64_t app_bytes_span_ns; /* over which goodput is counted; normally the duration */
};

struct run {
	struct run_conditions conditions;
	struct run_findings findings;
};

void run_init(struct run *run);

/* Derived figures, from integers: thousandths, rounded to nearest. 0 when the divisor is 0. */
uint64_t run_milli(uint64_t dividend, uint64_t divisor); /* 1000 * a / b, saturating */
uint64_t run_goodput_bps(const struct run *run);
uint64_t run_irq_rate_milli_hz(const struct run *run);
unsigned run_ppm(int64_t part_ns, int64_t whole_ns);
int64_t run_cpu_busy_ns(const struct run_cpu *cpu);
int64_t run_busy_ns(const struct run *run); /* of all CPUs together */
/* What a frame costs: busy time of all CPUs over frames received and sent; 0 when there were none. */
int64_t run_cpu_per_frame_ns(const struct run *run);

static inline bool run_lacks(const struct run *run, enum run_lack lack)
{
	return run->findings.lacks & (uint32_t)lack;
}

/* The static text of an effective kind that reads so, or NULL. */
const char *run_hold_kind(const char *text);

const char *
run_latency_key(enum run_latency latency); /* "rtt_ns", ... as JSON spells it (stages: inside their object) */

#endif
