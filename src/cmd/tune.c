/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff tune: which setting to take, from kept runs or from a sweep of a model that is made for it. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/setup_options.h"
#include "cmd/sweep_model.h"
#include "cmd/tune.h"
#include "cmd/tune_runs.h"

#define SEEDS_DEFAULT INTERVAL_VALUES_MIN

enum {
	OPTION_GOAL = SETUP_KEYS,
	OPTION_MINIMISE,
	OPTION_MAXIMISE,
	OPTION_COMMIT_MESSAGE,
	OPTION_MODEL_DRAFT,
	OPTION_JSON,
	OPTION_STORE, /* from here on for kept runs alone */
	OPTION_FILTER,
	OPTION_PLAN, /* and from here on for models alone */
	OPTION_SEEDS,
	OPTION_JOBS,
	OPTION_YES,
	OPTIONS
};

struct request {
	const char *text[OPTIONS]; /* the last value of each option, of --workload the first; "" for a switch */
	struct tune_source source;
};

/* ---- the question ---- */

static int read_objective(struct request *request, struct err *err)
{
	const char *const minimise = request->text[OPTION_MINIMISE], *const maximise = request->text[OPTION_MAXIMISE];
	struct tuning_question *const question = &request->source.question;

	if (minimise && maximise) {
		return err_set(err, -EINVAL,
			       "--minimise %.40s and --maximise %.40s: one figure can be the best; put the "
			       "other one into the goal",
			       minimise, maximise);
	}
	question->is_latency_wanted = minimise && strcmp(minimise, "latency") == 0;
	question->is_cpu_wanted = minimise && strcmp(minimise, "cpu") == 0;
	if (question->is_latency_wanted || question->is_cpu_wanted) {
		return 0;
	}
	question->maximise = maximise;
	return minimise || maximise ? goal_figure_find(minimise ? minimise : maximise, &question->objective, err) : 0;
}

static int read_question(struct request *request, struct err *err)
{
	int ret = read_objective(request, err);

	if (ret == 0 && request->text[OPTION_GOAL]) {
		ret = goal_parse(request->text[OPTION_GOAL], &request->source.question.goal, err);
	}
	return ret;
}

/* ---- the page ---- */

static int compare_workloads(const void *a, const void *b)
{
	const struct tuning *const *const one = a, *const *const other = b;

	return strcmp((*one)->grid.workload, (*other)->grid.workload);
}

/* A model's runs come in no order. The workload that was asked for picks, else the first that has what the goal is about. */
static int conclude(struct tune_page *page, const char *workload, struct err *err)
{
	bool is_found = false;

	qsort(page->tuning, page->count, sizeof(page->tuning[0]), compare_workloads);
	for (unsigned i = 0; i < page->count; i++) {
		struct tuning *const tuning = page->tuning[i];

		tuning_conclude(tuning);
		const bool picks = workload ? strcmp(tuning->grid.workload, workload) == 0
					    : tuning->verdict != TUNING_UNOBSERVED;

		if (picks && !is_found) {
			is_found = true;
			page->picking = i;
		}
	}
	return is_found || !workload ? 0
				     : err_set(err, -ENOENT, "there is no run of the workload \"%.100s\"", workload);
}

static int status_of(const struct tune_page *page)
{
	switch (page->tuning[page->picking]->verdict) {
	case TUNING_PICKED:
	case TUNING_PICKED_BY_MEDIAN:
	case TUNING_INDIFFERENT:
		break;
	case TUNING_ONE_SETTING:
	case TUNING_NO_KNEE:
	case TUNING_UNOBSERVED:
		return CMD_INSUFFICIENT;
	case TUNING_UNMET:
		return CMD_NEGATIVE;
	}
	return CMD_FINE;
}

static int print(const struct tune_page *page, const struct request *request, struct err *err)
{
	const bool is_model = page->tuning[page->picking]->grid.source == RUN_MODEL;

	if (request->text[OPTION_COMMIT_MESSAGE] && is_model && !page->is_draft_wanted) {
		return err_set(
			err, -EINVAL,
			"these are runs of a model, and a commit message stands on measured ones; for a draft that "
			"says MODEL in each row there is --model-draft");
	}
	if (request->text[OPTION_JSON]) {
		tune_json_write(page, stdout); /* main looks after failed writes */
	} else if (request->text[OPTION_COMMIT_MESSAGE]) {
		tune_commit_write(page, stdout);
	} else {
		tune_text_write(page, stdout);
	}
	return status_of(page);
}

/* As workload_print has it, which is how runs are told apart. */
static int normal_workload(const char *text, char workload[WORKLOAD_TEXT_MAX], struct err *err)
{
	struct workload parsed;
	const int ret = workload_parse(&parsed, text, err);

	if (ret == 0) {
		workload_print(&parsed, workload);
	}
	return ret;
}

static int tune(struct tune_page *page, struct cmd_arguments arguments, struct request *request, struct err *err)
{
	char workload[WORKLOAD_TEXT_MAX];
	const bool is_kept = request->text[OPTION_STORE];
	const bool has_workload = request->text[SETUP_WORKLOAD];
	int ret = read_question(request, err);

	if (ret == 0 && has_workload) {
		ret = normal_workload(request->text[SETUP_WORKLOAD], workload, err);
	}
	if (ret == 0) {
		ret = is_kept ? tune_runs_from_store(page, &request->source, err)
			      : tune_runs_from_model(page, arguments, &request->source, err);
	}
	if (ret == 0 && page->count == 0) {
		ret = err_set(err, -EOPNOTSUPP, "no setting could be run: %s", page->refusal);
	}
	ret = ret ? ret : conclude(page, has_workload ? workload : NULL, err);
	return ret ? ret : print(page, request, err);
}

/* ---- the command line ---- */

/* Of kept runs a setup's keys but the workload are what they were. */
static int check_options(const struct request *request, const struct cmd_option *options, struct err *err)
{
	const bool is_kept = request->text[OPTION_STORE];

	for (int option = 0; option < OPTIONS; option++) {
		const bool for_kept = option == SETUP_WORKLOAD || (option >= SETUP_KEYS && option <= OPTION_FILTER);
		const bool for_models = option < OPTION_STORE || option > OPTION_FILTER;

		if (request->text[option] && !(is_kept ? for_kept : for_models)) {
			return err_set(err, -EINVAL, "--%s is for %s", options[option].name,
				       is_kept ? "models: kept runs are what they are" : "kept runs: --store FILE");
		}
	}
	if (request->text[SETUP_BOARD]) {
		return err_set(err, -EINVAL, "the board is the first word, not --board: holdoff tune %.60s ...",
			       request->text[SETUP_BOARD]);
	}
	if (is_kept && request->source.word_count) {
		return err_set(err, -EINVAL,
			       "\"%.60s\": kept runs are chosen by --filter, settings are varied on a model only",
			       request->source.words[0]);
	}
	return 0;
}

/* -1, or the status to end with. */
static int read_form(struct cmd_arguments arguments, struct request *request, struct err *err)
{
	const char *value;
	int option, ret = 0;

	while (ret == 0 && (option = cmd_next(&arguments, &value)) != CMD_END) {
		if (option == CMD_STOP) {
			return arguments.status;
		}
		if (option == CMD_WORD && !request->source.target) {
			request->source.target = value;
		} else if (option == CMD_WORD) {
			request->source.words[request->source.word_count++] = value;
		} else if (option != SETUP_WORKLOAD || !request->text[option]) {
			request->text[option] = value ? value : "";
		}
		if (option == OPTION_FILTER) {
			ret = store_filter_add(&request->source.filter, value, err);
		}
	}
	return ret ? cmd_fail(ret, err) : -1;
}

static int tune_arguments(struct cmd_arguments arguments, struct request *request, const struct cmd_usage *usage)
{
	struct err err = { "" };
	const int status = read_form(arguments, request, &err);

	if (status >= 0) {
		return status;
	}
	if (!request->source.target) {
		return cmd_usage_error(usage,
				       "a target is needed: a board (holdoff boards), or with --store an interface");
	}
	request->source.seeds = SEEDS_DEFAULT;
	request->source.jobs = sweep_model_cores();
	struct tune_page *const page = calloc(1, sizeof(*page));
	int ret = page ? check_options(request, usage->options, &err) : err_set(&err, -ENOMEM, "no memory for a page");

	ret = ret ? ret
		  : cmd_read_count(request->text[OPTION_SEEDS], "seeds", INTERVAL_VALUES_MAX, &request->source.seeds,
				   &err);
	ret = ret ? ret
		  : cmd_read_count(request->text[OPTION_JOBS], "jobs", SWEEP_JOBS_MAX, &request->source.jobs, &err);
	if (ret == 0) {
		page->target = request->source.target;
		snprintf(page->goal, sizeof(page->goal), "%s",
			 request->text[OPTION_GOAL] ? request->text[OPTION_GOAL] : "");
		page->is_draft_wanted = request->text[OPTION_MODEL_DRAFT];
		request->source.store = request->text[OPTION_STORE];
		request->source.plan = request->text[OPTION_PLAN];
		request->source.yes = request->text[OPTION_YES];
		request->source.has_workload = request->text[SETUP_WORKLOAD];
		request->source.has_seed = request->text[SETUP_SEED];
		ret = tune(page, arguments, request, &err);
	}
	for (unsigned i = 0; page && i < page->count; i++) {
		free(page->tuning[i]);
	}
	free(page);
	return ret < 0 ? cmd_fail(ret, &err) : ret;
}

int cmd_tune(int argc, char **argv)
{
	struct cmd_option options[OPTIONS] = {
		[OPTION_GOAL] = { "goal", "TEXT", "limits that have to hold: \"p99 rtt < 200us and cpu < 30 %\"",
				  false },
		[OPTION_MINIMISE] = { "minimise", "cpu|latency|FIGURE", "what is to be least under the goal (cpu)",
				      false },
		[OPTION_MAXIMISE] = { "maximise", "FIGURE", "or what is to be most: throughput", false },
		[OPTION_COMMIT_MESSAGE] = { "commit-message", NULL, "only the paragraph for a commit message", false },
		[OPTION_MODEL_DRAFT] = { "model-draft", NULL, "write that paragraph from a model too, marked so",
					 false },
		[OPTION_JSON] = { "json", NULL, "one JSON document, schema holdoff.tune/1", false },
		[OPTION_STORE] = { "store", "FILE", "from the runs that are kept there", false },
		[OPTION_FILTER] = { "filter", "TEXT", "with --store: of those that fit (holdoff-runs(1))", true },
		[OPTION_PLAN] = { "plan", "NAME|FILE", "models: settings and workloads; default: that called default",
				  false },
		[OPTION_SEEDS] = { "seeds", "N", "models: runs of each setting (6)", false },
		[OPTION_JOBS] = { "jobs", "N", "models: how many runs at a time; default: one per core", false },
		[OPTION_YES] = { "yes", NULL, "run also what takes long", false },
	};
	const struct cmd_usage usage = {
		.name = "tune",
		.synopsis = "(BOARD [WORD V1,V2,... ...] | DEV --store FILE) [--goal TEXT]\n"
			    "               [--minimise FIGURE] [OPTIONS]",
		.about = "Says which setting to take: which of them no other beats in latency, CPU time and\n"
			 "throughput, which of those that meet the goal is best, what its neighbours cost, what\n"
			 "each workload makes of it, and whether the setting matters at all. From kept runs of a\n"
			 "real interface or of a model (holdoff sweep --store), or from a sweep of a model.\n",
		.options = options,
		.option_count = OPTIONS,
		.words = "boards",
		.more = cmd_print_workloads,
	};
	struct cmd_arguments arguments;
	struct request request = { .source.words = calloc(2 * (size_t)argc, sizeof(const char *)) };
	const char **const words = request.source.words;

	setup_options(options, true);
	cmd_arguments_init(&arguments, &usage, argc, argv);
	const int status = words ? tune_arguments(arguments, &request, &usage) : CMD_USAGE;

	free(words);
	return status;
}
