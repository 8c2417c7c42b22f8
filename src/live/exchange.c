/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/exchange.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/time.h"
#include "live/block.h"
#include "live/clock.h"
#include "live/clocks.h"

#define LOOK_NS (20 * NS_PER_MS)

static bool is_file(const struct exchange *exchange)
{
	return exchange->workload->kind == WORKLOAD_TFTP;
}

static bool sends_file(const struct exchange *exchange)
{
	return is_file(exchange) && exchange->workload->direction == WORKLOAD_TX;
}

/* ---- what leaves ---- */

static uint32_t make_request(const struct exchange *exchange, const struct exchange_loop *loop, uint8_t *bytes)
{
	struct packet packet = { PACKET_REQUEST, loop->sequence, (uint32_t)loop->sent_at_ns };
	uint32_t size = exchange->size;

	if (sends_file(exchange)) {
		packet.kind = PACKET_BLOCK;
		size = block_size(exchange->workload, exchange->block);
	} else if (is_file(exchange)) {
		packet.kind = PACKET_ACK;
		size = PACKET_HEADER_BYTES;
	}
	packet_write(exchange->their_form, &packet, bytes, size);
	return size;
}

static int send_request(struct exchange *exchange, struct exchange_loop *loop, struct err *err)
{
	uint8_t bytes[PACKET_BYTES_MAX];

	loop->sent_at_ns = clocks_monotonic_ns();
	const uint32_t size = make_request(exchange, loop, bytes);

	if (exchange->sent == 0) {
		exchange->first_sent_at_ns = loop->sent_at_ns;
	}
	exchange->last_sent_at_ns = loop->sent_at_ns;
	loop->is_waiting = true;
	if (send(loop->fd, bytes, size, MSG_NOSIGNAL) < 0) {
		/* What has no room is given up in its time; one after the refusal of an earlier one tells nothing new. */
		return errno == ENOBUFS || errno == EAGAIN || errno == EINTR
			       ? 0
			       : err_set(err, -errno, "%s",
					 errno == ECONNREFUSED ? "nobody listens at the other end any more"
							       : strerror(errno));
	}
	exchange->sent++;
	exchange->sent_bytes += sends_file(exchange) ? block_data(exchange->workload, exchange->block) : size;
	return 0;
}

/* ---- what comes back ---- */

static void finish_request(struct exchange *exchange, struct exchange_loop *loop, uint32_t bytes, int64_t now_ns)
{
	/* Of a block that was asked for twice nobody knows which of the two it answers. */
	if (!loop->is_repeated) {
		histogram_record(&exchange->rtt, now_ns - loop->sent_at_ns);
	}
	if (exchange->received == 0) {
		exchange->first_received_at_ns = now_ns;
	}
	exchange->last_received_at_ns = now_ns;
	exchange->received++;
	exchange->received_bytes += bytes;
	loop->is_waiting = false;
	loop->was_given_up = false;
	loop->is_repeated = false;
	loop->sequence++;
	if (is_file(exchange)) {
		exchange->block++;
		exchange->is_complete = exchange->block >= block_count(exchange->workload);
	}
}

/* An answer of the right form, but to another request than the one that is waited for. */
static void count_other(struct exchange *exchange, struct exchange_loop *loop, uint32_t sequence)
{
	const uint32_t before = loop->sequence - sequence;

	if (before == 0 || before > UINT32_MAX / 2) {
		exchange->unexpected++; /* nobody has asked for it yet */
	} else if (before == 1 && loop->was_given_up) {
		exchange->late++;
		loop->was_given_up = false;
	} else {
		exchange->duplicated++;
	}
}

static void take(struct exchange *exchange, struct exchange_loop *loop, const uint8_t *bytes, uint32_t size,
		 int64_t now_ns)
{
	const struct workload *const workload = exchange->workload;
	struct packet packet;
	enum packet_kind kind = PACKET_REPLY;
	uint32_t expected_size = exchange->size, counted = size;

	switch (packet_read(exchange->form, bytes, size, &packet)) {
	case PACKET_FOREIGN:
		exchange->foreign++;
		return;
	case PACKET_CORRUPT:
		exchange->corrupt++;
		return;
	case PACKET_FINE:
		break;
	}
	if (sends_file(exchange)) {
		kind = PACKET_ACK;
		expected_size = PACKET_HEADER_BYTES;
		packet.sequence--; /* of the block that it acknowledges */
	} else if (is_file(exchange)) {
		kind = PACKET_BLOCK;
		expected_size = block_size(workload, packet_extend(packet.sequence, exchange->block));
		counted = block_data(workload, packet_extend(packet.sequence, exchange->block));
	}
	if (packet.kind != kind || size != expected_size) {
		exchange->corrupt++;
	} else if (loop->is_waiting && packet.sequence == loop->sequence) {
		finish_request(exchange, loop, counted, now_ns);
	} else {
		count_other(exchange, loop, packet.sequence);
	}
}

static int receive(struct exchange *exchange, struct exchange_loop *loop, int flags, struct err *err)
{
	uint8_t bytes[PACKET_BYTES_MAX + 1];
	const ssize_t size = recv(loop->fd, bytes, sizeof(bytes), flags);

	if (size >= 0) {
		take(exchange, loop, bytes, (uint32_t)size, clocks_monotonic_ns());
		return 0;
	}
	if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) {
		return 0;
	}
	return err_set(err, -errno, "%s",
		       errno == ECONNREFUSED ? "nobody listens at the other end any more" : strerror(errno));
}

/* A single loop waits in recv itself, as programs do. */
static int receive_any(struct exchange *exchange, struct err *err)
{
	struct pollfd fds[EXCHANGE_LOOPS_MAX];

	if (exchange->loop_count == 1) {
		return receive(exchange, &exchange->loop[0], 0, err);
	}
	for (unsigned i = 0; i < exchange->loop_count; i++) {
		fds[i] = (struct pollfd){ .fd = exchange->loop[i].fd, .events = POLLIN };
	}
	int ret = 0;

	if (poll(fds, exchange->loop_count, (int)(LOOK_NS / NS_PER_MS)) <= 0) {
		return 0;
	}
	for (unsigned i = 0; ret == 0 && i < exchange->loop_count; i++) {
		ret = fds[i].revents ? receive(exchange, &exchange->loop[i], MSG_DONTWAIT, err) : 0;
	}
	return ret;
}

/* ---- the loops ---- */

static void give_up(struct exchange *exchange, struct exchange_loop *loop)
{
	loop->is_waiting = false;
	if (is_file(exchange)) {
		exchange->retransmitted++;
		loop->is_repeated = true;
		return;
	}
	exchange->given_up++;
	loop->was_given_up = true;
	loop->sequence++;
}

/* How many still wait. */
static unsigned look_after(struct exchange *exchange, bool may_send, int *ret, struct err *err)
{
	const int64_t now_ns = clocks_monotonic_ns();
	unsigned waiting = 0;

	for (unsigned i = 0; i < exchange->loop_count; i++) {
		struct exchange_loop *const loop = &exchange->loop[i];

		if (loop->is_waiting && now_ns - loop->sent_at_ns > EXCHANGE_PATIENCE_NS) {
			give_up(exchange, loop);
		}
		if (!loop->is_waiting && may_send && *ret == 0) {
			*ret = send_request(exchange, loop, err);
		}
		waiting += loop->is_waiting;
	}
	return waiting;
}

static int run(struct exchange *exchange, struct err *err)
{
	const int64_t end_at_ns = clocks_monotonic_ns() + exchange->duration_ns;
	int ret = 0;

	while (ret == 0 && !atomic_load_explicit(&exchange->stop, memory_order_relaxed)) {
		const bool may_send = clocks_monotonic_ns() < end_at_ns && !exchange->is_complete;
		const unsigned waiting = look_after(exchange, may_send, &ret, err);

		if (ret || (!may_send && waiting == 0)) {
			return ret;
		}
		ret = receive_any(exchange, err);
	}
	return ret;
}

int exchange_run(struct exchange *exchange, struct err *err)
{
	const struct timeval look = { .tv_usec = LOOK_NS / NS_PER_US };
	const int64_t cpu_ns = clock_thread_cpu();

	for (unsigned i = 0; i < exchange->loop_count; i++) {
		setsockopt(exchange->loop[i].fd, SOL_SOCKET, SO_RCVTIMEO, &look, sizeof(look));
	}
	const int ret = run(exchange, err);

	/* The receiver of a file says last that it has all of it. */
	if (ret == 0 && exchange->is_complete && is_file(exchange) && !sends_file(exchange)) {
		send_request(exchange, &exchange->loop[0], NULL);
	}
	exchange->cpu_ns = clock_thread_cpu() - cpu_ns;
	return ret;
}

void exchange_report(const struct exchange *exchange, struct way ways[2])
{
	struct way *const out = &ways[WORKLOAD_TX], *const in = &ways[WORKLOAD_RX];

	way_put(out, WAY_SENT, exchange->sent);
	way_put(out, WAY_SENT_BYTES, exchange->sent_bytes);
	way_put(out, WAY_SENDER_CPU_NS, (uint64_t)exchange->cpu_ns);
	if (exchange->last_sent_at_ns > exchange->first_sent_at_ns) {
		way_put(out, WAY_SENDING_NS, (uint64_t)(exchange->last_sent_at_ns - exchange->first_sent_at_ns));
	}
	if (is_file(exchange)) {
		way_put(out, WAY_RETRANSMITTED, exchange->retransmitted);
	}
	way_put(in, WAY_RECEIVED, exchange->received);
	way_put(in, WAY_RECEIVED_BYTES, exchange->received_bytes);
	way_put(in, WAY_DUPLICATED, exchange->duplicated);
	way_put(in, WAY_CORRUPT, exchange->corrupt);
	way_put(in, WAY_FOREIGN, exchange->foreign);
	way_put(in, WAY_UNEXPECTED, exchange->unexpected);
	if (!is_file(exchange)) {
		way_put(in, WAY_LATE, exchange->late);
		way_put(in, WAY_UNANSWERED, exchange->given_up - exchange->late);
	}
	if (exchange->last_received_at_ns > exchange->first_received_at_ns) {
		way_put(in, WAY_RECEIVING_NS,
			(uint64_t)(exchange->last_received_at_ns - exchange->first_received_at_ns));
	}
}
