/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/comparison.h"
#include "report/rounded.h"
#include "report/wrapped.h"

#define CELL_MAX ROUNDED_TEXT_MAX

/* ---- what is compared ---- */

static void write_sentence(FILE *out, const char *text)
{
	fputs("  ", out);
	wrapped_write(out, 2, 2, text);
}

static void write_set(FILE *out, char name, const struct comparison_set *set)
{
	const struct comparison_condition *const condition = set->condition;
	char text[2 * COALESCE_TEXT_MAX + 128];

	snprintf(text, sizeof(text), "%s%s; %s%s; %u run%s%s", condition[COMPARISON_SUBJECT].value,
		 condition[COMPARISON_SUBJECT].varies ? " and others" : "",
		 condition[COMPARISON_SETTINGS].value[0] ? condition[COMPARISON_SETTINGS].value : "no settings",
		 condition[COMPARISON_SETTINGS].varies ? " and OTHER SETTINGS" : "", set->runs,
		 set->runs == 1 ? "" : "s", set->models && set->measured ? ", of MODELS AND MEASURED mixed" : "");
	fprintf(out, "%c  ", name);
	wrapped_write(out, 3, 3, text);
}

static void write_doubts(FILE *out, char name, const struct comparison_set *set)
{
	char text[160];

	if (set->tainted) {
		snprintf(text, sizeof(text), "%c has %u tainted run%s: holdoff runs show tells why", name, set->tainted,
			 set->tainted == 1 ? "" : "s");
		write_sentence(out, text);
	}
	if (set->left_out) {
		snprintf(text, sizeof(text), "%c has %u incomplete run%s, left out", name, set->left_out,
			 set->left_out == 1 ? "" : "s");
		write_sentence(out, text);
	}
	if (set->again) {
		snprintf(text, sizeof(text), "%c has a model that gave the same figures again %u time%s, counted once",
			 name, set->again, set->again == 1 ? "" : "s");
		write_sentence(out, text);
	}
}

/* Subject and settings stand above. */
static void write_other_conditions(FILE *out, const struct comparison *comparison)
{
	for (unsigned i = 0; i < COMPARISON_CONDITIONS; i++) {
		const struct comparison_condition *const a = &comparison->set[0].condition[i];
		const struct comparison_condition *const b = &comparison->set[1].condition[i];

		if (i == COMPARISON_SUBJECT || i == COMPARISON_SETTINGS) {
			continue;
		}
		if (strcmp(a->value, b->value) != 0 || a->varies || b->varies) {
			fprintf(out, "  also different: %s: %s%s / %s%s\n", comparison_condition_names[i],
				a->value[0] ? a->value : "not known", a->varies ? " and others" : "",
				b->value[0] ? b->value : "not known", b->varies ? " and others" : "");
		}
	}
}

/* ---- figures ---- */

/* " (+153.7 %)", or nothing where a is 0. */
static void print_share(int64_t a, int64_t difference, char cell[CELL_MAX])
{
	cell[0] = '\0';
	if (a > 0 && difference < INT64_MAX / 2000 && difference > INT64_MIN / 2000) {
		const int64_t permille = (2000 * difference / a + (difference < 0 ? -1 : 1)) / 2;

		snprintf(cell, CELL_MAX, " (%s%" PRId64 ".%d %%)", difference < 0 ? "-" : "+",
			 (permille < 0 ? -permille : permille) / 10, (int)((permille < 0 ? -permille : permille) % 10));
	}
}

static void print_p(uint32_t p_ppm, char cell[CELL_MAX])
{
	if (p_ppm < 1000) {
		snprintf(cell, CELL_MAX, "p < 0.001");
	} else {
		snprintf(cell, CELL_MAX, "p = 0.%03u", p_ppm < 1000000 ? (p_ppm + 999) / 1000 : 999);
	}
	if (p_ppm > 999000) {
		snprintf(cell, CELL_MAX, "p = 1");
	}
}

static void write_words(FILE *out, const struct comparison_group *group, unsigned row)
{
	const char *const verdict = comparison_verdict(group, row);
	const struct difference *const difference = &group->difference[row];
	char share[CELL_MAX], p[CELL_MAX];

	print_share(difference->a.median, difference->median, share);
	print_p(group->adjusted_p_ppm[row], p);
	if (strcmp(verdict, "no_interval") == 0) {
		fprintf(out, "  no interval%s\n", share);
	} else if (strcmp(verdict, "no_significant_difference") == 0) {
		fprintf(out, "  no significant difference, %s\n", p);
	} else {
		fprintf(out, "  %s%s, %s\n", verdict, share, p);
	}
}

static void write_row(FILE *out, const struct comparison_group *group, unsigned row)
{
	const struct difference *const difference = &group->difference[row];
	const struct figure *const figure = comparison_figure(row);
	char name[64], a[CELL_MAX] = "-", b[CELL_MAX] = "-", median[CELL_MAX] = "", interval[2 * CELL_MAX + 8] = "",
		       effect[CELL_MAX] = "";
	const bool has_both = group->has_values[0][row] && group->has_values[1][row];

	snprintf(name, sizeof(name), "%s %s", figure->name, figure->unit);
	if (group->has_values[0][row]) {
		rounded_print(difference->a.median, false, a);
	}
	if (group->has_values[1][row]) {
		rounded_print(difference->b.median, false, b);
	}
	if (has_both) {
		rounded_print(difference->median, true, median);
	}
	if (has_both && difference->has_interval) {
		snprintf(effect, sizeof(effect), "%s%d.%02d", difference->delta_ppm < 0 ? "-" : "+",
			 abs(difference->delta_ppm) / 1000000, abs(difference->delta_ppm) / 10000 % 100);
	}
	if (has_both && difference->has_interval) {
		char low[CELL_MAX], high[CELL_MAX];

		rounded_print(difference->low, true, low);
		rounded_print(difference->high, true, high);
		snprintf(interval, sizeof(interval), "%s to %s", low, high);
	}
	fprintf(out, "  %-16s %10s %10s %10s  %22s %7s", name, a, b, median, interval, effect);
	if (has_both) {
		write_words(out, group, row);
	} else {
		fputs("  not observed in both\n", out);
	}
}

static const char *unit_words(const struct comparison_values *values, enum comparison_unit unit)
{
	if (unit == COMPARISON_REPEATS) {
		return values->runs == 1 ? "repeats of one run" : "repeats of its runs";
	}
	return values->runs == 1 ? "run" : "runs";
}

static unsigned most_values(const struct comparison_group *group, unsigned set)
{
	unsigned most = 0;

	for (unsigned row = 0; row < COMPARISON_FIGURES; row++) {
		const unsigned count = group->unit[set] == COMPARISON_REPEATS ? group->set[set].repeats[row]
									      : group->set[set].count[row];

		most = count > most ? count : most;
	}
	return most;
}

/* What the numbers of runs and repeats leave open. */
static void write_limits(FILE *out, const struct comparison_group *group)
{
	const unsigned a = most_values(group, 0), b = most_values(group, 1);
	const bool has_one_each = a == 1 && b == 1;

	if (has_one_each) {
		write_sentence(out,
			       "One run each: what differs cannot be told from chance. Measured again, with several "
			       "repeats, it can; a model needs other seeds.");
	} else if (a < INTERVAL_VALUES_MIN || b < INTERVAL_VALUES_MIN) {
		write_sentence(out, "Six observations of each are the fewest that have an interval: more runs, or "
				    "--unit repeats where runs have some.");
	} else if (group->unit[0] == COMPARISON_REPEATS || group->unit[1] == COMPARISON_REPEATS) {
		write_sentence(out,
			       "Repeats tell how one run differs within itself. What differs from one run to the next "
			       "(boot, placement, temperature) is not in the intervals.");
	}
}

static void write_group(FILE *out, const struct comparison_group *group)
{
	if (!group->set[0].runs || !group->set[1].runs) {
		fprintf(out, "\n%s: only %s has it\n", group->workload, group->set[0].runs ? "A" : "B");
		return;
	}
	fprintf(out, "\n%s: %u %s and %u %s\n", group->workload, most_values(group, 0),
		unit_words(&group->set[0], group->unit[0]), most_values(group, 1),
		unit_words(&group->set[1], group->unit[1]));
	fprintf(out, "  %-16s %10s %10s %10s  %22s %7s\n", "", "A", "B", "B - A", "95 % interval", "effect");
	for (unsigned row = 0; row < COMPARISON_FIGURES; row++) {
		if (comparison_verdict(group, row)) {
			write_row(out, group, row);
		}
	}
	write_limits(out, group);
}

static void write_method(FILE *out, const struct comparison *comparison)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "A and B are medians. The interval is from the exact order-statistics intervals of both, whatever "
		 "their "
		 "spreads; p is the exact rank sum test's, adjusted for %u figures by Holm's method: where nothing "
		 "differs, "
		 "anything is called higher or lower in at most 5 %% of such tables. The effect is Cliff's delta, -1 "
		 "to +1.",
		 comparison->questions);
	putc('\n', out);
	wrapped_write(out, 0, 0, text);
}

int comparison_text_write(const struct comparison *comparison, FILE *out)
{
	write_set(out, 'A', &comparison->set[0]);
	write_set(out, 'B', &comparison->set[1]);
	write_other_conditions(out, comparison);
	write_doubts(out, 'A', &comparison->set[0]);
	write_doubts(out, 'B', &comparison->set[1]);
	for (unsigned i = 0; i < comparison->group_count; i++) {
		write_group(out, &comparison->group[i]);
	}
	if (comparison->groups_left_out) {
		fprintf(out, "\n%u runs of further workloads are left out: --filter workload=...\n",
			comparison->groups_left_out);
	}
	if (comparison->questions) {
		write_method(out, comparison);
	}
	return ferror(out) ? -EIO : 0;
}
