/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading scenarios: keys of the setup go straight into it; what is expected stays text until its section is complete, since the unit
 * of a number is that of the figure. What became of it is in verdict.c.
 */
#include "sim/scenario.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/wide.h"
#include "ini/ini.h"
#include "sim/source.h"

/* An [expect] section as it is spelled, until all of it is known. */
struct expect_text {
	char what[SCENARIO_NAME_MAX], kind[16], compare[SCENARIO_NAME_MAX];
	char value[40], low[40], high[40], tolerance[40], known_miss[SCENARIO_TEXT_MAX];
	char source[SCENARIO_TEXT_MAX], note[SCENARIO_TEXT_MAX];
	uint64_t seen;
	unsigned line[16]; /* of each key */
	unsigned first_line;
};

enum { WHAT, KIND, SOURCE, COMPARE, VALUE, LOW, HIGH, TOLERANCE, KNOWN_MISS, NOTE, EXPECT_KEYS };

#define TEXT_KEY(name, member, required, help)                                                                         \
	{                                                                                                              \
		name, INI_TEXT, offsetof(struct expect_text, member), sizeof(((struct expect_text *)0)->member), 0, 0, \
			required, help                                                                                 \
	}

static const struct ini_key expect_keys[EXPECT_KEYS] = {
	[WHAT] = TEXT_KEY("what", what, true, "figure, ratio:figure or diff:figure"),
	[KIND] = TEXT_KEY("kind", kind, true, "fit, predict, report or claim"),
	[SOURCE] = TEXT_KEY("source", source, true, "who said the number"),
	[COMPARE] = TEXT_KEY("compare", compare, false, "the other scenario of a ratio or diff"),
	[VALUE] = TEXT_KEY("value", value, false, "what was published"),
	[LOW] = TEXT_KEY("low", low, false, "least value that is ok"),
	[HIGH] = TEXT_KEY("high", high, false, "greatest value that is ok"),
	[TOLERANCE] = TEXT_KEY("tolerance", tolerance, false, "percent of value, in place of low and high"),
	[KNOWN_MISS] = TEXT_KEY("known-miss", known_miss, false, "GOT, REASON"),
	[NOTE] = TEXT_KEY("note", note, false, "for people"),
};

struct scenario_text {
	char title[SCENARIO_TEXT_MAX], source[SCENARIO_TEXT_MAX];
	uint64_t seen;
};

#define SCENARIO_KEY(name, member, help)                                                                             \
	{                                                                                                            \
		name, INI_TEXT, offsetof(struct scenario_text, member), sizeof(((struct scenario_text *)0)->member), \
			0, 0, true, help                                                                             \
	}

static const struct ini_key scenario_keys[] = {
	SCENARIO_KEY("title", title, "what it is, for people"),
	SCENARIO_KEY("source", source, "who published it"),
};

struct parsing {
	struct scenario *scenario;
	struct scenario_text head;
	struct expect_text expects[SCENARIO_EXPECTS_MAX];
};

/* A key of the setup; else a complaint with the nearest of those and of the section's own one or two. */
static int setup_entry(struct setup *setup, const struct ini_entry *entry, const char *own, const char *own_too,
		       struct err *err)
{
	const enum setup_key key = setup_find(entry->key);
	const char *names[SETUP_KEYS + 2];

	if (key != SETUP_KEYS) {
		return setup_put(setup, key, entry->value, err);
	}
	for (unsigned i = 0; i < SETUP_KEYS; i++) {
		names[i] = setup_keys[i].name;
	}
	names[SETUP_KEYS] = own;
	names[SETUP_KEYS + 1] = own_too;
	const char *nearest = text_nearest(entry->key, names, SETUP_KEYS + 2);

	return err_set(err, -EINVAL, "unknown key \"%s\" in [%s]%s%s%s", entry->key, entry->section,
		       nearest ? ": did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

static int scenario_entry(struct parsing *parsing, const struct ini_entry *entry, struct err *err)
{
	if (strcmp(entry->key, "title") == 0 || strcmp(entry->key, "source") == 0) {
		return ini_store(scenario_keys, 2, &parsing->head, &parsing->head.seen, entry, err);
	}
	return setup_entry(&parsing->scenario->setup, entry, "title", "source", err);
}

static int section_name(char name[SCENARIO_NAME_MAX], const char *text, struct err *err)
{
	const size_t length = strlen(text);

	if (length == 0 || length >= SCENARIO_NAME_MAX) {
		return err_set(err, -EINVAL, "the name of a section has 1 to %d characters", SCENARIO_NAME_MAX - 1);
	}
	memcpy(name, text, length + 1);
	return 0;
}

static int expect_entry(struct parsing *parsing, const char *name, const struct ini_entry *entry, struct err *err)
{
	struct scenario *scenario = parsing->scenario;
	unsigned index = 0;

	while (index < scenario->expect_count && strcmp(scenario->expects[index].name, name) != 0) {
		index++;
	}
	if (index == SCENARIO_EXPECTS_MAX) {
		return err_set(err, -EINVAL, "too many [expect] sections: at most %d", SCENARIO_EXPECTS_MAX);
	}
	if (index == scenario->expect_count) {
		const int ret = section_name(scenario->expects[index].name, name, err);

		if (ret < 0) {
			return ret;
		}
		parsing->expects[index].first_line = entry->line;
		scenario->expect_count++;
	}
	struct expect_text *text = &parsing->expects[index];

	for (unsigned i = 0; i < EXPECT_KEYS; i++) {
		if (strcmp(expect_keys[i].name, entry->key) == 0) {
			text->line[i] = entry->line;
		}
	}
	return ini_store(expect_keys, EXPECT_KEYS, text, &text->seen, entry, err);
}

static int candidate_entry(struct parsing *parsing, const char *name, const struct ini_entry *entry, struct err *err)
{
	struct scenario *scenario = parsing->scenario;
	unsigned index = 0;

	while (index < scenario->candidate_count && strcmp(scenario->candidates[index].name, name) != 0) {
		index++;
	}
	if (index == SCENARIO_CANDIDATES_MAX) {
		return err_set(err, -EINVAL, "too many [candidate] sections: at most %d", SCENARIO_CANDIDATES_MAX);
	}
	struct scenario_candidate *candidate = &scenario->candidates[index];

	if (index == scenario->candidate_count) {
		const int ret = section_name(candidate->name, name, err);

		if (ret < 0) {
			return ret;
		}
		setup_init(&candidate->changes);
		candidate->setup = scenario->setup;
		scenario->candidate_count++;
	}
	if (strcmp(entry->key, "note") == 0) {
		const struct ini_key note = { .name = "note",
					      .type = INI_TEXT,
					      .offset = offsetof(struct scenario_candidate, note),
					      .size = sizeof(candidate->note) };
		uint64_t seen = 0;

		return ini_store(&note, 1, candidate, &seen, entry, err);
	}
	const int ret = setup_entry(&candidate->setup, entry, "note", "assume", err);

	return ret < 0 ? ret : setup_entry(&candidate->changes, entry, "note", "assume", err);
}

static int parse_entry(void *context, const struct ini_entry *entry, struct err *err)
{
	struct parsing *parsing = context;
	const bool is_first = parsing->scenario->expect_count == 0 && parsing->scenario->candidate_count == 0;

	if (strcmp(entry->section, "scenario") == 0) {
		return is_first ? scenario_entry(parsing, entry, err)
				: err_set(err, -EINVAL, "[scenario] must come before what is expected of it");
	}
	if (strncmp(entry->section, "expect ", 7) == 0) {
		return expect_entry(parsing, entry->section + 7, entry, err);
	}
	if (strncmp(entry->section, "candidate ", 10) == 0) {
		return candidate_entry(parsing, entry->section + 10, entry, err);
	}
	return err_set(err, -EINVAL,
		       "unknown section [%s]: a scenario has [scenario], [expect NAME] and [candidate NAME]",
		       entry->section);
}

static int resolve_what(struct scenario_expect *expect, const struct expect_text *text, struct err *err)
{
	const char *what = text->what;

	expect->compare = SCENARIO_ALONE;
	if (strncmp(what, "ratio:", 6) == 0) {
		expect->compare = SCENARIO_RATIO;
		what += 6;
	} else if (strncmp(what, "diff:", 5) == 0) {
		expect->compare = SCENARIO_DIFF;
		what += 5;
	}
	return figure_find(what, &expect->figure, err);
}

static int resolve_kind(struct scenario_expect *expect, const struct expect_text *text, struct err *err)
{
	for (enum scenario_kind kind = SCENARIO_FIT; kind <= SCENARIO_CLAIM; kind++) {
		if (strcmp(scenario_kind_name(kind), text->kind) == 0) {
			expect->kind = kind;
			return 0;
		}
	}
	return err_set(err, -EINVAL, "kind \"%s\" is none of fit, predict, report and claim", text->kind);
}

/* "GOT, REASON" */
static int resolve_known_miss(struct scenario_expect *expect, const struct expect_text *text, struct err *err)
{
	const char *comma = strchr(text->known_miss, ',');
	const size_t length = comma ? (size_t)(comma - text->known_miss) : 0;
	char got[40];

	if (!comma || length >= sizeof(got) || comma[1] == '\0') {
		return err_set(err, -EINVAL, "known-miss is GOT, REASON: what the model gives, and why");
	}
	memcpy(got, text->known_miss, length);
	got[length] = '\0';
	snprintf(expect->reason, sizeof(expect->reason), "%s", comma + 1 + strspn(comma + 1, " \t"));
	expect->has_known_miss = true;
	return figure_parse(got, scenario_unit(expect), "known-miss", &expect->known_miss, err);
}

static bool seen(const struct expect_text *text, unsigned key)
{
	return text->seen & (UINT64_C(1) << key);
}

static int resolve_number(const struct scenario_expect *expect, const struct expect_text *text, unsigned key,
			  const char *number, bool *has, int64_t *value, struct err *err)
{
	*has = seen(text, key);
	return *has ? figure_parse(number, key == TOLERANCE ? "%" : scenario_unit(expect), expect_keys[key].name, value,
				   err)
		    : 0;
}

static int resolve_tolerance(struct scenario_expect *expect, struct err *err)
{
	if (!expect->has_tolerance) {
		return 0;
	}
	if (!expect->has_value || expect->has_low || expect->has_high) {
		return err_set(err, -EINVAL, "tolerance goes with value, in place of low and high");
	}
	if (expect->tolerance < 0 || expect->tolerance > 100000) {
		return err_set(err, -EINVAL, "tolerance is a percentage from 0 to 100");
	}
	const int64_t size = expect->value < 0 ? -expect->value : expect->value;
	const int64_t margin = (int64_t)wide_scale((uint64_t)size, (uint64_t)expect->tolerance, 100000);

	expect->has_low = expect->has_high = true;
	expect->low = expect->value - margin;
	expect->high = expect->value + margin;
	return 0;
}

/* What no single line can get wrong. */
static int check_expect(const struct scenario_expect *expect, const struct expect_text *text, struct err *err)
{
	const bool compares = expect->compare != SCENARIO_ALONE, has_band = expect->has_low || expect->has_high;

	if (!text->source[0]) {
		return err_set(err, -EINVAL, "source is empty: who said the number");
	}
	if (compares != (text->compare[0] != '\0')) {
		return err_set(err, -EINVAL,
			       compares ? "what = %s needs compare = SCENARIO"
					: "compare goes with ratio: or diff:, not %s",
			       text->what);
	}
	if (expect->kind != SCENARIO_REPORT && !has_band) {
		return err_set(err, -EINVAL, "%s needs a low, a high or a tolerance to be judged by", text->kind);
	}
	if (expect->has_low && expect->has_high && expect->low > expect->high) {
		return err_set(err, -EINVAL, "low is above high");
	}
	if (expect->has_known_miss && expect->kind != SCENARIO_FIT && expect->kind != SCENARIO_PREDICT) {
		return err_set(err, -EINVAL, "known-miss goes with fit and predict, not %s", text->kind);
	}
	if (expect->has_known_miss && scenario_in_band(expect, expect->known_miss)) {
		return err_set(err, -EINVAL, "known-miss is no miss: it lies within what is expected");
	}
	return 0;
}

/* Sets *line to the one that is at fault. */
static int resolve_expect(struct scenario_expect *expect, const struct expect_text *text, unsigned *line,
			  struct err *err)
{
	const struct {
		unsigned key;
		const char *number;
		bool *has;
		int64_t *value;
	} numbers[] = {
		{ VALUE, text->value, &expect->has_value, &expect->value },
		{ LOW, text->low, &expect->has_low, &expect->low },
		{ HIGH, text->high, &expect->has_high, &expect->high },
		{ TOLERANCE, text->tolerance, &expect->has_tolerance, &expect->tolerance },
	};
	*line = text->first_line;
	int ret = ini_required(expect_keys, EXPECT_KEYS, text->seen, expect->name, err);

	if (ret == 0) {
		*line = text->line[WHAT];
		ret = resolve_what(expect, text, err);
	}
	if (ret == 0) {
		*line = text->line[KIND];
		ret = resolve_kind(expect, text, err);
	}
	for (unsigned i = 0; ret == 0 && i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		*line = text->line[numbers[i].key];
		ret = resolve_number(expect, text, numbers[i].key, numbers[i].number, numbers[i].has, numbers[i].value,
				     err);
	}
	if (ret == 0) {
		*line = text->line[TOLERANCE];
		ret = resolve_tolerance(expect, err);
	}
	if (ret == 0 && seen(text, KNOWN_MISS)) {
		*line = text->line[KNOWN_MISS];
		ret = resolve_known_miss(expect, text, err);
	}
	if (ret == 0) {
		*line = text->first_line;
		ret = check_expect(expect, text, err);
	}
	memcpy(expect->other, text->compare, sizeof(expect->other));
	memcpy(expect->source, text->source, sizeof(expect->source));
	memcpy(expect->note, text->note, sizeof(expect->note));
	return ret;
}

static int finish(struct parsing *parsing, const char *file, struct err *err)
{
	struct scenario *scenario = parsing->scenario;
	struct world_config config;
	unsigned line;
	int ret = ini_required(scenario_keys, 2, parsing->head.seen, "scenario", err);

	memcpy(scenario->title, parsing->head.title, sizeof(scenario->title));
	memcpy(scenario->source, parsing->head.source, sizeof(scenario->source));
	if (ret == 0) {
		ret = setup_config(&scenario->setup, &config, err);
	}
	if (ret < 0) {
		return err_prefix(err, ret, "%s", file);
	}
	for (unsigned i = 0; i < scenario->candidate_count; i++) {
		ret = setup_config(&scenario->candidates[i].setup, &config, err);
		if (ret < 0) {
			return err_prefix(err, ret, "%s: candidate %s", file, scenario->candidates[i].name);
		}
	}
	for (unsigned i = 0; i < scenario->expect_count; i++) {
		ret = resolve_expect(&scenario->expects[i], &parsing->expects[i], &line, err);
		if (ret < 0) {
			return err_prefix(err, ret, "%s:%u", file, line);
		}
	}
	return 0;
}

int scenario_parse(struct scenario *scenario, const char *text, const char *name, struct err *err)
{
	memset(scenario, 0, sizeof(*scenario));
	setup_init(&scenario->setup);
	int ret = source_name(scenario->name, sizeof(scenario->name), name, "scenario", err);

	if (ret < 0) {
		return ret;
	}
	struct parsing *parsing = calloc(1, sizeof(*parsing));

	if (!parsing) {
		return err_set(err, -ENOMEM, "no memory for scenario %s", name);
	}
	parsing->scenario = scenario;
	ret = ini_parse_text(text, name, parse_entry, parsing, err);
	if (ret == 0) {
		ret = finish(parsing, name, err);
	}
	free(parsing);
	return ret;
}

int scenario_load(struct scenario *scenario, const char *name, struct err *err)
{
	static const struct source_kind scenarios = { "scenario", embedded_scenarios, "holdoff scenarios" };
	struct source source;
	int ret = source_open(&source, &scenarios, name, err);

	if (ret == 0) {
		ret = scenario_parse(scenario, source.text, name, err);
		source_close(&source);
	}
	return ret;
}

int scenario_run(const struct scenario *scenario, const struct scenario_candidate *candidate, struct run *run,
		 struct err *err)
{
	struct setup setup = scenario->setup;
	struct world_config config;

	if (candidate) {
		setup_put_assumes(&setup, &candidate->changes);
		for (unsigned i = 0; i < scenario->candidate_count; i++) {
			if (strcmp(scenario->candidates[i].name, candidate->name) == 0) {
				setup = scenario->candidates[i].setup;
			}
		}
	}
	int ret = setup_config(&setup, &config, err);

	if (ret == 0) {
		ret = world_run(&config, run, err);
	}
	return ret < 0 ? err_prefix(err, ret, "scenario %s", scenario->name) : 0;
}
