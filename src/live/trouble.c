/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/trouble.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define ANY_CODE 255

struct meaning {
	uint8_t type, code;
	const char *words;
};

/* RFC 792; codes 6 to 12 RFC 1122, 13 to 15 RFC 1812. */
static const struct meaning icmp_meanings[] = {
	{ 3, 0, "network unreachable" },
	{ 3, 1, "host unreachable" },
	{ 3, 2, "protocol unreachable: the host takes no ICMP" },
	{ 3, 3, "port unreachable" },
	{ 3, 4, "the packet is too big to go on unfragmented" },
	{ 3, 5, "source route failed" },
	{ 3, 6, "network unknown" },
	{ 3, 7, "host unknown" },
	{ 3, 9, "network prohibited by an administrator" },
	{ 3, 10, "host prohibited by an administrator" },
	{ 3, 13, "prohibited by a filter" },
	{ 3, ANY_CODE, "destination unreachable" },
	{ 4, 0, "source quench" },
	{ 5, ANY_CODE, "redirect to another router" },
	{ 11, 0, "time to live exceeded on the way: a loop, or too many routers" },
	{ 11, 1, "fragments did not arrive in time" },
	{ 12, ANY_CODE, "the header has a fault" },
};

/* RFC 4443 */
static const struct meaning icmpv6_meanings[] = {
	{ 1, 0, "no route to the host" },
	{ 1, 1, "prohibited by a filter" },
	{ 1, 2, "beyond the scope of the source address" },
	{ 1, 3, "address unreachable" },
	{ 1, 4, "port unreachable" },
	{ 1, 5, "the source address is refused" },
	{ 1, 6, "the route to the host refuses it" },
	{ 1, ANY_CODE, "destination unreachable" },
	{ 2, 0, "the packet is too big" },
	{ 3, 0, "hop limit exceeded on the way: a loop, or too many routers" },
	{ 3, 1, "fragments did not arrive in time" },
	{ 4, ANY_CODE, "the header has a fault" },
};

static const struct {
	int error;
	const char *words;
} local_meanings[] = {
	{ EPERM, "this host refuses to send it: a firewall rule, or a security policy" },
	{ EACCES, "this host refuses to send it" },
	{ ENETDOWN, "the interface is down" },
	{ ENETUNREACH, "there is no route any more" },
	{ EHOSTUNREACH, "no neighbour with this address answers (ARP or neighbour discovery)" },
	{ ENODEV, "the interface is gone" },
	{ ENXIO, "the interface is gone" },
	{ EMSGSIZE, "the packet is too big for the way" },
	{ EINVAL, "the kernel cannot send to this address now" },
	{ EADDRNOTAVAIL, "there is no source address for it" },
};

static bool is_same(const struct trouble *a, const struct trouble *b)
{
	return a->origin == b->origin && a->error == b->error && a->type == b->type && a->code == b->code &&
	       a->mtu == b->mtu && strcmp(a->from, b->from) == 0;
}

void troubles_add(struct troubles *troubles, const struct trouble *trouble)
{
	for (unsigned i = 0; i < troubles->count; i++) {
		if (is_same(&troubles->trouble[i], trouble)) {
			troubles->trouble[i].count++;
			return;
		}
	}
	if (troubles->count == TROUBLES_MAX) {
		troubles->others++;
		return;
	}
	troubles->trouble[troubles->count] = *trouble;
	troubles->trouble[troubles->count++].count = 1;
}

static const char *find_meaning(const struct meaning *meanings, size_t count, const struct trouble *trouble)
{
	for (size_t i = 0; i < count; i++) {
		if (meanings[i].type == trouble->type &&
		    (meanings[i].code == trouble->code || meanings[i].code == ANY_CODE)) {
			return meanings[i].words;
		}
	}
	return NULL;
}

static const char *find_local(int error)
{
	for (size_t i = 0; i < sizeof(local_meanings) / sizeof(local_meanings[0]); i++) {
		if (local_meanings[i].error == error) {
			return local_meanings[i].words;
		}
	}
	return strerror(error);
}

#define COUNT(meanings) (sizeof(meanings) / sizeof((meanings)[0]))

char *trouble_print(const struct trouble *trouble, char buffer[TROUBLE_TEXT_MAX])
{
	const bool is_icmp = trouble->origin == TROUBLE_ICMP || trouble->origin == TROUBLE_ICMPV6;
	const char *words = NULL;
	char unnamed[48], mtu[48] = "", from[TROUBLE_FROM_MAX + 16] = "";

	if (trouble->origin == TROUBLE_ICMP) {
		words = find_meaning(icmp_meanings, COUNT(icmp_meanings), trouble);
	} else if (trouble->origin == TROUBLE_ICMPV6) {
		words = find_meaning(icmpv6_meanings, COUNT(icmpv6_meanings), trouble);
	} else {
		words = find_local(trouble->error);
	}
	if (!words) {
		snprintf(unnamed, sizeof(unnamed), "ICMP type %u code %u", trouble->type, trouble->code);
		words = unnamed;
	}
	if (trouble->mtu) {
		snprintf(mtu, sizeof(mtu), ": an MTU of %" PRIu32 " bytes", trouble->mtu);
	}
	if (is_icmp && trouble->from[0]) {
		snprintf(from, sizeof(from), ", says %s", trouble->from);
	}
	snprintf(buffer, TROUBLE_TEXT_MAX, "%s%s%s", words, mtu, from);
	return buffer;
}
