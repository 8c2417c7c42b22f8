/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * holdoff ping: round trips of ICMP echo, to any host that answers. This file finds host and way, and sees to it
 * that nobody is flooded by accident; the kinds of series are in files of their own.
 */
#include "cmd/ping.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/time.h"
#include "cmd/cmd.h"
#include "live/echo.h"
#include "nic/nic.h"

#define INTERVAL_DEFAULT_NS NS_PER_S
#define FLOOR_PROBES 1000
#define POLITE_NS NS_PER_MS        /* no more than 1000 probes a second to where routers are between */
#define TRANSMIT_EVERY_AT_FLOOD 16 /* a stamp costs 0.4 us of the round trip that it is in, measured on veth */

/* ---- host and way ---- */

static int find_interface(struct ping_command *command, struct err *err)
{
	struct nic nic;

	if (!command->device) {
		return 0;
	}
	const int ret = nic_open(&nic, command->device, err);

	if (ret == 0) {
		command->ifindex = nic.ifindex;
		nic_close(&nic);
	}
	return ret;
}

static int check_size(const struct ping_command *command, struct err *err)
{
	const unsigned payload_bytes = command->mode == PING_STEPS ? command->high_bytes : command->payload_bytes;
	const unsigned mtu = command->route.mtu,
		       most = mtu ? echo_largest_payload(command->host.is_ipv6, mtu) : ECHO_PAYLOAD_MAX;

	return payload_bytes > most ? err_set(err, -EINVAL,
					      "a payload of %u bytes is too large: the MTU of %u on the way to %s "
					      "takes %u, and probes are not fragmented",
					      payload_bytes, mtu, command->host.text, most)
				    : 0;
}

int64_t ping_default_interval(const struct ping_command *command)
{
	const bool is_near = route_is_on_link(&command->route);
	const int64_t burst_ns = time_max(100 * NS_PER_MS, command->burst_frames * POLITE_NS);

	if (command->interval_ns >= 0) {
		return command->interval_ns;
	}
	return command->mode == PING_STEPS    ? (is_near ? NS_PER_MS / 2 : POLITE_NS)
	       : command->mode == PING_BURSTS ? burst_ns
					      : INTERVAL_DEFAULT_NS;
}

/* The shortest mean time from probe to probe. */
static int64_t shortest_interval(const struct ping_command *command)
{
	switch (command->mode) {
	case PING_GAPS:
		return command->gap_ns[0];
	case PING_BURSTS:
		return ping_default_interval(command) / command->burst_frames;
	default:
		return ping_default_interval(command);
	}
}

static int check_rate(const struct ping_command *command, struct err *err)
{
	if (command->is_flood || route_is_on_link(&command->route) || shortest_interval(command) >= POLITE_NS) {
		return 0;
	}
	return err_set(err, -EINVAL, "%s is %s: more than 1000 probes a second to it have to be meant, --flood says so",
		       command->host.text,
		       command->route.has_gateway ? "behind a router" : "not on an Ethernet of this host");
}

static int find_way(struct ping_command *command, struct err *err)
{
	int ret = find_interface(command, err);

	if (ret == 0) {
		ret = host_find(command->name, command->family, command->ifindex, &command->host, err);
	}
	if (ret == 0) {
		ret = route_find(&command->host, command->ifindex, &command->route, err);
	}
	if (ret == 0) {
		ret = check_size(command, err);
	}
	return ret < 0 ? ret : check_rate(command, err);
}

struct ping_request ping_base_request(const struct ping_command *command)
{
	const int64_t interval_ns = ping_default_interval(command);
	const bool is_flood = command->mode == PING_SERIES && interval_ns == 0;

	return (struct ping_request){
		.host = command->host,
		.ifindex = command->ifindex,
		.payload_bytes = command->payload_bytes,
		.interval_ns = interval_ns,
		.is_fixed = command->is_fixed,
		.count = command->count,
		.duration_ns = command->duration_ns,
		.timeout_ns = command->timeout_ns,
		.transmit_every = command->transmit_every >= 0   ? (unsigned)command->transmit_every
				  : is_flood                     ? TRANSMIT_EVERY_AT_FLOOD
				  : command->mode == PING_SERIES ? 1
								 : 0,
		.seed = command->seed,
		.stop_fd = command->stop_fd,
	};
}

/* Whoever may not is told before anything is printed. */
static int check_socket(const struct ping_command *command, struct err *err)
{
	const struct ping_request request = ping_base_request(command);
	struct ping *ping;
	const int ret = ping_open(&ping, &request, err);

	ping_close(ping);
	return ret;
}

int ping_status(const struct ping_result *result, int status)
{
	const bool is_refused = result->troubles.count && result->troubles.trouble[0].origin == TROUBLE_SENDING &&
				result->troubles.trouble[0].error == EPERM;

	if (result->counts.received == 0) {
		return result->counts.sent == 0 && is_refused ? CMD_PERMISSION : CMD_NEGATIVE;
	}
	for (unsigned i = 0; i < result->event_count; i++) {
		if (result->events[i].change != LINK_RENAMED) {
			return CMD_INSUFFICIENT;
		}
	}
	return result->overrun ? CMD_INSUFFICIENT : status;
}

/* ---- the floor ---- */

/* The same code, to this host itself, one probe after the other. */
static int measure_floor(struct ping_command *command, struct err *err)
{
	struct ping_request request = ping_base_request(command);
	const char *const loopback = command->family == HOST_IPV6 ? "::1" : "127.0.0.1";
	int ret = host_find(loopback, HOST_ANY, 0, &request.host, err);

	request.ifindex = 0;
	request.interval_ns = 0;
	request.count = FLOOR_PROBES;
	request.duration_ns = 0;
	request.transmit_every = TRANSMIT_EVERY_AT_FLOOD;
	if (ret == 0) {
		ret = ping_measure(&request, &command->floor, err);
	}
	command->has_floor = ret == 0 && command->floor.counts.received > 0;
	if (ret == 0 && !command->has_floor) {
		ret = err_set(err, -ENETDOWN, "nothing comes back: is lo up?");
	}
	return ret < 0 ? err_prefix(err, ret, "no floor from the loopback interface") : 0;
}

/* ---- all of it ---- */

static int open_stop(int *stop_fd, struct err *err)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	*stop_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	return *stop_fd < 0 ? err_set(err, -errno, "no descriptor for signals: %s", strerror(errno)) : 0;
}

static int prepare(struct ping_command *command, struct err *err)
{
	int ret = 0;

	if (!command->has_seed && getrandom(&command->seed, sizeof(command->seed), 0) < 0) {
		return err_set(err, -errno, "no random number: %s", strerror(errno));
	}
	/* Of this host, before another namespace is entered, whose loopback interface is often down. */
	if (command->wants_floor) {
		ret = measure_floor(command, err);
	}
	if (ret == 0 && command->netns) {
		ret = nic_enter_netns(command->netns, err);
	}
	if (ret == 0) {
		ret = find_way(command, err);
	}
	if (ret == 0) {
		ret = check_socket(command, err);
	}
	return ret < 0 ? ret : open_stop(&command->stop_fd, err);
}

static int run(struct ping_command *command)
{
	static int (*const runs[])(struct ping_command *) = {
		[PING_SERIES] = ping_run_series,
		[PING_STEPS] = ping_run_steps,
		[PING_GAPS] = ping_run_gaps,
		[PING_BURSTS] = ping_run_bursts,
	};
	struct err err = { "" };
	const int ret = prepare(command, &err);

	return ret < 0 ? cmd_fail(ret, &err) : runs[command->mode](command);
}

int cmd_ping(int argc, char **argv)
{
	struct ping_command *const command = calloc(1, sizeof(*command));

	if (!command) {
		return cmd_fail(-ENOMEM, &(struct err){ "no memory for a measurement" });
	}
	int status = ping_take_arguments(command, argc, argv);

	if (status < 0) {
		status = run(command);
	}
	if (command->stop_fd >= 0) {
		close(command->stop_fd);
	}
	free(command);
	return status;
}
