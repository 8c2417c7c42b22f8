/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data sockets of both ends. Each returns a descriptor, or a negative errno with a sentence. */
#ifndef HOLDOFF_LIVE_SOCKET_H
#define HOLDOFF_LIVE_SOCKET_H

#include "base/err.h"
#include "live/address.h"
#include "workload/workload.h"

/* UDP at this address, port 0: any; what does not fit the way is refused by the kernel, not cut into fragments. ifindex 0: any
 * interface. */
int socket_datagram(const struct address *address, int ifindex, struct err *err);
int socket_connected(const struct address *address, int ifindex, const struct address *to, struct err *err);

/* TCP with what the workload asks for. */
int socket_listen(const struct address *address, const struct workload *workload, struct err *err);
int socket_stream(const struct address *address, int ifindex, const struct address *to, const struct workload *workload,
		  struct err *err);

#endif
