/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * holdoff scenarios: what people published, run on the model and compared. Each row prints what was expected,
 * what came out, whether it was fitted or predicted, the model choices used, and what other choices would
 * have given.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "report/json_writer.h"
#include "sim/scenario.h"

enum { OPTION_JSON, OPTIONS };

#define ENTRIES_MAX 256
#define LABEL_WIDTH 16
#define REMARK_INDENT 6
#define ASSUMES_TEXT_MAX 512

/* A scenario and, once it was needed, its run. */
struct entry {
	struct scenario scenario;
	struct run *run;
};

struct got {
	bool observed;
	int64_t value;
};

struct row {
	struct got got;
	bool has_error;
	int64_t error_milli_percent;
	enum scenario_verdict verdict;
	struct got candidates[SCENARIO_CANDIDATES_MAX];
};

struct check {
	struct entry *entries[ENTRIES_MAX];
	unsigned entry_count;
	unsigned verdicts[SCENARIO_VERDICTS];
	struct row rows[SCENARIO_EXPECTS_MAX]; /* of the scenario at hand */
	bool json;
	struct json_writer writer;
};

/* ---- running ---- */

static bool is_entry_named(const struct entry *entry, const char *name)
{
	return strcmp(entry->scenario.name, name) == 0;
}

/* Loads it unless it is there. */
static int find_entry(struct check *check, const char *name, struct entry **entry, struct err *err)
{
	for (unsigned i = 0; i < check->entry_count; i++) {
		if (is_entry_named(check->entries[i], name)) {
			*entry = check->entries[i];
			return 0;
		}
	}
	if (check->entry_count == ENTRIES_MAX) {
		return err_set(err, -EINVAL, "more than %d scenarios", ENTRIES_MAX);
	}
	struct entry *made = calloc(1, sizeof(*made));

	if (!made) {
		return err_set(err, -ENOMEM, "no memory for scenario %s", name);
	}
	const int ret = scenario_load(&made->scenario, name, err);

	if (ret < 0) {
		free(made);
		return ret;
	}
	*entry = check->entries[check->entry_count++] = made;
	return 0;
}

static int run_entry(struct entry *entry, struct err *err)
{
	if (entry->run) {
		return 0;
	}
	struct run *run = malloc(sizeof(*run));

	if (!run) {
		return err_set(err, -ENOMEM, "no memory for a run");
	}
	const int ret = scenario_run(&entry->scenario, NULL, run, err);

	if (ret < 0) {
		free(run);
		return ret;
	}
	entry->run = run;
	return 0;
}

static int judge(struct check *check, const struct entry *entry, unsigned index, struct err *err)
{
	const struct scenario_expect *expect = &entry->scenario.expects[index];
	struct row *row = &check->rows[index];
	struct entry *other = NULL;
	int ret = 0;

	memset(row, 0, sizeof(*row));
	if (expect->compare != SCENARIO_ALONE) {
		ret = find_entry(check, expect->other, &other, err);
		ret = ret < 0 ? ret : run_entry(other, err);
	}
	if (ret < 0) {
		return err_prefix(err, ret, "scenario %s, expect %s", entry->scenario.name, expect->name);
	}
	row->got.observed = scenario_got(expect, entry->run, other ? other->run : NULL, &row->got.value);
	row->verdict = scenario_judge(expect, row->got.observed, row->got.value);
	row->has_error = row->got.observed && scenario_error(expect, row->got.value, &row->error_milli_percent);
	check->verdicts[row->verdict]++;
	return 0;
}

/* What one candidate gives for every row. */
static int try_candidate(struct check *check, const struct entry *entry, unsigned index, struct run *run,
			 struct run *other_run, struct err *err)
{
	const struct scenario *scenario = &entry->scenario;
	const struct scenario_candidate *candidate = &scenario->candidates[index];
	int ret = scenario_run(scenario, candidate, run, err);

	for (unsigned i = 0; ret == 0 && i < scenario->expect_count; i++) {
		const struct scenario_expect *expect = &scenario->expects[i];
		const bool alone = expect->compare == SCENARIO_ALONE;
		struct got *got = &check->rows[i].candidates[index];
		struct entry *other;

		if (!alone) {
			ret = find_entry(check, expect->other, &other, err);
			ret = ret < 0 ? ret : scenario_run(&other->scenario, candidate, other_run, err);
		}
		if (ret == 0) {
			got->observed = scenario_got(expect, run, alone ? NULL : other_run, &got->value);
		}
	}
	return ret < 0 ? err_prefix(err, ret, "candidate %s", candidate->name) : 0;
}

static int check_scenario(struct check *check, struct entry *entry, struct err *err)
{
	const struct scenario *scenario = &entry->scenario;
	struct run *runs = malloc(2 * sizeof(*runs));
	int ret = runs ? run_entry(entry, err) : err_set(err, -ENOMEM, "no memory for two runs");

	for (unsigned i = 0; ret == 0 && i < scenario->expect_count; i++) {
		ret = judge(check, entry, i, err);
	}
	for (unsigned i = 0; ret == 0 && i < scenario->candidate_count; i++) {
		ret = try_candidate(check, entry, i, &runs[0], &runs[1], err);
	}
	free(runs);
	return ret;
}

/* ---- as text ---- */

static const char *print_got(const struct got *got, const struct scenario_expect *expect, char buffer[FIGURE_TEXT_MAX])
{
	return got->observed ? figure_print(got->value, scenario_unit(expect), buffer) : "not observed";
}

static void print_error(const struct row *row, char text[32])
{
	const int64_t tenths = (row->error_milli_percent + (row->error_milli_percent < 0 ? -50 : 50)) / 100;
	const int64_t size = tenths < 0 ? -tenths : tenths;

	if (row->has_error) {
		snprintf(text, 32, "%s%" PRId64 ".%d %%", tenths < 0 ? "-" : "+", size / 10, (int)(size % 10));
	} else {
		snprintf(text, 32, "-");
	}
}

static void print_row(const struct scenario *scenario, unsigned index, const struct row *row)
{
	const struct scenario_expect *expect = &scenario->expects[index];
	char expected[SCENARIO_EXPECTED_MAX], got[FIGURE_TEXT_MAX], error[32];

	print_error(row, error);
	printf("  %-20s %-8s %-22s %-15s %-9s %s\n", expect->name, scenario_kind_name(expect->kind),
	       scenario_print_expected(expect, expected), print_got(&row->got, expect, got), error,
	       scenario_verdict_name(row->verdict));
	if (expect->compare != SCENARIO_ALONE) {
		cmd_print_labelled(stdout, REMARK_INDENT, "", "%s of %s to %s",
				   expect->compare == SCENARIO_RATIO ? "ratio" : "difference", expect->figure->name,
				   expect->other);
	} else if (strcmp(expect->name, expect->figure->name) != 0) {
		cmd_print_labelled(stdout, REMARK_INDENT, "", "figure %s", expect->figure->name);
	}
	if (expect->has_value) {
		cmd_print_labelled(stdout, REMARK_INDENT, "", "published %s: %s",
				   figure_print(expect->value, scenario_unit(expect), got), expect->source);
	} else {
		cmd_print_labelled(stdout, REMARK_INDENT, "", "from: %s", expect->source);
	}
	if (expect->has_known_miss) {
		cmd_print_labelled(stdout, REMARK_INDENT, "", "known miss, recorded as %s: %s",
				   figure_print(expect->known_miss, scenario_unit(expect), got), expect->reason);
	}
	if (expect->note[0]) {
		cmd_print_labelled(stdout, REMARK_INDENT, "", "note: %s", expect->note);
	}
	for (unsigned i = 0; i < scenario->candidate_count; i++) {
		printf("      candidate %-20s %s\n", scenario->candidates[i].name,
		       print_got(&row->candidates[i], expect, got));
	}
}

static void print_scenario(const struct check *check, const struct entry *entry)
{
	const struct scenario *scenario = &entry->scenario;
	const struct run_conditions *conditions = &entry->run->conditions;
	char assumes[ASSUMES_TEXT_MAX], workload[WORKLOAD_TEXT_MAX], settings[COALESCE_TEXT_MAX],
		span[TEXT_DURATION_MAX];

	printf("\n%s: %s\n", scenario->name, scenario->title);
	cmd_print_labelled(stdout, LABEL_WIDTH, "  source", "%s", scenario->source);
	cmd_print_labelled(stdout, LABEL_WIDTH, "  MODEL", "%s with %s at %u Mb/s, host %s: %s", conditions->board,
			   conditions->driver, conditions->speed_mbps, conditions->host, conditions->host_source);
	cmd_print_labelled(stdout, LABEL_WIDTH, "  workload", "%s to %s, %u %s between; %s; %s; %u %s",
			   workload_print(&conditions->workload, workload), conditions->peer, conditions->hops,
			   conditions->hops == 1 ? "switch" : "switches",
			   conditions->requested.present ? coalesce_print(&conditions->requested, settings)
							 : "default settings",
			   text_print_duration(conditions->duration_ns, span), conditions->cpus,
			   conditions->cpus == 1 ? "CPU" : "CPUs");
	cmd_print_labelled(stdout, LABEL_WIDTH, "  model choices", "%s",
			   scenario_print_assumes(&scenario->setup, assumes, sizeof(assumes)));
	for (unsigned i = 0; i < scenario->candidate_count; i++) {
		cmd_print_labelled(stdout, LABEL_WIDTH, "  candidate", "%s: %s", scenario->candidates[i].name,
				   scenario->candidates[i].note);
	}
	printf("  %-20s %-8s %-22s %-15s %-9s %s\n", "row", "kind", "expected", "got", "error", "verdict");
	for (unsigned i = 0; i < scenario->expect_count; i++) {
		print_row(scenario, i, &check->rows[i]);
	}
}

static void print_counts(const struct check *check)
{
	printf("\nMODEL by holdoff %s: %u ok, %u MISS, %u known misses, %u CHANGED, %u reported; %u claims true, %u "
	       "false\n",
	       HOLDOFF_VERSION, check->verdicts[SCENARIO_OK], check->verdicts[SCENARIO_MISS],
	       check->verdicts[SCENARIO_KNOWN_MISS], check->verdicts[SCENARIO_CHANGED],
	       check->verdicts[SCENARIO_REPORTED], check->verdicts[SCENARIO_CLAIM_TRUE],
	       check->verdicts[SCENARIO_CLAIM_FALSE]);
}

/* ---- as JSON: numbers are in the unit of their row ---- */

static void put_number(struct json_writer *writer, const char *key, bool has, int64_t value)
{
	if (has) {
		json_put_signed_milli(writer, key, value);
	}
}

static void put_text(struct json_writer *writer, const char *key, const char *text)
{
	if (text[0]) {
		json_put_string(writer, key, text);
	}
}

static void put_candidates(struct json_writer *writer, const struct scenario *scenario, const struct row *row)
{
	json_begin_array(writer, "candidates");
	for (unsigned i = 0; i < scenario->candidate_count; i++) {
		json_begin_object(writer, NULL);
		json_put_string(writer, "name", scenario->candidates[i].name);
		put_number(writer, "got", row->candidates[i].observed, row->candidates[i].value);
		json_end_object(writer);
	}
	json_end_array(writer);
}

static void put_row(struct json_writer *writer, const struct scenario *scenario, unsigned index, const struct row *row)
{
	static const char *const compares[] = { "alone", "ratio", "diff" };
	const struct scenario_expect *expect = &scenario->expects[index];

	json_begin_object(writer, NULL);
	json_put_string(writer, "name", expect->name);
	json_put_string(writer, "figure", expect->figure->name);
	json_put_string(writer, "compare", compares[expect->compare]);
	put_text(writer, "other", expect->other);
	json_put_string(writer, "unit", scenario_unit(expect));
	json_put_string(writer, "kind", scenario_kind_name(expect->kind));
	put_number(writer, "value", expect->has_value, expect->value);
	put_number(writer, "low", expect->has_low, expect->low);
	put_number(writer, "high", expect->has_high, expect->high);
	put_number(writer, "got", row->got.observed, row->got.value);
	put_number(writer, "error_percent", row->has_error, row->error_milli_percent);
	json_put_string(writer, "verdict", scenario_verdict_name(row->verdict));
	put_number(writer, "known_miss", expect->has_known_miss, expect->known_miss);
	put_text(writer, "reason", expect->reason);
	json_put_string(writer, "source", expect->source);
	put_text(writer, "note", expect->note);
	put_candidates(writer, scenario, row);
	json_end_object(writer);
}

static void put_scenario(struct check *check, const struct entry *entry)
{
	const struct scenario *scenario = &entry->scenario;
	const struct run_conditions *conditions = &entry->run->conditions;
	struct json_writer *writer = &check->writer;
	char text[ASSUMES_TEXT_MAX];

	json_begin_object(writer, NULL);
	json_put_string(writer, "name", scenario->name);
	json_put_string(writer, "title", scenario->title);
	json_put_string(writer, "source", scenario->source);
	json_put_string(writer, "board", conditions->board);
	json_put_string(writer, "driver", conditions->driver);
	json_put_string(writer, "host", conditions->host);
	json_put_string(writer, "host_source", conditions->host_source);
	json_put_string(writer, "model_choices", scenario_print_assumes(&scenario->setup, text, sizeof(text)));
	json_begin_array(writer, "candidates");
	for (unsigned i = 0; i < scenario->candidate_count; i++) {
		json_begin_object(writer, NULL);
		json_put_string(writer, "name", scenario->candidates[i].name);
		put_text(writer, "note", scenario->candidates[i].note);
		json_end_object(writer);
	}
	json_end_array(writer);
	json_begin_array(writer, "rows");
	for (unsigned i = 0; i < scenario->expect_count; i++) {
		put_row(writer, scenario, i, &check->rows[i]);
	}
	json_end_array(writer);
	json_end_object(writer);
}

static void begin_json(struct check *check)
{
	json_begin(&check->writer, stdout);
	json_begin_object(&check->writer, NULL);
	json_put_string(&check->writer, "schema", "holdoff.scenarios/1");
	json_put_string(&check->writer, "version", HOLDOFF_VERSION);
	json_put_boolean(&check->writer, "model", true);
	json_begin_array(&check->writer, "scenarios");
}

static void end_json(struct check *check, bool with_counts)
{
	static const char *const keys[SCENARIO_VERDICTS] = {
		"ok", "miss", "known_miss", "changed", "reported", "claim_true", "claim_false",
	};

	json_end_array(&check->writer);
	if (with_counts) {
		json_begin_object(&check->writer, "verdicts");
		for (unsigned i = 0; i < SCENARIO_VERDICTS; i++) {
			json_put_unsigned(&check->writer, keys[i], check->verdicts[i]);
		}
		json_end_object(&check->writer);
	}
	json_end_object(&check->writer);
	json_end(&check->writer);
}

/* ---- command ---- */

static int load_all(struct check *check, struct err *err)
{
	struct entry *entry;
	int ret = 0;

	for (const struct board_text *text = embedded_scenarios; ret == 0 && text->name; text++) {
		ret = find_entry(check, text->name, &entry, err);
	}
	return ret;
}

static void list(struct check *check)
{
	if (check->json) {
		begin_json(check);
	}
	for (unsigned i = 0; i < check->entry_count; i++) {
		const struct scenario *scenario = &check->entries[i]->scenario;

		if (check->json) {
			json_begin_object(&check->writer, NULL);
			json_put_string(&check->writer, "name", scenario->name);
			json_put_string(&check->writer, "title", scenario->title);
			json_put_string(&check->writer, "source", scenario->source);
			json_put_unsigned(&check->writer, "rows", scenario->expect_count);
			json_end_object(&check->writer);
		} else {
			printf("%-26s %s\n", scenario->name, scenario->title);
		}
	}
	if (check->json) {
		end_json(check, false);
	}
}

/* All results before the first line, so that an error leaves no half of a document. */
static int check_all(struct check *check, struct err *err)
{
	const unsigned count = check->entry_count; /* those that others are compared with are loaded behind */
	struct row(*rows)[SCENARIO_EXPECTS_MAX] = calloc(count ? count : 1, sizeof(*rows));
	int ret = rows ? 0 : err_set(err, -ENOMEM, "no memory for the results");

	for (unsigned i = 0; ret == 0 && i < count; i++) {
		ret = check_scenario(check, check->entries[i], err);
		memcpy(rows[i], check->rows, sizeof(check->rows));
	}
	if (ret == 0 && check->json) {
		begin_json(check);
	}
	for (unsigned i = 0; ret == 0 && i < count; i++) {
		memcpy(check->rows, rows[i], sizeof(check->rows));
		if (check->json) {
			put_scenario(check, check->entries[i]);
		} else {
			print_scenario(check, check->entries[i]);
		}
	}
	if (ret == 0 && check->json) {
		end_json(check, true);
	} else if (ret == 0) {
		print_counts(check);
	}
	free(rows);
	return ret;
}

static int run_command(struct check *check, const char **words, unsigned word_count, const struct cmd_usage *usage)
{
	struct err err = { "" };
	struct entry *entry;
	int ret = 0;

	if (word_count > 0 && strcmp(words[0], "check") != 0) {
		return cmd_usage_error(
			usage, "what to do with the scenarios is check, or nothing to list them, not \"%s\"", words[0]);
	}
	for (unsigned i = 1; ret == 0 && i < word_count; i++) {
		ret = find_entry(check, words[i], &entry, &err);
	}
	if (ret == 0 && word_count < 2) {
		ret = load_all(check, &err);
	}
	if (ret == 0 && word_count == 0) {
		list(check);
		return CMD_FINE;
	}
	if (ret == 0) {
		ret = check_all(check, &err);
	}
	if (ret < 0) {
		return cmd_fail(ret, &err);
	}
	return check->verdicts[SCENARIO_MISS] || check->verdicts[SCENARIO_CHANGED] ? CMD_NEGATIVE : CMD_FINE;
}

static int scenarios(struct cmd_arguments arguments, struct check *check, const char **words)
{
	const char *value;
	unsigned word_count = 0;
	int option;

	while ((option = cmd_next(&arguments, &value)) != CMD_END) {
		switch (option) {
		case CMD_STOP:
			return arguments.status;
		case CMD_WORD:
			words[word_count++] = value;
			break;
		case OPTION_JSON:
			check->json = true;
			break;
		}
	}
	return run_command(check, words, word_count, arguments.usage);
}

int cmd_scenarios(int argc, char **argv)
{
	static const struct cmd_option options[OPTIONS] = {
		[OPTION_JSON] = { "json", NULL, "one JSON document, schema holdoff.scenarios/1", false },
	};
	static const struct cmd_usage usage = {
		.name = "scenarios",
		.synopsis = "[check [NAME|FILE ...]] [--json]",
		.about = "Lists the scenarios: experiments that somebody published, with their numbers. With check\n"
			 "runs them on the model and compares; the exit status is 1 when a row is missed, or when a\n"
			 "recorded miss is no longer what was recorded.\n",
		.options = options,
		.option_count = OPTIONS,
		.words = "scenarios",
		.verb = "check",
	};
	struct cmd_arguments arguments;
	struct check *check = calloc(1, sizeof(*check));
	const char **words = calloc((size_t)argc, sizeof(*words));

	cmd_arguments_init(&arguments, &usage, argc, argv);
	const int status = check && words ? scenarios(arguments, check, words) : CMD_USAGE;

	for (unsigned i = 0; check && i < check->entry_count; i++) {
		free(check->entries[i]->run);
		free(check->entries[i]);
	}
	free(check);
	free(words);
	return status;
}
