/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A load without a program at the other end: what is sent are ICMP echo requests, by the schedule of the workload, and the
 * other end's kernel returns each with the same bytes. So there is the same pattern both ways, and what is lost
 * can't be told to have been lost one way or the other.
 */
#include <errno.h>
#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/time.h"
#include "live/clocks.h"
#include "live/collect.h"
#include "live/echo.h"
#include "live/icmp_socket.h"
#include "live/load_private.h"
#include "live/pace.h"
#include "live/worker.h"

#define LOOK_MS 20

/* What is behind a router is not flooded by accident: an echo asks the other host to send as much. */
#define OFF_LINK_RATE_MAX 1000

struct echo_load {
	const struct load *load;
	struct load_result *result;
	struct icmp_socket socket;
	struct packet_form form;
	uint32_t body_sum; /* of the part of a packet that is always the same */
	struct workload schedule;
	struct collect collect;
	struct collect_sent sent;
	struct worker sender, receiver;
	_Atomic bool stop;
};

/* ---- messages ---- */

/* Of 16-bit words (RFC 1071), not yet folded. */
static uint32_t sum_words(const uint8_t *bytes, size_t size)
{
	uint32_t sum = 0;

	for (size_t at = 0; at + 1 < size; at += 2) {
		sum += (uint32_t)bytes[at] << 8 | bytes[at + 1];
	}
	return size % 2 ? sum + ((uint32_t)bytes[size - 1] << 8) : sum;
}

static void put_u16(uint8_t *bytes, unsigned value)
{
	bytes[0] = (uint8_t)(value >> 8);
	bytes[1] = (uint8_t)value;
}

static void write_echo(void *context, uint8_t *message, uint64_t sequence, uint32_t stamp_ns)
{
	struct echo_load *const echo = context;
	const struct packet packet = { PACKET_DATA, (uint32_t)sequence, stamp_ns };
	uint8_t *const payload = message + ECHO_HEADER_BYTES;
	const uint32_t size = fit_size(&echo->load->request->workload);

	if (stamp_ns) {
		collect_sent_put(&echo->sent, sequence, stamp_ns);
	}
	if (sequence == 0) {
		packet_write(&echo->form, &packet, payload, size);
		echo->body_sum = sum_words(payload + PACKET_HEADER_BYTES, size - PACKET_HEADER_BYTES);
	} else {
		packet_rewrite(&echo->form, &packet, payload, size);
	}
	message[0] = echo->socket.host.is_ipv6 ? ICMP6_ECHO_REQUEST : ICMP_ECHO;
	message[1] = 0;
	put_u16(message + 2, 0);
	put_u16(message + 4, echo->socket.identifier);
	put_u16(message + 6, (unsigned)sequence & 0xffff);
	/* The kernel makes the checksum of IPv6, and of datagram sockets, itself. */
	uint32_t sum = sum_words(message, ECHO_HEADER_BYTES + PACKET_HEADER_BYTES) + echo->body_sum;

	while (sum >> 16) {
		sum = (sum & 0xffff) + (sum >> 16);
	}
	put_u16(message + 2, ~sum & 0xffff);
}

/* The packet in an echo reply to us. */
static const uint8_t *strip_echo(void *context, const uint8_t *message, uint32_t *size)
{
	const struct echo_load *const echo = context;
	const bool has_ip = echo->socket.is_raw && !echo->socket.host.is_ipv6;
	const size_t header = has_ip ? echo_ip_header_bytes(message, *size) : 0;
	const uint8_t *const icmp = message + header;

	if ((has_ip && !header) || *size < header + ECHO_HEADER_BYTES ||
	    icmp[0] != (echo->socket.host.is_ipv6 ? ICMP6_ECHO_REPLY : ICMP_ECHOREPLY) ||
	    (icmp[4] << 8 | icmp[5]) != echo->socket.identifier) {
		return NULL;
	}
	*size -= (uint32_t)(header + ECHO_HEADER_BYTES);
	return icmp + ECHO_HEADER_BYTES;
}

/* ---- threads ---- */

static int run_pace(void *context, struct err *err)
{
	struct echo_load *const echo = context;
	const struct load_request *const request = echo->load->request;
	const struct pace_request pace = {
		.fd = echo->socket.fd,
		.workload = &echo->schedule,
		.seed = request->seed,
		.duration_ns = request->duration_ns,
		.size = fit_size(&request->workload) + ECHO_HEADER_BYTES,
		.header_bytes = ECHO_HEADER_BYTES,
		.write = write_echo,
		.context = echo,
		.ifindex = echo->load->out_ifindex,
		.stop = &echo->stop,
	};

	return pace_run(&pace, &echo->result->ways[WORKLOAD_TX], err);
}

static int run_collect(void *context, struct err *err)
{
	struct echo_load *const echo = context;

	return collect_run(&echo->collect, err);
}

/* ---- the load ---- */

static int check_rate(const struct load *load, const struct host *host, struct err *err)
{
	const struct workload *const workload = &load->request->workload;
	struct route route;
	const int ret = route_find(host, load->ifindex, &route, err);
	const int64_t pause_ns = fit_longest_pause(workload);
	uint64_t rate = workload->rate_per_s ? workload->rate_per_s : UINT64_MAX;

	if (workload->kind == WORKLOAD_FIELDBUS) {
		rate = (uint64_t)(NS_PER_S / workload->interval_ns);
	} else if (workload->pattern == WORKLOAD_BURST) {
		rate = (uint64_t)(NS_PER_S * (int64_t)workload->burst_count / pause_ns);
	}
	if (ret || route_is_on_link(&route) || rate <= OFF_LINK_RATE_MAX) {
		return ret;
	}
	return err_set(
		err, -EINVAL,
		"%s is behind a router: more than %d echoes per second are for a neighbour, or need the consent that "
		"--peer is",
		host->text, OFF_LINK_RATE_MAX);
}

/* Errors that routers tell are not of one packet here, and the token is looked at in any case. */
static int open_socket(struct echo_load *echo, struct err *err)
{
	const struct load *const load = echo->load;
	const int off = 0;
	struct host host;
	uint64_t token;
	int ret = host_find(load->request->host, HOST_ANY, load->ifindex, &host, err);

	ret = ret ? ret : check_rate(load, &host, err);
	ret = ret ? ret : icmp_open(&echo->socket, &host, load->ifindex, err);
	if (ret) {
		return ret;
	}
	setsockopt(echo->socket.fd, host.is_ipv6 ? IPPROTO_IPV6 : IPPROTO_IP, host.is_ipv6 ? IPV6_RECVERR : IP_RECVERR,
		   &off, sizeof(off));
	if (connect(echo->socket.fd, &host.address.any, host.address_bytes)) {
		return err_set(err, -errno, "there is no way to %s: %s", host.text, strerror(errno));
	}
	if (getrandom(&token, sizeof(token), 0) != sizeof(token)) {
		return err_set(err, -EIO, "the kernel gives no random numbers");
	}
	packet_form_init(&echo->form, token);
	return 0;
}

static int start(struct echo_load *echo, struct err *err)
{
	const struct workload *const workload = &echo->load->request->workload;

	fit_schedule(workload, &echo->schedule);
	echo->collect = (struct collect){ .fd = echo->socket.fd,
					  .form = &echo->form,
					  .kind = PACKET_DATA,
					  .size = fit_size(workload),
					  .own = &echo->sent,
					  .silence_ns = COLLECT_SILENCE_NS + fit_longest_pause(workload),
					  .strip = strip_echo,
					  .context = echo };
	collect_init(&echo->collect, fit_burst_gap(workload));
	const int ret = worker_start(&echo->receiver, run_collect, echo, err);

	return ret ? ret : worker_start(&echo->sender, run_pace, echo, err);
}

static void wait_until_over(struct echo_load *echo)
{
	while (!worker_is_done(&echo->sender)) {
		struct pollfd pollfd = { .fd = echo->sender.done_fd, .events = POLLIN };

		poll(&pollfd, 1, LOOK_MS);
		if (load_is_stopped(echo->load)) {
			load_spoil(echo->result, "interrupted");
			return;
		}
		if (!load_look_at_link(echo->load, echo->result)) {
			load_spoil(echo->result, "there is no interface to go on with");
			return;
		}
		if (worker_is_done(&echo->receiver)) {
			load_spoil(echo->result, echo->receiver.ret ? echo->receiver.err.text : "no answer comes");
			return;
		}
	}
}

static void stop(struct echo_load *echo)
{
	struct way *const in = &echo->result->ways[WORKLOAD_RX];
	const uint64_t *const sent = &echo->result->ways[WORKLOAD_TX].count[WAY_SENT];
	struct err err = { "" };

	atomic_store(&echo->stop, true);
	if (worker_join(&echo->sender, &err)) {
		load_spoil(echo->result, err.text);
	}
	atomic_store(&echo->collect.expected, *sent);
	atomic_store(&echo->collect.drain, true);
	if (worker_join(&echo->receiver, &err)) {
		load_spoil(echo->result, err.text);
	}
	collect_report(&echo->collect, in);
	in->has_spans &= ~(1u << WAY_ONE_WAY);
	way_put(in, WAY_UNANSWERED, *sent > in->count[WAY_RECEIVED] ? *sent - in->count[WAY_RECEIVED] : 0);
	echo->result->rtt = echo->collect.arrivals.one_way;
	echo->result->has_rtt = echo->result->rtt.count > 0;
}

int load_with_echo(const struct load *load, struct load_result *result, struct err *err)
{
	struct echo_load *const echo = calloc(1, sizeof(*echo));

	if (!echo) {
		return err_set(err, -ENOMEM, "no memory for a load");
	}
	echo->load = load;
	echo->result = result;
	echo->socket.fd = -1;
	int ret = open_socket(echo, err);

	if (ret == 0) {
		const int64_t started_at_ns = clocks_monotonic_ns();

		ret = start(echo, err);
		if (ret == 0) {
			wait_until_over(echo);
		}
		stop(echo);
		result->lasted_ns = clocks_monotonic_ns() - started_at_ns;
	}
	icmp_close(&echo->socket);
	free(echo);
	return ret;
}
