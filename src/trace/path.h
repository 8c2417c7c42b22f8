/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The matcher in user space: events of the kernel, in the order of their times, become the stages of a packet's way.
 * Pure. The rules are those of path_rules.h, and the result is the same as that of the programs in the kernel.
 */
#ifndef HOLDOFF_TRACE_PATH_H
#define HOLDOFF_TRACE_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/histogram.h"
#include "trace/path_state.h"

#define PATH_CPUS_MAX 1024
#define PATH_IRQS_MAX 1024 /* interrupts above are not looked at */
#define PATH_NAME_MAX 16   /* of an interface, with its end */

enum path_kind {
	PATH_EVENT_QUEUE,      /* net_dev_queue: skb, device, bytes */
	PATH_EVENT_XMIT,       /* net_dev_start_xmit: skb, device, bytes */
	PATH_EVENT_XMIT_DONE,  /* net_dev_xmit: skb, device, value is the driver's answer */
	PATH_EVENT_COMPLETION, /* the driver says so: skb */
	PATH_EVENT_FREE,       /* consume_skb, kfree_skb: skb, pid */
	PATH_EVENT_RECEIVE,    /* netif_receive_skb: skb, device, bytes */
	PATH_EVENT_COPY,       /* skb_copy_datagram_iovec: skb, pid */
	PATH_EVENT_IRQ,        /* irq_handler_entry: value is its number, device its name */
	PATH_EVENT_IRQ_DONE,   /* irq_handler_exit: value, flags */
	PATH_EVENT_RAISE,      /* softirq_raise: value is the vector */
	PATH_EVENT_SOFTIRQ,    /* softirq_entry: value */
	PATH_EVENT_SOFTIRQ_DONE,
	PATH_EVENT_POLL, /* napi_poll: device, value is the work, budget */
	PATH_EVENT_WAKE, /* sched_waking: value is who is woken */
	PATH_EVENT_RUN,  /* sched_switch: value is who runs now */
	PATH_EVENT_LOST, /* events of this CPU are missing: what it did is not known until it begins something new */
	PATH_EVENTS
};

/* Flags. */
enum {
	PATH_MAY_BE = 1 << 0,     /* an echo request or reply, or nobody knows */
	PATH_NOT_HANDLED = 1 << 1 /* the handler says that the interrupt was not its device's */
};

struct path_event {
	int64_t at_ns; /* positive; of PATH_EVENT_LOST anything */
	uint64_t skb;  /* not 0 */
	enum path_kind kind;
	uint32_t cpu;
	int32_t value, budget;
	uint32_t pid, bytes, flags;
	uint32_t exchange; /* the same of a request and of its answer, and not 0; 0: it is not known */
	char device[64];   /* ""; of the interface, whatever it is called */
};

extern const char *const path_kind_names[PATH_EVENTS]; /* the kernel's names */

struct path; /* owned by whoever made it */

/* Which interrupts are the interface's is learned from the events, or said by path_use_irq. NULL: no memory. */
struct path *path_new(const char *device);
void path_free(struct path *path); /* NULL is fine */

/* The interrupt is a vector of the interface, called name. False where there is no room or the number is too high. */
bool path_use_irq(struct path *path, uint32_t irq, const char *name);

/*
 * Over all events before they are matched: an interrupt belongs to the interface if its action has the interface's name
 * in it, or if its handler raised NET_RX and a poll of the interface was the next one on that CPU, while no other
 * interrupt raised it too.
 */
void path_learn(struct path *path, const struct path_event *event);

/* False when it was not used: of another CPU than there can be. An event that is earlier than the one before it on its
 * CPU (an interrupt came while it was written) keeps its time, and is counted; a negative span is out of range. */
bool path_take_event(struct path *path, const struct path_event *event);

/* ---- what was found ---- */

struct path_irq {
	uint32_t irq;
	char name[64];
	uint64_t interrupts;
	int64_t hardirq_ns;
};

struct path_result {
	struct histogram stage[PATH_STAGES];
	uint64_t seen[PATH_EVENTS]; /* events of a kind; 0: the kernel can't tell, or there was none */
	struct path_sums sums;      /* of all CPUs */
	uint64_t in_flight;         /* sent and not ended */
	uint64_t out_of_order;      /* events that were earlier than one before on their CPU */
	int64_t begin_at_ns, end_at_ns;
	unsigned irq_count;
	struct path_irq irq[PATH_VECTORS_MAX];
};

void path_result(const struct path *path, struct path_result *result);

/* Adds one CPU's sums to another's; not the last times of vectors. */
void path_sums_add(struct path_sums *into, const struct path_sums *from);

/* What a stage is called in JSON ("xmit_to_irq_ns") and in tables ("xmit returned to irq"). */
const char *path_stage_key(enum path_stage stage);
const char *path_stage_title(enum path_stage stage);

#endif
