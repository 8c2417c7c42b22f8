/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/load_traffic.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/time.h"
#include "live/socket.h"

/* For what is still on its way. */
#define DRAIN_MS 10000

bool load_traffic_is_exchange(const struct load_traffic *traffic)
{
	return traffic->workload->kind == WORKLOAD_RR || traffic->workload->kind == WORKLOAD_TFTP;
}

bool load_traffic_is_stream(const struct load_traffic *traffic)
{
	return traffic->workload->kind == WORKLOAD_TCP;
}

/* ---- threads ---- */

static void write_packet(void *context, uint8_t *message, uint64_t sequence, uint32_t stamp_ns)
{
	struct load_traffic *const traffic = context;
	const struct packet packet = { traffic->sent ? PACKET_REQUEST : PACKET_DATA, (uint32_t)sequence, stamp_ns };

	if (traffic->sent && stamp_ns) {
		collect_sent_put(traffic->sent, sequence, stamp_ns);
	}
	/* A message that has been written once differs in its header alone. */
	if (sequence == 0) {
		packet_write(&traffic->their_form, &packet, message, fit_size(traffic->workload));
	} else {
		packet_rewrite(&traffic->their_form, &packet, message, fit_size(traffic->workload));
	}
}

static int run_pace(void *context, struct err *err)
{
	struct load_traffic *const traffic = context;
	const struct pace_request request = {
		.fd = traffic->fds[0],
		.workload = &traffic->schedule,
		.seed = traffic->load->request->seed,
		.duration_ns = traffic->load->request->duration_ns,
		.size = fit_size(traffic->workload),
		.write = write_packet,
		.context = traffic,
		.may_segment = true,
		.ifindex = traffic->load->out_ifindex,
		.stop = &traffic->stop,
	};

	return pace_run(&request, &traffic->ways[WORKLOAD_TX], err);
}

static int run_collect(void *context, struct err *err)
{
	struct load_traffic *const traffic = context;

	return collect_run(&traffic->collect, err);
}

static int run_exchange(void *context, struct err *err)
{
	struct load_traffic *const traffic = context;

	return exchange_run(&traffic->exchange, err);
}

static int run_bulk_send(void *context, struct err *err)
{
	return bulk_send(context, err);
}

static int run_bulk_receive(void *context, struct err *err)
{
	return bulk_receive(context, err);
}

/* ---- sockets, and what receives ---- */

static int add_socket(struct load_traffic *traffic, struct err *err)
{
	const struct load *const load = traffic->load;
	const int fd = load_traffic_is_stream(traffic)
			       ? socket_stream(&load->from, load->ifindex, &traffic->far, traffic->workload, err)
			       : socket_connected(&load->from, load->ifindex, &traffic->far, err);

	if (fd < 0) {
		return fd;
	}
	traffic->fds[traffic->fd_count++] = fd;
	return 0;
}

static int open_collect(struct load_traffic *traffic, struct err *err)
{
	const bool echoes = traffic->workload->kind == WORKLOAD_FIELDBUS;
	int ret = add_socket(traffic, err);

	fit_schedule(traffic->workload, &traffic->schedule);
	if (ret || !(traffic->comes || echoes)) {
		return ret;
	}
	if (echoes) {
		traffic->sent = calloc(1, sizeof(*traffic->sent));
		if (!traffic->sent) {
			return err_set(err, -ENOMEM, "no memory for what is sent");
		}
	}
	traffic->collect = (struct collect){ .fd = traffic->fds[0],
					     .form = &traffic->form,
					     .kind = echoes ? PACKET_REPLY : PACKET_DATA,
					     .size = fit_size(traffic->workload),
					     .shares_clock = traffic->result->shares_clock,
					     .own = traffic->sent,
					     .silence_ns = COLLECT_SILENCE_NS + fit_longest_pause(traffic->workload),
					     .ask_form = echoes ? NULL : &traffic->their_form,
					     .allow = collect_allow,
					     .workload = traffic->workload };
	collect_init(&traffic->collect, fit_burst_gap(traffic->workload));
	return worker_start(&traffic->worker[LOAD_RECEIVER], run_collect, traffic, err);
}

static int open_exchange(struct load_traffic *traffic, struct err *err)
{
	const unsigned loops = traffic->workload->kind == WORKLOAD_RR ? traffic->workload->connections : 1;
	struct exchange *const exchange = &traffic->exchange;
	int ret = 0;

	*exchange = (struct exchange){ .loop_count = loops,
				       .form = &traffic->form,
				       .their_form = &traffic->their_form,
				       .workload = traffic->workload,
				       .size = fit_size(traffic->workload),
				       .duration_ns = traffic->load->request->duration_ns };
	for (unsigned i = 0; ret == 0 && i < loops; i++) {
		ret = add_socket(traffic, err);
		exchange->loop[i].fd = traffic->fds[i];
	}
	return ret;
}

static int open_bulk(struct load_traffic *traffic, struct err *err)
{
	int ret = 0;

	for (unsigned way = 0; ret == 0 && way < 2; way++) {
		if (!(way == WORKLOAD_TX ? traffic->leaves : traffic->comes)) {
			continue;
		}
		ret = add_socket(traffic, err);
		if (ret) {
			break;
		}
		const int fd = traffic->fds[traffic->fd_count - 1];

		traffic->bulk[way] = (struct bulk){ .fd = fd,
						    .form = &traffic->their_form,
						    .workload = traffic->workload,
						    .duration_ns = traffic->load->request->duration_ns,
						    .silence_ns = COLLECT_SILENCE_NS };
		ret = bulk_introduce(fd, &traffic->their_form, way, err);
	}
	if (ret == 0 && traffic->comes) {
		ret = worker_start(&traffic->worker[LOAD_RECEIVER], run_bulk_receive, &traffic->bulk[WORKLOAD_RX], err);
	}
	return ret;
}

int load_traffic_open(struct load_traffic *traffic, struct err *err)
{
	return load_traffic_is_stream(traffic)     ? open_bulk(traffic, err)
	       : load_traffic_is_exchange(traffic) ? open_exchange(traffic, err)
						   : open_collect(traffic, err);
}

int load_traffic_start(struct load_traffic *traffic, struct err *err)
{
	struct worker *const sender = &traffic->worker[LOAD_SENDER];

	if (load_traffic_is_exchange(traffic)) {
		return worker_start(sender, run_exchange, traffic, err);
	}
	if (load_traffic_is_stream(traffic)) {
		return traffic->leaves ? worker_start(sender, run_bulk_send, &traffic->bulk[WORKLOAD_TX], err) : 0;
	}
	return traffic->leaves || traffic->sent ? worker_start(sender, run_pace, traffic, err) : 0;
}

/* ---- the end ---- */

bool load_traffic_is_over(struct load_traffic *traffic)
{
	struct worker *const sender = &traffic->worker[LOAD_SENDER], *const receiver = &traffic->worker[LOAD_RECEIVER];

	if (worker_is_done(sender) && sender->ret) {
		load_spoil(traffic->result, sender->err.text);
		return true;
	}
	if (worker_is_done(receiver) && receiver->ret) {
		load_spoil(traffic->result, receiver->err.text);
		return true;
	}
	if (worker_is_done(receiver) && (traffic->collect.was_silent || traffic->bulk[WORKLOAD_RX].was_silent)) {
		load_spoil(traffic->result, "nothing came from the peer for too long");
		return true;
	}
	return (!sender->is_started || worker_is_done(sender)) && (!traffic->comes || traffic->peer_has_ended);
}

void load_traffic_stop_senders(struct load_traffic *traffic)
{
	struct err err = { "" };

	atomic_store(&traffic->stop, true);
	atomic_store(&traffic->exchange.stop, true);
	atomic_store(&traffic->bulk[WORKLOAD_TX].stop, true);
	if (worker_join(&traffic->worker[LOAD_SENDER], &err)) {
		load_spoil(traffic->result, err.text);
	}
	if (load_traffic_is_stream(traffic) && traffic->leaves) {
		bulk_report_sender(&traffic->bulk[WORKLOAD_TX], &traffic->ways[WORKLOAD_TX]);
	}
}

void load_traffic_stop_receiver(struct load_traffic *traffic, const struct way *theirs)
{
	struct worker *const receiver = &traffic->worker[LOAD_RECEIVER];
	struct err err = { "" };
	const bool drains = !traffic->peer_is_gone && !traffic->link_is_gone;

	if (drains && receiver->is_started) {
		struct pollfd pollfd = { .fd = receiver->done_fd, .events = POLLIN };

		if (way_has(theirs, WAY_SENT)) {
			atomic_store(&traffic->collect.expected, theirs->count[WAY_SENT]);
		}
		atomic_store(&traffic->collect.drain, true);
		poll(&pollfd, 1, DRAIN_MS);
	}
	atomic_store(&traffic->collect.stop, true);
	atomic_store(&traffic->bulk[WORKLOAD_RX].stop, true);
	if (worker_join(receiver, &err)) {
		load_spoil(traffic->result, err.text);
	}
}

static void put_rtt(struct load_result *result, const struct histogram *rtt)
{
	result->rtt = *rtt;
	result->has_rtt = rtt->count > 0;
}

void load_traffic_report(struct load_traffic *traffic)
{
	struct way *const ways = traffic->ways;

	if (load_traffic_is_stream(traffic)) {
		if (traffic->comes) {
			bulk_report_receiver(&traffic->bulk[WORKLOAD_RX], &ways[WORKLOAD_RX]);
		}
	} else if (load_traffic_is_exchange(traffic)) {
		exchange_report(&traffic->exchange, ways);
		put_rtt(traffic->result, &traffic->exchange.rtt);
		traffic->result->is_complete_file = traffic->exchange.is_complete;
	} else if (traffic->sent) {
		collect_report(&traffic->collect, &ways[WORKLOAD_RX]);
		ways[WORKLOAD_RX].has_spans &= ~(1u << WAY_ONE_WAY);
		put_rtt(traffic->result, &traffic->collect.arrivals.one_way);
	} else if (traffic->comes) {
		collect_report(&traffic->collect, &ways[WORKLOAD_RX]);
	}
}

void load_traffic_close(struct load_traffic *traffic)
{
	for (unsigned i = 0; i < traffic->fd_count; i++) {
		close(traffic->fds[i]);
	}
	traffic->fd_count = 0;
	free(traffic->sent);
	traffic->sent = NULL;
}
