/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff runs: what is kept of runs: listed, shown, labelled, deleted, and carried from one file to another. */
#include "cmd/runs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/cmd.h"

#define DOCUMENT_MAX (size_t)(1 << 30)

enum { OPTION_STORE, OPTION_FILTER, OPTION_LABEL, OPTION_CSV, OPTION_JSON, OPTION_YES };

static const struct cmd_option runs_options[] = {
	[OPTION_STORE] = { "store", "FILE", "the file they are in (holdoff.db)", false },
	[OPTION_FILTER] = { "filter", "TEXT", "those that fit: \"source=measured,rx-usecs=0|100\"", true },
	[OPTION_LABEL] = { "label", "TEXT", "label: what to call them; \"\" takes it away", false },
	[OPTION_CSV] = { "csv", NULL, "list, export: comma-separated values, a column for each figure", false },
	[OPTION_JSON] = { "json", NULL, "list, show: one JSON document", false },
	[OPTION_YES] = { "yes", NULL, "delete: also more than one run", false },
};

static void print_fields(void)
{
	unsigned count;
	const struct store_field *const field = store_filter_fields(&count);

	puts("\nverbs:\n"
	     "  list (default)             the runs, a pair of lines each\n"
	     "  show RUN                   one run as it was printed when it was made\n"
	     "  label RUN ... --label TEXT calls them so\n"
	     "  delete RUN ...             forgets them\n"
	     "  export [RUN ...]           as a JSON document, which import takes; --csv: the figures\n"
	     "  import FILE ...            such documents (- is standard input)\n"
	     "  merge FILE ...             other stores\n"
	     "RUN is a run's number, or at least four characters of its id.\n\n"
	     "fields of a filter, besides settings (rx-usecs=100) and figures (rtt-p99<200us):");
	for (unsigned i = 0; i < count; i++) {
		printf("  %-12s %s\n", field[i].name, field[i].meaning);
	}
}

static const struct cmd_usage runs_usage = {
	.name = "runs",
	.synopsis = "[VERB [RUN|FILE ...]] [OPTIONS]",
	.about = "Lists, shows and manages the runs that commands with --store have kept, and carries\n"
		 "them from one machine's file to another's.\n",
	.options = runs_options,
	.option_count = sizeof(runs_options) / sizeof(runs_options[0]),
	.words = "files",
	.verb = "list show label delete export import merge",
	.more = print_fields,
};

struct request {
	const char *file, *label;
	struct store_filter filter;
	bool has_filter, csv, json, yes;
	unsigned word_count;
	const char **words; /* behind the verb */
	struct store *store;
};

static enum runs_format format_of(const struct request *request)
{
	return request->json ? RUNS_JSON : request->csv ? RUNS_CSV : RUNS_TEXT;
}

/* Statuses of its own go through *status; else 0 or a negative errno. */
typedef int verb_fn(struct request *request, int *status, struct err *err);

static int list(struct request *request, int *status, struct err *err)
{
	uint64_t damaged;
	const int ret = runs_list(request->store, &request->filter, format_of(request), stdout, &damaged, err);

	*status = ret == 0 && damaged ? CMD_USAGE : CMD_FINE;
	return ret;
}

static int show(struct request *request, int *status, struct err *err)
{
	struct run *const run = malloc(sizeof(*run));
	struct store_entry entry;
	int ret = run ? store_get(request->store, request->words[0], &entry, run, err)
		      : err_set(err, -ENOMEM, "no memory for a run");

	(void)status;
	ret = ret ? ret : runs_show(&entry, run, format_of(request), stdout, err);
	free(run);
	return ret;
}

typedef int change_fn(struct request *request, const char *uuid, struct err *err);

/* The cursor does not mind that runs behind it change or go. */
static int for_each_found(struct request *request, change_fn *change, struct err *err)
{
	struct store_cursor *cursor;
	struct store_entry entry;
	int ret = store_find(request->store, &request->filter, &cursor, err);

	while (ret == 0 && (ret = store_next(cursor, &entry, NULL, err)) > 0) {
		ret = change(request, entry.uuid, err);
	}
	store_cursor_end(cursor);
	return ret;
}

/* Calls change for each run that was named by words, or by the filter. One transaction. */
static int for_each(struct request *request, change_fn *change, struct err *err)
{
	struct store_entry entry;
	int ret = store_begin(request->store, err);

	for (unsigned i = 0; ret == 0 && i < request->word_count; i++) {
		ret = store_get(request->store, request->words[i], &entry, NULL, err);
		ret = ret ? ret : change(request, entry.uuid, err);
	}
	ret = ret || !request->has_filter ? ret : for_each_found(request, change, err);
	if (ret) {
		store_roll_back(request->store);
		return ret;
	}
	return store_commit(request->store, err);
}

static int count_meant(const struct request *request, uint64_t *count, struct err *err)
{
	*count = request->word_count;
	if (!request->has_filter) {
		return request->word_count ? 0 : err_set(err, -EINVAL, "which runs? Name them, or use --filter");
	}
	if (request->word_count) {
		return err_set(err, -EINVAL, "runs are named, or found by --filter: not both");
	}
	return store_count(request->store, &request->filter, count, err);
}

static int remove_one(struct request *request, const char *uuid, struct err *err)
{
	return store_remove(request->store, uuid, err);
}

static int delete (struct request *request, int *status, struct err *err)
{
	uint64_t count;
	int ret = count_meant(request, &count, err);

	if (ret == 0 && count > 1 && !request->yes) {
		*status = CMD_NEGATIVE;
		printf("these are %" PRIu64 " runs: --yes deletes them\n", count);
		return 0;
	}
	ret = ret ? ret : for_each(request, remove_one, err);
	if (ret == 0) {
		printf("%" PRIu64 " deleted\n", count);
	}
	return ret;
}

static int label_one(struct request *request, const char *uuid, struct err *err)
{
	return store_set_label(request->store, uuid, request->label, err);
}

static int label(struct request *request, int *status, struct err *err)
{
	uint64_t count;
	int ret = request->label ? count_meant(request, &count, err)
				 : err_set(err, -EINVAL, "label needs --label TEXT");

	(void)status;
	if (ret == 0 && strlen(request->label) >= STORE_LABEL_MAX) {
		ret = err_set(err, -EINVAL, "--label is longer than %d bytes", STORE_LABEL_MAX - 1);
	}
	ret = ret ? ret : for_each(request, label_one, err);
	if (ret == 0) {
		printf("%" PRIu64 " labelled\n", count);
	}
	return ret;
}

/* ---- documents and other files ---- */

/* Words as terms of the filter, so that what is exported is one list in the order of the file. */
static int put_words_into_filter(struct request *request, struct err *err)
{
	struct store_entry entry;
	char term[64];

	if (request->word_count > STORE_FILTER_VALUES_MAX) {
		return err_set(err, -EINVAL, "more than %d runs are better found by --filter", STORE_FILTER_VALUES_MAX);
	}
	for (unsigned i = 0; i < request->word_count; i++) {
		int ret = store_get(request->store, request->words[i], &entry, NULL, err);

		snprintf(term, sizeof(term), "run=%" PRId64, entry.number);
		if (ret == 0 && i == 0) {
			ret = store_filter_add(&request->filter, term, err);
		} else if (ret == 0) {
			struct store_term *const last = &request->filter.term[request->filter.count - 1];

			last->value[last->value_count++].number = entry.number;
		}
		if (ret) {
			return ret;
		}
	}
	return 0;
}

static int export(struct request *request, int *status, struct err *err)
{
	const int ret = put_words_into_filter(request, err);

	if (ret == 0 && request->csv) {
		return list(request, status, err);
	}
	return ret ? ret : store_export(request->store, &request->filter, stdout, err);
}

static int read_all(const char *name, char **text, size_t *length, struct err *err)
{
	const bool is_stdin = strcmp(name, "-") == 0;
	const int fd = is_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
	size_t room = 0;
	ssize_t got = fd < 0 ? -1 : 1;

	*text = NULL;
	*length = 0;
	while (got > 0 && *length < DOCUMENT_MAX) {
		if (*length == room) {
			char *const more = realloc(*text, room = room ? 2 * room : 65536);

			if (!more) {
				errno = ENOMEM;
				got = -1;
				break;
			}
			*text = more;
		}
		got = read(fd, *text + *length, room - *length);
		*length += got > 0 ? (size_t)got : 0;
	}
	const int error = errno;

	if (fd >= 0 && !is_stdin) {
		close(fd);
	}
	return got < 0 ? err_set(err, -error, "%s: %s", name, strerror(error)) : 0;
}

static void print_merged(const char *name, const struct store_merged *merged)
{
	printf("%s: %" PRIu64 " added, %" PRIu64 " known already", name, merged->added, merged->known);
	if (merged->damaged) {
		printf(", %" PRIu64 " damaged and left out", merged->damaged);
	}
	putchar('\n');
}

static int import(struct request *request, int *status, struct err *err)
{
	int ret = 0;

	(void)status;
	for (unsigned i = 0; ret == 0 && i < request->word_count; i++) {
		struct store_merged merged;
		char *text;
		size_t length;

		ret = read_all(request->words[i], &text, &length, err);
		ret = ret ? ret
			  : store_import(request->store, text ? text : "", length, request->words[i], &merged, err);
		if (ret == 0) {
			print_merged(request->words[i], &merged);
		}
		free(text);
	}
	return ret;
}

static int merge(struct request *request, int *status, struct err *err)
{
	int ret = 0;

	for (unsigned i = 0; ret == 0 && i < request->word_count; i++) {
		struct store_merged merged;

		ret = store_merge(request->store, request->words[i], &merged, err);
		if (ret == 0) {
			print_merged(request->words[i], &merged);
			*status = merged.damaged ? CMD_INSUFFICIENT : *status;
		}
	}
	return ret;
}

/* ---- the command line ---- */

static const struct verb {
	const char *name;
	verb_fn *run;
	enum store_access access;
	unsigned words_min, words_max;
	unsigned options; /* 1u << OPTION_*: besides --store */
} verbs[] = {
	{ "list", list, STORE_READ, 0, 0, 1u << OPTION_FILTER | 1u << OPTION_CSV | 1u << OPTION_JSON },
	{ "show", show, STORE_READ, 1, 1, 1u << OPTION_JSON },
	{ "label", label, STORE_WRITE, 0, UINT32_MAX, 1u << OPTION_FILTER | 1u << OPTION_LABEL },
	{ "delete", delete, STORE_WRITE, 0, UINT32_MAX, 1u << OPTION_FILTER | 1u << OPTION_YES },
	{ "export", export, STORE_READ, 0, UINT32_MAX, 1u << OPTION_FILTER | 1u << OPTION_CSV },
	{ "import", import, STORE_CREATE, 1, UINT32_MAX, 0 },
	{ "merge", merge, STORE_CREATE, 1, UINT32_MAX, 0 },
};

#define VERBS (sizeof(verbs) / sizeof(verbs[0]))

static const struct verb *find_verb(const char *name)
{
	for (unsigned i = 0; i < VERBS; i++) {
		if (strcmp(verbs[i].name, name) == 0) {
			return &verbs[i];
		}
	}
	return NULL;
}

static int complain_of_verb(const char *name)
{
	const char *names[VERBS];

	for (unsigned i = 0; i < VERBS; i++) {
		names[i] = verbs[i].name;
	}
	const char *const nearest = text_nearest(name, names, VERBS);

	return nearest ? cmd_usage_error(&runs_usage, "unknown verb \"%.40s\": did you mean %s?", name, nearest)
		       : cmd_usage_error(&runs_usage, "unknown verb \"%.40s\"", name);
}

/* -1, or the status to end with. */
static int take(struct request *request, struct cmd_arguments *arguments, unsigned *given)
{
	struct err err = { "" };
	const char *value;
	int option, ret = 0;

	while (ret == 0 && (option = cmd_next(arguments, &value)) != CMD_END) {
		if (option == CMD_STOP) {
			return arguments->status;
		}
		if (option == CMD_WORD) {
			request->words[request->word_count++] = value;
			continue;
		}
		*given |= 1u << option;
		switch (option) {
		case OPTION_STORE:
			request->file = value;
			break;
		case OPTION_FILTER:
			request->has_filter = true;
			ret = store_filter_add(&request->filter, value, &err);
			break;
		case OPTION_LABEL:
			request->label = value;
			break;
		case OPTION_CSV:
			request->csv = true;
			break;
		case OPTION_JSON:
			request->json = true;
			break;
		case OPTION_YES:
			request->yes = true;
			break;
		}
	}
	return ret ? cmd_fail(ret, &err) : -1;
}

static int check_words(const struct verb *verb, const struct request *request, unsigned given)
{
	for (unsigned option = OPTION_FILTER; option <= OPTION_YES; option++) {
		if (given & ~verb->options & (1u << option)) {
			return cmd_usage_error(&runs_usage, "%s takes no --%s", verb->name, runs_options[option].name);
		}
	}
	if (request->csv && request->json) {
		return cmd_usage_error(&runs_usage, "--csv and --json exclude one another");
	}
	if (request->word_count < verb->words_min || request->word_count > verb->words_max) {
		return cmd_usage_error(&runs_usage, "%s takes %s", verb->name,
				       verb->words_max == 0   ? "no words; runs are found by --filter"
				       : verb->words_max == 1 ? "one run"
							      : "files");
	}
	return -1;
}

static int run_verb(const struct verb *verb, struct request *request)
{
	struct err err = { "" };
	int status = CMD_FINE;
	int ret = store_open(&request->store, request->file ? request->file : STORE_DEFAULT, verb->access, &err);

	ret = ret ? ret : verb->run(request, &status, &err);
	store_close(request->store);
	return ret ? cmd_fail(ret, &err) : status;
}

static int run_request(struct request *request, struct cmd_arguments *arguments)
{
	unsigned given = 0;
	int status = take(request, arguments, &given);

	if (status >= 0) {
		return status;
	}
	const struct verb *const verb = request->word_count ? find_verb(request->words[0]) : &verbs[0];

	if (!verb) {
		return complain_of_verb(request->words[0]);
	}
	if (request->word_count) {
		request->words++;
		request->word_count--;
	}
	status = check_words(verb, request, given);
	return status >= 0 ? status : run_verb(verb, request);
}

int cmd_runs(int argc, char **argv)
{
	struct cmd_arguments arguments;
	struct request request = { .words = calloc((size_t)argc + 1, sizeof(const char *)) };
	const char **const words = request.words;

	if (!words) {
		return CMD_USAGE;
	}
	cmd_arguments_init(&arguments, &runs_usage, argc, argv);
	const int status = run_request(&request, &arguments);

	free(words);
	return status;
}
