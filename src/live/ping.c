/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Theory of operation. A turn of the loop sends what is due, takes what has come, and waits in ppoll for whichever is
 * first: a reply, the next probe, the end of a probe's time, news of the interface, the descriptor that stops it. On a
 * fast path (veth, loopback) the reply is there when the sending call returns, and ppoll is only called now and then.
 * What became of a probe is for live/tally.h to say, what a message is for live/echo.h; both know no clock and no socket.
 *
 * Both clocks are read right before the sending call and right behind the receiving one, and nothing else is done
 * between: four readings a round trip (some 100 ns), none of which is part of what is measured but the first.
 */
#include "live/ping.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>

#include "base/time.h"
#include "live/ping_private.h"

#define REPLY_WAIT_NS (10 * NS_PER_MS) /* for a reply at interval 0, as ping -f */
#define CATCH_UP_NS (1 * NS_PER_MS)    /* who is later than this does not catch up with the schedule */
#define LOOK_EVERY_NS (5 * NS_PER_MS)  /* at the other descriptors, while replies keep coming */
#define AGAIN_NS (100 * NS_PER_US)     /* after there was no room for sending */
#define ERROR_PACE_NS (10 * NS_PER_MS) /* no faster while sending fails */

/* ---- opening ---- */

static int open_socket(struct ping *ping, struct err *err)
{
	const struct ping_request *const request = &ping->request;
	struct route route;
	uint64_t token;
	int ret = route_find(&request->host, request->ifindex, &route, err);

	if (ret < 0) {
		return ret;
	}
	if (getrandom(&token, sizeof(token), 0) < 0) {
		return err_set(err, -errno, "no random number: %s", strerror(errno));
	}
	ret = icmp_open(&ping->icmp, &request->host, request->ifindex, err);
	if (ret < 0) {
		return ret;
	}
	echo_init(&ping->echo, request->host.is_ipv6, ping->icmp.identifier, token);
	/* Without it nothing is missing but the story of the interface. */
	if (!route.is_local) {
		link_watch_open(&ping->watch, route.ifindex, NULL);
	}
	ping->result.device = ping->watch.told;
	return 0;
}

int ping_open(struct ping **out, const struct ping_request *request, struct err *err)
{
	struct ping *const ping = calloc(1, sizeof(*ping));

	*out = NULL;
	if (!ping) {
		return err_set(err, -ENOMEM, "no memory for a series of probes");
	}
	ping->request = *request;
	ping->watch.fd = -1;
	ping->icmp.fd = -1;
	random_init(&ping->random, request->seed, 0);
	tally_init(&ping->tally, request->timeout_ns);
	for (enum ping_span span = 0; span < PING_SPANS; span++) {
		histogram_init(&ping->result.rtt[span]);
	}
	const int ret = open_socket(ping, err);

	if (ret < 0) {
		ping_close(ping);
		return ret;
	}
	ping->result.is_raw = ping->icmp.is_raw;
	ping->result.has_stamps = ping->icmp.has_stamps;
	ping->result.no_stamps = ping->icmp.no_stamps;
	ping->opened_at_ns = clocks_monotonic_ns();
	*out = ping;
	return 0;
}

void ping_close(struct ping *ping)
{
	if (ping) {
		icmp_close(&ping->icmp);
		link_watch_close(&ping->watch);
		free(ping);
	}
}

/* ---- the schedule ---- */

static int64_t draw_gap(struct ping *ping)
{
	const int64_t interval_ns = ping->request.interval_ns;

	if (ping->request.is_fixed || interval_ns == 0) {
		return interval_ns;
	}
	return interval_ns / 2 + (int64_t)random_below(&ping->random, (uint64_t)interval_ns + 1);
}

static void draw_next(struct ping *ping)
{
	const struct ping_request *const request = &ping->request;

	ping->is_drawn = true;
	ping->has_next = !request->count || ping->attempts < request->count;
	if (!ping->has_next) {
		return;
	}
	if (request->next) {
		ping->has_next = request->next(request->context, &ping->next);
		return;
	}
	ping->next = (struct ping_probe){
		.payload_bytes = request->payload_bytes,
		.gap_ns = draw_gap(ping),
		.is_after_reply = request->interval_ns == 0,
	};
}

static bool is_last_answered(struct ping *ping)
{
	const struct tally_probe *const probe = tally_find(&ping->tally, ping->last_sequence);

	return !probe || probe->state != TALLY_WAITING;
}

/* After a probe was sent, or was not. */
static void go_on(struct ping *ping)
{
	if (ping->request.is_closed) {
		ping->is_drawn = false;
	} else {
		draw_next(ping);
	}
}

/* When the next probe is to be sent, or is to be drawn; NEVER_AT_NS when there is none. */
static int64_t due(struct ping *ping, int64_t now_at_ns)
{
	int64_t at_ns;

	if (!ping->is_drawn) {
		if (!is_last_answered(ping) && now_at_ns < ping->last_sent_at_ns + REPLY_WAIT_NS) {
			return ping->last_sent_at_ns + REPLY_WAIT_NS;
		}
		draw_next(ping);
	}
	if (!ping->has_next || !tally_has_room(&ping->tally)) {
		return NEVER_AT_NS;
	}
	if (ping->attempts == 0) {
		at_ns = ping->began_at_ns;
	} else if (!ping->next.is_after_reply) {
		at_ns = ping->base_at_ns + ping->next.gap_ns;
	} else if (is_last_answered(ping)) {
		at_ns = time_max(ping->last_reply_at_ns, ping->last_sent_at_ns) + ping->next.gap_ns;
	} else {
		at_ns = ping->last_sent_at_ns + REPLY_WAIT_NS + ping->next.gap_ns;
	}
	return time_max(at_ns, ping->retry_at_ns);
}

/* ---- sending ---- */

static int complain_size(const struct ping *ping, struct err *err)
{
	const bool is_ipv6 = ping->request.host.is_ipv6;
	struct route route;

	if (route_find(&ping->request.host, ping->request.ifindex, &route, err) < 0 || !route.mtu) {
		return err_set(err, -EMSGSIZE, "a payload of %u bytes is too large for the way to %s",
			       ping->next.payload_bytes, ping->request.host.text);
	}
	return err_set(err, -EMSGSIZE,
		       "a payload of %u bytes is too large: the MTU of %u on the way to %s takes %u, and probes are "
		       "not fragmented",
		       ping->next.payload_bytes, route.mtu, ping->request.host.text,
		       echo_largest_payload(is_ipv6, route.mtu));
}

/* After the kernel refused: what it means, and when to go on. 0 to go on. */
static int take_refusal(struct ping *ping, int error, int64_t now_at_ns, struct err *err)
{
	if (error == EAGAIN || error == ENOBUFS || error == ENOMEM || error == EINTR) {
		ping->result.no_buffer += error != EINTR;
		ping->retry_at_ns = now_at_ns + AGAIN_NS;
		return 0;
	}
	if (error == EMSGSIZE) {
		return complain_size(ping, err);
	}
	ping_add_trouble(ping, TROUBLE_SENDING, error);
	ping->result.unsent++;
	ping->attempts++;
	ping->base_at_ns = now_at_ns;
	ping->retry_at_ns = now_at_ns + ERROR_PACE_NS;
	go_on(ping);
	return 0;
}

static bool wants_transmit_stamp(const struct ping *ping)
{
	const unsigned every = ping->request.transmit_every;

	return every && ping->icmp.has_stamps && ping->icmp.stamps.is_numbered && ping->tally.last % every == 0;
}

static void note_sent(struct ping *ping, const struct clocks *sent, int64_t due_at_ns)
{
	const struct tally_probe *const probe =
		tally_send(&ping->tally, sent->monotonic_at_ns, ping->next.payload_bytes);

	ping->times[probe->sequence % TALLY_PROBES] = (struct times){
		.sent = *sent,
		.sequence = probe->sequence,
		.quiet_ns = sent->monotonic_at_ns - time_max(ping->last_reply_at_ns, ping->last_sent_at_ns),
	};
	ping->last_sequence = probe->sequence;
	ping->last_sent_at_ns = sent->monotonic_at_ns;
	ping->base_at_ns = sent->monotonic_at_ns - due_at_ns < CATCH_UP_NS ? due_at_ns : sent->monotonic_at_ns;
	ping->attempts++;
}

/* The clock is read last before the call, and nothing is done between. */
static int send_probe(struct ping *ping, int64_t due_at_ns, struct err *err)
{
	const uint64_t sequence = ping->tally.last + 1;
	const size_t bytes = echo_request(&ping->echo, sequence, ping->next.payload_bytes);
	const bool wants_stamp = wants_transmit_stamp(ping);
	uint32_t stamp_id = 0;
	const struct clocks sent = clocks_read(ping->offset_ns);
	const int ret = icmp_send(&ping->icmp, ping->echo.packet, bytes, wants_stamp ? &stamp_id : NULL);

	ping->offset_ns = clocks_offset_ns(&sent);
	if (ret < 0) {
		/* It may be the error of an earlier packet, which is told here once. */
		if (ping_take_reports(ping) && ret != -EMSGSIZE) {
			return 0;
		}
		return take_refusal(ping, -ret, sent.monotonic_at_ns, err);
	}
	if (wants_stamp) {
		ping->stamp_sequence[stamp_id % PING_STAMP_IDS] = sequence;
	}
	note_sent(ping, &sent, due_at_ns);
	go_on(ping);
	return 0;
}

/* ---- the loop ---- */

static void take_events(struct ping *ping, int64_t now_at_ns)
{
	struct ping_result *const result = &ping->result;
	struct ping_event event = { .at_ns = now_at_ns - ping->began_at_ns };

	while (link_watch_next(&ping->watch, &event.change, event.name)) {
		if (result->event_count < PING_EVENTS_MAX) {
			result->events[result->event_count++] = event;
		} else {
			result->other_events++;
		}
	}
	result->device = ping->watch.told;
}

/* Waits until something comes or wait_ns are over; looks at the other descriptors too. */
static int wait(struct ping *ping, int64_t wait_ns, struct err *err)
{
	struct pollfd fds[] = {
		{ .fd = ping->icmp.fd, .events = POLLIN },
		{ .fd = ping->watch.fd, .events = POLLIN },
		{ .fd = ping->request.stop_fd, .events = POLLIN },
	};
	const struct timespec timeout = { (time_t)(wait_ns / NS_PER_S), (long)(wait_ns % NS_PER_S) };
	const int ready = ppoll(fds, sizeof(fds) / sizeof(fds[0]), &timeout, NULL);

	if (ready < 0 && errno != EINTR) {
		return err_set(err, -errno, "waiting for replies: %s", strerror(errno));
	}
	const int64_t now_at_ns = clocks_monotonic_ns();

	ping->looked_at_ns = now_at_ns;
	if (ready > 0 && fds[0].revents & POLLERR) {
		ping_take_reports(ping);
	}
	if (ready > 0 && fds[1].revents) {
		take_events(ping, now_at_ns);
	}
	if (ready > 0 && fds[2].revents) {
		ping->is_stopped = true;
	}
	return 0;
}

/* Whether the series is over, and why. */
static bool is_over(struct ping *ping, int64_t now_at_ns)
{
	struct ping_result *const result = &ping->result;
	const int64_t duration_ns = ping->request.duration_ns;

	if (ping->is_stopped || ping->watch.told.is_gone) {
		result->end = ping->is_stopped ? PING_ENDED_BY_STOP : PING_ENDED_BY_INTERFACE;
		return true;
	}
	if (duration_ns && ping->has_next && now_at_ns - ping->began_at_ns >= duration_ns) {
		ping->has_next = false;
		result->end = PING_ENDED_BY_DURATION;
	}
	return !ping->has_next && tally_waiting(&ping->tally) == 0;
}

static int64_t next_deadline(struct ping *ping, int64_t now_at_ns)
{
	const int64_t duration_ns = ping->request.duration_ns;
	const int64_t end_at_ns = duration_ns && ping->has_next ? ping->began_at_ns + duration_ns : NEVER_AT_NS;
	const int64_t lost_at_ns = tally_deadline(&ping->tally);

	/* Lost it is a ns later. */
	return time_min(time_min(due(ping, now_at_ns), end_at_ns),
			lost_at_ns < NEVER_AT_NS ? lost_at_ns + 1 : NEVER_AT_NS);
}

/* Probes that are due go first: they may be meant to leave back to back. */
static int send_due(struct ping *ping, int64_t now_at_ns, struct err *err)
{
	int ret = 0;

	for (unsigned i = 0; ret == 0 && i < PING_IN_A_ROW && due(ping, now_at_ns) <= now_at_ns; i++) {
		ret = send_probe(ping, due(ping, now_at_ns), err);
	}
	return ret;
}

/* Something is done, or waited for. */
static int turn(struct ping *ping, int64_t now_at_ns, struct err *err)
{
	const int ret = send_due(ping, now_at_ns, err);

	if (ret < 0) {
		return ret;
	}
	const bool has_replies = ping_take_replies(ping);

	if (has_replies && now_at_ns - ping->looked_at_ns < LOOK_EVERY_NS) {
		return 0;
	}
	const int64_t deadline_at_ns = next_deadline(ping, now_at_ns);
	const int64_t wait_ns = deadline_at_ns == NEVER_AT_NS ? NS_PER_S : deadline_at_ns - clocks_monotonic_ns();

	return wait(ping, has_replies || wait_ns < 0 ? 0 : wait_ns, err);
}

int ping_run(struct ping *ping, struct err *err)
{
	const int slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
	int ret = 0;

	ping->began_at_ns = ping->looked_at_ns = clocks_monotonic_ns();
	ping->last_sent_at_ns = time_max(ping->last_sent_at_ns, ping->opened_at_ns);
	ping->attempts = 0;
	ping->retry_at_ns = 0;
	ping->is_stopped = false;
	ping->result.end = PING_ENDED_BY_COUNT;
	draw_next(ping);
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	for (int64_t now_at_ns = ping->began_at_ns; ret == 0; now_at_ns = clocks_monotonic_ns()) {
		/* Before the look at whether it is over: after the last probe was lost there is nothing to wait for. */
		tally_expire(&ping->tally, now_at_ns);
		if (is_over(ping, now_at_ns)) {
			break;
		}
		ret = turn(ping, now_at_ns, err);
	}
	if (slack > 0) {
		prctl(PR_SET_TIMERSLACK, slack, 0, 0, 0);
	}
	ping_take_reports(ping);
	take_events(ping, clocks_monotonic_ns());
	ping->result.elapsed_ns += clocks_monotonic_ns() - ping->began_at_ns;
	ping->result.counts = ping->tally.counts;
	ping->result.waiting = tally_waiting(&ping->tally);
	return ret;
}

const struct ping_result *ping_result(const struct ping *ping)
{
	return &ping->result;
}

int ping_measure(const struct ping_request *request, struct ping_result *result, struct err *err)
{
	struct ping *ping;
	int ret = ping_open(&ping, request, err);

	if (ret < 0) {
		return ret;
	}
	ret = ping_run(ping, err);
	*result = ping->result;
	ping_close(ping);
	return ret;
}
