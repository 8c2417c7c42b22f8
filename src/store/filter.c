/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/filter.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"

static const struct store_field fields[] = {
	{ "run", "number", STORE_FIELD_NUMBER, "number in the file" },
	{ "id", "uuid", STORE_FIELD_PREFIX, "UUID, or its first characters" },
	{ "source", "source", STORE_FIELD_TEXT, "model or measured" },
	{ "device", "device", STORE_FIELD_TEXT, "interface that was measured" },
	{ "board", "board", STORE_FIELD_TEXT, "board of a model" },
	{ "driver", "driver", STORE_FIELD_TEXT, "driver" },
	{ "host", "host", STORE_FIELD_TEXT, "CPU, or host profile of a model" },
	{ "kernel", "kernel", STORE_FIELD_TEXT, "kernel of a measured run" },
	{ "machine", "machine", STORE_FIELD_TEXT, "host name of the machine that made it" },
	{ "peer", "peer", STORE_FIELD_TEXT, "the other end" },
	{ "settings", "settings", STORE_FIELD_SETTINGS, "all settings as words, as requested, else as reported" },
	{ "workload", "workload", STORE_FIELD_WORKLOAD, "the workload as text" },
	{ "label", "label", STORE_FIELD_TEXT, "what the user called it" },
	{ "experiment", "experiment_uuid", STORE_FIELD_PREFIX, "UUID of its experiment, or its first characters" },
	{ "role", "role", STORE_FIELD_TEXT, "alone, cell, control or warm-up" },
	{ "cell", "cell", STORE_FIELD_NUMBER, "cell of its experiment" },
	{ "repeat", "repeat", STORE_FIELD_NUMBER, "which repeat of its cell" },
	{ "complete", "complete", STORE_FIELD_SWITCH, "whether it ran to its end" },
	{ "taints", "taints", STORE_FIELD_NUMBER, "reasons to doubt it" },
	{ "taint", NULL, STORE_FIELD_TAINT, "one of them, as text: \"*changed*\"" },
	{ "taken", "taken_at_ns", STORE_FIELD_TIME, "when it was done, UTC" },
	{ "version", "version", STORE_FIELD_TEXT, "of holdoff that made it" },
	{ "command", "command", STORE_FIELD_TEXT, "command that made it" },
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

const struct store_field *store_filter_fields(unsigned *count)
{
	*count = FIELDS;
	return fields;
}

/* Longest first. */
static const struct {
	const char *text;
	enum store_operation operation;
} operations[] = {
	{ "!=", STORE_UNEQUAL }, { "<=", STORE_AT_MOST }, { ">=", STORE_AT_LEAST },
	{ "=", STORE_EQUAL },    { "<", STORE_LESS },     { ">", STORE_MORE },
};

static int unknown_field(const char *name, struct err *err)
{
	const char *names[FIELDS + COALESCE_FIELDS + 128];
	unsigned count = 0, figure_count;
	const struct figure *const figure = figures(&figure_count);

	for (unsigned i = 0; i < FIELDS; i++) {
		names[count++] = fields[i].name;
	}
	for (unsigned i = 0; i < COALESCE_FIELDS; i++) {
		names[count++] = coalesce_fields[i].name;
	}
	for (unsigned i = 0; i < figure_count && count < sizeof(names) / sizeof(names[0]); i++) {
		names[count++] = figure[i].name;
	}
	const char *const nearest = text_nearest(name, names, count);

	return err_set(err, -EINVAL, "filter: unknown field \"%s\"%s%s%s", name, nearest ? ": did you mean " : "",
		       nearest ? nearest : "", nearest ? "?" : "");
}

static int find_field(struct store_term *term, const char *name, struct err *err)
{
	for (unsigned i = 0; i < FIELDS; i++) {
		if (strcmp(fields[i].name, name) == 0) {
			term->field = &fields[i];
			return 0;
		}
	}
	term->setting = coalesce_field_find(name);
	if (term->setting != COALESCE_FIELDS || figure_find(name, &term->figure, NULL) == 0) {
		return 0;
	}
	return unknown_field(name, err);
}

/* Exactly so many digits; -1 when there are others. */
static int digits(const char **text, unsigned count)
{
	int value = 0;

	for (unsigned i = 0; i < count; i++, (*text)++) {
		if (!isdigit((unsigned char)**text)) {
			return -1;
		}
		value = 10 * value + (**text - '0');
	}
	return value;
}

/* Days from 1 January 1970, by the number of leap years before; the year begins in March. */
static int64_t days_since_1970(int year, int month, int day)
{
	const int64_t shifted = month > 2 ? year : year - 1;
	const int64_t in_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;

	return 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + in_year - 719468;
}

static bool take_part(const char **text, char before, int most, int *part)
{
	if (**text != before) {
		return **text == '\0';
	}
	(*text)++;
	*part = digits(text, 2);
	return *part >= 0 && *part <= most;
}

static int parse_time(const char *text, int64_t *at_ns, struct err *err)
{
	const char *at = text;
	int month = 0, day = 0, hour = 0, minute = 0, second = 0;
	const int year = digits(&at, 4);
	const bool has_date = year >= 1970 && year < 2200 && take_part(&at, '-', 12, &month) && month > 0 &&
			      take_part(&at, '-', 31, &day) && day > 0;

	if (!has_date || !take_part(&at, 'T', 23, &hour) || !take_part(&at, ':', 59, &minute) ||
	    !take_part(&at, ':', 59, &second) || *at) {
		return err_set(err, -EINVAL, "filter: '%s' is no time, expected 2026-12-01 or 2026-12-01T10:00 (UTC)",
			       text);
	}
	*at_ns = (((days_since_1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * NS_PER_S;
	return 0;
}

static int parse_number(const char *text, const char *name, bool is_switch, int64_t *number, struct err *err)
{
	int on;
	const int ret = is_switch ? text_parse_bool(text, name, &on, err)
				  : text_parse_i64(text, name, 0, INT64_MAX, number, err);

	if (ret == 0 && is_switch) {
		*number = on;
	}
	return ret ? err_prefix(err, ret, "filter") : 0;
}

static bool is_pattern(const char *text)
{
	return strpbrk(text, "*?") != NULL;
}

/* A whole workload, or settings, in the form in which they are kept; else as it stands. */
static void normalise(enum store_field_kind kind, char *text)
{
	struct workload workload;
	struct coalesce settings;
	char canonical[COALESCE_TEXT_MAX];

	if (is_pattern(text)) {
		return;
	}
	if (kind == STORE_FIELD_WORKLOAD && workload_parse(&workload, text, NULL) == 0) {
		workload_print(&workload, canonical);
	} else if (kind == STORE_FIELD_SETTINGS && coalesce_parse_text(&settings, text, NULL) == 0) {
		coalesce_print(&settings, canonical);
	} else {
		return;
	}
	if (strlen(canonical) < STORE_FILTER_TEXT_MAX) {
		strcpy(text, canonical);
	}
}

static bool is_text(const struct store_field *field)
{
	return field && field->kind != STORE_FIELD_NUMBER && field->kind != STORE_FIELD_SWITCH &&
	       field->kind != STORE_FIELD_TIME;
}

static int parse_value(const struct store_term *term, const char *name, struct store_value *value, struct err *err)
{
	if (term->figure) {
		const int ret = figure_parse(value->text, term->figure->unit, name, &value->number, err);

		return ret ? err_prefix(err, ret, "filter") : 0;
	}
	if (!term->field) {
		return parse_number(value->text, name, coalesce_fields[term->setting].unit == COALESCE_UNIT_SWITCH,
				    &value->number, err);
	}
	if (is_text(term->field)) {
		normalise(term->field->kind, value->text);
		return 0;
	}
	return term->field->kind == STORE_FIELD_TIME
		       ? parse_time(value->text, &value->number, err)
		       : parse_number(value->text, name, term->field->kind == STORE_FIELD_SWITCH, &value->number, err);
}

/* Up to the next , or | outside of quotes, without blanks at its ends. */
static int cut_value(const char **text, char value[STORE_FILTER_TEXT_MAX], struct err *err)
{
	size_t length = 0;
	const char *at = *text + strspn(*text, " ");
	const bool is_quoted = *at == '"';

	for (at += is_quoted; *at && (is_quoted ? *at != '"' : *at != ',' && *at != '|'); at++) {
		if (length == STORE_FILTER_TEXT_MAX - 1) {
			return err_set(err, -EINVAL, "filter: a value is longer than %d bytes",
				       STORE_FILTER_TEXT_MAX - 1);
		}
		value[length++] = *at;
	}
	if (is_quoted && *at++ != '"') {
		return err_set(err, -EINVAL, "filter: a quote that is not closed");
	}
	at += strspn(at, " ");
	while (!is_quoted && length > 0 && value[length - 1] == ' ') {
		length--;
	}
	value[length] = '\0';
	if (*at && *at != ',' && *at != '|') {
		return err_set(err, -EINVAL, "filter: \"%.20s\" behind a quoted value, expected , or |", at);
	}
	*text = at;
	return 0;
}

static int parse_values(struct store_term *term, const char *name, const char **text, struct err *err)
{
	do {
		if (term->value_count == STORE_FILTER_VALUES_MAX) {
			return err_set(err, -EINVAL, "filter: more than %d values of %s", STORE_FILTER_VALUES_MAX,
				       name);
		}
		struct store_value *const value = &term->value[term->value_count++];

		*text += **text == '|';
		int ret = cut_value(text, value->text, err);

		ret = ret ? ret : parse_value(term, name, value, err);
		if (ret) {
			return ret;
		}
	} while (**text == '|');
	if (term->operation != STORE_EQUAL && term->operation != STORE_UNEQUAL && term->value_count > 1) {
		return err_set(err, -EINVAL, "filter: %s takes several values only with = or !=", name);
	}
	return 0;
}

static int parse_operation(struct store_term *term, const char *name, const char **text, struct err *err)
{
	for (unsigned i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		const size_t length = strlen(operations[i].text);

		if (strncmp(*text, operations[i].text, length) == 0) {
			term->operation = operations[i].operation;
			*text += length;
			if (is_text(term->field) && term->operation != STORE_EQUAL &&
			    term->operation != STORE_UNEQUAL) {
				return err_set(err, -EINVAL, "filter: %s is a text, which takes = and != only", name);
			}
			return 0;
		}
	}
	return err_set(err, -EINVAL, "filter: \"%s\" needs = != < <= > or >=, and a value", name);
}

static int parse_term(struct store_term *term, const char **text, struct err *err)
{
	char name[64];
	const char *const at = *text + strspn(*text, " ");
	const size_t length = strcspn(at, " =!<>,|");

	*term = (struct store_term){ .setting = COALESCE_FIELDS };
	if (length == 0 || length >= sizeof(name)) {
		return err_set(err, -EINVAL, "filter: expected FIELD=VALUE, not \"%.40s\"", at);
	}
	memcpy(name, at, length);
	name[length] = '\0';
	*text = at + length + strspn(at + length, " ");
	int ret = find_field(term, name, err);

	ret = ret ? ret : parse_operation(term, name, text, err);
	return ret ? ret : parse_values(term, name, text, err);
}

int store_filter_add(struct store_filter *filter, const char *text, struct err *err)
{
	struct store_filter more = *filter;

	if (!text[strspn(text, " ")]) {
		return 0;
	}
	for (;;) {
		if (more.count == STORE_FILTER_TERMS_MAX) {
			return err_set(err, -EINVAL, "filter: more than %d terms", STORE_FILTER_TERMS_MAX);
		}
		const int ret = parse_term(&more.term[more.count++], &text, err);

		if (ret) {
			return ret;
		}
		if (!*text) {
			break;
		}
		text++;
	}
	*filter = more;
	return 0;
}

int store_filter_parse(struct store_filter *filter, const char *text, struct err *err)
{
	struct store_filter parsed = { 0 };
	const int ret = store_filter_add(&parsed, text, err);

	if (ret == 0) {
		*filter = parsed;
	}
	return ret;
}
