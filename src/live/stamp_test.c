/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time stamps of datagrams over the loopback interface, and of messages made by hand. */
#include "live/stamp.c"

#include <arpa/inet.h>
#include <poll.h>

#include "tap.h"

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return to_ns(&now);
}

/* Two sockets of this host, one connected to the other; false where there is no loopback interface. */
static bool make_pair(int *sender, int *receiver)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(at);

	*sender = socket(AF_INET, SOCK_DGRAM, 0);
	*receiver = socket(AF_INET, SOCK_DGRAM, 0);
	return bind(*receiver, (struct sockaddr *)&at, length) == 0 &&
	       getsockname(*receiver, (struct sockaddr *)&at, &length) == 0 &&
	       connect(*sender, (struct sockaddr *)&at, length) == 0 && send(*sender, "a", 1, 0) == 1;
}

static ssize_t send_one(struct stamps *stamps, size_t bytes, uint32_t *id)
{
	static char zeros[65536];
	_Alignas(struct cmsghdr) char control[STAMP_REQUEST_BYTES];
	struct iovec data = { zeros, bytes };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = control };

	*id = stamps_request(stamps, &message);
	const ssize_t sent = sendmsg(stamps->fd, &message, 0);

	stamps_requested(stamps, sent >= 0);
	return sent;
}

static bool receive_one(int fd, struct stamp *stamp)
{
	_Alignas(struct cmsghdr) char control[STAMP_CONTROL_BYTES];
	char text[16];
	struct iovec data = { text, sizeof(text) };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
	};

	return recvmsg(fd, &message, 0) >= 0 && stamps_received(&message, stamp);
}

/* Waits at most 10 s. */
static struct stamp_report next_report(struct stamps *stamps)
{
	struct pollfd pollfd = { .fd = stamps->fd };
	struct stamp_report report;

	poll(&pollfd, 1, 10000);
	if (stamps_next_report(stamps, &report, NULL) < 0) {
		report.kind = STAMP_REPORT_NONE;
	}
	return report;
}

static void test_both_ends(int sender, int receiver)
{
	struct stamps sending, receiving;
	struct stamp received;
	struct err err = { "" };
	uint32_t id = 99;

	tap_is(stamps_open(&sending, sender, "lo", &err), 0, "the sender's stamps are on");
	tap_is(stamps_open(&receiving, receiver, NULL, &err), 0, "and the receiver's");
	tap_is(sending.transmit, SOF_TIMESTAMPING_TX_SOFTWARE, "hardware that is not there is not asked");
	receive_one(receiver, &received);
	/* The kernel begins to stamp when its own worker has run. */
	usleep(20000);
	const int64_t before_ns = now_ns();

	tap_is(send_one(&sending, 1, &id), 1, "a packet with a request");
	const int64_t after_ns = now_ns();

	tap_is(id, 0, "requests are counted from 0");
	tap_ok(receive_one(receiver, &received) && received.has == STAMP_SOFTWARE, "it arrives with a software stamp");
	tap_within(received.software_at_ns, before_ns, after_ns, "of when it was sent: loopback receives at once");
	struct stamp_report report = next_report(&sending);

	tap_is(report.kind, STAMP_REPORT_TRANSMIT, "and its transmit stamp is reported");
	tap_is(report.id, 0, "with the request's number");
	tap_is(report.at.has, STAMP_SOFTWARE, "by the kernel's clock");
	tap_within(report.at.software_at_ns, before_ns, received.software_at_ns, "earlier than it was received");
	tap_is(stamps_next_report(&sending, &report, &err), 0, "the queue can be read again");
	tap_is(report.kind, STAMP_REPORT_NONE, "and is empty");
}

static void test_numbers(struct stamps *stamps, int receiver)
{
	struct stamp received;
	uint32_t id;

	for (uint32_t expected = 1; expected < 4; expected++) {
		send_one(stamps, 1, &id);
		receive_one(receiver, &received);
		tap_ok(id == expected && next_report(stamps).id == expected, "request %u has its own report", expected);
	}
	send(stamps->fd, "b", 1, 0);
	receive_one(receiver, &received);
	tap_ok(received.has == STAMP_SOFTWARE, "a packet without a request is stamped on arrival");
	send_one(stamps, 1, &id);
	receive_one(receiver, &received);
	tap_ok(id == 4 && next_report(stamps).id == 4, "it took no number");
	tap_is(send_one(stamps, 65536, &id), -1, "a packet that is too large is not sent");
	send_one(stamps, 1, &id);
	receive_one(receiver, &received);
	tap_ok(id == 0 && next_report(stamps).id == 0, "after it, numbers begin again");
}

/* Nobody listens on the port: ICMP says so. */
static void test_errors(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				  .sin_port = htons(1) };
	const int fd = socket(AF_INET, SOCK_DGRAM, 0), on = 1;
	struct stamps stamps;

	setsockopt(fd, SOL_IP, IP_RECVERR, &on, sizeof(on));
	stamps_open(&stamps, fd, NULL, NULL);
	connect(fd, (struct sockaddr *)&at, sizeof(at));
	send(fd, "hello", 5, 0);
	const struct stamp_report report = next_report(&stamps);
	const struct sockaddr_in *const from = (const struct sockaddr_in *)&report.from;

	tap_is(report.kind, STAMP_REPORT_ERROR, "an ICMP error is reported");
	tap_is(report.error.ee_errno, ECONNREFUSED, "as what it is");
	tap_ok(from->sin_family == AF_INET && from->sin_addr.s_addr == at.sin_addr.s_addr, "with who sent it");
	tap_ok(report.packet_bytes == 5 && memcmp(report.packet, "hello", 5) == 0, "and the packet's payload");
	close(fd);
}

/* What no NIC here makes: a hardware stamp. */
static void test_hardware_stamp(void)
{
	_Alignas(struct cmsghdr) char control[STAMP_CONTROL_BYTES] = { 0 };
	struct msghdr message = { .msg_control = control,
				  .msg_controllen = CMSG_SPACE(PLACES * sizeof(struct timespec)) };
	struct cmsghdr *const first = CMSG_FIRSTHDR(&message);
	const struct timespec at[PLACES] = { { 1, 5 }, { 0, 0 }, { 2, 7 } };
	struct stamp stamp;

	*first = (struct cmsghdr){ .cmsg_level = SOL_SOCKET,
				   .cmsg_type = SCM_TIMESTAMPING,
				   .cmsg_len = CMSG_LEN(sizeof(at)) };
	memcpy(CMSG_DATA(first), at, sizeof(at));
	tap_ok(stamps_received(&message, &stamp) && stamp.has == (STAMP_SOFTWARE | STAMP_HARDWARE), "both clocks");
	tap_is(stamp.software_at_ns, 1000000005, "the kernel's");
	tap_is(stamp.hardware_at_ns, 2000000007, "the NIC's");
	first->cmsg_len = CMSG_LEN(sizeof(at)) - 1;
	tap_ok(!stamps_received(&message, &stamp), "a control message that is cut off is no stamp");
}

static void test_offer(void)
{
	struct stamp_offer offer;
	struct err err = { "" };

	tap_is(stamp_offer_get("lo", &offer, &err), 0, "the loopback interface says what it stamps");
	tap_ok(!offer.has_hardware && !offer.rx_hardware && !offer.tx_hardware, "it has no hardware");
	tap_is(stamp_offer_get("no-such-device", &offer, &err), -ENODEV, "an interface that there is not");
	tap_ok(strstr(err.text, "no-such-device: ") == err.text, "is named");
}

int main(void)
{
	struct stamps stamps;
	int sender, receiver;

	if (!make_pair(&sender, &receiver)) {
		tap_skip("no loopback interface", "stamps");
		return tap_done();
	}
	test_both_ends(sender, receiver);
	stamps_open(&stamps, sender, "lo", NULL);
	stamps.next_id = 1; /* numbers that were on stay on, and count on */
	test_numbers(&stamps, receiver);
	test_errors();
	test_hardware_stamp();
	test_offer();
	tap_is(stamps_open(&stamps, -1, NULL, NULL), -EOPNOTSUPP, "what is no socket has no stamps");
	return tap_done();
}
