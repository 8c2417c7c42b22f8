/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff measure: one experiment on a real interface at its present setting, printed as simulate prints. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/time.h"
#include "cmd/cmd.h"
#include "cmd/measure_trace.h"
#include "cmd/measuring.h"
#include "cmd/storing.h"
#include "live/fit.h"
#include "report/run_json.h"
#include "report/run_text.h"

#define DURATION_DEFAULT_NS (2 * NS_PER_S)
#define WARMUP_DEFAULT_NS (500 * NS_PER_MS)
#define BUDGET_REPEATS 30

enum {
	OPTION_PEER_HOST,
	OPTION_PEER,
	OPTION_WORKLOAD,
	OPTION_DURATION,
	OPTION_WARMUP,
	OPTION_REPEAT,
	OPTION_BOTH,
	OPTION_PIN,
	OPTION_TRACE,
	OPTION_SOAK,
	OPTION_NETNS,
	OPTION_SEED,
	OPTION_STORE,
	OPTION_LABEL,
	OPTION_JSON
};

static const struct cmd_option measure_options[] = {
	[OPTION_PEER_HOST] = { "peer-host", "ADDRESS", "the other end, a name or an address", false },
	[OPTION_PEER] = { "peer", "COMMAND", "starts holdoff peer there; not needed for ping", false },
	[OPTION_WORKLOAD] = { "workload", "TEXT", "what traffic: \"udp rate=20k size=64\" (ping interval=0)", false },
	[OPTION_DURATION] = { "duration", "TIME", "of each repeat (2s)", false },
	[OPTION_WARMUP] = { "warmup", "TIME", "of the same traffic before, not counted (500ms)", false },
	[OPTION_REPEAT] = { "repeat", "N|auto", "how often; auto: until the median is known to 5 % (auto)", false },
	[OPTION_BOTH] = { "both", NULL, "udp, voip, tcp: both ways at once", false },
	[OPTION_PIN] = { "pin", "CPU|any", "stay on that CPU, at a real-time priority, out of deep idle states",
			 false },
	[OPTION_TRACE] = { "trace", NULL, "the stages of packets' ways too (root); it costs some time", false },
	[OPTION_SOAK] = { "soak", NULL, "idle time by programs that soak it up; no CPU sleeps then", false },
	[OPTION_NETNS] = { "netns", "NAME|PATH", "in this network namespace", false },
	[OPTION_SEED] = { "seed", "N", "of random gaps (1)", false },
	[OPTION_STORE] = STORING_OPTION,
	[OPTION_LABEL] = STORING_LABEL_OPTION,
	[OPTION_JSON] = { "json", NULL, "one JSON document, schema holdoff.run/1", false },
};

static const struct cmd_usage measure_usage = {
	.name = "measure",
	.synopsis = "DEV --peer-host ADDRESS [--peer COMMAND] [--workload TEXT] [OPTIONS]",
	.about = "Measures what an interface does at its present setting: latency, throughput and loss of a\n"
		 "workload, interrupts, NAPI polls and CPU time meanwhile, repeated until the median is\n"
		 "known. What was so around it is recorded, and what moved meanwhile taints the result.\n",
	.options = measure_options,
	.option_count = sizeof(measure_options) / sizeof(measure_options[0]),
	.words = "devices",
	.more = cmd_print_workloads,
};

struct measure_command {
	struct measuring_options options;
	const char *workload_text, *duration, *warmup, *repeat, *seed, *store, *label;
	bool json, trace, both;
	struct workload workload;
	struct measure_request request; /* durations, repeats, budget and seed alone */
	struct storing storing;
};

/* ---- the command line ---- */

static int take(struct measure_command *command, struct cmd_arguments *arguments)
{
	const char *value;
	int option;

	while ((option = cmd_next(arguments, &value)) != CMD_END) {
		const char **const texts[] = {
			[OPTION_PEER_HOST] = &command->options.peer_host,
			[OPTION_PEER] = &command->options.peer,
			[OPTION_WORKLOAD] = &command->workload_text,
			[OPTION_DURATION] = &command->duration,
			[OPTION_WARMUP] = &command->warmup,
			[OPTION_REPEAT] = &command->repeat,
			[OPTION_PIN] = &command->options.pin,
			[OPTION_NETNS] = &command->options.netns,
			[OPTION_SEED] = &command->seed,
			[OPTION_STORE] = &command->store,
			[OPTION_LABEL] = &command->label,
			[OPTION_JSON] = NULL,
		};

		if (option == CMD_STOP) {
			return arguments->status;
		}
		if (option == CMD_WORD) {
			if (command->options.device) {
				return cmd_usage_error(&measure_usage, "one interface at a time, not also \"%s\"",
						       value);
			}
			command->options.device = value;
		} else if (option == OPTION_JSON) {
			command->json = true;
		} else if (option == OPTION_TRACE) {
			command->trace = true;
		} else if (option == OPTION_SOAK) {
			command->options.soak = true;
		} else if (option == OPTION_BOTH) {
			command->both = true;
		} else {
			*texts[option] = value;
		}
	}
	return -1;
}

static int read_repeat(const char *text, unsigned *repeats, struct err *err)
{
	uint32_t number = 0;

	*repeats = 0;
	if (!text || strcmp(text, "auto") == 0) {
		return 0;
	}
	const int ret = text_parse_u32(text, "repeat", &number, err);

	if (ret == 0 && (number == 0 || number > MEASURE_REPEATS_MAX)) {
		return err_set(err, -ERANGE, "repeat: %s is out of range, expected auto or 1 to %d", text,
			       MEASURE_REPEATS_MAX);
	}
	*repeats = number;
	return ret;
}

static int read_values(struct measure_command *command, struct err *err)
{
	struct measure_request *const request = &command->request;
	int ret = workload_parse(&command->workload,
				 command->workload_text ? command->workload_text : "ping interval=0", err);

	request->duration_ns = DURATION_DEFAULT_NS;
	request->warmup_ns = WARMUP_DEFAULT_NS;
	request->seed = 1;
	ret = ret ? ret : measuring_read_span(command->duration, "duration", 1, &request->duration_ns, err);
	ret = ret ? ret : measuring_read_span(command->warmup, "warmup", 0, &request->warmup_ns, err);
	ret = ret ? ret : read_repeat(command->repeat, &request->repeats, err);
	if (ret == 0 && command->seed) {
		ret = text_parse_u64(command->seed, "seed", &request->seed, err);
	}
	request->budget_ns = BUDGET_REPEATS * request->duration_ns;
	if (ret == 0 && command->workload.kind != WORKLOAD_PING) {
		ret = fit_check(&command->workload, command->both, command->options.peer ? FIT_PEER : FIT_ECHO, err);
	}
	return ret;
}

/* ---- progress ---- */

/* One line on a terminal that writes over itself. */
static void tell(void *context, const struct measure_progress *progress)
{
	char median[TEXT_DURATION_MAX], low[TEXT_DURATION_MAX], high[TEXT_DURATION_MAX];

	(void)context;
	fprintf(stderr, "\r\033[K%u", progress->done);
	if (progress->of) {
		fprintf(stderr, " of %u", progress->of);
	}
	fputs(progress->done == 1 ? " run" : " runs", stderr);
	if (progress->high_ns) {
		fprintf(stderr, ", median %s (%s to %s)", text_print_duration(progress->median_ns, median),
			text_print_duration(progress->low_ns, low), text_print_duration(progress->high_ns, high));
	}
	fflush(stderr);
}

/* ---- the experiment ---- */

static int measure_traced(struct measure_command *command, struct measuring *measuring, struct run *run,
			  struct err *err)
{
	struct probes *probes = NULL;
	int ret = command->trace ? measure_trace_begin(&probes, &measuring->nic, err) : 0;

	ret = ret ? ret : measuring_run(measuring, run, err);
	measure_trace_end(probes, run);
	return ret;
}

static int measure_device(struct measure_command *command, struct run *run, struct err *err)
{
	struct measuring measuring;
	int ret = measuring_begin(&measuring, &command->options, err);

	if (ret) {
		return ret;
	}
	measuring.request.duration_ns = command->request.duration_ns;
	measuring.request.warmup_ns = command->request.warmup_ns;
	measuring.request.repeats = command->request.repeats;
	measuring.request.budget_ns = command->request.budget_ns;
	measuring.request.seed = command->request.seed;
	measuring.request.progress = isatty(STDERR_FILENO) ? tell : NULL;
	measuring.traffic.load.both = command->both;
	ret = measuring_take_workload(&measuring, &command->workload, err);
	ret = ret ? ret : measure_traced(command, &measuring, run, err);
	if (measuring.request.progress) {
		fputs("\r\033[K", stderr);
	}
	measuring_end(&measuring);
	return ret;
}

static void print(const struct measure_command *command, const struct run *run)
{
	if (command->json) {
		run_json_write(run, stdout); /* main looks after failed writes */
		return;
	}
	run_text_write(run, stdout);
	if (command->storing.number) {
		printf("kept as run %lld in %s\n", (long long)command->storing.number, command->storing.file);
	}
}

/* What was measured is shown also where it cannot be kept. */
static int show(struct measure_command *command, struct run *run, int ret, struct err *err)
{
	struct run_measured *const measured = &run->conditions.measured;

	if (ret && !(ret == -EINTR && measured->repeats)) {
		return ret == -EINTR ? (cmd_fail(ret, err), CMD_INSUFFICIENT) : cmd_fail(ret, err);
	}
	const int kept = storing_put(&command->storing, run, err);

	print(command, run);
	if (kept) {
		return cmd_fail(kept, err);
	}
	return ret || measured->taint_count ? CMD_INSUFFICIENT : CMD_FINE;
}

static int measure_and_show(struct measure_command *command, struct run *run)
{
	struct err err = { "" };

	run_init(run);
	const int ret = measure_device(command, run, &err);

	return show(command, run, ret, &err);
}

int cmd_measure(int argc, char **argv)
{
	struct measure_command command = { 0 };
	struct cmd_arguments arguments;
	struct err err = { "" };

	cmd_arguments_init(&arguments, &measure_usage, argc, argv);
	const int status = take(&command, &arguments);

	if (status >= 0) {
		return status;
	}
	if (!command.options.device) {
		return cmd_usage_error(&measure_usage,
				       "an interface is needed: holdoff measure DEV --peer-host ADDRESS");
	}
	if (!command.options.peer_host) {
		return cmd_usage_error(&measure_usage, "a host to measure against is needed: --peer-host ADDRESS");
	}
	int ret = read_values(&command, &err);

	if (ret == 0) {
		ret = storing_begin(&command.storing, command.store, command.label, argc, argv, &err);
	}
	if (ret) {
		return cmd_fail(ret, &err);
	}
	struct run *const run = malloc(sizeof(*run));
	const int result = run ? measure_and_show(&command, run)
			       : cmd_fail(err_set(&err, -ENOMEM, "no memory for a run"), &err);

	storing_end(&command.storing);
	free(run);
	return result;
}
