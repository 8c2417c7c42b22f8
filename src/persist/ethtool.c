/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts with ethtool commands: a single line, a shell script, Debian's /etc/network/interfaces; and what ethtool
 * printed.
 *
 * In /etc/network/interfaces a command stands behind up, pre-up and so on, and the package ethtool of Debian adds keys
 * that begin with hardware-irq-coalesce- (its README.Debian). $IFACE is the name of the stanza.
 */
#include <string.h>

#include "persist/persist_private.h"

#define INTERFACES_KEY "hardware-irq-coalesce-"

/* As one word of a shell: the kernel lets an interface be called "$(id)". */
static void write_word(FILE *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:@%+";

	if (strspn(word, plain) == strlen(word)) {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (; *word; word++) {
		fputs(*word == '\'' ? "'\\''" : (char[]){ *word, '\0' }, out);
	}
	fputc('\'', out);
}

void persist_write_ethtool(FILE *out, const struct persist_match *match, const struct coalesce *settings)
{
	char text[COALESCE_TEXT_MAX];

	fputs("ethtool -C ", out);
	write_word(out, match->name);
	fprintf(out, " %s\n", coalesce_print(settings, text));
}

struct reader {
	struct persist_file *file;
	char stanza[16]; /* "iface NAME": the one at work */
};

static const char *stanza_of(const struct reader *reader)
{
	return reader->stanza[0] ? reader->stanza : NULL;
}

/* The key of Debian's package: its rest is ethtool's word. */
static void read_interfaces_key(struct reader *reader, unsigned line, char *const *words, unsigned count)
{
	struct persist_file *const file = reader->file;

	if (!file->match.name[0]) {
		persist_copy(file->match.name, sizeof(file->match.name), reader->stanza);
	}
	persist_read_pair(file, line, words[0] + strlen(INTERFACES_KEY), count > 1 ? words[1] : NULL,
			  strcmp(file->match.name, reader->stanza) == 0);
}

/* A phase of ifupdown before the interface is up. */
static bool is_early(const char *word)
{
	return strcmp(word, "pre-up") == 0;
}

static void read_words(struct reader *reader, unsigned line, char *const *words, unsigned count)
{
	if (count >= 2 && strcmp(words[0], "iface") == 0) {
		persist_copy(reader->stanza, sizeof(reader->stanza), words[1]);
	} else if (count && strncmp(words[0], INTERFACES_KEY, strlen(INTERFACES_KEY)) == 0) {
		read_interfaces_key(reader, line, words, count);
	} else if (persist_read_command(reader->file, line, words, count, stanza_of(reader)) && is_early(words[0])) {
		persist_find(
			reader->file, line, PERSIST_NOTE,
			"pre-up runs before the interface is up: some drivers refuse or lose it then, up is later");
	}
}

static void read_line(struct reader *reader, struct persist_line *line)
{
	char *words[PERSIST_WORDS_MAX];
	char *rest = line->text;

	if (line->is_cut) {
		persist_find(reader->file, line->number, PERSIST_WARNING, "the line is longer than what is looked at");
	}
	if (persist_read_output(reader->file, line->number, line->text)) {
		return;
	}
	while (rest) {
		char *const text = rest;
		const unsigned count = persist_split_command(text, words, &rest);

		read_words(reader, line->number, words, count);
	}
}

/* The old ioctl has no word for "not supported": a whole table of numbers, without n/a and the line on CQE
 * mode, is its. */
static void check_readout(struct persist_file *file, const char *text)
{
	const uint32_t all = COALESCE_BIT(COALESCE_SAMPLE_INTERVAL + 1) - 1;

	if (file->is_readout && (file->settings.present & all) == all && !strstr(text, "n/a")) {
		persist_find(file, 1, PERSIST_NOTE,
			     "this is the table of the old ioctl: a 0 in it may also mean that the driver has no such "
			     "setting");
	}
}

void persist_read_ethtool(struct persist_file *file, const char *name, const char *text)
{
	struct persist_lines lines = { .at = text, .next = 1, .joint = "" };
	struct persist_line line;
	struct reader reader = { .file = file };

	(void)name;
	while (persist_next_line(&lines, &line)) {
		read_line(&reader, &line);
	}
	check_readout(file, text);
}
