/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors in words, and equal ones counted together. */
#include "live/trouble.c"

#include "tap.h"

static void expect(const struct trouble *trouble, const char *words)
{
	char text[TROUBLE_TEXT_MAX];

	tap_is_text(trouble_print(trouble, text), words, "%s", words);
}

int main(void)
{
	struct troubles troubles = { 0 };
	const struct trouble host = { .origin = TROUBLE_ICMP, .type = 3, .code = 1, .from = "10.0.0.1" };
	struct trouble other = host;

	expect(&host, "host unreachable, says 10.0.0.1");
	expect(&(struct trouble){ .origin = TROUBLE_ICMP, .type = 3, .code = 4, .mtu = 1400, .from = "10.0.0.1" },
	       "the packet is too big to go on unfragmented: an MTU of 1400 bytes, says 10.0.0.1");
	expect(&(struct trouble){ .origin = TROUBLE_ICMPV6, .type = 2, .mtu = 1280, .from = "fd00::1" },
	       "the packet is too big: an MTU of 1280 bytes, says fd00::1");
	expect(&(struct trouble){ .origin = TROUBLE_ICMP, .type = 3, .code = 14, .from = "10.0.0.1" },
	       "destination unreachable, says 10.0.0.1");
	expect(&(struct trouble){ .origin = TROUBLE_ICMP, .type = 41, .code = 7, .from = "10.0.0.1" },
	       "ICMP type 41 code 7, says 10.0.0.1");
	expect(&(struct trouble){ .origin = TROUBLE_SENDING, .error = EPERM },
	       "this host refuses to send it: a firewall rule, or a security policy");
	expect(&(struct trouble){ .origin = TROUBLE_LOCAL, .error = EHOSTUNREACH },
	       "no neighbour with this address answers (ARP or neighbour discovery)");
	expect(&(struct trouble){ .origin = TROUBLE_SENDING, .error = EIO }, "Input/output error");

	troubles_add(&troubles, &host);
	troubles_add(&troubles, &host);
	tap_ok(troubles.count == 1 && troubles.trouble[0].count == 2, "the same again is counted");
	for (unsigned i = 0; i < 2 * TROUBLES_MAX; i++) {
		other.mtu = i + 1;
		troubles_add(&troubles, &other);
	}
	tap_is(troubles.count, TROUBLES_MAX, "so many different ones are kept");
	tap_is((int64_t)troubles.others, TROUBLES_MAX + 1, "the others are counted");
	return tap_done();
}
