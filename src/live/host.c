/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/host.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>
#include <netdb.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "nic/netlink.h"

#define ROUTE_TIMEOUT_MS 5000

/* ---- addresses ---- */

const char *host_print(const struct sockaddr_storage *address, char buffer[HOST_TEXT_MAX])
{
	const socklen_t bytes = address->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6)
							       : sizeof(struct sockaddr_in);

	if (getnameinfo((const struct sockaddr *)address, bytes, buffer, HOST_TEXT_MAX, NULL, 0, NI_NUMERICHOST) != 0) {
		snprintf(buffer, HOST_TEXT_MAX, "?");
	}
	return buffer;
}

/* Why packets cannot be sent there and answered by one host; NULL when they can. */
static const char *find_fault(const struct host *host)
{
	if (host->is_ipv6) {
		const struct in6_addr *const address = &host->address.ipv6.sin6_addr;

		return IN6_IS_ADDR_MULTICAST(address)
			       ? "is a multicast address: a measurement has one host at its far end"
		       : IN6_IS_ADDR_UNSPECIFIED(address) ? "is no host"
							  : NULL;
	}
	const in_addr_t address = ntohl(host->address.ipv4.sin_addr.s_addr);

	return address == INADDR_BROADCAST ? "is the broadcast address: a measurement has one host at its far end"
	       : IN_MULTICAST(address)     ? "is a multicast address: a measurement has one host at its far end"
	       : address == INADDR_ANY     ? "is no host"
					   : NULL;
}

/* A link-local address is one of an interface. */
static int complete_scope(struct host *host, int ifindex, struct err *err)
{
	struct sockaddr_in6 *const address = &host->address.ipv6;

	if (!host->is_ipv6 || !IN6_IS_ADDR_LINKLOCAL(&address->sin6_addr)) {
		return 0;
	}
	if (!address->sin6_scope_id && !ifindex) {
		return err_set(err, -EINVAL,
			       "%s is an address of one link: name its interface, as in %s%%eth0 or with -I",
			       host->text, host->text);
	}
	if (!address->sin6_scope_id) {
		address->sin6_scope_id = (uint32_t)ifindex;
	}
	return 0;
}

static void print_text(struct host *host)
{
	struct sockaddr_storage storage = { 0 };

	memcpy(&storage, &host->address, host->address_bytes);
	host_print(&storage, host->text);
}

static int take_address(const struct addrinfo *info, struct host *host, struct err *err)
{
	*host = (struct host){ .is_ipv6 = info->ai_family == AF_INET6, .address_bytes = info->ai_addrlen };
	if (info->ai_addrlen > sizeof(host->address)) {
		return err_set(err, -EINVAL, "an address of a family that is not known");
	}
	memcpy(&host->address, info->ai_addr, info->ai_addrlen);
	print_text(host);
	return 0;
}

int host_find(const char *name, enum host_family family, int ifindex, struct host *host, struct err *err)
{
	static const int families[] = { [HOST_ANY] = AF_UNSPEC, [HOST_IPV4] = AF_INET, [HOST_IPV6] = AF_INET6 };
	const struct addrinfo hints = { .ai_family = families[family], .ai_socktype = SOCK_DGRAM };
	struct addrinfo *found;
	static const char *const kinds[] = { [HOST_ANY] = "", [HOST_IPV4] = "IPv4 ", [HOST_IPV6] = "IPv6 " };
	const int problem = getaddrinfo(name, NULL, &hints, &found);

	if (problem) {
		return err_set(err, -EINVAL, "no %saddress of \"%.100s\": %s", kinds[family], name,
			       problem == EAI_SYSTEM ? strerror(errno) : gai_strerror(problem));
	}
	int ret = take_address(found, host, err);

	freeaddrinfo(found);
	if (ret == 0) {
		ret = complete_scope(host, ifindex, err);
	}
	if (ret == 0 && find_fault(host)) {
		ret = err_set(err, -EINVAL, "%s %s", host->text, find_fault(host));
	}
	if (ret == 0) {
		print_text(host);
	}
	return ret;
}

bool host_is(const struct host *host, const struct sockaddr_storage *from)
{
	if (host->is_ipv6) {
		return from->ss_family == AF_INET6 &&
		       IN6_ARE_ADDR_EQUAL(&host->address.ipv6.sin6_addr,
					  &((const struct sockaddr_in6 *)from)->sin6_addr);
	}
	return from->ss_family == AF_INET &&
	       host->address.ipv4.sin_addr.s_addr == ((const struct sockaddr_in *)from)->sin_addr.s_addr;
}

/* ---- the way ---- */

struct route_reply {
	struct route *route;
	uint8_t type; /* RTN_UNICAST, ... */
};

static int take_metric(void *context, const struct nlattr *attribute, struct err *err)
{
	struct route *const route = context;
	uint64_t value;

	if (mnl_attr_get_type(attribute) != RTAX_MTU) {
		return 0;
	}
	const int ret = netlink_number(attribute, UINT32_MAX, &value, err);

	if (ret == 0 && value) {
		route->mtu = (unsigned)value;
	}
	return ret;
}

static int take_route_attribute(void *context, const struct nlattr *attribute, struct err *err)
{
	struct route *const route = context;
	uint64_t value;
	int ret;

	switch (mnl_attr_get_type(attribute)) {
	case RTA_OIF:
		ret = netlink_number(attribute, INT32_MAX, &value, err);
		if (ret == 0) {
			route->ifindex = (int)value;
		}
		return ret;
	case RTA_GATEWAY:
	case RTA_VIA:
		route->has_gateway = true;
		return 0;
	case RTA_METRICS:
		return netlink_nest(attribute, take_metric, route, err);
	default:
		return 0;
	}
}

static int take_route(void *context, const struct nlmsghdr *message, struct err *err)
{
	struct route_reply *const reply = context;
	const struct rtmsg *const header = mnl_nlmsg_get_payload(message);

	if (message->nlmsg_type != RTM_NEWROUTE) {
		return 0;
	}
	if (mnl_nlmsg_get_payload_len(message) < sizeof(*header)) {
		return err_set(err, -EBADMSG, "the kernel's answer about a route is cut off");
	}
	reply->type = header->rtm_type;
	return netlink_attributes(message, sizeof(*header), take_route_attribute, reply->route, err);
}

static struct nlmsghdr *begin_request(const struct netlink *netlink, void *buffer, const struct host *host, int ifindex)
{
	struct nlmsghdr *const message = mnl_nlmsg_put_header(buffer);
	const struct sockaddr_in6 *const ipv6 = &host->address.ipv6;
	struct rtmsg *const header = mnl_nlmsg_put_extra_header(message, sizeof(*header));

	message->nlmsg_type = RTM_GETROUTE;
	message->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	message->nlmsg_pid = netlink->port;
	header->rtm_family = host->is_ipv6 ? AF_INET6 : AF_INET;
	header->rtm_dst_len = host->is_ipv6 ? 128 : 32;
	if (host->is_ipv6) {
		mnl_attr_put(message, RTA_DST, sizeof(ipv6->sin6_addr), &ipv6->sin6_addr);
		ifindex = ipv6->sin6_scope_id ? (int)ipv6->sin6_scope_id : ifindex;
	} else {
		mnl_attr_put(message, RTA_DST, sizeof(host->address.ipv4.sin_addr), &host->address.ipv4.sin_addr);
	}
	if (ifindex) {
		mnl_attr_put_u32(message, RTA_OIF, (uint32_t)ifindex);
	}
	return message;
}

static int ask_for_route(const struct host *host, int ifindex, struct route_reply *reply, struct err *err)
{
	alignas(struct nlmsghdr) uint8_t buffer[NETLINK_MESSAGE_MAX];
	struct netlink netlink;
	int ret = netlink_open_route(&netlink, err);

	if (ret < 0) {
		return ret;
	}
	ret = netlink_exchange(&netlink, begin_request(&netlink, buffer, host, ifindex), take_route, reply,
			       ROUTE_TIMEOUT_MS, err);
	netlink_close(&netlink);
	return ret < 0 ? err_set(err, ret, "there is no way to %s: %s", host->text, strerror(-ret)) : 0;
}

/* Name, kind and MTU of the interface; what cannot be had stays as it is. */
static void look_at_device(struct route *route)
{
	struct ifreq ifreq = { .ifr_ifindex = route->ifindex };
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0) {
		return;
	}
	if (ioctl(fd, SIOCGIFNAME, &ifreq) == 0) {
		memcpy(route->device, ifreq.ifr_name, sizeof(route->device));
		if (!route->mtu && ioctl(fd, SIOCGIFMTU, &ifreq) == 0) {
			route->mtu = (unsigned)ifreq.ifr_mtu;
		}
		route->is_ethernet = ioctl(fd, SIOCGIFHWADDR, &ifreq) == 0 &&
				     ifreq.ifr_hwaddr.sa_family == ARPHRD_ETHER;
	}
	close(fd);
}

int route_find(const struct host *host, int ifindex, struct route *route, struct err *err)
{
	struct route_reply reply = { .route = route };

	*route = (struct route){ 0 };
	const int ret = ask_for_route(host, ifindex, &reply, err);

	if (ret < 0) {
		return ret;
	}
	if (reply.type == RTN_BROADCAST || reply.type == RTN_MULTICAST) {
		return err_set(err, -EINVAL, "%s is a broadcast address: a measurement has one host at its far end",
			       host->text);
	}
	if (reply.type != RTN_LOCAL && reply.type != RTN_UNICAST) {
		return err_set(err, -ENETUNREACH, "there is no way to %s: a route refuses it", host->text);
	}
	route->is_local = reply.type == RTN_LOCAL;
	look_at_device(route);
	return 0;
}

bool route_is_on_link(const struct route *route)
{
	return route->is_local || (!route->has_gateway && route->is_ethernet);
}
