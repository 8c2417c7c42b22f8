/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "store/store_private.h"

static const char *const state_names[STORE_CELL_STATES] = { "waiting", "done", "failed", "skipped" };

const char *store_cell_state_name(enum store_cell_state state)
{
	return state_names[state];
}

static int settle(struct store_experiment *experiment, struct err *err)
{
	if (!experiment->made_at_ns) {
		experiment->made_at_ns = store_now_ns();
	}
	if (!experiment->machine[0]) {
		store_host_name(experiment->machine);
	}
	if (!experiment->version[0]) {
		snprintf(experiment->version, sizeof(experiment->version), "%s", HOLDOFF_VERSION);
	}
	if (!experiment->kind[0] || !experiment->plan || !experiment->plan[0]) {
		return err_set(err, -EINVAL, "an experiment needs a kind and a plan");
	}
	return store_settle_uuid(experiment->uuid, err);
}

static int add_row(struct store *store, const struct store_experiment *experiment, struct err *err)
{
	struct store_statement statement;
	char seed[24];

	snprintf(seed, sizeof(seed), "%" PRIu64, experiment->seed);
	store_prepare(&statement, store,
		      "INSERT INTO experiment (uuid, kind, made_at_ns, machine, version, command, label, seed, plan)"
		      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		      "adding an experiment");
	store_bind_text(&statement, experiment->uuid);
	store_bind_text(&statement, experiment->kind);
	store_bind_number(&statement, experiment->made_at_ns);
	store_bind_text(&statement, experiment->machine);
	store_bind_text(&statement, experiment->version);
	store_bind_text(&statement, experiment->command);
	store_bind_text(&statement, experiment->label);
	store_bind_text(&statement, seed);
	store_bind_text(&statement, experiment->plan);
	return store_done(&statement, err);
}

static int add_cells(struct store *store, const struct store_experiment *experiment, const struct store_cell *cells,
		     struct err *err)
{
	const int64_t number = sqlite3_last_insert_rowid(store->db);
	struct store_statement statement;
	int ret = 0;

	store_prepare(&statement, store,
		      "INSERT INTO cell (experiment, number, setting, workload, state, reason)"
		      " VALUES (?, ?, ?, ?, ?, ?)",
		      "adding an experiment");
	for (uint32_t i = 0; ret == 0 && i < experiment->cells; i++) {
		store_again(&statement);
		store_bind_number(&statement, number);
		store_bind_number(&statement, i);
		store_bind_text(&statement, cells[i].setting);
		store_bind_text(&statement, cells[i].workload);
		store_bind_text(&statement, state_names[cells[i].state]);
		store_bind_text(&statement, cells[i].reason);
		ret = store_step(&statement, err);
	}
	store_finish(&statement);
	return ret;
}

/* 1: there is one; 0: none; or a negative errno. */
static int has_experiment(struct store *store, const char *uuid, struct err *err)
{
	struct store_statement statement;

	store_prepare(&statement, store, "SELECT 1 FROM experiment WHERE uuid = ?", "looking for an experiment");
	store_bind_text(&statement, uuid);
	const int ret = store_step(&statement, err);

	store_finish(&statement);
	return ret;
}

static int add_whole(struct store *store, const struct store_experiment *experiment, const struct store_cell *cells,
		     struct err *err)
{
	int ret = has_experiment(store, experiment->uuid, err);

	if (ret) {
		return ret < 0 ? ret
			       : err_set(err, -EEXIST, "%s has experiment %s already", store->path, experiment->uuid);
	}
	ret = add_row(store, experiment, err);
	return ret ? ret : add_cells(store, experiment, cells, err);
}

int store_add_experiment(struct store *store, struct store_experiment *experiment, const struct store_cell *cells,
			 struct err *err)
{
	bool nested;
	int ret = settle(experiment, err);

	ret = ret ? ret : store_enter(store, &nested, err);
	return ret ? ret : store_leave(store, nested, add_whole(store, experiment, cells, err), err);
}

#define EXPERIMENT_COLUMNS                                                       \
	"SELECT uuid, kind, made_at_ns, machine, version, command, label, seed," \
	" (SELECT count(*) FROM cell WHERE experiment = experiment.number), plan FROM experiment "

static int take_experiment(const struct store_statement *statement, struct store_experiment *experiment,
			   struct err *err)
{
	char seed[24];

	*experiment = (struct store_experiment){ .made_at_ns = store_column_number(statement, 2) };
	store_column_text(statement, 0, experiment->uuid, sizeof(experiment->uuid));
	store_column_text(statement, 1, experiment->kind, sizeof(experiment->kind));
	store_column_text(statement, 3, experiment->machine, sizeof(experiment->machine));
	store_column_text(statement, 4, experiment->version, sizeof(experiment->version));
	store_column_text(statement, 5, experiment->command, sizeof(experiment->command));
	store_column_text(statement, 6, experiment->label, sizeof(experiment->label));
	store_column_text(statement, 7, seed, sizeof(seed));
	experiment->cells = (uint32_t)store_column_number(statement, 8);
	const char *const plan = (const char *)sqlite3_column_text(statement->sql, 9);

	if (text_parse_u64(seed, "seed", &experiment->seed, NULL) || !plan) {
		return err_set(err, -EBADMSG, "%s: experiment %s is damaged", statement->store->path, experiment->uuid);
	}
	experiment->plan = strdup(plan);
	return experiment->plan ? 0 : err_set(err, -ENOMEM, "no memory for a plan");
}

static int get_by(struct store_statement *statement, const char *name, struct store_experiment *experiment,
		  struct err *err)
{
	int ret = store_step(statement, err);

	if (ret == 0) {
		return err_set(err, -ENOENT, "%s has no %s%s%s", statement->store->path,
			       name[0] ? "experiment " : "experiment that is not finished", name, "");
	}
	ret = ret < 0 ? ret : take_experiment(statement, experiment, err);
	if (ret == 0 && name[0]) {
		ret = store_step(statement, err);
		if (ret) {
			free(experiment->plan);
			experiment->plan = NULL;
		}
		return ret > 0 ? err_set(err, -EINVAL, "several experiments begin with \"%s\"", name) : ret;
	}
	return ret;
}

int store_get_experiment(struct store *store, const char *name, struct store_experiment *experiment, struct err *err)
{
	const size_t length = strlen(name);
	struct store_statement statement;
	char pattern[STORE_UUID_MAX + 1];

	if (length && (length < 4 || length >= STORE_UUID_MAX || strspn(name, "0123456789abcdef-") != length)) {
		return err_set(err, -EINVAL,
			       "\"%.40s\" is no experiment: expected at least four characters of its UUID", name);
	}
	if (length) {
		store_prepare(&statement, store, EXPERIMENT_COLUMNS "WHERE uuid GLOB ? ORDER BY number",
			      "looking for an experiment");
		snprintf(pattern, sizeof(pattern), "%s*", name);
		store_bind_text(&statement, pattern);
	} else {
		store_prepare(&statement, store,
			      EXPERIMENT_COLUMNS "WHERE kind = '" STORE_SWEEP "' AND EXISTS (SELECT 1 FROM cell WHERE experiment ="
						 " experiment.number AND state = 'waiting') ORDER BY number DESC",
			      "looking for an experiment");
	}
	const int ret = get_by(&statement, name, experiment, err);

	store_finish(&statement);
	return ret;
}

static enum store_cell_state find_state(const char *name)
{
	enum store_cell_state state = 0;

	while (state < STORE_CELL_STATES - 1 && strcmp(state_names[state], name) != 0) {
		state++;
	}
	return state;
}

static void take_cell(const struct store_statement *statement, struct store_cell *cell)
{
	char state[16];

	*cell = (struct store_cell){ .number = (uint32_t)store_column_number(statement, 0) };
	store_column_text(statement, 1, cell->setting, sizeof(cell->setting));
	store_column_text(statement, 2, cell->workload, sizeof(cell->workload));
	store_column_text(statement, 3, state, sizeof(state));
	cell->state = find_state(state);
	store_column_text(statement, 4, cell->reason, sizeof(cell->reason));
	cell->runs = (uint32_t)store_column_number(statement, 5);
}

int store_get_cell(struct store *store, const char *experiment, uint32_t number, struct store_cell *cell,
		   struct err *err)
{
	struct store_statement statement;

	store_prepare(&statement, store,
		      "SELECT cell.number, setting, workload, state, reason, (SELECT count(*) FROM run WHERE"
		      " run.experiment = cell.experiment AND run.cell = cell.number AND role = 'cell' AND complete)"
		      " FROM cell JOIN experiment ON experiment.number = cell.experiment"
		      " WHERE experiment.uuid = ? AND cell.number = ?",
		      "reading a cell");
	store_bind_text(&statement, experiment);
	store_bind_number(&statement, number);
	const int ret = store_step(&statement, err);

	if (ret > 0) {
		take_cell(&statement, cell);
	}
	store_finish(&statement);
	return ret > 0   ? 0
	       : ret < 0 ? ret
			 : err_set(err, -ENOENT, "%s: experiment %s has no cell %u", store->path, experiment, number);
}

int store_set_cell(struct store *store, const char *experiment, uint32_t number, enum store_cell_state state,
		   const char *reason, struct err *err)
{
	struct store_statement statement;

	store_prepare(&statement, store,
		      "UPDATE cell SET state = ?, reason = ? WHERE number = ? AND experiment ="
		      " (SELECT number FROM experiment WHERE uuid = ?)",
		      "noting the state of a cell");
	store_bind_text(&statement, state_names[state]);
	store_bind_text(&statement, reason);
	store_bind_number(&statement, number);
	store_bind_text(&statement, experiment);
	const int ret = store_done(&statement, err);

	return ret == 0 && sqlite3_changes(store->db) == 0
		       ? err_set(err, -ENOENT, "%s: experiment %s has no cell %u", store->path, experiment, number)
		       : ret;
}
