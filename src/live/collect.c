/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/collect.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/wide.h"
#include "live/clock.h"
#include "live/clocks.h"
#include "workload/workload.h"

#define BATCH 64

/* Two of a far end's can't be told apart if one of them is longer: what is cut off is corrupt. */
#define MESSAGE_BYTES_MAX (PACKET_BYTES_MAX + 128)

/* The stamp, and what else a socket of another owner may have been told to add. */
#define CONTROL_BYTES 256

/* Between two looks at what others have set. */
#define LOOK_NS (20 * NS_PER_MS)

/* From ask to ask; one that is lost does no harm, since they say how many in all. */
#define ASK_NS (20 * NS_PER_MS)

/* What has not come by then after the last is lost. */
#define QUIET_NS (250 * NS_PER_MS)

/* Without a rate: so many more than have come, at most 50 times a second. */
#define ALLOWED_MORE 65536

struct batch {
	struct mmsghdr messages[BATCH];
	struct iovec parts[BATCH];
	struct sockaddr_storage from[BATCH];
	_Alignas(struct cmsghdr) uint8_t control[BATCH][CONTROL_BYTES];
	uint8_t bytes[BATCH][MESSAGE_BYTES_MAX];
};

/* ---- the socket ---- */

void collect_enlarge(int fd)
{
	const int bytes = 8 << 20;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes))) {
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	}
}

bool collect_socket_drops(int fd, uint64_t *drops)
{
	uint32_t info[SK_MEMINFO_VARS];
	socklen_t size = sizeof(info);

	if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &size) || size <= SK_MEMINFO_DROPS * sizeof(info[0])) {
		return false;
	}
	*drops = info[SK_MEMINFO_DROPS];
	return true;
}

void collect_init(struct collect *collect, int64_t burst_gap_ns)
{
	const int on = 1;
	const struct timeval look = { .tv_usec = LOOK_NS / NS_PER_US };

	collect_enlarge(collect->fd);
	setsockopt(collect->fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
	setsockopt(collect->fd, SOL_SOCKET, SO_RCVTIMEO, &look, sizeof(look));
	arrivals_init(&collect->arrivals, collect->ask_form ? 0 : UINT64_MAX, burst_gap_ns);
	collect->expected = UINT64_MAX;
}

/* ---- asking ---- */

uint64_t collect_allow(const struct collect *collect, int64_t elapsed_ns)
{
	const struct workload *const workload = collect->workload;
	const uint64_t until_ns = (uint64_t)(elapsed_ns + NS_PER_S);

	if (workload->pattern == WORKLOAD_BURST) {
		return (until_ns / (uint64_t)workload->burst_every_ns + 2) * workload->burst_count;
	}
	if (workload->rate_per_s == 0) {
		return collect->arrivals.next + ALLOWED_MORE;
	}
	/* Of a Poisson process the deviation is the root of the count: an eighth more is ample. */
	const uint64_t mean = wide_scale(workload->rate_per_s, until_ns, (uint64_t)NS_PER_S);

	return mean + mean / 8 + 64;
}

static void ask(struct collect *collect, int64_t now_ns)
{
	uint8_t bytes[PACKET_HEADER_BYTES];

	if (!collect->ask_form || now_ns - collect->asked_at_ns < ASK_NS) {
		return;
	}
	const uint64_t allowed = collect->allow(collect, now_ns - collect->started_at_ns);
	const struct packet packet = { PACKET_ASK, (uint32_t)allowed, (uint32_t)(allowed >> 32) };

	collect->arrivals.limit = allowed > collect->arrivals.limit ? allowed : collect->arrivals.limit;
	collect->asked_at_ns = now_ns;
	packet_write(collect->ask_form, &packet, bytes, sizeof(bytes));
	/* One that does not leave is followed by others; that the socket failed shows in receiving. */
	(void)!send(collect->fd, bytes, sizeof(bytes), MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void take_ask(struct collect *collect, const struct packet *packet)
{
	const uint64_t asked = packet->sequence | (uint64_t)packet->stamp_ns << 32;

	if (collect->asked && asked > atomic_load_explicit(collect->asked, memory_order_relaxed)) {
		atomic_store_explicit(collect->asked, asked, memory_order_release);
	}
}

/* ---- receiving ---- */

void collect_sent_put(struct collect_sent *sent, uint64_t sequence, uint32_t stamp_ns)
{
	atomic_store_explicit(&sent->stamp_ns[sequence % COLLECT_SENT_WINDOW], stamp_ns, memory_order_relaxed);
	atomic_store_explicit(&sent->next, sequence + 1, memory_order_release);
}

static int64_t arrival(struct msghdr *header)
{
	struct timespec stamp;

	for (struct cmsghdr *control = CMSG_FIRSTHDR(header); control; control = CMSG_NXTHDR(header, control)) {
		if (control->cmsg_level == SOL_SOCKET && control->cmsg_type == SO_TIMESTAMPNS) {
			memcpy(&stamp, CMSG_DATA(control), sizeof(stamp));
			return (int64_t)stamp.tv_sec * NS_PER_S + stamp.tv_nsec;
		}
	}
	return ARRIVALS_UNKNOWN_NS;
}

/* 32 bits of ns are 4.3 s: what is on its way for longer is past the end of the load. */
static int64_t delay(const struct collect *collect, const struct packet *packet, int64_t returned_at_ns)
{
	uint32_t stamp_ns = packet->stamp_ns;

	if (collect->own) {
		stamp_ns = atomic_load_explicit(&collect->own->stamp_ns[packet->sequence % COLLECT_SENT_WINDOW],
						memory_order_relaxed);
	} else if (!collect->shares_clock) {
		return ARRIVALS_UNKNOWN_NS;
	}
	return (uint32_t)((uint32_t)returned_at_ns - stamp_ns);
}

static void take_data(struct collect *collect, const struct packet *packet, struct msghdr *header, uint32_t size,
		      int64_t returned_at_ns)
{
	if (collect->own) {
		collect->arrivals.limit = atomic_load_explicit(&collect->own->next, memory_order_acquire);
	}
	arrivals_take(&collect->arrivals, packet->sequence, size, arrival(header),
		      delay(collect, packet, returned_at_ns));
}

/* From the first packet with the token on, the kernel lets only its sender through. False if it is not the host that it
 * should be. */
static bool lock(struct collect *collect, const struct msghdr *header)
{
	struct address from = { .size = header->msg_namelen };

	memcpy(&from.any, header->msg_name, from.size < sizeof(from.v6) ? from.size : sizeof(from.v6));
	if (collect->only.size && !address_is_same_host(&from, &collect->only)) {
		return false;
	}
	if (connect(collect->fd, &from.any, from.size)) {
		return false;
	}
	collect->only = from;
	collect->locks = false;
	atomic_store(&collect->is_locked, true);
	return true;
}

/* What had been queued before the socket was connected may be of others. */
static bool is_from_other(const struct collect *collect, const struct msghdr *header)
{
	struct address from = { .size = header->msg_namelen };

	if (!collect->only.size || !header->msg_namelen) {
		return false;
	}
	memcpy(&from.any, header->msg_name, from.size < sizeof(from.v6) ? from.size : sizeof(from.v6));
	return !address_is_same_host(&from, &collect->only);
}

static void take(struct collect *collect, struct mmsghdr *message, int64_t returned_at_ns)
{
	struct msghdr *const header = &message->msg_hdr;
	const uint8_t *bytes = header->msg_iov->iov_base;
	uint32_t size = message->msg_len;
	struct packet packet;

	if (collect->strip) {
		bytes = collect->strip(collect->context, bytes, &size);
		if (!bytes) {
			return; /* other kinds of ICMP are nobody's data */
		}
	}
	const enum packet_verdict verdict = packet_read(collect->form, bytes, size, &packet);

	if (verdict == PACKET_FOREIGN || is_from_other(collect, header)) {
		collect->foreign++;
		return;
	}
	if (verdict == PACKET_CORRUPT || header->msg_flags & MSG_TRUNC) {
		collect->corrupt++;
		return;
	}
	if (collect->locks && !lock(collect, header)) {
		collect->foreign++;
		return;
	}
	collect->last_heard_at_ns = returned_at_ns;
	if (packet.kind == PACKET_ASK && size == PACKET_HEADER_BYTES) {
		take_ask(collect, &packet);
	} else if (packet.kind == collect->kind && size == collect->size) {
		take_data(collect, &packet, header, size, returned_at_ns);
	} else {
		collect->corrupt++;
	}
}

static void prepare(struct batch *batch)
{
	for (unsigned i = 0; i < BATCH; i++) {
		batch->parts[i] = (struct iovec){ .iov_base = batch->bytes[i], .iov_len = MESSAGE_BYTES_MAX };
		batch->messages[i].msg_hdr = (struct msghdr){ .msg_name = &batch->from[i],
							      .msg_namelen = sizeof(batch->from[i]),
							      .msg_iov = &batch->parts[i],
							      .msg_iovlen = 1,
							      .msg_control = batch->control[i],
							      .msg_controllen = sizeof(batch->control[i]) };
	}
}

/* Waits a moment at most. How many came, or a negative errno. */
static int receive(struct collect *collect, struct batch *batch)
{
	int count;

	do {
		count = recvmmsg(collect->fd, batch->messages, BATCH, MSG_WAITFORONE, NULL);
	} while (count < 0 && errno == EINTR && !atomic_load_explicit(&collect->stop, memory_order_relaxed));
	if (count < 0) {
		return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -errno;
	}
	const int64_t returned_at_ns = clocks_monotonic_ns();

	for (int i = 0; i < count; i++) {
		struct msghdr *const header = &batch->messages[i].msg_hdr;

		take(collect, &batch->messages[i], returned_at_ns);
		header->msg_namelen = sizeof(batch->from[i]);
		header->msg_controllen = sizeof(batch->control[i]);
		header->msg_flags = 0;
	}
	return count;
}

static bool is_done(struct collect *collect, int64_t now_ns, int64_t *draining_since_ns)
{
	if (atomic_load_explicit(&collect->stop, memory_order_relaxed)) {
		return true;
	}
	if (atomic_load_explicit(&collect->drain, memory_order_acquire)) {
		if (*draining_since_ns == 0) {
			*draining_since_ns = now_ns;
		}
		return collect->arrivals.received >= atomic_load_explicit(&collect->expected, memory_order_relaxed) ||
		       now_ns - time_max(*draining_since_ns, collect->last_heard_at_ns) > QUIET_NS;
	}
	if (!collect->may_be_silent && now_ns - collect->last_heard_at_ns > collect->silence_ns) {
		collect->was_silent = true;
		return true;
	}
	return false;
}

static int run(struct collect *collect, struct batch *batch, struct err *err)
{
	int64_t draining_since_ns = 0;

	for (;;) {
		const int64_t now_ns = clocks_monotonic_ns();

		if (is_done(collect, now_ns, &draining_since_ns)) {
			return 0;
		}
		ask(collect, now_ns);
		const int ret = receive(collect, batch);

		/* Nobody listens there yet, or any more: the other end's silence, or its own word, tells which. */
		if (ret < 0 && ret != -ECONNREFUSED) {
			return err_set(err, ret, "receiving failed: %s", strerror(-ret));
		}
	}
}

int collect_run(struct collect *collect, struct err *err)
{
	struct batch *const batch = calloc(1, sizeof(*batch));
	const int64_t cpu_ns = clock_thread_cpu();

	if (!batch) {
		return err_set(err, -ENOMEM, "no memory for a receiver");
	}
	prepare(batch);
	collect->started_at_ns = clocks_monotonic_ns();
	collect->last_heard_at_ns = collect->started_at_ns;
	const int ret = run(collect, batch, err);
	uint64_t drops;

	if (collect_socket_drops(collect->fd, &drops)) {
		collect->socket_dropped = drops;
	}
	collect->cpu_ns = clock_thread_cpu() - cpu_ns;
	free(batch);
	return ret;
}

void collect_report(const struct collect *collect, struct way *way)
{
	const struct arrivals *const arrivals = &collect->arrivals;

	way_put(way, WAY_RECEIVED, arrivals->received);
	way_put(way, WAY_RECEIVED_BYTES, arrivals->bytes);
	way_put(way, WAY_DUPLICATED, arrivals->duplicated);
	way_put(way, WAY_REORDERED, arrivals->reordered);
	way_put(way, WAY_CORRUPT, collect->corrupt);
	way_put(way, WAY_FOREIGN, collect->foreign);
	way_put(way, WAY_UNEXPECTED, arrivals->unexpected);
	way_put(way, WAY_SOCKET_DROPPED, collect->socket_dropped);
	way_put(way, WAY_RECEIVER_CPU_NS, (uint64_t)collect->cpu_ns);
	if (arrivals->received > 1 && arrivals->last_at_ns > arrivals->first_at_ns) {
		way_put(way, WAY_RECEIVING_NS, (uint64_t)(arrivals->last_at_ns - arrivals->first_at_ns));
	}
	if (arrivals->burst_gap_ns && arrivals->bursts) {
		way_put(way, WAY_BURSTS, arrivals->bursts);
		way_put(way, WAY_BURST_PACKETS_MAX, arrivals->burst_packets_max);
	}
	way_put_span(way, WAY_GAP, &arrivals->gap);
	way_put_span(way, WAY_ONE_WAY, &arrivals->one_way);
}
