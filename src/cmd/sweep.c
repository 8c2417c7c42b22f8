/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff sweep: a grid of settings times workloads, on the model (sweep_model.c) or on a real interface (sweep_live.c). */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "cmd/cmd.h"
#include "cmd/plan_words.h"
#include "cmd/setup_options.h"
#include "cmd/sweep_live.h"
#include "cmd/sweep_model.h"
#include "cmd/whole_file.h"

#define DURATION_DEFAULT_NS (2 * NS_PER_S)
#define WARMUP_DEFAULT_NS (500 * NS_PER_MS)

enum {
	OPTION_PLAN = SETUP_KEYS,
	OPTION_FORMAT,
	OPTION_OUTPUT,
	OPTION_YES,
	OPTION_STORE,
	OPTION_LABEL,
	OPTION_RESUME,
	OPTION_PROFILE, /* from here on for models alone */
	OPTION_JOBS,
	OPTION_SHARD,
	OPTION_REPEAT, /* and from here on for real interfaces alone */
	OPTION_BUDGET,
	OPTION_BOTH,
	OPTION_PIN,
	OPTION_NETNS,
	OPTIONS
};

/* Keys of a setup that a real interface has a use for; peer and peer-host mean something else there. */
#define LIVE_KEYS                                                                                                \
	(1u << SETUP_WORKLOAD | 1u << SETUP_DURATION | 1u << SETUP_WARMUP | 1u << SETUP_SEED | 1u << SETUP_SET | \
	 1u << SETUP_GRO_FLUSH_TIMEOUT | 1u << SETUP_DEFER_HARD_IRQS)

struct request {
	const char *device;        /* NULL: a model */
	bool needs_profile;        /* predict */
	const char *text[OPTIONS]; /* the last value of each option; "" for a switch */
	unsigned word_count;
	const char **words;
	struct store_entry entry; /* its command alone: reading options cuts the arguments up */
};

/* ---- options ---- */

/* Of an interface, and not the name of a setting. */
static bool is_device(const char *word)
{
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	return !setup_is_word(name) && !strchr(word, '=');
}

static int read_form(struct cmd_arguments arguments, struct request *request)
{
	const char *value;
	int option;

	while ((option = cmd_next(&arguments, &value)) != CMD_END) {
		if (option == CMD_STOP) {
			return arguments.status;
		}
		if (option == CMD_WORD) {
			request->words[request->word_count++] = value;
		} else {
			request->text[option] = value ? value : "";
		}
	}
	/* To a board's it would be a setting that is misspelt. */
	if (!request->text[SETUP_BOARD] && !request->text[OPTION_PROFILE] && request->word_count &&
	    is_device(request->words[0])) {
		request->device = *request->words++;
		request->word_count--;
	}
	return -1;
}

/* An option that the other kind of sweep has. */
static int check_options(const struct request *request, struct err *err)
{
	const bool is_live = request->device;

	for (int option = 0; option < OPTIONS; option++) {
		static const char *const names[OPTIONS] = {
			[OPTION_PROFILE] = "profile", [OPTION_JOBS] = "jobs",     [OPTION_SHARD] = "shard",
			[OPTION_REPEAT] = "repeat",   [OPTION_BUDGET] = "budget", [OPTION_BOTH] = "both",
			[OPTION_PIN] = "pin",         [OPTION_NETNS] = "netns"
		};
		const bool is_key = option < SETUP_KEYS;
		const bool for_live = is_key ? (LIVE_KEYS & (1u << option)) || option == SETUP_PEER ||
						       option == SETUP_PEER_HOST || option == SETUP_PEER_SET
					     : option < OPTION_PROFILE || option > OPTION_SHARD;
		const bool for_models = option <= OPTION_SHARD;

		if (request->text[option] && !(is_live ? for_live : for_models)) {
			return err_set(err, -EINVAL, "--%s is for %s", is_key ? setup_keys[option].name : names[option],
				       is_live ? "models: a real interface is what it is"
					       : "a real interface, which is the first word: holdoff sweep eth0 ...");
		}
	}
	return 0;
}

static int read_plan(struct cmd_arguments arguments, const struct request *request, struct plan *plan, struct err *err)
{
	const char *const name = request->text[OPTION_PLAN];
	const char *const profile = request->text[OPTION_PROFILE];
	const bool has_workload = request->text[SETUP_WORKLOAD];
	const char *value;
	int option, ret = profile ? plan_load_profile(plan, profile, err) : 0;

	if (ret) {
		return ret;
	}
	if (name || (!has_workload && !request->device)) {
		ret = plan_load(plan, name ? name : "default", err);
	}
	if (!name && request->word_count) {
		plan->axis_count = 0; /* the user's grid, not that of the default plan as well */
	}
	if (has_workload) {
		plan->workload_count = 0;
	}
	while (ret == 0 && (option = cmd_next(&arguments, &value)) != CMD_END) {
		if (option >= 0 && option < SETUP_KEYS && (!request->device || LIVE_KEYS & (1u << option))) {
			ret = plan_put(plan, setup_keys[option].name, value, err);
		}
	}
	if (ret == 0 && request->device && !plan->workload_count) {
		ret = plan_add_workload(plan, "ping interval=0", err);
	}
	return ret < 0 ? ret : plan_words_put(plan, request->words, request->word_count, err);
}

static int read_format(const struct request *request, enum table_format *format, struct err *err)
{
	return request->text[OPTION_FORMAT] ? table_format_find(request->text[OPTION_FORMAT], format, err) : 0;
}

/* ---- a model ---- */

/* "2/8": the second of eight. */
static int read_shard(const char *text, struct sweep_model_request *model, struct err *err)
{
	char number[16] = "";
	const char *const slash = text ? strchr(text, '/') : NULL;
	int ret = 0;

	if (!text) {
		return 0;
	}
	if (!slash || slash - text >= (ptrdiff_t)sizeof(number)) {
		return err_set(err, -EINVAL, "--shard is I/N, such as 2/8 for the second of eight, not \"%.40s\"",
			       text);
	}
	memcpy(number, text, (size_t)(slash - text));
	ret = cmd_read_count(slash + 1, "shard", PLAN_CELLS_MAX, &model->shards, err);
	ret = ret ? ret : cmd_read_count(number, "shard", model->shards, &model->shard, err);
	model->shard--; /* people count from 1 */
	return ret;
}

static int run_model(const struct request *request, const struct plan *plan)
{
	struct sweep_model_request model = { .jobs = sweep_model_cores(),
					     .output = request->text[OPTION_OUTPUT],
					     .yes = request->text[OPTION_YES],
					     .store = request->text[OPTION_STORE],
					     .label = request->text[OPTION_LABEL],
					     .resumes = request->text[OPTION_RESUME],
					     .command = request->entry.command };
	struct err err = { "" };
	int ret = cmd_read_count(request->text[OPTION_JOBS], "jobs", SWEEP_JOBS_MAX, &model.jobs, &err);

	ret = ret ? ret : read_format(request, &model.format, &err);
	ret = ret ? ret : read_shard(request->text[OPTION_SHARD], &model, &err);
	if (ret == 0 && model.resumes && !model.store) {
		ret = err_set(&err, -EINVAL, "--resume goes on with what a store has: --store FILE");
	}
	ret = ret ? ret : sweep_model(plan, &model, &err);
	return ret < 0 ? cmd_fail(ret, &err) : CMD_FINE;
}

/* ---- a real interface ---- */

static int read_live(const struct request *request, const struct plan *plan, struct sweep_live_request *live,
		     struct err *err)
{
	const char *const repeat = request->text[OPTION_REPEAT], *const budget = request->text[OPTION_BUDGET];
	const uint32_t given = plan->setup.given;
	uint32_t rounds = 0;
	int ret = 0;

	if (!live->options.peer_host) {
		return err_set(err, -EINVAL, "a host to measure against is needed: --peer-host ADDRESS");
	}
	if (repeat && strcmp(repeat, "auto") != 0) {
		ret = cmd_read_count(repeat, "repeat", MEASURE_REPEATS_MAX, &rounds, err);
	}
	live->rounds = rounds;
	live->duration_ns = given & (1u << SETUP_DURATION) ? plan->setup.duration_ns : DURATION_DEFAULT_NS;
	live->warmup_ns = given & (1u << SETUP_WARMUP) ? plan->setup.warmup_ns : WARMUP_DEFAULT_NS;
	live->seed = plan->setup.seed;
	ret = ret || !budget ? ret : measuring_read_span(budget, "budget", 1, &live->budget_ns, err);
	return ret ? ret : read_format(request, &live->format, err);
}

static int run_live(const struct request *request, const struct plan *plan)
{
	struct sweep_live_request live = {
		.options = { .device = request->device,
			     .peer_host = request->text[SETUP_PEER_HOST],
			     .peer = request->text[SETUP_PEER],
			     .netns = request->text[OPTION_NETNS],
			     .pin = request->text[OPTION_PIN] },
		.plan = plan,
		.both = request->text[OPTION_BOTH],
		.peer_set = request->text[SETUP_PEER_SET],
		.resumes = request->text[OPTION_RESUME],
		.yes = request->text[OPTION_YES],
		.store = request->text[OPTION_STORE] ? request->text[OPTION_STORE] : STORE_DEFAULT,
		.label = request->text[OPTION_LABEL],
		.command = request->entry.command,
		.output = request->text[OPTION_OUTPUT],
	};
	struct err err = { "" };
	const int ret = read_live(request, plan, &live, &err);

	return ret ? cmd_fail(ret, &err) : sweep_live(&live);
}

/* ---- the command ---- */

static int sweep_arguments(struct cmd_arguments arguments, struct request *request)
{
	struct err err = { "" };
	const int status = read_form(arguments, request);

	if (status >= 0) {
		return status;
	}
	if (request->needs_profile && !request->text[OPTION_PROFILE]) {
		return cmd_usage_error(arguments.usage,
				       "a profile is needed: --profile FILE.ini, which holdoff calibrate writes");
	}
	struct plan *const plan = malloc(sizeof(*plan));
	int ret = plan ? check_options(request, &err) : err_set(&err, -ENOMEM, "no memory for a plan");

	/* What was measured would be kept, but its table is what was asked for. */
	ret = ret || !request->text[OPTION_OUTPUT] ? ret
						   : whole_file_check(request->text[OPTION_OUTPUT], "table", &err);
	if (ret == 0) {
		plan_init(plan);
		ret = read_plan(arguments, request, plan, &err);
	}
	const int result = ret               ? cmd_fail(ret, &err)
			   : request->device ? run_live(request, plan)
					     : run_model(request, plan);

	free(plan);
	return result;
}

static void make_options(struct cmd_option options[OPTIONS])
{
	setup_options(options, true);
	options[SETUP_PEER].takes = "BOARD|ideal:DELAY|COMMAND";
	options[SETUP_PEER].help = "the other end of a model; to a real interface: starts holdoff peer there";
	options[SETUP_PEER_SET].takes = "WORDS|same";
	options[SETUP_PEER_SET].help = "settings of the other end; of a real interface same: each as it is set here";
	options[SETUP_PEER_HOST].takes = "PROFILE|ADDRESS";
	options[SETUP_PEER_HOST].help = "of a model's peer; to a real interface: the other end, a name or an address";
}

static int run_command(const struct cmd_usage *wanted, bool needs_profile, int argc, char **argv)
{
	struct cmd_option options[OPTIONS] = {
		[OPTION_PLAN] = { "plan", "NAME|FILE",
				  "settings and workloads from a plan; default for models: that called default",
				  false },
		[OPTION_FORMAT] = { "format", "text|markdown|csv|json", "of the table", false },
		[OPTION_OUTPUT] = { "output", "FILE", "write the table to a file, whole or not at all", false },
		[OPTION_PROFILE] = { "profile", "FILE",
				     "models: ends and costs as holdoff calibrate fitted them; other options go over "
				     "it",
				     false },
		[OPTION_YES] = { "yes", NULL, "run also what takes long", false },
		[OPTION_JOBS] = { "jobs", "N", "models: how many cells at a time; default: one per core", false },
		[OPTION_RESUME] = { "resume", NULL,
				    "only what the store lacks: of its last unfinished sweep; of this one of a model",
				    false },
		[OPTION_SHARD] = { "shard", "I/N", "models: only every Nth cell, from the Ith on", false },
		[OPTION_REPEAT] = { "repeat", "N|auto",
				    "rounds over all settings; auto: until the medians are known to 5 %", false },
		[OPTION_BUDGET] = { "budget", "TIME", "end in order after this time", false },
		[OPTION_BOTH] = { "both", NULL, "udp, voip, tcp: both ways at once", false },
		[OPTION_PIN] = { "pin", "CPU|any", "stay on that CPU, at a real-time priority, out of deep idle states",
				 false },
		[OPTION_NETNS] = { "netns", "NAME|PATH", "the interface is in this network namespace", false },
		[OPTION_STORE] = { "store", "FILE",
				   "where runs are kept; of a real interface also without it: " STORE_DEFAULT, false },
		[OPTION_LABEL] = { "label", "TEXT", "what to call the runs in the store", false },
	};
	struct cmd_usage usage = *wanted;
	struct cmd_arguments arguments;
	struct request request = { .needs_profile = needs_profile,
				   .words = calloc(2 * (size_t)argc, sizeof(const char *)) };
	const char **const words = request.words;

	usage.options = options;
	usage.option_count = OPTIONS;
	usage.words = "settings";
	usage.more = cmd_print_workloads;
	make_options(options);
	store_entry_set_command(&request.entry, argc, argv);
	cmd_arguments_init(&arguments, &usage, argc, argv);
	const int status = words ? sweep_arguments(arguments, &request) : CMD_USAGE;

	free(words);
	return status;
}

int cmd_sweep(int argc, char **argv)
{
	static const struct cmd_usage usage = {
		.name = "sweep",
		.synopsis = "(DEV --peer-host ADDRESS | --board NAME|FILE) [OPTIONS] [WORD V1,V2,... ...]\n"
			    "               [--workload \"NAME key=value ...\" ...]",
		.about = "Runs a grid of settings times workloads and prints a table. A list of values, for a word\n"
			 "(or for an option of a model that has one value), makes a dimension of the grid.\n"
			 "On a real interface every setting is set, measured in rounds of random order with the\n"
			 "present setting as a control among them, and put back in the end, whatever the end is.\n"
			 "On a model it is the default plan without workloads and plan: rates from 100/s to line\n"
			 "rate, constant, Poisson and in bursts, ping, voip, tftp and tcp.\n",
	};

	return run_command(&usage, false, argc, argv);
}

int cmd_predict(int argc, char **argv)
{
	static const struct cmd_usage usage = {
		.name = "predict",
		.synopsis = "--profile FILE.ini [OPTIONS] [WORD V1,V2,... ...] [--workload \"NAME key=value ...\" ...]",
		.about = "What other settings of a machine would do: a sweep on the model as holdoff calibrate fitted\n"
			 "it there. With --store the runs can be put beside measured ones by holdoff compare.\n",
	};

	return run_command(&usage, true, argc, argv);
}
