/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff simulate: one run of the model, as a page or as JSON. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/setup_options.h"
#include "cmd/storing.h"
#include "report/run_json.h"
#include "report/run_text.h"
#include "sim/plan.h"
#include "sim/scenario.h"
#include "sim/world.h"

enum { OPTION_SCENARIO = SETUP_KEYS, OPTION_JSON, OPTION_STORE, OPTION_LABEL, OPTION_YES, OPTIONS };

struct request {
	const char *scenario, *store, *label;
	int argc;
	char **argv;
	bool json, yes;
	unsigned word_count;
	const char **words;
};

/* First reading: everything that is not a key of the setup, and all complaints about the form of the options. */
static int read_form(struct cmd_arguments arguments, struct request *request)
{
	const char *value;
	int option;

	while ((option = cmd_next(&arguments, &value)) != CMD_END) {
		switch (option) {
		case CMD_STOP:
			request->words = NULL;
			return arguments.status;
		case CMD_WORD:
			request->words[request->word_count++] = value;
			break;
		case OPTION_SCENARIO:
			request->scenario = value;
			break;
		case OPTION_JSON:
			request->json = true;
			break;
		case OPTION_STORE:
			request->store = value;
			break;
		case OPTION_LABEL:
			request->label = value;
			break;
		case OPTION_YES:
			request->yes = true;
			break;
		}
	}
	return CMD_FINE;
}

/* Second reading: keys go over what the scenario says, wherever --scenario stands. */
static int read_setup(struct cmd_arguments arguments, const struct request *request, struct setup *setup,
		      struct err *err)
{
	const char *value;
	int option, ret = 0;

	while (ret == 0 && (option = cmd_next(&arguments, &value)) != CMD_END) {
		if (option >= 0 && option < SETUP_KEYS) {
			ret = setup_put(setup, (enum setup_key)option, value, err);
		}
	}
	return ret < 0 ? ret : setup_put_words(setup, request->words, request->word_count, err);
}

static int load_scenario(const char *name, struct setup *setup, struct err *err)
{
	struct scenario *scenario = malloc(sizeof(*scenario));

	if (!scenario) {
		return err_set(err, -ENOMEM, "no memory for a scenario");
	}
	const int ret = scenario_load(scenario, name, err);

	if (ret == 0) {
		*setup = scenario->setup;
	}
	free(scenario);
	return ret;
}

static void show(const struct run *run, const struct request *request, const struct storing *storing)
{
	if (request->json) {
		run_json_write(run, stdout); /* main looks after failed writes */
		return;
	}
	run_text_write(run, stdout);
	if (storing->number) {
		printf("kept as run %lld in %s\n", (long long)storing->number, storing->file);
	}
}

static int run_and_show(const struct world_config *config, const struct request *request, struct err *err)
{
	struct storing storing;
	struct run *const run = malloc(sizeof(*run));
	int ret = run ? storing_begin(&storing, request->store, request->label, request->argc, request->argv, err)
		      : err_set(err, -ENOMEM, "no memory for a run");

	if (ret == 0) {
		ret = world_run(config, run, err);
		ret = ret ? ret : storing_put(&storing, run, err);
		if (ret == 0) {
			show(run, request, &storing);
		}
		storing_end(&storing);
	}
	free(run);
	return ret;
}

static int simulate(const struct setup *setup, const struct request *request)
{
	struct world_config config;
	struct err err = { "" };
	int ret = setup_config(setup, &config, &err);

	if (ret == 0 && !request->yes) {
		ret = plan_check_length("this run", plan_frames(&config), 1, &err);
	}
	if (ret < 0) {
		return cmd_fail(ret, &err);
	}
	bool unsupported;

	ret = setup_try_request(&config, &unsupported, &err);
	if (ret < 0) {
		cmd_fail(ret, &err);
		return unsupported ? CMD_UNSUPPORTED : CMD_NEGATIVE; /* an answer, not wrong usage */
	}
	ret = run_and_show(&config, request, &err);
	return ret < 0 ? cmd_fail(ret, &err) : CMD_FINE;
}

int cmd_simulate(int argc, char **argv)
{
	struct cmd_option options[OPTIONS] = {
		[OPTION_SCENARIO] = { "scenario", "NAME|FILE", "start from what a scenario says", false },
		[OPTION_JSON] = { "json", NULL, "one JSON document, schema holdoff.run/1", false },
		[OPTION_STORE] = STORING_OPTION,
		[OPTION_LABEL] = STORING_LABEL_OPTION,
		[OPTION_YES] = { "yes", NULL, "run also what takes long", false },
	};
	const struct cmd_usage usage = {
		.name = "simulate",
		.synopsis = "--board NAME|FILE [OPTIONS] [WORD VALUE ...] --workload \"NAME key=value ...\"",
		.about = "Runs one workload on a model of a board, its driver and its host, in virtual time, and\n"
			 "prints latencies, interrupts, CPU time and throughput. Words are coalescing settings as\n"
			 "ethtool -C takes them. The same command and seed give the same numbers everywhere.\n",
		.options = options,
		.option_count = OPTIONS,
		.words = "settings",
		.more = cmd_print_workloads,
	};
	struct cmd_arguments arguments;
	struct request request = { .argc = argc,
				   .argv = argv,
				   .words = calloc(2 * (size_t)argc, sizeof(const char *)) };
	const char **words = request.words;
	struct err err = { "" };
	struct setup setup;

	setup_options(options, false);
	setup_init(&setup);
	cmd_arguments_init(&arguments, &usage, argc, argv);
	int status = words ? read_form(arguments, &request) : CMD_USAGE;

	if (request.words) {
		int ret = request.scenario ? load_scenario(request.scenario, &setup, &err) : 0;

		if (ret == 0) {
			ret = read_setup(arguments, &request, &setup, &err);
		}
		status = ret < 0 ? cmd_fail(ret, &err) : simulate(&setup, &request);
	}
	free(words);
	return status;
}
