/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tune/goal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define BLANKS " \t"

/* ---- figures ---- */

static const struct {
	const char *spoken, *name;
} short_names[] = {
	{ "cpu", "cpu-busy" },
	{ "throughput", "goodput" },
};

/* "p99  rtt" as "rtt-p99"; "one-way p99" stays in its order only if there is such a figure. */
static bool find_spoken(const char *text, const struct figure **figure)
{
	const size_t first = strcspn(text, BLANKS);
	const char *const second = text + first + strspn(text + first, BLANKS);
	char name[GOAL_TEXT_MAX + 2];
	struct err unused;

	if (*second == '\0' || strpbrk(second, BLANKS)) {
		return false;
	}
	snprintf(name, sizeof(name), "%s-%.*s", second, (int)first, text);
	if (figure_find(name, figure, &unused) == 0) {
		return true;
	}
	snprintf(name, sizeof(name), "%.*s-%s", (int)first, text, second);
	return figure_find(name, figure, &unused) == 0;
}

int goal_figure_find(const char *text, const struct figure **figure, struct err *err)
{
	for (unsigned i = 0; i < sizeof(short_names) / sizeof(short_names[0]); i++) {
		if (strcmp(short_names[i].spoken, text) == 0) {
			return figure_find(short_names[i].name, figure, err);
		}
	}
	return strlen(text) < GOAL_TEXT_MAX && find_spoken(text, figure) ? 0 : figure_find(text, figure, err);
}

/* ---- limits ---- */

/* From `from`, `length` bytes without the blanks around them. False when there is no room. */
static bool cut(char part[GOAL_TEXT_MAX], const char *from, size_t length)
{
	const size_t blanks = strspn(from, BLANKS);

	from += blanks < length ? blanks : length;
	length -= blanks < length ? blanks : length;
	while (length > 0 && strchr(BLANKS, from[length - 1])) {
		length--;
	}
	if (length >= GOAL_TEXT_MAX) {
		return false;
	}
	memcpy(part, from, length);
	part[length] = '\0';
	return true;
}

static int parse_limit(const char *text, struct goal_limit *limit, struct err *err)
{
	const char *const sign = strpbrk(text, "<>");
	char name[GOAL_TEXT_MAX];

	if (!sign || !cut(name, text, (size_t)(sign - text)) || name[0] == '\0') {
		return err_set(err, -EINVAL,
			       "a goal is FIGURE < VALUE (or <=, >, >=), as in \"p99 rtt < 200us\", not \"%.80s\"",
			       text);
	}
	limit->is_least = *sign == '>';
	limit->holds_when_equal = sign[1] == '=';
	const char *const value = sign + 1 + limit->holds_when_equal;
	const int ret = goal_figure_find(name, &limit->figure, err);

	return ret ? ret
		   : figure_parse(value + strspn(value, BLANKS), limit->figure->unit, name, &limit->thousandths, err);
}

/* Whether a value is left between a limit from below and one from above. */
static bool leave_room(const struct goal_limit *least, const struct goal_limit *most)
{
	return least->thousandths < most->thousandths ||
	       (least->thousandths == most->thousandths && least->holds_when_equal && most->holds_when_equal);
}

static int check_against(const struct goal_limit *limit, const struct goal_limit *other, struct err *err)
{
	char text[2][FIGURE_TEXT_MAX];
	const struct goal_limit *const least = limit->is_least ? limit : other;
	const struct goal_limit *const most = limit->is_least ? other : limit;

	if (limit->figure != other->figure) {
		return 0;
	}
	if (limit->is_least == other->is_least) {
		return err_set(err, -EINVAL, "the goal limits %s twice from %s: one of them is enough",
			       limit->figure->name, limit->is_least ? "below" : "above");
	}
	if (leave_room(least, most)) {
		return 0;
	}
	return err_set(err, -EINVAL, "the goal contradicts itself: no %s is above %s and below %s", limit->figure->name,
		       figure_print(least->thousandths, limit->figure->unit, text[0]),
		       figure_print(most->thousandths, limit->figure->unit, text[1]));
}

static int add_limit(struct goal *goal, const char *text, struct err *err)
{
	struct goal_limit limit = { .figure = NULL };
	int ret = parse_limit(text, &limit, err);

	if (ret == 0 && goal->count == GOAL_LIMITS_MAX) {
		ret = err_set(err, -EINVAL, "a goal has at most %d limits", GOAL_LIMITS_MAX);
	}
	for (unsigned i = 0; ret == 0 && i < goal->count; i++) {
		ret = check_against(&limit, &goal->limit[i], err);
	}
	if (ret == 0) {
		goal->limit[goal->count++] = limit;
	}
	return ret;
}

/* How long the limit at `text` is, and in *joint how long what joins the next one is: 0 at the end. */
static size_t limit_length(const char *text, size_t *joint)
{
	const size_t comma = strcspn(text, ",");
	const char *const word = strstr(text, " and ");

	if (word && (size_t)(word - text) < comma) {
		*joint = strlen(" and ");
		return (size_t)(word - text);
	}
	*joint = text[comma] == ',';
	return comma;
}

int goal_parse(const char *text, struct goal *goal, struct err *err)
{
	struct goal parsed = { .count = 0 };
	size_t joint;
	int ret;

	do {
		const size_t length = limit_length(text, &joint);
		char part[GOAL_TEXT_MAX];

		ret = cut(part, text, length)
			      ? add_limit(&parsed, part, err)
			      : err_set(err, -EINVAL, "a limit is shorter than %d bytes", GOAL_TEXT_MAX);
		text += length + joint;
	} while (ret == 0 && joint > 0);
	if (ret == 0) {
		*goal = parsed;
	}
	return ret;
}

/* ---- answers ---- */

static bool meets(const struct goal_limit *limit, int64_t value)
{
	if (value == limit->thousandths) {
		return limit->holds_when_equal;
	}
	return (value > limit->thousandths) == limit->is_least;
}

enum goal_answer goal_limit_answer(const struct goal_limit *limit, const struct front_value *value)
{
	if (!value->is_known) {
		return GOAL_NOT_KNOWN;
	}
	const bool is_met = meets(limit, value->value.median);
	const bool is_sure = value->has_interval && meets(limit, value->value.low) == is_met &&
			     meets(limit, value->value.high) == is_met;

	if (is_met) {
		return is_sure ? GOAL_MET : GOAL_RATHER_MET;
	}
	return is_sure ? GOAL_MISSED : GOAL_RATHER_MISSED;
}
