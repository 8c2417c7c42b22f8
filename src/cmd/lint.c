/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff lint: what the files of others ask for, and where that is not what it says. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/lint.h"
#include "ini/ini.h"

#define FILES_MAX 64
#define INPUT_MAX (1 << 20)

enum { OPTION_AGAINST, OPTION_BOARD, OPTION_DRIVER, OPTION_NETNS, OPTION_JSON };

static const struct cmd_option lint_options[] = {
	[OPTION_AGAINST] = { "against", "DEV", "compare with what this interface is set to", false },
	[OPTION_BOARD] = { "board", "NAME|FILE", "ask the driver model of this board", false },
	[OPTION_DRIVER] = { "driver", "VARIANT|NAME",
			    "ask this driver: a variant of holdoff boards --drivers, igb, mlx5_core ...", false },
	[OPTION_NETNS] = { "netns", "NAME|PATH", "DEV is in another network namespace (root)", false },
	[OPTION_JSON] = { "json", NULL, "one JSON document, schema holdoff.lint/1", false },
};

static const struct cmd_usage lint_usage = {
	.name = "lint",
	.synopsis = "[OPTIONS] FILE ...",
	.about = "Reads .link files of systemd, keyfiles of NetworkManager, udev rules, and texts with\n"
		 "ethtool commands or its output (- is standard input), says what they ask for in\n"
		 "ethtool's terms, and finds what is not meant: seconds for us, keys that do not exist,\n"
		 "files that never apply. With a driver also what becomes of the values there.\n",
	.options = lint_options,
	.option_count = sizeof(lint_options) / sizeof(lint_options[0]),
	.words = "files",
};

struct lint_request {
	const char *against, *board, *driver, *netns;
	const char *names[FILES_MAX];
	unsigned count;
	bool json;
};

static int take(struct lint_request *request, struct cmd_arguments *arguments)
{
	const char *value;
	int option;

	while ((option = cmd_next(arguments, &value)) != CMD_END) {
		switch (option) {
		case OPTION_AGAINST:
			request->against = value;
			break;
		case OPTION_BOARD:
			request->board = value;
			break;
		case OPTION_DRIVER:
			request->driver = value;
			break;
		case OPTION_NETNS:
			request->netns = value;
			break;
		case OPTION_JSON:
			request->json = true;
			break;
		case CMD_WORD:
			if (request->count == FILES_MAX) {
				return cmd_usage_error(&lint_usage, "too many files: at most %d", FILES_MAX);
			}
			request->names[request->count++] = value;
			break;
		default:
			return arguments->status;
		}
	}
	if (request->count == 0) {
		return cmd_usage_error(&lint_usage, "lint needs a file, or - for standard input");
	}
	if (request->against && (request->board || request->driver)) {
		return cmd_usage_error(&lint_usage,
				       "--against finds the driver itself: no --board or --driver with it");
	}
	if (request->netns && !request->against) {
		return cmd_usage_error(&lint_usage, "--netns says where the interface of --against is: it needs that");
	}
	return -1;
}

/* ---- reading ---- */

static int read_standard_input(char **text, struct err *err)
{
	char *const buffer = malloc(INPUT_MAX + 1);

	if (!buffer) {
		return err_set(err, -ENOMEM, "no memory for standard input");
	}
	const size_t size = fread(buffer, 1, INPUT_MAX + 1, stdin);
	if (ferror(stdin) || size > INPUT_MAX || memchr(buffer, '\0', size)) {
		const char *const why = ferror(stdin)      ? "cannot be read"
					: size > INPUT_MAX ? "is too long"
							   : "is no text";

		free(buffer);
		return err_set(err, -EINVAL, "standard input %s", why);
	}
	buffer[size] = '\0';
	*text = buffer;
	return 0;
}

static int read_file(struct lint_file *file, struct err *err)
{
	char *text = NULL;
	int ret = strcmp(file->name, "-") == 0 ? read_standard_input(&text, err)
					       : ini_read_file(file->name, &text, err);

	if (ret == 0) {
		ret = persist_read(&file->content, file->name, text, err);
	}
	free(text);
	return ret;
}

static int read_target(struct lint_target *target, const struct lint_request *request, struct err *err)
{
	if (request->against) {
		return lint_target_of_device(target, request->against, request->netns, err);
	}
	if (request->board || request->driver) {
		return lint_target_of_board(target, request->board, request->driver, err);
	}
	return 0;
}

/* ---- checking ---- */

static void check_order(struct lint_file *files, unsigned count)
{
	struct persist_file *contents[FILES_MAX];
	const char *names[FILES_MAX];

	for (unsigned i = 0; i < count; i++) {
		contents[i] = &files[i].content;
		names[i] = files[i].name;
	}
	persist_check_order(contents, names, count);
}

static void check_files(struct lint_file *files, unsigned count, const struct lint_target *target)
{
	check_order(files, count);
	for (unsigned i = 0; i < count; i++) {
		struct persist_file *const content = &files[i].content;

		lint_check_driver(content, target);
		lint_check_rules(content, target);
		lint_check_device(content, target);
		lint_check_quirks(content, target->has_device ? target->identity.driver : content->match.driver);
	}
}

static int verdict(const struct lint_file *files, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		for (unsigned k = 0; k < files[i].content.finding_count; k++) {
			if (files[i].content.findings[k].severity >= PERSIST_WARNING) {
				return CMD_NEGATIVE;
			}
		}
	}
	return CMD_FINE;
}

static int lint(const struct lint_request *request, struct lint_file *files)
{
	struct lint_target target = { 0 };
	struct err err = { "" };

	for (unsigned i = 0; i < request->count; i++) {
		files[i].name = request->names[i];
		const int ret = read_file(&files[i], &err);

		if (ret < 0) {
			cmd_fail(ret, &err);
			return CMD_USAGE;
		}
	}
	const int ret = read_target(&target, request, &err);
	if (ret < 0) {
		return cmd_fail(ret, &err);
	}
	check_files(files, request->count, &target);
	if (request->json) {
		lint_print_json(files, request->count, &target, stdout);
	} else {
		lint_print(files, request->count, &target, stdout);
	}
	return verdict(files, request->count);
}

int cmd_lint(int argc, char **argv)
{
	struct cmd_arguments arguments;
	struct lint_request request = { 0 };

	cmd_arguments_init(&arguments, &lint_usage, argc, argv);
	const int status = take(&request, &arguments);
	if (status >= 0) {
		return status;
	}
	struct lint_file *const files = calloc(request.count, sizeof(*files));
	if (!files) {
		return cmd_fail(-ENOMEM, &(struct err){ "no memory for the files" });
	}
	const int result = lint(&request, files);

	free(files);
	return result;
}
