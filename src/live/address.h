/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses of the ends of a load, IPv4 and IPv6, with a port. */
#ifndef HOLDOFF_LIVE_ADDRESS_H
#define HOLDOFF_LIVE_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/err.h"

struct address {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	};
	socklen_t size;
};

/* "10.0.0.2", "fe80::1%eth0"; with its end. */
#define ADDRESS_TEXT_MAX 64

/* A name or a number, port 0. -EINVAL when there is no such host. */
int address_resolve(const char *host, struct address *address, struct err *err);
/* A number without a scope; a link-local one gets that of the interface of this host that bears it, if one does. */
int address_parse(const char *text, struct address *address, struct err *err);
/* Without the port and without the scope. Returns buffer. */
char *address_print(const struct address *address, char buffer[ADDRESS_TEXT_MAX]);

uint16_t address_port(const struct address *address);
void address_set_port(struct address *address, uint16_t port);
bool address_is_same_host(const struct address *one, const struct address *other);

/* Whether an interface of this network namespace bears it. */
bool address_is_here(const struct address *address);

/* The address of this host that packets to `to` leave from, port 0; ifindex 0: as routed. Nothing is sent. */
int address_on_route(const struct address *to, int ifindex, struct address *from, struct err *err);

/* The index of the interface that bears the address, 0 if none does. */
int address_interface(const struct address *address);

#endif
