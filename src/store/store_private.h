/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of this part share: the connection, statements, and SQLite's errors as sentences. */
#ifndef HOLDOFF_STORE_STORE_PRIVATE_H
#define HOLDOFF_STORE_STORE_PRIVATE_H

#include <sqlite3.h>

#include "store/store.h"

#define STORE_APPLICATION_ID 0x686f6c64 /* "hold" */
#define STORE_VERSION 2

struct store {
	sqlite3 *db;
	char *path;
};

/* schema.c: from any older version, 0 being an empty file, to STORE_VERSION, as one transaction. */
int store_migrate(struct store *store, struct err *err);

/* What SQLite's last error comes to: a sentence that begins with the file's name, and what the caller returns. */
int store_fail(const struct store *store, const char *doing, struct err *err);

/* Statements without values. */
int store_execute(struct store *store, const char *sql, const char *doing, struct err *err);

/*
 * A statement with values bound from left to right. The first error sticks: the calls that follow do nothing, and
 * store_step or store_done tell it.
 */
struct store_statement {
	struct store *store;
	const char *doing; /* "adding a run" */
	sqlite3_stmt *sql;
	int bound;
	bool failed;
};

void store_prepare(struct store_statement *statement, struct store *store, const char *sql, const char *doing);
void store_bind_text(struct store_statement *statement, const char *text); /* copied; NULL is bound for "" and NULL */
void store_bind_number(struct store_statement *statement, int64_t number);
void store_bind_null(struct store_statement *statement);
/* 1: there is a row; 0: there is none; else a negative errno. */
int store_step(struct store_statement *statement, struct err *err);
/* Runs it to its end and finishes it. 0 or a negative errno. */
int store_done(struct store_statement *statement, struct err *err);
/* For another run of the same statement. */
void store_again(struct store_statement *statement);
void store_finish(struct store_statement *statement);

/* A column of the present row. Texts are cut to what there is room for, and "" where there is NULL. */
void store_column_text(const struct store_statement *statement, int column, char *text, size_t size);
int64_t store_column_number(const struct store_statement *statement, int column);

/* Within store_begin a savepoint, else a transaction. *nested tells store_leave which. */
int store_enter(struct store *store, bool *nested, struct err *err);
/* Commits when ret is 0, else undoes; returns ret or what went wrong. */
int store_leave(struct store *store, bool nested, int ret, struct err *err);

/* Fills in a UUID that is "" (version 4); checks one that is not. */
int store_settle_uuid(char uuid[STORE_UUID_MAX], struct err *err);
int64_t store_now_ns(void);
void store_host_name(char machine[STORE_MACHINE_MAX]);


#endif
