/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs that are kept: one SQLite file (holdoff.db, version and tables in holdoff-store(5)) for any number of runs, of
 * models and of real interfaces, from any number of machines. A run is there with everything in it (report/record.h), and
 * beside that as columns, settings and figures for filters and for other programs.
 *
 * What is promised:
 * - A run is in the file, whole and durable, when store_add returns 0; a kill, a crash or a full disk before that leaves
 *   the file as it was. The journal is a rollback journal and not WAL, with synchronous=EXTRA: a store is then one file,
 *   that can be copied, lie on a network file system and be read from a read-only one, and a run is written so seldom that
 *   two more fsyncs do not matter.
 * - Each run has a UUID: to add one that is there already is -EEXIST and changes nothing, so files can be merged again.
 * - Several programs may use one file: who has to wait for longer than 10 s gets -EBUSY.
 * - A file that is damaged, of another program, of a newer version, a folder or no SQLite at all is a sentence that begins
 *   with its name. What is in the file is never trusted: each record has a checksum and is read strictly.
 *
 * Errors: -ENOENT no such file or run, -EISDIR, -EACCES, -EROFS, -ENOSPC, -EBUSY, -EIO, -ENOMEM; -EMEDIUMTYPE: not an SQLite
 * file, or of another program; -EBADMSG: damaged; -EPROTONOSUPPORT: of a newer version; -EEXIST, -EINVAL as said. One store belongs to one thread.
 */
#ifndef HOLDOFF_STORE_STORE_H
#define HOLDOFF_STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "run/run.h"
#include "store/filter.h"

#define STORE_DEFAULT "holdoff.db"
#define STORE_UUID_MAX 37 /* "8c1f...", 36 characters, lower case */
#define STORE_MACHINE_MAX 65
#define STORE_COMMAND_MAX 1024
#define STORE_LABEL_MAX 128
#define STORE_SETTING_MAX 256

struct store;

enum store_access {
	STORE_READ,  /* must exist; an older version is brought up to date in memory only */
	STORE_WRITE, /* must exist; an older version is brought up to date */
	STORE_CREATE /* as STORE_WRITE, and made where there is none, or an empty file */
};

/* The caller closes it. */
int store_open(struct store **store, const char *path, enum store_access access, struct err *err);
void store_close(struct store *store); /* NULL is nothing; what is not committed is undone */

/* Why a run of an experiment was made. */
enum store_role {
	STORE_ALONE,   /* of no experiment */
	STORE_CELL,    /* of a cell of a sweep: it counts */
	STORE_CONTROL, /* of the setting that the interface had, repeated against drift */
	STORE_WARM_UP, /* kept, and counts nowhere */
	STORE_ROLES
};

const char *store_role_name(enum store_role role); /* "alone", "cell", "control", "warm-up" */

/* What is kept of a run beside the run. */
struct store_entry {
	int64_t number;                  /* in this file, from 1; filled in by store_add */
	char uuid[STORE_UUID_MAX];       /* "": store_add makes one */
	int64_t taken_at_ns;             /* since 1970, UTC, when it was done; 0: store_add takes the clock's */
	char machine[STORE_MACHINE_MAX]; /* host name; "": store_add asks */
	char version[24];                /* of holdoff that made it; "": this one */
	char command[STORE_COMMAND_MAX]; /* that made it, as a shell takes it, or "" */
	char label[STORE_LABEL_MAX];     /* the user's, or "" */
	char experiment[STORE_UUID_MAX]; /* "" for none; then role is STORE_ALONE */
	enum store_role role;
	uint32_t cell;   /* number of its cell in the experiment, STORE_CELL and STORE_WARM_UP */
	uint32_t repeat; /* of the cell, or of the control, from 1 */
};

/*
 * A shell command that gives these words again, quoted where needed, at most sizeof(entry->command): a longer one is
 * left out whole. argv[0] is the command after "holdoff".
 */
void store_entry_set_command(struct store_entry *entry, int argc, char *const *argv);

/*
 * In a transaction of its own, or within store_begin. -EINVAL for a run that could not be read back (times beyond
 * report/record.h), an unknown experiment or a cell that it does not have.
 */
int store_add(struct store *store, struct store_entry *entry, const struct run *run, struct err *err);
/* -ENOENT when there is none. */
int store_remove(struct store *store, const char *uuid, struct err *err);
/* Puts another label. -ENOENT when there is none. */
int store_set_label(struct store *store, const char *uuid, const char *label, struct err *err);

/* Several changes as one: all or nothing. */
int store_begin(struct store *store, struct err *err);
int store_commit(struct store *store, struct err *err);
void store_roll_back(struct store *store);

/* ---- reading ---- */

struct store_cursor;

/* Runs in the order in which they were added. filter may be NULL; it is not kept. The caller ends it. */
int store_find(struct store *store, const struct store_filter *filter, struct store_cursor **cursor, struct err *err);
/* 1: *entry, and *run where that is not NULL, are filled in; 0: that was all; negative errno: the run is damaged (-EBADMSG,
 * *entry is filled in; the next call goes on behind it), or cannot be read. */
int store_next(struct store_cursor *cursor, struct store_entry *entry, struct run *run, struct err *err);
void store_cursor_end(struct store_cursor *cursor);

int store_count(struct store *store, const struct store_filter *filter, uint64_t *count, struct err *err);

/* By number ("12") or the first characters (at least four) of a UUID. -ENOENT, or -EINVAL when several begin so. */
int store_get(struct store *store, const char *name, struct store_entry *entry, struct run *run, struct err *err);

/* ---- experiments: what a sweep needs to go on where it ended ---- */

#define STORE_SWEEP "sweep"             /* of a real interface */
#define STORE_MODEL_SWEEP "model sweep" /* the UUID is that of its plan */

struct store_experiment {
	char uuid[STORE_UUID_MAX]; /* "": made */
	char kind[24];             /* STORE_SWEEP, ... */
	int64_t made_at_ns;        /* 0: the clock's */
	char machine[STORE_MACHINE_MAX];
	char version[24];
	char command[STORE_COMMAND_MAX];
	char label[STORE_LABEL_MAX];
	uint64_t seed;  /* of the order of its cells */
	uint32_t cells; /* numbered from 0 */
	char *plan;     /* what is needed to make it again, any length; of one that was read the caller frees it */
};

enum store_cell_state { STORE_CELL_WAITING, STORE_CELL_DONE, STORE_CELL_FAILED, STORE_CELL_SKIPPED, STORE_CELL_STATES };

const char *store_cell_state_name(enum store_cell_state state); /* "waiting", "done", "failed", "skipped" */

struct store_cell {
	uint32_t number;
	char setting[STORE_SETTING_MAX]; /* as words */
	char workload[WORKLOAD_TEXT_MAX];
	enum store_cell_state state;
	char reason[ERR_TEXT_MAX]; /* why it failed or was skipped ("rounds to the setting of cell 3"), or "" */
	uint32_t runs;             /* whole ones with role STORE_CELL that are in the file; filled in when read */
};

/* A UUID made of a text (version 8 of RFC 9562), and a checksum (FNV-1a): the same everywhere. */
void store_uuid_of(const char *text, char uuid[STORE_UUID_MAX]);
int64_t store_checksum(const char *text, size_t length);

/* With all its cells, which are numbered in their order. -EEXIST: it is there, nothing was changed. */
int store_add_experiment(struct store *store, struct store_experiment *experiment, const struct store_cell *cells,
			 struct err *err);
/* By the first characters (at least four) of its UUID; "" is the newest STORE_SWEEP that is not finished. -ENOENT, -EINVAL as store_get. */
int store_get_experiment(struct store *store, const char *name, struct store_experiment *experiment, struct err *err);
/* -ENOENT when there is no such cell. */
int store_get_cell(struct store *store, const char *experiment, uint32_t number, struct store_cell *cell,
		   struct err *err);
int store_set_cell(struct store *store, const char *experiment, uint32_t number, enum store_cell_state state,
		   const char *reason, struct err *err);

/* ---- several files ---- */

struct store_merged {
	uint64_t added, known; /* runs; known: were there already */
	uint64_t damaged;      /* runs of the other file that cannot be read, and were left out */
};

/*
 * All runs and experiments of another file, as one transaction. A cell's state is the further one of both files. The
 * other file is only read.
 */
int store_merge(struct store *store, const char *path, struct store_merged *merged, struct err *err);

#define STORE_EXPORT_SCHEMA "holdoff.export/1"

/*
 * Runs that fit the filter, whole, and the experiments that they are of, as one JSON document. What was exported,
 * imported and exported again is the same to the byte. Returns 0, -EBADMSG for a damaged run (nothing is left out: the
 * document is then cut), or the negative errno of a failed write.
 */
int store_export(struct store *store, const struct store_filter *filter, FILE *out, struct err *err);
/* All runs of such a document, as one transaction; `name` of the document is for complaints. -EINVAL: it is none. */
int store_import(struct store *store, const char *text, size_t length, const char *name, struct store_merged *merged,
		 struct err *err);

#endif
