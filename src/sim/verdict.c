/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What became of an expectation: the figure that was got, the verdict, and both for people.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/wide.h"
#include "sim/scenario.h"

static const char *const kind_names[] = {
	[SCENARIO_FIT] = "fit",
	[SCENARIO_PREDICT] = "predict",
	[SCENARIO_REPORT] = "report",
	[SCENARIO_CLAIM] = "claim",
};
static const char *const verdict_names[] = {
	[SCENARIO_OK] = "ok",
	[SCENARIO_MISS] = "MISS",
	[SCENARIO_KNOWN_MISS] = "known miss",
	[SCENARIO_CHANGED] = "CHANGED",
	[SCENARIO_REPORTED] = "report",
	[SCENARIO_CLAIM_TRUE] = "claim is true",
	[SCENARIO_CLAIM_FALSE] = "claim is false",
};
static_assert(sizeof(verdict_names) / sizeof(verdict_names[0]) == SCENARIO_VERDICTS, "a name for each verdict");

const char *scenario_unit(const struct scenario_expect *expect)
{
	return expect->compare == SCENARIO_RATIO ? "" : expect->figure->unit;
}

bool scenario_got(const struct scenario_expect *expect, const struct run *run, const struct run *other, int64_t *got)
{
	int64_t value, base;

	if (!expect->figure->read(run, expect->figure, &value)) {
		return false;
	}
	if (expect->compare == SCENARIO_ALONE) {
		*got = value;
		return true;
	}
	if (!other || !expect->figure->read(other, expect->figure, &base)) {
		return false;
	}
	if (expect->compare == SCENARIO_DIFF) {
		*got = value - base;
		return true;
	}
	if (value < 0 || base <= 0) {
		return false;
	}
	const uint64_t ratio = run_milli((uint64_t)value, (uint64_t)base);

	*got = ratio > INT64_MAX ? INT64_MAX : (int64_t)ratio;
	return true;
}

bool scenario_in_band(const struct scenario_expect *expect, int64_t got)
{
	return (!expect->has_low || got >= expect->low) && (!expect->has_high || got <= expect->high);
}

static uint64_t distance(int64_t a, int64_t b)
{
	return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

/* Within half a percent of what was recorded. */
static bool is_recorded_miss(const struct scenario_expect *expect, int64_t got)
{
	return distance(got, expect->known_miss) <= distance(expect->known_miss, 0) / 200;
}

enum scenario_verdict scenario_judge(const struct scenario_expect *expect, bool is_observed, int64_t got)
{
	if (expect->kind == SCENARIO_REPORT) {
		return SCENARIO_REPORTED;
	}
	if (expect->kind == SCENARIO_CLAIM) {
		return is_observed && scenario_in_band(expect, got) ? SCENARIO_CLAIM_TRUE : SCENARIO_CLAIM_FALSE;
	}
	if (expect->has_known_miss) {
		return is_observed && is_recorded_miss(expect, got) ? SCENARIO_KNOWN_MISS : SCENARIO_CHANGED;
	}
	return is_observed && scenario_in_band(expect, got) ? SCENARIO_OK : SCENARIO_MISS;
}

bool scenario_error(const struct scenario_expect *expect, int64_t got, int64_t *milli_percent)
{
	if (!expect->has_value || expect->value == 0) {
		return false;
	}
	const uint64_t size = distance(expect->value, 0);
	const int64_t error = (int64_t)wide_scale_to_nearest(distance(got, expect->value), 100000, size);

	*milli_percent = got < expect->value ? -error : error;
	return true;
}

const char *scenario_kind_name(enum scenario_kind kind)
{
	return kind_names[kind];
}

const char *scenario_verdict_name(enum scenario_verdict verdict)
{
	return verdict_names[verdict];
}

/* The number without its unit where another with the unit follows. */
static char *number(int64_t thousandths, char buffer[FIGURE_TEXT_MAX])
{
	return figure_print(thousandths, "", buffer);
}

char *scenario_print_expected(const struct scenario_expect *expect, char buffer[SCENARIO_EXPECTED_MAX])
{
	const char *unit = scenario_unit(expect);
	char first[FIGURE_TEXT_MAX], second[FIGURE_TEXT_MAX];

	if (expect->has_tolerance) {
		snprintf(buffer, SCENARIO_EXPECTED_MAX, "%s +/- %s", figure_print(expect->value, unit, first),
			 figure_print(expect->tolerance, "%", second));
	} else if (expect->has_low && expect->has_high) {
		snprintf(buffer, SCENARIO_EXPECTED_MAX, "%s .. %s", number(expect->low, first),
			 figure_print(expect->high, unit, second));
	} else if (expect->has_low || expect->has_high) {
		snprintf(buffer, SCENARIO_EXPECTED_MAX, "%s %s", expect->has_low ? "at least" : "at most",
			 figure_print(expect->has_low ? expect->low : expect->high, unit, first));
	} else if (expect->has_value) {
		snprintf(buffer, SCENARIO_EXPECTED_MAX, "%s", figure_print(expect->value, unit, first));
	} else {
		snprintf(buffer, SCENARIO_EXPECTED_MAX, "not published");
	}
	return buffer;
}

/* A choice bears on a board when it begins with the name of its driver: fec-..., tsnep-..., r8169-... */
static bool bears_on(const char *assume, const struct end_config *end)
{
	const char *driver = end->driver[0] ? end->driver : end->board.driver;
	const size_t length = strcspn(driver, "@");

	return !end->ideal && strncmp(assume, driver, length) == 0 && assume[length] == '-';
}

char *scenario_print_assumes(const struct setup *setup, char *buffer, size_t size)
{
	struct world_config config;
	size_t used = 0;

	snprintf(buffer, size, "none");
	if (setup_config(setup, &config, NULL) < 0) {
		return buffer;
	}
	for (unsigned i = 0; i < ASSUME_COUNT && used < size; i++) {
		const char *name = assume_infos[i].name;
		const bool of_peer = !bears_on(name, &config.end[0]);

		if (of_peer && !bears_on(name, &config.end[1])) {
			continue;
		}
		used += (size_t)snprintf(buffer + used, size - used, "%s%s=%" PRId64, used ? " " : "", name,
					 config.end[of_peer].board.assume.value[i]);
	}
	return buffer;
}
