/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text as lines and as keys with values, the way programs read their configuration: nothing stops the reading. */
#include <string.h>

#include "persist/persist_private.h"

void persist_copy(char *to, size_t size, const char *from)
{
	const size_t length = strnlen(from, size - 1);

	memcpy(to, from, length);
	to[length] = '\0';
}

static bool is_white(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

char *persist_trim(char *text)
{
	size_t length = strlen(text);

	while (length && is_white(text[length - 1])) {
		length--;
	}
	text[length] = '\0';
	while (is_white(*text)) {
		text++;
	}
	return text;
}

const char *persist_base_name(const char *name)
{
	const char *const slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

bool persist_has_suffix(const char *name, const char *suffix)
{
	const size_t length = strlen(name), suffix_length = strlen(suffix);

	return length >= suffix_length && strcmp(name + length - suffix_length, suffix) == 0;
}

bool persist_is_kernel_name(const char *name)
{
	static const char *const stems[] = { "eth", "wlan", "usb" };

	for (size_t i = 0; i < sizeof(stems) / sizeof(stems[0]); i++) {
		const size_t length = strlen(stems[i]);

		if (strncmp(name, stems[i], length) == 0 && name[length] &&
		    strspn(name + length, "0123456789") == strlen(name + length)) {
			return true;
		}
	}
	return false;
}

/* ---- lines ---- */

/* One physical line, its end not counted; moves on behind it. */
static size_t take_physical(struct persist_lines *lines, const char **start)
{
	const size_t length = strcspn(lines->at, "\n");

	*start = lines->at;
	lines->at += length + (lines->at[length] == '\n');
	lines->next++;
	return length;
}

static void append(struct persist_line *line, size_t *length, const char *text, size_t count)
{
	const size_t place = PERSIST_LINE_MAX - 1 - *length;

	if (count > place) {
		line->is_cut = true;
		count = place;
	}
	memcpy(line->text + *length, text, count);
	*length += count;
}

static bool is_comment(const char *start, size_t length)
{
	size_t at = 0;

	while (at < length && is_white(start[at])) {
		at++;
	}
	return at < length && start[at] == '#';
}

/* Whether the line goes on behind it; then the backslash is no longer counted. */
static bool goes_on(const char *start, size_t *length)
{
	size_t end = *length;

	while (end && start[end - 1] == '\r') {
		end--;
	}
	if (!end || start[end - 1] != '\\') {
		return false;
	}
	*length = end - 1;
	return true;
}

/* The line that is joined to the one before: comments between them are not. */
static bool take_joined(struct persist_lines *lines, const char **start, size_t *length)
{
	while (*lines->at) {
		*length = take_physical(lines, start);
		if (!is_comment(*start, *length)) {
			return true;
		}
	}
	return false;
}

bool persist_next_line(struct persist_lines *lines, struct persist_line *line)
{
	const char *start;
	size_t length = 0;

	if (!*lines->at) {
		return false;
	}
	line->number = lines->next;
	line->is_cut = false;
	size_t count = take_physical(lines, &start);
	const bool may_join = lines->joint && !is_comment(start, count);
	bool more = true;

	while (more) {
		const bool joins = may_join && goes_on(start, &count);

		append(line, &length, start, count);
		more = joins && take_joined(lines, &start, &count);
		if (more) {
			append(line, &length, lines->joint, strlen(lines->joint));
		}
	}
	line->text[length] = '\0';
	const char *const trimmed = persist_trim(line->text);
	memmove(line->text, trimmed, strlen(trimmed) + 1);
	return true;
}

/* ---- INI ---- */

bool persist_next_ini(struct persist_ini *ini)
{
	do {
		if (!persist_next_line(&ini->lines, &ini->line)) {
			return false;
		}
	} while (ini->line.text[0] == '\0' || ini->line.text[0] == '#' || ini->line.text[0] == ';');

	char *const text = ini->line.text;
	char *const equals = strchr(text, '=');
	const size_t length = strlen(text);

	ini->key = ini->value = NULL;
	if (text[0] == '[' && text[length - 1] == ']') {
		ini->kind = PERSIST_INI_SECTION;
		text[length - 1] = '\0';
		persist_copy(ini->section, sizeof(ini->section), text + 1);
	} else if (!equals || equals == text) {
		ini->kind = PERSIST_INI_RUBBISH;
	} else {
		*equals = '\0';
		ini->kind = PERSIST_INI_KEY;
		ini->key = persist_trim(text);
		ini->value = persist_trim(equals + 1);
	}
	return true;
}
