/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store/store_private.h"

static int merge_cell(struct store *store, struct store *other, const char *experiment, uint32_t number,
		      struct err *err)
{
	struct store_cell theirs, ours;
	int ret = store_get_cell(other, experiment, number, &theirs, err);

	ret = ret ? ret : store_get_cell(store, experiment, number, &ours, err);
	return ret == 0 && ours.state == STORE_CELL_WAITING && theirs.state != STORE_CELL_WAITING
		       ? store_set_cell(store, experiment, number, theirs.state, theirs.reason, err)
		       : ret;
}

/* The experiment with its cells as they are in the other file. */
static int copy_experiment(struct store *store, struct store *other, struct store_experiment *experiment,
			   struct err *err)
{
	struct store_cell *const cells = calloc(experiment->cells ? experiment->cells : 1, sizeof(*cells));
	int ret = cells ? 0 : err_set(err, -ENOMEM, "no memory for the cells of an experiment");

	for (uint32_t i = 0; ret == 0 && i < experiment->cells; i++) {
		ret = store_get_cell(other, experiment->uuid, i, &cells[i], err);
	}
	ret = ret ? ret : store_add_experiment(store, experiment, cells, err);
	free(cells);
	return ret;
}

static int merge_experiment(struct store *store, struct store *other, const char *uuid, struct err *err)
{
	struct store_experiment experiment;
	int ret = store_get_experiment(other, uuid, &experiment, err);

	if (ret) {
		return ret;
	}
	ret = copy_experiment(store, other, &experiment, err);
	if (ret == -EEXIST) {
		ret = 0;
		for (uint32_t i = 0; ret == 0 && i < experiment.cells; i++) {
			ret = merge_cell(store, other, experiment.uuid, i, err);
		}
	}
	free(experiment.plan);
	return ret;
}

static int merge_experiments(struct store *store, struct store *other, struct err *err)
{
	struct store_statement statement;
	char uuid[STORE_UUID_MAX];
	int ret;

	store_prepare(&statement, other, "SELECT uuid FROM experiment ORDER BY number", "reading experiments");
	while ((ret = store_step(&statement, err)) > 0) {
		store_column_text(&statement, 0, uuid, sizeof(uuid));
		ret = merge_experiment(store, other, uuid, err);
		if (ret) {
			break;
		}
	}
	store_finish(&statement);
	return ret;
}

static int merge_run(struct store *store, struct store_entry *entry, const struct run *run, struct store_merged *merged,
		     struct err *err)
{
	const int ret = store_add(store, entry, run, err);

	if (ret == -EEXIST) {
		merged->known++;
		return 0;
	}
	merged->added += ret == 0;
	return ret;
}

static int merge_runs(struct store *store, struct store *other, struct store_merged *merged, struct err *err)
{
	struct run *const run = malloc(sizeof(*run));
	struct store_cursor *cursor = NULL;
	struct store_entry entry;
	int ret = run ? store_find(other, NULL, &cursor, err) : err_set(err, -ENOMEM, "no memory for a run");

	while (ret == 0) {
		entry.number = 0;
		ret = store_next(cursor, &entry, run, err);
		if (ret == -EBADMSG && entry.number) {
			merged->damaged++;
			ret = 0;
			continue;
		}
		if (ret <= 0) {
			break;
		}
		ret = merge_run(store, &entry, run, merged, err);
	}
	store_cursor_end(cursor);
	free(run);
	return ret;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat of_a, of_b;

	return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

int store_merge(struct store *store, const char *path, struct store_merged *merged, struct err *err)
{
	struct store *other;
	bool nested;

	*merged = (struct store_merged){ 0 };
	if (is_same_file(store->path, path)) {
		return err_set(err, -EINVAL, "%s is the store itself", path);
	}
	int ret = store_open(&other, path, STORE_READ, err);

	if (ret) {
		return ret;
	}
	ret = store_enter(store, &nested, err);
	if (ret == 0) {
		ret = merge_experiments(store, other, err);
		ret = ret ? ret : merge_runs(store, other, merged, err);
		ret = store_leave(store, nested, ret, err);
	}
	store_close(other);
	return ret;
}
