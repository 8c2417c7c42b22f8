/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/napi.h"

#include <string.h>

#include "tap.h"

static void without_deferral(void)
{
	struct napi napi;
	bool again;

	napi_init(&napi, 0, 0);
	tap_ok(napi_schedule(&napi), "an idle instance is scheduled");
	tap_ok(napi_complete_done(&napi, 100, true, false, &again) && !again,
	       "and completes with the interrupt unmasked");
	tap_is(napi.timer_at_ns, NEVER_AT_NS, "no timer runs");
	napi_schedule(&napi);
	tap_ok(!napi_schedule(&napi), "a second schedule does nothing");
	tap_ok(!napi_complete_done(&napi, 200, true, false, &again) && again, "but completion polls once more for it");
}

/* N = 2, T = 20 us: after the last packet the interrupt stays off for N timers, then is armed. */
static void deferral(void)
{
	struct napi napi;
	bool again;

	napi_init(&napi, 2, 20000);
	napi_schedule(&napi);
	tap_ok(!napi_complete_done(&napi, 1000, true, false, &again) && !again,
	       "work done: the interrupt stays masked");
	tap_is(napi.timer_at_ns, 21000, "and the timer runs");
	tap_ok(napi_timer(&napi), "the timer schedules the instance");
	tap_ok(!napi_complete_done(&napi, 22000, false, false, &again), "an empty poll uses up one count");
	tap_ok(napi_timer(&napi), "the second timer");
	tap_ok(napi_complete_done(&napi, 43000, false, false, &again), "the count is used up: the interrupt is armed");
	tap_is(napi.timer_at_ns, NEVER_AT_NS, "and no timer runs");
}

static void half_settings(void)
{
	struct napi napi;
	bool again;

	napi_init(&napi, 3, 0);
	napi_schedule(&napi);
	tap_ok(napi_complete_done(&napi, 0, true, false, &again), "defer-hard-irqs without a timeout defers nothing");
	napi_init(&napi, 0, 20000);
	napi_schedule(&napi);
	tap_ok(napi_complete_done(&napi, 0, true, false, &again),
	       "a timeout without defer-hard-irqs leaves the interrupt armed");
	tap_is(napi.timer_at_ns, NEVER_AT_NS, "and runs only for what GRO holds");
	napi_schedule(&napi);
	napi_complete_done(&napi, 500, true, true, &again);
	tap_is(napi.timer_at_ns, 20500, "such as here");
}

static void limits(void)
{
	struct profile profile;
	struct softirq softirq;
	unsigned restarts = 0;

	memset(&profile, 0, sizeof(profile));
	profile.hz = 250;
	profile.netdev_budget = 300;
	softirq_enter(&softirq, 1000);
	softirq_action(&softirq, &profile, 1000);
	tap_ok(!softirq_squeezed(&softirq, &profile, 2000, 64), "236 frames of budget are left");
	tap_ok(!softirq_squeezed(&softirq, &profile, 3000, 235), "one frame of budget is left");
	tap_ok(softirq_squeezed(&softirq, &profile, 4000, 1), "the budget is used up");
	softirq_action(&softirq, &profile, 4000);
	tap_ok(!softirq_squeezed(&softirq, &profile, 8 * NS_PER_MS - 1, 1), "one ns before the second tick");
	tap_ok(softirq_squeezed(&softirq, &profile, 8 * NS_PER_MS, 1), "the second tick ends it");
	while (softirq_restart(&softirq, &profile, 5000, false)) {
		restarts++;
	}
	tap_is(restarts, 9, "ten passes, that is nine restarts");
	softirq_enter(&softirq, 1000);
	tap_ok(!softirq_restart(&softirq, &profile, 5000, true), "somebody waits for the CPU: ksoftirqd takes over");
	tap_ok(softirq_restart(&softirq, &profile, 4 * NS_PER_MS - 1, false), "one ns before the tick that ends it");
	tap_ok(!softirq_restart(&softirq, &profile, 4 * NS_PER_MS, false), "at the tick");
}

int main(void)
{
	without_deferral();
	deferral();
	half_settings();
	limits();
	return tap_done();
}
