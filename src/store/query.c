/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A filter as SQL, whose values are bound and never part of its text, and the runs that it finds. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/record.h"
#include "store/store_private.h"

#define ENTRY_COLUMNS                                                                                               \
	"run.number, run.uuid, run.taken_at_ns, run.machine, run.version, run.command, run.label, experiment.uuid," \
	" run.role, run.cell, run.repeat, run.checksum, run.record"
#define FROM_RUNS " FROM run LEFT JOIN experiment ON experiment.number = run.experiment"

enum { COLUMN_CHECKSUM = 11, COLUMN_RECORD };

struct store_cursor {
	struct store_statement statement;
};

static const char *const operators[] = {
	[STORE_EQUAL] = "=",    [STORE_UNEQUAL] = "<>", [STORE_LESS] = "<",
	[STORE_AT_MOST] = "<=", [STORE_MORE] = ">",     [STORE_AT_LEAST] = ">=",
};

static bool is_text(const struct store_term *term)
{
	return term->field && term->field->kind != STORE_FIELD_NUMBER && term->field->kind != STORE_FIELD_SWITCH &&
	       term->field->kind != STORE_FIELD_TIME;
}

static bool is_glob(const struct store_term *term, unsigned value)
{
	return term->field->kind == STORE_FIELD_PREFIX || strpbrk(term->value[value].text, "*?");
}

static void put_column(FILE *out, const struct store_term *term)
{
	if (!term->field) {
		fputs(term->figure ? "figure.thousandths" : "setting.value", out);
	} else if (term->field->kind == STORE_FIELD_TAINT) {
		fputs("taint.text", out);
	} else if (strcmp(term->field->column, "experiment_uuid") == 0) {
		fputs("experiment.uuid", out);
	} else {
		fprintf(out, "run.%s", term->field->column);
	}
}

/* COLUMN = ? OR COLUMN GLOB ? ...; for != none of them, and the column has to be there. */
static void put_comparisons(FILE *out, const struct store_term *term)
{
	const bool is_unequal = term->operation == STORE_UNEQUAL;

	for (unsigned i = 0; i < term->value_count; i++) {
		fputs(i ? (is_unequal ? " AND " : " OR ") : "", out);
		put_column(out, term);
		if (is_text(term) && is_glob(term, i)) {
			fputs(is_unequal ? " NOT GLOB ?" : " GLOB ?", out);
		} else {
			fprintf(out, " %s ?", operators[term->operation]);
		}
	}
}

static void put_term(FILE *out, const struct store_term *term)
{
	if (term->field) {
		const bool is_taint = term->field->kind == STORE_FIELD_TAINT;

		fputs(is_taint ? " AND EXISTS (SELECT 1 FROM taint WHERE run = run.number AND (" : " AND (", out);
		put_comparisons(out, term);
		fputs(is_taint ? "))" : ")", out);
		return;
	}
	fprintf(out, " AND EXISTS (SELECT 1 FROM %s WHERE run = run.number AND %s = ? AND (",
		term->figure ? "figure" : "setting", term->figure ? "name" : "field");
	put_comparisons(out, term);
	fputs("))", out);
}

/* A bracket means nothing in a filter, and a set of characters in GLOB. */
static void bind_glob(struct store_statement *statement, const char *text, bool is_prefix)
{
	char pattern[3 * STORE_FILTER_TEXT_MAX + 2], *at = pattern;

	for (; *text; text++) {
		if (*text == '[') {
			memcpy(at, "[[]", 3);
			at += 3;
		} else {
			*at++ = *text;
		}
	}
	if (is_prefix) {
		*at++ = '*';
	}
	*at = '\0';
	store_bind_text(statement, pattern);
}

static void bind_term(struct store_statement *statement, const struct store_term *term)
{
	if (!term->field) {
		store_bind_text(statement, term->figure ? term->figure->name : coalesce_fields[term->setting].name);
	}
	for (unsigned i = 0; i < term->value_count; i++) {
		if (!is_text(term)) {
			store_bind_number(statement, term->value[i].number);
		} else if (is_glob(term, i)) {
			bind_glob(statement, term->value[i].text, term->field->kind == STORE_FIELD_PREFIX);
		} else {
			store_bind_text(statement, term->value[i].text);
		}
	}
}

static int prepare(struct store_statement *statement, struct store *store, const char *columns,
		   const struct store_filter *filter, const char *order, struct err *err)
{
	char *sql = NULL;
	size_t length;
	FILE *const out = open_memstream(&sql, &length);

	if (!out) {
		return err_set(err, -ENOMEM, "no memory for a query");
	}
	fprintf(out, "SELECT %s" FROM_RUNS " WHERE 1", columns);
	for (unsigned i = 0; filter && i < filter->count; i++) {
		put_term(out, &filter->term[i]);
	}
	fputs(order, out);
	if (fclose(out) != 0) {
		free(sql);
		return err_set(err, -ENOMEM, "no memory for a query");
	}
	store_prepare(statement, store, sql, "reading runs");
	free(sql);
	for (unsigned i = 0; filter && i < filter->count; i++) {
		bind_term(statement, &filter->term[i]);
	}
	return 0;
}

int store_find(struct store *store, const struct store_filter *filter, struct store_cursor **cursor, struct err *err)
{
	*cursor = calloc(1, sizeof(**cursor));
	if (!*cursor) {
		return err_set(err, -ENOMEM, "no memory for a query");
	}
	const int ret = prepare(&(*cursor)->statement, store, ENTRY_COLUMNS, filter, " ORDER BY run.number", err);

	if (ret) {
		store_cursor_end(*cursor);
		*cursor = NULL;
	}
	return ret;
}

void store_cursor_end(struct store_cursor *cursor)
{
	if (cursor) {
		store_finish(&cursor->statement);
		free(cursor);
	}
}

static enum store_role find_role(const char *name)
{
	enum store_role role = 0;

	while (role < STORE_ROLES - 1 && strcmp(store_role_name(role), name) != 0) {
		role++;
	}
	return role;
}

static void take_entry(const struct store_statement *statement, struct store_entry *entry)
{
	char role[16];

	*entry = (struct store_entry){ .number = store_column_number(statement, 0) };
	store_column_text(statement, 1, entry->uuid, sizeof(entry->uuid));
	entry->taken_at_ns = store_column_number(statement, 2);
	store_column_text(statement, 3, entry->machine, sizeof(entry->machine));
	store_column_text(statement, 4, entry->version, sizeof(entry->version));
	store_column_text(statement, 5, entry->command, sizeof(entry->command));
	store_column_text(statement, 6, entry->label, sizeof(entry->label));
	store_column_text(statement, 7, entry->experiment, sizeof(entry->experiment));
	store_column_text(statement, 8, role, sizeof(role));
	entry->role = find_role(role);
	entry->cell = (uint32_t)store_column_number(statement, 9);
	entry->repeat = (uint32_t)store_column_number(statement, 10);
}

static int take_run(const struct store_statement *statement, int64_t number, struct run *run, struct err *err)
{
	const char *const record = (const char *)sqlite3_column_text(statement->sql, COLUMN_RECORD);
	const int bytes = sqlite3_column_bytes(statement->sql, COLUMN_RECORD);
	const size_t length = record && bytes > 0 ? (size_t)bytes : 0;
	const char *const path = statement->store->path;

	if (store_checksum(record, length) != store_column_number(statement, COLUMN_CHECKSUM)) {
		return err_set(err, -EBADMSG, "%s: run %lld is damaged: it is not what was written", path,
			       (long long)number);
	}
	const int ret = record_parse(run, length ? record : "", length, err);

	return ret ? err_prefix(err, ret == -ENOMEM ? ret : -EBADMSG, "%s: run %lld", path, (long long)number) : 0;
}

int store_next(struct store_cursor *cursor, struct store_entry *entry, struct run *run, struct err *err)
{
	int ret = store_step(&cursor->statement, err);

	if (ret <= 0) {
		return ret;
	}
	take_entry(&cursor->statement, entry);
	ret = run ? take_run(&cursor->statement, entry->number, run, err) : 0;
	return ret ? ret : 1;
}

int store_count(struct store *store, const struct store_filter *filter, uint64_t *count, struct err *err)
{
	struct store_statement statement;
	int ret = prepare(&statement, store, "count(*)", filter, "", err);

	if (ret) {
		return ret;
	}
	ret = store_step(&statement, err);
	*count = ret > 0 ? (uint64_t)store_column_number(&statement, 0) : 0;
	store_finish(&statement);
	return ret < 0 ? ret : 0;
}

/* 1: *entry is the only one; 0: none; -EINVAL: several. */
static int find_only(struct store *store, const char *filter_text, const char *name, struct store_entry *entry,
		     struct run *run, struct err *err)
{
	struct store_filter filter;
	struct store_cursor *cursor;
	struct store_entry second;
	int ret = store_filter_parse(&filter, filter_text, err);

	ret = ret ? ret : store_find(store, &filter, &cursor, err);
	if (ret) {
		return ret;
	}
	ret = store_next(cursor, entry, run, err);
	if (ret > 0) {
		const int more = store_next(cursor, &second, NULL, err);

		ret = more < 0 ? more : more == 0 ? 1 : err_set(err, -EINVAL, "several runs begin with \"%s\"", name);
	}
	store_cursor_end(cursor);
	return ret;
}

int store_get(struct store *store, const char *name, struct store_entry *entry, struct run *run, struct err *err)
{
	const size_t length = strlen(name);
	const bool is_number = length < 10 && length > 0 && strspn(name, "0123456789") == length;
	const bool is_prefix = length >= 4 && length < STORE_UUID_MAX && strspn(name, "0123456789abcdef-") == length;
	char filter[64];
	int ret = 0;

	if (!is_number && !is_prefix) {
		return err_set(err, -EINVAL,
			       "\"%.40s\" is no run: expected its number, or at least four characters of its UUID",
			       name);
	}
	if (is_number) {
		snprintf(filter, sizeof(filter), "run=%s", name);
		ret = find_only(store, filter, name, entry, run, err);
	}
	if (ret == 0 && is_prefix) {
		snprintf(filter, sizeof(filter), "id=%s", name);
		ret = find_only(store, filter, name, entry, run, err);
	}
	if (ret == 0) {
		return err_set(err, -ENOENT, "%s has no run %s", store->path, name);
	}
	return ret > 0 ? 0 : ret;
}
