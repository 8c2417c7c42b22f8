/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/bulk.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "live/clock.h"
#include "live/clocks.h"

/* The stream repeats this much of the token's body. */
#define PERIOD 8192
#define CALL_BYTES (128 << 10)

/* Bytes at the beginning of each read that are compared. */
#define COMPARED 64

#define LOOK_NS (20 * NS_PER_MS)

/* Who connects shows the token within this time, or goes. */
#define TOKEN_NS (1 * NS_PER_S)

/* Of the TCP time stamp option, with padding, in each segment (RFC 7323). */
#define TIME_STAMP_BYTES 12

/* ---- sockets ---- */

static bool has_time_stamps(void)
{
	FILE *const file = fopen("/proc/sys/net/ipv4/tcp_timestamps", "re");
	const int value = file ? fgetc(file) : '1';

	if (file) {
		fclose(file);
	}
	return value != '0';
}

static void limit_window(int fd, uint64_t window_bytes)
{
	const int window = (int)(window_bytes < INT32_MAX / 4 ? window_bytes : INT32_MAX / 4);

	setsockopt(fd, IPPROTO_TCP, TCP_WINDOW_CLAMP, &window, sizeof(window));
}

/* The buffer is locked at a size that leaves room for the window and for what the kernel adds; else it would grow by
 * itself, and the window with it. */
static void set_window(int fd, uint64_t window_bytes)
{
	const int window = (int)(window_bytes < INT32_MAX / 4 ? window_bytes : INT32_MAX / 4);
	const int room = 2 * window;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room))) {
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	}
	limit_window(fd, window_bytes);
}

int bulk_prepare(int fd, const struct workload *workload, struct err *err)
{
	const int mss = (int)workload->mss + (has_time_stamps() ? TIME_STAMP_BYTES : 0), on = 1;

	set_window(fd, workload->window_bytes);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof(mss))) {
		return err_set(err, -EINVAL, "mss: the kernel takes no segments of %u bytes", (unsigned)workload->mss);
	}
	return 0;
}

static void set_timeouts(int fd)
{
	const struct timeval look = { .tv_usec = LOOK_NS / NS_PER_US };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &look, sizeof(look));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &look, sizeof(look));
}

int bulk_introduce(int fd, const struct packet_form *form, unsigned way, struct err *err)
{
	const struct packet packet = { PACKET_STREAM, way, 0 };
	uint8_t bytes[PACKET_HEADER_BYTES];

	packet_write(form, &packet, bytes, sizeof(bytes));
	if (send(fd, bytes, sizeof(bytes), MSG_NOSIGNAL) != (ssize_t)sizeof(bytes)) {
		return err_set(err, -ECONNRESET, "the connection to the other end was closed at once");
	}
	return 0;
}

/* Whether the first bytes of a connection are those of bulk_introduce. */
static bool shows_token(int fd, const struct packet_form *form, unsigned *way)
{
	const struct timeval patience = { .tv_sec = TOKEN_NS / NS_PER_S };
	uint8_t bytes[PACKET_HEADER_BYTES];
	struct packet packet;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (recv(fd, bytes, sizeof(bytes), MSG_WAITALL) != (ssize_t)sizeof(bytes) ||
	    packet_read(form, bytes, sizeof(bytes), &packet) != PACKET_FINE || packet.kind != PACKET_STREAM ||
	    packet.sequence > 1) {
		return false;
	}
	*way = packet.sequence;
	return true;
}

int bulk_accept(int listening_fd, const struct packet_form *form, const struct address *only, int64_t timeout_ns,
		const _Atomic bool *stop, unsigned *way, _Atomic uint64_t *turned_away, struct err *err)
{
	const int64_t until_ns = clocks_monotonic_ns() + timeout_ns;

	while (clocks_monotonic_ns() < until_ns) {
		struct pollfd pollfd = { .fd = listening_fd, .events = POLLIN };
		struct address from = { .size = sizeof(from.v6) };

		if (atomic_load(stop)) {
			return -ECANCELED;
		}
		if (poll(&pollfd, 1, (int)(LOOK_NS / NS_PER_MS)) <= 0) {
			continue;
		}
		const int fd = accept4(listening_fd, &from.any, &from.size, SOCK_CLOEXEC);

		if (fd < 0) {
			continue;
		}
		if ((!only->size || address_is_same_host(&from, only)) && shows_token(fd, form, way)) {
			return fd;
		}
		close(fd);
		atomic_fetch_add(turned_away, 1);
	}
	return err_set(err, -ETIMEDOUT, "nobody connected who knows the token");
}

static void read_info(struct bulk *bulk)
{
	struct tcp_info info;
	socklen_t size = sizeof(info);

	if (getsockopt(bulk->fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0) {
		bulk->has_info = true;
		bulk->retransmitted = info.tcpi_total_retrans;
		bulk->mss_bytes = info.tcpi_snd_mss;
	}
}

/* Behind what the C library's tcp_info has (Linux 5.4): the window that the other end offers. It shrinks while the reader
 * there is behind, so the largest is what the setting came to. */
static void read_window(struct bulk *bulk)
{
	enum { WINDOW_AT = 228, INFO_BYTES = 232 };
	_Alignas(8) uint8_t info[INFO_BYTES];
	socklen_t size = sizeof(info);
	uint32_t window;

	if (getsockopt(bulk->fd, IPPROTO_TCP, TCP_INFO, info, &size) == 0 && size == sizeof(info)) {
		memcpy(&window, info + WINDOW_AT, sizeof(window));
		bulk->window_bytes = window > bulk->window_bytes ? window : bulk->window_bytes;
	}
}

/* ---- sending ---- */

static void wait_for_start(const struct bulk *bulk)
{
	const struct timespec nap = { .tv_nsec = 1000000 };

	while (bulk->may_start && !atomic_load(bulk->may_start) && !atomic_load(&bulk->stop)) {
		nanosleep(&nap, NULL);
	}
}

static int send_all(struct bulk *bulk, const uint8_t *stream, struct err *err)
{
	const int64_t end_at_ns = clocks_monotonic_ns() + bulk->duration_ns;
	int64_t now_ns = clocks_monotonic_ns(), looked_at_ns = now_ns;

	bulk->first_at_ns = now_ns;
	while (now_ns < end_at_ns && !atomic_load_explicit(&bulk->stop, memory_order_relaxed)) {
		const ssize_t sent = send(bulk->fd, stream + bulk->bytes % PERIOD, CALL_BYTES, MSG_NOSIGNAL);

		if (sent > 0) {
			bulk->bytes += (uint64_t)sent;
		} else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
			return err_set(err, -errno, "the connection to the other end is lost: %s", strerror(errno));
		}
		now_ns = clocks_monotonic_ns();
		if (now_ns - looked_at_ns > LOOK_NS) {
			read_window(bulk);
			looked_at_ns = now_ns;
		}
	}
	bulk->last_at_ns = now_ns;
	return 0;
}

int bulk_send(struct bulk *bulk, struct err *err)
{
	const int64_t cpu_ns = clock_thread_cpu();
	uint8_t *const stream = malloc(CALL_BYTES + PERIOD);

	if (!stream) {
		return err_set(err, -ENOMEM, "no memory for a sender");
	}
	for (size_t at = 0; at < CALL_BYTES + PERIOD; at += PERIOD) {
		memcpy(stream + at, bulk->form->body, PERIOD);
	}
	set_timeouts(bulk->fd);
	wait_for_start(bulk);
	const int ret = send_all(bulk, stream, err);

	read_info(bulk);
	shutdown(bulk->fd, SHUT_WR);
	free(stream);
	bulk->cpu_ns = clock_thread_cpu() - cpu_ns;
	return ret;
}

void bulk_report_sender(const struct bulk *bulk, struct way *way)
{
	way_put(way, WAY_SENT_BYTES, bulk->bytes);
	way_put(way, WAY_SENDING_NS, (uint64_t)(bulk->last_at_ns - bulk->first_at_ns));
	way_put(way, WAY_SENDER_CPU_NS, (uint64_t)bulk->cpu_ns);
	if (bulk->has_info) {
		way_put(way, WAY_RETRANSMITTED, bulk->retransmitted);
		way_put(way, WAY_MSS_BYTES, bulk->mss_bytes);
	}
	if (bulk->window_bytes) {
		way_put(way, WAY_WINDOW_BYTES, bulk->window_bytes);
	}
}

/* ---- receiving ---- */

static void take_bytes(struct bulk *bulk, const uint8_t *bytes, size_t size, const uint8_t *pattern)
{
	const size_t compared = size < COMPARED ? size : COMPARED;

	bulk->last_at_ns = clocks_monotonic_ns();
	if (bulk->bytes == 0) {
		bulk->first_at_ns = bulk->last_at_ns;
	}
	bulk->corrupt += memcmp(bytes, pattern + bulk->bytes % PERIOD, compared) != 0;
	bulk->bytes += size;
}

static int receive_all(struct bulk *bulk, uint8_t *buffer, const uint8_t *pattern, struct err *err)
{
	const bool acknowledges_each = !bulk->workload->delayed_ack;
	const int on = 1;
	int64_t heard_at_ns = clocks_monotonic_ns(), limited_at_ns = 0;

	while (!atomic_load_explicit(&bulk->stop, memory_order_relaxed)) {
		const ssize_t size = recv(bulk->fd, buffer, CALL_BYTES, 0);

		if (size > 0) {
			take_bytes(bulk, buffer, (size_t)size, pattern);
			heard_at_ns = bulk->last_at_ns;
			if (heard_at_ns - limited_at_ns > LOOK_NS) {
				/* Kernels from 6.6 on set it anew when they learn how large buffers of segments are
				 * (tcp_measure_rcv_mss). */
				limit_window(bulk->fd, bulk->workload->window_bytes);
				limited_at_ns = heard_at_ns;
			}
			if (acknowledges_each) {
				/* The kernel forgets it with time (tcp(7)). */
				setsockopt(bulk->fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof(on));
			}
		} else if (size == 0) {
			return 0;
		} else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
			return err_set(err, -errno, "the connection to the other end is lost: %s", strerror(errno));
		} else if (clocks_monotonic_ns() - heard_at_ns > bulk->silence_ns) {
			bulk->was_silent = true;
			return 0;
		}
	}
	return 0;
}

int bulk_receive(struct bulk *bulk, struct err *err)
{
	const int64_t cpu_ns = clock_thread_cpu();
	uint8_t *const buffer = malloc(CALL_BYTES + PERIOD + COMPARED);

	if (!buffer) {
		return err_set(err, -ENOMEM, "no memory for a receiver");
	}
	uint8_t *const pattern = buffer + CALL_BYTES;

	memcpy(pattern, bulk->form->body, PERIOD);
	memcpy(pattern + PERIOD, bulk->form->body, COMPARED);
	set_timeouts(bulk->fd);
	const int ret = receive_all(bulk, buffer, pattern, err);

	free(buffer);
	bulk->cpu_ns = clock_thread_cpu() - cpu_ns;
	return ret;
}

void bulk_report_receiver(const struct bulk *bulk, struct way *way)
{
	way_put(way, WAY_RECEIVED_BYTES, bulk->bytes);
	way_put(way, WAY_CORRUPT, bulk->corrupt);
	way_put(way, WAY_RECEIVER_CPU_NS, (uint64_t)bulk->cpu_ns);
	if (bulk->last_at_ns > bulk->first_at_ns) {
		way_put(way, WAY_RECEIVING_NS, (uint64_t)(bulk->last_at_ns - bulk->first_at_ns));
	}
}
