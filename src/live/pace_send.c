/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "live/pace_private.h"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103 /* Linux 4.18 */
#endif
#ifndef SCM_TXTIME
#define SCM_TXTIME 61 /* Linux 4.19 */
#endif

/* What GSO hands over is one datagram up to the cut: below 65536 with headers. */
#define SEGMENTED_BYTES_MAX 65000

/* Between two looks at whether to stop while the socket is full. */
#define FULL_MS 50

static bool can_segment(int fd)
{
	int size = 0;
	socklen_t length = sizeof(size);

	return getsockopt(fd, SOL_UDP, UDP_SEGMENT, &size, &length) == 0;
}

static void put_control(struct pace_sender *sender, unsigned index, int level, int type, const void *value, size_t size)
{
	struct msghdr *const header = &sender->messages[index].msg_hdr;

	header->msg_control = sender->control[index];
	header->msg_controllen = CMSG_SPACE(size);
	struct cmsghdr *const control = CMSG_FIRSTHDR(header);

	control->cmsg_level = level;
	control->cmsg_type = type;
	control->cmsg_len = CMSG_LEN(size);
	memcpy(CMSG_DATA(control), value, size);
}

int pace_sender_open(struct pace_sender *sender, const struct pace_request *request, bool is_paced, struct err *err)
{
	*sender = (struct pace_sender){ .fd = request->fd,
					.size = request->size,
					.header_bytes = request->header_bytes,
					.batch_max = PACE_BATCH_MAX };
	if (is_paced) {
		send_time_init(&sender->send_time, request->fd, request->ifindex);
	}
	if (sender->send_time.is_on) {
		pace_stamps_open(&sender->stamps, request->fd);
	}
	sender->segments = request->may_segment && !sender->send_time.is_on && can_segment(request->fd);
	if (sender->segments && sender->batch_max > SEGMENTED_BYTES_MAX / request->size) {
		sender->batch_max = SEGMENTED_BYTES_MAX / request->size;
	}
	sender->buffer = calloc(sender->batch_max, request->size);
	if (!sender->buffer) {
		return err_set(err, -ENOMEM, "no memory for %u messages of %u bytes", sender->batch_max,
			       (unsigned)request->size);
	}
	for (unsigned i = 0; i < sender->batch_max; i++) {
		sender->parts[i] =
			(struct iovec){ .iov_base = pace_sender_message(sender, i), .iov_len = request->size };
		sender->messages[i].msg_hdr = (struct msghdr){ .msg_iov = &sender->parts[i], .msg_iovlen = 1 };
	}
	return 0;
}

void pace_sender_close(struct pace_sender *sender)
{
	free(sender->buffer);
	sender->buffer = NULL;
}

/* Until there is room in the socket, or for a while. */
static void wait_for_room(int fd)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLOUT };

	poll(&pollfd, 1, FULL_MS);
}

/* One buffer with all of them; taken whole or not at all. */
static ssize_t send_segmented(struct pace_sender *sender, unsigned count)
{
	const uint16_t size = (uint16_t)sender->size;
	struct iovec whole = { .iov_base = sender->buffer, .iov_len = (size_t)count * sender->size };
	struct msghdr *const header = &sender->messages[0].msg_hdr;

	header->msg_iov = &whole;
	put_control(sender, 0, SOL_UDP, UDP_SEGMENT, &size, sizeof(size));
	const ssize_t ret = sendmsg(sender->fd, header, MSG_DONTWAIT);

	header->msg_iov = &sender->parts[0];
	header->msg_control = NULL;
	header->msg_controllen = 0;
	return ret < 0 ? ret : (ssize_t)count;
}

static void put_instants(struct pace_sender *sender, unsigned count, const int64_t *at_ns)
{
	const int64_t offset_ns = send_time_offset(&sender->send_time);

	for (unsigned i = 0; i < count; i++) {
		const uint64_t instant = (uint64_t)(at_ns[i] + offset_ns);

		put_control(sender, i, SOL_SOCKET, SCM_TXTIME, &instant, sizeof(instant));
		pace_stamps_request(&sender->stamps, &sender->messages[i].msg_hdr, i, at_ns[i]);
	}
}

static ssize_t send_some(struct pace_sender *sender, unsigned from, unsigned count)
{
	if (sender->segments && count > 1 && from == 0) {
		const ssize_t ret = send_segmented(sender, count);

		if (ret > 0 || (errno != EIO && errno != EINVAL && errno != EOPNOTSUPP)) {
			return ret;
		}
		/* The interface has no checksums of its own, or IPsec is in the way (udp_send_skb): from now on one by one. */
		sender->segments = false;
	}
	if (count == 1 && !sender->send_time.is_on) {
		/* The same for one message is the cheaper call. */
		const ssize_t ret = send(sender->fd, pace_sender_message(sender, from), sender->size, MSG_DONTWAIT);

		return ret < 0 ? ret : 1;
	}
	return sendmmsg(sender->fd, sender->messages + from, count, MSG_DONTWAIT);
}

static int complain_of_size(const struct pace_sender *sender, struct err *err)
{
	const unsigned payload_bytes = sender->size - sender->header_bytes;
	int mtu = 0;
	socklen_t length = sizeof(mtu);

	if (getsockopt(sender->fd, IPPROTO_IP, IP_MTU, &mtu, &length) &&
	    getsockopt(sender->fd, IPPROTO_IPV6, IPV6_MTU, &mtu, &length)) {
		return err_set(err, -EMSGSIZE, "%u bytes do not fit a packet of this way", payload_bytes);
	}
	return err_set(err, -EMSGSIZE, "%u bytes do not fit a packet of this way, the MTU of which is %d",
		       payload_bytes, mtu);
}

static int complain(int error, const struct pace_sender *sender, struct err *err)
{
	switch (error) {
	case ECONNREFUSED:
		return err_set(err, -error, "nobody listens at the other end any more");
	case EMSGSIZE:
		return complain_of_size(sender, err);
	case EPERM:
		return err_set(err, -error, "a packet filter of this host forbids to send");
	default:
		return err_set(err, -error, "sending failed: %s", strerror(error));
	}
}

static int send_all(struct pace_sender *sender, unsigned count, const _Atomic bool *stop, unsigned *taken,
		    bool *not_taken, struct err *err)
{
	*taken = 0;
	*not_taken = false;
	while (*taken < count) {
		const ssize_t ret = send_some(sender, *taken, count - *taken);

		if (ret > 0) {
			*taken += (unsigned)ret;
		} else if (errno == ENOBUFS) {
			*not_taken = true;
			return 0;
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			if (atomic_load_explicit(stop, memory_order_relaxed)) {
				return 0;
			}
			wait_for_room(sender->fd);
		} else if (errno != EINTR) {
			return complain(errno, sender, err);
		}
	}
	return 0;
}

int pace_sender_send(struct pace_sender *sender, unsigned count, const int64_t *at_ns, const _Atomic bool *stop,
		     unsigned *taken, bool *not_taken, struct err *err)
{
	if (sender->send_time.is_on) {
		put_instants(sender, count, at_ns);
	}
	const int ret = send_all(sender, count, stop, taken, not_taken, err);

	if (sender->send_time.is_on) {
		pace_stamps_sent(&sender->stamps, *taken, *taken == count);
		pace_stamps_take(&sender->stamps);
	}
	return ret;
}
