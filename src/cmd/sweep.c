/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * holdoff sweep: a grid of settings times workloads, on all cores. Every cell is one call of world_run, which
 * is pure, so threads take cells by an atomic index and write into rows of their own: the table does not
 * depend on who was first.
 * Nothing is written before all is known, and a file appears whole or not at all.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "base/time.h"
#include "cmd/cmd.h"
#include "cmd/setup_options.h"
#include "report/table.h"
#include "sim/plan.h"
#include "sim/world.h"

enum { OPTION_PLAN = SETUP_KEYS, OPTION_JOBS, OPTION_FORMAT, OPTION_OUTPUT, OPTION_YES, OPTIONS };

#define JOBS_MAX 256

struct request {
	const char *plan, *output;
	uint32_t jobs;
	enum table_format format;
	bool yes, has_workload;
	unsigned word_count;
	const char **words;
};

struct sweep {
	const struct plan *plan;
	struct table_row *rows;
	uint32_t cells;
	atomic_uint next, done;
	atomic_bool failed;
	pthread_mutex_t lock; /* over the two below */
	int error;            /* of the first cell that could not be run at all */
	struct err err;
};

/* ---- options ---- */

static int read_form(struct cmd_arguments arguments, struct request *request, struct err *err)
{
	const char *value;
	int option, ret = 0;

	while (ret == 0 && (option = cmd_next(&arguments, &value)) != CMD_END) {
		switch (option) {
		case CMD_STOP:
			request->words = NULL;
			return arguments.status;
		case CMD_WORD:
			request->words[request->word_count++] = value;
			break;
		case SETUP_WORKLOAD:
			request->has_workload = true;
			break;
		case OPTION_PLAN:
			request->plan = value;
			break;
		case OPTION_JOBS:
			ret = text_parse_u32(value, "jobs", &request->jobs, err);
			if (ret == 0 && (request->jobs < 1 || request->jobs > JOBS_MAX)) {
				ret = err_set(err, -EINVAL, "jobs %s: 1 to %d are possible", value, JOBS_MAX);
			}
			break;
		case OPTION_FORMAT:
			ret = table_format_find(value, &request->format, err);
			break;
		case OPTION_OUTPUT:
			request->output = value;
			break;
		case OPTION_YES:
			request->yes = true;
			break;
		}
	}
	return ret;
}

/* A setting's bit, the same for its aliases; 0: no setting. */
static uint64_t setting_bit(const char *name)
{
	const enum setup_key key = setup_find(name);

	static_assert(SETUP_KEYS + COALESCE_FIELDS < 64, "a bit for each");
	return setup_is_word(name) ? UINT64_C(1) << (key < SETUP_KEYS ? key : SETUP_KEYS + coalesce_field_find(name))
				   : 0;
}

/* NAME=V1,V2 or NAME V1,V2. A word goes over the plan's, but not over another word. */
static int put_words(struct plan *plan, const struct request *request, struct err *err)
{
	uint64_t seen = 0;
	int ret = 0;

	for (unsigned i = 0; ret == 0 && i < request->word_count; i++) {
		char name[64];
		const char *word = request->words[i], *equals = strchr(word, '=');
		const int length = equals ? (int)(equals - word) : (int)strlen(word);
		const char *values = equals ? equals + 1 : i + 1 < request->word_count ? request->words[++i] : NULL;

		if (length >= (int)sizeof(name)) {
			return err_set(err, -EINVAL, "unknown setting \"%.60s...\"", word);
		}
		snprintf(name, sizeof(name), "%.*s", length, word);
		if (!values) {
			return err_set(err, -EINVAL, "%s needs a value or a list of values", name);
		}
		if (seen & setting_bit(name)) {
			return err_set(err, -EINVAL, "%s is given twice: several values make a list, as in %s=0,100",
				       name, name);
		}
		seen |= setting_bit(name);
		ret = plan_put(plan, name, values, err);
	}
	return ret;
}

static int read_plan(struct cmd_arguments arguments, const struct request *request, struct plan *plan, struct err *err)
{
	const char *value;
	int option;
	int ret = request->plan || !request->has_workload
			  ? plan_load(plan, request->plan ? request->plan : "default", err)
			  : 0;

	if (!request->plan && request->word_count) {
		plan->axis_count = 0; /* the user's grid, not that of the default plan as well */
	}
	if (request->has_workload) {
		plan->workload_count = 0;
	}
	while (ret == 0 && (option = cmd_next(&arguments, &value)) != CMD_END) {
		if (option >= 0 && option < SETUP_KEYS) {
			ret = plan_put(plan, setup_keys[option].name, value, err);
		}
	}
	return ret < 0 ? ret : put_words(plan, request, err);
}

/* ---- how long it will take ---- */

/* Checks every cell on the way, so that a grid that cannot be run says so before an hour has passed. */
static int check_cells(const struct plan *plan, uint32_t cells, uint64_t *frames, struct err *err)
{
	char label[PLAN_LABEL_MAX];
	struct world_config config;
	struct setup setup;
	int ret = 0;

	*frames = 0;
	for (uint32_t cell = 0; ret == 0 && cell < cells; cell++) {
		ret = plan_cell(plan, cell, &setup, label, err);
		if (ret == 0) {
			ret = setup_config(&setup, &config, err);
		}
		if (ret == 0) {
			const uint64_t more = plan_frames(&config);

			*frames = *frames + more < *frames ? UINT64_MAX : *frames + more;
		}
	}
	return ret;
}

static int ask_for_yes(const struct request *request, uint32_t cells, uint64_t frames, struct err *err)
{
	char what[32];

	snprintf(what, sizeof(what), "these %" PRIu32 " cells", cells);
	return request->yes ? 0 : plan_check_length(what, frames, request->jobs, err);
}

/* ---- running ---- */

static void note_failure(struct sweep *sweep, int error, const struct err *err)
{
	pthread_mutex_lock(&sweep->lock);
	if (sweep->error == 0) {
		sweep->error = error;
		sweep->err = *err;
	}
	pthread_mutex_unlock(&sweep->lock);
	atomic_store(&sweep->failed, true);
}

/* A refused setting is a row that says so. */
static void refuse(struct table_row *row, const struct world_config *config, int error, const struct err *err)
{
	const struct end_config *end = &config->end[0];

	row->error = error;
	err_name(error, row->error_name);
	snprintf(row->why, sizeof(row->why), "%s", err->text);
	row->model = true;
	snprintf(row->board, sizeof(row->board), "%s", end->board.name);
	snprintf(row->driver, sizeof(row->driver), "%s", end->driver[0] ? end->driver : end->board.driver);
	snprintf(row->host, sizeof(row->host), "%s", end->profile.name);
	snprintf(row->host_source, sizeof(row->host_source), "%s", end->profile.source);
	snprintf(row->host_fit, sizeof(row->host_fit), "%s", end->profile.fit);
	row->speed_mbps = config->speed_mbps;
	workload_print(&config->workload, row->workload);
}

static int run_cell(const struct sweep *sweep, uint32_t cell, struct run *run, struct err *err)
{
	struct table_row *row = &sweep->rows[cell];
	struct world_config config;
	struct setup setup;
	int ret = plan_cell(sweep->plan, cell, &setup, row->setting, err);

	plan_conditions(sweep->plan, row->conditions);
	if (ret == 0) {
		ret = setup_config(&setup, &config, err);
	}
	if (ret < 0) {
		return ret;
	}
	bool unsupported;

	ret = setup_try_request(&config, &unsupported, err);
	if (ret < 0) {
		refuse(row, &config, ret, err);
		return 0;
	}
	ret = world_run(&config, run, err);
	if (ret == 0) {
		table_row_take(row, run);
	}
	return ret;
}

static void *worker(void *context)
{
	struct sweep *sweep = context;
	struct err err = { "" };
	struct run *run = malloc(sizeof(*run));

	if (!run) {
		err_set(&err, -ENOMEM, "no memory for a run");
		note_failure(sweep, -ENOMEM, &err);
		return NULL;
	}
	while (!atomic_load(&sweep->failed)) {
		const uint32_t cell = atomic_fetch_add(&sweep->next, 1);

		if (cell >= sweep->cells) {
			break;
		}
		const int ret = run_cell(sweep, cell, run, &err);

		if (ret < 0) {
			note_failure(sweep, ret, &err);
		}
		atomic_fetch_add(&sweep->done, 1);
	}
	free(run);
	return NULL;
}

static void show_progress(const struct sweep *sweep)
{
	const struct timespec pause = { 0, 100 * NS_PER_MS };
	unsigned done;

	while ((done = atomic_load(&sweep->done)) < sweep->cells && !atomic_load(&sweep->failed)) {
		fprintf(stderr, "\r%u of %" PRIu32 " cells", done, sweep->cells);
		fflush(stderr);
		nanosleep(&pause, NULL);
	}
	fputs("\r\033[K", stderr);
}

static int run_all(struct sweep *sweep, unsigned jobs, struct err *err)
{
	pthread_t threads[JOBS_MAX];
	unsigned started = 0;

	while (started < jobs && started < sweep->cells &&
	       pthread_create(&threads[started], NULL, worker, sweep) == 0) {
		started++;
	}
	if (started == 0) {
		return err_set(err, -EAGAIN, "no thread could be started");
	}
	if (isatty(STDERR_FILENO)) {
		show_progress(sweep);
	}
	for (unsigned i = 0; i < started; i++) {
		pthread_join(threads[i], NULL);
	}
	if (sweep->error) {
		*err = sweep->err;
	}
	return sweep->error;
}

/* ---- output ---- */

/* As a file that this process creates would have it. */
static void give_usual_mode(int fd)
{
	const mode_t mask = umask(0);

	umask(mask);
	fchmod(fd, 0666 & ~mask);
}

static int write_and_rename(const struct table_row *rows, uint32_t cells, const struct request *request,
			    char *temporary)
{
	const int fd = mkstemp(temporary);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out) {
		return -errno;
	}
	give_usual_mode(fd);
	int ret = table_write(rows, cells, request->format, out);

	if (fclose(out) != 0 && ret == 0) {
		ret = -errno;
	}
	if (ret == 0 && rename(temporary, request->output) != 0) {
		ret = -errno;
	}
	if (ret < 0) {
		unlink(temporary);
	}
	return ret;
}

/* Into a file beside it that then takes its name; signals wait until one or the other is there. */
static int write_file(const struct table_row *rows, uint32_t cells, const struct request *request, struct err *err)
{
	char temporary[4096];
	sigset_t all, before;
	struct stat status;

	if ((size_t)snprintf(temporary, sizeof(temporary), "%s.XXXXXX", request->output) >= sizeof(temporary)) {
		return err_set(err, -ENAMETOOLONG, "%.60s...: the name is too long", request->output);
	}
	if (stat(request->output, &status) == 0 && !S_ISREG(status.st_mode)) {
		return err_set(err, -EINVAL,
			       "%s is no regular file: without --output the table goes to standard output",
			       request->output);
	}
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	const int ret = write_and_rename(rows, cells, request, temporary);

	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret < 0 ? err_set(err, ret, "cannot write %s: %s", request->output, strerror(-ret)) : 0;
}

static int sweep_plan(const struct plan *plan, const struct request *request, struct err *err)
{
	struct sweep sweep = { .plan = plan, .lock = PTHREAD_MUTEX_INITIALIZER };
	uint64_t frames;
	int ret = plan_cells(plan, &sweep.cells, err);

	if (ret == 0) {
		ret = check_cells(plan, sweep.cells, &frames, err);
	}
	if (ret == 0) {
		ret = ask_for_yes(request, sweep.cells, frames, err);
	}
	if (ret < 0) {
		return ret;
	}
	sweep.rows = calloc(sweep.cells, sizeof(*sweep.rows));
	if (!sweep.rows) {
		return err_set(err, -ENOMEM, "no memory for %" PRIu32 " cells", sweep.cells);
	}
	ret = run_all(&sweep, request->jobs, err);
	if (ret == 0 && request->output) {
		ret = write_file(sweep.rows, sweep.cells, request, err);
	} else if (ret == 0) {
		table_write(sweep.rows, sweep.cells, request->format, stdout); /* main looks after failed writes */
	}
	free(sweep.rows);
	return ret;
}

static uint32_t cores(void)
{
	const long online = sysconf(_SC_NPROCESSORS_ONLN);

	return online < 1 ? 1 : online > JOBS_MAX ? JOBS_MAX : (uint32_t)online;
}

static int sweep_arguments(struct cmd_arguments arguments, struct request *request)
{
	struct err err = { "" };
	struct plan *plan = malloc(sizeof(*plan));
	int ret = plan ? read_form(arguments, request, &err) : err_set(&err, -ENOMEM, "no memory for a plan");

	if (ret >= 0 && !request->words) { /* complained already, or helped */
		free(plan);
		return ret;
	}
	if (ret == 0) {
		plan_init(plan);
		ret = read_plan(arguments, request, plan, &err);
	}
	if (ret == 0) {
		ret = sweep_plan(plan, request, &err);
	}
	free(plan);
	return ret < 0 ? cmd_fail(ret, &err) : CMD_FINE;
}

int cmd_sweep(int argc, char **argv)
{
	struct cmd_option options[OPTIONS] = {
		[OPTION_PLAN] = { "plan", "NAME|FILE",
				  "settings and workloads from a plan; default: that called default", false },
		[OPTION_JOBS] = { "jobs", "N", "how many cells at a time; default: one per core", false },
		[OPTION_FORMAT] = { "format", "text|markdown|csv|json", "of the table", false },
		[OPTION_OUTPUT] = { "output", "FILE", "write the table to a file, whole or not at all", false },
		[OPTION_YES] = { "yes", NULL, "run also what takes long", false },
	};
	const struct cmd_usage usage = {
		.name = "sweep",
		.synopsis = "--board NAME|FILE [OPTIONS] [WORD V1,V2,... ...] [--workload \"NAME key=value ...\" ...]",
		.about = "Runs a grid of settings times workloads on the model and prints a table. A list of values,\n"
			 "for a word or for an option that has one value, makes a dimension of the grid. Without\n"
			 "workloads and plan it is the default plan: rates from 100/s to line rate, constant, Poisson\n"
			 "and in bursts, ping, voip, tftp and tcp.\n",
		.options = options,
		.option_count = OPTIONS,
		.words = "settings",
		.more = cmd_print_workloads,
	};
	struct cmd_arguments arguments;
	struct request request = { .jobs = cores(), .words = calloc(2 * (size_t)argc, sizeof(const char *)) };
	const char **words = request.words;

	setup_options(options, true);
	cmd_arguments_init(&arguments, &usage, argc, argv);
	const int status = words ? sweep_arguments(arguments, &request) : CMD_USAGE;

	free(words);
	return status;
}
