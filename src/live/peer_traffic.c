/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"

#include "live/fit.h"
#include "live/peer_private.h"
#include "live/socket.h"

/* From open to the first word of the data socket. */
#define CONNECT_NS (10 * NS_PER_S)

/* What a connection that was closed still holds comes within this time. */
#define DRAIN_MS 3000

static bool comes_here(const struct peer_order *order)
{
	return order->both || order->workload.direction == WORKLOAD_TX;
}

static bool leaves_here(const struct peer_order *order)
{
	return order->both || order->workload.direction == WORKLOAD_RX;
}

static int64_t silence(const struct peer_order *order)
{
	return COLLECT_SILENCE_NS + fit_longest_pause(&order->workload);
}

/* ---- threads ---- */

static int run_collect(void *context, struct err *err)
{
	struct peer_traffic *const traffic = context;

	return collect_run(&traffic->collect, err);
}

static int run_answer(void *context, struct err *err)
{
	struct peer_traffic *const traffic = context;

	return answer_run(&traffic->answer, err);
}

static void write_data(void *context, uint8_t *message, uint64_t sequence, uint32_t stamp_ns)
{
	struct peer_traffic *const traffic = context;
	const struct packet packet = { PACKET_DATA, (uint32_t)sequence, stamp_ns };

	/* A message that has been written once differs in its header alone. */
	if (sequence == 0) {
		packet_write(&traffic->their_form, &packet, message, fit_size(&traffic->order.workload));
	} else {
		packet_rewrite(&traffic->their_form, &packet, message, fit_size(&traffic->order.workload));
	}
}

static int run_pace(void *context, struct err *err)
{
	struct peer_traffic *const traffic = context;
	const struct timespec nap = { .tv_nsec = 1000000 };
	const struct pace_request request = {
		.fd = traffic->fd,
		.workload = &traffic->schedule,
		.seed = traffic->order.seed,
		.duration_ns = traffic->order.duration_ns,
		.size = fit_size(&traffic->order.workload),
		.write = write_data,
		.context = traffic,
		.may_segment = true,
		.ifindex = address_interface(&traffic->order.address),
		.asked = &traffic->asked,
		.stop = &traffic->stop,
	};

	/* Before the first packet of the other end there is nobody to send to. */
	while (!atomic_load(&traffic->stop) &&
	       !(atomic_load(&traffic->may_start) && atomic_load(&traffic->collect.is_locked))) {
		nanosleep(&nap, NULL);
	}
	return pace_run(&request, &traffic->ways[WORKLOAD_RX], err);
}

/* One connection; which way it goes, it says itself. */
static int run_bulk(void *context, struct err *err)
{
	struct peer_traffic *const traffic = context;
	unsigned way = 0;
	const int fd = bulk_accept(traffic->fd, &traffic->form, &traffic->order.source, CONNECT_NS, &traffic->stop,
				   &way, &traffic->turned_away, err);

	if (fd < 0) {
		return fd == -ECANCELED ? 0 : fd;
	}
	if (!(way == WORKLOAD_RX ? leaves_here(&traffic->order) : comes_here(&traffic->order)) ||
	    atomic_exchange(&traffic->is_taken[way], true)) {
		close(fd);
		return err_set(err, -EPROTO, "there is a connection that nobody asked for");
	}
	struct bulk *const bulk = &traffic->bulk[way];

	bulk->fd = fd;
	const int ret = way == WORKLOAD_RX ? bulk_send(bulk, err) : bulk_receive(bulk, err);

	close(fd);
	return ret;
}

/* ---- opening ---- */

static int open_datagrams(struct peer_traffic *traffic, struct err *err)
{
	const struct peer_order *const order = &traffic->order;
	const bool answers = order->workload.kind != WORKLOAD_UDP && order->workload.kind != WORKLOAD_VOIP;
	const uint32_t size = fit_size(&order->workload);

	traffic->answer = (struct answer){ .fd = traffic->fd,
					   .form = &traffic->form,
					   .their_form = &traffic->their_form,
					   .workload = &traffic->order.workload,
					   .size = size,
					   .only = order->source,
					   .silence_ns = silence(order) };
	if (answers) {
		return worker_start(&traffic->worker[PEER_RECEIVER], run_answer, traffic, err);
	}
	traffic->collect = (struct collect){ .fd = traffic->fd,
					     .form = &traffic->form,
					     .kind = PACKET_DATA,
					     .size = size,
					     .shares_clock = order->shares_clock,
					     .silence_ns = silence(order),
					     .locks = true,
					     .only = order->source,
					     .asked = &traffic->asked };
	collect_init(&traffic->collect, fit_burst_gap(&order->workload));
	fit_schedule(&order->workload, &traffic->schedule);
	int ret = worker_start(&traffic->worker[PEER_RECEIVER], run_collect, traffic, err);

	if (ret == 0 && leaves_here(order)) {
		ret = worker_start(&traffic->worker[PEER_SENDER], run_pace, traffic, err);
	}
	return ret;
}

static int open_bulk(struct peer_traffic *traffic, struct err *err)
{
	const struct peer_order *const order = &traffic->order;

	for (unsigned way = 0; way < 2; way++) {
		traffic->bulk[way] = (struct bulk){ .form = &traffic->form,
						    .workload = &traffic->order.workload,
						    .duration_ns = order->duration_ns,
						    .silence_ns = silence(order),
						    .may_start = &traffic->may_start };
	}
	int ret = worker_start(&traffic->worker[PEER_RECEIVER], run_bulk, traffic, err);

	if (ret == 0 && order->both) {
		ret = worker_start(&traffic->worker[PEER_SENDER], run_bulk, traffic, err);
	}
	return ret;
}

static int choose_address(const struct peer_order *order, struct address *bound, struct err *err)
{
	*bound = order->address;
	if (address_is_here(bound)) {
		return 0;
	}
	return address_on_route(&order->source, 0, bound, err);
}

int peer_traffic_open(struct peer_traffic *traffic, const struct peer_order *order, struct address *bound,
		      struct err *err)
{
	const bool is_stream = order->workload.kind == WORKLOAD_TCP;
	uint64_t token;

	*traffic = (struct peer_traffic){ .order = *order, .fd = -1 };
	if (getrandom(&token, sizeof(token), 0) != sizeof(token)) {
		return err_set(err, -EIO, "the kernel gives no random numbers");
	}
	packet_form_init(&traffic->form, token);
	packet_form_init(&traffic->their_form, order->their_token);
	int ret = choose_address(order, bound, err);

	if (ret) {
		return ret;
	}
	traffic->order.address = *bound;
	traffic->fd = is_stream ? socket_listen(bound, &order->workload, err) : socket_datagram(bound, 0, err);
	if (traffic->fd < 0) {
		return traffic->fd;
	}
	ret = is_stream ? open_bulk(traffic, err) : open_datagrams(traffic, err);
	bound->size = sizeof(bound->v6);
	if (ret == 0 && getsockname(traffic->fd, &bound->any, &bound->size)) {
		ret = err_set(err, -errno, "the data socket has no name: %s", strerror(errno));
	}
	return ret;
}

void peer_traffic_start(struct peer_traffic *traffic)
{
	atomic_store(&traffic->may_start, true);
}

/* Whether the other end of this thread, which has ended, was not heard any more. */
static bool was_silent(const struct peer_traffic *traffic, unsigned worker)
{
	switch (traffic->order.workload.kind) {
	case WORKLOAD_UDP:
	case WORKLOAD_VOIP:
		return worker == PEER_RECEIVER && traffic->collect.was_silent;
	case WORKLOAD_TCP:
		return traffic->bulk[WORKLOAD_TX].was_silent;
	default:
		return traffic->answer.was_silent;
	}
}

int peer_traffic_has_ended(struct peer_traffic *traffic, struct err *err)
{
	for (unsigned i = 0; i < PEER_WORKERS; i++) {
		const struct worker *const worker = &traffic->worker[i];

		if (!worker_is_done(worker)) {
			continue;
		}
		if (worker->ret) {
			atomic_store(&traffic->stop, true);
			return err_set(err, worker->ret, "%s", worker->err.text);
		}
		if (was_silent(traffic, i)) {
			atomic_store(&traffic->stop, true);
			return err_set(err, -ETIMEDOUT, "nothing with the token came from the other end for too long");
		}
		/* A receiver ends by itself only with the stream that it receives, and the other end knows that. */
		if (i == PEER_SENDER || traffic->order.workload.kind == WORKLOAD_TCP) {
			return 1;
		}
	}
	return 0;
}

/* ---- stopping ---- */

static void wait_for(const struct worker *worker, int limit_ms)
{
	struct pollfd pollfd = { .fd = worker->done_fd, .events = POLLIN };

	if (worker->is_started) {
		poll(&pollfd, 1, limit_ms);
	}
}

static void report(struct peer_traffic *traffic)
{
	const struct peer_order *const order = &traffic->order;

	switch (order->workload.kind) {
	case WORKLOAD_UDP:
	case WORKLOAD_VOIP:
		if (comes_here(order)) {
			collect_report(&traffic->collect, &traffic->ways[WORKLOAD_TX]);
		}
		break;
	case WORKLOAD_TCP:
		if (traffic->is_taken[WORKLOAD_TX]) {
			bulk_report_receiver(&traffic->bulk[WORKLOAD_TX], &traffic->ways[WORKLOAD_TX]);
		}
		if (traffic->is_taken[WORKLOAD_RX]) {
			bulk_report_sender(&traffic->bulk[WORKLOAD_RX], &traffic->ways[WORKLOAD_RX]);
		}
		way_put(&traffic->ways[order->workload.direction], WAY_FOREIGN, traffic->turned_away);
		break;
	default:
		answer_report(&traffic->answer, traffic->ways);
		break;
	}
}

void peer_traffic_stop(struct peer_traffic *traffic, bool at_once, uint64_t sent)
{
	const bool drains = !at_once && comes_here(&traffic->order);

	atomic_store(&traffic->stop, true);
	atomic_store(&traffic->bulk[WORKLOAD_RX].stop, true);
	atomic_store(&traffic->answer.stop, true);
	if (drains) {
		atomic_store(&traffic->collect.expected, sent);
		atomic_store(&traffic->collect.drain, true);
		for (unsigned i = 0; i < PEER_WORKERS; i++) {
			wait_for(&traffic->worker[i], DRAIN_MS);
		}
	}
	atomic_store(&traffic->collect.stop, true);
	atomic_store(&traffic->bulk[WORKLOAD_TX].stop, true);
	for (unsigned i = 0; i < PEER_WORKERS; i++) {
		worker_join(&traffic->worker[i], NULL);
	}
	report(traffic);
	if (traffic->fd >= 0) {
		close(traffic->fd);
		traffic->fd = -1;
	}
}
