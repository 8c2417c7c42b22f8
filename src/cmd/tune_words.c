/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What holdoff tune says: sentences and names. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "cmd/tune.h"
#include "report/rounded.h"

const char *tune_verdict_name(enum tuning_verdict verdict)
{
	static const char *const names[] = {
		[TUNING_PICKED] = "picked",
		[TUNING_PICKED_BY_MEDIAN] = "picked_by_median",
		[TUNING_INDIFFERENT] = "does_not_matter",
		[TUNING_ONE_SETTING] = "one_setting",
		[TUNING_NO_KNEE] = "no_knee",
		[TUNING_UNMET] = "unmet",
		[TUNING_UNOBSERVED] = "unobserved",
	};

	return names[verdict];
}

const char *tune_regime_name(enum tuning_regime regime)
{
	static const char *const names[] = { [TUNING_REGIME_NOT_KNOWN] = NULL,
					     [TUNING_EACH_FRAME] = "each_frame",
					     [TUNING_BETWEEN] = "between",
					     [TUNING_POLLING] = "polling" };

	return names[regime];
}

const char *tune_matter_name(enum tuning_matter matter)
{
	static const char *const names[] = { [TUNING_NOT_KNOWN] = "not_known",
					     [TUNING_MATTERS] = "matters",
					     [TUNING_MATTERS_NOT] = "does_not_matter",
					     [TUNING_CANNOT_TELL] = "cannot_tell" };

	return names[matter];
}

const char *tune_place_name(enum front_place place)
{
	static const char *const names[] = { [FRONT_LEFT_OUT] = "left_out",
					     [FRONT_ON] = "front",
					     [FRONT_UNSURE] = "unsure",
					     [FRONT_BEHIND] = "behind" };

	return names[place];
}

const char *tune_answer_name(enum goal_answer answer)
{
	static const char *const names[] = { [GOAL_NOT_KNOWN] = "not_known",
					     [GOAL_MISSED] = "missed",
					     [GOAL_RATHER_MISSED] = "missed_by_median",
					     [GOAL_RATHER_MET] = "met_by_median",
					     [GOAL_MET] = "met" };

	return names[answer];
}

/* Appends, as far as there is room. */
static void __attribute__((format(printf, 2, 3))) add(char *buffer, const char *format, ...)
{
	const size_t length = strlen(buffer);
	va_list list;

	va_start(list, format);
	vsnprintf(buffer + length, TUNE_SENTENCE_MAX - length, format, list);
	va_end(list);
}

static const char *words(const struct tuning *tuning, uint32_t cell, char text[COALESCE_TEXT_MAX])
{
	return grid_cell_print(&tuning->grid, &tuning->grid.cell[cell], text);
}

/* "101 us (100 to 103)" */
static void add_number(char *buffer, const struct tuning *tuning, uint32_t cell, unsigned axis)
{
	const struct front_value *const value = &tuning->point[cell].axis[axis];
	const char *const unit = tuning->grid.figure[axis]->unit;
	char text[3][ROUNDED_TEXT_MAX];

	add(buffer, "%s%s%s", rounded_print(value->value.median, false, text[0]), unit[0] ? " " : "", unit);
	if (value->has_interval && value->value.low != value->value.high) {
		add(buffer, " (%s to %s)", rounded_print(value->value.low, false, text[1]),
		    rounded_print(value->value.high, false, text[2]));
	}
}

/* "rtt-p99 101 us (100 to 103)" */
static void add_value(char *buffer, const struct tuning *tuning, uint32_t cell, unsigned axis)
{
	add(buffer, "%s ", tuning->grid.figure[axis]->name);
	if (tuning->point[cell].axis[axis].is_known) {
		add_number(buffer, tuning, cell, axis);
	} else {
		add(buffer, "not observed");
	}
}

/* The figures that the goal limits. */
static void add_limited(char *buffer, const struct tuning *tuning, uint32_t cell)
{
	for (unsigned i = 0; i < tuning->question.goal.count; i++) {
		add(buffer, i ? ", " : "");
		add_value(buffer, tuning, cell, tuning->limit_axis[i]);
	}
}

/* The figures that the front is of. */
static void add_told(char *buffer, const struct tuning *tuning, uint32_t cell)
{
	for (unsigned i = 0; i < tuning->front_axes; i++) {
		add(buffer, i ? ", " : "");
		add_value(buffer, tuning, cell, tuning->front_axis[i]);
	}
}

/* "least cpu-busy, 24.7 %; rtt-p99 101 us": the objective, and what else the goal limits. */
static void add_reason(char *buffer, const struct tuning *tuning)
{
	add(buffer, "%s %s%s, ", tuning->more_is_better ? "most" : "least",
	    tuning->grid.figure[tuning->objective_axis]->name, tuning->equals ? ", as far as that can be told" : "");
	add_number(buffer, tuning, tuning->pick, tuning->objective_axis);
	for (unsigned i = 0; i < tuning->question.goal.count; i++) {
		if (tuning->limit_axis[i] != tuning->objective_axis) {
			add(buffer, "; ");
			add_value(buffer, tuning, tuning->pick, tuning->limit_axis[i]);
		}
	}
}

/* Nothing was asked for. */
static void add_unasked(char *buffer, const struct tuning *tuning)
{
	if (tuning->pick == tuning->knee) {
		add(buffer, "there the front of latency and CPU time bends most. With --goal or --minimise the pick is "
			    "for a reason of your own.");
		return;
	}
	add(buffer, "no other is better in ");
	for (unsigned i = 0; i < tuning->front_axes; i++) {
		add(buffer, "%s%s", i ? " or " : "", tuning->grid.figure[tuning->front_axis[i]]->name);
	}
	add(buffer, ", by the medians%s.",
	    tuning->front_axes < tuning->told_axes ? ", and nothing else depends on it" : "");
}

static void add_pick(char *buffer, const struct tune_page *page, const struct tuning *tuning)
{
	char text[COALESCE_TEXT_MAX];

	add(buffer, "Take %s: ", words(tuning, tuning->pick, text));
	if (tuning->objective_axis == TUNING_NONE) {
		add_unasked(buffer, tuning);
		return;
	}
	if (page->goal[0]) {
		add(buffer, "of those that %smeet \"%s\" it has the ",
		    tuning->verdict == TUNING_PICKED_BY_MEDIAN ? "by their medians " : "surely ", page->goal);
	} else {
		add(buffer, "it has the ");
	}
	add_reason(buffer, tuning);
	if (tuning->equals) {
		add(buffer, "; of %u settings that are as good in that it is %s", tuning->equals + 1,
		    tuning->pick == tuning->beside[TUNING_TODAY].cell ? "what it is set to"
								      : "the one with the least latency");
	}
	add(buffer, ".");
	if (tuning->verdict == TUNING_PICKED_BY_MEDIAN) {
		add(buffer, " No setting meets it with its whole interval%s.",
		    tuning->point[tuning->pick].axis[tuning->objective_axis].has_interval
			    ? ": more runs may turn it round"
			    : ": fewer than six runs of a setting have no interval");
	}
}

static void add_indifferent(char *buffer, const struct tune_page *page, const struct tuning *tuning)
{
	unsigned count = 1;

	add(buffer, "Do not bother: ");
	if (tuning->objective_axis == TUNING_NONE) {
		add(buffer, "latency and CPU time");
		count = 2;
	} else {
		add(buffer, "%s", tuning->grid.figure[tuning->objective_axis]->name);
		for (unsigned i = 0; i < tuning->question.goal.count; i++) {
			if (tuning->limit_axis[i] != tuning->objective_axis) {
				add(buffer, " and %s", tuning->grid.figure[tuning->limit_axis[i]]->name);
				count++;
			}
		}
	}
	add(buffer, " %s the same at all %u settings, within 5 %%, or 1 us or one percentage point%s.%s",
	    count > 1 ? "are" : "is", tuning->grid.count, page->goal[0] ? ", and all of them meet the goal" : "",
	    tuning->beside[TUNING_TODAY].cell == TUNING_NONE ? "" : " Leave it as it is.");
}

char *tune_verdict(const struct tune_page *page, char buffer[TUNE_SENTENCE_MAX])
{
	const struct tuning *const tuning = page->tuning[page->picking];
	char text[COALESCE_TEXT_MAX];

	buffer[0] = '\0';
	switch (tuning->verdict) {
	case TUNING_PICKED:
	case TUNING_PICKED_BY_MEDIAN:
		add_pick(buffer, page, tuning);
		break;
	case TUNING_INDIFFERENT:
		add_indifferent(buffer, page, tuning);
		break;
	case TUNING_ONE_SETTING:
		add(buffer,
		    "There is one setting only%s: nothing to choose from. Sweep several, as in rx-usecs=0,50,100.",
		    page->goal[0] ? ", which meets the goal" : "");
		break;
	case TUNING_NO_KNEE:
		add(buffer, "The front has no bend to choose by: say with --goal or --minimise what you want.");
		break;
	case TUNING_UNMET:
		add(buffer, "No setting meets \"%s\". Nearest to it is %s: ", page->goal,
		    words(tuning, tuning->nearest, text));
		add_limited(buffer, tuning, tuning->nearest);
		add(buffer, ".");
		break;
	case TUNING_UNOBSERVED:
		add(buffer, "What is asked for was not observed in any complete run of a workload here%s%s%s.",
		    page->goal[0] ? ": \"" : "", page->goal, page->goal[0] ? "\"" : "");
		break;
	}
	return buffer;
}

static bool matters(const struct tuning *tuning)
{
	bool is_any = false;

	for (unsigned axis = 0; axis < TUNING_TOLD; axis++) {
		is_any |= tuning->matter[axis] == TUNING_MATTERS;
	}
	return is_any;
}

/* Some settings may leave each frame its interrupt, or none at all. */
static void add_between(char *buffer, const struct tuning *tuning)
{
	unsigned count[TUNING_POLLING + 1] = { 0 };

	for (uint32_t i = 0; i < tuning->grid.count; i++) {
		count[tuning_regime_of(tuning, i)]++;
	}
	add(buffer, "Interrupts gather frames");
	if (count[TUNING_BETWEEN] < tuning->grid.count) {
		add(buffer, " at %u of %u settings", count[TUNING_BETWEEN], tuning->grid.count);
	}
	if (count[TUNING_EACH_FRAME]) {
		add(buffer, "; at %u each frame has one of its own", count[TUNING_EACH_FRAME]);
	}
	if (count[TUNING_POLLING]) {
		add(buffer, "; at %u NAPI polls without any", count[TUNING_POLLING]);
	}
	if (tuning->matter[TUNING_CPU] == TUNING_MATTERS && tuning->matter[TUNING_LATENCY] == TUNING_MATTERS) {
		add(buffer, ": the setting trades latency for CPU time.");
	} else if (tuning->matter[TUNING_CPU] == TUNING_MATTERS) {
		add(buffer, ": the setting saves CPU time.");
	} else if (tuning->matter[TUNING_CPU] == TUNING_MATTERS_NOT) {
		add(buffer, ", but it saves no CPU time worth telling.");
	} else {
		add(buffer, ".");
	}
}

char *tune_regime(const struct tuning *tuning, char buffer[TUNE_SENTENCE_MAX])
{
	buffer[0] = '\0';
	switch (tuning->regime) {
	case TUNING_REGIME_NOT_KNOWN:
		break;
	case TUNING_EACH_FRAME:
		add(buffer, "Each frame %shas an interrupt of its own at every setting: waiting gathers nothing%s.",
		    tuning->is_sent ? "that is sent " : "", tuning->is_sent ? "" : ", it only adds latency");
		break;
	case TUNING_BETWEEN:
		add_between(buffer, tuning);
		break;
	case TUNING_POLLING:
		add(buffer, "NAPI polls without interrupts at every setting: there is none to be held off%s.",
		    matters(tuning) ? "; that figures differ all the same is no effect of the wait itself"
				    : ", and the setting makes no difference");
		break;
	}
	return buffer;
}

/* Without a goal nothing can break, but another setting may be better. */
static void add_place(char *buffer, const struct tuning *tuning, uint32_t cell)
{
	const struct front_point *const point = &tuning->point[cell];
	char text[COALESCE_TEXT_MAX];

	words(tuning, cell, text);
	switch (point->place) {
	case FRONT_LEFT_OUT:
		break;
	case FRONT_ON:
		add(buffer, "%s is on the front here too.", text);
		break;
	case FRONT_UNSURE:
		add(buffer, "%s cannot be told from the front here.", text);
		break;
	case FRONT_BEHIND:
		add(buffer, "%s is NOT GOOD here, ", text);
		add_told(buffer, tuning, cell);
		add(buffer, ": %s has ", words(tuning, point->beaten_by, text));
		add_told(buffer, tuning, point->beaten_by);
		add(buffer, ".");
		break;
	}
}

char *tune_elsewhere(const struct tune_page *page, const struct tuning *other, char buffer[TUNE_SENTENCE_MAX])
{
	const struct tuning *const picking = page->tuning[page->picking];
	char text[COALESCE_TEXT_MAX];

	buffer[0] = '\0';
	if (picking->pick == TUNING_NONE) {
		return buffer;
	}
	const uint32_t cell = tuning_find(other, &picking->grid.cell[picking->pick]);

	words(picking, picking->pick, text);
	if (cell == TUNING_NONE) {
		add(buffer, "%s was not run with it.", text);
		return buffer;
	}
	if (!picking->question.goal.count) {
		add_place(buffer, other, cell);
		return buffer;
	}
	switch (tuning_answer(other, cell)) {
	case GOAL_NOT_KNOWN:
		add(buffer, "Whether %s meets the goal here is not known: ", text);
		add_limited(buffer, other, cell);
		add(buffer, ".");
		break;
	case GOAL_MISSED:
	case GOAL_RATHER_MISSED:
		add(buffer, "BREAKS: %s %smisses the goal here, ", text,
		    tuning_answer(other, cell) == GOAL_MISSED ? "" : "by its median ");
		add_limited(buffer, other, cell);
		add(buffer, ".");
		break;
	case GOAL_RATHER_MET:
	case GOAL_MET:
		add(buffer, "%s meets the goal here too, ", text);
		add_limited(buffer, other, cell);
		add(buffer, ".");
		break;
	}
	return buffer;
}

char *tune_command(const struct tune_page *page, const struct grid_cell *cell, char buffer[TUNE_SENTENCE_MAX])
{
	const struct tuning *const tuning = page->tuning[page->picking];
	const char *const device = tuning->grid.source == RUN_MODEL ? "DEV" : page->target;
	struct coalesce settings = cell->settings, peer = cell->peer;
	char text[COALESCE_TEXT_MAX];

	buffer[0] = '\0';
	settings.present &= tuning->grid.varied;
	if (settings.present) {
		add(buffer, "ethtool -C %s %s", device, coalesce_print(&settings, text));
	}
	if (tuning->grid.varies_deferral) {
		add(buffer, "%sholdoff set %s gro-flush-timeout %" PRId64 " defer-hard-irqs %" PRIu32,
		    buffer[0] ? "; " : "", device, cell->gro_flush_timeout_ns, cell->defer_hard_irqs);
	}
	peer.present &= tuning->grid.peer_varied;
	if (peer.present) {
		add(buffer, "%sat the other end: ethtool -C DEV %s", buffer[0] ? "; " : "",
		    coalesce_print(&peer, text));
	}
	return buffer;
}

char *tune_differences(const struct tuning *tuning, const struct tuning_beside *beside, bool is_reversed,
		       char buffer[TUNE_SENTENCE_MAX])
{
	buffer[0] = '\0';
	for (unsigned i = 0; i < tuning->told_axes; i++) {
		const enum tuning_axis axis = tuning->told_axis[i];
		const struct difference *const difference = &beside->difference[axis];
		const struct figure *const figure = tuning->grid.figure[axis];
		const int64_t low = is_reversed ? -difference->high : difference->low;
		const int64_t high = is_reversed ? -difference->low : difference->high;
		char text[3][ROUNDED_TEXT_MAX];

		add(buffer, "%s%s %s %s", i ? "; " : "", figure->name,
		    rounded_print(is_reversed ? -difference->median : difference->median, true, text[0]), figure->unit);
		if (difference->has_interval && low < high) {
			add(buffer, " (%s to %s)", rounded_print(low, true, text[1]),
			    rounded_print(high, true, text[2]));
		}
		if (difference->has_interval && !difference_is_significant(difference, beside->adjusted_p_ppm[axis])) {
			add(buffer, ", not significant");
		}
	}
	return buffer;
}

char *tune_samples(const struct tuning *tuning, char buffer[TUNE_SENTENCE_MAX])
{
	const char *const name = tuning->grid.figure[TUNING_LATENCY]->name;
	uint64_t least = UINT64_MAX;

	buffer[0] = '\0';
	for (uint32_t i = 0; i < tuning->grid.count; i++) {
		const uint64_t samples = tuning->grid.cell[i].least_samples[TUNING_LATENCY];

		least = samples && samples < least ? samples : least;
	}
	if (least != UINT64_MAX) {
		add(buffer, "%s of %" PRIu64 " samples or more in each run%s", name, least,
		    strstr(name, "-p99") && least < 100 ? ", too few for a percentile" : "");
	}
	return buffer;
}
