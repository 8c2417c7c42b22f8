/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inside of the world, shared by its files:
 *   world.c      the loop and its slots
 *   bring_up.c   from a config to two ends that traffic can begin on
 *   record.c     conditions and findings into the run
 *   nic.c        rings, wire, interrupt line: what lies between chip, driver and CPU
 *   hardirq.c    hard interrupts: NIC, timers, tick
 *   softirq.c    when the softirq runs, and for how long
 *   poll.c       NAPI polls: rounds of the driver, completion
 *   stack.c      GRO, the network stack up to the socket
 *   app.c        applications: tasks that sleep, receive, send
 *   bulk.c       those of a bulk transfer
 *   tcp.c        the transport logic of bulk transfers, without costs
 *   ideal.c      an end without a host
 */
#ifndef HOLDOFF_SIM_WORLD_PRIVATE_H
#define HOLDOFF_SIM_WORLD_PRIVATE_H

#include <assert.h>

#include "base/eventq.h"
#include "base/random.h"
#include "host/cpu.h"
#include "host/napi.h"
#include "sim/frames.h"
#include "sim/wire.h"
#include "sim/world.h"

/* Event slots. Each end has its own; the last ones belong to the world. */
enum end_slot {
	SLOT_CPU, /* RUN_CPUS_MAX of them */
	SLOT_CHIP = SLOT_CPU + RUN_CPUS_MAX,
	SLOT_SENT,       /* the next frame of the TX ring has left and its descriptor is written back */
	SLOT_ARRIVAL,    /* the next frame that comes to this end lies in memory */
	SLOT_NAPI_TIMER, /* gro_flush_timeout */
	SLOT_TX_TIMER,   /* the driver's own */
	SLOT_APP_TIMER,  /* an application's sleep; TCP's delayed ACK and retransmission */
	SLOTS_PER_END
};

enum { SLOT_TICK = 2 * SLOTS_PER_END, SLOT_WARMUP, SLOT_END, SLOT_LINES };

_Static_assert(SLOT_LINES < EVENTQ_SLOTS, "event slots");

/* The most packets that go up the stack together. */
#define GRO_LIST_MAX 8

/* Numbers of CPU steps; a CPU is told them together with whose step it is (end_begin_step). */
enum step {
	STEP_IDLE_EXIT, /* hard irq: leaving an idle state */
	STEP_IRQ_ENTRY, /* hard irq: line up to first instruction of the handler */
	STEP_IRQ_HANDLER,
	STEP_TIMER, /* hard irq: a timer interrupt */
	STEP_SOFTIRQ_ENTRY,
	STEP_POLL, /* a poll round: entry and ring looks */
	STEP_TX_CLEAN,
	STEP_RX,       /* one frame out of the ring */
	STEP_STACK,    /* one frame through the stack */
	STEP_SEGMENTS, /* TCP: segments or an ACK to the driver */
	STEP_COMPLETE,
	STEP_POLL_EXIT, /* interrupts are unmasked, and can come already */
	STEP_SOFTIRQ_EXIT,
	STEP_KSOFTIRQD, /* the switches to it and away */
	STEP_SWITCH,    /* from an application that has gone to sleep to whatever is next */
	STEP_APP,       /* a step of the application */
	STEPS
};

/* A CPU keeps one number: step, and in the bits above it the end. */
#define STEP_BITS 4

_Static_assert(STEPS <= 1 << STEP_BITS, "steps");

enum app_role {
	APP_NONE,
	APP_PING,   /* asks, the kernel answers */
	APP_CLIENT, /* asks: rr, fieldbus, TFTP as the side that acknowledges */
	APP_SERVER, /* answers: rr, TFTP as the side that has the data */
	APP_SOURCE, /* datagrams by schedule */
	APP_SINK,
	APP_TCP_SENDER,
	APP_TCP_RECEIVER,
};

enum app_step {
	APP_STEP_NONE,
	APP_STEP_WAKE,
	APP_STEP_RECV,
	APP_STEP_THINK,
	APP_STEP_SEND,
	APP_STEP_SEGMENTS, /* TCP: what has been written to the driver, as far as the window allows */
	APP_STEP_SEND_EXIT,
	APP_STEP_BLOCK
};

/* What an application waits for while no step of it runs or is ready to run. */
enum app_wait { APP_RUNS, APP_WAITS_DATA, APP_WAITS_TIMER, APP_WAITS_DATA_OR_TIMER, APP_WAITS_SPACE };

struct app {
	enum app_role role;
	enum app_wait wait;
	enum app_step step; /* running, or ready to run when `ready` */
	bool ready;         /* woken, or put aside: runs when the task level of its CPU is free */
	bool yields;        /* its slice is over, or another one preempts it: others go first */
	int64_t ready_at_ns;
	int64_t step_cost_ns;    /* of the ready step */
	uint64_t received_bytes; /* TCP: what it hands over */
	uint32_t segments;       /* TCP: of the running SEGMENTS step */
	uint32_t to_send;        /* requests or datagrams that are due */
	struct frame sending;
	int64_t next_send_at_ns; /* ping, fieldbus, source */
	int64_t sent_at_ns;      /* of the latest send; -1: none yet */
	uint32_t sequence;
	uint64_t bytes_done;      /* TFTP */
	uint64_t wmem_bytes;      /* truesize of what is sent and not yet completed */
	struct frame answers[64]; /* rr: requests received, or connections free to ask; a small queue */
	uint32_t answers_head, answers_tail;
};

struct tcp_sender {
	/* Segments are counted in 64 bits here; frames and ACKs carry the low 32. */
	uint64_t next, unacked;    /* next to send, first not acknowledged */
	uint64_t highest;          /* one past the highest ever sent */
	uint32_t window;           /* segments, the workload's */
	uint32_t congestion;       /* segments, at most window */
	uint32_t congestion_acked; /* towards the next segment of congestion window */
	uint32_t peer_window;      /* segments that the receiver has room for beyond `unacked` */
	uint32_t duplicate_acks;
	uint64_t recover; /* losses below this are being repaired */
	uint64_t queued;  /* segments that the application has written, ever; an ideal sender has no end */
	int64_t timeout_at_ns;
};

struct tcp_receiver {
	uint32_t next;           /* segment expected */
	uint32_t unacknowledged; /* segments received since the last ACK */
	uint32_t queued;         /* in the socket, not yet read */
	uint32_t window;         /* segments of receive buffer */
	uint32_t advertised;     /* as the last ACK said */
	int64_t delayed_ack_at_ns;
};

/* Segments of one poll that GRO has merged so far. */
struct gro {
	struct frame first;
	uint32_t segments;
	uint32_t bytes;
};

/* Where a poll goes on after a step that GRO or TCP have put in between. */
enum poll_then { THEN_ROUND, THEN_LIST, THEN_COMPLETE, THEN_REPOLL };

/* What follows when a CPU has left its idle state. */
struct after_idle {
	enum step step;
	int64_t cost_ns;
};

struct end;

/* What the scheduler knows of an application that shares its CPU (turns.c). */
struct turn {
	bool preempts;                       /* woken so far behind that who runs gives way */
	bool is_current;                     /* the task of its CPU */
	int64_t current_since_at_ns, ran_ns; /* virtual run time, up to then while it is current */
};

/*
 * The machine of an end: CPUs, and the softirq of the one that takes the NIC's interrupts. Two ends on one host are network
 * namespaces with a NIC each: they share all of this.
 */
struct host {
	unsigned index; /* of its first end, whose slots its CPUs have */
	unsigned ends;
	bool shared; /* it has both */
	const struct profile *profile;
	struct cpu cpu[RUN_CPUS_MAX];
	struct after_idle after_idle[RUN_CPUS_MAX];
	int64_t tick_seen_ns[RUN_CPUS_MAX]; /* booked time at the last tick */
	int64_t packet_at_ns[RUN_CPUS_MAX]; /* when each CPU last handled a packet: how cold its caches are */
	struct softirq softirq;
	struct end
		*raised[2]; /* instances scheduled, not yet on the list of a running net_rx_action: NET_RX is raised */
	struct end *polling[2]; /* what the running net_rx_action has still to poll; the first of them is polled now */
	unsigned raised_count, polling_count;
	bool net_rx_pending; /* the softirq's bit; the list may be empty: an action has found the instance before */
	bool in_ksoftirqd;   /* the polls run at task level */
	bool ksoftirqd_ready;
	int64_t slice_at_ns;  /* since when the present task runs */
	struct turn turns[2]; /* of applications, by end */
	int64_t least_ran_ns; /* virtual run time that none of them which wants the CPU is below */
	/* The kernel takes the end of an interrupt within a softirq on an idle CPU for the end of its work (tick_irq_exit):
	 * since when it has counted that softirq as idle; NEVER_AT_NS: it does not. */
	int64_t counts_idle_since_at_ns[RUN_CPUS_MAX];
};

struct end {
	unsigned index;
	bool ideal;
	const struct end_config *config;
	const struct profile *profile;
	struct host *host;
	struct random random;

	/* NIC */
	struct chip chip;
	struct driver driver;
	const struct driver_plan *plan;
	bool tells_rx_free; /* the chip has a cause that depends on free descriptors */
	struct frames rx_ring, tx_ring, qdisc;
	uint32_t rx_ring_size, tx_ring_size;
	uint32_t tx_sent;                  /* position in tx_ring: first not yet sent */
	uint32_t tx_stamped;               /* position: first without an irq stamp */
	uint64_t bql_limit, bql_in_flight; /* bytes */
	bool bql_stopped;
	int64_t dma_tx_free_at_ns, dma_rx_free_at_ns;
	int64_t masked_since_at_ns; /* NEVER_AT_NS: not masked */

	/* interrupts and polls */
	struct cpu *irq_cpu, *app_cpu; /* of its host */
	unsigned irq_cpu_slot, app_cpu_slot;
	struct napi napi;
	uint32_t timers_pending; /* bits of end_slot: expired, interrupt not yet taken */
	int64_t irq_at_ns;       /* entry of the interrupt that the present poll is due to */
	bool irq_by_timer;
	bool serve_rx, serve_tx, rx_first, rx_served, tx_served; /* this round */
	bool round_again; /* the driver wants this round right after another one */
	unsigned work;    /* frames of this poll call */
	uint32_t round_packets[CHIP_DIRECTIONS], round_bytes[CHIP_DIRECTIONS]; /* of this round; bytes without FCS */
	uint32_t rx_frame_flags;                                               /* of the driver's receive descriptors */
	enum poll_then then;             /* what follows the running SEGMENTS step */
	uint32_t cleaned;                /* TX frames of the running clean step */
	struct frame taken;              /* of the running RX or STACK step */
	struct frame list[GRO_LIST_MAX]; /* out of the ring, on their way up the stack together */
	uint32_t list_count, list_done;
	enum poll_then list_then; /* what follows the list */
	int64_t list_stamp_at_ns; /* when it entered the stack */
	uint32_t since_refill;    /* frames since the NIC got new buffers */
	struct gro gro;
	uint32_t segments_to_send; /* of the running SEGMENTS step */
	bool ack_to_send;
	int level; /* of adaptive moderation; -1: none */
	int64_t level_since_at_ns;
	bool saw_rx, saw_tx;   /* since the irq: it is an RX, a TX irq */
	int64_t extra_cost_ns; /* to be added to the next softirq step */

	/* sockets and applications */
	struct frames socket;
	uint64_t socket_bytes; /* truesize of what is queued */
	struct app app;
	struct tcp_sender sender;
	struct tcp_receiver receiver;
	struct workload_schedule schedule;
	int64_t ideal_free_at_ns; /* ideal end: answers stay in order */
	bool source_more;         /* ideal source: there is a next frame */
};

struct world {
	struct eventq queue;
	int64_t now_at_ns;
	const struct world_config *config;
	const struct workload *workload;
	struct end end[2];
	struct host host[2];        /* the second is not used when both ends share the first */
	struct wire wire[2];        /* wire[i] carries the frames that end i sends */
	struct frames in_flight[2]; /* on wire[i] */
	struct run *run;
	bool finished; /* the workload has nothing more to do */
	int64_t counted_since_at_ns, script_since_at_ns;
	int64_t sources_end_at_ns; /* no datagram is sent from here on */
};

static inline struct end *other_end(struct world *world, const struct end *end)
{
	return &world->end[1 - end->index];
}

static inline bool is_board(const struct end *end)
{
	return end->index == 0;
}

/* Begins a step of this end on a CPU of its host. */
static inline void end_begin_step(const struct world *world, const struct end *end, struct cpu *cpu,
				  enum cpu_level level, enum step step, enum cpu_account account, int64_t cost_ns)
{
	cpu_begin(cpu, world->now_at_ns, level, (uint8_t)(end->index << STEP_BITS | step), account, cost_ns);
}

/* Whose step a CPU means by this number. */
static inline unsigned step_end(uint8_t number)
{
	return number >> STEP_BITS;
}

static inline enum step step_kind(uint8_t number)
{
	return (enum step)(number & ((1u << STEP_BITS) - 1));
}

/* Interrupts are off in a handler, and while the scheduler switches from one task to the next. */
static inline bool irqs_are_off(const struct cpu *cpu)
{
	return cpu_has(cpu, CPU_HARDIRQ) ||
	       (cpu->running == CPU_TASK && step_kind(cpu->level[CPU_TASK].step) == STEP_SWITCH);
}

static inline struct run_findings *findings(struct world *world)
{
	return &world->run->findings;
}

/* What the kernel charges a socket for a packet with its buffer (skb->truesize). 1280 for a small one is what the socket of the reference
 * cells held: 6553 datagrams of 64 bytes in 8 MiB; 2304 for a full one is a 2 KiB buffer and its head. */
static inline uint64_t frame_truesize(const struct frame *frame)
{
	if (frame->frame_bytes > 2048) {
		return frame->frame_bytes + 768; /* a jumbo frame: its pages, and the head */
	}
	return frame->frame_bytes <= 256 + 4 ? 1280 : 2304;
}

/* --- world.c --- */
/* The parts of this end have been touched, and with them those of the other one where both are one host: takes their deadlines into the
 * queue. */
void world_sync(struct world *world, struct end *end);
void world_set(struct world *world, const struct end *end, enum end_slot slot, int64_t at_ns);
void world_record(struct world *world, const struct end *end, enum run_latency latency, int64_t value_ns);

/* --- bring_up.c --- */
/* Both ends, with their memory. On failure too world_free has to follow. */
int world_bring_up(struct world *world, struct err *err);
void world_free(struct world *world);

/* --- record.c --- */
/* Of the board: the last value written to each register is what has been programmed. */
void record_programmed(struct world *world, const struct end *end, const struct driver_write *writes, unsigned count);
/* The level of adaptive moderation may have changed, or the time with it ends. */
void record_level(struct world *world, struct end *end);
/* The run is over: conditions, and what has not been counted on the way. */
void record_run(struct world *world);

/* --- nic.c --- */
void nic_writes(struct world *world, struct end *end, const struct driver_write *writes, unsigned count);
void nic_ifup(struct end *end);
/* A frame from the stack to the qdisc and, where there is room, to the TX ring and the wire. */
void nic_xmit(struct world *world, struct end *end, const struct frame *frame);
/* A frame onto the wire at the earliest; its arrival is entered. */
void nic_to_wire(struct world *world, struct end *end, int64_t ready_at_ns, const struct frame *frame,
		 struct frame *in_ring);
void nic_arrival(struct world *world, struct end *end);
void nic_sent(struct world *world, struct end *end);
uint32_t nic_tx_completed(const struct end *end); /* frames that the next clean finds */
void nic_tx_clean(struct world *world, struct end *end, uint32_t count);
/* The chip may have changed its line: starts the interrupt if the CPU can take it. */
void nic_check_line(struct world *world, struct end *end);
/* The CPU can take an interrupt again: that of a NIC of this host whose line is up. */
void nic_take_lines(struct world *world, struct end *end);
void nic_masked(struct world *world, struct end *end, bool masked);

/* --- hardirq.c --- */
/* The NIC's line is up and the CPU can take it. */
void hardirq_begin(struct world *world, struct end *end);
void hardirq_timer(struct world *world, struct end *end, enum end_slot slot);
/* Timers of this CPU that have expired while it could not take them. */
void hardirq_take_timers(struct world *world, struct end *end, struct cpu *cpu);
void hardirq_tick(struct world *world, struct end *end);
/* A softirq has ended on this CPU. */
void hardirq_softirq_ends(struct world *world, struct host *host, struct cpu *cpu);
void hardirq_step_done(struct world *world, struct end *end, struct cpu *cpu, enum step step);

/* --- softirq.c --- */
/* A step of softirq work, in whatever context it runs. */
void softirq_begin(struct world *world, struct end *end, enum step step, int64_t cost_ns);
void softirq_step_done(struct world *world, struct end *end, enum step step);
/* The instance of this end, just scheduled, waits for the softirq. */
void softirq_raise(struct end *end);
/* A poll call is over, and leaves its instance on the list or not: the next one, or the softirq ends. */
void softirq_poll_returns(struct world *world, struct end *end, bool stays);
/* A task is ready to run on this CPU. */
bool softirq_wants_task(const struct world *world, const struct host *host, const struct cpu *cpu);
bool softirq_slice_is_over(const struct world *world, const struct host *host);
void softirq_run_ksoftirqd(struct world *world, struct host *host);
/* What the gap since the CPU's last packet costs now; the packet counts as handled. */
int64_t end_cold_ns(struct end *end, const struct cpu *cpu, int64_t now_at_ns);
/* Lets the CPU go on below the level that has just ended: pending interrupts, softirq, tasks. */
void end_resume(struct world *world, struct end *end, struct cpu *cpu, enum cpu_level ended);

/* --- poll.c --- */
void poll_begin(struct world *world, struct end *end);
void poll_step_done(struct world *world, struct end *end, enum step step);

/* --- stack.c --- */
/* What the running RX step costs: the driver's part, and for a segment that GRO merges all that it costs. */
int64_t stack_rx_cost_ns(const struct world *world, struct end *end, const struct frame *frame);
/* The frame of the RX step is out of the ring. True when a step has begun on its behalf. */
bool stack_received(struct world *world, struct end *end);
/* The next packet of the list begins its way; after the last one the poll goes on with `then`. False when there is none. */
bool stack_list_begins(struct world *world, struct end *end, enum poll_then then);
/* The frame of the STACK step is through it. True when another step has begun on its behalf, with THEN_LIST to follow. */
bool stack_deliver(struct world *world, struct end *end);
/* Segments that GRO holds go to the socket as one packet. True when a step for it has begun, with `then` to follow. */
bool stack_flush_gro(struct world *world, struct end *end, enum poll_then then);
/* The SEGMENTS step is over: what was due leaves. */
void stack_segments_done(struct world *world, struct end *end);

/* --- turns.c: only where both ends' applications share a CPU, else nothing --- */
/* The application gets the CPU, which may have been the other one's; goes to sleep; wakes, before it is ready to run. */
void turns_begin(struct world *world, const struct end *end);
void turns_end(const struct world *world, const struct end *end);
void turns_woken(struct world *world, const struct end *end);
/* Whether the other one preempts it. */
bool turns_gives_way(const struct world *world, const struct end *end);

/* --- app.c --- */
void app_start(struct world *world, struct end *end);
/* The application goes on, unless its slice is over and ksoftirqd waits for the same CPU. */
void app_step_begin(struct world *world, struct end *end, enum app_step step, int64_t cost_ns);
void app_step_done(struct world *world, struct end *end);
void app_timer(struct world *world, struct end *end);
/* A packet for the application is in the socket: wakes it if it sleeps for one. */
void app_data_ready(struct world *world, struct end *end);
/* A frame of this end has completed: its memory is the socket's again. */
void app_space(struct world *world, struct end *end, const struct frame *completed);
bool app_sleeps_for_data(const struct end *end);
/* A step of the application that has not begun to run waits behind others. */
void app_put_aside(struct world *world, struct end *end);
/* Picks what runs at task level next, when that is free. */
void app_pick_task(struct world *world, struct host *host, struct cpu *cpu);

/* --- bulk.c --- */
bool bulk_has_space(const struct world *world, const struct end *end);
/* The sender's next call, or its sleep until there is space. */
void bulk_write(struct world *world, struct end *end);
/* The SEND step is over: the bytes are in the socket. */
void bulk_written(struct world *world, struct end *end);
void bulk_segments_sent(struct world *world, struct end *end);
/* A send call is under way. What acknowledgements allow then is sent by that call, not by the softirq that takes them in. */
bool bulk_owns_socket(const struct end *end);
/* The receiver has copied what was queued when its call began. */
void bulk_read_done(struct world *world, struct end *end);

/* --- tcp.c --- */
void tcp_init(struct world *world);
/* How many segments may leave now. */
uint32_t tcp_sendable(const struct tcp_sender *sender);
struct frame tcp_next_segment(struct world *world, struct end *end);
/* An ACK has come in; the sender may send more afterwards. */
void tcp_ack_received(struct world *world, struct end *end, const struct frame *ack);
/* Segments in order have come in: true when an ACK is due at once. */
bool tcp_segments_received(struct world *world, struct end *end, const struct frame *first, uint32_t segments);
struct frame tcp_make_ack(struct world *world, struct end *end);
/* Hands so many segments to the NIC, or as many as the window allows by now. */
void tcp_xmit(struct world *world, struct end *end, uint32_t most);
void tcp_timer(struct world *world, struct end *end);
void tcp_arm(struct world *world, struct end *end);

/* --- ideal.c --- */
void ideal_start(struct world *world, struct end *end);
/* Counts the frame as sent, and as dropped when the wire's ring has no room for one more. */
void ideal_send(struct world *world, struct end *end, int64_t ready_at_ns, const struct frame *frame);
void ideal_receive(struct world *world, struct end *end, const struct frame *frame);
void ideal_next_datagram(struct world *world, struct end *end);
void ideal_timer(struct world *world, struct end *end);

/* --- script.c --- */
void script_begin(struct world *world);
/* When the frame with this number leaves; NEVER_AT_NS behind the last. */
int64_t script_next_at_ns(const struct world *world, uint32_t sequence);
/* The frame that is due. */
struct frame script_request(struct world *world, const struct end *end);
/* What became of a frame; without a script nothing. */
void script_answered(const struct world *world, const struct end *end, const struct frame *answer);
void script_completed(const struct world *world, const struct end *end, const struct frame *frame);

/* What an answer to a frame is, for hosts and ideal ends alike. */
struct frame world_answer(const struct world *world, const struct frame *to);
void world_count_sent(struct world *world);
void world_count_received(struct world *world, uint64_t count);
void world_count_dropped(struct world *world, uint64_t count);

#endif
