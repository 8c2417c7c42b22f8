/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/tune_runs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/plan_words.h"
#include "cmd/setup_options.h"
#include "cmd/sweep_model.h"

/* ---- sorted by workload ---- */

static struct tuning *new_tuning(struct tune_page *page, const struct tuning_question *question, const struct run *run)
{
	struct tuning *const tuning = malloc(sizeof(*tuning));

	if (tuning) {
		tuning_begin(tuning, question, run);
		page->tuning[page->count++] = tuning;
	}
	return tuning;
}

static struct tuning *find_tuning(const struct tune_page *page, const struct run *run)
{
	char workload[WORKLOAD_TEXT_MAX];

	workload_print(&run->conditions.workload, workload);
	for (unsigned i = 0; i < page->count; i++) {
		if (strcmp(page->tuning[i]->grid.workload, workload) == 0) {
			return page->tuning[i];
		}
	}
	return NULL;
}

static void note_machine(struct tune_page *page, const struct run *run, const char *machine)
{
	const struct run_measured *const measured = &run->conditions.measured;

	const char *const kernel = run_condition_value(&measured->around, "kernel");
	const char *const cpu = run_condition_value(&measured->around, "cpu");

	if (run->conditions.source == RUN_MEASURED && page->machine[0] == '\0') {
		snprintf(page->kernel, sizeof(page->kernel), "%.95s", kernel ? kernel : "");
		snprintf(page->cpu, sizeof(page->cpu), "%.95s", cpu ? cpu : "");
		snprintf(page->machine, sizeof(page->machine), "%.79s", machine);
	}
	if (run->conditions.source == RUN_MEASURED && measured->taint_count && page->taint[0] == '\0') {
		snprintf(page->taint, sizeof(page->taint), "%s", measured->taint[0]);
	}
}

static int add_run(struct tune_page *page, const struct tuning_question *question, const struct run *run,
		   const char *machine, bool is_today, struct err *err)
{
	struct tuning *tuning = find_tuning(page, run);

	if (!tuning && page->count == TUNE_WORKLOADS_MAX) {
		page->workloads_left_out++;
		return 0;
	}
	tuning = tuning ? tuning : new_tuning(page, question, run);
	if (!tuning) {
		return err_set(err, -ENOMEM, "no memory for %u workloads", page->count + 1);
	}
	page->others += !tuning_add(tuning, run, machine, is_today);
	note_machine(page, run, machine);
	return 0;
}

/* ---- from a store ---- */

static bool is_target(const struct run *run, const char *target)
{
	const struct run_conditions *const conditions = &run->conditions;

	return strcmp(conditions->source == RUN_MODEL ? conditions->board : conditions->measured.device, target) == 0;
}

static bool is_today(const struct store_entry *entry, const struct run *run)
{
	const struct run_conditions *const conditions = &run->conditions;

	return entry->role == STORE_CONTROL ||
	       (conditions->requested.present == 0 && conditions->gro_flush_timeout_ns == 0 &&
		conditions->defer_hard_irqs == 0);
}

static int add_kept(struct tune_page *page, const struct tune_source *source, struct store *store, struct run *run,
		    struct err *err)
{
	struct store_cursor *cursor = NULL;
	struct store_entry entry;
	int ret = store_find(store, &source->filter, &cursor, err);

	while (ret == 0 && (ret = store_next(cursor, &entry, run, err)) != 0) {
		if (ret == -EBADMSG) {
			page->damaged++;
			ret = 0;
			continue;
		}
		ret = ret < 0 ? ret : 0;
		if (ret == 0 && is_target(run, page->target)) {
			ret = add_run(page, &source->question, run, entry.machine, is_today(&entry, run), err);
		}
	}
	store_cursor_end(cursor);
	return ret;
}

int tune_runs_from_store(struct tune_page *page, struct tune_source *source, struct err *err)
{
	struct run *const run = malloc(sizeof(*run));
	struct store *store = NULL;
	int ret = run ? store_open(&store, source->store, STORE_READ, err)
		      : err_set(err, -ENOMEM, "no memory for a run");

	ret = ret ? ret : store_filter_add(&source->filter, "role!=warm-up", err);
	ret = ret ? ret : add_kept(page, source, store, run, err);
	if (ret == 0 && page->count == 0) {
		ret = err_set(err, -ENOENT,
			      "%.200s has no run of %.60s%s: holdoff runs --store %.200s lists what it has",
			      source->store, page->target, source->filter.count > 1 ? " that fits" : "", source->store);
	}
	store_close(store);
	free(run);
	return ret;
}

/* ---- from a model ---- */

struct gathering {
	struct tune_page *page;
	const struct tune_source *source;
	bool is_today;
};

static int gather(void *context, const struct run *run, const char *why, struct err *err)
{
	const struct gathering *const gathering = context;
	struct tune_page *const page = gathering->page;

	if (!run) {
		if (page->refused++ == 0) {
			snprintf(page->refusal, sizeof(page->refusal), "%s", why);
		}
		return 0;
	}
	return add_run(page, &gathering->source->question, run, "", gathering->is_today, err);
}

static int put_seeds(struct plan *plan, uint32_t seeds, struct err *err)
{
	char text[PLAN_VALUES_MAX * 4] = "";
	size_t length = 0;

	for (uint32_t seed = 1; seed <= seeds; seed++) {
		length +=
			(size_t)snprintf(text + length, sizeof(text) - length, "%s%" PRIu32, seed > 1 ? "," : "", seed);
	}
	return plan_put(plan, "seed", text, err);
}

/* The plan's settings and workloads unless others are given, as a sweep has it. */
static int make_plan(struct cmd_arguments arguments, const struct tune_source *source, struct plan *plan,
		     struct err *err)
{
	const char *value;
	int option, ret = plan_load(plan, source->plan ? source->plan : "default", err);

	if (!source->plan && source->word_count) {
		plan->axis_count = 0;
	}
	if (source->has_workload) {
		plan->workload_count = 0;
	}
	while (ret == 0 && (option = cmd_next(&arguments, &value)) != CMD_END) {
		if (option >= 0 && option < SETUP_KEYS) {
			ret = plan_put(plan, setup_keys[option].name, value, err);
		}
	}
	ret = ret ? ret : plan_put(plan, "board", source->target, err);
	ret = ret ? ret : plan_words_put(plan, source->words, source->word_count, err);
	return ret || source->has_seed ? ret : put_seeds(plan, source->seeds, err);
}

/* Of this end. */
static bool is_setting(const struct plan_axis *axis)
{
	const enum setup_key key = setup_find(axis->name);

	return key == SETUP_KEYS || key == SETUP_GRO_FLUSH_TIMEOUT || key == SETUP_DEFER_HARD_IRQS;
}

/* What is compared are settings: the rest has to be alike. Today's takes a place too. */
static int check_axes(const struct plan *plan, struct err *err)
{
	uint64_t settings = 1;

	for (unsigned i = 0; i < plan->axis_count; i++) {
		const struct plan_axis *const axis = &plan->axes[i];
		const enum setup_key key = setup_find(axis->name);
		const bool varies_setting = is_setting(axis) || key == SETUP_PEER_SET;

		if (axis->count > 1 && !varies_setting && key != SETUP_SEED) {
			return err_set(err, -EINVAL,
				       "%s has %u values, but only settings can be compared: one value, or a run of "
				       "holdoff tune for each",
				       axis->name, axis->count);
		}
		settings *= varies_setting && settings < GRID_CELLS_MAX ? axis->count : 1;
	}
	return settings < GRID_CELLS_MAX
		       ? 0
		       : err_set(err, -EINVAL, "at most %u settings can be compared: fewer values", GRID_CELLS_MAX - 1);
}

/* The board as its driver sets it up: today's setting. */
static void drop_settings(struct plan *plan)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < plan->axis_count; i++) {
		if (!is_setting(&plan->axes[i])) {
			plan->axes[kept++] = plan->axes[i];
		}
	}
	plan->axis_count = kept;
}

static int run_plan(struct plan *plan, const struct tune_source *source, struct tune_page *page, struct err *err)
{
	struct gathering gathering = { .page = page, .source = source };
	const struct sweep_model_request model = {
		.jobs = source->jobs, .yes = source->yes, .each = gather, .context = &gathering
	};
	int ret = sweep_model(plan, &model, err);

	if (ret == 0) {
		drop_settings(plan);
		gathering.is_today = true;
		ret = sweep_model(plan, &model, err);
	}
	return ret;
}

int tune_runs_from_model(struct tune_page *page, struct cmd_arguments arguments, const struct tune_source *source,
			 struct err *err)
{
	struct plan *const plan = malloc(sizeof(*plan));
	int ret = plan ? 0 : err_set(err, -ENOMEM, "no memory for a plan");

	if (ret == 0) {
		plan_init(plan);
		ret = make_plan(arguments, source, plan, err);
	}
	ret = ret ? ret : check_axes(plan, err);
	ret = ret ? ret : run_plan(plan, source, page, err);
	if (ret == -ENODEV && access("/sys/class/net", F_OK) == 0) {
		char text[ERR_TEXT_MAX];

		snprintf(text, sizeof(text), "%s", err->text);
		err_set(err, ret,
			"%s; for a real interface sweep it first, holdoff sweep %.20s ..., and give its store: --store "
			"holdoff.db",
			text, source->target);
	}
	free(plan);
	return ret;
}
