/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the matcher of path_rules.h keeps: of a packet, of a CPU, of a reader that was woken, and what it has counted.
 * The kernel's side (path.bpf.c) and user space (path.c) share it, so there are no types of either in it.
 */
#ifndef HOLDOFF_TRACE_PATH_STATE_H
#define HOLDOFF_TRACE_PATH_STATE_H

#include <linux/types.h>

/* Spans that are kept as histograms. Rules for each are in path_rules.h. */
enum path_stage {
	PATH_QDISC,              /* given to the queueing discipline to the driver's xmit */
	PATH_XMIT,               /* in the driver's xmit */
	PATH_XMIT_TO_IRQ,        /* return of xmit to the entry of the hard irq that led to its completion */
	PATH_TX_IRQ_TO_POLL,     /* that entry to the begin of the poll */
	PATH_POLL_TO_COMPLETION, /* begin of the poll to the skb being freed */
	PATH_IRQ_TO_COMPLETION,
	PATH_XMIT_TO_COMPLETION,
	PATH_IRQ_TO_RAISE, /* entry of a hard irq to the raising of the softirq; once an irq, as the next one */
	PATH_RAISE_TO_SOFTIRQ,
	PATH_RX_IRQ_TO_POLL, /* entry of a hard irq to the begin of the poll; once a frame, as all that follow */
	PATH_POLL_TO_STACK,
	PATH_IRQ_TO_STACK,
	PATH_STACK_TO_WAKE, /* stack entry to the waking of the reader: the frame is in the socket's queue */
	PATH_WAKE_TO_RUN,
	PATH_RUN_TO_COPY, /* the reader runs to its data being copied */
	PATH_STACK_TO_COPY,
	PATH_IRQ_TO_COPY,
	PATH_ECHO,    /* stack entry of a request to the driver's xmit of the reply, in the kernel */
	PATH_IRQ_GAP, /* between entries of hard irqs of one vector on one CPU */
	PATH_STAGES
};

#define PATH_BATCHES 66     /* frames of a poll: 0 .. 64, and all above */
#define PATH_BINS 8         /* of gaps and of sizes */
#define PATH_VECTORS_MAX 33 /* index 0 is no vector */
#define PATH_PACKETS (1 << 15)
#define PATH_READERS (1 << 10)
#define PATH_REQUESTS 16

/* A few echoes: of one range of gaps, or of sizes. */
struct path_bin {
	__u64 count, sum_ns, max_ns;
};

struct path_vector {
	__u64 interrupts, hardirq_ns, last_at_ns;
};

/* All are counts unless they end in a unit; sums over CPUs add up. */
struct path_sums {
	__u64 interrupts, hardirq_ns, softirq_net_ns;
	__u64 polls, work, exhausted, polls_without_irq;
	__u64 batch[PATH_BATCHES];
	__u64 started, refused, sent, sent_bytes;
	__u64 completed; /* the sum of the next five */
	__u64 completed_by_irq, completed_without_irq, completed_ambiguous, completed_elsewhere, completed_early;
	__u64 completed_with_rx;            /* in polls that received frames as well */
	__u64 handed_on, reused, displaced; /* of those sent: what cannot be matched, see the rules */
	__u64 received, received_bytes, received_with_tx, copied, kept_in_kernel, forwarded;
	__u64 sent_unfollowed, received_unfollowed; /* passed over, besides all those above */
	__u64 woken_ambiguous;                      /* readers that were woken by one of several frames */
	struct path_bin echo_gap[PATH_BINS], echo_size[PATH_BINS];
	struct path_vector vector[PATH_VECTORS_MAX];
};

/* A frame that may be answered while the stack has it. */
struct path_request {
	__u64 at_ns, gap_ns; /* its stack entry; since the frame before, 0: there was none */
	__u32 bytes, exchange, pass;
	__u32 unused;
};

struct path_cpu {
	struct path_sums sums;
	__u64 handler_at_ns;   /* of the interface's handler that runs now; 0: none */
	__u64 irq_at_ns;       /* entry of the interface's last hard irq that led to a poll */
	__u64 next_irq_at_ns;  /* of one that came during a poll and leads to a later one; 0: none */
	__u64 other_irq_at_ns; /* of its last one that did not: its handler completes by itself */
	__u64 raised_at_ns;    /* by its handler; 0 after the softirq has begun */
	__u64 softirq_at_ns;   /* NET_RX or NET_TX runs since; 0: neither */
	__u64 poll_at_ns;      /* begin of the poll that runs now: the softirq's, or the end of the poll before */
	__u64 last_rx_at_ns;   /* stack entry of the last frame */
	__u64 rx_key;          /* the frame that the stack has now; 0: none */
	__u64 scratch;         /* the kernel's side */
	struct path_request request[PATH_REQUESTS];
	__u32 tx_countdown, rx_countdown;    /* packets up to the next that is followed */
	__u32 pass;                          /* a pass of the stack over the frames of a poll */
	__u32 rx_frames;                     /* that entered the stack since it was seen to be done with one */
	__u32 unnamed_requests;              /* since the answer before */
	__u32 poll_completed, poll_received; /* since the interface's last poll */
	__u16 vector, next_vector;           /* of irq_at_ns, of next_irq_at_ns */
	__u16 handler_vector;                /* of handler_at_ns */
	__u8 is_fresh;                       /* no poll of the interface has ended since irq_at_ns */
	__u8 has_raised;                     /* a handler of the interface has raised NET_RX, now or ever */
	__u8 handler_has_raised;             /* the one that runs now */
	__u8 is_ambiguous;                   /* nor since an interrupt of another of its vectors */
	__u8 next_is_ambiguous;              /* the same of next_irq_at_ns */
	__u8 rx_is_done;                     /* with the frames so far */
	__u8 unused[4];
};

enum path_packet_state { PATH_QUEUED = 1, PATH_STARTED, PATH_SENT, PATH_RECEIVED, PATH_UNFOLLOWED };

struct path_packet {
	__u64 key; /* the skb's address; 0: free */
	__u64 queued_at_ns, started_at_ns;
	__u64 at_ns;     /* return of xmit; stack entry */
	__u64 irq_at_ns; /* of a received frame; 0: none of its own */
	__u32 state;     /* enum path_packet_state */
	__u32 bytes;
	__u32 exchange;  /* of a received frame that may be answered; 0: not known */
	__u32 unused[3]; /* a cache line */
};

struct path_reader {
	__u64 received_at_ns, irq_at_ns; /* of the frame that woke it */
	__u64 woken_at_ns, ran_at_ns;    /* 0: not yet */
	__u32 pid;
	__u32 unused;
};

/* Where a packet or a reader is kept: tables without chains. */
static inline __u32 path_packet_place(__u64 key)
{
	return (__u32)(((key >> 6) * 0x9e3779b97f4a7c15ULL) >> 49); /* PATH_PACKETS is 2^15 */
}

static inline __u32 path_reader_place(__u32 pid)
{
	return pid & (PATH_READERS - 1);
}

#endif
