/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Both ends of a load against one that means harm, over loopback.
 *
 *	load_hostile PROGRAM	the tests; PROGRAM is holdoff
 *	load_hostile peer HOW	a peer that speaks the protocol and sends what it should not
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "live/clocks.h"
#include "live/load.h"
#include "live/packet.h"
#include "live/protocol.h"
#include "live/socket.h"
#include "live/way_messages.h"
#include "tap.h"

#define HUGE_BYTES 60000

/* ---- a hostile peer ---- */

struct hostile {
	const char *how;
	struct workload workload;
	struct packet_form form, their_form;
	struct address near, far; /* ours, and that of who we answer */
	int fd, other_port_fd, other_address_fd;
};

static void say(const struct protocol_message *message)
{
	char line[PROTOCOL_LINE_MAX];

	fputs(protocol_print(message, line), stdout);
	fflush(stdout);
}

static void say_kind(enum protocol_kind kind)
{
	struct protocol_message message;

	protocol_init(&message, kind);
	say(&message);
}

static bool hear(struct protocol_message *message)
{
	char line[PROTOCOL_LINE_MAX];

	if (!fgets(line, sizeof(line), stdin)) {
		return false;
	}
	line[strcspn(line, "\n")] = '\0';
	return protocol_parse(message, line, NULL) == 0;
}

static void send_packet(const struct hostile *hostile, int fd, const struct packet_form *form, enum packet_kind kind,
			uint32_t sequence, size_t size)
{
	const struct packet packet = { kind, sequence, (uint32_t)clocks_monotonic_ns() };
	uint8_t bytes[PACKET_BYTES_MAX];

	packet_write(form, &packet, bytes, size);
	(void)!sendto(fd, bytes, size, 0, &hostile->far.any, hostile->far.size);
}

static void send_rubbish(const struct hostile *hostile)
{
	static uint8_t bytes[HUGE_BYTES];

	for (size_t size = 0; size < 40; size++) {
		(void)!sendto(hostile->fd, bytes, size, 0, &hostile->far.any, hostile->far.size);
	}
	(void)!sendto(hostile->fd, bytes, sizeof(bytes), 0, &hostile->far.any, hostile->far.size);
	/* With the token in front, and rubbish behind it. */
	const uint64_t token = htobe64(hostile->their_form.token);

	memcpy(bytes, &token, sizeof(token));
	(void)!sendto(hostile->fd, bytes, sizeof(bytes), 0, &hostile->far.any, hostile->far.size);
	(void)!sendto(hostile->fd, bytes, 64, 0, &hostile->far.any, hostile->far.size);
	(void)!sendto(hostile->fd, bytes, PACKET_HEADER_BYTES, 0, &hostile->far.any, hostile->far.size);
}

/* 100 datagrams as they should be, each three times, among what should not be. */
static void send_data(const struct hostile *hostile)
{
	const size_t size = hostile->workload.size;

	send_rubbish(hostile);
	for (uint32_t i = 0; i < 100; i++) {
		for (unsigned again = 0; again < 3; again++) {
			send_packet(hostile, hostile->fd, &hostile->their_form, PACKET_DATA, i, size);
		}
		send_packet(hostile, hostile->fd, &hostile->form, PACKET_DATA, i, size);
		send_packet(hostile, hostile->fd, &hostile->their_form, PACKET_DATA, i, size + 1);
		send_packet(hostile, hostile->fd, &hostile->their_form, PACKET_REPLY, i, size);
		send_packet(hostile, hostile->fd, &hostile->their_form, PACKET_DATA, 1000000 + i, size);
		send_packet(hostile, hostile->fd, &hostile->their_form, PACKET_DATA, UINT32_MAX - i, size);
		send_packet(hostile, hostile->other_port_fd, &hostile->their_form, PACKET_DATA, 200 + i, size);
		send_packet(hostile, hostile->other_address_fd, &hostile->their_form, PACKET_DATA, 200 + i, size);
	}
	send_packet(hostile, hostile->fd, &hostile->their_form, PACKET_ASK, UINT32_MAX, PACKET_HEADER_BYTES);
}

/* Each request is answered three times, and the next ones before they are asked. */
static void answer_requests(const struct hostile *hostile)
{
	struct pollfd fds[] = { { .fd = hostile->fd, .events = POLLIN }, { .fd = STDIN_FILENO, .events = POLLIN } };
	const size_t size = hostile->workload.size;

	while (poll(fds, 2, 5000) > 0 && !fds[1].revents) {
		uint8_t bytes[PACKET_BYTES_MAX];
		struct hostile to = *hostile;
		struct packet packet;

		to.far.size = sizeof(to.far.v6);
		const ssize_t got = recvfrom(hostile->fd, bytes, sizeof(bytes), 0, &to.far.any, &to.far.size);

		if (got < 0 || packet_read(&hostile->form, bytes, (size_t)got, &packet) != PACKET_FINE) {
			continue;
		}
		send_rubbish(&to);
		send_packet(&to, to.fd, &to.their_form, PACKET_REPLY, packet.sequence + 1, size);
		send_packet(&to, to.fd, &to.their_form, PACKET_REPLY, packet.sequence + 100000, size);
		send_packet(&to, to.fd, &to.their_form, PACKET_REQUEST, packet.sequence, size);
		send_packet(&to, to.fd, &to.their_form, PACKET_REPLY, packet.sequence, size - 1);
		for (unsigned again = 0; again < 3; again++) {
			send_packet(&to, to.fd, &to.their_form, PACKET_REPLY, packet.sequence, size);
		}
		send_packet(&to, to.other_port_fd, &to.their_form, PACKET_REPLY, packet.sequence + 1, size);
	}
}

static void put_count(unsigned way, const char *name, uint64_t value)
{
	struct protocol_message message;

	protocol_init(&message, PROTOCOL_COUNT);
	protocol_put(&message, PROTOCOL_WAY, way);
	protocol_put_text(&message, PROTOCOL_NAME, name);
	protocol_put(&message, PROTOCOL_VALUE, value);
	say(&message);
}

/* Claims also what only the other end can know. */
static void report(const struct hostile *hostile)
{
	put_count(WORKLOAD_RX, "sent", strcmp(hostile->how, "data") == 0 ? 100 : 1000000);
	put_count(WORKLOAD_RX, "received", 77777);
	put_count(WORKLOAD_RX, "duplicated", 77777);
	put_count(WORKLOAD_TX, "sent", 77777);
	if (strcmp(hostile->how, "endless") == 0) {
		for (;;) {
			put_count(WORKLOAD_TX, "received", 1);
		}
	}
	if (strcmp(hostile->how, "lies") == 0) {
		puts("holdoff span way=1 name=gap_ns counted=5 outside=0 min_ns=9 max_ns=1 sum_high=1 sum_low=0 "
		     "squares_high=0 "
		     "squares_low=0");
	}
	if (strcmp(hostile->how, "nonsense") == 0) {
		puts("holdoff count way=1 name=nonsense value=1");
	}
	say_kind(PROTOCOL_DONE);
}

static int open_sockets(struct hostile *hostile)
{
	struct address other;

	if (address_parse("127.0.0.1", &hostile->near, NULL) || address_parse("127.0.0.3", &other, NULL)) {
		return -1;
	}
	hostile->fd = socket_datagram(&hostile->near, 0, NULL);
	hostile->other_port_fd = socket_datagram(&hostile->near, 0, NULL);
	hostile->other_address_fd = socket_datagram(&other, 0, NULL);
	return hostile->fd < 0 || hostile->other_port_fd < 0 || hostile->other_address_fd < 0 ? -1 : 0;
}

/* Until the other end has sent something, its port is not known. */
static void traffic(struct hostile *hostile)
{
	uint8_t bytes[PACKET_BYTES_MAX];

	if (hostile->workload.kind == WORKLOAD_RR) {
		answer_requests(hostile);
		return;
	}
	hostile->far.size = sizeof(hostile->far.v6);
	if (recvfrom(hostile->fd, bytes, sizeof(bytes), 0, &hostile->far.any, &hostile->far.size) > 0) {
		send_data(hostile);
	}
	say_kind(PROTOCOL_ENDED);
}

static int hostile_peer(const char *how)
{
	struct hostile hostile = { .how = how };
	struct protocol_message message;
	struct address bound = { .size = sizeof(bound.v6) };

	protocol_init(&message, PROTOCOL_HELLO);
	protocol_put(&message, PROTOCOL_PROTOCOL, PROTOCOL_VERSION);
	protocol_put_text(&message, PROTOCOL_PROGRAM, "hostile");
	say(&message);
	if (!hear(&message) || !hear(&message) || message.kind != PROTOCOL_OPEN || open_sockets(&hostile) ||
	    workload_parse(&hostile.workload, message.text, NULL)) {
		return 1;
	}
	packet_form_init(&hostile.form, 12345);
	packet_form_init(&hostile.their_form, message.number[PROTOCOL_TOKEN]);
	getsockname(hostile.fd, &bound.any, &bound.size);
	protocol_init(&message, PROTOCOL_OPENED);
	protocol_put(&message, PROTOCOL_TOKEN, hostile.form.token);
	protocol_put_text(&message, PROTOCOL_ADDRESS, "127.0.0.1");
	protocol_put(&message, PROTOCOL_PORT, address_port(&bound));
	say(&message);
	if (!hear(&message)) {
		return 1;
	}
	say_kind(PROTOCOL_STARTED);
	if (strcmp(how, "dies") == 0) {
		kill(getpid(), SIGKILL);
	}
	if (strcmp(how, "talks") == 0) {
		for (;;) {
			say_kind(PROTOCOL_STARTED);
		}
	}
	traffic(&hostile);
	if (hear(&message)) {
		report(&hostile);
	}
	return 0;
}

/* ---- a load with such a peer ---- */

static struct load_result result;
static const char *self;

static int load_with(const char *how, const char *workload, struct err *err)
{
	struct load_request request = {
		.host = "127.0.0.1", .means = FIT_PEER, .duration_ns = 300 * NS_PER_MS, .seed = 1
	};
	struct remote remote;
	char command[512];

	snprintf(command, sizeof(command), "exec %s peer %s", self, how);
	int ret = workload_parse(&request.workload, workload, err);

	ret = ret ? ret : remote_start(&remote, command, "test", NULL, err);
	if (ret) {
		return ret;
	}
	request.remote = &remote;
	ret = load_run(&request, &result, err);
	remote_end(&remote);
	return ret;
}

static void test_data(void)
{
	const struct way *const way = &result.ways[WORKLOAD_RX];
	struct err err = { "" };

	tap_is(load_with("data", "udp rate=1k size=64", &err), 0, "a load with a peer that sends too much %s",
	       err.text);
	tap_ok(!result.is_incomplete, "comes to its end %s", result.why);
	const int64_t dropped = (int64_t)way->count[WAY_SOCKET_DROPPED];

	tap_is((int64_t)way->count[WAY_RECEIVED], 100, "what was asked for is received, once");
	/* Where the machine gives us no time for it our socket overflows, which is counted too. */
	tap_within((int64_t)way->count[WAY_DUPLICATED], 200 - dropped, 200, "the rest of it is duplicates");
	tap_within((int64_t)way->count[WAY_UNEXPECTED], 200 - dropped, 200,
		   "numbers that nobody asked for are unexpected");
	tap_is((int64_t)way->count[WAY_RECEIVED_BYTES], 6400, "only the former have bytes");
	/* 40 of rubbish, one large, and 100 with the peer's own token. */
	tap_within((int64_t)way->count[WAY_FOREIGN], 141 - dropped, 141, "what has no token of ours is foreign");
	/* Three of rubbish with the token, the longer ones, replies, and one that asks us. */
	tap_within((int64_t)way->count[WAY_CORRUPT], 203 - dropped, 204, "what has it and is wrong is corrupt");
	/* Until the kernel stamps on arrival, which may be after the first of them, a stamp is of the receiving call: later than the next one. */
	tap_within((int64_t)way->span[WAY_GAP].count, 98, 99, "gaps are between those that count");
	tap_ok(!way_has_span(way, WAY_ONE_WAY), "who says nothing of its clock shares none");
	tap_is((int64_t)way->count[WAY_SENT], 100, "what it sent is what it says");
	tap_ok(!way_has(&result.ways[WORKLOAD_TX], WAY_SENT), "what we sent is not");
}

static void test_answers(void)
{
	const struct way *const in = &result.ways[WORKLOAD_RX], *const out = &result.ways[WORKLOAD_TX];
	struct err err = { "" };

	tap_is(load_with("answers", "rr size=100", &err), 0,
	       "request and response with a peer that answers too much %s", err.text);
	tap_ok(in->count[WAY_RECEIVED] > 10, "there are answers");
	tap_within((int64_t)(out->count[WAY_SENT] - in->count[WAY_RECEIVED]), 0, 1, "one for each request");
	tap_is((int64_t)in->count[WAY_RECEIVED], (int64_t)result.rtt.count, "with a time each");
	tap_ok(in->count[WAY_UNEXPECTED] >= in->count[WAY_RECEIVED], "answers before their time are unexpected");
	tap_ok(in->count[WAY_CORRUPT] >= in->count[WAY_RECEIVED], "others corrupt");
	tap_ok(in->count[WAY_DUPLICATED] >= in->count[WAY_RECEIVED], "second ones duplicates");
}

static void refuse(const char *how, const char *workload, const char *part)
{
	struct err err = { "" };
	const int ret = load_with(how, workload, &err);

	tap_ok(ret == 0 && result.is_incomplete && strstr(result.why, part), "a peer that %s: %s%s", how, result.why,
	       err.text);
}

/* ---- a peer under attack ---- */

struct session {
	struct remote remote;
	struct packet_form form; /* what it wants to see */
	struct packet_form mine;
	struct address data;
};

static int begin(struct session *session, const char *program, const char *workload, struct err *err)
{
	struct protocol_message message;
	char command[512];

	snprintf(command, sizeof(command), "exec %s peer", program);
	int ret = remote_start(&session->remote, command, "test", NULL, err);

	if (ret) {
		return ret;
	}
	packet_form_init(&session->mine, 4242);
	protocol_init(&message, PROTOCOL_OPEN);
	protocol_put(&message, PROTOCOL_TOKEN, session->mine.token);
	protocol_put_text(&message, PROTOCOL_ADDRESS, "127.0.0.1");
	protocol_put_text(&message, PROTOCOL_SOURCE, "127.0.0.1");
	protocol_put(&message, PROTOCOL_BOTH, 0);
	protocol_put(&message, PROTOCOL_SEED, 1);
	protocol_put(&message, PROTOCOL_DURATION_NS, 20 * NS_PER_S);
	protocol_put_text(&message, PROTOCOL_TEXT, workload);
	ret = remote_say(&session->remote, &message, err);
	ret = ret ? ret : remote_expect(&session->remote, &message, PROTOCOL_OPENED, 5000, err);
	if (ret == 0) {
		packet_form_init(&session->form, message.number[PROTOCOL_TOKEN]);
		ret = address_parse("127.0.0.1", &session->data, err);
		address_set_port(&session->data, (uint16_t)message.number[PROTOCOL_PORT]);
		protocol_init(&message, PROTOCOL_START);
	}
	ret = ret ? ret : remote_say(&session->remote, &message, err);
	return ret ? ret : remote_expect(&session->remote, &message, PROTOCOL_STARTED, 5000, err);
}

static int socket_at(const char *address)
{
	struct address bound;

	return address_parse(address, &bound, NULL) ? -1 : socket_datagram(&bound, 0, NULL);
}

static void send_to(const struct session *session, int fd, uint64_t token, enum packet_kind kind, uint32_t sequence,
		    size_t size)
{
	static struct packet_form form;
	const struct packet packet = { kind, sequence, 0 };
	uint8_t bytes[PACKET_BYTES_MAX];

	packet_form_init(&form, token);
	packet_write(&form, &packet, bytes, size);
	(void)!sendto(fd, bytes, size, 0, &session->data.any, session->data.size);
}

/* Datagrams that come within a while after the last; *bytes: of all. */
static unsigned count_arrivals(int fd, size_t *bytes)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	uint8_t buffer[PACKET_BYTES_MAX];
	unsigned count = 0;

	*bytes = 0;
	while (poll(&pollfd, 1, 300) > 0) {
		const ssize_t got = recv(fd, buffer, sizeof(buffer), 0);

		count += got >= 0;
		*bytes += got > 0 ? (size_t)got : 0;
	}
	return count;
}

static void test_amplification(const char *program)
{
	struct session session;
	struct err err = { "" };
	const int fd = socket_at("127.0.0.1"), other_port = socket_at("127.0.0.1"), stranger = socket_at("127.0.0.2");
	size_t bytes;

	tap_is(begin(&session, program, "udp rate=max size=1000", &err), 0, "a peer that has to send %s", err.text);
	const uint64_t token = session.form.token;

	tap_is(count_arrivals(fd, &bytes), 0, "sends nothing before it is asked");
	for (unsigned i = 0; i < 1000; i++) {
		send_to(&session, fd, token ^ 1, PACKET_ASK, 1000, PACKET_HEADER_BYTES);
		send_to(&session, stranger, token, PACKET_ASK, 1000, PACKET_HEADER_BYTES);
		send_to(&session, fd, token, PACKET_ASK, 1000, PACKET_HEADER_BYTES + 1);
		send_to(&session, fd, token, PACKET_BLOCK, 1000, PACKET_HEADER_BYTES);
		send_to(&session, fd, token, (enum packet_kind)15, 1000, PACKET_HEADER_BYTES);
	}
	tap_is(count_arrivals(fd, &bytes), 0, "nor by who has not the token, or not in a packet that asks");
	tap_is(count_arrivals(stranger, &bytes), 0, "nor to another address, whatever it asks");
	send_to(&session, fd, token, PACKET_ASK, 10, PACKET_HEADER_BYTES);
	tap_is(count_arrivals(fd, &bytes), 10, "asked for 10 it sends 10");
	tap_is((int64_t)bytes, 10000, "of the size that was agreed on");
	for (unsigned i = 0; i < 100; i++) {
		send_to(&session, fd, token, PACKET_ASK, 10, PACKET_HEADER_BYTES);
		send_to(&session, fd, token, PACKET_ASK, 3, PACKET_HEADER_BYTES);
		send_to(&session, other_port, token, PACKET_ASK, 5000, PACKET_HEADER_BYTES);
		send_to(&session, stranger, token, PACKET_ASK, 5000, PACKET_HEADER_BYTES);
	}
	tap_is(count_arrivals(fd, &bytes), 0, "and no more for the same again, or for others' asking");
	tap_is(count_arrivals(other_port, &bytes) + count_arrivals(stranger, &bytes), 0, "nor to those others");
	send_to(&session, fd, token, PACKET_ASK, 25, PACKET_HEADER_BYTES);
	tap_is(count_arrivals(fd, &bytes), 15, "asked for 25 in all it sends the other 15");
	remote_end(&session.remote);
	send_to(&session, fd, token, PACKET_ASK, 1000, PACKET_HEADER_BYTES);
	tap_is(count_arrivals(fd, &bytes), 0, "and when its pipe is closed it is gone");
	close(fd);
	close(other_port);
	close(stranger);
}

static void test_answering(const char *program)
{
	struct session session;
	struct err err = { "" };
	const int fd = socket_at("127.0.0.1"), stranger = socket_at("127.0.0.2");
	size_t bytes;

	tap_is(begin(&session, program, "rr size=500", &err), 0, "a peer that has to answer %s", err.text);
	const uint64_t token = session.form.token;

	send_to(&session, fd, token, PACKET_REQUEST, 1, 100);
	send_to(&session, fd, token, PACKET_ASK, 1000, PACKET_HEADER_BYTES);
	send_to(&session, fd, token ^ 1, PACKET_REQUEST, 1, 500);
	send_to(&session, stranger, token, PACKET_REQUEST, 1, 500);
	tap_is(count_arrivals(fd, &bytes) + count_arrivals(stranger, &bytes), 0,
	       "answers nothing that is no request of ours");
	for (unsigned i = 0; i < 20; i++) {
		send_to(&session, fd, token, PACKET_REQUEST, i, 500);
	}
	tap_is(count_arrivals(fd, &bytes), 20, "answers each request once");
	tap_is((int64_t)bytes, 20 * 500, "with as many bytes");
	remote_end(&session.remote);
	tap_is(begin(&session, program, "tftp bytes=100000", &err), 0, "a peer that has a file %s", err.text);
	send_to(&session, fd, session.form.token, PACKET_ACK, 1000000, PACKET_HEADER_BYTES);
	tap_is(count_arrivals(fd, &bytes), 0, "has no block behind its end");
	send_to(&session, fd, session.form.token, PACKET_ACK, 3, PACKET_HEADER_BYTES);
	tap_is(count_arrivals(fd, &bytes), 1, "and sends the one that is asked for");
	remote_end(&session.remote);
	close(fd);
	close(stranger);
}

static int connect_from(const char *address, const struct session *session)
{
	struct workload tcp;
	struct address bound;

	workload_parse(&tcp, "tcp", NULL);
	return address_parse(address, &bound, NULL) ? -1 : socket_stream(&bound, 0, &session->data, &tcp, NULL);
}

/* What a connection brings until it is closed, at most so long. */
static int64_t drain(int fd, int limit_ms)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	uint8_t buffer[4096];
	int64_t bytes = 0;

	while (poll(&pollfd, 1, limit_ms) > 0) {
		const ssize_t got = recv(fd, buffer, sizeof(buffer), 0);

		if (got <= 0) {
			return bytes;
		}
		bytes += got;
	}
	return -1;
}

static void test_connections(const char *program)
{
	struct session session;
	struct err err = { "" };
	uint8_t bytes[PACKET_HEADER_BYTES];

	tap_is(begin(&session, program, "tcp", &err), 0, "a peer that has to send a stream %s", err.text);
	const int stranger = connect_from("127.0.0.2", &session), silent = connect_from("127.0.0.1", &session);

	tap_is(drain(stranger, 3000), 0, "turns another address away");
	tap_is(drain(silent, 3000), 0, "and who shows no token");
	const int liar = connect_from("127.0.0.1", &session);
	const struct packet packet = { PACKET_STREAM, WORKLOAD_RX, 0 };

	packet_write(&session.mine, &packet, bytes, sizeof(bytes));
	(void)!send(liar, bytes, sizeof(bytes), MSG_NOSIGNAL);
	tap_is(drain(liar, 3000), 0, "and who shows another one");
	const int friend = connect_from("127.0.0.1", &session);

	packet_write(&session.form, &packet, bytes, sizeof(bytes));
	(void)!send(friend, bytes, sizeof(bytes), MSG_NOSIGNAL);
	tap_is(recv(friend, bytes, sizeof(bytes), MSG_WAITALL), PACKET_HEADER_BYTES,
	       "who shows the token gets the stream");
	close(stranger);
	close(silent);
	close(liar);
	close(friend);
	remote_end(&session.remote);
}

static void test_silence(const char *program)
{
	struct session session;
	struct err err = { "" };
	struct protocol_message message;
	const int fd = socket_at("127.0.0.1");
	size_t bytes;

	tap_is(begin(&session, program, "udp rate=1k size=100", &err), 0, "a peer whose other end falls silent %s",
	       err.text);
	send_to(&session, fd, session.form.token, PACKET_ASK, 1000000, PACKET_HEADER_BYTES);
	const int ret = remote_expect(&session.remote, &message, PROTOCOL_ENDED, 12000, &err);

	tap_ok(ret == 0 && strstr(message.text, "nothing with the token came"), "gives up: %s%s", message.text,
	       err.text);
	count_arrivals(fd, &bytes);
	tap_is(count_arrivals(fd, &bytes), 0, "and sends no more, though it was asked for more");
	remote_end(&session.remote);
	close(fd);
}

int main(int argc, char **argv)
{
	self = argv[0];
	if (argc == 3 && strcmp(argv[1], "peer") == 0) {
		return hostile_peer(argv[2]);
	}
	if (argc != 2) {
		fprintf(stderr, "usage: %s PROGRAM\n", self);
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	test_data();
	test_answers();
	refuse("dies", "udp rate=1k size=64", "ended by signal 9");
	refuse("talks", "udp rate=1k size=64", "in the middle of a load");
	refuse("lies", "udp rate=1k size=64", "do not fit together");
	refuse("nonsense", "udp rate=1k size=64", "not known here");
	refuse("endless", "udp rate=1k size=64", "more than a report");
	test_amplification(argv[1]);
	test_answering(argv[1]);
	test_connections(argv[1]);
	test_silence(argv[1]);
	return tap_done();
}
