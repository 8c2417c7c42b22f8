/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/answer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "base/time.h"
#include "live/block.h"
#include "live/clock.h"
#include "live/clocks.h"
#include "live/collect.h"

#define BATCH 32
#define LOOK_NS (20 * NS_PER_MS)

struct batch {
	struct mmsghdr in[BATCH], out[BATCH];
	struct iovec in_parts[BATCH], out_parts[BATCH];
	struct sockaddr_storage from[BATCH];
	uint8_t in_bytes[BATCH][PACKET_BYTES_MAX + 1], out_bytes[BATCH][PACKET_BYTES_MAX];
	unsigned answers;
};

static void count_request(struct answer *answer, uint32_t bytes, int64_t now_ns)
{
	if (answer->requests == 0) {
		answer->first_at_ns = now_ns;
	}
	answer->last_at_ns = now_ns;
	answer->requests++;
	answer->request_bytes += bytes;
}

/* The answer's kind and size, or size 0: none is due. */
static uint32_t answer_request(struct answer *answer, struct packet *packet, uint32_t size, int64_t now_ns)
{
	if (packet->kind != PACKET_REQUEST || size != answer->size) {
		answer->corrupt++;
		return 0;
	}
	count_request(answer, size, now_ns);
	packet->kind = PACKET_REPLY;
	return size;
}

/* The file leaves from here: each acknowledgement asks for one block. */
static uint32_t answer_ack(struct answer *answer, struct packet *packet, uint32_t size, int64_t now_ns)
{
	const struct workload *const workload = answer->workload;

	if (packet->kind != PACKET_ACK || size != PACKET_HEADER_BYTES) {
		answer->corrupt++;
		return 0;
	}
	count_request(answer, size, now_ns);
	if (packet->sequence >= block_count(workload)) {
		return 0; /* the last one has arrived */
	}
	packet->kind = PACKET_BLOCK;
	return block_size(workload, packet->sequence);
}

/* The file comes here: whatever block came, the answer is which one is wanted. */
static uint32_t answer_block(struct answer *answer, struct packet *packet, uint32_t size, int64_t now_ns)
{
	const uint64_t number = packet_extend(packet->sequence, answer->wanted);

	if (packet->kind != PACKET_BLOCK || size != block_size(answer->workload, number)) {
		answer->corrupt++;
		return 0;
	}
	if (number == answer->wanted && number < block_count(answer->workload)) {
		answer->wanted++;
		count_request(answer, block_data(answer->workload, number), now_ns);
	} else if (number < answer->wanted) {
		answer->duplicated++;
	} else {
		answer->unexpected++;
	}
	*packet = (struct packet){ PACKET_ACK, (uint32_t)answer->wanted, packet->stamp_ns };
	return PACKET_HEADER_BYTES;
}

static uint32_t choose_answer(struct answer *answer, struct packet *packet, uint32_t size, int64_t now_ns)
{
	if (answer->workload->kind != WORKLOAD_TFTP) {
		return answer_request(answer, packet, size, now_ns);
	}
	return answer->workload->direction == WORKLOAD_RX ? answer_ack(answer, packet, size, now_ns)
							  : answer_block(answer, packet, size, now_ns);
}

static bool is_from_other(const struct answer *answer, const struct msghdr *header)
{
	struct address from = { .size = header->msg_namelen };

	memcpy(&from.any, header->msg_name, from.size < sizeof(from.v6) ? from.size : sizeof(from.v6));
	return answer->only.size && !address_is_same_host(&from, &answer->only);
}

static void take(struct answer *answer, struct batch *batch, unsigned index, int64_t now_ns)
{
	struct mmsghdr *const message = &batch->in[index];
	const uint8_t *const bytes = batch->in_bytes[index];
	struct packet packet;
	const enum packet_verdict verdict = packet_read(answer->form, bytes, message->msg_len, &packet);

	if (verdict == PACKET_FOREIGN || is_from_other(answer, &message->msg_hdr)) {
		answer->foreign++;
		return;
	}
	if (verdict == PACKET_CORRUPT) {
		answer->corrupt++;
		return;
	}
	answer->last_heard_at_ns = now_ns;
	/* Only the host of the first one may go on. */
	if (!answer->only.size) {
		answer->only.size = message->msg_hdr.msg_namelen;
		memcpy(&answer->only.any, message->msg_hdr.msg_name, sizeof(answer->only.v6));
	}
	const uint32_t size = choose_answer(answer, &packet, message->msg_len, now_ns);

	if (size) {
		const unsigned place = batch->answers++;

		packet_write(answer->their_form, &packet, batch->out_bytes[place], size);
		batch->out_parts[place].iov_len = size;
		batch->out[place].msg_hdr.msg_name = message->msg_hdr.msg_name;
		batch->out[place].msg_hdr.msg_namelen = message->msg_hdr.msg_namelen;
	}
}

/* What the kernel has no room for is lost, as on the way: nothing is kept for later. */
static int send_answers(struct answer *answer, struct batch *batch, struct err *err)
{
	for (unsigned done = 0; done < batch->answers;) {
		const int ret = sendmmsg(answer->fd, batch->out + done, batch->answers - done, MSG_NOSIGNAL);

		if (ret > 0) {
			for (int i = 0; i < ret; i++) {
				answer->answer_bytes += batch->out_parts[done + (unsigned)i].iov_len;
			}
			answer->answers += (unsigned)ret;
			done += (unsigned)ret;
		} else if (errno == ENETDOWN || errno == ENODEV) {
			return err_set(err, -errno, "answering failed: %s", strerror(errno));
		} else if (errno != EINTR) {
			answer->not_taken++;
			done++;
		}
	}
	return 0;
}

static void prepare(struct batch *batch)
{
	for (unsigned i = 0; i < BATCH; i++) {
		batch->in_parts[i] =
			(struct iovec){ .iov_base = batch->in_bytes[i], .iov_len = sizeof(batch->in_bytes[i]) };
		batch->out_parts[i] = (struct iovec){ .iov_base = batch->out_bytes[i] };
		batch->in[i].msg_hdr = (struct msghdr){ .msg_name = &batch->from[i],
							.msg_namelen = sizeof(batch->from[i]),
							.msg_iov = &batch->in_parts[i],
							.msg_iovlen = 1 };
		batch->out[i].msg_hdr = (struct msghdr){ .msg_iov = &batch->out_parts[i], .msg_iovlen = 1 };
	}
}

static int answer_some(struct answer *answer, struct batch *batch, struct err *err)
{
	const int count = recvmmsg(answer->fd, batch->in, BATCH, MSG_WAITFORONE, NULL);

	if (count < 0) {
		return errno == EAGAIN || errno == EINTR || errno == ECONNREFUSED
			       ? 0
			       : err_set(err, -errno, "receiving failed: %s", strerror(errno));
	}
	const int64_t now_ns = clocks_monotonic_ns();

	batch->answers = 0;
	for (int i = 0; i < count; i++) {
		take(answer, batch, (unsigned)i, now_ns);
	}
	const int ret = send_answers(answer, batch, err);

	for (int i = 0; i < count; i++) {
		batch->in[i].msg_hdr.msg_namelen = sizeof(batch->from[i]);
	}
	return ret;
}

int answer_run(struct answer *answer, struct err *err)
{
	struct batch *const batch = calloc(1, sizeof(*batch));
	const struct timeval look = { .tv_usec = LOOK_NS / NS_PER_US };
	const int64_t cpu_ns = clock_thread_cpu();
	int ret = 0;

	if (!batch) {
		return err_set(err, -ENOMEM, "no memory for who answers");
	}
	prepare(batch);
	collect_enlarge(answer->fd);
	setsockopt(answer->fd, SOL_SOCKET, SO_RCVTIMEO, &look, sizeof(look));
	answer->last_heard_at_ns = clocks_monotonic_ns();
	while (ret == 0 && !answer->was_silent && !atomic_load_explicit(&answer->stop, memory_order_relaxed)) {
		ret = answer_some(answer, batch, err);
		answer->was_silent = clocks_monotonic_ns() - answer->last_heard_at_ns > answer->silence_ns;
	}
	answer->cpu_ns = clock_thread_cpu() - cpu_ns;
	free(batch);
	return ret;
}

void answer_report(const struct answer *answer, struct way ways[2])
{
	struct way *const in = &ways[WORKLOAD_TX], *const out = &ways[WORKLOAD_RX];
	uint64_t drops;

	way_put(in, WAY_RECEIVED, answer->requests);
	way_put(in, WAY_RECEIVED_BYTES, answer->request_bytes);
	way_put(in, WAY_DUPLICATED, answer->duplicated);
	way_put(in, WAY_CORRUPT, answer->corrupt);
	way_put(in, WAY_FOREIGN, answer->foreign);
	way_put(in, WAY_UNEXPECTED, answer->unexpected);
	way_put(in, WAY_RECEIVER_CPU_NS, (uint64_t)answer->cpu_ns);
	if (answer->last_at_ns > answer->first_at_ns) {
		way_put(in, WAY_RECEIVING_NS, (uint64_t)(answer->last_at_ns - answer->first_at_ns));
	}
	if (collect_socket_drops(answer->fd, &drops)) {
		way_put(in, WAY_SOCKET_DROPPED, drops);
	}
	way_put(out, WAY_SENT, answer->answers);
	way_put(out, WAY_SENT_BYTES, answer->answer_bytes);
	way_put(out, WAY_NOT_TAKEN, answer->not_taken);
}
