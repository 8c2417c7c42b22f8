/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff trace: where a packet's time goes, by the kernel's own events. */
#include "cmd/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "trace/from_file.h"

enum { OPTION_FROM, OPTION_PER_QUEUE, OPTION_STAGES, OPTION_HISTOGRAM, OPTION_JSON };

static const struct cmd_option trace_options[] = {
	[OPTION_FROM] = { "from", "FILE", "a trace that was taken before: ftrace, trace-cmd report, perf script",
			  false },
	[OPTION_PER_QUEUE] = { "per-queue", NULL, "each interrupt vector as well", false },
	[OPTION_STAGES] = { "stages", NULL, "the table of stages only, without the counts", false },
	[OPTION_HISTOGRAM] = { "histogram", NULL, "the distribution of each stage as well", false },
	[OPTION_JSON] = { "json", NULL, "one JSON document, schema holdoff.trace/1", false },
};

static const struct cmd_usage trace_usage = {
	.name = "trace",
	.synopsis = "--from FILE [DEV] [OPTIONS]",
	.about = "Says where a packet's time goes, by the kernel's own events: in the queueing discipline, in\n"
		 "the driver, before the interrupt, before the poll, in the stack, before its reader runs.\n",
	.options = trace_options,
	.option_count = sizeof(trace_options) / sizeof(trace_options[0]),
	.words = "devices",
};

struct trace_command {
	const char *device, *from;
	bool json;
	struct trace_report report;
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
		case OPTION_PER_QUEUE:
			command->report.per_queue = true;
			break;
		case OPTION_STAGES:
			command->report.only_stages = true;
			break;
		case OPTION_HISTOGRAM:
			command->report.histogram = true;
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
	return is_empty(&command->report.result) ? CMD_INSUFFICIENT : CMD_FINE;
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

	if (status < 0 && !command->from) {
		status = cmd_usage_error(&trace_usage, "a trace is needed: holdoff trace --from FILE");
	}
	if (status < 0) {
		const int ret = read_file(command, &err);

		status = ret ? cmd_fail(ret, &err) : show(command);
	}
	free(command);
	return status;
}
