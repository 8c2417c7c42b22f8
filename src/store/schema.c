/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables, as steps from each version to the next. A step that has been released is never changed; a new one is added
 * below, with a file of the version before it in test/data/store.
 *
 * Times are ns since 1970, UTC. What was not so, or not observed, is NULL or has no row.
 */
#include <assert.h>
#include <stdio.h>

#include "store/store_private.h"

/* clang-format off */
static const char version_1[] =
	"CREATE TABLE experiment ("
	" number INTEGER PRIMARY KEY,"
	" uuid TEXT NOT NULL UNIQUE,"
	" kind TEXT NOT NULL,"
	" made_at_ns INTEGER NOT NULL,"
	" machine TEXT,"
	" version TEXT,"
	" command TEXT,"
	" label TEXT,"
	" seed TEXT NOT NULL," /* up to 2^64 - 1 */
	" plan TEXT NOT NULL"
	");"
	"CREATE TABLE cell ("
	" experiment INTEGER NOT NULL REFERENCES experiment (number) ON DELETE CASCADE,"
	" number INTEGER NOT NULL,"
	" setting TEXT,"
	" workload TEXT,"
	" state TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'failed', 'skipped')),"
	" reason TEXT,"
	" PRIMARY KEY (experiment, number)"
	") WITHOUT ROWID;"
	"CREATE TABLE run ("
	" number INTEGER PRIMARY KEY,"
	" uuid TEXT NOT NULL UNIQUE,"
	" taken_at_ns INTEGER NOT NULL,"
	" machine TEXT,"
	" version TEXT,"
	" command TEXT,"
	" label TEXT,"
	" experiment INTEGER REFERENCES experiment (number) ON DELETE RESTRICT,"
	" role TEXT NOT NULL CHECK (role IN ('alone', 'cell', 'control', 'warm-up')),"
	" cell INTEGER,"
	" repeat INTEGER,"
	" source TEXT NOT NULL CHECK (source IN ('model', 'measured')),"
	" board TEXT," /* of a model */
	" device TEXT," /* of a measured run */
	" driver TEXT,"
	" host TEXT,"
	" kernel TEXT,"
	" peer TEXT,"
	" settings TEXT," /* as requested, else as reported */
	" workload TEXT NOT NULL,"
	" duration_ns INTEGER NOT NULL,"
	" complete INTEGER NOT NULL,"
	" taints INTEGER NOT NULL,"
	" checksum INTEGER NOT NULL,"
	" record TEXT NOT NULL" /* holdoff.record/1 */
	");"
	"CREATE INDEX run_experiment ON run (experiment, cell);"
	"CREATE TABLE setting ("
	" run INTEGER NOT NULL REFERENCES run (number) ON DELETE CASCADE,"
	" field TEXT NOT NULL,"
	" value INTEGER NOT NULL,"
	" is_requested INTEGER NOT NULL,"
	" PRIMARY KEY (run, field)"
	") WITHOUT ROWID;"
	"CREATE TABLE figure ("
	" run INTEGER NOT NULL REFERENCES run (number) ON DELETE CASCADE,"
	" name TEXT NOT NULL,"
	" unit TEXT NOT NULL,"
	" thousandths INTEGER NOT NULL," /* of the unit */
	" n INTEGER," /* of a latency: how many were measured */
	" PRIMARY KEY (run, name)"
	") WITHOUT ROWID;";

/* Why runs are doubted, for filters and other programs; of runs that are there already from their records. */
static const char version_2[] =
	"CREATE TABLE taint ("
	" run INTEGER NOT NULL REFERENCES run (number) ON DELETE CASCADE,"
	" position INTEGER NOT NULL,"
	" text TEXT NOT NULL,"
	" PRIMARY KEY (run, position)"
	") WITHOUT ROWID;"
	"INSERT INTO taint (run, position, text)"
	" SELECT run.number, list.key, json_extract(list.value, '$.text')"
	" FROM run, json_each(run.record, '$.measured.taints') AS list"
	" WHERE run.taints > 0 AND json_valid(run.record) AND json_extract(list.value, '$.text') NOTNULL;";
/* clang-format on */

static const char *const steps[] = { version_1, version_2 };
static_assert(sizeof(steps) / sizeof(steps[0]) == STORE_VERSION, "a step to each version");

/* Another program may have done it while this one waited for the lock. */
static int read_version(struct store *store, int *version, struct err *err)
{
	struct store_statement statement;

	store_prepare(&statement, store, "PRAGMA user_version", "reading its version");
	const int ret = store_step(&statement, err);

	*version = ret > 0 ? (int)store_column_number(&statement, 0) : 0;
	store_finish(&statement);
	return ret < 0 ? ret : 0;
}

int store_migrate(struct store *store, struct err *err)
{
	static const char doing[] = "bringing its tables up to date";
	char marks[96];
	int version;
	bool nested;

	snprintf(marks, sizeof(marks), "PRAGMA application_id = %d; PRAGMA user_version = %d;", STORE_APPLICATION_ID,
		 STORE_VERSION);
	int ret = store_enter(store, &nested, err);

	if (ret) {
		return ret;
	}
	ret = read_version(store, &version, err);
	if (ret == 0 && version < STORE_VERSION) {
		for (; ret == 0 && version < STORE_VERSION; version++) {
			ret = store_execute(store, steps[version], doing, err);
		}
		ret = ret ? ret : store_execute(store, marks, doing, err);
	}
	return store_leave(store, nested, ret, err);
}
