/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command lines: words as a shell splits them, and what an ethtool among them asks for.
 *
 * Nothing is run or expanded: a word with a variable in it stands for itself, and settings with such a value are passed
 * over with a note. Source of the syntax: ethtool(8) of 6.1 (-C, --coalesce; -Q, --per-queue with queue_mask).
 */
#include <string.h>

#include "persist/persist_private.h"

/* ---- words ---- */

/* Where the reading is. The end of a word may have been written over the character there, which `here` still knows. */
struct cursor {
	char *at;
	char here;
};

static void move_to(struct cursor *cursor, char *at)
{
	cursor->at = at;
	cursor->here = *at;
}

static void skip_any(struct cursor *cursor, const char *characters)
{
	while (cursor->here && strchr(characters, cursor->here)) {
		move_to(cursor, cursor->at + 1);
	}
}

/* Reads a quoted part; returns behind its closing quote, or the end. */
static char *take_quoted(char *at, char **to)
{
	const char quote = *at++;

	while (*at && *at != quote) {
		if (quote == '"' && at[0] == '\\' && (at[1] == '"' || at[1] == '\\')) {
			at++;
		}
		*(*to)++ = *at++;
	}
	return *at ? at + 1 : at;
}

static bool ends_word(char c)
{
	return c == '\0' || strchr(" \t\r\n;&|<>", c) != NULL;
}

/* One word, unquoted in place and its end marked. */
static char *take_word(struct cursor *cursor)
{
	char *const word = cursor->at;
	char *at = word, *to = word;

	*at = cursor->here;
	while (!ends_word(*at)) {
		if (*at == '"' || *at == '\'') {
			at = take_quoted(at, &to);
		} else {
			at += *at == '\\' && at[1];
			*to++ = *at++;
		}
	}
	move_to(cursor, at);
	*to = '\0';
	return word;
}

static bool is_number(const char *word)
{
	return *word && strspn(word, "0123456789") == strlen(word);
}

unsigned persist_split_command(char *text, char *words[PERSIST_WORDS_MAX], char **rest)
{
	struct cursor cursor;
	unsigned count = 0;

	*rest = NULL;
	move_to(&cursor, text);
	for (;;) {
		skip_any(&cursor, " \t\r");
		if (cursor.here == '\0' || cursor.here == '#') {
			return count;
		}
		if (strchr(";&|\n", cursor.here)) {
			*rest = cursor.at + 1;
			return count;
		}
		if (cursor.here == '<' || cursor.here == '>') {
			skip_any(&cursor, "<>&|");
			skip_any(&cursor, " \t");
			take_word(&cursor);
			continue;
		}
		char *const word = take_word(&cursor);
		const bool is_descriptor = is_number(word) && (cursor.here == '<' || cursor.here == '>');

		if (count < PERSIST_WORDS_MAX && !is_descriptor) {
			words[count++] = word;
		}
	}
}

/* ---- ethtool ---- */

static bool is_variable(const char *word)
{
	return strpbrk(word, "$%`") != NULL;
}

void persist_read_pair(struct persist_file *file, unsigned line, const char *word, const char *value, bool keep)
{
	const char *pair[] = { word, value };
	struct coalesce one = { 0 };
	struct err err = { "" };

	if (is_variable(word) || (value && is_variable(value))) {
		persist_find(file, line, PERSIST_NOTE, "%.40s %.40s has a variable in it and is not looked at", word,
			     value ? value : "");
		return;
	}
	if (coalesce_parse(&one, pair, value ? 2 : 1, &err)) {
		persist_find(file, line, PERSIST_WRONG, "%s: ethtool refuses the command", err.text);
		return;
	}
	const enum coalesce_field field = coalesce_field_find(word);
	if (keep) {
		persist_put(file, line, coalesce_fields[field].name, field, one.value[field]);
	}
}

/* Whether settings for this device are the file's: they are those of the first that it names. */
static bool take_device(struct persist_file *file, unsigned line, const char *word, const char *device)
{
	const char *const name = is_variable(word) ? device : word;
	char *const known = file->match.name;

	if (!name) {
		return true;
	}
	if (!known[0]) {
		persist_copy(known, sizeof(file->match.name), name);
	}
	if (strncmp(known, name, sizeof(file->match.name) - 1) != 0) {
		persist_find(file, line, PERSIST_NOTE,
			     "this is for %.40s: the settings shown are those of %s, which came first", name, known);
		return false;
	}
	if (strcmp(name, "DEV") == 0) {
		persist_find(file, line, PERSIST_WARNING, "DEV stands for a name that was to be put here");
	}
	return true;
}

static void read_pairs(struct persist_file *file, unsigned line, char *const *words, unsigned count, bool keep)
{
	if (count == 0) {
		persist_find(file, line, PERSIST_WRONG, "ethtool is given nothing to set here");
	}
	for (unsigned i = 0; i < count; i += 2) {
		persist_read_pair(file, line, words[i], i + 1 < count ? words[i + 1] : NULL, keep);
	}
}

/* "queue_mask 0x3", hexadecimal with or without 0x. */
static void check_mask(struct persist_file *file, unsigned line, const char *mask)
{
	const char *const digits = mask + (strncmp(mask, "0x", 2) == 0 ? 2 : 0);

	if (!is_variable(mask) && (!*digits || strspn(digits, "0123456789abcdefABCDEF") != strlen(digits))) {
		persist_find(file, line, PERSIST_WRONG, "queue_mask %.40s is no hexadecimal number such as 0x3", mask);
	}
}

/* -Q DEV [queue_mask MASK] --coalesce WORDS */
static bool read_per_queue(struct persist_file *file, unsigned line, char *const *words, unsigned count)
{
	const char *mask = NULL;

	if (count >= 2 && strcmp(words[0], "queue_mask") == 0) {
		mask = words[1];
		check_mask(file, line, mask);
		words += 2;
		count -= 2;
	}
	if (count == 0 || (strcmp(words[0], "-C") != 0 && strcmp(words[0], "--coalesce") != 0)) {
		return false;
	}
	persist_find(
		file, line, PERSIST_NOTE,
		"settings of single queues (%s%.20s) are checked but not shown; ethtool -Q exits 0 even if a queue "
		"refuses them",
		mask ? "mask " : "all", mask ? mask : "");
	read_pairs(file, line, words + 1, count - 1, false);
	return true;
}

static bool is_ethtool(const char *word)
{
	return strcmp(persist_base_name(word), "ethtool") == 0;
}

static bool is_either(const char *word, const char *brief, const char *name)
{
	return strcmp(word, brief) == 0 || strcmp(word, name) == 0;
}

/* Words behind "ethtool". */
static bool read_ethtool(struct persist_file *file, unsigned line, char *const *words, unsigned count,
			 const char *device)
{
	while (count && is_either(words[0], "-I", "--include-statistics")) {
		words++;
		count--;
	}
	if (count && is_either(words[0], "-C", "--coalesce")) {
		if (count < 2) {
			persist_find(file, line, PERSIST_WRONG, "ethtool -C lacks the name of the device");
			return true;
		}
		read_pairs(file, line, words + 2, count - 2, take_device(file, line, words[1], device));
		return true;
	}
	if (count >= 2 && is_either(words[0], "-Q", "--per-queue")) {
		if (read_per_queue(file, line, words + 2, count - 2)) {
			take_device(file, line, words[1], device);
			return true;
		}
	}
	return false;
}

bool persist_read_command(struct persist_file *file, unsigned line, char *const *words, unsigned count,
			  const char *device)
{
	for (unsigned i = 0; i < count; i++) {
		if (is_ethtool(words[i])) {
			return read_ethtool(file, line, words + i + 1, count - i - 1, device);
		}
	}
	return false;
}
