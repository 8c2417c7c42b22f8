/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * holdoff ping: round trips of ICMP echo, to any host that answers. This file reads the command line, finds host and
 * way, and sees to it that nobody is flooded by accident; the kinds of series are in files of their own.
 */
#include "cmd/ping.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/text.h"
#include "base/time.h"
#include "cmd/cmd.h"
#include "live/echo.h"
#include "nic/nic.h"

#define PAYLOAD_DEFAULT 56
#define INTERVAL_DEFAULT_NS NS_PER_S
#define TIMEOUT_DEFAULT_NS NS_PER_S
#define LEAST_DEFAULT_NS (2 * NS_PER_US)
#define FLOOR_PROBES 1000
#define POLITE_NS NS_PER_MS        /* no more than 1000 probes a second to where routers are between */
#define TRANSMIT_EVERY_AT_FLOOD 16 /* a stamp costs 0.4 us of the round trip that it is in, measured on veth */

enum {
	OPTION_INTERFACE,
	OPTION_NETNS,
	OPTION_IPV4,
	OPTION_IPV6,
	OPTION_SIZE,
	OPTION_SIZES,
	OPTION_INTERVAL,
	OPTION_INTERVALS,
	OPTION_BURST,
	OPTION_COUNT,
	OPTION_DURATION,
	OPTION_TIMEOUT,
	OPTION_FIXED,
	OPTION_FLOOD,
	OPTION_FLOOR,
	OPTION_LEAST,
	OPTION_TRANSMIT_STAMPS,
	OPTION_SEED,
	OPTION_QUIET,
	OPTION_JSON,
	OPTIONS
};

static const struct cmd_option ping_options[] = {
	[OPTION_INTERFACE] = { "interface", "DEV", "send by this interface", false },
	[OPTION_NETNS] = { "netns", "NAME|PATH", "from another network namespace (root)", false },
	[OPTION_IPV4] = { "ipv4", NULL, "IPv4 only", false },
	[OPTION_IPV6] = { "ipv6", NULL, "IPv6 only", false },
	[OPTION_SIZE] = { "size", "BYTES", "of payload (56)", false },
	[OPTION_SIZES] = { "sizes", "LOW..HIGH[:STEP]", "find at which payload round trips jump", false },
	[OPTION_INTERVAL] = { "interval", "TIME", "mean time from probe to probe (1s); 0: next on reply", false },
	[OPTION_INTERVALS] = { "intervals", "TIME,A..B", "how round trips depend on the gap before them", false },
	[OPTION_BURST] = { "burst", "N", "N echoes back to back, and how their replies lie", false },
	[OPTION_COUNT] = { "count", "N", "of probes; of bursts; of probes at each gap", false },
	[OPTION_DURATION] = { "duration", "TIME", "of sending", false },
	[OPTION_TIMEOUT] = { "timeout", "TIME", "what comes later is late, not received (1s)", false },
	[OPTION_FIXED] = { "fixed", NULL, "fixed gaps, which may keep step with a timer of the NIC", false },
	[OPTION_FLOOD] = { "flood", NULL, "more than 1000 probes/s, also beyond routers", false },
	[OPTION_FLOOR] = { "floor", NULL, "first the same on the loopback interface", false },
	[OPTION_LEAST] = { "least", "TIME", "smaller steps are of no interest (2us, and 5 %)", false },
	[OPTION_TRANSMIT_STAMPS] = { "transmit-stamps", "N", "each Nth probe asks for one (1, at -i 0: 16); 0: none",
				     false },
	[OPTION_SEED] = { "seed", "N", "of the gaps and orders that are drawn", false },
	[OPTION_QUIET] = { "quiet", NULL, "no line for each reply", false },
	[OPTION_JSON] = { "json", NULL, "one JSON document, schema " PING_SCHEMA, false },
};

/* As ping has them. */
static const char ping_letters[OPTIONS] = {
	[OPTION_INTERFACE] = 'I', [OPTION_IPV4] = '4',     [OPTION_IPV6] = '6',
	[OPTION_SIZE] = 's',      [OPTION_INTERVAL] = 'i', [OPTION_COUNT] = 'c',
	[OPTION_DURATION] = 'w',  [OPTION_TIMEOUT] = 'W',  [OPTION_QUIET] = 'q',
};

static const struct cmd_usage ping_usage = {
	.name = "ping",
	.synopsis = "[OPTIONS] HOST",
	.about = "Measures round trips of ICMP echo: their distribution, at which frame size they\n"
		 "jump (--sizes), how they depend on the gap before them (--intervals), how bursts\n"
		 "come back (--burst). Any host that answers ping will do. A round trip goes from\n"
		 "user space before send to the kernel's receive stamp, as with ping; other spans\n"
		 "are printed beside it where there are stamps for them.\n",
	.options = ping_options,
	.option_count = OPTIONS,
	.letters = ping_letters,
	.words = "addresses", /* of which there is no list: "hosts" are profiles */
};

/* ---- values ---- */

static int parse_payload(const char *text, const char *what, unsigned *bytes, struct err *err)
{
	int64_t value;
	const int ret = text_parse_i64(text, what, 0, ECHO_PAYLOAD_MAX, &value, err);

	if (ret == 0) {
		*bytes = (unsigned)value;
	}
	return ret;
}

/* Cuts the text at the separator; NULL when there is none. */
static char *cut(char *text, const char *separator)
{
	char *const at = strstr(text, separator);

	if (!at) {
		return NULL;
	}
	*at = '\0';
	return at + strlen(separator);
}

static int parse_sizes(const char *given, struct ping_command *command, struct err *err)
{
	char text[64];

	snprintf(text, sizeof(text), "%s", given);
	char *const high = cut(text, ".."), *const spacing = high ? cut(high, ":") : NULL;

	if (!high) {
		return err_set(err, -EINVAL, "--sizes takes LOW..HIGH, bytes of payload, not \"%.60s\"", given);
	}
	int ret = parse_payload(text, "--sizes", &command->low_bytes, err);

	if (ret == 0) {
		ret = parse_payload(high, "--sizes", &command->high_bytes, err);
	}
	if (ret == 0 && spacing) {
		ret = parse_payload(spacing, "the step of --sizes", &command->spacing_bytes, err);
	}
	if (ret == 0 && command->low_bytes >= command->high_bytes) {
		return err_set(err, -EINVAL, "--sizes: the second size has to be larger than the first, not \"%.60s\"",
			       given);
	}
	if (ret == 0 && spacing && !command->spacing_bytes) {
		return err_set(err, -EINVAL, "--sizes: a step of 0 bytes gets nowhere");
	}
	return ret;
}

static int add_gap(struct ping_command *command, int64_t gap_ns, struct err *err)
{
	unsigned at = command->gap_count;

	if (at == GAP_SWEEP_MAX) {
		return err_set(err, -EINVAL, "--intervals: at most %d of them", GAP_SWEEP_MAX);
	}
	/* Rising, each once. */
	while (at > 0 && command->gap_ns[at - 1] > gap_ns) {
		at--;
	}
	if (at > 0 && command->gap_ns[at - 1] == gap_ns) {
		return 0;
	}
	memmove(&command->gap_ns[at + 1], &command->gap_ns[at], (command->gap_count - at) * sizeof(command->gap_ns[0]));
	command->gap_ns[at] = gap_ns;
	command->gap_count++;
	return 0;
}

/* A..B: both, and between them 1, 2 and 5 of each power of ten. */
static int add_gaps_between(struct ping_command *command, int64_t low_ns, int64_t high_ns, struct err *err)
{
	static const int factors[] = { 1, 2, 5 };
	int ret = add_gap(command, low_ns, err);

	for (int64_t power_ns = 1; ret == 0 && power_ns < high_ns; power_ns *= 10) {
		for (unsigned i = 0; ret == 0 && i < 3; i++) {
			const int64_t gap_ns = power_ns * factors[i];

			ret = gap_ns > low_ns && gap_ns < high_ns ? add_gap(command, gap_ns, err) : 0;
		}
	}
	return ret < 0 ? ret : add_gap(command, high_ns, err);
}

static int parse_interval(const char *text, const char *what, int64_t *interval_ns, struct err *err)
{
	const int ret = text_parse_duration(text, what, interval_ns, err);

	return ret == 0 && *interval_ns > 60 * NS_PER_S
		       ? err_set(err, -ERANGE, "%s: at most 60s, not \"%.40s\"", what, text)
		       : ret;
}

static int parse_gaps(const char *given, struct ping_command *command, struct err *err)
{
	char text[512];
	int ret = 0;

	if (strlen(given) >= sizeof(text)) {
		return err_set(err, -EINVAL, "--intervals: that are too many");
	}
	snprintf(text, sizeof(text), "%s", given);
	for (char *each = text; ret == 0 && each;) {
		char *const next = cut(each, ","), *const high = cut(each, "..");
		int64_t low_ns, high_ns = 0;

		ret = parse_interval(each, "--intervals", &low_ns, err);
		if (ret == 0 && high) {
			ret = parse_interval(high, "--intervals", &high_ns, err);
		}
		if (ret == 0 && high && (low_ns == 0 || high_ns <= low_ns)) {
			ret = err_set(err, -EINVAL,
				      "--intervals: a range goes up from more than 0, not \"%.40s..%.40s\"", each,
				      high);
		}
		if (ret == 0) {
			ret = high ? add_gaps_between(command, low_ns, high_ns, err) : add_gap(command, low_ns, err);
		}
		each = next;
	}
	return ret;
}

static int parse_number(const char *text, const char *what, int64_t min, int64_t max, int64_t *value, struct err *err)
{
	return text_parse_i64(text, what, min, max, value, err);
}

static int parse_span(const char *text, const char *what, int64_t *span_ns, struct err *err)
{
	const int ret = text_parse_duration(text, what, span_ns, err);

	return ret == 0 && *span_ns == 0 ? err_set(err, -EINVAL, "%s: a time above 0", what) : ret;
}

/* ---- the command line ---- */

static int take_option(struct ping_command *command, int option, const char *value, struct err *err)
{
	int64_t number = 0;
	int ret = 0;

	switch (option) {
	case OPTION_INTERFACE:
		command->device = value;
		return 0;
	case OPTION_NETNS:
		command->netns = value;
		return 0;
	case OPTION_IPV4:
		command->family = HOST_IPV4;
		return 0;
	case OPTION_IPV6:
		command->family = HOST_IPV6;
		return 0;
	case OPTION_SIZE:
		return parse_payload(value, "--size", &command->payload_bytes, err);
	case OPTION_SIZES:
		command->mode = PING_STEPS;
		return parse_sizes(value, command, err);
	case OPTION_INTERVAL:
		return parse_interval(value, "--interval", &command->interval_ns, err);
	case OPTION_INTERVALS:
		command->mode = PING_GAPS;
		return parse_gaps(value, command, err);
	case OPTION_BURST:
		command->mode = PING_BURSTS;
		ret = parse_number(value, "--burst", 2, 1024, &number, err);
		command->burst_frames = (unsigned)number;
		return ret;
	case OPTION_COUNT:
		ret = parse_number(value, "--count", 1, INT64_MAX / 2048, &number, err);
		command->count = (uint64_t)number;
		return ret;
	case OPTION_DURATION:
		return parse_span(value, "--duration", &command->duration_ns, err);
	case OPTION_TIMEOUT:
		return parse_span(value, "--timeout", &command->timeout_ns, err);
	case OPTION_LEAST:
		return parse_span(value, "--least", &command->least_ns, err);
	case OPTION_TRANSMIT_STAMPS:
		return parse_number(value, "--transmit-stamps", 0, 1000000, &command->transmit_every, err);
	case OPTION_SEED:
		command->has_seed = true;
		return text_parse_u64(value, "--seed", &command->seed, err);
	case OPTION_FIXED:
		command->is_fixed = true;
		return 0;
	case OPTION_FLOOD:
		command->is_flood = true;
		return 0;
	case OPTION_FLOOR:
		command->wants_floor = true;
		return 0;
	case OPTION_QUIET:
		command->is_quiet = true;
		return 0;
	case OPTION_JSON:
		command->is_json = true;
		return 0;
	default:
		return err_set(err, -EINVAL, "an option that is not known");
	}
}

/* Options that only make sense without each other. */
static const char *find_contradiction(const struct cmd_arguments *arguments, const struct ping_command *command)
{
	const uint64_t seen = arguments->seen;
	const bool has_sizes = seen >> OPTION_SIZES & 1, has_gaps = seen >> OPTION_INTERVALS & 1,
		   has_burst = seen >> OPTION_BURST & 1;

	if (has_sizes + has_gaps + has_burst > 1) {
		return "--sizes, --intervals and --burst are three kinds of measurement: one at a time";
	}
	if (has_sizes && seen >> OPTION_SIZE & 1) {
		return "--sizes has the sizes: --size beside it is too much";
	}
	if (has_gaps && seen >> OPTION_INTERVAL & 1) {
		return "--intervals has the gaps: --interval beside it is too much";
	}
	if (seen >> OPTION_IPV4 & 1 && seen >> OPTION_IPV6 & 1) {
		return "-4 and -6 together leave no address";
	}
	if (has_burst && command->interval_ns == 0) {
		return "--burst needs a time from burst to burst: --interval above 0";
	}
	if (has_gaps && command->gap_count < 2) {
		return "--intervals takes several gaps, as in 0,10us..100ms";
	}
	return NULL;
}

/* -1 when all is well, else the exit status. */
static int take(struct ping_command *command, struct cmd_arguments *arguments)
{
	const char *value;
	int option;

	while ((option = cmd_next(arguments, &value)) != CMD_END) {
		struct err err = { "" };

		if (option == CMD_STOP) {
			return arguments->status;
		}
		if (option == CMD_WORD && command->name) {
			return cmd_usage_error(&ping_usage, "one host at a time, not also \"%s\"", value);
		}
		if (option == CMD_WORD) {
			command->name = value;
		} else if (take_option(command, option, value, &err) < 0) {
			return cmd_usage_error(&ping_usage, "%s", err.text);
		}
	}
	if (!command->name) {
		return cmd_usage_error(&ping_usage, "which host?");
	}
	const char *const contradiction = find_contradiction(arguments, command);

	return contradiction ? cmd_usage_error(&ping_usage, "%s", contradiction) : -1;
}

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
	struct cmd_arguments arguments;
	struct ping_command *const command = calloc(1, sizeof(*command));

	if (!command) {
		return cmd_fail(-ENOMEM, &(struct err){ "no memory for a measurement" });
	}
	command->payload_bytes = PAYLOAD_DEFAULT;
	command->interval_ns = command->transmit_every = -1;
	command->timeout_ns = TIMEOUT_DEFAULT_NS;
	command->least_ns = LEAST_DEFAULT_NS;
	command->stop_fd = -1;
	cmd_arguments_init(&arguments, &ping_usage, argc, argv);
	int status = take(command, &arguments);

	if (status < 0) {
		status = run(command);
	}
	if (command->stop_fd >= 0) {
		close(command->stop_fd);
	}
	free(command);
	return status;
}
