/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stores in a folder of their own: what is put in comes out, filters find it, and what is no store is told apart. */
#include "store/store.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/time.h"
#include "report/record.h"
#include "store/store_private.h"
#include "tap.h"

static char folder[] = "/tmp/holdoff-store-XXXXXX";

static const char *at(const char *name)
{
	static char path[4][128];
	static unsigned next;
	char *const given = path[next++ % 4];

	snprintf(given, sizeof(path[0]), "%s/%s", folder, name);
	return given;
}

static struct run *new_run(const char *workload, uint32_t rx_usecs, int64_t rtt_ns)
{
	struct run *const run = malloc(sizeof(*run));

	run_init(run);
	workload_parse(&run->conditions.workload, workload, NULL);
	run->conditions.duration_ns = NS_PER_S;
	run->conditions.seed = UINT64_MAX;
	strcpy(run->conditions.board, "imx8mm");
	strcpy(run->conditions.driver, "fec@6.12");
	coalesce_put(&run->conditions.requested, COALESCE_RX_USECS, rx_usecs);
	run->findings.has = 1u << RUN_RTT;
	run->findings.irq_count = 1000;
	for (unsigned i = 0; i < 100; i++) {
		histogram_record(&run->findings.latency[RUN_RTT], rtt_ns + i);
	}
	return run;
}

static void make_measured(struct run *run)
{
	struct run_measured *const measured = &run->conditions.measured;

	run->conditions.source = RUN_MEASURED;
	memset(run->conditions.board, 0, sizeof(run->conditions.board));
	run->conditions.reported = run->conditions.requested;
	run->conditions.requested = (struct coalesce){ 0 };
	strcpy(measured->device, "eth[1]");
	run_condition_put(&measured->around, "kernel", "6.12.95");
	run_taint(measured, "something moved");
	measured->is_incomplete = true;
}

static bool adds(struct store *store, struct store_entry *entry, struct run *run)
{
	struct err err = { "" };
	const int ret = store_add(store, entry, run, &err);

	free(run);
	return tap_ok(ret == 0, "a run is added %s", err.text);
}

static unsigned matches(struct store *store, const char *text)
{
	struct store_filter filter;
	struct err err = { "" };
	uint64_t count = 0;

	if (store_filter_parse(&filter, text, &err) || store_count(store, &filter, &count, &err)) {
		tap_note("%s", err.text);
		return UINT32_MAX;
	}
	return (unsigned)count;
}

/* Three of a model, one measured. */
static void fill(struct store *store)
{
	struct store_entry entry = { .label = "first, of three" };
	struct run *const measured = new_run("udp rate=20k", 100, 900000);

	adds(store, &entry, new_run("ping interval=1ms", 0, 50000));
	entry = (struct store_entry){ .machine = "elsewhere" };
	adds(store, &entry, new_run("ping interval=1ms", 100, 150000));
	entry = (struct store_entry){ .taken_at_ns = 5 };
	adds(store, &entry, new_run("ping interval=2ms", 200, 250000));
	entry = (struct store_entry){ .command = "holdoff measure 'eth[1]'" };
	make_measured(measured);
	adds(store, &entry, measured);
}

static void test_round_trip(void)
{
	struct store *store;
	struct store_entry entry = { .label = "l\xc3\xa4" }, found;
	struct run *const run = new_run("tcp", 7, 1000), *const copy = malloc(sizeof(*copy));
	struct err err = { "" };

	store_entry_set_command(&entry, 3, (char *[]){ "measure", "it's", "" });
	tap_is_text(entry.command, "holdoff measure 'it'\\''s' ''", "a command is quoted for a shell");
	tap_is(store_open(&store, at("a.db"), STORE_CREATE, &err), 0, "a store is made %s", err.text);
	tap_is(store_add(store, &entry, run, &err), 0, "a run is added %s", err.text);
	tap_is(entry.number, 1, "it has a number");
	tap_is((int64_t)strlen(entry.uuid), 36, "and a UUID");
	tap_ok(entry.taken_at_ns > 1700000000 * NS_PER_S && entry.machine[0], "and when and where it was made");
	tap_is(store_add(store, &entry, run, &err), -EEXIST, "it is added once: %s", err.text);
	store_close(store);

	store_open(&store, at("a.db"), STORE_READ, &err);
	tap_is(store_get(store, "1", &found, copy, &err), 0, "it is found again %s", err.text);
	tap_ok(memcmp(copy, run, sizeof(*run)) == 0, "to the byte");
	tap_ok(memcmp(&found, &entry, sizeof(found)) == 0, "with what is kept beside it");
	entry.uuid[8] = '\0';
	tap_is(store_get(store, entry.uuid, &found, NULL, &err), 0, "also by the beginning of its UUID %s", err.text);
	tap_is(store_get(store, "2", &found, NULL, &err), -ENOENT, "another is not there: %s", err.text);
	tap_is(store_get(store, "xyz", &found, NULL, &err), -EINVAL, "and this is no name: %s", err.text);
	found.uuid[0] = '\0';
	tap_is(store_add(store, &found, run, &err), -EROFS, "a store for reading is not written: %s", err.text);
	store_close(store);
	free(run);
	free(copy);
}

static void test_refused_runs(void)
{
	struct store *store;
	struct run *const run = new_run("voip", 0, 5);
	struct store_entry entry = { .uuid = "no" };
	struct err err = { "" };

	store_open(&store, at("a.db"), STORE_CREATE, &err);
	tap_is(store_add(store, &entry, run, &err), -EINVAL, "a UUID has a form: %s", err.text);
	entry = (struct store_entry){ .role = STORE_CELL };
	tap_is(store_add(store, &entry, run, &err), -EINVAL, "a role needs an experiment: %s", err.text);
	entry = (struct store_entry){ .role = STORE_CELL, .experiment = "00000000-0000-4000-8000-000000000000" };
	tap_is(store_add(store, &entry, run, &err), -EINVAL, "which has to be there: %s", err.text);
	run->conditions.duration_ns = INT64_MAX;
	entry = (struct store_entry){ 0 };
	tap_is(store_add(store, &entry, run, &err), -EINVAL, "a run that could not be read back is refused: %s",
	       err.text);
	tap_is(matches(store, ""), 1, "nothing of them was kept");
	store_close(store);
	free(run);
}

static void test_filters(void)
{
	static const struct {
		const char *filter;
		unsigned count;
	} rows[] = {
		{ "", 4 },
		{ "source=model", 3 },
		{ "source!=model", 1 },
		{ "board=imx8mm", 3 },
		{ "board=imx8*,workload=ping interval=1ms", 2 },
		{ "workload=ping*|udp*", 4 },
		{ "workload=udp rate=20000", 1 },
		{ "rx-usecs=100", 2 },
		{ "rx-usecs!=100", 2 },
		{ "rx-usecs>=100,source=model", 2 },
		{ "rx-usecs=0|200", 2 },
		{ "tx-usecs!=5", 0 }, /* what a run does not have fits no term */
		{ "device!=eth9", 1 },
		{ "device=eth[1]", 1 },
		{ "device=eth[*", 1 },
		{ "device=eth1", 0 },
		{ "rtt-p99<200us", 2 },
		{ "rtt-p99<200us,rx-usecs>0", 1 },
		{ "irq-rate=1000", 4 },
		{ "goodput>0", 0 },
		{ "label=\"first, of three\"", 1 },
		{ "machine=elsewhere", 1 },
		{ "kernel=6.12*", 1 },
		{ "taints>0,complete=off", 1 },
		{ "taint=*moved*", 1 },
		{ "taint=*moved", 1 },
		{ "taint=moved", 0 },
		{ "taken<1970-01-02", 1 },
		{ "settings=rx-usecs 100", 2 },
		{ "command=*eth*", 1 },
		{ "role=alone", 4 },
		{ "run=2|3", 2 },
		{ "label=' OR 1=1 --", 0 },
	};
	struct store *store;
	struct err err = { "" };

	tap_is(store_open(&store, at("filters.db"), STORE_CREATE, &err), 0, "a store is made %s", err.text);
	fill(store);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		tap_is(matches(store, rows[i].filter), rows[i].count, "runs with \"%s\"", rows[i].filter);
	}
	store_close(store);
}

static void test_changes(void)
{
	struct store *store;
	struct store_entry entry;
	struct err err = { "" };

	store_open(&store, at("filters.db"), STORE_WRITE, &err);
	store_get(store, "2", &entry, NULL, &err);
	tap_is(store_set_label(store, entry.uuid, "second", &err), 0, "a label is put on a run %s", err.text);
	tap_is(matches(store, "label=second"), 1, "and found");
	store_begin(store, &err);
	tap_is(store_remove(store, entry.uuid, &err), 0, "a run is removed %s", err.text);
	tap_is(matches(store, ""), 3, "and gone");
	store_roll_back(store);
	tap_is(matches(store, ""), 4, "until that is undone");
	store_remove(store, entry.uuid, &err);
	tap_is(matches(store, "rx-usecs=100"), 1, "and found no more");

	struct store_statement left;

	store_prepare(&left, store,
		      "SELECT (SELECT count(*) FROM figure WHERE run = 2) + (SELECT count(*) FROM setting WHERE"
		      " run = 2)",
		      "counting");
	store_step(&left, &err);
	tap_is(store_column_number(&left, 0), 0, "nothing is left of it");
	store_finish(&left);
	tap_is(store_remove(store, entry.uuid, &err), -ENOENT, "it is removed once: %s", err.text);
	store_close(store);
}

static void test_experiment(void)
{
	static const struct store_cell cells[] = { { .setting = "rx-usecs 0" }, { .setting = "rx-usecs 5" } };
	struct store *store;
	struct store_experiment experiment = { .kind = "sweep", .seed = UINT64_MAX, .cells = 2, .plan = "a plan" },
				found;
	struct store_cell cell;
	struct store_entry entry = { .role = STORE_CELL, .cell = 1, .repeat = 1 };
	struct err err = { "" };

	store_open(&store, at("sweep.db"), STORE_CREATE, &err);
	tap_is(store_get_experiment(store, "", &found, &err), -ENOENT, "there is nothing to go on with: %s", err.text);
	tap_is(store_add_experiment(store, &experiment, cells, &err), 0, "an experiment is added %s", err.text);
	tap_is(store_add_experiment(store, &experiment, cells, &err), -EEXIST, "once: %s", err.text);
	strcpy(entry.experiment, experiment.uuid);
	adds(store, &entry, new_run("voip", 5, 5));
	entry.cell = 2;
	entry.uuid[0] = '\0';
	struct run *const run = new_run("voip", 5, 5);

	tap_is(store_add(store, &entry, run, &err), -EINVAL, "a cell has to be there: %s", err.text);
	free(run);
	entry = (struct store_entry){ .role = STORE_CONTROL, .repeat = 1 };
	strcpy(entry.experiment, experiment.uuid);
	adds(store, &entry, new_run("voip", 5, 5));
	tap_is(store_get_cell(store, experiment.uuid, 1, &cell, &err), 0, "a cell is read %s", err.text);
	tap_is(cell.runs, 1, "it has a run");
	tap_is_text(cell.setting, "rx-usecs 5", "and its setting");
	tap_is(store_set_cell(store, experiment.uuid, 0, STORE_CELL_SKIPPED, "as cell 1", &err), 0,
	       "a cell is skipped");
	tap_is(store_get_experiment(store, "", &found, &err), 0, "one that waits is left %s", err.text);
	tap_is_text(found.plan, "a plan", "with its plan");
	tap_ok(found.seed == UINT64_MAX && found.cells == 2, "seed and number of cells");
	free(found.plan);
	store_set_cell(store, experiment.uuid, 1, STORE_CELL_DONE, NULL, &err);
	tap_is(store_get_experiment(store, "", &found, &err), -ENOENT, "then none: %s", err.text);
	tap_is(store_get_cell(store, experiment.uuid, 2, &cell, &err), -ENOENT, "there is no third: %s", err.text);
	tap_is(matches(store, "role=cell,cell=1"), 1, "runs are found by their cell");
	tap_is(matches(store, "experiment=*-4*"), 2, "and by their experiment");
	store_close(store);
}

static void test_merge(void)
{
	struct store *store;
	struct store_merged merged;
	struct err err = { "" };

	store_open(&store, at("merged.db"), STORE_CREATE, &err);
	for (unsigned i = 0; i < 2; i++) {
		tap_is(store_merge(store, at("filters.db"), &merged, &err), 0, "a file is merged %s", err.text);
		tap_is((int64_t)merged.added, i ? 0 : 3, "what is new is added");
		tap_is((int64_t)merged.known, i ? 3 : 0, "what is known is not");
		tap_is(store_merge(store, at("sweep.db"), &merged, &err), 0, "and another, with an experiment %s",
		       err.text);
	}
	tap_is(matches(store, ""), 5, "all runs are there");
	tap_is(matches(store, "role=control"), 1, "in their roles");
	tap_is(store_merge(store, at("merged.db"), &merged, &err), -EINVAL, "a file is not merged with itself: %s",
	       err.text);
	store_close(store);
}

static char *exported(const char *name, size_t *length)
{
	struct store *store;
	struct err err = { "" };
	char *text = NULL;
	FILE *const out = open_memstream(&text, length);

	store_open(&store, at(name), STORE_READ, &err);
	tap_is(store_export(store, NULL, out, &err), 0, "%s is exported %s", name, err.text);
	fclose(out);
	store_close(store);
	return text;
}

static void test_document(void)
{
	struct store *store;
	struct store_merged merged;
	struct store_cell cell;
	struct store_entry entry;
	struct err err = { "" };
	size_t length, length_again;
	char *const text = exported("merged.db", &length);

	store_open(&store, at("imported.db"), STORE_CREATE, &err);
	tap_is(store_import(store, text, length, "text", &merged, &err), 0, "a document is imported %s", err.text);
	tap_is((int64_t)merged.added, 5, "with all its runs");
	store_get(store, "4", &entry, NULL, &err);
	tap_is(store_get_cell(store, entry.experiment, 0, &cell, &err), 0, "with its experiment %s", err.text);
	tap_is(cell.state, STORE_CELL_SKIPPED, "and the states of its cells");
	tap_is_text(cell.reason, "as cell 1", "with their reasons");
	store_close(store);
	char *const again = exported("imported.db", &length_again);

	tap_ok(length == length_again && memcmp(text, again, length) == 0, "exported again it is the same to the byte");
	free(text);
	free(again);
}

/* ---- older versions ---- */

static void run_sql(const char *path, const char *sql)
{
	sqlite3 *db;

	sqlite3_open(path, &db);
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
		tap_note("%s: %s", sql, sqlite3_errmsg(db));
	}
	sqlite3_close(db);
}

static void make_version(const char *path, unsigned version)
{
	char name[64];
	struct stat status;

	snprintf(name, sizeof(name), "test/data/store/version-%u.sql", version);
	FILE *const file = fopen(name, "r");

	if (!file || fstat(fileno(file), &status) != 0) {
		tap_ok(false, "there is %s", name);
		return;
	}
	char *const sql = calloc(1, (size_t)status.st_size + 1);

	if (fread(sql, 1, (size_t)status.st_size, file) == (size_t)status.st_size) {
		run_sql(path, sql);
	}
	free(sql);
	fclose(file);
}

static int64_t version_of(const char *path)
{
	sqlite3 *db;
	sqlite3_stmt *statement;

	sqlite3_open(path, &db);
	sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &statement, NULL);
	sqlite3_step(statement);
	const int64_t version = sqlite3_column_int64(statement, 0);

	sqlite3_finalize(statement);
	sqlite3_close(db);
	return version;
}

/* The same runs from a file of each older version, whether it may be changed or not. */
static void test_versions(void)
{
	for (unsigned version = 1; version < STORE_VERSION; version++) {
		const char *const path = at("older.db");
		struct store *store;
		struct store_cell cell;
		struct err err = { "" };

		make_version(path, version);
		for (unsigned i = 0; i < 2; i++) {
			tap_is(store_open(&store, path, i ? STORE_WRITE : STORE_READ, &err), 0,
			       "version %u is opened %s", version, err.text);
			tap_is(matches(store, ""), 3, "its runs are there");
			tap_is(matches(store, "source=measured,taint=other programs*"), 1,
			       "with what newer versions ask for");
			tap_is(store_get_cell(store, "11111111-2222-4333-8444-555555555555", 1, &cell, &err), 0,
			       "and its experiment %s", err.text);
			store_close(store);
			tap_is(version_of(path), i ? STORE_VERSION : version,
			       i ? "now it is up to date" : "reading has not changed it");
		}
		size_t length;

		free(exported("older.db", &length));
		unlink(path);
	}
}

/* ---- what is no store ---- */

static void write_file(const char *path, const char *text)
{
	FILE *const file = fopen(path, "w");

	fputs(text, file);
	fclose(file);
}

static void is_refused(const char *path, enum store_access access, int expected, const char *why)
{
	struct store *store;
	struct err err = { "" };
	const int ret = store_open(&store, path, access, &err);

	tap_ok(ret == expected && !store && strstr(err.text, why), "%s: %s", path, err.text);
	store_close(store);
}

static void test_no_store(void)
{
	struct store *store;
	struct err err = { "" };

	is_refused(at("missing.db"), STORE_READ, -ENOENT, "No such file");
	is_refused(at("missing/a.db"), STORE_CREATE, -EACCES, "cannot be opened");
	is_refused("", STORE_CREATE, -EINVAL, "empty");
	is_refused(folder, STORE_CREATE, -EISDIR, "folder");
	is_refused("/dev/null", STORE_CREATE, -EMEDIUMTYPE, "no regular file");
	write_file(at("text.db"),
		   "This is not a database, and it is longer than a header of a database has to be: 100 bytes"
		   " and more, so that nobody takes it for one that was cut.");
	is_refused(at("text.db"), STORE_CREATE, -EMEDIUMTYPE, "not an SQLite file");
	write_file(at("empty.db"), "");
	is_refused(at("empty.db"), STORE_READ, -EMEDIUMTYPE, "empty");
	run_sql(at("other.db"), "CREATE TABLE a (b)");
	is_refused(at("other.db"), STORE_CREATE, -EMEDIUMTYPE, "another program");
	store_open(&store, at("newer.db"), STORE_CREATE, &err);
	store_close(store);
	run_sql(at("newer.db"), "PRAGMA user_version = 99");
	is_refused(at("newer.db"), STORE_READ, -EPROTONOSUPPORT, "newer holdoff");
	run_sql(at("newer.db"), "PRAGMA user_version = 2; CREATE VIEW v AS SELECT 1");
	is_refused(at("newer.db"), STORE_READ, -EMEDIUMTYPE, "another program");
	tap_is(store_open(&store, at("empty.db"), STORE_CREATE, &err), 0, "an empty file is made a store %s", err.text);
	store_close(store);
}

static void test_damaged_record(void)
{
	struct store *store;
	struct store_entry entry;
	struct run *const run = malloc(sizeof(*run));
	struct store_cursor *cursor;
	struct err err = { "" };

	run_sql(at("merged.db"), "UPDATE run SET record = replace(record, '\"irq_count\": 1000', '\"irq_count\": 1001')"
				 " WHERE number = 2");
	store_open(&store, at("merged.db"), STORE_READ, &err);
	store_find(store, NULL, &cursor, &err);
	tap_is(store_next(cursor, &entry, run, &err), 1, "a run is read");
	tap_is(store_next(cursor, &entry, run, &err), -EBADMSG, "a damaged one is not: %s", err.text);
	tap_is(entry.number, 2, "which it is, is known");
	tap_is(store_next(cursor, &entry, run, &err), 1, "the next one is read");
	store_cursor_end(cursor);
	store_close(store);
	free(run);
}

/* ---- other programs, kills and full disks ---- */

static void test_lock(void)
{
	struct store *store, *other;
	struct store_entry entry = { 0 };
	struct run *const run = new_run("voip", 1, 1);
	struct err err = { "" };

	store_open(&store, at("a.db"), STORE_WRITE, &err);
	store_open(&other, at("a.db"), STORE_WRITE, &err);
	store_begin(store, &err);
	sqlite3_busy_timeout(other->db, 10);
	tap_is(store_add(other, &entry, run, &err), -EBUSY, "who has waited long enough is told: %s", err.text);
	store_roll_back(store);
	tap_is(store_add(other, &entry, run, &err), 0, "and then it works %s", err.text);
	store_close(store);
	store_close(other);
	free(run);
}

/* A child adds runs until it is killed; what it said to be added has to be there. */
static void test_kill(void)
{
	const char *const path = at("killed.db");
	struct store *store;
	struct err err = { "" };
	int said[2];
	char byte;
	unsigned added = 0;

	store_open(&store, path, STORE_CREATE, &err);
	store_close(store);
	for (unsigned kill_after = 1; kill_after <= 8; kill_after++) {
		if (pipe(said)) {
			return;
		}
		const pid_t child = fork();

		if (child == 0) {
			struct run *const run = new_run("voip", 1, 1);

			store_open(&store, path, STORE_WRITE, &err);
			for (;;) {
				struct store_entry entry = { 0 };

				if (store_add(store, &entry, run, &err) || write(said[1], ".", 1) != 1) {
					_exit(1);
				}
			}
		}
		close(said[1]);
		for (unsigned i = 0; i < kill_after && read(said[0], &byte, 1) == 1; i++) {
			added++;
		}
		usleep(137 * kill_after); /* into the next one, somewhere */
		kill(child, SIGKILL);
		while (read(said[0], &byte, 1) == 1) {
			added++;
		}
		waitpid(child, NULL, 0);
		close(said[0]);
	}
	tap_is(store_open(&store, path, STORE_READ, &err), 0, "the store of a killed program is opened %s", err.text);
	tap_within(matches(store, ""), added, added + 8,
		   "every run that was said to be added is there, of each kill at most "
		   "one more");
	store_close(store);
}

/* Adds runs until that fails; what it came to. */
static int add_until_full(struct store *store, const struct run *run, struct err *err)
{
	int ret = 0;

	for (unsigned i = 0; ret == 0 && i < 100; i++) {
		struct store_entry entry = { 0 };

		ret = store_add(store, &entry, run, err);
	}
	return ret;
}

static void test_full_disk(void)
{
	const char *const path = at("full.db");
	struct store *store;
	struct err err = { "" };
	struct run *const run = new_run("voip", 1, 1);
	struct store_entry entry = { 0 };
	struct rlimit limit, before;
	struct stat status;

	store_open(&store, path, STORE_CREATE, &err);
	run_sql(path, "VACUUM");
	tap_is(store_execute(store, "PRAGMA max_page_count = 32", "limiting", &err), 0, "a store may not grow %s",
	       err.text);
	tap_is(add_until_full(store, run, &err), -ENOSPC, "which is told as a full disk is: %s", err.text);
	store_close(store);

	/* A limit on files is what comes nearest to a full disk without one. */
	store_open(&store, path, STORE_WRITE, &err);
	stat(path, &status);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = (rlim_t)status.st_size + 16384;
	setrlimit(RLIMIT_FSIZE, &limit);
	tap_ok(add_until_full(store, run, &err) < 0, "a write that fails is told: %s", err.text);
	setrlimit(RLIMIT_FSIZE, &before);
	const unsigned count = matches(store, "");

	store_close(store);
	tap_is(store_open(&store, path, STORE_WRITE, &err), 0, "the file is good %s", err.text);
	tap_ok(count >= 2 && matches(store, "") == count, "nothing of what was there is lost");
	tap_is(store_add(store, &entry, run, &err), 0, "and with room again it goes on %s", err.text);
	store_close(store);
	free(run);
}

int main(void)
{
	if (!mkdtemp(folder)) {
		return 1;
	}
	test_round_trip();
	test_refused_runs();
	test_filters();
	test_changes();
	test_experiment();
	test_merge();
	test_document();
	test_versions();
	test_no_store();
	test_damaged_record();
	test_lock();
	test_kill();
	test_full_disk();

	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command) | tap_done();
}
