/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff report: what stands in kept runs, as one page to look at. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/runs.h"
#include "cmd/whole_file.h"
#include "page/page.h"
#include "plot/gnuplot.h"
#include "store/store.h"

enum { OPTION_STORE, OPTION_FILTER, OPTION_OUTPUT, OPTION_MARKDOWN, OPTION_CSV, OPTION_JSON };

static const struct cmd_option report_options[] = {
	[OPTION_STORE] = { "store", "FILE", "the file the runs are in (holdoff.db)", false },
	[OPTION_FILTER] = { "filter", "TEXT", "those that fit: \"source=measured,rx-usecs=0|100\"", true },
	[OPTION_OUTPUT] = { "output", "FILE", "write the page to a file, whole or not at all", false },
	[OPTION_MARKDOWN] = { "markdown", NULL, "sentences and tables, to be pasted", false },
	[OPTION_CSV] = { "csv", NULL, "comma-separated values, a row for each setting and workload", false },
	[OPTION_JSON] = { "json", NULL, "one JSON document, schema holdoff.report/1", false },
};

static const struct cmd_usage report_usage = {
	.name = "report",
	.synopsis = "[--store FILE] [--filter TEXT ...] [-o FILE]",
	.about = "Makes one page of the runs that were kept with --store: what was run and how, what\n"
		 "settings do to latency, interrupts, CPU time and throughput, which of them none beats, and\n"
		 "the commands to repeat it. HTML that loads nothing, unless told otherwise. Plots are made\n"
		 "by gnuplot; without it the page has all but them.\n",
	.options = report_options,
	.option_count = sizeof(report_options) / sizeof(report_options[0]),
	.letters = "\0\0o\0\0\0",
};

enum format { FORMAT_HTML, FORMAT_MARKDOWN, FORMAT_CSV, FORMAT_JSON };

struct request {
	const char *file, *output;
	struct store_filter filter;
	enum format format;
	unsigned formats; /* how many were asked for */
};

static void take_format(struct request *request, enum format format)
{
	request->format = format;
	request->formats++;
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
		case OPTION_STORE:
			request->file = value;
			break;
		case OPTION_FILTER:
			ret = store_filter_add(&request->filter, value, &err);
			break;
		case OPTION_OUTPUT:
			request->output = value;
			break;
		case OPTION_MARKDOWN:
			take_format(request, FORMAT_MARKDOWN);
			break;
		case OPTION_CSV:
			take_format(request, FORMAT_CSV);
			break;
		case OPTION_JSON:
			take_format(request, FORMAT_JSON);
			break;
		}
	}
	if (ret == 0 && request->formats > 1) {
		return cmd_usage_error(&report_usage, "a page has one format: --markdown, --csv or --json");
	}
	return ret ? cmd_fail(ret, &err) : -1;
}

/* ---- reading ---- */

/* Damaged runs are named and left out, and counted. */
static int add_runs(struct page *page, struct store *store, const struct store_filter *filter, unsigned *damaged,
		    struct err *err)
{
	struct run *const run = malloc(sizeof(*run));
	struct store_cursor *cursor = NULL;
	struct store_entry entry;
	int ret = run ? store_find(store, filter, &cursor, err) : err_set(err, -ENOMEM, "no memory for a run");

	while (ret == 0 && (ret = store_next(cursor, &entry, run, err)) != 0) {
		if (ret == -EBADMSG) {
			fputs("holdoff: ", stderr);
			runs_put_printable(stderr, err->text);
			fputs("; it is left out\n", stderr);
			++*damaged;
			ret = 0;
		} else if (ret > 0) {
			ret = page_add(page, run,
				       &(struct page_origin){ entry.machine, entry.version, entry.command,
							      entry.taken_at_ns, entry.role == STORE_CONTROL },
				       err);
		}
	}
	store_cursor_end(cursor);
	free(run);
	return ret;
}

static int fill(struct page *page, const struct request *request, unsigned *damaged, struct err *err)
{
	const char *const file = request->file ? request->file : STORE_DEFAULT;
	struct store_filter *const filter = malloc(sizeof(*filter));
	struct store *store = NULL;
	int ret = filter ? store_open(&store, file, STORE_READ, err) : err_set(err, -ENOMEM, "no memory for a filter");

	if (ret == 0) {
		*filter = request->filter;
		ret = store_filter_add(filter, "role!=warm-up", err);
	}
	ret = ret ? ret : add_runs(page, store, filter, damaged, err);
	if (ret == 0 && page->runs == 0) {
		ret = err_set(err, -ENOENT, "%.200s has no %srun that %s", file, page->incomplete ? "complete " : "",
			      request->filter.count ? "fits the filter" : "could stand in a report");
	}
	store_close(store);
	free(filter);
	return ret;
}

/* ---- writing ---- */

static int draw(void *context, const char *script, char **svg, struct err *err)
{
	(void)context;
	return gnuplot_draw(script, svg, err);
}

static int write_page(const struct page *page, enum format format, FILE *out)
{
	switch (format) {
	case FORMAT_HTML:
		return page_html_write(page, draw, NULL, out);
	case FORMAT_MARKDOWN:
		return page_markdown_write(page, out);
	case FORMAT_CSV:
		return page_csv_write(page, out);
	case FORMAT_JSON:
		return page_json_write(page, out);
	}
	return -EINVAL;
}

static int write_text(const void *context, FILE *out)
{
	return fputs(context, out) < 0 ? -EIO : 0;
}

/* The page is made first, so that a file is written in one go. */
static int write_file(const struct page *page, const struct request *request, struct err *err)
{
	char *text = NULL;
	size_t length;
	FILE *const memory = open_memstream(&text, &length);
	int ret = memory ? write_page(page, request->format, memory) : -ENOMEM;

	if (memory && fclose(memory) != 0) {
		ret = -ENOMEM;
	}
	ret = ret ? err_set(err, -ENOMEM, "no memory for a page")
		  : whole_file_write(request->output, "page", write_text, text, err);
	free(text);
	return ret;
}

static void set_time(struct page *page)
{
	char first[RUNS_TIME_MAX], last[RUNS_TIME_MAX];

	runs_print_time(page->first_at_ns, first);
	runs_print_time(page->last_at_ns, last);
	if (strcmp(first, last) == 0) {
		snprintf(page->taken, sizeof(page->taken), "%s UTC", first);
	} else {
		snprintf(page->taken, sizeof(page->taken), "%s to %s UTC", first, last);
	}
}

static int report(struct page *page, const struct request *request, struct err *err, unsigned *damaged)
{
	const int ret = fill(page, request, damaged, err);

	if (ret) {
		return ret;
	}
	page_conclude(page);
	set_time(page);
	if (request->output) {
		return write_file(page, request, err);
	}
	write_page(page, request->format, stdout); /* main looks after failed writes */
	return 0;
}

static void set_command(struct page *page, int argc, char *const *argv)
{
	struct store_entry entry = { 0 };

	store_entry_set_command(&entry, argc, argv);
	snprintf(page->own_command, sizeof(page->own_command), "%s", entry.command);
}

int cmd_report(int argc, char **argv)
{
	struct request *const request = calloc(1, sizeof(*request));
	struct page *const page = page_begin();
	struct err err = { "" };
	struct cmd_arguments arguments;
	unsigned damaged = 0;
	int status = CMD_USAGE;

	if (request && page) {
		cmd_arguments_init(&arguments, &report_usage, argc, argv);
		status = take(request, &arguments);
		if (status < 0) {
			set_command(page, argc, argv);
			const int ret = report(page, request, &err, &damaged);

			status = ret ? cmd_fail(ret, &err) : damaged ? CMD_USAGE : CMD_FINE;
		}
	}
	page_end(page);
	free(request);
	return status;
}
