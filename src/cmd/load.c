/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff load: traffic in the patterns of the model over a real network. */
#include "cmd/load.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/text.h"
#include "base/time.h"
#include "cmd/cmd.h"
#include "nic/nic.h"

#define DURATION_DEFAULT_NS (10 * NS_PER_S)
#define DURATION_MAX_NS (86400 * NS_PER_S)
#define IPERF3_PORT 5201

enum {
	OPTION_WORKLOAD,
	OPTION_PEER,
	OPTION_IPERF3,
	OPTION_DURATION,
	OPTION_BOTH,
	OPTION_INTERFACE,
	OPTION_NETNS,
	OPTION_SEED,
	OPTION_JSON,
	OPTIONS
};

static const struct cmd_option load_options[] = {
	[OPTION_WORKLOAD] = { "workload", "TEXT", "what traffic: \"udp rate=20k size=64\"", false },
	[OPTION_PEER] = { "peer", "COMMAND", "starts holdoff peer at the other end; without: ICMP echo", false },
	[OPTION_IPERF3] = { "iperf3", "PORT|default", "an iperf3 server at the other end (5201): tcp, udp", false },
	[OPTION_DURATION] = { "duration", "TIME", "how long (10s)", false },
	[OPTION_BOTH] = { "both", NULL, "udp, voip, tcp: both ways at once", false },
	[OPTION_INTERFACE] = { "interface", "DEV", "through this interface only", false },
	[OPTION_NETNS] = { "netns", "NAME|PATH", "from another network namespace (root)", false },
	[OPTION_SEED] = { "seed", "N", "of the gaps of pattern=poisson (1)", false },
	[OPTION_JSON] = { "json", NULL, "one JSON document, schema holdoff.load/1", false },
};

/* As ping and others have it. */
static const char load_letters[OPTIONS] = { [OPTION_INTERFACE] = 'I' };

static const struct cmd_usage load_usage = {
	.name = "load",
	.synopsis = "HOST --workload TEXT [--peer COMMAND] [OPTIONS]",
	.about = "Sends traffic to HOST, or has it sent here, in the patterns that simulate knows, and counts at\n"
		 "both ends what became of it: loss, order, gaps between arrivals, delay, throughput; and how\n"
		 "well the pattern was kept. dir=tx leaves this host, dir=rx comes here.\n",
	.options = load_options,
	.option_count = OPTIONS,
	.letters = load_letters,
	.words = "addresses", /* nobody lists them */
	.more = cmd_print_workloads,
};

struct load_command {
	struct load_request request;
	struct remote remote;
	const char *workload, *peer, *iperf3, *duration, *netns, *seed;
	bool json;
};

static _Atomic bool is_interrupted;

static void interrupt(int signal)
{
	(void)signal;
	is_interrupted = true;
}

/* ---- the command line ---- */

static int take(struct load_command *command, struct cmd_arguments *arguments)
{
	const char *value;
	int option;

	while ((option = cmd_next(arguments, &value)) != CMD_END) {
		switch (option) {
		case OPTION_WORKLOAD:
			command->workload = value;
			break;
		case OPTION_PEER:
			command->peer = value;
			break;
		case OPTION_IPERF3:
			command->iperf3 = value;
			break;
		case OPTION_DURATION:
			command->duration = value;
			break;
		case OPTION_BOTH:
			command->request.both = true;
			break;
		case OPTION_INTERFACE:
			command->request.device = value;
			break;
		case OPTION_NETNS:
			command->netns = value;
			break;
		case OPTION_SEED:
			command->seed = value;
			break;
		case OPTION_JSON:
			command->json = true;
			break;
		case CMD_WORD:
			if (command->request.host) {
				return cmd_usage_error(&load_usage, "one host at a time, not also \"%s\"", value);
			}
			command->request.host = value;
			break;
		default:
			return arguments->status;
		}
	}
	return -1;
}

static int read_port(const char *text, uint16_t *port, struct err *err)
{
	uint32_t number = IPERF3_PORT;
	int ret = strcmp(text, "default") == 0 ? 0 : text_parse_u32(text, "iperf3", &number, err);

	if (ret == 0 && (number == 0 || number > UINT16_MAX)) {
		ret = err_set(err, -ERANGE, "iperf3: %s is no port, expected 1 to 65535", text);
	}
	*port = (uint16_t)number;
	return ret;
}

static int read_duration(const char *text, int64_t *duration_ns, struct err *err)
{
	*duration_ns = DURATION_DEFAULT_NS;
	const int ret = text ? text_parse_duration(text, "duration", duration_ns, err) : 0;

	if (ret == 0 && (*duration_ns <= 0 || *duration_ns > DURATION_MAX_NS)) {
		return err_set(err, -ERANGE, "duration: %s is out of range, expected more than 0 and at most a day",
			       text);
	}
	return ret;
}

/* What the kernel of any host answers needs nothing of this command: fit_check has a word for the rest. */
static bool is_ping(const struct load_command *command)
{
	return command->request.workload.kind == WORKLOAD_PING && !command->peer && !command->iperf3 &&
	       !command->request.both;
}

static int read_values(struct load_command *command, struct err *err)
{
	struct load_request *const request = &command->request;
	int ret = workload_parse(&request->workload, command->workload, err);

	request->seed = 1;
	request->means = command->peer ? FIT_PEER : command->iperf3 ? FIT_IPERF3 : FIT_ECHO;
	if (ret == 0) {
		ret = read_duration(command->duration, &request->duration_ns, err);
	}
	if (ret == 0 && command->iperf3) {
		ret = read_port(command->iperf3, &request->port, err);
	}
	if (ret == 0 && command->seed) {
		ret = text_parse_u64(command->seed, "seed", &request->seed, err);
	}
	if (ret || is_ping(command)) {
		return ret;
	}
	return fit_check(&request->workload, request->both, request->means, err);
}

/* ---- ping ---- */

/* The words that holdoff ping takes for the same. */
static int delegate_to_ping(const struct load_command *command)
{
	const struct workload *const workload = &command->request.workload;
	char size[16], interval[TEXT_DURATION_MAX];
	const char *words[24] = { "ping", command->request.host, "--size", size, "--interval", interval };
	int count = 6;

	snprintf(size, sizeof(size), "%u", (unsigned)workload->size);
	text_print_duration(workload->interval_ns, interval);
	const struct {
		const char *option, *value;
	} more[] = {
		{ "--duration", command->duration ? command->duration : "10s" },
		{ "--interface", command->request.device },
		{ "--netns", command->netns },
		{ "--seed", command->seed },
	};

	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		if (more[i].value) {
			words[count++] = more[i].option;
			words[count++] = more[i].value;
		}
	}
	if (command->json) {
		words[count++] = "--json";
	}
	/* It changes none of them. */
	return cmd_ping(count, (char **)(uintptr_t)words);
}

/* ---- the load ---- */

static void catch_signals(void)
{
	const struct sigaction action = { .sa_handler = interrupt };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* The peer's command runs where the user is, also when the traffic is another namespace's. */
static int run(struct load_command *command, struct load_result *result, struct err *err)
{
	struct load_request *const request = &command->request;
	int ret = 0;

	request->stop = &is_interrupted;
	if (command->peer) {
		ret = remote_start(&command->remote, command->peer, HOLDOFF_VERSION, request->stop, err);
		request->remote = &command->remote;
	}
	if (ret) {
		return ret;
	}
	ret = command->netns ? nic_enter_netns(command->netns, err) : 0;
	if (ret == 0) {
		ret = load_run(request, result, err);
	}
	if (command->peer) {
		remote_end(&command->remote);
	}
	return ret;
}

static int show(const struct load_command *command, const struct load_result *result)
{
	char why[ERR_TEXT_MAX];

	if (!command->json) {
		load_print(&command->request, result, stdout);
	} else if (load_write_json(&command->request, result, stdout)) {
		return CMD_USAGE;
	}
	return load_is_insufficient(result, why) ? CMD_INSUFFICIENT : CMD_FINE;
}

int cmd_load(int argc, char **argv)
{
	struct load_command command = { .workload = NULL };
	struct cmd_arguments arguments;
	struct err err = { "" };

	cmd_arguments_init(&arguments, &load_usage, argc, argv);
	int status = take(&command, &arguments);

	if (status >= 0) {
		return status;
	}
	if (!command.request.host) {
		return cmd_usage_error(&load_usage, "a host is needed: holdoff load HOST --workload TEXT");
	}
	if (!command.workload) {
		return cmd_usage_error(&load_usage,
				       "a workload is needed, as in --workload \"udp rate=20k size=64 dir=tx\"");
	}
	if (command.peer && command.iperf3) {
		return cmd_usage_error(&load_usage, "--peer and --iperf3 exclude each other");
	}
	int ret = read_values(&command, &err);

	if (ret == 0 && is_ping(&command)) {
		return delegate_to_ping(&command);
	}
	struct load_result *const result = ret ? NULL : calloc(1, sizeof(*result));

	if (ret == 0 && !result) {
		ret = err_set(&err, -ENOMEM, "no memory for a result");
	}
	if (ret == 0) {
		catch_signals();
		ret = run(&command, result, &err);
	}
	status = ret ? cmd_fail(ret, &err) : show(&command, result);
	free(result);
	return status;
}
