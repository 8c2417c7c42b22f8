/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff explain: what became of a request, as text or JSON. How it is found out is src/explain's. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/explain_rules.h"
#include "cmd/explanation_text.h"
#include "explain/explanation.h"

#define WORDS_MAX 64

enum { OPTION_BOARD, OPTION_DRIVER, OPTION_SPEED, OPTION_ASSUME, OPTION_QUEUE, OPTION_REGISTERS, OPTION_JSON };

static const struct cmd_option explain_options[] = {
	[OPTION_BOARD] = { "board", "NAME|FILE", "a name of holdoff boards, or a file of your own", false },
	[OPTION_DRIVER] = { "driver", "VARIANT|NAME",
			    "a variant of holdoff boards --drivers; or igb, ice, r8152 ... alone", false },
	[OPTION_SPEED] = { "speed", "10|100|1000|2500|10000", "link speed in Mb/s; default: the board's", false },
	[OPTION_ASSUME] = { "assume", "NAME=VALUE", "a model choice of holdoff boards BOARD", true },
	[OPTION_QUEUE] = { "queue", "N", "the settings of queue N alone", false },
	[OPTION_REGISTERS] = { "registers", "NAME=VALUE,...", "decode what somebody read out", false },
	[OPTION_JSON] = { "json", NULL, "one JSON document, schema holdoff.explain/1", false },
};

static const struct cmd_usage explain_usage = {
	.name = "explain",
	.synopsis = "--board BOARD|--driver NAME [OPTIONS] [WORD VALUE ...]",
	.about = "Says what a coalescing setting becomes, without any hardware: the registers that\n"
		 "the driver writes, what it reports afterwards and what the chip does then; or why\n"
		 "the driver refuses it and which values it takes. Words are ethtool's: rx-usecs 100\n"
		 "rx-frames 4. Without words the driver's defaults are explained. Of a driver whose chip\n"
		 "is not modelled (--driver alone) its rules are known: limits, steps, odd values.\n",
	.options = explain_options,
	.option_count = sizeof(explain_options) / sizeof(explain_options[0]),
	.words = "settings",
};

/* The command line as given. */
struct explain_request {
	const char *board, *driver, *speed, *queue, *registers;
	const char *assumes[ASSUME_COUNT * 2];
	unsigned assume_count;
	const char *words[WORDS_MAX];
	unsigned word_count;
	bool json;
};

static int take(struct explain_request *request, struct cmd_arguments *arguments)
{
	const char *value;
	int option;

	while ((option = cmd_next(arguments, &value)) != CMD_END) {
		switch (option) {
		case OPTION_BOARD:
			request->board = value;
			break;
		case OPTION_DRIVER:
			request->driver = value;
			break;
		case OPTION_SPEED:
			request->speed = value;
			break;
		case OPTION_ASSUME:
			if (request->assume_count == sizeof(request->assumes) / sizeof(request->assumes[0])) {
				return cmd_usage_error(&explain_usage, "too many times --assume");
			}
			request->assumes[request->assume_count++] = value;
			break;
		case OPTION_QUEUE:
			request->queue = value;
			break;
		case OPTION_REGISTERS:
			request->registers = value;
			break;
		case OPTION_JSON:
			request->json = true;
			break;
		case CMD_WORD:
			if (request->word_count == WORDS_MAX) {
				return cmd_usage_error(&explain_usage, "too many words: at most %d", WORDS_MAX);
			}
			request->words[request->word_count++] = value;
			break;
		default:
			return arguments->status;
		}
	}
	if (!request->board && !(request->driver && driver_rules_find(request->driver))) {
		return cmd_usage_error(&explain_usage, "explain needs --board BOARD; holdoff boards lists them");
	}
	if (!request->board && (request->speed || request->assume_count || request->queue || request->registers)) {
		return cmd_usage_error(&explain_usage,
				       "of %s only the rules for settings are known: --speed, --assume, "
				       "--queue and --registers need --board",
				       request->driver);
	}
	if (request->registers && request->word_count) {
		return cmd_usage_error(&explain_usage, "--registers decodes registers: no words like \"%s\" with it",
				       request->words[0]);
	}
	return -1;
}

/* Reads what was given: the board with what is to be different about it, then the settings. */
static int read_request(struct explanation_request *to, const struct explain_request *from, struct err *err)
{
	int ret = board_load(&to->board, from->board, err);

	if (ret == 0 && from->driver) {
		ret = board_set_driver(&to->board, from->driver, err);
	}
	if (ret == 0 && from->speed) {
		ret = board_set_speed(&to->board, from->speed, err);
	}
	for (unsigned i = 0; ret == 0 && i < from->assume_count; i++) {
		ret = cmd_assume(&to->board, from->assumes[i], err);
	}
	if (ret == 0 && from->queue) {
		to->of_queue = true;
		ret = text_parse_u32(from->queue, "queue", &to->queue, err);
	}
	to->registers = from->registers;
	return ret < 0 ? ret : coalesce_parse(&to->settings, from->words, from->word_count, err);
}

/* A driver whose rules alone are known. */
static int explain_rules(const struct explain_request *given)
{
	struct explain_rules made = { .rules = driver_rules_find(given->driver), .name = given->driver };
	const struct driver_result *const result = &made.explanation.result;
	struct err err = { "" };
	const int ret = coalesce_parse(&made.explanation.requested, given->words, given->word_count, &err);

	if (ret < 0) {
		return cmd_fail(ret, &err);
	}
	explain_rules_make(&made);
	if (given->json) {
		explain_rules_print_json(&made, stdout);
	} else {
		explain_rules_print(&made, stdout);
	}
	if (!result->error) {
		return CMD_FINE;
	}
	return result->core_refused || result->error == -EOPNOTSUPP ? CMD_UNSUPPORTED : CMD_NEGATIVE;
}

static int verdict(const struct explanation *explanation)
{
	const struct driver_result *result = &explanation->result;

	if (explanation->subject == EXPLAIN_REQUEST && result->error) {
		return result->core_refused || result->error == -EOPNOTSUPP ? CMD_UNSUPPORTED : CMD_NEGATIVE;
	}
	return explanation->of_queue && explanation->get_error == -EOPNOTSUPP ? CMD_UNSUPPORTED : CMD_FINE;
}

int cmd_explain(int argc, char **argv)
{
	struct cmd_arguments arguments;
	struct explain_request given = { 0 };
	struct explanation_request request = { 0 };
	struct explanation explanation;
	struct err err = { "" };

	cmd_arguments_init(&arguments, &explain_usage, argc, argv);
	const int status = take(&given, &arguments);
	if (status >= 0) {
		return status;
	}
	if (!given.board) {
		return explain_rules(&given);
	}
	int ret = read_request(&request, &given, &err);

	if (ret == 0) {
		ret = explanation_make(&explanation, &request, &err);
	}
	if (ret < 0) {
		return cmd_fail(ret, &err);
	}
	if (given.json) {
		explanation_print_json(&explanation, stdout);
	} else {
		explanation_print(&explanation, stdout);
	}
	return verdict(&explanation);
}
