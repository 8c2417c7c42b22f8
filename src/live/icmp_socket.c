/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/icmp_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/icmp.h>
#include <netinet/icmp6.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "live/echo.h"

#define RECEIVE_BUFFER_BYTES (4 << 20) /* as much as the system lets: many replies may come at once */
#define SETTLE_NS (2 * NS_PER_MS)

#define GROUPS "/proc/sys/net/ipv4/ping_group_range"

/* ---- which kind of socket ---- */

/* What the two numbers of ping_group_range are; "" where they cannot be read. */
static void read_groups(char text[64])
{
	FILE *const file = fopen(GROUPS, "re");

	text[0] = '\0';
	if (!file) {
		return;
	}
	if (!fgets(text, 64, file)) {
		text[0] = '\0';
	}
	fclose(file);
	text[strcspn(text, "\n")] = '\0';
	for (char *at = text; *at; at++) {
		*at = *at == '\t' ? ' ' : *at;
	}
}

static int complain_forbidden(int error, struct err *err)
{
	char groups[64];

	if (error != EPERM && error != EACCES) {
		return err_set(err, -error, "no socket for ICMP: %s", strerror(error));
	}
	read_groups(groups);
	return err_set(err, -EPERM,
		       "ICMP is not allowed here: net.ipv4.ping_group_range is \"%s\", which group %u is not in, and "
		       "CAP_NET_RAW "
		       "is missing; as root, once: sysctl -w net.ipv4.ping_group_range=\"0 2147483647\", or setcap "
		       "cap_net_raw+ep "
		       "on the program",
		       groups, (unsigned)getegid());
}

static int open_any(struct icmp_socket *icmp, struct err *err)
{
	const int family = icmp->host.is_ipv6 ? AF_INET6 : AF_INET;
	const int protocol = icmp->host.is_ipv6 ? IPPROTO_ICMPV6 : IPPROTO_ICMP;

	icmp->fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, protocol);
	if (icmp->fd >= 0) {
		return 0;
	}
	icmp->is_raw = true;
	icmp->fd = socket(family, SOCK_RAW | SOCK_CLOEXEC, protocol);
	return icmp->fd >= 0 ? 0 : complain_forbidden(errno, err);
}

/* ---- what it is to do ---- */

static int set(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof(value)) < 0 ? -errno : 0;
}

/* SO_BINDTODEVICE is for everybody since 5.7; before, the interface can at least be chosen for sending. */
static int bind_to_interface(const struct icmp_socket *icmp, int ifindex, struct err *err)
{
	char name[IFNAMSIZ];

	if (!if_indextoname((unsigned)ifindex, name)) {
		return err_set(err, -ENODEV, "the interface with index %d is gone", ifindex);
	}
	if (setsockopt(icmp->fd, SOL_SOCKET, SO_BINDTODEVICE, name, (socklen_t)strlen(name) + 1) == 0) {
		return 0;
	}
	const int ret = icmp->host.is_ipv6 ? set(icmp->fd, IPPROTO_IPV6, IPV6_UNICAST_IF, (int)htonl((uint32_t)ifindex))
					   : set(icmp->fd, IPPROTO_IP, IP_UNICAST_IF, (int)htonl((uint32_t)ifindex));

	return ret < 0 ? err_set(err, ret, "sending cannot be kept to %s: %s", name, strerror(-ret)) : 0;
}

/* Only replies; a raw socket would hear of everything else as well. */
static int filter_replies(const struct icmp_socket *icmp)
{
	if (icmp->host.is_ipv6) {
		struct icmp6_filter filter;

		ICMP6_FILTER_SETBLOCKALL(&filter);
		ICMP6_FILTER_SETPASS(ICMP6_ECHO_REPLY, &filter);
		return setsockopt(icmp->fd, IPPROTO_ICMPV6, ICMP6_FILTER, &filter, sizeof(filter));
	}
	const struct icmp_filter filter = { .data = ~(1u << ICMP_ECHOREPLY) };

	return setsockopt(icmp->fd, SOL_RAW, ICMP_FILTER, &filter, sizeof(filter));
}

/* The kernel gives a datagram socket its identifier as if it were a port. */
static int take_identifier(struct icmp_socket *icmp, struct err *err)
{
	struct sockaddr_storage name = { .ss_family = icmp->host.is_ipv6 ? AF_INET6 : AF_INET };
	socklen_t bytes = icmp->host.address_bytes;

	if (icmp->is_raw) {
		return getrandom(&icmp->identifier, sizeof(icmp->identifier), 0) < 0
			       ? err_set(err, -errno, "no random number: %s", strerror(errno))
			       : 0;
	}
	if (bind(icmp->fd, (const struct sockaddr *)&name, bytes) < 0 ||
	    getsockname(icmp->fd, (struct sockaddr *)&name, &bytes) < 0) {
		return err_set(err, -errno, "the kernel gives no ICMP identifier: %s", strerror(errno));
	}
	icmp->identifier = ntohs(icmp->host.is_ipv6 ? ((const struct sockaddr_in6 *)&name)->sin6_port
						    : ((const struct sockaddr_in *)&name)->sin_port);
	return 0;
}

/* Dispensable all of them: what is missing is not counted or said. */
static void set_options(const struct icmp_socket *icmp)
{
	const int fd = icmp->fd;

	if (icmp->host.is_ipv6) {
		set(fd, IPPROTO_IPV6, IPV6_RECVERR, 1);
		set(fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1);
		set(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_DO);
		set(fd, IPPROTO_IPV6, IPV6_DONTFRAG, 1);
	} else {
		set(fd, IPPROTO_IP, IP_RECVERR, 1);
		set(fd, IPPROTO_IP, IP_RECVTTL, 1);
		set(fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO);
	}
	set(fd, SOL_SOCKET, SO_RXQ_OVFL, 1);
	if (set(fd, SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BUFFER_BYTES) < 0) {
		set(fd, SOL_SOCKET, SO_RCVBUF, RECEIVE_BUFFER_BYTES);
	}
}

/* The kernel begins to stamp when a worker of its own has run: until then it would fill in the time of receiving. */
static void open_stamps(struct icmp_socket *icmp, int ifindex)
{
	struct route route;
	const bool has_route = route_find(&icmp->host, ifindex, &route, NULL) == 0;
	const struct timespec settle = { 0, SETTLE_NS };

	icmp->has_stamps = stamps_open(&icmp->stamps, icmp->fd, has_route ? route.device : NULL, &icmp->no_stamps) == 0;
	if (icmp->has_stamps) {
		nanosleep(&settle, NULL);
	} else {
		icmp->stamps.fd = icmp->fd; /* its error queue is read all the same */
	}
}

int icmp_open(struct icmp_socket *icmp, const struct host *host, int ifindex, struct err *err)
{
	*icmp = (struct icmp_socket){ .fd = -1, .host = *host };
	int ret = open_any(icmp, err);

	if (ret == 0 && ifindex) {
		ret = bind_to_interface(icmp, ifindex, err);
	}
	if (ret == 0) {
		ret = take_identifier(icmp, err);
	}
	if (ret == 0 && icmp->is_raw && filter_replies(icmp) < 0) {
		ret = err_set(err, -errno, "the socket cannot be kept to echo replies: %s", strerror(errno));
	}
	if (ret < 0) {
		icmp_close(icmp);
		return ret;
	}
	set_options(icmp);
	open_stamps(icmp, ifindex);
	return 0;
}

void icmp_close(struct icmp_socket *icmp)
{
	if (icmp->fd >= 0) {
		close(icmp->fd);
	}
	icmp->fd = -1;
}

/* ---- messages ---- */

int icmp_send(struct icmp_socket *icmp, const void *packet, size_t bytes, uint32_t *stamp_id)
{
	_Alignas(struct cmsghdr) char control[STAMP_REQUEST_BYTES];
	struct iovec data = { (void *)(uintptr_t)packet, bytes };
	struct msghdr message = {
		.msg_name = &icmp->host.address,
		.msg_namelen = icmp->host.address_bytes,
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = control,
	};

	if (!stamp_id) {
		message.msg_control = NULL;
		return sendmsg(icmp->fd, &message, MSG_DONTWAIT) < 0 ? -errno : 0;
	}
	*stamp_id = stamps_request(&icmp->stamps, &message);
	const int ret = sendmsg(icmp->fd, &message, MSG_DONTWAIT) < 0 ? -errno : 0;

	stamps_requested(&icmp->stamps, ret == 0);
	return ret;
}

static void read_control(const struct cmsghdr *control, struct icmp_message *message)
{
	const bool is_limit = (control->cmsg_level == IPPROTO_IP && control->cmsg_type == IP_TTL) ||
			      (control->cmsg_level == IPPROTO_IPV6 && control->cmsg_type == IPV6_HOPLIMIT);

	if (is_limit && control->cmsg_len >= CMSG_LEN(sizeof(int))) {
		memcpy(&message->time_to_live, CMSG_DATA(control), sizeof(int));
	} else if (control->cmsg_level == SOL_SOCKET && control->cmsg_type == SO_RXQ_OVFL &&
		   control->cmsg_len >= CMSG_LEN(sizeof(uint32_t))) {
		memcpy(&message->overrun, CMSG_DATA(control), sizeof(uint32_t));
	}
}

/* A raw socket of IPv4 puts the IP header before the message. */
static void skip_header(const struct icmp_socket *icmp, const uint8_t *buffer, size_t bytes,
			struct icmp_message *message)
{
	const size_t header = icmp->is_raw && !icmp->host.is_ipv6 ? echo_ip_header_bytes(buffer, bytes) : 0;

	message->message = buffer + header;
	message->bytes = bytes - header;
}

int icmp_receive(struct icmp_socket *icmp, uint8_t *buffer, struct icmp_message *message)
{
	_Alignas(struct cmsghdr) char control[STAMP_CONTROL_BYTES];
	struct iovec data = { buffer, ICMP_BUFFER_BYTES };
	struct msghdr header = {
		.msg_name = &message->from,
		.msg_namelen = sizeof(message->from),
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	const ssize_t bytes = recvmsg(icmp->fd, &header, MSG_DONTWAIT);

	if (bytes < 0) {
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	}
	message->time_to_live = -1;
	message->overrun = 0;
	stamps_received(&header, &message->stamp);
	for (struct cmsghdr *each = CMSG_FIRSTHDR(&header); each; each = CMSG_NXTHDR(&header, each)) {
		read_control(each, message);
	}
	skip_header(icmp, buffer, (size_t)bytes, message);
	return 1;
}
