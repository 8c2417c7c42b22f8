/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/napi.h"

/* MAX_SOFTIRQ_RESTART and MAX_SOFTIRQ_TIME of kernel/softirq.c. */
#define SOFTIRQ_RESTARTS 10
#define SOFTIRQ_TIME_NS (2 * NS_PER_MS)

void napi_init(struct napi *napi, uint32_t defer_hard_irqs, int64_t gro_flush_timeout_ns)
{
	*napi = (struct napi){
		.defer_hard_irqs = defer_hard_irqs,
		.gro_flush_timeout_ns = gro_flush_timeout_ns,
		.timer_at_ns = NEVER_AT_NS,
	};
}

bool napi_schedule(struct napi *napi)
{
	if (napi->scheduled) {
		napi->missed = true;
		return false;
	}
	napi->scheduled = true;
	napi->missed = false;
	return true;
}

bool napi_keeps_gro(const struct napi *napi, bool worked)
{
	return napi->gro_flush_timeout_ns > 0 && (worked || napi->defer_left > 0);
}

bool napi_complete_done(struct napi *napi, int64_t now_at_ns, bool worked, bool held_by_gro, bool *poll_again)
{
	bool unmask = true;
	int64_t timeout_ns = 0;

	*poll_again = false;
	if (worked) {
		if (held_by_gro) {
			timeout_ns = napi->gro_flush_timeout_ns;
		}
		napi->defer_left = napi->defer_hard_irqs;
	}
	if (napi->defer_left > 0) {
		napi->defer_left--;
		timeout_ns = napi->gro_flush_timeout_ns;
		unmask = timeout_ns == 0;
	}
	if (napi->missed) {
		napi->missed = false;
		*poll_again = true;
		return false;
	}
	napi->scheduled = false;
	if (timeout_ns > 0) {
		napi->timer_at_ns = now_at_ns + timeout_ns;
	}
	return unmask;
}

bool napi_timer(struct napi *napi)
{
	napi->timer_at_ns = NEVER_AT_NS;
	/* An instance that is being polled needs no timer: the kernel's watchdog leaves it alone and marks nothing as missed. */
	return !napi->scheduled && napi_schedule(napi);
}

void softirq_enter(struct softirq *softirq, int64_t now_at_ns)
{
	*softirq = (struct softirq){ .started_at_ns = now_at_ns, .restarts_left = SOFTIRQ_RESTARTS };
}

static int64_t jiffy_ns(const struct profile *profile)
{
	return NS_PER_S / profile->hz;
}

static int64_t round_up(int64_t value_ns, int64_t unit_ns)
{
	return (value_ns + unit_ns - 1) / unit_ns * unit_ns;
}

void softirq_action(struct softirq *softirq, const struct profile *profile, int64_t now_at_ns)
{
	softirq->action_at_ns = now_at_ns;
	softirq->budget_left = (int)profile->netdev_budget;
}

/* The kernel counts both limits in jiffies: they end at a tick, on average half a jiffy before the rounded-up time. */
static int64_t tick_after(int64_t from_at_ns, int64_t limit_ns, int64_t jiffy)
{
	return from_at_ns / jiffy * jiffy + round_up(limit_ns, jiffy);
}

bool softirq_squeezed(struct softirq *softirq, const struct profile *profile, int64_t now_at_ns, unsigned frames)
{
	const int64_t jiffy = jiffy_ns(profile);
	const int64_t limit_ns = profile->netdev_budget_ns ? profile->netdev_budget_ns : 2 * jiffy;

	softirq->budget_left -= (int)frames;
	return softirq->budget_left <= 0 || now_at_ns >= tick_after(softirq->action_at_ns, limit_ns, jiffy);
}

bool softirq_restart(struct softirq *softirq, const struct profile *profile, int64_t now_at_ns, bool need_resched)
{
	const int64_t end_at_ns = tick_after(softirq->started_at_ns, SOFTIRQ_TIME_NS, jiffy_ns(profile));

	if (now_at_ns >= end_at_ns || need_resched || --softirq->restarts_left == 0) {
		return false;
	}
	return true;
}
