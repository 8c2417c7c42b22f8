/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A socket for echoes to one host: a datagram socket of ICMP where net.ipv4.ping_group_range lets this group have one
 * (it covers IPv6 too), else a raw one, which needs CAP_NET_RAW. Requests are never fragmented. Replies of any sender
 * are handed on, with their address: who looks at them tells them apart.
 */
#ifndef HOLDOFF_LIVE_ICMP_SOCKET_H
#define HOLDOFF_LIVE_ICMP_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/err.h"
#include "live/host.h"
#include "live/stamp.h"

struct icmp_socket {
	int fd;
	bool is_raw;
	uint16_t identifier; /* that requests have to carry */
	bool has_stamps;
	struct stamps stamps;
	struct err no_stamps; /* why there are none */
	struct host host;
};

/*
 * ifindex, if not 0: the only interface that requests leave by. -EACCES or -EPERM when neither kind of socket can be
 * had, with what to do about it.
 */
int icmp_open(struct icmp_socket *icmp, const struct host *host, int ifindex, struct err *err);
void icmp_close(struct icmp_socket *icmp);

/* stamp_id, if not NULL: asks for the transmit stamp; receives its number. Never waits. 0 or a negative errno. */
int icmp_send(struct icmp_socket *icmp, const void *packet, size_t bytes, uint32_t *stamp_id);

struct icmp_message {
	const uint8_t *message; /* from the ICMP header on, in the caller's buffer */
	size_t bytes;
	struct sockaddr_storage from;
	int time_to_live; /* or hop limit; -1: not known */
	struct stamp stamp;
	uint32_t overrun; /* how many messages this socket has had no room for, so far */
};

#define ICMP_BUFFER_BYTES 65600 /* a whole packet */

/* The next message, in buffer of ICMP_BUFFER_BYTES. Never waits: 1, 0 when there is none, or a negative errno. */
int icmp_receive(struct icmp_socket *icmp, uint8_t *buffer, struct icmp_message *message);

#endif
