/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/drain.h"

#include <errno.h>
#include <linux/icmp.h>
#include <linux/sockios.h>
#include <netinet/icmp6.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/time.h"
#include "live/clocks.h"

enum { IPV4_REPLY = 0, IPV6_REPLY = 129 };

#define IDENTIFIER 0x686f           /* nobody has asked under it, or else the reply is one too many to somebody */
#define SEND_BUFFER_BYTES (4 << 20) /* bursts are to be held up by the NIC, not by the socket */

/* Nothing is to be received: a raw socket gets a copy of each ICMP message. */
static int hear_nothing(int fd, bool is_ipv6)
{
	const struct icmp_filter all = { .data = UINT32_MAX };
	struct icmp6_filter all6;

	ICMP6_FILTER_SETBLOCKALL(&all6);
	return is_ipv6 ? setsockopt(fd, IPPROTO_ICMPV6, ICMP6_FILTER, &all6, sizeof(all6))
		       : setsockopt(fd, SOL_RAW, ICMP_FILTER, &all, sizeof(all));
}

static int prepare(const struct drain *drain, const struct host *host, int ifindex, struct err *err)
{
	const int bytes = SEND_BUFFER_BYTES;
	char name[IF_NAMESIZE];

	if (!if_indextoname((unsigned)ifindex, name)) {
		return err_set(err, -ENODEV, "the interface with index %d is gone", ifindex);
	}
	if (setsockopt(drain->fd, SOL_SOCKET, SO_BINDTODEVICE, name, (socklen_t)strlen(name) + 1) < 0 ||
	    setsockopt(drain->fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes)) < 0 ||
	    hear_nothing(drain->fd, host->is_ipv6) < 0 ||
	    connect(drain->fd, &host->address.any, host->address_bytes) < 0) {
		return err_set(err, -errno, "no way to send frames to %s by %s: %s", host->text, name, strerror(errno));
	}
	return 0;
}

/* The payload is zero, so that the sum over an IPv4 message is the identifier; IPv6's is the kernel's business. */
static void write_header(struct drain *drain, bool is_ipv6)
{
	const uint16_t checksum = is_ipv6 ? 0 : (uint16_t)~IDENTIFIER;

	drain->packet[0] = is_ipv6 ? IPV6_REPLY : IPV4_REPLY;
	drain->packet[2] = (uint8_t)(checksum >> 8);
	drain->packet[3] = (uint8_t)checksum;
	drain->packet[4] = (uint8_t)(IDENTIFIER >> 8);
	drain->packet[5] = (uint8_t)IDENTIFIER;
	drain->header_bytes = 8;
}

int drain_open(struct drain *drain, const struct host *host, int ifindex, struct err *err)
{
	memset(drain, 0, sizeof(*drain));
	drain->fd = socket(host->is_ipv6 ? AF_INET6 : AF_INET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
			   host->is_ipv6 ? IPPROTO_ICMPV6 : IPPROTO_ICMP);
	if (drain->fd < 0) {
		return err_set(err, -errno, "frames without an answer need a raw socket, and CAP_NET_RAW: %s",
			       strerror(errno));
	}
	write_header(drain, host->is_ipv6);
	const int ret = prepare(drain, host, ifindex, err);

	if (ret < 0) {
		drain_close(drain);
	}
	return ret;
}

void drain_close(struct drain *drain)
{
	if (drain->fd >= 0) {
		close(drain->fd);
	}
	drain->fd = -1;
}

/* Bytes of the kernel's accounting that are the socket's. */
static int queued(const struct drain *drain)
{
	int bytes = 0;

	return ioctl(drain->fd, SIOCOUTQ, &bytes) < 0 ? 0 : bytes;
}

static int wait_until_empty(const struct drain *drain, int64_t patience_ns, struct err *err)
{
	const int64_t began_at_ns = clocks_monotonic_ns();

	while (queued(drain) > 0) {
		if (clocks_monotonic_ns() - began_at_ns > patience_ns) {
			return err_set(err, -EAGAIN, "frames that were sent before are still not gone");
		}
		usleep(100);
	}
	return 0;
}

/* A train on its way. */
struct sending {
	struct drain *drain;
	unsigned frames, sent;
	int each_bytes; /* what a frame is charged with, 0: not known, none was ever seen in the queue */
	int64_t first_sent_at_ns, last_sent_at_ns, first_gone_at_ns, last_gone_at_ns;
};

/* Looks once; frames go in order. */
static void look(struct sending *sending)
{
	const int bytes = queued(sending->drain);
	const int64_t now_at_ns = clocks_monotonic_ns();

	if (sending->sent == 1 && bytes > sending->each_bytes) {
		sending->each_bytes = bytes;
	}
	const unsigned left = bytes == 0 ? 0
			      : sending->each_bytes
				      ? (unsigned)((bytes + sending->each_bytes - 1) / sending->each_bytes)
				      : sending->sent;

	if (sending->first_gone_at_ns < 0 && sending->sent > 0 && left < sending->sent) {
		sending->first_gone_at_ns = now_at_ns;
	}
	if (sending->last_gone_at_ns < 0 && sending->sent == sending->frames && left == 0) {
		sending->last_gone_at_ns = now_at_ns;
	}
}

static int send_frame(struct sending *sending, unsigned payload_bytes, struct err *err)
{
	const int64_t now_at_ns = clocks_monotonic_ns();

	if (send(sending->drain->fd, sending->drain->packet, sending->drain->header_bytes + payload_bytes, 0) < 0) {
		return err_set(err, -errno, "a frame could not be sent: %s", strerror(errno));
	}
	if (sending->sent++ == 0) {
		sending->first_sent_at_ns = now_at_ns;
	}
	sending->last_sent_at_ns = now_at_ns;
	look(sending);
	return 0;
}

int drain_train(struct drain *drain, unsigned frames, unsigned payload_bytes, int64_t gap_ns, int64_t patience_ns,
		struct drain_times *times, struct err *err)
{
	struct sending sending = { .drain = drain, .frames = frames, .first_gone_at_ns = -1, .last_gone_at_ns = -1 };
	int ret = wait_until_empty(drain, patience_ns, err);

	while (ret == 0 && sending.sent < frames) {
		while (sending.sent > 0 && clocks_monotonic_ns() - sending.last_sent_at_ns < gap_ns) {
			look(&sending);
		}
		ret = send_frame(&sending, payload_bytes, err);
	}
	while (ret == 0 && sending.last_gone_at_ns < 0 &&
	       clocks_monotonic_ns() - sending.last_sent_at_ns < patience_ns) {
		look(&sending);
	}
	if (ret == 0) {
		*times = (struct drain_times){
			.first_ns = sending.first_gone_at_ns < 0 ? -1
								 : sending.first_gone_at_ns - sending.first_sent_at_ns,
			.last_ns = sending.last_gone_at_ns < 0 ? -1 : sending.last_gone_at_ns - sending.last_sent_at_ns,
			.gap_ns = sending.last_sent_at_ns - sending.first_sent_at_ns,
		};
	}
	return ret;
}
