/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cmd/cmd.h"

#define HELP_COLUMN 28

void cmd_arguments_init(struct cmd_arguments *arguments, const struct cmd_usage *usage, int argc, char **argv)
{
	*arguments = (struct cmd_arguments){ .usage = usage, .argc = argc, .next = 1, .argv = argv };
}

static char letter_of(const struct cmd_usage *usage, unsigned index)
{
	return usage->letters ? usage->letters[index] : '\0';
}

static void print_option(char letter, const char *name, const char *takes, const char *help)
{
	char left[64], dashed[8] = "";

	if (letter) {
		snprintf(dashed, sizeof(dashed), "-%c, ", letter);
	}
	snprintf(left, sizeof(left), "%s--%s%s%s", dashed, name, takes ? " " : "", takes ? takes : "");
	if (strlen(left) > HELP_COLUMN) {
		printf("  %s\n  %-*s %s\n", left, HELP_COLUMN, "", help);
	} else {
		printf("  %-*s %s\n", HELP_COLUMN, left, help);
	}
}

static void print_help(const struct cmd_usage *usage)
{
	printf("usage: holdoff %s%s%s\n\n%s", usage->name, usage->synopsis ? " " : "",
	       usage->synopsis ? usage->synopsis : "", usage->about);
	printf("\noptions:\n");
	for (unsigned i = 0; i < usage->option_count; i++) {
		const struct cmd_option *option = &usage->options[i];

		print_option(letter_of(usage, i), option->name, option->takes, option->help);
	}
	print_option('\0', "help", NULL, "this text");
	if (usage->more) {
		usage->more();
	}
}

/* For completion: the options with what they take, then the kind of words. */
static void print_list(const struct cmd_usage *usage)
{
	for (unsigned i = 0; i < usage->option_count; i++) {
		const struct cmd_option *option = &usage->options[i];

		printf("--%s%s%s\n", option->name, option->takes ? " " : "", option->takes ? option->takes : "");
	}
	printf("--help\n");
	if (usage->verb) {
		printf("verb %s\n", usage->verb);
	}
	if (usage->words) {
		printf("words %s\n", usage->words);
	}
}

int cmd_usage_error(const struct cmd_usage *usage, const char *format, ...)
{
	char text[ERR_TEXT_MAX];
	struct err err = { "" };
	va_list values;

	va_start(values, format);
	vsnprintf(text, sizeof(text), format, values);
	va_end(values);
	err_set(&err, -EINVAL, "%s", text); /* makes it printable */
	fprintf(stderr, "holdoff: %s (holdoff %s --help)\n", err.text, usage->name);
	return CMD_USAGE;
}

static int unknown_option(const struct cmd_usage *usage, const char *argument, size_t length)
{
	const char *names[CMD_OPTIONS_MAX];
	char name[64];

	for (unsigned i = 0; i < usage->option_count; i++) {
		names[i] = usage->options[i].name;
	}
	snprintf(name, sizeof(name), "%.*s", (int)length, argument);
	const char *nearest = text_nearest(name, names, usage->option_count);
	if (nearest) {
		return cmd_usage_error(usage, "unknown option --%s: did you mean --%s?", name, nearest);
	}
	return cmd_usage_error(usage, "unknown option --%s", name);
}

static int stop(struct cmd_arguments *arguments, int status)
{
	arguments->status = status;
	return CMD_STOP;
}

static int find_option(const struct cmd_usage *usage, const char *name, size_t length)
{
	for (unsigned i = 0; i < usage->option_count; i++) {
		if (strlen(usage->options[i].name) == length && memcmp(usage->options[i].name, name, length) == 0) {
			return (int)i;
		}
	}
	return -1;
}

static int find_letter(const struct cmd_usage *usage, char letter)
{
	for (unsigned i = 0; i < usage->option_count; i++) {
		if (letter && letter_of(usage, i) == letter) {
			return (int)i;
		}
	}
	return -1;
}

/* Whether what stands behind the letter of a switch are letters, too: -qc1 is -q -c 1, as with ping. */
static bool is_letters(const struct cmd_usage *usage, int index, const char *rest)
{
	return !usage->options[index].takes && *rest && find_letter(usage, *rest) >= 0;
}

static int unknown_letter(const struct cmd_usage *usage, const char *argument)
{
	char known[CMD_OPTIONS_MAX * 4] = "";

	for (unsigned i = 0; i < usage->option_count; i++) {
		const size_t length = strlen(known);

		if (letter_of(usage, i)) {
			snprintf(known + length, sizeof(known) - length, " -%c", letter_of(usage, i));
		}
	}
	return known[0] ? cmd_usage_error(usage, "unknown option %.60s: of one letter there are%s", argument, known)
			: cmd_usage_error(usage, "unknown option %.60s: options have two dashes", argument);
}

/* attached: the value that stands behind = or the letter, or NULL. */
static int take_value(struct cmd_arguments *arguments, int index, const char *attached, const char **value)
{
	const struct cmd_usage *usage = arguments->usage;
	const struct cmd_option *option = &usage->options[index];

	*value = NULL;
	if (!option->takes) {
		return attached ? stop(arguments, cmd_usage_error(usage, "--%s takes no value", option->name)) : index;
	}
	if (attached) {
		*value = attached;
	} else if (arguments->next < arguments->argc && strncmp(arguments->argv[arguments->next], "--", 2) != 0) {
		*value = arguments->argv[arguments->next++];
	}
	if (!*value || !**value) {
		return stop(arguments, cmd_usage_error(usage, "--%s needs a value: %s", option->name, option->takes));
	}
	return index;
}

static int take_known(struct cmd_arguments *arguments, int index, const char *attached, const char **value)
{
	const struct cmd_option *option = &arguments->usage->options[index];

	if ((arguments->seen & UINT64_C(1) << index) && !option->repeats) {
		return stop(arguments, cmd_usage_error(arguments->usage, "--%s is given twice", option->name));
	}
	arguments->seen |= UINT64_C(1) << index;
	return take_value(arguments, index, attached, value);
}

static int take_option(struct cmd_arguments *arguments, const char *name, const char **value)
{
	const struct cmd_usage *usage = arguments->usage;
	const char *equals = strchr(name, '=');
	const size_t length = equals ? (size_t)(equals - name) : strlen(name);

	if (strcmp(name, "help") == 0) {
		print_help(usage);
		return stop(arguments, CMD_FINE);
	}
	if (strcmp(name, "list-options") == 0) {
		print_list(usage);
		return stop(arguments, CMD_FINE);
	}
	const int index = find_option(usage, name, length);
	if (index < 0) {
		return stop(arguments, unknown_option(usage, name, length));
	}
	return take_known(arguments, index, equals ? equals + 1 : NULL, value);
}

/* A known letter, and what stands behind it. */
static int take_letter(struct cmd_arguments *arguments, const char *letter, const char **value)
{
	const struct cmd_usage *const usage = arguments->usage;
	const int index = find_letter(usage, *letter);
	const bool goes_on = is_letters(usage, index, letter + 1);

	if (!usage->options[index].takes && !goes_on && isalpha((unsigned char)letter[1])) {
		return stop(arguments, unknown_letter(usage, arguments->argv[arguments->next - 1]));
	}
	arguments->letters = goes_on ? letter + 1 : NULL;
	return take_known(arguments, index, letter[1] && !goes_on ? letter + 1 : NULL, value);
}

/* "rx-usecs=100": the word ends at its =, the rest is the next one. */
static void split_word(struct cmd_arguments *arguments)
{
	char *word = arguments->argv[arguments->next - 1], *equals = strchr(word, '=');

	if (equals && equals > word) {
		*equals = '\0';
		arguments->word_value = equals + 1;
	}
}

int cmd_next(struct cmd_arguments *arguments, const char **value)
{
	*value = arguments->word_value;
	arguments->word_value = NULL;
	if (*value) {
		return CMD_WORD;
	}
	if (arguments->letters) {
		return take_letter(arguments, arguments->letters, value);
	}
	if (arguments->next >= arguments->argc) {
		return CMD_END;
	}
	const char *argument = arguments->argv[arguments->next++];
	if (!arguments->only_words && strcmp(argument, "--") == 0) {
		arguments->only_words = true;
		return cmd_next(arguments, value);
	}
	if (!arguments->only_words && strncmp(argument, "--", 2) == 0) {
		return take_option(arguments, argument + 2, value);
	}
	if (!arguments->only_words && strcmp(argument, "-h") == 0) {
		return take_option(arguments, "help", value);
	}
	if (!arguments->only_words && argument[0] == '-') {
		if (find_letter(arguments->usage, argument[1]) >= 0) {
			return take_letter(arguments, argument + 1, value);
		}
		if (isalpha((unsigned char)argument[1])) {
			return stop(arguments, unknown_letter(arguments->usage, argument));
		}
	}
	if (!arguments->usage->words) {
		return stop(arguments, cmd_usage_error(arguments->usage, "unexpected word \"%s\"", argument));
	}
	*value = argument;
	if (strcmp(arguments->usage->words, "settings") == 0 || strcmp(arguments->usage->words, "changes") == 0) {
		split_word(arguments);
	}
	return CMD_WORD;
}

static int status_of(int error)
{
	switch (error) {
	case -EOPNOTSUPP:
		return CMD_UNSUPPORTED;
	case -EPERM:
	case -EACCES:
		return CMD_PERMISSION;
	case -ENODEV:
		return CMD_NO_DEVICE;
	default:
		return CMD_USAGE;
	}
}

int cmd_fail(int error, const struct err *err)
{
	fprintf(stderr, "holdoff: %s\n", err->text[0] ? err->text : strerror(-error));
	return status_of(error);
}

int cmd_read_count(const char *text, const char *what, uint32_t most, uint32_t *number, struct err *err)
{
	const int ret = text ? text_parse_u32(text, what, number, err) : 0;

	if (ret == 0 && text && (*number < 1 || *number > most)) {
		return err_set(err, -EINVAL, "%s %s: 1 to %" PRIu32 " are possible", what, text, most);
	}
	return ret;
}

const char *cmd_netns_words(const char *netns, char buffer[CMD_NETNS_MAX])
{
	snprintf(buffer, CMD_NETNS_MAX, "%s%.200s", netns ? " --netns " : "", netns ? netns : "");
	return buffer;
}

int cmd_assume(struct board *board, const char *text, struct err *err)
{
	const char *equals = strchr(text, '=');
	char name[64];

	if (!equals || equals == text) {
		return err_set(err, -EINVAL, "--assume takes NAME=VALUE, not \"%.60s\"", text);
	}
	snprintf(name, sizeof(name), "%.*s", (int)(equals - text), text);
	return board_set_assume(board, name, equals + 1, err);
}
