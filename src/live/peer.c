/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/peer.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "live/clock.h"
#include "live/clocks.h"
#include "live/fit.h"
#include "live/peer_private.h"
#include "live/protocol.h"
#include "live/way_messages.h"

#define LOOK_MS 20

/* A load that is told to end by nobody ends so long after its time. */
#define OVERDUE_NS (15 * NS_PER_S)

enum state { STATE_GREETED, STATE_IDLE, STATE_OPEN, STATE_RUNNING };

struct peer {
	int in, out;
	enum state state;
	struct protocol_lines lines;
	struct clock_identity clock;
	bool shares_clock;
	struct peer_traffic *traffic;
	const struct peer_setter *setter; /* or NULL */
	int64_t overdue_at_ns;
	bool has_said_end;
};

/* ---- saying ---- */

static int put(void *context, const struct protocol_message *message)
{
	const struct peer *const peer = context;
	char line[PROTOCOL_LINE_MAX];
	const size_t length = strlen(protocol_print(message, line));

	for (size_t done = 0; done < length;) {
		const ssize_t written = write(peer->out, line + done, length - done);

		if (written < 0 && errno != EINTR) {
			return -errno;
		}
		done += written > 0 ? (size_t)written : 0;
	}
	return 0;
}

static int say(const struct peer *peer, enum protocol_kind kind)
{
	struct protocol_message message;

	protocol_init(&message, kind);
	return put((void *)(uintptr_t)peer, &message);
}

static int complain(const struct peer *peer, const char *text)
{
	struct protocol_message message;

	protocol_init(&message, PROTOCOL_ERROR);
	protocol_put_text(&message, PROTOCOL_TEXT, text);
	return put((void *)(uintptr_t)peer, &message);
}

static int greet(struct peer *peer, const char *program_version)
{
	struct protocol_message message;

	clock_identify(&peer->clock);
	protocol_init(&message, PROTOCOL_HELLO);
	protocol_put(&message, PROTOCOL_PROTOCOL, PROTOCOL_VERSION);
	protocol_put_text(&message, PROTOCOL_PROGRAM, program_version);
	if (peer->clock.boot[0]) {
		protocol_put_text(&message, PROTOCOL_BOOT, peer->clock.boot);
		protocol_put(&message, PROTOCOL_TIME_NAMESPACE, peer->clock.time_namespace);
	}
	/* A greeting of the shell may have left its line open. */
	const ssize_t written = write(peer->out, "\n", 1);

	return written < 0 ? -errno : put(peer, &message);
}

/* ---- what is asked for ---- */

static void take_hello(struct peer *peer, const struct protocol_message *message)
{
	struct clock_identity theirs = { .boot = "" };

	if (protocol_has(message, PROTOCOL_BOOT)) {
		snprintf(theirs.boot, sizeof(theirs.boot), "%.39s", protocol_word(message, PROTOCOL_BOOT));
		theirs.time_namespace = message->number[PROTOCOL_TIME_NAMESPACE];
	}
	peer->shares_clock = clock_is_same(&peer->clock, &theirs);
	peer->state = STATE_IDLE;
}

static int tell_time(const struct peer *peer)
{
	struct protocol_message message;

	protocol_init(&message, PROTOCOL_CLOCK);
	protocol_put(&message, PROTOCOL_AT_NS, (uint64_t)clocks_monotonic_ns());
	return put((void *)(uintptr_t)peer, &message);
}

static int read_order(const struct peer *peer, const struct protocol_message *message, struct peer_order *order,
		      struct err *err)
{
	*order = (struct peer_order){ .both = message->number[PROTOCOL_BOTH],
				      .seed = message->number[PROTOCOL_SEED],
				      .duration_ns = (int64_t)message->number[PROTOCOL_DURATION_NS],
				      .their_token = message->number[PROTOCOL_TOKEN],
				      .shares_clock = peer->shares_clock };
	int ret = workload_parse(&order->workload, message->text, err);

	if (ret == 0) {
		ret = fit_check(&order->workload, order->both, FIT_PEER, err);
	}
	if (ret == 0) {
		ret = address_parse(protocol_word(message, PROTOCOL_ADDRESS), &order->address, err);
	}
	if (ret == 0) {
		ret = address_parse(protocol_word(message, PROTOCOL_SOURCE), &order->source, err);
	}
	if (ret == 0 && order->source.any.sa_family != order->address.any.sa_family) {
		ret = err_set(err, -EINVAL, "one end's address is IPv4 and the other's IPv6");
	}
	if (ret == 0 && (order->duration_ns <= 0 || order->duration_ns > 86400 * NS_PER_S)) {
		ret = err_set(err, -ERANGE, "a load takes more than 0 and at most a day");
	}
	return ret;
}

static int open_traffic(struct peer *peer, const struct protocol_message *message)
{
	struct protocol_message reply;
	struct peer_order order;
	struct address bound;
	struct err err = { "" };
	char text[ADDRESS_TEXT_MAX];
	int ret = read_order(peer, message, &order, &err);

	if (ret) {
		return complain(peer, err.text);
	}
	ret = peer_traffic_open(peer->traffic, &order, &bound, &err);
	if (ret) {
		peer_traffic_stop(peer->traffic, true, 0);
		return complain(peer, err.text);
	}
	peer->state = STATE_OPEN;
	peer->overdue_at_ns = clocks_monotonic_ns() + order.duration_ns + OVERDUE_NS;
	peer->has_said_end = false;
	protocol_init(&reply, PROTOCOL_OPENED);
	protocol_put(&reply, PROTOCOL_TOKEN, peer->traffic->form.token);
	protocol_put_text(&reply, PROTOCOL_ADDRESS, address_print(&bound, text));
	protocol_put(&reply, PROTOCOL_PORT, address_port(&bound));
	return put(peer, &reply);
}

static int set(const struct peer *peer, const struct protocol_message *message)
{
	const char *const words = protocol_has(message, PROTOCOL_TEXT) ? message->text : "";
	struct coalesce reported = { 0 };
	struct protocol_message reply;
	struct err err = { "" };
	char device[16] = "", text[COALESCE_TEXT_MAX];
	const int ret = peer->setter ? peer->setter->set(protocol_word(message, PROTOCOL_ADDRESS), words, device,
							 &reported, &err)
				     : err_set(&err, -EOPNOTSUPP, "this peer sets nothing");

	if (ret) {
		return complain(peer, err.text);
	}
	protocol_init(&reply, PROTOCOL_SETTING);
	protocol_put_text(&reply, PROTOCOL_NAME, device);
	if (reported.present) {
		protocol_put_text(&reply, PROTOCOL_TEXT, coalesce_print(&reported, text));
	}
	return put((void *)(uintptr_t)peer, &reply);
}

static int report(struct peer *peer)
{
	int ret = 0;

	for (unsigned way = 0; ret == 0 && way < 2; way++) {
		ret = way_messages_put(&peer->traffic->ways[way], way, put, peer);
	}
	return ret ? ret : say(peer, PROTOCOL_DONE);
}

static void stop_traffic(struct peer *peer, bool at_once, uint64_t sent)
{
	if (peer->state == STATE_OPEN || peer->state == STATE_RUNNING) {
		peer_traffic_stop(peer->traffic, at_once, sent);
		peer->state = STATE_IDLE;
	}
}

/* What each state takes; all else is refused and ends the session. */
static int obey(struct peer *peer, const struct protocol_message *message, struct err *err)
{
	const enum state state = peer->state;

	if (message->kind == PROTOCOL_HELLO && state == STATE_GREETED) {
		take_hello(peer, message);
		return 0;
	}
	if (message->kind == PROTOCOL_CLOCK && state == STATE_IDLE) {
		return tell_time(peer);
	}
	if (message->kind == PROTOCOL_OPEN && state == STATE_IDLE) {
		return open_traffic(peer, message);
	}
	if (message->kind == PROTOCOL_SET && state == STATE_IDLE) {
		return set(peer, message);
	}
	if (message->kind == PROTOCOL_START && state == STATE_OPEN) {
		peer->state = STATE_RUNNING;
		peer_traffic_start(peer->traffic);
		return say(peer, PROTOCOL_STARTED);
	}
	if (message->kind == PROTOCOL_STOP && (state == STATE_OPEN || state == STATE_RUNNING)) {
		stop_traffic(peer, false,
			     protocol_has(message, PROTOCOL_SENT) ? message->number[PROTOCOL_SENT] : UINT64_MAX);
		return report(peer);
	}
	return err_set(err, -EPROTO, "\"%s\" makes no sense now", protocol_kind_name(message->kind));
}

/* ---- the session ---- */

/* 1 at the end of the input. */
static int read_input(struct peer *peer, struct err *err)
{
	size_t room;
	char *const place = protocol_lines_room(&peer->lines, &room);
	const ssize_t got = read(peer->in, place, room);
	char line[PROTOCOL_LINE_MAX];
	bool was_too_long;
	int ret = 0;

	if (got <= 0) {
		return got == 0 || errno != EINTR;
	}
	protocol_lines_added(&peer->lines, (size_t)got);
	while (ret == 0 && protocol_lines_next(&peer->lines, line, &was_too_long)) {
		struct protocol_message message;

		ret = was_too_long ? err_set(err, -EPROTO, "a line that long is no message")
				   : protocol_parse(&message, line, err);
		if (ret == 0) {
			ret = obey(peer, &message, err);
		}
	}
	return ret;
}

/* Says once that this end's part is over, and why if that was too early. */
static int look_at_traffic(struct peer *peer)
{
	struct protocol_message message;
	struct err err = { "" };
	int ended = 0;

	if (peer->state == STATE_OPEN || peer->state == STATE_RUNNING) {
		ended = peer_traffic_has_ended(peer->traffic, &err);
		if (clocks_monotonic_ns() > peer->overdue_at_ns) {
			stop_traffic(peer, true, 0);
			return err_set(&err, -ETIMEDOUT, "overdue");
		}
	}
	if (!ended || peer->has_said_end) {
		return 0;
	}
	peer->has_said_end = true;
	protocol_init(&message, PROTOCOL_ENDED);
	if (ended < 0) {
		protocol_put_text(&message, PROTOCOL_TEXT, err.text);
	}
	return put(peer, &message);
}

static int serve(struct peer *peer, struct err *err)
{
	int ret = 0;

	while (ret == 0) {
		struct pollfd pollfd = { .fd = peer->in, .events = POLLIN };
		const bool is_quiet = peer->state == STATE_GREETED || peer->state == STATE_IDLE;

		if (poll(&pollfd, 1, is_quiet ? -1 : LOOK_MS) > 0) {
			ret = read_input(peer, err);
		}
		if (ret == 0) {
			ret = look_at_traffic(peer);
		}
	}
	return ret;
}

int peer_serve(int in, int out, const char *program_version, const struct peer_setter *setter, struct err *err)
{
	struct peer *const peer = calloc(1, sizeof(*peer));
	struct peer_traffic *const traffic = calloc(1, sizeof(*traffic));
	int ret = -ENOMEM;

	if (peer && traffic) {
		*peer = (struct peer){ .in = in, .out = out, .traffic = traffic, .setter = setter };
		ret = greet(peer, program_version);
		ret = ret ? ret : serve(peer, err);
		stop_traffic(peer, true, 0);
		if (ret < 0 && err->text[0]) {
			complain(peer, err->text);
		}
	}
	free(traffic);
	free(peer);
	return ret < 0 ? ret : 0;
}
