/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of holdoff ping: its options, and what they make of a measurement. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "cmd/cmd.h"
#include "cmd/ping.h"
#include "live/burst.h"
#include "live/echo.h"

#define PAYLOAD_DEFAULT 56
#define TIMEOUT_DEFAULT_NS NS_PER_S
#define LEAST_DEFAULT_NS (2 * NS_PER_US)

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

	return ret == 0 && *span_ns == 0 ? err_set(err, -EINVAL, "%s: 0 is out of range, expected more than 0", what)
					 : ret;
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
		ret = parse_number(value, "--burst", 2, BURST_MAX, &number, err);
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

int ping_take_arguments(struct ping_command *command, int argc, char **argv)
{
	struct cmd_arguments arguments;

	*command = (struct ping_command){
		.payload_bytes = PAYLOAD_DEFAULT,
		.interval_ns = -1,
		.transmit_every = -1,
		.timeout_ns = TIMEOUT_DEFAULT_NS,
		.least_ns = LEAST_DEFAULT_NS,
		.stop_fd = -1,
	};
	cmd_arguments_init(&arguments, &ping_usage, argc, argv);
	return take(command, &arguments);
}
