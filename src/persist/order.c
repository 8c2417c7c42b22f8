/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which .link files others shadow. udev sorts the files of all folders by name, a name that comes twice counts once
 * (the one in /etc before /run before /usr), and the first file whose [Match] fits a device is the only one for it.
 *
 * Two files are compared by the text of their conditions. A condition covers another of the same key when every pattern
 * of that one is matched by one of its own; conditions with ! or of keys that only one file has are not judged.
 */
#include <fnmatch.h>
#include <string.h>

#include "persist/persist_private.h"

#define PATTERN_MAX 200

static const struct persist_condition *find_condition(const struct persist_file *file, const char *key)
{
	for (unsigned i = 0; i < file->condition_count; i++) {
		if (strcmp(file->conditions[i].key, key) == 0) {
			return &file->conditions[i];
		}
	}
	return NULL;
}

static bool is_universal(const struct persist_condition *condition)
{
	return strcmp(condition->key, "OriginalName") == 0 && strcmp(condition->value, "*") == 0;
}

/* The next word of a list; false at the end. */
static bool next_pattern(const char **at, char pattern[PATTERN_MAX])
{
	const char *const start = *at + strspn(*at, " \t");
	const size_t length = strcspn(start, " \t");

	memcpy(pattern, start, length);
	pattern[length] = '\0';
	*at = start + length;
	return length > 0;
}

static bool any_matches(const char *patterns, const char *text)
{
	char pattern[PATTERN_MAX];

	while (next_pattern(&patterns, pattern)) {
		if (fnmatch(pattern, text, FNM_CASEFOLD) == 0) {
			return true;
		}
	}
	return false;
}

static bool covers_list(const char *wide, const char *narrow)
{
	char text[PATTERN_MAX];

	while (next_pattern(&narrow, text)) {
		if (!any_matches(wide, text)) {
			return false;
		}
	}
	return true;
}

/* No text can match both: told only where no pattern of one matches one of the other. */
static bool is_apart(const char *a, const char *b)
{
	char text[PATTERN_MAX];

	for (const char *at = a; next_pattern(&at, text);) {
		if (any_matches(b, text)) {
			return false;
		}
	}
	for (const char *at = b; next_pattern(&at, text);) {
		if (any_matches(a, text)) {
			return false;
		}
	}
	return true;
}

static bool is_negated(const struct persist_condition *condition)
{
	return condition->value[0] == '!';
}

enum relation { APART, PERHAPS, COVERED };

/* What the earlier file does to the later one. */
static enum relation relate(const struct persist_file *first, const struct persist_file *later)
{
	enum relation relation = first->conditions_cut ? PERHAPS : COVERED;

	for (unsigned i = 0; i < first->condition_count; i++) {
		const struct persist_condition *const mine = &first->conditions[i];
		const struct persist_condition *const theirs = find_condition(later, mine->key);

		if (is_universal(mine)) {
			continue;
		}
		if (!theirs) {
			relation = PERHAPS;
		} else if (is_negated(mine) || is_negated(theirs)) {
			relation = strcmp(mine->value, theirs->value) == 0 ? relation : PERHAPS;
		} else if (is_apart(mine->value, theirs->value)) {
			return APART;
		} else if (!covers_list(mine->value, theirs->value)) {
			relation = PERHAPS;
		}
	}
	return relation;
}

static void compare(const struct persist_file *first, const char *first_name, struct persist_file *later)
{
	switch (relate(first, later)) {
	case COVERED:
		persist_find(
			later, 1, PERSIST_WRONG,
			"this file never applies: \"%.100s\" comes first by name and matches the same devices, and "
			"files are not merged",
			first_name);
		break;
	case PERHAPS:
		persist_find(
			later, 1, PERSIST_NOTE,
			"where \"%.100s\" matches the same device it comes first by name, and this file does not apply",
			first_name);
		break;
	case APART:
		break;
	}
}

static bool is_ordered(const struct persist_file *file, const char *name)
{
	return file->format == PERSIST_SYSTEMD_LINK && strcmp(name, "-") != 0 && !strstr(name, ".link.d/");
}

void persist_check_order(struct persist_file *const *files, const char *const *names, unsigned count)
{
	for (unsigned first = 0; first < count; first++) {
		for (unsigned later = 0; later < count; later++) {
			const char *const base = persist_base_name(names[later]);
			const int order = strcmp(persist_base_name(names[first]), base);

			if (!is_ordered(files[first], names[first]) || !is_ordered(files[later], names[later]) ||
			    first == later) {
				continue;
			}
			if (order < 0) {
				compare(files[first], persist_base_name(names[first]), files[later]);
			} else if (order == 0 && first < later) {
				persist_find(files[later], 1, PERSIST_WARNING,
					     "\"%.100s\" has the same name: of the two only one is read, /etc before "
					     "/run before /usr",
					     names[first]);
			}
		}
	}
}
