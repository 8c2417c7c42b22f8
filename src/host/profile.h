/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host profiles: what the steps of the receive and transmit paths cost on one kind of host, as data with its
 * source. Read from an INI file; profile_keys is the table behind parsing and documentation. Costs are
 * CPU time at a fixed clock without PREEMPT_RT; they are fitted once per host on rows marked fit, never per scenario.
 */
#ifndef HOLDOFF_HOST_PROFILE_H
#define HOLDOFF_HOST_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "ini/ini.h"

#define PROFILE_IDLE_STATES_MAX 4

/* A profile that was fitted to one machine also says how it is modelled, in the words of a plan; whoever wants costs alone reads past it. */
#define PROFILE_MODEL_SECTION "model"

struct profile_idle_state {
	int64_t exit_ns;      /* added before the first instruction of the interrupt */
	int64_t residency_ns; /* entered when the CPU has been idle for at least so long (menu governor, simplified) */
};

struct profile {
	char name[32];
	char source[160]; /* where the costs are from: measured, fitted on which rows, "scaled from a53 x 1.5 (why)" */
	char fit[48];     /* the same in a few words, for rows of tables: "scaled from a53" */
	uint32_t cpus;    /* how many the host has by default, 1 .. 8 */

	/* interrupt */
	int64_t irq_entry_idle_ns; /* line up to first instruction of the handler, CPU idle in its lightest state */
	int64_t irq_entry_busy_ns; /* the same, CPU running */
	int64_t irq_jitter_ns;     /* mean of an exponential addition to each entry: memory, other masters; 0: none */
	int64_t irq_handler_ns;    /* the handler: cause register read, NAPI scheduled, end of interrupt */
	int64_t irq_exit_ns;       /* return from interrupt */
	bool irq_drains; /* the controller's handler goes on until no interrupt waits (GICv2), before softirqs may begin */
	int64_t softirq_entry_ns; /* hard irq exit to first instruction of the poll */
	int64_t timer_irq_ns;     /* a whole timer interrupt (hrtimer) */

	/* poll */
	int64_t poll_ns;          /* poll round without frames: entry, ring looks, cause re-read */
	int64_t poll_complete_ns; /* napi_complete_done and unmasking */
	int64_t poll_exit_ns;     /* from unmasking until the next poll, or the softirq's end */
	int64_t rx_driver_ns;     /* a frame from the ring to the stack: descriptor, buffer, refill, GRO lookup */
	int64_t rx_refill_ns; /* giving the NIC new buffers: paid with every rx_refill_every-th frame, 0: in rx_driver */
	uint32_t rx_refill_every;
	int64_t rx_stack_ns;       /* a packet through IP and UDP/ICMP/TCP to the socket, without wake-up */
	int64_t rx_merge_ns;       /* a further segment that GRO merges, in place of rx_stack */
	int64_t wake_ns;           /* waking a blocked reader, in the softirq that queues its data */
	int64_t rx_byte_ps;        /* per byte of frame in driver and stack, picoseconds */
	int64_t tx_clean_ns;       /* per completed TX frame: unmap, free, wake */
	int64_t gro_timer_poll_ns; /* extra of a poll that the deferral timer started */

	/* transmit */
	int64_t xmit_ns;      /* driver's xmit: descriptor to doorbell */
	int64_t send_ns;      /* send call to the driver's xmit: system call, socket, IP, qdisc */
	int64_t send_exit_ns; /* driver's xmit to the return in user space */
	int64_t send_byte_ps;
	int64_t echo_ns; /* ICMP request in, reply to the driver's xmit, beyond rx_stack */
	int64_t echo_byte_ps;
	int64_t echo_exit_ns; /* from that xmit until the poll goes on */
	int64_t ack_ns;       /* TCP: building an ACK to the driver's xmit */
	int64_t ack_rx_ns;    /* TCP sender: an ACK through the stack, in place of rx_stack */
	int64_t segment_ns;   /* TCP sender: a segment from the write queue to the driver's xmit */

	/* application */
	int64_t wakeup_ns;        /* wake-up of a blocked task, from interrupt return to inside its system call */
	int64_t remote_wakeup_ns; /* added when the task sleeps on another CPU: inter-processor interrupt */
	int64_t recv_ns;          /* receive call with data queued */
	int64_t recv_byte_ps;     /* copy to user */
	int64_t think_ns;         /* the application between receive and send */
	int64_t block_ns;  /* a receive call without data until the task sleeps: what comes in then needs no wake-up */
	int64_t switch_ns; /* the task switch that follows: the task sleeps, its CPU is not free yet */
	int64_t ping_ns; /* what ping does with a reply beyond that: checks, statistics, a character on the terminal */
	int64_t ping_byte_ps; /* and per byte of payload, which it compares */
	int64_t ping_line_ns; /* and, unless it floods, writing a line about it and sleeping until the next is due */
	int64_t tftp_ns; /* what client and server of TFTP do with each block or acknowledgement: their retry's timer, the file */
	int64_t ping_send_ns;  /* sending an echo request beyond send_ns */
	int64_t ping_jiffy_ns; /* and once more when none was sent in this jiffy: new random IP identifiers */

	/* what the gap since the last packet of this host adds to the next one: caches and branch predictors gone cold; grows
	 * to cold_max with the gap: cold_max * gap / (gap + cold_half) */
	int64_t cold_max_ns, cold_half_ns;

	/* NIC to memory */
	int64_t dma_latency_ns; /* doorbell to first bit, and last bit to descriptor written back, each */
	int64_t dma_byte_ps;    /* store and forward of a frame between memory and MAC, each way */

	/* kernel */
	uint32_t hz;
	uint32_t
		gro_list; /* packets that go up the stack together (gro_normal_batch); 1: each at once (before Linux 5.4) */
	uint32_t netdev_budget;   /* 300 */
	int64_t netdev_budget_ns; /* 2 jiffies when 0 */
	bool ksoftirqd_takes_all; /* while it runs, softirqs are left to it (kernels before 2023, commit d15121be7485) */
	int64_t slice_ns;         /* how long ksoftirqd and a task run in turn */
	uint64_t rcvbuf_bytes, sndbuf_bytes; /* net.core.rmem_default, wmem_default */

	uint32_t idle_states;
	struct profile_idle_state idle[PROFILE_IDLE_STATES_MAX];
};

extern const struct ini_key profile_keys[];
extern const unsigned profile_key_count;

/* What may stand before them: the profile that this one builds on. */
#define PROFILE_BASE_KEYS 2
extern const struct ini_key profile_base_keys[PROFILE_BASE_KEYS];

/* The text of the profile that another one builds on, or NULL with err filled in. */
typedef const char *profile_base_fn(const char *name, struct err *err);

/*
 * Reads a profile from text; `name` stands for the file in errors. Every key without a default must be there, unless the profile begins
 * with `base = NAME` and `scale-percent = N`: then every cost that it does not give itself is the base's times N / 100. A base
 * builds on at most one more.
 */
int profile_parse(struct profile *profile, const char *text, const char *name, profile_base_fn *base, struct err *err);

/* Every cost times numerator / denominator (a slower clock), rounded; kernel constants stay. */
void profile_scale(struct profile *profile, uint32_t numerator, uint32_t denominator);

#endif
