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

/* "rtt-p99 101 us (100 to 103)" */
static void add_value(char *buffer, const struct tuning *tuning, uint32_t cell, unsigned axis)
{
	const struct front_value *const value = &tuning->point[cell].axis[axis];
	const struct figure *const figure = tuning->grid.figure[axis];
	char text[3][ROUNDED_TEXT_MAX];

	if (!value->is_known) {
		add(buffer, "%s not observed", figure->name);
		return;
	}
	add(buffer, "%s %s%s%s", figure->name, rounded_print(value->value.median, false, text[0]),
	    figure->unit[0] ? " " : "", figure->unit);
	if (value->has_interval && value->value.low != value->value.high) {
		add(buffer, " (%s to %s)", rounded_print(value->value.low, false, text[1]),
		    rounded_print(value->value.high, false, text[2]));
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

static void add_objective(char *buffer, const struct tuning *tuning)
{
	add(buffer, "%s %s", tuning->more_is_better ? "most" : "least",
	    tuning->grid.figure[tuning->objective_axis]->name);
}

static void add_pick(char *buffer, const struct tune_page *page, const struct tuning *tuning)
{
	char text[COALESCE_TEXT_MAX];

	add(buffer, "Take %s: ", words(tuning, tuning->pick, text));
	if (tuning->objective_axis == TUNING_NONE) {
		add(buffer, "there the front of latency and CPU time bends most. With --goal or --minimise the pick is "
			    "for a reason of your own.");
		return;
	}
	if (page->goal[0]) {
		add(buffer, "of those that %smeet \"%s\" it has the ",
		    tuning->verdict == TUNING_PICKED_BY_MEDIAN ? "by their medians " : "surely ", page->goal);
	} else {
		add(buffer, "it has the ");
	}
	add_objective(buffer, tuning);
	add(buffer, ", ");
	add_value(buffer, tuning, tuning->pick, tuning->objective_axis);
	if (tuning->equals) {
		add(buffer, "; of %u that cannot be told apart in that it is the one with the least latency",
		    tuning->equals + 1);
	}
	if (page->goal[0]) {
		add(buffer, "; ");
		add_limited(buffer, tuning, tuning->pick);
	}
	add(buffer, ".");
	if (tuning->verdict == TUNING_PICKED_BY_MEDIAN) {
		add(buffer, " No setting meets it with its whole interval%s.",
		    tuning->point[tuning->pick].axis[tuning->objective_axis].has_interval
			    ? ": more runs may turn it round"
			    : ", as there are fewer than six different runs of a setting");
	}
}

static void add_indifferent(char *buffer, const struct tune_page *page, const struct tuning *tuning)
{
	add(buffer, "Do not bother: over all %u settings ", tuning->grid.count);
	if (tuning->objective_axis == TUNING_NONE) {
		add(buffer, "neither latency nor CPU time");
	} else {
		add(buffer, "%s", tuning->grid.figure[tuning->objective_axis]->name);
		for (unsigned i = 0; i < tuning->question.goal.count; i++) {
			if (tuning->limit_axis[i] != tuning->objective_axis) {
				add(buffer, " and %s", tuning->grid.figure[tuning->limit_axis[i]]->name);
			}
		}
	}
	add(buffer, " stays within 5 %%%s.%s", page->goal[0] ? ", and all of them meet the goal" : "",
	    tuning->today == TUNING_NONE ? "" : " Leave it as it is.");
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

char *tune_regime(const struct tuning *tuning, char buffer[TUNE_SENTENCE_MAX])
{
	buffer[0] = '\0';
	switch (tuning->regime) {
	case TUNING_REGIME_NOT_KNOWN:
		break;
	case TUNING_EACH_FRAME:
		add(buffer,
		    "Each frame has an interrupt of its own at every setting: waiting gathers nothing, it only adds "
		    "latency.");
		break;
	case TUNING_BETWEEN:
		add(buffer, "Interrupts gather frames: the setting trades latency for CPU time.");
		break;
	case TUNING_POLLING:
		add(buffer,
		    "NAPI polls without interrupts at every setting: there is none to be held off, and the setting "
		    "makes no difference.");
		break;
	}
	if (tuning->regime == TUNING_BETWEEN && tuning->matter[TUNING_CPU] == TUNING_MATTERS_NOT) {
		buffer[0] = '\0';
		add(buffer, "Interrupts gather frames, but CPU time is the same at every setting, within 5 %% or one "
			    "percentage point.");
	}
	return buffer;
}

char *tune_elsewhere(const struct tune_page *page, const struct tuning *other, char buffer[TUNE_SENTENCE_MAX])
{
	const struct tuning *const picking = page->tuning[page->picking];
	char text[COALESCE_TEXT_MAX];

	buffer[0] = '\0';
	if (picking->pick == TUNING_NONE || !picking->question.goal.count) {
		return buffer;
	}
	const uint32_t cell = tuning_find(other, &picking->grid.cell[picking->pick]);

	words(picking, picking->pick, text);
	if (cell == TUNING_NONE) {
		add(buffer, "%s was not run with it.", text);
		return buffer;
	}
	switch (tuning_answer(other, cell)) {
	case GOAL_NOT_KNOWN:
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
	struct coalesce settings = cell->settings;
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
	return buffer;
}
