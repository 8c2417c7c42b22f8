/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sweep of a model: a grid of settings times workloads, on all cores. Every cell is one call of world_run, which
 * is pure, so threads take cells by an atomic index and write into rows of their own: the table does not
 * depend on who was first.
 * Nothing is written before all is known.
 */
#include "cmd/sweep_model.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "cmd/sweep_model_kept.h"
#include "cmd/table_output.h"
#include "sim/world.h"

uint32_t sweep_model_cores(void)
{
	const long online = sysconf(_SC_NPROCESSORS_ONLN);

	return online < 1 ? 1 : online > SWEEP_JOBS_MAX ? SWEEP_JOBS_MAX : (uint32_t)online;
}

struct sweep {
	const struct plan *plan;
	const struct sweep_model_request *request;
	struct table_row *rows;
	bool *is_there; /* cells that the store has */
	uint32_t cells;
	atomic_uint next, done;
	atomic_bool failed;
	pthread_mutex_t lock; /* over what is below */
	struct model_kept kept;
	int error; /* of the first cell that could not be run, or kept, at all */
	struct err err;
};

static bool is_own(const struct sweep_model_request *request, uint32_t cell)
{
	return request->shards == 0 || cell % request->shards == request->shard;
}

/* ---- how long it will take ---- */

/* Checks every cell on the way, so that a grid that cannot be run says so before an hour has passed. */
static int check_cells(const struct plan *plan, const struct sweep_model_request *request, uint32_t cells,
		       uint64_t *frames, struct err *err)
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

			if (is_own(request, cell)) {
				*frames = *frames + more < *frames ? UINT64_MAX : *frames + more;
			}
		}
	}
	return ret;
}

static int ask_for_yes(const struct sweep_model_request *request, uint32_t cells, uint64_t frames, struct err *err)
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

/* A store belongs to one thread at a time. */
static int keep(struct sweep *sweep, uint32_t cell, const struct run *run, const char *why, struct err *err)
{
	pthread_mutex_lock(&sweep->lock);
	const int ret = model_kept_add(&sweep->kept, cell, run, why, err);

	pthread_mutex_unlock(&sweep->lock);
	return ret;
}

static int hand_over(struct sweep *sweep, const struct run *run, const char *why, struct err *err)
{
	const struct sweep_model_request *const request = sweep->request;

	if (!request->each) {
		return 0;
	}
	pthread_mutex_lock(&sweep->lock);
	const int ret = request->each(request->context, run, why, err);

	pthread_mutex_unlock(&sweep->lock);
	return ret;
}

static int run_cell(struct sweep *sweep, uint32_t cell, struct run *run, struct err *err)
{
	struct table_row *row = &sweep->rows[cell];
	struct world_config config;
	struct setup setup;
	int ret = plan_cell(sweep->plan, cell, &setup, row->setting, err);

	plan_conditions(sweep->plan, row->conditions);
	if (ret == 0) {
		ret = setup_config(&setup, &config, err);
	}
	if (ret < 0 || sweep->is_there[cell]) {
		return ret;
	}
	bool unsupported;

	ret = setup_try_request(&config, &unsupported, err);
	if (ret < 0) {
		refuse(row, &config, ret, err);
		ret = keep(sweep, cell, NULL, row->why, err);
		return ret ? ret : hand_over(sweep, NULL, row->why, err);
	}
	ret = world_run(&config, run, err);
	if (ret == 0) {
		table_row_take(row, run);
		ret = keep(sweep, cell, run, NULL, err);
		ret = ret ? ret : hand_over(sweep, run, NULL, err);
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
		const int ret = is_own(sweep->request, cell) ? run_cell(sweep, cell, run, &err) : 0;

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
	pthread_t threads[SWEEP_JOBS_MAX];
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

/* Rows of the cells of other shards are left out. */
static uint32_t close_ranks(struct sweep *sweep)
{
	uint32_t count = 0;

	for (uint32_t cell = 0; cell < sweep->cells; cell++) {
		if (is_own(sweep->request, cell)) {
			sweep->rows[count++] = sweep->rows[cell];
		}
	}
	return count;
}

static int run_rows(struct sweep *sweep, const struct sweep_model_request *request, struct err *err)
{
	int ret = request->resumes ? model_kept_read(&sweep->kept, sweep->rows, sweep->is_there, err) : 0;

	ret = ret ? ret : run_all(sweep, request->jobs, err);
	if (ret == 0 && !request->each) {
		ret = table_output(sweep->rows, close_ranks(sweep), request->format, request->output, err);
	}
	return ret;
}

static int run_and_write(struct sweep *sweep, const struct sweep_model_request *request, struct err *err)
{
	sweep->rows = calloc(sweep->cells, sizeof(*sweep->rows));
	sweep->is_there = calloc(sweep->cells, sizeof(*sweep->is_there));
	const int ret = sweep->rows && sweep->is_there
				? run_rows(sweep, request, err)
				: err_set(err, -ENOMEM, "no memory for %" PRIu32 " cells", sweep->cells);

	free(sweep->rows);
	free(sweep->is_there);
	return ret;
}

int sweep_model(const struct plan *plan, const struct sweep_model_request *request, struct err *err)
{
	struct sweep sweep = { .plan = plan, .request = request, .lock = PTHREAD_MUTEX_INITIALIZER };
	uint64_t frames;
	int ret = plan_cells(plan, &sweep.cells, err);

	if (ret == 0) {
		ret = check_cells(plan, request, sweep.cells, &frames, err);
	}
	if (ret == 0) {
		ret = ask_for_yes(request, sweep.cells, frames, err);
	}
	ret = ret ? ret : model_kept_begin(&sweep.kept, plan, request, err);
	ret = ret ? ret : run_and_write(&sweep, request, err);
	model_kept_end(&sweep.kept);
	return ret;
}
