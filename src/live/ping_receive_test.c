/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When ping gives the kernel time to turn its stamps on. What it makes of replies is tested in test/netns. */
#include "live/ping_receive.c"

#include "tap.h"

static struct ping ping;
static struct times times;

/* A reply that was received so long after the socket was opened, stamped then or not. Returns how long the next probe has to wait. */
static int64_t take(int64_t after_ns, bool is_stamped)
{
	const struct clocks now = { .monotonic_at_ns = ping.opened_at_ns + after_ns, .real_at_ns = after_ns };
	const struct icmp_message message = { .stamp = { .has = is_stamped ? STAMP_SOFTWARE : 0,
							 .software_at_ns = after_ns - 1000 } };
	struct ping_reply reply = { .sequence = 0 };

	times.sent = (struct clocks){ .monotonic_at_ns = now.monotonic_at_ns - 50000, .real_at_ns = after_ns - 50000 };
	ping.retry_at_ns = 0;
	measure(&ping, &times, &message, &now, now.real_at_ns, &reply);
	return ping.retry_at_ns ? ping.retry_at_ns - now.monotonic_at_ns : 0;
}

int main(void)
{
	ping.opened_at_ns = 77 * NS_PER_S;
	for (unsigned i = 0; i < PING_SPANS; i++) {
		histogram_init(&ping.result.rtt[i]);
	}
	tap_is(take(100000, false), 10 * NS_PER_MS, "no stamp yet: the next probe waits for the kernel");
	tap_is(take(600 * NS_PER_MS, false), 0, "there will be none: nothing is waited for");
	tap_is(take(10 * NS_PER_MS, true), 0, "a stamp");
	tap_is(take(11 * NS_PER_MS, false), 0, "a single one that lacks it later is not waited for");
	tap_is((int64_t)ping.result.unstamped, 3, "all that lacked it are counted");
	return tap_done();
}
