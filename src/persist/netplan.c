/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Netplan's YAML has keys for offloads but none for coalescing, and refuses a file with a key that it does not know.
 * Only the names of keys are looked for, wherever they stand: this is no reader of YAML. Source: netplan(5) of 0.106.
 */
#include <string.h>

#include "persist/persist_private.h"

static const char key_characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";

/* A key that begins at `at`: its name, when a colon follows. */
static bool take_key(const char *at, char key[48])
{
	const size_t length = strspn(at, key_characters);

	if (length == 0 || length >= 48 || at[length + strspn(at + length, "\"' ")] != ':') {
		return false;
	}
	memcpy(key, at, length);
	key[length] = '\0';
	return true;
}

static bool is_of_coalescing(const char *key)
{
	return strncmp(key, "coalesc", 7) == 0 || coalesce_field_find(key) != COALESCE_FIELDS;
}

static void cut_comment(char *text)
{
	for (char *at = text; *at; at++) {
		if (*at == '#' && (at == text || at[-1] == ' ' || at[-1] == '\t')) {
			*at = '\0';
			return;
		}
	}
}

static void read_line(struct persist_file *file, struct persist_line *line)
{
	char key[48];

	cut_comment(line->text);
	for (const char *at = line->text; *at; at += strspn(at, key_characters)) {
		at += strcspn(at, key_characters);
		if (take_key(at, key) && is_of_coalescing(key)) {
			persist_find(
				file, line->number, PERSIST_WRONG,
				"%s is no key of netplan, which has none for coalescing and refuses the file: use a "
				".link file or a udev rule",
				key);
			return;
		}
	}
}

void persist_read_netplan(struct persist_file *file, const char *name, const char *text)
{
	struct persist_lines lines = { .at = text, .next = 1 };
	struct persist_line line;

	(void)name;
	while (persist_next_line(&lines, &line)) {
		read_line(file, &line);
	}
}
