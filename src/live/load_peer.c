/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A load with holdoff peer at the far end. The order of things: the peer opens its socket, we open ours and what receives here;
 * the peer starts, we start; when all that sends has sent, the peer takes what is still on its way and reports, and
 * so do we.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/time.h"
#include "live/clocks.h"
#include "live/load_traffic.h"
#include "live/way_messages.h"

#define ANSWER_MS 10000
#define LOOK_MS 20

/* A stream may begin and end a little later at one end than at the other. */
#define STILL_NS (100 * NS_PER_MS)

/* Each count, and each bucket of each span in a message of its own, of two ways: more than is ever said. */
#define REPORT_MESSAGES_MAX (2 * (WAY_COUNTS + WAY_SPANS * HISTOGRAM_BUCKETS + 8))

/* Beyond its duration a load takes a while to begin and to end. */
#define OVERDUE_NS (10 * NS_PER_S)

/* ---- the peer ---- */

static int open_there(struct load_traffic *traffic, struct err *err)
{
	const struct load_request *const request = traffic->load->request;
	struct protocol_message message;
	char text[WORKLOAD_TEXT_MAX], address[ADDRESS_TEXT_MAX];
	uint64_t token;

	if (getrandom(&token, sizeof(token), 0) != sizeof(token)) {
		return err_set(err, -EIO, "the kernel gives no random numbers");
	}
	packet_form_init(&traffic->form, token);
	protocol_init(&message, PROTOCOL_OPEN);
	protocol_put(&message, PROTOCOL_TOKEN, token);
	protocol_put_text(&message, PROTOCOL_ADDRESS, address_print(&traffic->load->to, address));
	protocol_put_text(&message, PROTOCOL_SOURCE, address_print(&traffic->load->from, address));
	protocol_put(&message, PROTOCOL_BOTH, request->both);
	/* Two ways at once are not each other's image. */
	protocol_put(&message, PROTOCOL_SEED, request->seed + request->both);
	protocol_put(&message, PROTOCOL_DURATION_NS, (uint64_t)request->duration_ns);
	protocol_put_text(&message, PROTOCOL_TEXT, workload_print(traffic->workload, text));
	int ret = remote_say(request->remote, &message, err);

	if (ret == 0) {
		ret = remote_expect(request->remote, &message, PROTOCOL_OPENED, ANSWER_MS, err);
	}
	if (ret) {
		return ret;
	}
	packet_form_init(&traffic->their_form, message.number[PROTOCOL_TOKEN]);
	ret = address_parse(protocol_word(&message, PROTOCOL_ADDRESS), &traffic->far, err);
	if (ret == 0 && !address_is_same_host(&traffic->far, &traffic->load->to)) {
		/* Behind a translation of addresses the port is another one too: nothing would arrive. */
		return err_set(err, -EADDRNOTAVAIL,
			       "the peer is not at %s but at %.60s: it has to run on the host that is named",
			       traffic->result->address, protocol_word(&message, PROTOCOL_ADDRESS));
	}
	traffic->far = traffic->load->to;
	address_set_port(&traffic->far, (uint16_t)message.number[PROTOCOL_PORT]);
	return ret;
}

static int start_there(struct load_traffic *traffic, struct err *err)
{
	struct remote *const remote = traffic->load->request->remote;
	struct protocol_message message;

	protocol_init(&message, PROTOCOL_START);
	const int ret = remote_say(remote, &message, err);

	return ret ? ret : remote_expect(remote, &message, PROTOCOL_STARTED, ANSWER_MS, err);
}

/* Between start and stop there is one thing that it may say. */
static void hear(struct load_traffic *traffic)
{
	struct protocol_message message;
	struct err err = { "" };
	const int ret = remote_hear(traffic->load->request->remote, &message, 0, &err);

	if (ret == -ETIMEDOUT) {
		return;
	}
	if (ret == 0 && message.kind == PROTOCOL_ENDED) {
		traffic->peer_has_ended = true;
		if (protocol_has(&message, PROTOCOL_TEXT)) {
			err_set(&err, -EREMOTEIO, "the peer gave up: %.300s", message.text);
			load_spoil(traffic->result, err.text);
			atomic_store(&traffic->stop, true);
		}
		return;
	}
	if (ret == 0) {
		err_set(&err, -EPROTO, "the peer says \"%s\" in the middle of a load",
			protocol_kind_name(message.kind));
	}
	load_spoil(traffic->result, err.text);
	traffic->peer_is_gone = true;
}

static int take_report(struct load_traffic *traffic, struct way ways[2], struct err *err)
{
	struct remote *const remote = traffic->load->request->remote;
	struct protocol_message message;
	int ret;

	protocol_init(&message, PROTOCOL_STOP);
	if (way_has(&traffic->ways[WORKLOAD_TX], WAY_SENT)) {
		protocol_put(&message, PROTOCOL_SENT, traffic->ways[WORKLOAD_TX].count[WAY_SENT]);
	}
	ret = remote_say(remote, &message, err);
	for (unsigned messages = 0; ret == 0; messages++) {
		if (messages == REPORT_MESSAGES_MAX) {
			return err_set(err, -EPROTO, "the peer says more than a report can have");
		}
		ret = remote_hear(remote, &message, ANSWER_MS, err);
		if (ret == 0 && message.kind == PROTOCOL_DONE) {
			return way_messages_check(ways, err);
		}
		if (ret == 0 && message.kind != PROTOCOL_ENDED) {
			ret = way_messages_take(ways, &message, err);
		}
	}
	return ret;
}

/* ---- the load ---- */

static void wait_until_over(struct load_traffic *traffic)
{
	const struct load_request *const request = traffic->load->request;
	const int64_t overdue_at_ns = clocks_monotonic_ns() + request->duration_ns + OVERDUE_NS;

	while (!traffic->peer_is_gone && !load_traffic_is_over(traffic)) {
		struct pollfd fds[] = {
			{ .fd = request->remote->in, .events = POLLIN },
			{ .fd = traffic->worker[LOAD_SENDER].is_started &&
						!worker_is_done(&traffic->worker[LOAD_SENDER])
					? traffic->worker[LOAD_SENDER].done_fd
					: -1,
			  .events = POLLIN },
		};

		if (remote_has_line(request->remote) || poll(fds, 2, LOOK_MS) > 0) {
			if (remote_has_line(request->remote) || fds[0].revents) {
				hear(traffic);
			}
		}
		if (load_is_stopped(traffic->load)) {
			load_spoil(traffic->result, "interrupted");
			return;
		}
		if (!load_look_at_link(traffic->load, traffic->result)) {
			load_spoil(traffic->result, "there is no interface to go on with");
			traffic->link_is_gone = true;
			return;
		}
		if (clocks_monotonic_ns() > overdue_at_ns) {
			load_spoil(traffic->result, "the load does not end in its time");
			return;
		}
	}
}

static void merge(struct load_traffic *traffic, struct way theirs[2])
{
	struct load_result *const result = traffic->result;

	for (unsigned way = 0; way < 2; way++) {
		/* The peer sends what comes here, and receives what leaves. */
		way_keep(&theirs[way], way == WORKLOAD_RX);
		result->ways[way] = theirs[way];
		way_merge(&result->ways[way], &traffic->ways[way]);
		if (!result->shares_clock) {
			result->ways[way].has_spans &= ~(1u << WAY_ONE_WAY);
		}
	}
}

/* A stream that reached its end early, or that stands still, was no bulk transfer all the time. */
static void check_stream(struct load_traffic *traffic, const struct way *way)
{
	const uint64_t sending_ns = way->count[WAY_SENDING_NS], receiving_ns = way->count[WAY_RECEIVING_NS];

	if (way_has(way, WAY_SENDING_NS) && receiving_ns + (uint64_t)STILL_NS < sending_ns - sending_ns / 10) {
		load_spoil(traffic->result, "the stream stood still before its end");
	}
}

static void finish(struct load_traffic *traffic)
{
	struct way *const theirs = calloc(2, sizeof(*theirs));
	struct err err = { "" };
	int ret = -ENOMEM;

	load_traffic_stop_senders(traffic);
	if (load_traffic_is_exchange(traffic)) {
		load_traffic_report(traffic);
	}
	if (theirs && !traffic->peer_is_gone) {
		ret = take_report(traffic, theirs, &err);
	}
	if (ret && !traffic->peer_is_gone) {
		load_spoil(traffic->result, err.text);
		traffic->peer_is_gone = true;
		if (theirs) {
			way_init(&theirs[0]);
			way_init(&theirs[1]);
		}
	}
	if (theirs) {
		load_traffic_stop_receiver(traffic, &theirs[WORKLOAD_RX]);
		if (!load_traffic_is_exchange(traffic)) {
			load_traffic_report(traffic);
		}
		merge(traffic, theirs);
		if (load_traffic_is_stream(traffic)) {
			check_stream(traffic, &traffic->result->ways[WORKLOAD_TX]);
			check_stream(traffic, &traffic->result->ways[WORKLOAD_RX]);
		}
	}
	free(theirs);
}

static int run(struct load_traffic *traffic, struct err *err)
{
	int ret = open_there(traffic, err);

	if (ret) {
		return ret;
	}
	ret = load_traffic_open(traffic, err);
	if (ret == 0) {
		ret = start_there(traffic, err);
	}
	if (ret == 0) {
		ret = load_traffic_start(traffic, err);
	}
	const int64_t started_at_ns = clocks_monotonic_ns();

	if (ret == 0) {
		wait_until_over(traffic);
	}
	traffic->result->lasted_ns = clocks_monotonic_ns() - started_at_ns;
	finish(traffic);
	return ret;
}

int load_with_peer(const struct load *load, struct load_result *result, struct err *err)
{
	struct load_traffic *const traffic = calloc(1, sizeof(*traffic));

	if (!traffic) {
		return err_set(err, -ENOMEM, "no memory for a load");
	}
	traffic->load = load;
	traffic->result = result;
	traffic->workload = &load->request->workload;
	traffic->leaves = load->request->both || load->request->workload.direction == WORKLOAD_TX;
	traffic->comes = load->request->both || load->request->workload.direction == WORKLOAD_RX;
	if (load_traffic_is_exchange(traffic) || traffic->workload->kind == WORKLOAD_FIELDBUS) {
		traffic->leaves = traffic->comes = false;
	}
	result->shares_clock = load->request->remote->shares_clock;
	snprintf(result->program, sizeof(result->program), "holdoff %.50s", load->request->remote->program);
	const int ret = run(traffic, err);

	load_traffic_close(traffic);
	free(traffic);
	return ret;
}
