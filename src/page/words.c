/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a page says in sentences: what there is, what the settings come to, and what cannot be told. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "page/page_private.h"
#include "report/rounded.h"

struct words {
	char text[PAGE_TEXT_MAX];
	size_t length;
};

static void put(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct words *words, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	const int added =
		vsnprintf(words->text + words->length, sizeof(words->text) - words->length, format, arguments);

	va_end(arguments);
	words->length += added > 0 ? (size_t)added : 0;
	words->length = words->length < sizeof(words->text) ? words->length : sizeof(words->text) - 1;
}

static const char *plural(unsigned count)
{
	return count == 1 ? "" : "s";
}

/* ---- of the page ---- */

static void say_runs(const struct page *page, page_say_fn *say, void *context)
{
	struct words words = { "", 0 };

	put(&words, "%u run%s", page->runs, plural(page->runs));
	if (page->models && page->measured) {
		put(&words, ": %u computed by a MODEL, %u measured", page->models, page->measured);
	} else {
		put(&words, page->models ? ", computed by a MODEL: nothing here was measured" : ", measured");
	}
	if (page->taken[0]) {
		put(&words, "; taken %s", page->taken);
	}
	say(context, words.text);
	if (page->incomplete) {
		words = (struct words){ "", 0 };
		put(&words, "%u that ended early %s left out", page->incomplete, page->incomplete == 1 ? "is" : "are");
		say(context, words.text);
	}
	if (page->again) {
		words = (struct words){ "", 0 };
		put(&words, "%u run%s of a model gave the same figures again and count%s once", page->again,
		    plural(page->again), page->again == 1 ? "s" : "");
		say(context, words.text);
	}
	if (page->left_out) {
		words = (struct words){ "", 0 };
		put(&words, "%u run%s found no room on this page: a filter makes it smaller", page->left_out,
		    plural(page->left_out));
		say(context, words.text);
	}
}

void page_say_all(const struct page *page, page_say_fn *say, void *context)
{
	unsigned tainted = 0;
	struct words words = { "", 0 };

	say_runs(page, say, context);
	for (unsigned i = 0; i < page->subject_count; i++) {
		tainted += page->subject[i].tainted;
	}
	if (tainted) {
		put(&words, "%u measured run%s tainted: the reasons stand with the conditions", tainted,
		    tainted == 1 ? " is" : "s are");
		say(context, words.text);
	}
}

/* ---- of a group ---- */

struct ends {
	unsigned least, most;
	unsigned known, with_interval;
	bool is_told_apart; /* the intervals of both ends are clear of each other */
};

static bool find_ends(const struct page_group *group, enum tuning_axis axis, struct ends *ends)
{
	*ends = (struct ends){ .least = PAGE_NO_CELL, .most = PAGE_NO_CELL };
	for (unsigned i = 0; i < group->tuning.grid.count; i++) {
		const struct front_value *const value = &group->tuning.point[i].axis[axis];

		if (!value->is_known) {
			continue;
		}
		ends->known++;
		ends->with_interval += value->has_interval;
		if (ends->least == PAGE_NO_CELL ||
		    value->value.median < group->tuning.point[ends->least].axis[axis].value.median) {
			ends->least = i;
		}
		if (ends->most == PAGE_NO_CELL ||
		    value->value.median > group->tuning.point[ends->most].axis[axis].value.median) {
			ends->most = i;
		}
	}
	if (ends->known == 0) {
		return false;
	}
	const struct front_value *const least = &group->tuning.point[ends->least].axis[axis],
					*const most = &group->tuning.point[ends->most].axis[axis];

	ends->is_told_apart = least->has_interval && most->has_interval && least->value.high < most->value.low;
	return true;
}

static void put_value(struct words *words, const struct page_group *group, unsigned cell, enum tuning_axis axis)
{
	char text[ROUNDED_TEXT_MAX];

	put(words, "%s %s", rounded_print(group->tuning.point[cell].axis[axis].value.median, false, text),
	    group->tuning.grid.figure[axis]->unit);
}

static void put_value_and_setting(struct words *words, const struct page_group *group, unsigned cell,
				  enum tuning_axis axis)
{
	char setting[PAGE_TEXT_MAX];

	put_value(words, group, cell, axis);
	if (axis == TUNING_LATENCY && page_cell(group, cell)->latency) {
		put(words, " (n = %" PRIu64 ", %.200s)", page_cell(group, cell)->latency->count,
		    page_setting(group, cell, setting));
	} else {
		put(words, " (%.200s)", page_setting(group, cell, setting));
	}
}

static const char *axis_name(const struct page_group *group, enum tuning_axis axis)
{
	switch (axis) {
	case TUNING_LATENCY:
		return group->latency == RUN_RTT ? "The 99th percentile of the round trip"
						 : "The 99th percentile one way";
	case TUNING_CPU:
		return page_cpu_is_share(group)
			       ? "CPU time, as a share of one CPU"
			       : "CPU time for each frame, as each waits for the reply to the last one";
	case TUNING_THROUGHPUT:
		return "Throughput";
	default:
		return "Interrupts";
	}
}

static bool read_alike(const struct page_group *group, enum tuning_axis axis, const struct ends *ends)
{
	char least[ROUNDED_TEXT_MAX], most[ROUNDED_TEXT_MAX];

	rounded_print(group->tuning.point[ends->least].axis[axis].value.median, false, least);
	rounded_print(group->tuning.point[ends->most].axis[axis].value.median, false, most);
	return strcmp(least, most) == 0;
}

/* What the range is worth. */
static void put_judgement(struct words *words, const struct page_group *group, enum tuning_axis axis,
			  const struct ends *ends)
{
	if (axis < TUNING_TOLD && group->tuning.matter[axis] == TUNING_MATTERS_NOT) {
		put(words, "; too little to matter");
	} else if (!ends->is_told_apart && ends->with_interval == ends->known) {
		put(words, "; the intervals of the two overlap: no significant difference");
	}
}

static void say_axis(const struct page_group *group, enum tuning_axis axis, page_say_fn *say, void *context)
{
	struct words words = { "", 0 };
	struct ends ends;

	if (!find_ends(group, axis, &ends)) {
		put(&words, "%s: not observed", axis_name(group, axis));
		say(context, words.text);
		return;
	}
	put(&words, "%s: ", axis_name(group, axis));
	if (ends.known == 1) {
		put_value_and_setting(&words, group, ends.least, axis);
	} else if (read_alike(group, axis, &ends)) {
		put_value(&words, group, ends.least, axis);
		put(&words, " at every setting");
	} else {
		put(&words, "from ");
		put_value_and_setting(&words, group, ends.least, axis);
		put(&words, " to ");
		put_value_and_setting(&words, group, ends.most, axis);
		put_judgement(&words, group, axis, &ends);
	}
	say(context, words.text);
}

/* Once for all figures. */
static void say_what_is_missing(const struct page_group *group, page_say_fn *say, void *context)
{
	struct ends ends;

	if (find_ends(group, TUNING_LATENCY, &ends) && ends.known > 1 && ends.with_interval < ends.known) {
		say(context,
		    group->tuning.grid.source == RUN_MODEL
			    ? "A model gives the same for the same seed: whether a difference is more than chance can "
			      "be told from six seeds on"
			    : "With fewer than six runs of a setting, whether a difference is chance cannot be told");
	}
}

static void say_regime(const struct page_group *group, page_say_fn *say, void *context)
{
	if (group->tuning.regime == TUNING_EACH_FRAME) {
		say(context, "At every setting each frame has an interrupt of its own: to wait for more frames saves "
			     "nothing here");
	} else if (group->tuning.regime == TUNING_POLLING) {
		say(context, "At every setting NAPI polls without interrupts: there are none to be held off");
	}
}

static unsigned count_place(const struct page_group *group, enum front_place place)
{
	unsigned count = 0;

	for (unsigned i = 0; i < group->tuning.grid.count; i++) {
		count += group->tuning.point[i].place == place;
	}
	return count;
}

static unsigned only_on_front(const struct page_group *group)
{
	unsigned cell = 0;

	while (cell + 1 < group->tuning.grid.count && group->tuning.point[cell].place != FRONT_ON) {
		cell++;
	}
	return cell;
}

static void say_knee(const struct page_group *group, page_say_fn *say, void *context)
{
	struct words words = { "", 0 };
	char setting[PAGE_TEXT_MAX];

	if (!page_has_knee(group)) {
		say(context, "The front does not bend: each step costs about what it brings, or there are too few "
			     "steps to tell");
		return;
	}
	put(&words, "It bends most at %.200s: ", page_setting(group, group->tuning.knee, setting));
	put_value(&words, group, group->tuning.knee, TUNING_LATENCY);
	put(&words, " for ");
	put_value(&words, group, group->tuning.knee, TUNING_CPU);
	put(&words, page_cpu_is_share(group) ? " of a CPU" : " of CPU time for each frame");
	say(context, words.text);
}

static void say_front(const struct page_group *group, page_say_fn *say, void *context)
{
	const unsigned on = count_place(group, FRONT_ON), left_out = count_place(group, FRONT_LEFT_OUT);
	struct words words = { "", 0 };
	char setting[PAGE_TEXT_MAX];

	if (group->tuning.front_axes == 0 && page_has(group, TUNING_LATENCY)) {
		say(context, "Nothing of it matters here: do not bother");
		return;
	}
	if (on == 0) {
		say(context, "No setting has all that is needed to compare them");
		return;
	}
	if (on == 1 && group->tuning.grid.count - left_out > 1) {
		put(&words, "%.200s is as good as or better than every other setting in all that matters",
		    page_setting(group, only_on_front(group), setting));
		say(context, words.text);
		return;
	}
	put(&words, "Of %u settings %u are beaten by none", group->tuning.grid.count - left_out, on);
	if (count_place(group, FRONT_UNSURE)) {
		put(&words, ", and of %u it cannot be told: more runs may turn it round",
		    count_place(group, FRONT_UNSURE));
	}
	say(context, words.text);
	say_knee(group, say, context);
}

void page_say_group(const struct page_group *group, page_say_fn *say, void *context)
{
	say_axis(group, TUNING_LATENCY, say, context);
	say_axis(group, TUNING_CPU, say, context);
	if (group->tuning.matter[TUNING_THROUGHPUT] == TUNING_MATTERS) {
		say_axis(group, TUNING_THROUGHPUT, say, context);
	}
	if (!page_has(group, TUNING_CPU) && page_has(group, TUNING_IRQ_RATE)) {
		say_axis(group, TUNING_IRQ_RATE, say, context);
	}
	say_regime(group, say, context);
	say_what_is_missing(group, say, context);
	if (group->tuning.grid.count == 1) {
		say(context, "One setting only: there is nothing to choose from");
	} else {
		say_front(group, say, context);
	}
}

/* ---- a group in a line ---- */

static void print_range(const struct page_group *group, enum tuning_axis axis, char text[PAGE_OVERVIEW_MAX])
{
	char least[ROUNDED_TEXT_MAX], most[ROUNDED_TEXT_MAX];
	const char *const unit = group->tuning.grid.figure[axis]->unit;
	const char *const each = axis == TUNING_CPU && !page_cpu_is_share(group) ? " a frame" : "";
	struct ends ends;

	text[0] = '\0';
	if (!find_ends(group, axis, &ends)) {
		return;
	}
	rounded_print(group->tuning.point[ends.least].axis[axis].value.median, false, least);
	rounded_print(group->tuning.point[ends.most].axis[axis].value.median, false, most);
	if (read_alike(group, axis, &ends)) {
		snprintf(text, PAGE_OVERVIEW_MAX, "%s %s%s", least, unit, each);
	} else {
		snprintf(text, PAGE_OVERVIEW_MAX, "%s to %s %s%s", least, most, unit, each);
	}
}

static void print_verdict(const struct page_group *group, char text[PAGE_TEXT_MAX])
{
	const unsigned on = count_place(group, FRONT_ON);
	char setting[PAGE_TEXT_MAX];

	if (group->tuning.grid.count == 1) {
		snprintf(text, PAGE_TEXT_MAX, "one setting only");
	} else if (group->tuning.front_axes == 0 && page_has(group, TUNING_LATENCY)) {
		snprintf(text, PAGE_TEXT_MAX, "does not matter");
	} else if (on == 0) {
		snprintf(text, PAGE_TEXT_MAX, "not compared");
	} else if (on == 1) {
		snprintf(text, PAGE_TEXT_MAX, "best: %.1000s", page_setting(group, only_on_front(group), setting));
	} else if (page_has_knee(group)) {
		snprintf(text, PAGE_TEXT_MAX, "bends at %.1000s", page_setting(group, group->tuning.knee, setting));
	} else {
		snprintf(text, PAGE_TEXT_MAX, "no bend, %u on the front", on);
	}
}

void page_overview(const struct page_group *group, struct page_overview *overview)
{
	print_range(group, TUNING_LATENCY, overview->latency);
	print_range(group, TUNING_CPU, overview->cpu);
	print_verdict(group, overview->verdict);
}

/* ---- which settings a plot has room for ---- */

unsigned page_choose(const struct page_group *group, unsigned max, unsigned chosen[])
{
	const unsigned count = group->tuning.grid.count;
	const unsigned wanted = count < max ? count : max;
	unsigned at = 0;

	for (unsigned i = 0; i < wanted; i++) {
		chosen[i] = count <= max || wanted == 1 ? i : i * (count - 1) / (wanted - 1);
	}
	if (count <= max || !page_has_knee(group) || wanted < 3) {
		return wanted;
	}
	/* The knee takes the place of the chosen one behind it, but not of the ends. */
	while (chosen[at] < group->tuning.knee) {
		at++;
	}
	if (at > 0 && chosen[at] != group->tuning.knee) {
		chosen[at < wanted - 1 ? at : at - 1] = group->tuning.knee;
	}
	return wanted;
}
