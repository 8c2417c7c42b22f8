/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/sweep_model_kept.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ini/ini.h"
#include "sim/source.h"

/* ---- what the experiment is ---- */

/* A file of the user's may be another one tomorrow, under its name. */
static int print_file(FILE *out, const char *value, struct err *err)
{
	char *text = NULL;
	const int ret = source_is_file(value) ? ini_read_file(value, &text, err) : 0;

	if (text) {
		fprintf(out, "file %s %016" PRIx64 "\n", value, (uint64_t)store_checksum(text, strlen(text)));
	}
	free(text);
	return ret;
}

static int print_axis(FILE *out, const struct plan_axis *axis, struct err *err)
{
	int ret = 0;

	fprintf(out, "axis %s", axis->name);
	for (unsigned i = 0; i < axis->count; i++) {
		fprintf(out, "%c%s", i ? ',' : ' ', axis->values[i]);
	}
	putc('\n', out);
	for (unsigned i = 0; ret == 0 && i < axis->count; i++) {
		ret = print_file(out, axis->values[i], err);
	}
	return ret;
}

/* All that decides what the cells come to. */
static int print_plan(FILE *out, const struct plan *plan, struct err *err)
{
	int ret = 0;

	fprintf(out, "model of holdoff %s\n", HOLDOFF_VERSION);
	for (enum setup_key key = 0; ret == 0 && key < SETUP_KEYS; key++) {
		if (strlen(plan->given[key]) == PLAN_GIVEN_MAX - 1) {
			return err_set(
				err, -EINVAL,
				"a sweep is kept by what was asked of it, and --%s has more than %d bytes: a board or "
				"a plan of your own may have it, in a file",
				setup_keys[key].name, PLAN_GIVEN_MAX - 2);
		}
		if (plan->given[key][0]) {
			fprintf(out, "%s %s\n", setup_keys[key].name, plan->given[key]);
			ret = print_file(out, plan->given[key], err);
		}
	}
	for (unsigned i = 0; ret == 0 && i < plan->axis_count; i++) {
		ret = print_axis(out, &plan->axes[i], err);
	}
	for (unsigned i = 0; i < plan->workload_count; i++) {
		fprintf(out, "workload %s\n", plan->workloads[i]);
	}
	return ret;
}

static char *plan_text(const struct plan *plan, struct err *err)
{
	char *text = NULL;
	size_t size;
	FILE *const out = open_memstream(&text, &size);
	const int ret = out ? print_plan(out, plan, err) : -ENOMEM;

	if (!out || fclose(out) != 0) {
		err_set(err, -ENOMEM, "no memory for the plan");
		free(text);
		return NULL;
	}
	if (ret) {
		free(text);
		return NULL;
	}
	return text;
}

static int name_cells(const struct plan *plan, struct store_cell *cells, uint32_t count, struct err *err)
{
	struct setup *const setup = malloc(sizeof(*setup));
	int ret = setup ? 0 : err_set(err, -ENOMEM, "no memory for a cell");

	for (uint32_t i = 0; ret == 0 && i < count; i++) {
		ret = plan_cell(plan, i, setup, cells[i].setting, err);
		cells[i].number = i;
		if (ret == 0) {
			workload_print(&setup->workload, cells[i].workload);
		}
	}
	free(setup);
	return ret;
}

static int make_experiment(struct model_kept *kept, const struct plan *plan, struct err *err)
{
	struct store_experiment *const experiment = &kept->experiment;
	struct store_cell *cells;
	int ret = plan_cells(plan, &experiment->cells, err);

	if (ret) {
		return ret;
	}
	cells = calloc(experiment->cells, sizeof(*cells));
	snprintf(experiment->kind, sizeof(experiment->kind), STORE_MODEL_SWEEP);
	memcpy(experiment->label, kept->storing.entry.label, sizeof(experiment->label));
	memcpy(experiment->command, kept->storing.entry.command, sizeof(experiment->command));
	experiment->plan = plan_text(plan, err);
	ret = !experiment->plan ? -EINVAL : cells ? 0 : err_set(err, -ENOMEM, "no memory for cells");
	if (ret == 0) {
		store_uuid_of(experiment->plan, experiment->uuid);
		ret = name_cells(plan, cells, experiment->cells, err);
	}
	ret = ret ? ret : store_add_experiment(kept->storing.store, experiment, cells, err);
	free(cells);
	return ret == -EEXIST ? 0 : ret;
}

int model_kept_begin(struct model_kept *kept, const struct plan *plan, const struct sweep_model_request *request,
		     struct err *err)
{
	*kept = (struct model_kept){ .experiment = { .plan = NULL } };
	int ret = storing_begin(&kept->storing, request->store, request->label, 0, NULL, err);

	if (ret || !kept->storing.store) {
		return ret;
	}
	/* The command was noted before its options were read, which cuts them up. */
	snprintf(kept->storing.entry.command, sizeof(kept->storing.entry.command), "%s", request->command);
	ret = make_experiment(kept, plan, err);
	if (ret) {
		model_kept_end(kept);
	}
	return ret;
}

void model_kept_end(struct model_kept *kept)
{
	storing_end(&kept->storing);
	free(kept->experiment.plan);
	kept->experiment.plan = NULL;
}

/* ---- its runs ---- */

int model_kept_read(struct model_kept *kept, struct table_row *rows, bool *is_there, struct err *err)
{
	struct store_filter *const filter = calloc(1, sizeof(*filter));
	struct store_entry *const entry = malloc(sizeof(*entry));
	struct run *const run = malloc(sizeof(*run));
	struct store_cursor *cursor = NULL;
	char text[STORE_UUID_MAX + 32];
	int ret = filter && entry && run ? 0 : err_set(err, -ENOMEM, "no memory for a run");

	snprintf(text, sizeof(text), "experiment=%s", kept->experiment.uuid);
	ret = ret ? ret : store_filter_parse(filter, text, err);
	ret = ret ? ret : store_find(kept->storing.store, filter, &cursor, err);
	while (ret == 0 && (ret = store_next(cursor, entry, run, err)) == 1) {
		ret = 0;
		if (entry->cell < kept->experiment.cells) {
			table_row_take(&rows[entry->cell], run);
			is_there[entry->cell] = true;
		}
	}
	store_cursor_end(cursor);
	free(run);
	free(entry);
	free(filter);
	return ret;
}

static int add(struct model_kept *kept, uint32_t cell, const struct run *run, const char *why, struct err *err)
{
	struct store_entry entry = kept->storing.entry;

	memcpy(entry.experiment, kept->experiment.uuid, sizeof(entry.experiment));
	entry.role = STORE_CELL;
	entry.cell = cell;
	entry.repeat = 1;
	const int ret = run ? store_add(kept->storing.store, &entry, run, err) : 0;

	return ret ? ret
		   : store_set_cell(kept->storing.store, kept->experiment.uuid, cell,
				    run ? STORE_CELL_DONE : STORE_CELL_FAILED, run ? "" : why, err);
}

int model_kept_add(struct model_kept *kept, uint32_t cell, const struct run *run, const char *why, struct err *err)
{
	if (!kept->storing.store) {
		return 0;
	}
	int ret = store_begin(kept->storing.store, err);

	ret = ret ? ret : add(kept, cell, run, why, err);
	if (ret) {
		store_roll_back(kept->storing.store);
		return ret;
	}
	return store_commit(kept->storing.store, err);
}
