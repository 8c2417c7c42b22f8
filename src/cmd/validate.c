/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * holdoff validate: the model against a table of runs of a real kernel in virtual time, row by row. Tables are CSV files, or
 * those of a folder that have the columns; rows that cannot be mapped are named with the reason.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cmd.h"
#include "cmd/validate.h"
#include "ini/ini.h"
#include "validate/csv.h"

enum { OPTION_JSON, OPTIONS };

#define PATH_BYTES 4096
#define FILES_MAX 64

const char *const validate_use_names[CELL_USES] = { "fit", "predict" };
const char *const validate_kind_names[CELL_KINDS] = { "plain", "resonance", "overload", "saturated" };

/* ---- cells ---- */

static struct cell *new_cell(struct validation *validation)
{
	if (validation->count == validation->capacity) {
		const unsigned capacity = validation->capacity ? 2 * validation->capacity : 256;
		struct cell *cells = realloc(validation->cells, capacity * sizeof(*cells));

		if (!cells) {
			return NULL;
		}
		validation->cells = cells;
		validation->capacity = capacity;
	}
	return &validation->cells[validation->count++];
}

/* What the model refuses in the end is a row that cannot be mapped, too. */
static void run_cell(struct validation *validation, struct cell *cell, const struct world_config *config,
		     struct run *run)
{
	struct err err = { "" };

	if (cell->is_mapped && world_run(config, run, &err) < 0) {
		cell->is_mapped = false;
		snprintf(cell->why_not, sizeof(cell->why_not), "%s", err.text);
	}
	if (cell->is_mapped) {
		cell_take_run(cell, run);
		validation->mapped++;
		validation->unstable += !cell->is_stable;
	}
}

static int run_table(struct validation *validation, struct csv *csv, struct err *err)
{
	struct world_config *config = malloc(sizeof(*config));
	struct run *run = malloc(sizeof(*run));
	int ret = config && run ? 1 : err_set(err, -ENOMEM, "no memory for a run");

	while (ret > 0 && (ret = csv_next(csv, err)) > 0) {
		struct cell *cell = new_cell(validation);

		if (!cell) {
			ret = err_set(err, -ENOMEM, "no memory for a cell");
		} else {
			cell_read(cell, config, csv);
			run_cell(validation, cell, config, run);
		}
	}
	free(config);
	free(run);
	return ret;
}

/* *is_table: whether it has the columns; without them it is an error unless it may be something else. */
static int run_file(struct validation *validation, const char *path, bool may_be_else, struct err *err)
{
	struct csv *csv = malloc(sizeof(*csv));
	char *text = NULL;
	int ret = csv ? ini_read_file(path, &text, err) : err_set(err, -ENOMEM, "no memory for a table");

	if (ret == 0) {
		ret = csv_open(csv, text, path, err);
	}
	if (ret == 0 && !cell_is_table(csv)) {
		ret = may_be_else ? 0
				  : err_set(err, -EINVAL,
					    "%s: columns are missing: cell, nic_mode, rx_usecs, workload and "
					    "traffic_ns are "
					    "needed",
					    path);
	} else if (ret == 0) {
		ret = run_table(validation, csv, err);
	}
	free(text);
	free(csv);
	return ret;
}

/* ---- folders ---- */

static bool is_csv_name(const char *name)
{
	const size_t length = strlen(name);

	return length > 4 && strcmp(name + length - 4, ".csv") == 0;
}

static int is_csv(const struct dirent *entry)
{
	return is_csv_name(entry->d_name);
}

static int run_folder(struct validation *validation, const char *folder, struct err *err)
{
	struct dirent **entries;
	const int count = scandir(folder, &entries, is_csv, alphasort);
	int ret = count < 0 ? err_set(err, -errno, "%s: %s", folder, strerror(errno)) : 0;

	for (int i = 0; i < count; i++) {
		char path[PATH_BYTES];

		if (ret == 0 && snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name) < (int)sizeof(path)) {
			ret = run_file(validation, path, true, err);
		}
		free(entries[i]);
	}
	if (count >= 0) {
		free(entries);
	}
	if (ret == 0 && validation->count == 0) {
		ret = err_set(
			err, -EINVAL,
			"%s: no .csv file in it has the columns cell, nic_mode, rx_usecs, workload and traffic_ns",
			folder);
	}
	return ret;
}

static int run_path(struct validation *validation, const char *path, struct err *err)
{
	struct stat status;

	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
		return run_folder(validation, path, err);
	}
	return run_file(validation, path, false, err);
}

/* ---- command ---- */

static int validate(const char *const *paths, unsigned path_count, bool json)
{
	struct validation validation = { 0 };
	struct err err = { "" };
	int ret = 0;

	for (unsigned i = 0; ret == 0 && i < path_count; i++) {
		ret = run_path(&validation, paths[i], &err);
	}
	if (ret == 0) {
		validation.errors = malloc((validation.count ? validation.count : 1) * sizeof(*validation.errors));
		ret = validation.errors ? 0 : err_set(&err, -ENOMEM, "no memory for the errors");
	}
	if (ret == 0) {
		(json ? validate_print_json : validate_print_text)(&validation, stdout);
	}
	const bool has_any = validation.mapped > 0;

	free(validation.cells);
	free(validation.errors);
	if (ret < 0) {
		return cmd_fail(ret, &err);
	}
	return has_any ? CMD_FINE : CMD_INSUFFICIENT;
}

static const struct cmd_option options[OPTIONS] = {
	[OPTION_JSON] = { "json", NULL, "one JSON document, schema holdoff.validation/1", false },
};

static const struct cmd_usage usage = {
	.name = "validate",
	.synopsis = "refdata DIR|CSV ... [--json]",
	.about = "Runs each row of a table, which is a run of a real kernel in virtual time, on the model and\n"
		 "compares: measured, modelled, error, and the share of rows within 5, 10 and 20 %. Rows that\n"
		 "cannot be mapped are named. The exit status is 6 when no row can be.\n",
	.options = options,
	.option_count = OPTIONS,
	.words = "files",
	.verb = "refdata",
};

int cmd_validate(int argc, char **argv)
{
	const char *paths[FILES_MAX], *value;
	struct cmd_arguments arguments;
	unsigned word_count = 0;
	bool json = false;
	int option;

	cmd_arguments_init(&arguments, &usage, argc, argv);
	while ((option = cmd_next(&arguments, &value)) != CMD_END) {
		switch (option) {
		case CMD_STOP:
			return arguments.status;
		case CMD_WORD:
			if (word_count == 0 && strcmp(value, "refdata") != 0) {
				return cmd_usage_error(&usage, "what to validate against is refdata, not \"%s\"",
						       value);
			}
			if (word_count > FILES_MAX) {
				return cmd_usage_error(&usage, "at most %d files", FILES_MAX);
			}
			if (word_count > 0) {
				paths[word_count - 1] = value;
			}
			word_count++;
			break;
		case OPTION_JSON:
			json = true;
			break;
		}
	}
	if (word_count < 2) {
		return cmd_usage_error(&usage, "refdata and a folder or a CSV file are expected");
	}
	return validate(paths, word_count - 1, json);
}
