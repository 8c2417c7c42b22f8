/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs as a JSON document and back: { schema, version, experiments: [ ... ], runs: [ ... ] }. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "report/json_writer.h"
#include "report/record.h"
#include "store/fields.h"
#include "store/store_private.h"

/* ---- writing ---- */

static int put_experiment(struct json_writer *writer, struct store *store, const char *uuid, struct err *err)
{
	struct store_experiment experiment;
	struct store_cell cell;
	int ret = store_get_experiment(store, uuid, &experiment, err);

	if (ret) {
		return ret;
	}
	json_begin_object(writer, NULL);
	store_put_members(writer, &store_experiment_members, &experiment);
	json_begin_array(writer, "cells");
	for (uint32_t i = 0; ret == 0 && i < experiment.cells; i++) {
		ret = store_get_cell(store, uuid, i, &cell, err);
		if (ret == 0) {
			json_begin_object(writer, NULL);
			store_put_members(writer, &store_cell_members, &cell);
			json_end_object(writer);
		}
	}
	json_end_array(writer);
	json_end_object(writer);
	free(experiment.plan);
	return ret;
}

/* Those of the runs, each once: a run whose experiment stood in an earlier one adds nothing. */
struct experiments {
	char (*uuid)[STORE_UUID_MAX];
	size_t count;
};

static int note_experiment(struct experiments *experiments, const char *uuid, struct err *err)
{
	for (size_t i = 0; i < experiments->count; i++) {
		if (strcmp(experiments->uuid[i], uuid) == 0) {
			return 0;
		}
	}
	void *const more = realloc(experiments->uuid, (experiments->count + 1) * sizeof(*experiments->uuid));

	if (!more) {
		return err_set(err, -ENOMEM, "no memory for the experiments of the runs");
	}
	experiments->uuid = more;
	memcpy(experiments->uuid[experiments->count++], uuid, STORE_UUID_MAX);
	return 0;
}

static int find_experiments(struct store *store, const struct store_filter *filter, struct experiments *experiments,
			    struct err *err)
{
	struct store_cursor *cursor;
	struct store_entry entry;
	int ret = store_find(store, filter, &cursor, err);

	if (ret) {
		return ret;
	}
	while ((ret = store_next(cursor, &entry, NULL, err)) > 0) {
		ret = entry.experiment[0] ? note_experiment(experiments, entry.experiment, err) : 0;
		if (ret) {
			break;
		}
	}
	store_cursor_end(cursor);
	return ret;
}

static int put_experiments(struct json_writer *writer, struct store *store, const struct store_filter *filter,
			   struct err *err)
{
	struct experiments experiments = { 0 };
	int ret = find_experiments(store, filter, &experiments, err);

	json_begin_array(writer, "experiments");
	for (size_t i = 0; ret == 0 && i < experiments.count; i++) {
		ret = put_experiment(writer, store, experiments.uuid[i], err);
	}
	json_end_array(writer);
	free(experiments.uuid);
	return ret;
}

static int put_runs(struct json_writer *writer, struct store *store, const struct store_filter *filter, struct err *err)
{
	struct run *const run = malloc(sizeof(*run));
	struct store_cursor *cursor = NULL;
	struct store_entry entry;
	int ret = run ? store_find(store, filter, &cursor, err) : err_set(err, -ENOMEM, "no memory for a run");

	json_begin_array(writer, "runs");
	while (ret == 0 && (ret = store_next(cursor, &entry, run, err)) > 0) {
		json_begin_object(writer, NULL);
		store_put_members(writer, &store_entry_members, &entry);
		json_put_boolean(writer, "model", run->conditions.source == RUN_MODEL);
		record_put(writer, "record", run);
		json_end_object(writer);
		ret = 0;
	}
	json_end_array(writer);
	store_cursor_end(cursor);
	free(run);
	return ret;
}

int store_export(struct store *store, const struct store_filter *filter, FILE *out, struct err *err)
{
	struct json_writer writer;

	json_begin(&writer, out);
	json_begin_object(&writer, NULL);
	json_put_string(&writer, "schema", STORE_EXPORT_SCHEMA);
	json_put_string(&writer, "version", HOLDOFF_VERSION);
	int ret = put_experiments(&writer, store, filter, err);

	ret = ret ? ret : put_runs(&writer, store, filter, err);
	if (ret) {
		return ret; /* what is half a document is not ended as if it were whole */
	}
	json_end_object(&writer);
	ret = json_end(&writer);
	return ret ? err_set(err, ret, "the runs cannot be written: %s", strerror(-ret)) : 0;
}

/* ---- reading ---- */

static int take_cells(const json_t *array, struct store_cell *cells, struct err *err)
{
	int ret = 0;

	for (uint32_t i = 0; ret == 0 && i < json_array_size(array); i++) {
		cells[i].number = i;
		ret = store_take_members(&store_cell_members, json_array_get(array, i), 0, &cells[i],
					 "a cell of an experiment", err);
	}
	return ret;
}

static int import_experiment(struct store *store, const json_t *from, struct err *err)
{
	struct store_experiment experiment = { 0 };
	const json_t *const array = json_object_get(from, "cells");
	struct store_cell *const cells = calloc(json_array_size(array) + 1, sizeof(*cells));
	int ret = cells ? 0 : err_set(err, -ENOMEM, "no memory for the cells of an experiment");

	if (ret == 0 && (!json_is_array(array) || json_array_size(array) > UINT32_MAX)) {
		ret = err_set(err, -EINVAL, "an experiment without a list of cells");
	}
	ret = ret ? ret : store_take_members(&store_experiment_members, from, 1, &experiment, "an experiment", err);
	ret = ret ? ret : take_cells(array, cells, err);
	experiment.cells = (uint32_t)json_array_size(array);
	ret = ret ? ret : store_add_experiment(store, &experiment, cells, err);
	free(experiment.plan);
	free(cells);
	return ret == -EEXIST ? 0 : ret;
}

static int import_run(struct store *store, const json_t *from, struct run *run, struct store_merged *merged,
		      struct err *err)
{
	struct store_entry entry = { 0 };
	const json_t *const model = json_object_get(from, "model"), *const record = json_object_get(from, "record");

	if (!json_is_boolean(model) || !record) {
		return err_set(err, -EINVAL, "a run without model or record");
	}
	int ret = store_take_members(&store_entry_members, from, 2, &entry, "a run", err);

	ret = ret ? ret : record_take(run, record, err);
	if (ret == 0 && (!entry.uuid[0] || !entry.taken_at_ns)) {
		ret = err_set(err, -EINVAL, "a run without uuid or taken_at_ns");
	}
	if (ret == 0 && (run->conditions.source == RUN_MODEL) != json_is_true(model)) {
		ret = err_set(err, -EINVAL, "run %s: model and its record contradict each other", entry.uuid);
	}
	ret = ret ? ret : store_add(store, &entry, run, err);
	merged->added += ret == 0;
	merged->known += ret == -EEXIST;
	return ret == -EEXIST ? 0 : ret;
}

static int import_lists(struct store *store, const json_t *document, struct run *run, struct store_merged *merged,
			struct err *err)
{
	const json_t *const experiments = json_object_get(document, "experiments");
	const json_t *const runs = json_object_get(document, "runs");
	int ret = 0;

	if (!json_is_array(experiments) || !json_is_array(runs) || json_object_size(document) != 4) {
		return err_set(err, -EINVAL, "expected schema, version, experiments and runs, and nothing else");
	}
	for (size_t i = 0; ret == 0 && i < json_array_size(experiments); i++) {
		ret = import_experiment(store, json_array_get(experiments, i), err);
	}
	for (size_t i = 0; ret == 0 && i < json_array_size(runs); i++) {
		ret = import_run(store, json_array_get(runs, i), run, merged, err);
	}
	return ret;
}

static int check_schema(const json_t *document, struct err *err)
{
	const char *const schema = json_string_value(json_object_get(document, "schema"));

	if (!schema || strcmp(schema, STORE_EXPORT_SCHEMA) != 0) {
		return err_set(err, -EINVAL, "expected schema " STORE_EXPORT_SCHEMA "%s%.40s%s", schema ? ", not " : "",
			       schema ? schema : "",
			       schema && strcmp(schema, RUN_SCHEMA) == 0
				       ? ", which has no buckets: keep runs with --store and export them"
				       : "");
	}
	return 0;
}

static int import_document(struct store *store, const json_t *document, struct store_merged *merged, struct err *err)
{
	struct run *const run = malloc(sizeof(*run));
	bool nested;
	int ret = run ? check_schema(document, err) : err_set(err, -ENOMEM, "no memory for a run");

	ret = ret ? ret : store_enter(store, &nested, err);
	if (ret == 0) {
		ret = store_leave(store, nested, import_lists(store, document, run, merged, err), err);
	}
	free(run);
	return ret;
}

int store_import(struct store *store, const char *text, size_t length, const char *name, struct store_merged *merged,
		 struct err *err)
{
	json_error_t error;
	json_t *const document = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);

	*merged = (struct store_merged){ 0 };
	if (!document) {
		return err_set(err, -EINVAL, "%s is no JSON: %s (line %d)", name, error.text, error.line);
	}
	const int ret = import_document(store, document, merged, err);

	json_decref(document);
	if (ret) {
		*merged = (struct store_merged){ 0 };
		return err_prefix(err, ret, "%s", name);
	}
	return 0;
}
