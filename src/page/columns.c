/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One table of columns behind HTML, Markdown and CSV. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "page/page_private.h"

const struct page_cell *page_cell(const struct page_group *group, unsigned cell)
{
	return &group->cell[group->grid.cell[cell].number];
}

char *page_setting(const struct page_group *group, unsigned cell, char text[PAGE_TEXT_MAX])
{
	static_assert(COALESCE_TEXT_MAX <= PAGE_TEXT_MAX, "a setting fits");
	return grid_cell_print(&group->grid, &group->grid.cell[cell], text);
}

const char *page_latency_name(const struct page_group *group)
{
	return group->latency == RUN_RTT ? "round trip" : "one way";
}

char *page_print_value(int64_t thousandths, char text[PAGE_TEXT_MAX])
{
	const bool is_small = thousandths < 100000 && thousandths > -100000;
	const int64_t unit = is_small ? 100 : 1000;
	const int64_t rounded = (thousandths < 0 ? thousandths - unit / 2 : thousandths + unit / 2) / unit;

	if (is_small) {
		snprintf(text, PAGE_TEXT_MAX, "%s%" PRId64 ".%" PRId64, rounded < 0 ? "-" : "",
			 (rounded < 0 ? -rounded : rounded) / 10, (rounded < 0 ? -rounded : rounded) % 10);
	} else {
		snprintf(text, PAGE_TEXT_MAX, "%" PRId64, rounded);
	}
	return text;
}

bool page_cost_is_cpu(const struct page_group *group)
{
	return group->grid.figure[PAGE_COST] != group->grid.figure[PAGE_IRQ_RATE];
}

bool page_has(const struct page_group *group, enum page_axis axis)
{
	for (unsigned i = 0; i < group->grid.count; i++) {
		if (group->point[i].axis[axis].is_known) {
			return true;
		}
	}
	return false;
}

/* ---- what was run ---- */

static void print_source(const struct page_column *column, const struct page_view *view, char text[PAGE_TEXT_MAX])
{
	(void)column;
	snprintf(text, PAGE_TEXT_MAX, "%s", view->group->grid.source == RUN_MODEL ? "MODEL" : "measured");
}

static void print_subject(const struct page_column *column, const struct page_view *view, char text[PAGE_TEXT_MAX])
{
	(void)column;
	snprintf(text, PAGE_TEXT_MAX, "%s", view->page->subject[view->group->subject].text);
}

static void print_workload(const struct page_column *column, const struct page_view *view, char text[PAGE_TEXT_MAX])
{
	(void)column;
	snprintf(text, PAGE_TEXT_MAX, "%s", view->group->grid.workload);
}

static void print_setting(const struct page_column *column, const struct page_view *view, char text[PAGE_TEXT_MAX])
{
	(void)column;
	page_setting(view->group, view->cell, text);
}

static void print_runs(const struct page_column *column, const struct page_view *view, char text[PAGE_TEXT_MAX])
{
	const struct grid_cell *const cell = &view->group->grid.cell[view->cell];

	if (column->part == PAGE_FOR_PEOPLE && cell->tainted) {
		snprintf(text, PAGE_TEXT_MAX, "%u, %u tainted", cell->runs, cell->tainted);
	} else {
		snprintf(text, PAGE_TEXT_MAX, "%u", cell->runs);
	}
}

static void print_tainted(const struct page_column *column, const struct page_view *view, char text[PAGE_TEXT_MAX])
{
	(void)column;
	snprintf(text, PAGE_TEXT_MAX, "%u", view->group->grid.cell[view->cell].tainted);
}

/* ---- latencies, of all runs together ---- */

static void print_latency_name(const struct page_column *column, const struct page_view *view, char text[PAGE_TEXT_MAX])
{
	(void)column;
	snprintf(text, PAGE_TEXT_MAX, "%s", page_latency_name(view->group));
}

static void print_samples(const struct page_column *column, const struct page_view *view, char text[PAGE_TEXT_MAX])
{
	const struct histogram *const latency = page_cell(view->group, view->cell)->latency;

	(void)column;
	text[0] = '\0';
	if (latency) {
		snprintf(text, PAGE_TEXT_MAX, "%" PRIu64, latency->count);
	}
}

static char *print_exactly(int64_t thousandths, char text[PAGE_TEXT_MAX])
{
	char buffer[FIGURE_TEXT_MAX];

	snprintf(text, PAGE_TEXT_MAX, "%s", figure_print(thousandths, "", buffer));
	return text;
}

static void print_percentile(const struct page_column *column, const struct page_view *view, char text[PAGE_TEXT_MAX])
{
	const struct histogram *const latency = page_cell(view->group, view->cell)->latency;

	text[0] = '\0';
	if (latency && latency->count) {
		const int64_t ns = histogram_percentile(latency, column->ppm);

		(column->part == PAGE_FOR_PEOPLE ? page_print_value : print_exactly)(ns, text);
	}
}

/* ---- figures, of runs ---- */

static void print_for_people(const struct front_value *value, char text[PAGE_TEXT_MAX])
{
	char low[PAGE_TEXT_MAX], high[PAGE_TEXT_MAX];

	page_print_value(value->value.median, text);
	if (value->has_interval) {
		const size_t length = strlen(text);

		snprintf(text + length, PAGE_TEXT_MAX - length, " (%.40s to %.40s)",
			 page_print_value(value->value.low, low), page_print_value(value->value.high, high));
	}
}

static void print_figure(const struct page_column *column, const struct page_view *view, char text[PAGE_TEXT_MAX])
{
	const struct page_group *const group = view->group;
	const struct front_value *const value = &group->point[view->cell].axis[column->axis];
	const bool stands_in = column->axis == PAGE_COST && !page_cost_is_cpu(group);

	text[0] = '\0';
	if (!value->is_known || stands_in ||
	    (!value->has_interval && column->part != PAGE_MIDDLE && column->part != PAGE_FOR_PEOPLE)) {
		return;
	}
	switch (column->part) {
	case PAGE_MIDDLE:
		print_exactly(value->value.median, text);
		break;
	case PAGE_LOW:
		print_exactly(value->value.low, text);
		break;
	case PAGE_HIGH:
		print_exactly(value->value.high, text);
		break;
	case PAGE_FOR_PEOPLE:
		print_for_people(value, text);
		break;
	}
}

const char *page_place_name(enum front_place place)
{
	static const char *const names[] = { [FRONT_LEFT_OUT] = "not_compared",
					     [FRONT_ON] = "front",
					     [FRONT_UNSURE] = "cannot_tell",
					     [FRONT_BEHIND] = "behind" };

	return names[place];
}

static void print_place_for_people(const struct page_view *view, char text[PAGE_TEXT_MAX])
{
	const struct front_point *const point = &view->group->point[view->cell];
	char other[PAGE_TEXT_MAX];

	switch (point->place) {
	case FRONT_LEFT_OUT:
		snprintf(text, PAGE_TEXT_MAX, "not compared");
		break;
	case FRONT_ON:
		snprintf(text, PAGE_TEXT_MAX, "%s",
			 view->group->has_knee && view->group->knee == view->cell ? "front, knee" : "front");
		break;
	case FRONT_UNSURE:
	case FRONT_BEHIND:
		page_setting(view->group, point->beaten_by, other);
		snprintf(text, PAGE_TEXT_MAX, "%s %.1000s", point->place == FRONT_BEHIND ? "behind" : "perhaps behind",
			 other);
		break;
	}
}

static void print_place(const struct page_column *column, const struct page_view *view, char text[PAGE_TEXT_MAX])
{
	if (column->part == PAGE_FOR_PEOPLE) {
		print_place_for_people(view, text);
	} else {
		snprintf(text, PAGE_TEXT_MAX, "%s", page_place_name(view->group->point[view->cell].place));
	}
}

static void print_knee(const struct page_column *column, const struct page_view *view, char text[PAGE_TEXT_MAX])
{
	(void)column;
	snprintf(text, PAGE_TEXT_MAX, "%s", view->group->has_knee && view->group->knee == view->cell ? "yes" : "no");
}

/* clang-format off */
static const struct page_column columns[] = {
	{ "source", "", false, print_source, 0, 0, 0 },
	{ "subject", NULL, false, print_subject, 0, 0, 0 },
	{ "workload", NULL, false, print_workload, 0, 0, 0 },
	{ "setting", "setting", false, print_setting, 0, 0, 0 },
	{ "runs", NULL, true, print_runs, 0, PAGE_MIDDLE, 0 },
	{ NULL, "runs", true, print_runs, 0, PAGE_FOR_PEOPLE, 0 },
	{ "tainted", NULL, true, print_tainted, 0, 0, 0 },
	{ "latency", NULL, false, print_latency_name, 0, 0, 0 },
	{ "latency_count", "n", true, print_samples, 0, 0, 0 },
	{ "latency_p50_us", NULL, true, print_percentile, 0, PAGE_MIDDLE, 500000 },
	{ NULL, "p50 us", true, print_percentile, 0, PAGE_FOR_PEOPLE, 500000 },
	{ NULL, "p99 us", true, print_figure, PAGE_LATENCY, PAGE_FOR_PEOPLE, 0 },
	{ "latency_p99_us", NULL, true, print_figure, PAGE_LATENCY, PAGE_MIDDLE, 0 },
	{ "latency_p99_low_us", NULL, true, print_figure, PAGE_LATENCY, PAGE_LOW, 0 },
	{ "latency_p99_high_us", NULL, true, print_figure, PAGE_LATENCY, PAGE_HIGH, 0 },
	{ NULL, "CPU % of one", true, print_figure, PAGE_COST, PAGE_FOR_PEOPLE, 0 },
	{ "cpu_busy_percent", NULL, true, print_figure, PAGE_COST, PAGE_MIDDLE, 0 },
	{ "cpu_busy_low_percent", NULL, true, print_figure, PAGE_COST, PAGE_LOW, 0 },
	{ "cpu_busy_high_percent", NULL, true, print_figure, PAGE_COST, PAGE_HIGH, 0 },
	{ NULL, "IRQ/s", true, print_figure, PAGE_IRQ_RATE, PAGE_FOR_PEOPLE, 0 },
	{ "irq_rate_per_s", NULL, true, print_figure, PAGE_IRQ_RATE, PAGE_MIDDLE, 0 },
	{ "irq_rate_low_per_s", NULL, true, print_figure, PAGE_IRQ_RATE, PAGE_LOW, 0 },
	{ "irq_rate_high_per_s", NULL, true, print_figure, PAGE_IRQ_RATE, PAGE_HIGH, 0 },
	{ NULL, "Mb/s", true, print_figure, PAGE_GOODPUT, PAGE_FOR_PEOPLE, 0 },
	{ "goodput_mbps", NULL, true, print_figure, PAGE_GOODPUT, PAGE_MIDDLE, 0 },
	{ "goodput_low_mbps", NULL, true, print_figure, PAGE_GOODPUT, PAGE_LOW, 0 },
	{ "goodput_high_mbps", NULL, true, print_figure, PAGE_GOODPUT, PAGE_HIGH, 0 },
	{ "place", NULL, false, print_place, 0, PAGE_MIDDLE, 0 },
	{ NULL, "beside the others", false, print_place, 0, PAGE_FOR_PEOPLE, 0 },
	{ "is_knee", NULL, false, print_knee, 0, 0, 0 },
};
/* clang-format on */

const struct page_column *page_columns(unsigned *count)
{
	*count = sizeof(columns) / sizeof(columns[0]);
	return columns;
}

bool page_column_is_used(const struct page *page, const struct page_group *group, const struct page_column *column)
{
	struct page_view view = { page, group, 0 };
	char text[PAGE_TEXT_MAX];

	for (; view.cell < group->grid.count; view.cell++) {
		column->print(column, &view, text);
		if (text[0]) {
			return true;
		}
	}
	return false;
}
