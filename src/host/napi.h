/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NAPI as the kernel's core has it: one instance, its deferral (gro_flush_timeout and napi_defer_hard_irqs), and the limits
 * of softirq processing. Pure state: the owner runs the polls and the timer.
 *
 * Sources: net/core/dev.c and kernel/softirq.c of Linux 6.12; Documentation/networking/napi.rst.
 */
#ifndef HOLDOFF_HOST_NAPI_H
#define HOLDOFF_HOST_NAPI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/time.h"
#include "host/profile.h"

struct napi {
	bool scheduled; /* on a poll list or being polled: a schedule is a no-op, but is remembered as missed */
	bool missed;    /* somebody tried to schedule it meanwhile: completion polls again */
	uint32_t defer_hard_irqs; /* setting: a count */
	int64_t gro_flush_timeout_ns;
	uint32_t defer_left;
	int64_t timer_at_ns; /* of the deferral timer; NEVER_AT_NS */
};

void napi_init(struct napi *napi, uint32_t defer_hard_irqs, int64_t gro_flush_timeout_ns);

/* True when the instance was idle and is scheduled now: the caller has to run its poll. */
bool napi_schedule(struct napi *napi);

/* Whether a completion now, after a poll that received frames or not, leaves in GRO what came in this jiffy: its timer will see to it. */
bool napi_keeps_gro(const struct napi *napi, bool worked);

/*
 * napi_complete_done: worked says whether this poll received frames, held_by_gro whether packets sit in GRO. True: interrupts
 * may be unmasked, the instance is idle. False: deferred (timer_at_ns is set: the interrupt stays masked in drivers that obey) or,
 * with *poll_again, a schedule was missed and the instance stays on the list.
 */
bool napi_complete_done(struct napi *napi, int64_t now_at_ns, bool worked, bool held_by_gro, bool *poll_again);

/* The deferral timer has come: true when the instance is to be polled. */
bool napi_timer(struct napi *napi);

/* ---- the limits of one softirq invocation ---- */

struct softirq {
	int64_t started_at_ns; /* of handle_softirqs: bounds its restarts */
	int64_t action_at_ns;  /* of net_rx_action: bounds its budget time */
	int budget_left;
	unsigned restarts_left;
};

void softirq_enter(struct softirq *softirq, int64_t now_at_ns);
/* A new net_rx_action within the same invocation. */
void softirq_action(struct softirq *softirq, const struct profile *profile, int64_t now_at_ns);
/* After a poll call that took `frames`: true when net_rx_action has to stop though instances are left (time_squeeze). Like the kernel
 * it counts jiffies: the limit is over at a tick. */
bool softirq_squeezed(struct softirq *softirq, const struct profile *profile, int64_t now_at_ns, unsigned frames);
/* NET_RX was raised again: true to restart at once, false when ksoftirqd has to take over. */
bool softirq_restart(struct softirq *softirq, const struct profile *profile, int64_t now_at_ns, bool need_resched);

#endif
