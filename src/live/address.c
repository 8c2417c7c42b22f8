/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void take_sockaddr(struct address *address, const struct sockaddr *from)
{
	*address = (struct address){ .size = from->sa_family == AF_INET6 ? sizeof(address->v6) : sizeof(address->v4) };
	memcpy(&address->any, from, address->size);
}

int address_resolve(const char *host, struct address *address, struct err *err)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM };
	struct addrinfo *found;
	const int ret = getaddrinfo(host, NULL, &hints, &found);

	if (ret) {
		return err_set(err, -EINVAL, "\"%.100s\" is no host: %s", host,
			       ret == EAI_SYSTEM ? strerror(errno) : gai_strerror(ret));
	}
	take_sockaddr(address, found->ai_addr);
	freeaddrinfo(found);
	address_set_port(address, 0);
	return 0;
}

bool address_is_same_host(const struct address *one, const struct address *other)
{
	if (one->any.sa_family != other->any.sa_family) {
		return false;
	}
	if (one->any.sa_family == AF_INET) {
		return one->v4.sin_addr.s_addr == other->v4.sin_addr.s_addr;
	}
	return memcmp(&one->v6.sin6_addr, &other->v6.sin6_addr, sizeof(one->v6.sin6_addr)) == 0;
}

int address_interface(const struct address *address)
{
	struct ifaddrs *all;
	int ifindex = 0;

	if (getifaddrs(&all)) {
		return 0;
	}
	for (const struct ifaddrs *entry = all; entry && !ifindex; entry = entry->ifa_next) {
		struct address its;

		if (!entry->ifa_addr ||
		    (entry->ifa_addr->sa_family != AF_INET && entry->ifa_addr->sa_family != AF_INET6)) {
			continue;
		}
		take_sockaddr(&its, entry->ifa_addr);
		ifindex = address_is_same_host(&its, address) ? (int)if_nametoindex(entry->ifa_name) : 0;
	}
	freeifaddrs(all);
	return ifindex;
}

bool address_is_here(const struct address *address)
{
	const int fd = socket(address->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct address bound = *address;

	address_set_port(&bound, 0);
	const bool is_here = fd >= 0 && bind(fd, &bound.any, bound.size) == 0;

	if (fd >= 0) {
		close(fd);
	}
	return is_here;
}

int address_parse(const char *text, struct address *address, struct err *err)
{
	*address = (struct address){ .size = sizeof(address->v4) };
	if (inet_pton(AF_INET, text, &address->v4.sin_addr) == 1) {
		address->v4.sin_family = AF_INET;
		return 0;
	}
	*address = (struct address){ .size = sizeof(address->v6) };
	if (inet_pton(AF_INET6, text, &address->v6.sin6_addr) != 1) {
		return err_set(err, -EINVAL, "\"%.60s\" is no address", text);
	}
	address->v6.sin6_family = AF_INET6;
	if (IN6_IS_ADDR_LINKLOCAL(&address->v6.sin6_addr)) {
		address->v6.sin6_scope_id = (uint32_t)address_interface(address);
	}
	return 0;
}

char *address_print(const struct address *address, char buffer[ADDRESS_TEXT_MAX])
{
	const void *const number = address->any.sa_family == AF_INET6 ? (const void *)&address->v6.sin6_addr
								      : (const void *)&address->v4.sin_addr;

	if (!inet_ntop(address->any.sa_family, number, buffer, ADDRESS_TEXT_MAX)) {
		snprintf(buffer, ADDRESS_TEXT_MAX, "?");
	}
	return buffer;
}

uint16_t address_port(const struct address *address)
{
	return ntohs(address->any.sa_family == AF_INET6 ? address->v6.sin6_port : address->v4.sin_port);
}

void address_set_port(struct address *address, uint16_t port)
{
	if (address->any.sa_family == AF_INET6) {
		address->v6.sin6_port = htons(port);
	} else {
		address->v4.sin_port = htons(port);
	}
}

/* Connecting a datagram socket looks the route up and sends nothing; port 9 is that of discard, and any would do. */
int address_on_route(const struct address *to, int ifindex, struct address *from, struct err *err)
{
	const int fd = socket(to->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct address target = *to;
	char text[ADDRESS_TEXT_MAX];
	int ret = 0;

	if (fd < 0) {
		return err_set(err, -errno, "no socket can be had: %s", strerror(errno));
	}
	address_set_port(&target, 9);
	*from = (struct address){ .size = sizeof(from->v6) };
	if ((ifindex && setsockopt(fd, SOL_SOCKET, SO_BINDTOIFINDEX, &ifindex, sizeof(ifindex))) ||
	    connect(fd, &target.any, target.size) || getsockname(fd, &from->any, &from->size)) {
		ret = err_set(err, -errno, "there is no way to %s: %s", address_print(to, text), strerror(errno));
	}
	close(fd);
	address_set_port(from, 0);
	return ret;
}
