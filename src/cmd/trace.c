/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff trace: where a packet's time goes, by the kernel's own events. */
#include "cmd/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/time.h"
#include "cmd/cmd.h"
#include "cmd/trace_live.h"
#include "cmd/trace_run.h"
#include "trace/from_file.h"
#include "trace/parts.h"

#define DURATION_DEFAULT_NS (10 * NS_PER_S)
#define DURATION_MAX_NS (86400 * NS_PER_S)

enum {
	OPTION_FOR,
	OPTION_COUNT,
	OPTION_FILTER,
	OPTION_ONLY,
	OPTION_FROM,
	OPTION_EVENTS,
	OPTION_BACKEND,
	OPTION_MAX_COST,
	OPTION_NETNS,
	OPTION_PER_QUEUE,
	OPTION_STAGES,
	OPTION_HISTOGRAM,
	OPTION_BESIDE,
	OPTION_STORE,
	OPTION_JSON
};

static const struct cmd_option trace_options[] = {
	[OPTION_FOR] = { "for", "TIME", "how long (10s)", false },
	[OPTION_COUNT] = { "count", "N", "until so many packets were sent or received", false },
	[OPTION_FILTER] = { "filter", "TEXT", "icmp, udp, tcp, \"udp port N\", \"tcp port N\", \"host A\"", false },
	[OPTION_ONLY] = { "only", "PARTS", "some of tx,rx,echo,irq: fewer events, less cost (all)", false },
	[OPTION_FROM] = { "from", "FILE", "a trace that was taken before: ftrace, trace-cmd report, perf script",
			  false },
	[OPTION_EVENTS] = { "events", "FILE", "each event as well, as --from reads them", false },
	[OPTION_BACKEND] = { "backend", "bpf|tracefs", "which of the kernel's means (bpf, or else tracefs)", false },
	[OPTION_MAX_COST] = { "max-cost", "PERCENT",
			      "follows fewer packets, or ends, before it takes more of one CPU (5%)", false },
	[OPTION_NETNS] = { "netns", "NAME|PATH", "an interface of another network namespace (root)", false },
	[OPTION_PER_QUEUE] = { "per-queue", NULL, "each interrupt vector as well", false },
	[OPTION_STAGES] = { "stages", NULL, "the table of stages only, without the counts", false },
	[OPTION_HISTOGRAM] = { "histogram", NULL, "the distribution of each stage as well", false },
	[OPTION_BESIDE] = { "beside", "RUN",
			    "the stages of a kept run beside those of the trace: a model's, for instance", false },
	[OPTION_STORE] = { "store", "FILE", "with --beside: where that run is kept (holdoff.db)", false },
	[OPTION_JSON] = { "json", NULL, "one JSON document, schema holdoff.trace/1", false },
};

static const struct cmd_usage trace_usage = {
	.name = "trace",
	.synopsis = "(DEV | --from FILE [DEV]) [OPTIONS]",
	.about = "Says where a packet's time goes, by the kernel's own events: in the queueing discipline, in\n"
		 "the driver, before the interrupt, before the poll, in the stack, before its reader runs.\n",
	.options = trace_options,
	.option_count = sizeof(trace_options) / sizeof(trace_options[0]),
	.words = "devices",
};

struct trace_command {
	const char *device, *from, *duration, *count, *filter, *only, *max_cost, *backend, *beside, *store;
	bool json;
	struct trace_live live;
	struct trace_report report;
	struct run run; /* of --beside */
};

static int take(struct trace_command *command, struct cmd_arguments *arguments)
{
	const char *value;
	int option;

	while ((option = cmd_next(arguments, &value)) != CMD_END) {
		switch (option) {
		case OPTION_FROM:
			command->from = value;
			break;
		case OPTION_FOR:
			command->duration = value;
			break;
		case OPTION_COUNT:
			command->count = value;
			break;
		case OPTION_FILTER:
			command->filter = value;
			break;
		case OPTION_ONLY:
			command->only = value;
			break;
		case OPTION_EVENTS:
			command->live.events_file = value;
			break;
		case OPTION_BACKEND:
			command->backend = value;
			break;
		case OPTION_MAX_COST:
			command->max_cost = value;
			break;
		case OPTION_NETNS:
			command->live.netns = value;
			break;
		case OPTION_PER_QUEUE:
			command->report.per_queue = true;
			break;
		case OPTION_STAGES:
			command->report.only_stages = true;
			break;
		case OPTION_HISTOGRAM:
			command->report.histogram = true;
			break;
		case OPTION_BESIDE:
			command->beside = value;
			break;
		case OPTION_STORE:
			command->store = value;
			break;
		case OPTION_JSON:
			command->json = true;
			break;
		case CMD_WORD:
			if (command->device) {
				return cmd_usage_error(&trace_usage, "one interface at a time, not also \"%s\"", value);
			}
			command->device = value;
			break;
		default:
			return arguments->status;
		}
	}
	return -1;
}

/* "2%", with up to two decimals, to ppm. */
static int read_cost(const char *text, unsigned *ppm, struct err *err)
{
	char *end;
	const unsigned long whole = strtoul(text, &end, 10);
	unsigned long hundredths = 0;

	if (end != text && *end == '.' && end[1] >= '0' && end[1] <= '9') {
		hundredths = (unsigned long)(end[1] - '0') * 10;
		end += 2;
		if (*end >= '0' && *end <= '9') {
			hundredths += (unsigned long)(*end++ - '0');
		}
	}
	if (end == text || *text < '0' || *text > '9' || strcmp(end, "%") != 0 || whole > 100 ||
	    whole + hundredths == 0) {
		return err_set(err, -EINVAL, "max-cost: \"%s\" is no share of a CPU, expected 0.01%% to 100%%", text);
	}
	*ppm = (unsigned)(whole * 10000 + hundredths * 100);
	return 0;
}

static int read_backend(const char *text, enum trace_backend *backend, struct err *err)
{
	*backend = strcmp(text, "tracefs") == 0 ? TRACE_TRACEFS : TRACE_BPF;
	return *backend == TRACE_TRACEFS || strcmp(text, "bpf") == 0
		       ? 0
		       : err_set(err, -EINVAL, "backend: \"%s\" is none, expected bpf or tracefs", text);
}

static int read_values(struct trace_command *command, struct err *err)
{
	struct trace_live *const live = &command->live;
	int ret = 0;

	live->device = command->device;
	live->view.terminal = !command->json && isatty(STDOUT_FILENO) ? stdout : NULL;
	live->duration_ns = DURATION_DEFAULT_NS;
	live->max_cost_ppm = 50000;
	if (command->duration) {
		ret = text_parse_duration(command->duration, "for", &live->duration_ns, err);
		if (ret == 0 && (live->duration_ns <= 0 || live->duration_ns > DURATION_MAX_NS)) {
			ret = err_set(err, -ERANGE, "for: %s is out of range, expected more than 0 and at most a day",
				      command->duration);
		}
	}
	if (ret == 0 && command->count) {
		ret = text_parse_u64(command->count, "count", &live->count, err);
		live->duration_ns = command->duration ? live->duration_ns : DURATION_MAX_NS;
	}
	if (ret == 0 && command->backend) {
		ret = read_backend(command->backend, &live->backend, err);
	}
	if (ret == 0 && command->filter) {
		ret = probes_choice_parse(&live->choice, command->filter, err);
	}
	if (ret == 0 && command->only) {
		ret = parts_parse(&command->report.parts, command->only, err);
	}
	return ret == 0 && command->max_cost ? read_cost(command->max_cost, &live->max_cost_ppm, err) : ret;
}

static uint32_t kinds_of(const struct path_result *result)
{
	uint32_t kinds = 0;

	for (enum path_kind kind = 0; kind < PATH_EVENTS; kind++) {
		kinds |= result->seen[kind] ? 1u << kind : 0;
	}
	return kinds;
}

static int read_file(struct trace_command *command, struct err *err)
{
	struct trace_report *const report = &command->report;
	struct from_file *const trace = calloc(1, sizeof(*trace));
	FILE *const file = trace ? fopen(command->from, "re") : NULL;

	if (!file) {
		const int error = trace ? errno : ENOMEM;

		free(trace);
		return err_set(err, -EINVAL, "%s: %s", command->from, strerror(error));
	}
	snprintf(trace->device, sizeof(trace->device), "%s", command->device ? command->device : "");
	const int ret = from_file_read(file, command->from, trace, err);

	fclose(file);
	if (ret == 0) {
		memcpy(report->device, trace->device, sizeof(report->device));
		report->backend = "file";
		report->source = command->from;
		report->resolution_ns = trace->facts.resolution_ns;
		report->lost = trace->facts.lost;
		report->unusable = trace->unusable;
		report->by_hand = trace->facts.by_hand;
		report->kinds = kinds_of(&trace->result);
		report->result = trace->result;
	}
	free(trace);
	return ret;
}

static bool is_empty(const struct path_result *result)
{
	for (enum path_stage stage = 0; stage < PATH_STAGES; stage++) {
		if (result->stage[stage].count) {
			return false;
		}
	}
	return true;
}

static int show(const struct trace_command *command)
{
	if (!command->json) {
		trace_print(&command->report, stdout);
	} else if (trace_write_json(&command->report, stdout)) {
		return CMD_USAGE;
	}
	return is_empty(&command->report.result) || command->report.is_stopped ? CMD_INSUFFICIENT : CMD_FINE;
}

/* Before anything is traced, so that a run that is not there is told at once. */
static int load_beside(struct trace_command *command, struct err *err)
{
	if (!command->beside) {
		return command->store ? err_set(err, -EINVAL, "--store says where the run of --beside is: name one")
				      : 0;
	}
	command->report.beside = &command->run;
	command->report.beside_name = command->beside;
	return trace_run_load(&command->run, command->store, command->beside, err);
}

int cmd_trace(int argc, char **argv)
{
	struct trace_command *const command = calloc(1, sizeof(*command));
	struct cmd_arguments arguments;
	struct err err = { "" };

	if (!command) {
		return cmd_fail(err_set(&err, -ENOMEM, "no memory for a trace"), &err);
	}
	cmd_arguments_init(&arguments, &trace_usage, argc, argv);
	int status = take(command, &arguments);

	if (status < 0 && !command->from && !command->device) {
		status = cmd_usage_error(&trace_usage, "an interface is needed, or a trace: --from FILE");
	}
	if (status < 0 && command->from &&
	    (command->duration || command->count || command->filter || command->only || command->max_cost ||
	     command->backend || command->live.events_file || command->live.netns)) {
		status = cmd_usage_error(&trace_usage,
					 "--from reads what there is: no --for, --count, --filter, --only, "
					 "--events, --max-cost, --backend or --netns with it");
	}
	if (status < 0) {
		int ret = read_values(command, &err);

		ret = ret ? ret : load_beside(command, &err);
		if (ret == 0) {
			ret = command->from ? read_file(command, &err)
					    : trace_live_run(&command->live, &command->report, &err);
		}

		status = ret ? cmd_fail(ret, &err) : show(command);
	}
	free(command);
	return status;
}
