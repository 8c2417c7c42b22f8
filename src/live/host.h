/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The host at the other end: its address, and the way there as this host's routes have it. */
#ifndef HOLDOFF_LIVE_HOST_H
#define HOLDOFF_LIVE_HOST_H

#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/err.h"

#define HOST_TEXT_MAX (INET6_ADDRSTRLEN + IFNAMSIZ + 1)

struct host {
	bool is_ipv6;
	union {
		struct sockaddr any;
		struct sockaddr_in ipv4;
		struct sockaddr_in6 ipv6;
	} address;
	socklen_t address_bytes;
	char text[HOST_TEXT_MAX]; /* the address, "fe80::1%eth0" */
};

enum host_family { HOST_ANY, HOST_IPV4, HOST_IPV6 };

/*
 * A name or an address. ifindex, if not 0, is the interface of a link-local address that names none. Broadcast and
 * multicast addresses, which are many hosts, are refused.
 */
int host_find(const char *name, enum host_family family, int ifindex, struct host *host, struct err *err);

/* Whether a packet comes from this host's address. */
bool host_is(const struct host *host, const struct sockaddr_storage *from);

/* An address without its port, for people. Returns buffer. */
const char *host_print(const struct sockaddr_storage *address, char buffer[HOST_TEXT_MAX]);

/* The way to a host. */
struct route {
	int ifindex;           /* that packets leave by */
	char device[IFNAMSIZ]; /* its name */
	bool is_local;         /* the host is this one */
	bool has_gateway;      /* a router is the next hop */
	bool is_ethernet;      /* frames have Ethernet's header */
	unsigned mtu;          /* of IP packets on this way, as far as this host knows */
};

/* ifindex, if not 0: the way through this interface. -ENETUNREACH and the like: there is none. */
int route_find(const struct host *host, int ifindex, struct route *route, struct err *err);

/*
 * No router between: this host itself, or a neighbour on an Ethernet. What is behind a tunnel or a modem may be far
 * away though no router is named.
 */
bool route_is_on_link(const struct route *route);

#endif
