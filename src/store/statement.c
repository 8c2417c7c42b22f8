/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "store/store_private.h"

int store_fail(const struct store *store, const char *doing, struct err *err)
{
	const char *const path = store->path;

	switch (sqlite3_errcode(store->db) & 0xff) {
	case SQLITE_NOTADB:
		return err_set(err, -EMEDIUMTYPE, "%s is no store of runs: it is not an SQLite file", path);
	case SQLITE_CORRUPT:
		return err_set(err, -EBADMSG, "%s is damaged: %s (sqlite3 %s .recover may save the rest)", path,
			       sqlite3_errmsg(store->db), path);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return err_set(err, -EBUSY, "%s is in use by another program, %s was given up", path, doing);
	case SQLITE_FULL:
		return err_set(err, -ENOSPC, "%s: no room on the disk, %s was undone", path, doing);
	case SQLITE_READONLY:
		return err_set(err, -EROFS, "%s cannot be written", path);
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return err_set(err, -EACCES, "%s cannot be opened, or its folder cannot be written", path);
	case SQLITE_NOMEM:
		return err_set(err, -ENOMEM, "%s: no memory, %s was given up", path, doing);
	case SQLITE_TOOBIG:
		return err_set(err, -EBADMSG, "%s is damaged: something in it is too long", path);
	default:
		return err_set(err, -EIO, "%s: %s, %s was undone", path, sqlite3_errmsg(store->db), doing);
	}
}

int store_execute(struct store *store, const char *sql, const char *doing, struct err *err)
{
	return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : store_fail(store, doing, err);
}

void store_prepare(struct store_statement *statement, struct store *store, const char *sql, const char *doing)
{
	*statement = (struct store_statement){ .store = store, .doing = doing };
	statement->failed = sqlite3_prepare_v2(store->db, sql, -1, &statement->sql, NULL) != SQLITE_OK;
}

void store_bind_text(struct store_statement *statement, const char *text)
{
	const int place = ++statement->bound;

	if (!statement->failed) {
		statement->failed = (text && *text
					     ? sqlite3_bind_text(statement->sql, place, text, -1, SQLITE_TRANSIENT)
					     : sqlite3_bind_null(statement->sql, place)) != SQLITE_OK;
	}
}

void store_bind_number(struct store_statement *statement, int64_t number)
{
	const int place = ++statement->bound;

	if (!statement->failed) {
		statement->failed = sqlite3_bind_int64(statement->sql, place, number) != SQLITE_OK;
	}
}

void store_bind_null(struct store_statement *statement)
{
	store_bind_text(statement, NULL);
}

int store_step(struct store_statement *statement, struct err *err)
{
	const int code = statement->failed ? SQLITE_ERROR : sqlite3_step(statement->sql);

	if (code == SQLITE_ROW) {
		return 1;
	}
	if (code == SQLITE_DONE) {
		return 0;
	}
	statement->failed = true;
	return store_fail(statement->store, statement->doing, err);
}

void store_again(struct store_statement *statement)
{
	if (!statement->failed) {
		sqlite3_reset(statement->sql);
		sqlite3_clear_bindings(statement->sql);
	}
	statement->bound = 0;
}

void store_finish(struct store_statement *statement)
{
	sqlite3_finalize(statement->sql);
	statement->sql = NULL;
}

int store_done(struct store_statement *statement, struct err *err)
{
	int ret;

	do {
		ret = store_step(statement, err);
	} while (ret > 0);
	store_finish(statement);
	return ret;
}

void store_column_text(const struct store_statement *statement, int column, char *text, size_t size)
{
	const unsigned char *const value = sqlite3_column_text(statement->sql, column);

	snprintf(text, size, "%s", value ? (const char *)value : "");
}

int64_t store_column_number(const struct store_statement *statement, int column)
{
	return sqlite3_column_int64(statement->sql, column);
}

int store_enter(struct store *store, bool *nested, struct err *err)
{
	*nested = !sqlite3_get_autocommit(store->db);
	return store_execute(store, *nested ? "SAVEPOINT step" : "BEGIN IMMEDIATE", "writing", err);
}

int store_leave(struct store *store, bool nested, int ret, struct err *err)
{
	if (ret == 0) {
		ret = store_execute(store, nested ? "RELEASE step" : "COMMIT", "writing", err);
	}
	/* Some errors have undone the whole transaction by themselves. */
	if (ret && !sqlite3_get_autocommit(store->db)) {
		sqlite3_exec(store->db, nested ? "ROLLBACK TO step; RELEASE step" : "ROLLBACK", NULL, NULL, NULL);
	}
	return ret;
}

int store_begin(struct store *store, struct err *err)
{
	return store_execute(store, "BEGIN IMMEDIATE", "writing", err);
}

int store_commit(struct store *store, struct err *err)
{
	const int ret = store_execute(store, "COMMIT", "writing", err);

	if (ret) {
		store_roll_back(store);
	}
	return ret;
}

void store_roll_back(struct store *store)
{
	if (!sqlite3_get_autocommit(store->db)) {
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	}
}
