/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * udev rules that run ethtool. A rule is a line of KEY OPERATOR "VALUE", separated by commas; all that compare have to
 * hold for the others to be done. RUN is done after all rules, when the interface has been renamed, but before anything
 * has set it up.
 *
 * Sources: udev(7), udev-rules.c of systemd 252: programs of RUN without a path are looked for in udev's own folder
 * only, nothing is a shell, $name is the name after renaming and %k ($kernel) the one before.
 */
#include <string.h>

#include "persist/persist_private.h"

#define TOKENS_MAX 48

void persist_write_udev(FILE *out, const struct persist_match *match, const struct coalesce *settings)
{
	char text[COALESCE_TEXT_MAX];

	fprintf(out,
		"# %s: for /etc/udev/rules.d under a name that sorts behind 80-net-setup-link.rules, such as\n"
		"# 99-%s.rules. It runs before the interface is up: some drivers lose it then.\n"
		"ACTION==\"add|change\", SUBSYSTEM==\"net\", ",
		match->name, match->name);
	if (match->path[0]) {
		fprintf(out, "ENV{ID_PATH}==\"%s\"", match->path);
	} else if (match->permanent_address[0]) {
		fprintf(out, "ATTR{address}==\"%s\"", match->permanent_address);
	} else {
		fprintf(out, "KERNEL==\"%s\"", match->name);
	}
	fprintf(out, ", RUN+=\"/usr/sbin/ethtool -C $name %s\"\n", coalesce_print(settings, text));
}

/* ---- tokens ---- */

struct token {
	char *key, *value;
	char operator_text[3]; /* "==", "!=", "=", "+=", "-=", ":=" */
};

struct rule {
	struct persist_file *file;
	bool has_goto; /* rules before it may have left the file for other devices and actions */
	unsigned line, count;
	struct token tokens[TOKENS_MAX];
	char text[PERSIST_LINE_MAX]; /* what keys and values point into */
};

static char *skip(char *at)
{
	return at + strspn(at, " \t,");
}

/* The value between quotes, \" taken for a quote; NULL when it does not end. Returns behind it. */
static char *take_value(char *at, char **value)
{
	char *to = at;

	*value = at;
	for (; *at && *at != '"'; at++) {
		if (at[0] == '\\' && at[1] == '"') {
			at++;
		}
		*to++ = *at;
	}
	if (!*at) {
		return NULL;
	}
	*to = '\0';
	return at + 1;
}

/* One token; NULL where the line makes no sense. */
static char *take_token(char *at, struct token *token)
{
	const size_t plain = strcspn(at, "{=");
	const size_t braced = at[plain] == '{' ? strcspn(at, "}") : 0;
	const size_t key_length = braced + strcspn(at + braced, "=!+-: \t\"");
	char *operator_text = at + key_length;

	operator_text += strspn(operator_text, " \t");
	const size_t length = strspn(operator_text, "=!+-:");
	char *value = operator_text + length;

	value += strspn(value, " \t");
	/* e"..." and i"..." are strings of another kind, of later versions. */
	value += (*value == 'e' || *value == 'i') && value[1] == '"';
	if (key_length == 0 || length == 0 || length > 2 || *value != '"') {
		return NULL;
	}
	memcpy(token->operator_text, operator_text, length);
	token->operator_text[length] = '\0';
	token->key = at;
	at[key_length] = '\0';
	return take_value(value + 1, &token->value);
}

static bool split_rule(struct rule *rule)
{
	char *at = skip(rule->text);

	while (*at) {
		if (rule->count == TOKENS_MAX) {
			return false;
		}
		at = take_token(at, &rule->tokens[rule->count]);
		if (!at) {
			return false;
		}
		rule->count++;
		at = skip(at);
	}
	return true;
}

static bool compares(const struct token *token)
{
	return strcmp(token->operator_text, "==") == 0 || strcmp(token->operator_text, "!=") == 0;
}

static const struct token *find_token(const struct rule *rule, const char *key)
{
	for (unsigned i = 0; i < rule->count; i++) {
		if (strcmp(rule->tokens[i].key, key) == 0) {
			return &rule->tokens[i];
		}
	}
	return NULL;
}

/* ---- what a rule with ethtool is checked for ---- */

static void take_match(const struct rule *rule, struct persist_match *match)
{
	const struct {
		const char *key;
		char *to;
		size_t size;
	} places[] = {
		{ "KERNEL", match->name, sizeof(match->name) },
		{ "ATTR{address}", match->permanent_address, sizeof(match->permanent_address) },
		{ "ENV{ID_PATH}", match->path, sizeof(match->path) },
		{ "DRIVERS", match->driver, sizeof(match->driver) },
	};

	memset(match, 0, sizeof(*match));
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const struct token *const token = find_token(rule, places[i].key);

		if (token && strcmp(token->operator_text, "==") == 0) {
			persist_copy(places[i].to, places[i].size, token->value);
		}
	}
}

static bool same_match(const struct persist_match *a, const struct persist_match *b)
{
	return strcmp(a->name, b->name) == 0 && strcmp(a->permanent_address, b->permanent_address) == 0 &&
	       strcmp(a->path, b->path) == 0 && strcmp(a->driver, b->driver) == 0;
}

static void check_operators(const struct rule *rule)
{
	static const char *const comparing[] = { "ACTION",     "KERNEL",  "KERNELS", "SUBSYSTEM",
						 "SUBSYSTEMS", "DRIVERS", "DRIVER",  "DEVPATH" };

	for (unsigned i = 0; i < rule->count; i++) {
		const struct token *const token = &rule->tokens[i];

		for (size_t k = 0; k < sizeof(comparing) / sizeof(comparing[0]); k++) {
			if (strcmp(token->key, comparing[k]) == 0 && !compares(token)) {
				persist_find(
					rule->file, rule->line, PERSIST_WRONG,
					"%s%s\"%.40s\" does not compare, and udev ignores the rule: %s==\"%.40s\" does",
					token->key, token->operator_text, token->value, token->key, token->value);
			}
		}
	}
}

/* ACTION!="remove" lets add through as well. */
static bool runs_on_add(const struct token *action)
{
	return (strcmp(action->operator_text, "!=") == 0) != (strstr(action->value, "add") != NULL);
}

static void check_action(const struct rule *rule)
{
	const struct token *const action = find_token(rule, "ACTION");

	if (!action && !rule->has_goto) {
		persist_find(rule->file, rule->line, PERSIST_WARNING,
			     "without ACTION== the command also runs when the device is renamed, changed and removed");
	} else if (!action || runs_on_add(action)) {
		persist_find(rule->file, rule->line, PERSIST_NOTE,
			     "on add the rule runs before the link is up: some drivers refuse the values then, or lose "
			     "them at ifup");
	}
	if (!find_token(rule, "SUBSYSTEM") && !rule->has_goto) {
		persist_find(rule->file, rule->line, PERSIST_WARNING,
			     "without SUBSYSTEM==\"net\" the rule also fits devices that are no network interfaces");
	}
}

/* A name that udev may change is no identity; beside something else it only narrows. */
static void check_identity(const struct rule *rule)
{
	static const char *const identities[] = { "ATTR{address}", "ENV{ID_PATH}", "DRIVERS",      "ENV{ID_NET_DRIVER}",
						  "KERNELS",       "DEVPATH",      "ATTRS{device}" };
	const struct token *const kernel = find_token(rule, "KERNEL");

	for (size_t i = 0; i < sizeof(identities) / sizeof(identities[0]); i++) {
		if (find_token(rule, identities[i])) {
			return;
		}
	}
	if (!kernel) {
		persist_find(rule->file, rule->line, PERSIST_WARNING,
			     "nothing says which device this is for: ENV{ID_PATH}== or ATTR{address}== does");
	} else if (strcmp(kernel->value, "DEV") == 0) {
		persist_find(rule->file, rule->line, PERSIST_WARNING, "DEV stands for a name that was to be put here");
	} else {
		persist_find(rule->file, rule->line, PERSIST_WARNING,
			     "KERNEL==\"%.40s\" is a name that changes with the order of discovery and with renaming: "
			     "ENV{ID_PATH}== or ATTR{address}== survives",
			     kernel->value);
	}
}

static void check_program(const struct rule *rule, const struct token *run, const char *program)
{
	if (strcmp(run->operator_text, "=") == 0) {
		persist_find(rule->file, rule->line, PERSIST_WARNING,
			     "RUN= throws away what earlier rules have added: RUN+= is meant");
	} else if (compares(run)) {
		persist_find(rule->file, rule->line, PERSIST_WRONG, "RUN%s compares nothing: RUN+= is meant",
			     run->operator_text);
	}
	if (program[0] != '/') {
		persist_find(
			rule->file, rule->line, PERSIST_WRONG,
			"RUN looks for \"%.40s\" in /usr/lib/udev only: it needs the whole path, /usr/sbin/ethtool",
			program);
	}
}

/* Only of ethtool's own argument; in a shell command anything may stand. */
static void check_device(const struct rule *rule, const char *device)
{
	if (strcmp(device, "%k") == 0 || strcmp(device, "$kernel") == 0) {
		persist_find(rule->file, rule->line, PERSIST_WARNING,
			     "%s is the name before renaming, which may be gone when RUN is done: $name is the present "
			     "one",
			     device);
	} else if (!strpbrk(device, "$%")) {
		persist_find(rule->file, rule->line, PERSIST_WARNING,
			     "the device is named outright: $name follows what the rule matched and survives renaming");
	}
}

static const char *find_device(char *const *words, unsigned count)
{
	for (unsigned i = 0; i + 1 < count; i++) {
		if (strcmp(words[i], "-C") == 0 || strcmp(words[i], "--coalesce") == 0) {
			return words[i + 1];
		}
	}
	return "$name";
}

/* A shell's command comes as one word: that is split again. */
static bool read_words(const struct rule *rule, char **words, unsigned count, const char **device)
{
	char *inner[PERSIST_WORDS_MAX];
	bool is_found = persist_read_command(rule->file, rule->line, words, count, NULL);

	if (is_found) {
		*device = find_device(words, count);
		return true;
	}
	for (unsigned i = 1; i < count; i++) {
		char *rest = strpbrk(words[i], " ;") ? words[i] : NULL;

		while (rest) {
			const unsigned inner_count = persist_split_command(rest, inner, &rest);

			if (persist_read_command(rule->file, rule->line, inner, inner_count, NULL)) {
				*device = find_device(inner, inner_count);
				is_found = true;
			}
		}
	}
	return is_found;
}

/* Whether the rule runs an ethtool that sets coalescing. */
static bool read_run(const struct rule *rule, const struct token *run)
{
	char *words[PERSIST_WORDS_MAX], *rest;
	const char *device = NULL;
	const unsigned count = persist_split_command(run->value, words, &rest);

	if (count == 0 || !read_words(rule, words, count, &device)) {
		return false;
	}
	check_program(rule, run, words[0]);
	check_device(rule, device);
	return true;
}

static bool read_runs(const struct rule *rule)
{
	bool is_ours = false;

	for (unsigned i = 0; i < rule->count; i++) {
		const char *const key = rule->tokens[i].key;

		if (strcmp(key, "RUN") == 0 || strcmp(key, "RUN{program}") == 0) {
			is_ours = read_run(rule, &rule->tokens[i]) || is_ours;
		}
	}
	return is_ours;
}

/* The settings are those of the first rule, and of others that match the same. */
static void read_rule(struct rule *rule, unsigned *first_line)
{
	struct persist_file *const file = rule->file;
	const struct coalesce before = file->settings;
	struct persist_match match;

	if (!split_rule(rule)) {
		persist_find(
			file, rule->line, PERSIST_WRONG,
			"not KEY==\"value\" or KEY+=\"value\" separated by commas all the way: udev ignores the line");
		return;
	}
	take_match(rule, &match);
	const bool is_other = *first_line && !same_match(&match, &file->match);
	if (is_other) {
		file->settings = (struct coalesce){ 0 };
	}
	const bool is_ours = read_runs(rule);
	if (is_other) {
		file->settings = before;
	}
	if (!is_ours) {
		return;
	}
	if (is_other) {
		persist_find(file, rule->line, PERSIST_NOTE,
			     "a rule for other devices: the settings shown are those of line %u", *first_line);
	} else {
		file->match = match;
		*first_line = *first_line ? *first_line : rule->line;
	}
	check_operators(rule);
	check_action(rule);
	check_identity(rule);
}

void persist_read_udev(struct persist_file *file, const char *name, const char *text)
{
	struct persist_lines lines = { .at = text, .next = 1, .joint = "" };
	struct persist_line line;
	unsigned first_line = 0;

	if (strcmp(name, "-") != 0 && !persist_has_suffix(name, ".rules")) {
		persist_find(file, 1, PERSIST_NOTE, "udev reads only files whose names end in .rules");
	}
	while (persist_next_line(&lines, &line)) {
		struct rule rule = { .file = file, .line = line.number, .has_goto = strstr(text, "GOTO=") != NULL };

		if (line.text[0] == '\0' || line.text[0] == '#') {
			continue;
		}
		persist_copy(rule.text, sizeof(rule.text), line.text);
		read_rule(&rule, &first_line);
	}
}
