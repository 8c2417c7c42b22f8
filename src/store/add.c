/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/record.h"
#include "store/store_private.h"

static const char *const role_names[STORE_ROLES] = { "alone", "cell", "control", "warm-up" };

const char *store_role_name(enum store_role role)
{
	return role_names[role];
}

/* Words of these characters need no quotes. */
static bool is_plain(const char *word)
{
	return *word &&
	       strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+:,./@%") == strlen(word);
}

static void put_quoted(FILE *out, const char *word)
{
	putc('\'', out);
	for (; *word; word++) {
		if (*word == '\'') {
			fputs("'\\''", out);
		} else {
			putc(*word, out);
		}
	}
	putc('\'', out);
}

void store_entry_set_command(struct store_entry *entry, int argc, char *const *argv)
{
	char *text = NULL;
	size_t length = 0;
	FILE *const out = open_memstream(&text, &length);

	entry->command[0] = '\0';
	if (!out) {
		return;
	}
	fputs("holdoff", out);
	for (int i = 0; i < argc; i++) {
		putc(' ', out);
		if (is_plain(argv[i])) {
			fputs(argv[i], out);
		} else {
			put_quoted(out, argv[i]);
		}
	}
	if (fclose(out) == 0 && length < sizeof(entry->command)) {
		memcpy(entry->command, text, length + 1);
	}
	free(text);
}

/* What the caller has left open. */
static int settle(struct store_entry *entry, struct err *err)
{
	if (!entry->taken_at_ns) {
		entry->taken_at_ns = store_now_ns();
	}
	if (!entry->machine[0]) {
		store_host_name(entry->machine);
	}
	if (!entry->version[0]) {
		snprintf(entry->version, sizeof(entry->version), "%s", HOLDOFF_VERSION);
	}
	if ((entry->role == STORE_ALONE) != !entry->experiment[0]) {
		return err_set(err, -EINVAL, "a run of an experiment has a role in it, and no other has one");
	}
	return store_settle_uuid(entry->uuid, err);
}

/* Settings as they were asked for; else as the driver reports them. */
static const struct coalesce *settings_of(const struct run_conditions *conditions)
{
	return conditions->requested.present ? &conditions->requested : &conditions->reported;
}

static void bind_conditions(struct store_statement *statement, const struct run_conditions *conditions)
{
	const struct run_measured *const measured = &conditions->measured;
	const bool is_model = conditions->source == RUN_MODEL;
	char text[COALESCE_TEXT_MAX], workload[WORKLOAD_TEXT_MAX];

	store_bind_text(statement, is_model ? "model" : "measured");
	store_bind_text(statement, is_model ? conditions->board : NULL);
	store_bind_text(statement, is_model ? NULL : measured->device);
	store_bind_text(statement, conditions->driver);
	store_bind_text(statement, conditions->host);
	store_bind_text(statement, is_model ? NULL : run_condition_value(&measured->around, "kernel"));
	store_bind_text(statement, is_model ? conditions->peer : measured->peer_host);
	store_bind_text(statement, coalesce_print(settings_of(conditions), text));
	store_bind_text(statement, workload_print(&conditions->workload, workload));
	store_bind_number(statement, conditions->duration_ns);
	store_bind_number(statement, is_model || !measured->is_incomplete);
	store_bind_number(statement, is_model ? 0 : measured->taint_count);
}

static void bind_place(struct store_statement *statement, const struct store_entry *entry, int64_t experiment)
{
	const bool has_cell = entry->role == STORE_CELL || entry->role == STORE_WARM_UP;

	if (experiment) {
		store_bind_number(statement, experiment);
	} else {
		store_bind_null(statement);
	}
	store_bind_text(statement, role_names[entry->role]);
	if (has_cell) {
		store_bind_number(statement, entry->cell);
	} else {
		store_bind_null(statement);
	}
	if (entry->repeat) {
		store_bind_number(statement, entry->repeat);
	} else {
		store_bind_null(statement);
	}
}

static int add_row(struct store *store, struct store_entry *entry, int64_t experiment, const struct run *run,
		   const char *record, size_t length, struct err *err)
{
	struct store_statement statement;

	store_prepare(&statement, store,
		      "INSERT INTO run (uuid, taken_at_ns, machine, version, command, label, experiment, role, cell,"
		      " repeat, source, board, device, driver, host, kernel, peer, settings, workload, duration_ns,"
		      " complete, taints, checksum, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
		      " ?, ?, ?, ?, ?, ?, ?)",
		      "adding a run");
	store_bind_text(&statement, entry->uuid);
	store_bind_number(&statement, entry->taken_at_ns);
	store_bind_text(&statement, entry->machine);
	store_bind_text(&statement, entry->version);
	store_bind_text(&statement, entry->command);
	store_bind_text(&statement, entry->label);
	bind_place(&statement, entry, experiment);
	bind_conditions(&statement, &run->conditions);
	store_bind_number(&statement, store_checksum(record, length));
	store_bind_text(&statement, record);
	const int ret = store_done(&statement, err);

	entry->number = ret ? 0 : sqlite3_last_insert_rowid(store->db);
	return ret;
}

static int add_settings(struct store *store, int64_t number, const struct run_conditions *conditions, struct err *err)
{
	const struct coalesce all = coalesce_merge(&conditions->reported, &conditions->requested);
	struct store_statement statement;
	int ret = 0;

	store_prepare(&statement, store, "INSERT INTO setting (run, field, value, is_requested) VALUES (?, ?, ?, ?)",
		      "adding a run");
	for (enum coalesce_field field = 0; ret == 0 && field < COALESCE_FIELDS; field++) {
		if (!coalesce_has(&all, field)) {
			continue;
		}
		store_again(&statement);
		store_bind_number(&statement, number);
		store_bind_text(&statement, coalesce_fields[field].name);
		store_bind_number(&statement, all.value[field]);
		store_bind_number(&statement, coalesce_has(&conditions->requested, field));
		ret = store_step(&statement, err);
	}
	store_finish(&statement);
	return ret;
}

/* A ratio has the unit "", which is a value here and not NULL. */
static void bind_unit(struct store_statement *statement, const char *unit)
{
	const int place = ++statement->bound;

	if (!statement->failed) {
		statement->failed = sqlite3_bind_text(statement->sql, place, unit, -1, SQLITE_STATIC) != SQLITE_OK;
	}
}

static void bind_count(struct store_statement *statement, uint64_t count)
{
	if (count) {
		store_bind_number(statement, (int64_t)count);
	} else {
		store_bind_null(statement);
	}
}

static int add_figures(struct store *store, int64_t number, const struct run *run, struct err *err)
{
	struct store_statement statement;
	unsigned count;
	const struct figure *const figure = figures(&count);
	int64_t thousandths;
	int ret = 0;

	store_prepare(&statement, store, "INSERT INTO figure (run, name, unit, thousandths, n) VALUES (?, ?, ?, ?, ?)",
		      "adding a run");
	for (unsigned i = 0; ret == 0 && i < count; i++) {
		if (!figure[i].read(run, &figure[i], &thousandths)) {
			continue;
		}
		store_again(&statement);
		store_bind_number(&statement, number);
		store_bind_text(&statement, figure[i].name);
		bind_unit(&statement, figure[i].unit);
		store_bind_number(&statement, thousandths);
		bind_count(&statement, figure_samples(run, &figure[i]));
		ret = store_step(&statement, err);
	}
	store_finish(&statement);
	return ret;
}

static int add_taints(struct store *store, int64_t number, const struct run_measured *measured, struct err *err)
{
	struct store_statement statement;
	int ret = 0;

	store_prepare(&statement, store, "INSERT INTO taint (run, position, text) VALUES (?, ?, ?)", "adding a run");
	for (unsigned i = 0; ret == 0 && i < measured->taint_count && i < RUN_TAINTS_MAX; i++) {
		store_again(&statement);
		store_bind_number(&statement, number);
		store_bind_number(&statement, i);
		store_bind_text(&statement, measured->taint[i][0] ? measured->taint[i] : "unknown");
		ret = store_step(&statement, err);
	}
	store_finish(&statement);
	return ret;
}

/* 1: there is one; 0: none; or a negative errno. */
static int has_run(struct store *store, const char *uuid, struct err *err)
{
	struct store_statement statement;

	store_prepare(&statement, store, "SELECT 1 FROM run WHERE uuid = ?", "looking for a run");
	store_bind_text(&statement, uuid);
	const int ret = store_step(&statement, err);

	store_finish(&statement);
	return ret;
}

/* The number of the experiment in this file; 0 for none. */
static int find_experiment(struct store *store, const struct store_entry *entry, int64_t *number, struct err *err)
{
	struct store_statement statement;

	*number = 0;
	if (!entry->experiment[0]) {
		return 0;
	}
	store_prepare(&statement, store,
		      "SELECT number, ?2 OR EXISTS (SELECT 1 FROM cell WHERE experiment = experiment.number AND"
		      " cell.number = ?3) FROM experiment WHERE uuid = ?1",
		      "looking for an experiment");
	store_bind_text(&statement, entry->experiment);
	store_bind_number(&statement, entry->role == STORE_CONTROL);
	store_bind_number(&statement, entry->cell);
	int ret = store_step(&statement, err);

	if (ret == 0) {
		ret = err_set(err, -EINVAL, "%s has no experiment %s", store->path, entry->experiment);
	} else if (ret > 0) {
		*number = store_column_number(&statement, 0);
		ret = store_column_number(&statement, 1)
			      ? 0
			      : err_set(err, -EINVAL, "experiment %s has no cell %u", entry->experiment, entry->cell);
	}
	store_finish(&statement);
	return ret;
}

static int add_whole(struct store *store, struct store_entry *entry, const struct run *run, const char *record,
		     size_t length, struct err *err)
{
	int64_t experiment;
	int ret = has_run(store, entry->uuid, err);

	if (ret) {
		return ret < 0 ? ret : err_set(err, -EEXIST, "%s has run %s already", store->path, entry->uuid);
	}
	ret = find_experiment(store, entry, &experiment, err);
	ret = ret ? ret : add_row(store, entry, experiment, run, record, length, err);
	ret = ret ? ret : add_settings(store, entry->number, &run->conditions, err);
	ret = ret ? ret : add_figures(store, entry->number, run, err);
	return ret || run->conditions.source == RUN_MODEL
		       ? ret
		       : add_taints(store, entry->number, &run->conditions.measured, err);
}

/* A record that would be refused when it is read must not be written. */
static int check_record(const char *record, size_t length, struct err *err)
{
	struct run *const copy = malloc(sizeof(*copy));
	const int ret = copy ? record_parse(copy, record, length, err) : err_set(err, -ENOMEM, "no memory for a run");

	free(copy);
	return ret ? err_prefix(err, ret, "this run cannot be kept") : 0;
}

int store_add(struct store *store, struct store_entry *entry, const struct run *run, struct err *err)
{
	size_t length;
	bool nested;
	int ret = settle(entry, err);

	if (ret) {
		return ret;
	}
	char *const record = record_print(run, &length);

	ret = record ? check_record(record, length, err) : err_set(err, -ENOMEM, "no memory for a run");
	if (ret == 0) {
		ret = store_enter(store, &nested, err);
	}
	if (ret == 0) {
		ret = store_leave(store, nested, add_whole(store, entry, run, record, length, err), err);
	}
	free(record);
	return ret;
}

/* ret of a statement that changes one row by UUID. */
static int check_changed(struct store *store, const char *uuid, int ret, struct err *err)
{
	return ret == 0 && sqlite3_changes(store->db) == 0
		       ? err_set(err, -ENOENT, "%s has no run %s", store->path, uuid)
		       : ret;
}

int store_remove(struct store *store, const char *uuid, struct err *err)
{
	struct store_statement statement;

	store_prepare(&statement, store, "DELETE FROM run WHERE uuid = ?", "deleting a run");
	store_bind_text(&statement, uuid);
	return check_changed(store, uuid, store_done(&statement, err), err);
}

int store_set_label(struct store *store, const char *uuid, const char *label, struct err *err)
{
	struct store_statement statement;

	store_prepare(&statement, store, "UPDATE run SET label = ? WHERE uuid = ?", "labelling a run");
	store_bind_text(&statement, label);
	store_bind_text(&statement, uuid);
	return check_changed(store, uuid, store_done(&statement, err), err);
}
