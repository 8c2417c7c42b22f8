/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a sweep keeps: every run, as soon as it is made, in the store; so the store alone says where a sweep is. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/sweep_live.h"
#include "run/sum.h"
#include "stats/interval.h"

#define PLAN_TEXT_MAX (64 * 1024)

/* Everything that a resumed sweep must have in common with what it goes on with, one thing a line. */
static char *print_plan(const struct live_sweep *sweep, struct err *err)
{
	const struct sweep_live_request *const request = sweep->request;
	char duration[TEXT_DURATION_MAX], warmup[TEXT_DURATION_MAX], *text = NULL;
	size_t size;
	FILE *const out = open_memstream(&text, &size);

	if (!out) {
		err_set(err, -ENOMEM, "no memory for the plan");
		return NULL;
	}
	fprintf(out, "interface %s\npeer %s\nduration %s\nwarm-up %s\n", sweep->measuring.nic.name,
		request->options.peer_host, text_print_duration(request->duration_ns, duration),
		text_print_duration(request->warmup_ns, warmup));
	if (request->peer_set) {
		fprintf(out, "far end %s\n", request->peer_set);
	}
	if (request->both) {
		fputs("both ways\n", out);
	}
	for (uint32_t i = 0; i < sweep->settings; i++) {
		fprintf(out, "setting %s\n", sweep->setting[i].label);
	}
	for (uint32_t i = 0; i < sweep->workloads; i++) {
		char workload[WORKLOAD_TEXT_MAX];

		workload_print(&sweep->workload[i], workload);
		fprintf(out, "workload %s\n", workload);
	}
	if (fclose(out) != 0) {
		err_set(err, -ENOMEM, "no memory for the plan");
		free(text);
		return NULL;
	}
	return text;
}

/* The first line that is not the same in both. */
static int complain_plan(const char *kept, const char *asked, struct err *err)
{
	while (*kept && *asked && strcspn(kept, "\n") == strcspn(asked, "\n") &&
	       memcmp(kept, asked, strcspn(kept, "\n")) == 0) {
		kept += strcspn(kept, "\n") + (kept[strcspn(kept, "\n")] == '\n');
		asked += strcspn(asked, "\n") + (asked[strcspn(asked, "\n")] == '\n');
	}
	return err_set(err, -EINVAL,
		       "the sweep to be resumed is another one: it has \"%.*s\" where this one has \"%.*s\" "
		       "(the same command with --resume goes on)",
		       (int)strcspn(kept, "\n"), kept, (int)strcspn(asked, "\n"), asked);
}

/* ---- the runs that are there ---- */

static const struct histogram *deciding(const struct run *run)
{
	const enum run_latency latency = run->findings.has & (1u << RUN_RTT) ? RUN_RTT : RUN_ONE_WAY;

	return run->findings.has & (1u << latency) ? &run->findings.latency[latency] : NULL;
}

/* The medians stay in the order of time. */
static bool interval_of_cell(const struct live_cell *cell, struct interval *interval)
{
	int64_t copy[MEASURE_REPEATS_MAX];

	memcpy(copy, cell->median_ns, sizeof(copy));
	return interval_of_median(copy, cell->medians, interval);
}

static void judge_cell(struct live_cell *cell)
{
	struct interval interval;

	cell->is_narrow = cell->medians ? interval_of_cell(cell, &interval) && measure_is_narrow(&interval)
					: cell->runs >= INTERVAL_VALUES_MIN;
}

static void take_run(struct live_sweep *sweep, uint32_t setting, uint32_t workload, const struct run *run)
{
	const struct histogram *const histogram = deciding(run);
	struct live_cell *const cell = live_cell_of(sweep, setting, workload);

	sweep->is_tainted |= run->conditions.measured.taint_count > 0;
	cell->runs++;
	if (histogram && histogram->count && cell->medians < MEASURE_REPEATS_MAX) {
		cell->median_ns[cell->medians++] = histogram_percentile(histogram, 500000);
	}
	judge_cell(cell);
}

/* The workload of a run, or workloads if it is none of the sweep's. */
static uint32_t workload_of(const struct live_sweep *sweep, const struct run *run)
{
	char text[WORKLOAD_TEXT_MAX], other[WORKLOAD_TEXT_MAX];
	uint32_t workload = 0;

	workload_print(&run->conditions.workload, text);
	while (workload < sweep->workloads && strcmp(workload_print(&sweep->workload[workload], other), text) != 0) {
		workload++;
	}
	return workload;
}

/* Calls back for each run of the experiment that fits the terms and counts, in the order of time. */
static int each_run(struct live_sweep *sweep, const char *terms,
		    void (*take)(void *context, uint32_t setting, uint32_t workload, const struct run *run),
		    void *context, struct err *err)
{
	char text[STORE_UUID_MAX + 64];
	struct store_filter filter = { 0 };
	struct store_cursor *cursor = NULL;
	struct store_entry *const entry = malloc(sizeof(*entry));
	struct run *const run = malloc(sizeof(*run));
	int ret = entry && run ? 0 : err_set(err, -ENOMEM, "no memory for a run");

	snprintf(text, sizeof(text), "experiment=%s,%s", sweep->experiment.uuid, terms);
	ret = ret ? ret : store_filter_parse(&filter, text, err);
	ret = ret ? ret : store_find(sweep->store, &filter, &cursor, err);
	while (ret == 0 && (ret = store_next(cursor, entry, run, err)) == 1) {
		const uint32_t workload = workload_of(sweep, run);

		ret = 0;
		if (workload < sweep->workloads) {
			take(context, entry->role == STORE_CELL ? entry->cell % sweep->settings : sweep->settings,
			     workload, run);
		}
	}
	store_cursor_end(cursor);
	free(entry);
	free(run);
	return ret;
}

static void take_kept(void *context, uint32_t setting, uint32_t workload, const struct run *run)
{
	take_run(context, setting, workload, run);
}

/* ---- beginning ---- */

static int make_experiment(struct live_sweep *sweep, char *plan, struct err *err)
{
	struct store_experiment *const experiment = &sweep->experiment;
	struct store_cell *const cells = calloc((size_t)sweep->settings * sweep->workloads, sizeof(*cells));

	if (!cells) {
		return err_set(err, -ENOMEM, "no memory for cells");
	}
	snprintf(experiment->command, sizeof(experiment->command), "%s", sweep->request->command);
	snprintf(experiment->kind, sizeof(experiment->kind), STORE_SWEEP);
	snprintf(experiment->label, sizeof(experiment->label), "%s",
		 sweep->request->label ? sweep->request->label : "");
	experiment->seed = sweep->request->seed;
	experiment->cells = sweep->settings * sweep->workloads;
	experiment->plan = plan;
	for (uint32_t i = 0; i < experiment->cells; i++) {
		cells[i].number = i;
		snprintf(cells[i].setting, sizeof(cells[i].setting), "%s", sweep->setting[i % sweep->settings].label);
		workload_print(&sweep->workload[i / sweep->settings], cells[i].workload);
	}
	const int ret = store_add_experiment(sweep->store, experiment, cells, err);

	free(cells);
	return ret;
}

static int resume_experiment(struct live_sweep *sweep, const char *plan, struct err *err)
{
	int ret = store_get_experiment(sweep->store, "", &sweep->experiment, err);

	if (ret == -ENOENT) {
		return err_set(err, ret, "%s has no sweep that could be resumed", sweep->request->store);
	}
	if (ret == 0 && strcmp(sweep->experiment.plan, plan) != 0) {
		ret = complain_plan(sweep->experiment.plan, plan, err);
	}
	return ret ? ret : each_run(sweep, "role=cell|control", take_kept, sweep, err);
}

int live_kept_begin(struct live_sweep *sweep, struct err *err)
{
	char *const plan = print_plan(sweep, err);
	int ret = plan ? store_open(&sweep->store, sweep->request->store, STORE_CREATE, err) : -ENOMEM;

	if (ret == 0) {
		ret = sweep->request->resumes ? resume_experiment(sweep, plan, err) : make_experiment(sweep, plan, err);
	}
	if (sweep->experiment.plan != plan) {
		free(plan);
	}
	return ret;
}

/* ---- keeping ---- */

int live_kept_add(struct live_sweep *sweep, uint32_t setting, uint32_t workload, const struct run *run, struct err *err)
{
	struct live_cell *const cell = live_cell_of(sweep, setting, workload);
	struct store_entry entry = { .role = setting < sweep->settings ? STORE_CELL : STORE_CONTROL,
				     .repeat = cell->runs + 1 };

	if (setting < sweep->settings) {
		entry.cell = workload * sweep->settings + setting;
	}
	memcpy(entry.experiment, sweep->experiment.uuid, sizeof(entry.experiment));
	memcpy(entry.command, sweep->experiment.command, sizeof(entry.command));
	memcpy(entry.label, sweep->experiment.label, sizeof(entry.label));
	const int ret = store_add(sweep->store, &entry, run, err);

	if (ret == 0) {
		take_run(sweep, setting, workload, run);
	}
	return ret;
}

int live_kept_leave_out(struct live_sweep *sweep, uint32_t setting, struct err *err)
{
	const struct live_setting *const out = &sweep->setting[setting];
	int ret = 0;

	for (uint32_t workload = 0; ret == 0 && workload < sweep->workloads; workload++) {
		ret = store_set_cell(sweep->store, sweep->experiment.uuid, workload * sweep->settings + setting,
				     out->error ? STORE_CELL_FAILED : STORE_CELL_SKIPPED, out->why, err);
	}
	return ret;
}

int live_kept_finish(struct live_sweep *sweep, struct err *err)
{
	int ret = store_begin(sweep->store, err);

	for (uint32_t i = 0; ret == 0 && i < sweep->settings * sweep->workloads; i++) {
		if (!sweep->setting[i % sweep->settings].is_out) {
			ret = store_set_cell(sweep->store, sweep->experiment.uuid, i, STORE_CELL_DONE, "", err);
		}
	}
	if (ret) {
		store_roll_back(sweep->store);
		return ret;
	}
	return store_commit(sweep->store, err);
}

/* ---- the table ---- */

static void add_to_sum(void *context, uint32_t setting, uint32_t workload, const struct run *run)
{
	(void)setting;
	(void)workload;
	run_add(context, run);
}

/* The controls of one workload are few and all workloads' are read: sums has one for each. */
static void add_control(void *context, uint32_t setting, uint32_t workload, const struct run *run)
{
	struct run *const sums = context;

	(void)setting;
	run_add(&sums[workload], run);
}

/* Also of what was not measured. */
static void describe_row(const struct nic_identity *identity, struct table_row *row)
{
	row->model = false;
	snprintf(row->board, sizeof(row->board), "%s", identity->name);
	snprintf(row->driver, sizeof(row->driver), "%s", identity->has & NIC_HAS_DRIVER ? identity->driver : "");
	row->speed_mbps = identity->has & NIC_HAS_SPEED ? identity->speed_mbps : 0;
}

static void make_row(struct live_sweep *sweep, uint32_t setting, uint32_t workload, struct run *sum,
		     struct table_row *row)
{
	const struct live_setting *const of = setting < sweep->settings ? &sweep->setting[setting] : NULL;
	struct live_cell *const cell = live_cell_of(sweep, setting, workload);
	struct interval interval;

	if (interval_of_cell(cell, &interval)) {
		sum->conditions.measured.median_ns = interval.median;
		sum->conditions.measured.median_low_ns = interval.low;
		sum->conditions.measured.median_high_ns = interval.high;
	}
	table_row_take(row, sum);
	describe_row(&sweep->change.identity, row);
	workload_print(&sweep->workload[workload], row->workload);
	snprintf(row->setting, sizeof(row->setting), "%s", of ? of->label : "as before (control)");
	if (of && of->error) {
		row->error = of->error;
		err_name(of->error, row->error_name);
	}
	if (of && of->is_out) {
		row->is_left_out = !of->error;
		snprintf(row->why, sizeof(row->why), "%s", of->why);
	}
}

static int make_control_rows(struct live_sweep *sweep, struct table_row *rows, struct err *err)
{
	struct run *const sums = calloc(sweep->workloads, sizeof(*sums));
	int ret = sums ? each_run(sweep, "role=control", add_control, sums, err)
		       : err_set(err, -ENOMEM, "no memory for the table");

	for (uint32_t workload = 0; ret == 0 && workload < sweep->workloads; workload++) {
		make_row(sweep, sweep->settings, workload, &sums[workload],
			 &rows[workload * (sweep->settings + 1) + sweep->settings]);
	}
	free(sums);
	return ret;
}

static int make_cell_rows(struct live_sweep *sweep, struct table_row *rows, struct err *err)
{
	struct run *const sum = malloc(sizeof(*sum));
	int ret = sum ? 0 : err_set(err, -ENOMEM, "no memory for the table");

	for (uint32_t i = 0; ret == 0 && i < sweep->settings * sweep->workloads; i++) {
		const uint32_t setting = i % sweep->settings, workload = i / sweep->settings;
		char terms[48];

		run_init(sum);
		snprintf(terms, sizeof(terms), "role=cell,cell=%" PRIu32, i);
		ret = each_run(sweep, terms, add_to_sum, sum, err);
		make_row(sweep, setting, workload, sum, &rows[workload * (sweep->settings + 1) + setting]);
	}
	free(sum);
	return ret;
}

int live_kept_rows(struct live_sweep *sweep, struct table_row **rows, size_t *count, struct err *err)
{
	*count = (size_t)(sweep->settings + 1) * sweep->workloads;
	*rows = calloc(*count, sizeof(**rows));
	int ret = *rows ? make_cell_rows(sweep, *rows, err) : err_set(err, -ENOMEM, "no memory for the table");

	return ret ? ret : make_control_rows(sweep, *rows, err);
}
