/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff compare: two sets of kept runs, and what of their difference can be told from chance. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/runs.h"
#include "report/comparison.h"
#include "store/store.h"

enum { OPTION_STORE, OPTION_FILTER, OPTION_UNIT, OPTION_JSON };

static const struct cmd_option compare_options[] = {
	[OPTION_STORE] = { "store", "FILE", "the file they are in (holdoff.db)", false },
	[OPTION_FILTER] = { "filter", "TEXT", "of both sets, those that fit", true },
	[OPTION_UNIT] = { "unit", "auto|runs|repeats", "what is one observation (auto)", false },
	[OPTION_JSON] = { "json", NULL, "one JSON document, schema holdoff.compare/1", false },
};

static const struct cmd_usage compare_usage = {
	.name = "compare",
	.synopsis = "A B [OPTIONS]",
	.about = "Compares two sets of runs that were kept with --store: the difference of medians of\n"
		 "latency, interrupts, CPU time and throughput, with its interval, or that there is no\n"
		 "significant one. A and B are each a run (its number, or the beginning of its id) or a\n"
		 "filter: rx-usecs=0, source=model, \"machine=box,label=before\" (holdoff runs --help).\n",
	.options = compare_options,
	.option_count = sizeof(compare_options) / sizeof(compare_options[0]),
	.words = "filters",
};

struct request {
	const char *file, *word[2];
	unsigned word_count;
	struct store_filter filter; /* of both */
	enum comparison_unit unit;
	bool json;
};

static int read_unit(const char *text, enum comparison_unit *unit, struct err *err)
{
	static const char *const names[] = { "auto", "runs", "repeats" };

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], text) == 0) {
			*unit = (enum comparison_unit)i;
			return 0;
		}
	}
	return err_set(err, -EINVAL, "--unit is auto, runs or repeats, not \"%.40s\"", text);
}

/* -1, or the status to end with. */
static int take(struct request *request, struct cmd_arguments *arguments)
{
	struct err err = { "" };
	const char *value;
	int option, ret = 0;

	while (ret == 0 && (option = cmd_next(arguments, &value)) != CMD_END) {
		switch (option) {
		case CMD_STOP:
			return arguments->status;
		case CMD_WORD:
			if (request->word_count == 2) {
				return cmd_usage_error(&compare_usage, "two sets are compared, not also \"%s\"", value);
			}
			request->word[request->word_count++] = value;
			break;
		case OPTION_STORE:
			request->file = value;
			break;
		case OPTION_FILTER:
			ret = store_filter_add(&request->filter, value, &err);
			break;
		case OPTION_UNIT:
			ret = read_unit(value, &request->unit, &err);
			break;
		case OPTION_JSON:
			request->json = true;
			break;
		}
	}
	return ret ? cmd_fail(ret, &err) : -1;
}

/* A word with an operator in it is a filter, else a run. Runs of a warm-up never count. */
static int read_set(struct store *store, const struct request *request, const char *word, struct store_filter *filter,
		    struct err *err)
{
	struct store_entry entry;
	char text[64];
	int ret = 0;

	*filter = request->filter;
	if (strpbrk(word, "=<>")) {
		ret = store_filter_add(filter, word, err);
	} else {
		ret = store_get(store, word, &entry, NULL, err);
		snprintf(text, sizeof(text), "run=%lld", (long long)entry.number);
		ret = ret ? ret : store_filter_add(filter, text, err);
	}
	return ret ? ret : store_filter_add(filter, "role!=warm-up", err);
}

static int add_set(struct comparison *comparison, unsigned set, struct store *store, const struct request *request,
		   struct run *run, struct err *err)
{
	struct store_filter *const filter = malloc(sizeof(*filter));
	struct store_cursor *cursor = NULL;
	struct store_entry entry;
	int ret = filter ? read_set(store, request, request->word[set], filter, err)
			 : err_set(err, -ENOMEM, "no memory for a filter");

	ret = ret ? ret : store_find(store, filter, &cursor, err);
	while (ret == 0 && (ret = store_next(cursor, &entry, run, err)) > 0) {
		comparison_add(comparison, set, run, entry.machine);
		ret = 0;
	}
	if (ret == 0 && comparison->set[set].runs == 0) {
		ret = err_set(err, -ENOENT, "there is no %srun for %c, \"%.100s\"",
			      comparison->set[set].left_out ? "complete " : "", 'A' + (char)set, request->word[set]);
	}
	store_cursor_end(cursor);
	free(filter);
	return ret;
}

static int compare(struct comparison *comparison, struct store *store, const struct request *request, struct err *err)
{
	struct run *const run = malloc(sizeof(*run));
	int ret = run ? 0 : err_set(err, -ENOMEM, "no memory for a run");

	comparison_begin(comparison);
	for (unsigned set = 0; ret == 0 && set < 2; set++) {
		ret = add_set(comparison, set, store, request, run, err);
	}
	free(run);
	if (ret == 0) {
		comparison_conclude(comparison, request->unit);
	}
	return ret;
}

static int print(const struct comparison *comparison, bool is_json, struct err *err)
{
	char *text = NULL;
	size_t length;

	if (is_json) {
		comparison_json_write(comparison, stdout); /* main looks after failed writes */
		return 0;
	}
	FILE *const memory = open_memstream(&text, &length);

	if (!memory) {
		return err_set(err, -ENOMEM, "no memory for a page");
	}
	comparison_text_write(comparison, memory);
	fclose(memory);
	runs_put_printable(stdout, text);
	free(text);
	return 0;
}

static int compare_and_print(const struct request *request)
{
	struct comparison *const comparison = malloc(sizeof(*comparison));
	struct store *store = NULL;
	struct err err = { "" };
	int ret = comparison ? store_open(&store, request->file ? request->file : STORE_DEFAULT, STORE_READ, &err)
			     : err_set(&err, -ENOMEM, "no memory to compare");

	ret = ret ? ret : compare(comparison, store, request, &err);
	store_close(store);
	ret = ret ? ret : print(comparison, request->json, &err);
	const int status = ret ? cmd_fail(ret, &err) : comparison->questions ? CMD_FINE : CMD_INSUFFICIENT;

	free(comparison);
	return status;
}

int cmd_compare(int argc, char **argv)
{
	struct request *const request = calloc(1, sizeof(*request));
	struct cmd_arguments arguments;

	if (!request) {
		return CMD_USAGE;
	}
	cmd_arguments_init(&arguments, &compare_usage, argc, argv);
	int status = take(request, &arguments);

	if (status < 0 && request->word_count < 2) {
		status = cmd_usage_error(&compare_usage, "two sets of runs are needed: holdoff compare A B");
	}
	status = status < 0 ? compare_and_print(request) : status;
	free(request);
	return status;
}
