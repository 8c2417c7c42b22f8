/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What ethtool prints: the table of -c in all its forms, and complaints. Forms of the table: ethtool before 5.7 or the
 * old ioctl (0 for what is not supported, no line on CQE mode), then n/a for it, later tabs behind the colon and more
 * lines. A line that is not known is kept out and said, never a reason to drop the rest.
 *
 * Sources: ethtool 4.8 to 6.15; the complaints as people reported them (tuned issue 726, perfsonar toolkit issue 297).
 */
#include <string.h>

#include "base/text.h"
#include "persist/persist_private.h"

/* "on", "off" or "n/a" behind what introduces it. */
static void take_switch(struct persist_file *file, unsigned line, const char *text, const char *before,
			enum coalesce_field field)
{
	const char *const at = strstr(text, before);
	const char *value = at ? at + strlen(before) : "";

	value += strspn(value, " \t");
	if (strncmp(value, "on", 2) == 0 || strncmp(value, "off", 3) == 0) {
		persist_put(file, line, coalesce_fields[field].name, field, value[1] == 'n');
	} else if (strncmp(value, "n/a", 3) == 0) {
		file->absent |= COALESCE_BIT(field);
	}
}

/* "Adaptive RX: on  TX: n/a" */
static bool take_switches(struct persist_file *file, unsigned line, const char *text)
{
	static const struct {
		const char *start;
		enum coalesce_field rx, tx;
	} pairs[] = {
		{ "Adaptive RX:", COALESCE_ADAPTIVE_RX, COALESCE_ADAPTIVE_TX },
		{ "CQE mode RX:", COALESCE_CQE_MODE_RX, COALESCE_CQE_MODE_TX },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (strncmp(text, pairs[i].start, strlen(pairs[i].start)) == 0) {
			take_switch(file, line, text, " RX:", pairs[i].rx);
			take_switch(file, line, text, " TX:", pairs[i].tx);
			return true;
		}
	}
	return false;
}

/* "rx-usecs: 3" */
static bool take_value(struct persist_file *file, unsigned line, const char *text)
{
	const char *const colon = strchr(text, ':');
	const size_t length = colon ? (size_t)(colon - text) : 0;
	char word[48];
	uint32_t number;

	if (length == 0 || length >= sizeof(word)) {
		return false;
	}
	memcpy(word, text, length);
	word[length] = '\0';
	const enum coalesce_field field = coalesce_field_find(word);
	const char *const value = colon + 1 + strspn(colon + 1, " \t");
	if (field == COALESCE_FIELDS) {
		return false;
	}
	if (strcmp(value, "n/a") == 0) {
		file->absent |= COALESCE_BIT(field);
	} else if (text_parse_u32(value, "", &number, NULL) == 0) {
		persist_put(file, line, coalesce_fields[field].name, field, number);
	} else {
		persist_find(file, line, PERSIST_WARNING, "%s: \"%.40s\" is neither a number nor n/a", word, value);
	}
	return true;
}

static bool begins(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* ---- complaints ---- */

/* What stands between single quotes, or behind the last blank. */
static void take_word(const char *text, char word[48])
{
	const char *const quote = strchr(text, '\'');
	const char *const blank = strrchr(text, ' ');
	const char *const start = quote ? quote + 1 : blank ? blank + 1 : text;
	const size_t length = strcspn(start, "'");

	memcpy(word, start, length < 47 ? length : 47);
	word[length < 47 ? length : 47] = '\0';
}

static void find_unknown_word(struct persist_file *file, unsigned line, const char *text)
{
	char word[48];

	take_word(text, word);
	const char *const nearest = coalesce_field_nearest(word);
	persist_find(file, line, PERSIST_WRONG, "ethtool knows no setting \"%s\"%s%s: nothing was set", word,
		     nearest ? ", did you mean " : "", nearest ? nearest : "");
}

static const struct {
	const char *part, *meaning;
} complaints[] = {
	{ "no device matches name", "there is no such device" },
	{ "No such device", "there is no such device" },
	{ "Unknown error 524",
	  "error 524 is the kernel's ENOTSUPP, not supported: the driver has not all of the settings that were sent, "
	  "often rx-frames or tx-frames; send only those that ethtool -c does not show as n/a" },
	{ "Operation not supported",
	  "the driver has no coalescing settings, or not those that were sent; this is no error of the text" },
	{ "Operation not permitted", "setting needs CAP_NET_ADMIN" },
	{ "Resource busy", "the driver is busy: other queues, XDP or a reset stand in the way" },
	{ "requested channel count exceeds maximum",
	  "more queues were asked for than there are vectors or CPUs: ethtool -l shows how many there may be" },
	{ "Invalid argument", "the driver or the kernel refused a value" },
	{ "Numerical result out of range", "a value is beyond what the driver can program" },
};

static bool take_complaint(struct persist_file *file, unsigned line, const char *text)
{
	if (strstr(text, "unknown parameter '") || begins(text, "ethtool: bad parameter ")) {
		find_unknown_word(file, line, text);
		return true;
	}
	if (strstr(text, "invalid value '")) {
		persist_find(file, line, PERSIST_WRONG, "ethtool refused the command: %.120s",
			     strstr(text, "invalid value"));
		return true;
	}
	if (!begins(text, "netlink error:") && !begins(text, "Cannot get device coalesce") &&
	    !begins(text, "Cannot set device coalesce")) {
		return false;
	}
	for (size_t i = 0; i < sizeof(complaints) / sizeof(complaints[0]); i++) {
		if (strstr(text, complaints[i].part)) {
			persist_find(file, line, PERSIST_WARNING, "%s", complaints[i].meaning);
			return true;
		}
	}
	persist_find(file, line, PERSIST_WARNING, "ethtool failed: %.160s", text);
	return true;
}

bool persist_read_output(struct persist_file *file, unsigned line, const char *text)
{
	static const char heading[] = "Coalesce parameters for ";

	if (begins(text, heading)) {
		char *const name = file->match.name;

		if (name[0]) {
			persist_find(file, line, PERSIST_NOTE, "a second table: of a value the last one counts");
		}
		file->is_readout = true;
		persist_copy(name, sizeof(file->match.name), text + strlen(heading));
		name[strcspn(name, ":")] = '\0';
		return true;
	}
	if (take_complaint(file, line, text)) {
		return true;
	}
	const bool is_row = take_switches(file, line, text) || take_value(file, line, text);

	file->is_readout = file->is_readout || is_row;
	if (!is_row && file->is_readout && text[0] && !strstr(text, "ethtool")) {
		persist_find(file, line, PERSIST_NOTE, "\"%.60s\" is no setting that is known: it is kept out", text);
		return true;
	}
	return is_row;
}
