/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One table of columns behind HTML, Markdown and CSV. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "page/page_private.h"
#include "report/rounded.h"

const struct page_cell *page_cell(const struct page_group *group, unsigned cell)
{
	return &group->cell[group->tuning.grid.cell[cell].number];
}

char *page_setting(const struct page_group *group, unsigned cell, char text[PAGE_TEXT_MAX])
{
	static_assert(COALESCE_TEXT_MAX <= PAGE_TEXT_MAX, "a setting fits");
	return grid_cell_print(&group->tuning.grid, &group->tuning.grid.cell[cell], text);
}

const char *page_latency_name(const struct page_group *group)
{
	return group->latency == RUN_RTT ? "round trip" : "one way";
}

bool page_cpu_is_share(const struct page_group *group)
{
	return group->tuning.grid.figure[TUNING_CPU] == group->tuning.grid.figure[TUNING_BUSY];
}

bool page_has_knee(const struct page_group *group)
{
	return group->tuning.knee != TUNING_NONE;
}

enum tuning_axis page_cost(const struct page_group *group)
{
	return page_has(group, TUNING_CPU) ? TUNING_CPU : TUNING_IRQ_RATE;
}

const char *page_cost_name(const struct page_group *group)
{
	if (page_cost(group) == TUNING_IRQ_RATE) {
		return "interrupts/s";
	}
	return page_cpu_is_share(group) ? "CPU time, % of one" : "CPU time for each frame, us";
}

bool page_has(const struct page_group *group, enum tuning_axis axis)
{
	for (unsigned i = 0; i < group->tuning.grid.count; i++) {
		if (group->tuning.point[i].axis[axis].is_known) {
			return true;
		}
	}
	return false;
}

/* ---- what was run ---- */

static void print_source(const struct page_column *column, const struct page_view *view, char text[PAGE_TEXT_MAX])
{
	(void)column;
	snprintf(text, PAGE_TEXT_MAX, "%s", view->group->tuning.grid.source == RUN_MODEL ? "MODEL" : "measured");
}

static void print_subject(const struct page_column *column, const struct page_view *view, char text[PAGE_TEXT_MAX])
{
	(void)column;
	snprintf(text, PAGE_TEXT_MAX, "%s", view->page->subject[view->group->subject].text);
}

static void print_workload(const struct page_column *column, const struct page_view *view, char text[PAGE_TEXT_MAX])
{
	(void)column;
	snprintf(text, PAGE_TEXT_MAX, "%s", view->group->tuning.grid.workload);
}

static void print_setting(const struct page_column *column, const struct page_view *view, char text[PAGE_TEXT_MAX])
{
	(void)column;
	page_setting(view->group, view->cell, text);
}

static void print_runs(const struct page_column *column, const struct page_view *view, char text[PAGE_TEXT_MAX])
{
	const struct grid_cell *const cell = &view->group->tuning.grid.cell[view->cell];

	if (column->part == PAGE_FOR_PEOPLE && cell->tainted) {
		snprintf(text, PAGE_TEXT_MAX, "%u, %u tainted", cell->runs, cell->tainted);
	} else {
		snprintf(text, PAGE_TEXT_MAX, "%u", cell->runs);
	}
}

static void print_tainted(const struct page_column *column, const struct page_view *view, char text[PAGE_TEXT_MAX])
{
	(void)column;
	snprintf(text, PAGE_TEXT_MAX, "%u", view->group->tuning.grid.cell[view->cell].tainted);
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

		if (column->part == PAGE_FOR_PEOPLE) {
			rounded_print(ns, false, text);
		} else {
			print_exactly(ns, text);
		}
	}
}

/* ---- figures, of runs ---- */

static void print_for_people(const struct front_value *value, char text[PAGE_TEXT_MAX])
{
	char low[ROUNDED_TEXT_MAX], high[ROUNDED_TEXT_MAX];

	rounded_print(value->value.median, false, text);
	if (value->has_interval) {
		const size_t length = strlen(text);

		snprintf(text + length, PAGE_TEXT_MAX - length, " (%s to %s)",
			 rounded_print(value->value.low, false, low), rounded_print(value->value.high, false, high));
	}
}

static void print_figure(const struct page_column *column, const struct page_view *view, char text[PAGE_TEXT_MAX])
{
	const struct page_group *const group = view->group;
	const struct front_value *const value = &group->tuning.point[view->cell].axis[column->axis];
	/* Of a closed loop it is another column. */
	const bool is_other = column->axis == TUNING_CPU && page_cpu_is_share(group);

	text[0] = '\0';
	if (!value->is_known || is_other ||
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
	case PAGE_KIND:
		break;
	}
}

const char *page_effective(const struct run_conditions *conditions, bool is_transmit, int64_t *ns)
{
	if (conditions->source != RUN_MODEL) {
		return NULL;
	}
	*ns = is_transmit ? conditions->effective_tx_ns : conditions->effective_rx_ns;
	return is_transmit ? conditions->effective_tx_kind : conditions->effective_rx_kind;
}

static void print_effective(const struct page_column *column, const struct page_view *view, char text[PAGE_TEXT_MAX])
{
	const struct run_conditions *const conditions = page_cell(view->group, view->cell)->conditions;
	int64_t ns = 0;
	const char *const kind = conditions ? page_effective(conditions, column->is_transmit, &ns) : NULL;
	char value[ROUNDED_TEXT_MAX];

	text[0] = '\0';
	if (!kind) {
		return;
	}
	if (column->part == PAGE_MIDDLE) {
		print_exactly(ns, text);
	} else if (column->part == PAGE_KIND || ns == 0) {
		snprintf(text, PAGE_TEXT_MAX, "%s", kind);
	} else {
		snprintf(text, PAGE_TEXT_MAX, "%s %s us", kind, rounded_print(ns, false, value));
	}
}

const char *page_place_name(enum front_place place)
{
	static const char *const names[] = { [FRONT_LEFT_OUT] = "left_out",
					     [FRONT_ON] = "front",
					     [FRONT_UNSURE] = "unsure",
					     [FRONT_BEHIND] = "behind" };

	return names[place];
}

static void print_place_for_people(const struct page_view *view, char text[PAGE_TEXT_MAX])
{
	const struct front_point *const point = &view->group->tuning.point[view->cell];
	const char *const today = view->group->tuning.grid.cell[view->cell].is_today ? "as before the sweep; " : "";
	char other[PAGE_TEXT_MAX];

	switch (point->place) {
	case FRONT_LEFT_OUT:
		snprintf(text, PAGE_TEXT_MAX, "%snot compared", today);
		break;
	case FRONT_ON:
		snprintf(text, PAGE_TEXT_MAX, "%sfront%s", today,
			 page_has_knee(view->group) && view->group->tuning.knee == view->cell ? ", knee" : "");
		break;
	case FRONT_UNSURE:
	case FRONT_BEHIND:
		page_setting(view->group, point->beaten_by, other);
		snprintf(text, PAGE_TEXT_MAX, "%s%s %.1000s", today,
			 point->place == FRONT_BEHIND ? "behind" : "perhaps behind", other);
		break;
	}
}

static void print_place(const struct page_column *column, const struct page_view *view, char text[PAGE_TEXT_MAX])
{
	if (column->part == PAGE_FOR_PEOPLE) {
		print_place_for_people(view, text);
	} else {
		snprintf(text, PAGE_TEXT_MAX, "%s", page_place_name(view->group->tuning.point[view->cell].place));
	}
}

static void print_knee(const struct page_column *column, const struct page_view *view, char text[PAGE_TEXT_MAX])
{
	(void)column;
	snprintf(text, PAGE_TEXT_MAX, "%s",
		 page_has_knee(view->group) && view->group->tuning.knee == view->cell ? "yes" : "no");
}

/* clang-format off */
static const struct page_column columns[] = {
	{ "source", "", false, print_source, 0, 0, 0, false },
	{ "subject", NULL, false, print_subject, 0, 0, 0, false },
	{ "workload", NULL, false, print_workload, 0, 0, 0, false },
	{ "setting", "setting", false, print_setting, 0, 0, 0, false },
	{ "runs", NULL, true, print_runs, 0, PAGE_MIDDLE, 0, false },
	{ NULL, "runs", true, print_runs, 0, PAGE_FOR_PEOPLE, 0, false },
	{ "tainted", NULL, true, print_tainted, 0, 0, 0, false },
	{ "latency", NULL, false, print_latency_name, 0, 0, 0, false },
	{ "latency_count", "n", true, print_samples, 0, 0, 0, false },
	{ "latency_p50_us", NULL, true, print_percentile, 0, PAGE_MIDDLE, 500000, false },
	{ NULL, "p50 us", true, print_percentile, 0, PAGE_FOR_PEOPLE, 500000, false },
	{ NULL, "p99 us", true, print_figure, TUNING_LATENCY, PAGE_FOR_PEOPLE, 0, false },
	{ "latency_p99_us", NULL, true, print_figure, TUNING_LATENCY, PAGE_MIDDLE, 0, false },
	{ "latency_p99_low_us", NULL, true, print_figure, TUNING_LATENCY, PAGE_LOW, 0, false },
	{ "latency_p99_high_us", NULL, true, print_figure, TUNING_LATENCY, PAGE_HIGH, 0, false },
	{ NULL, "CPU % of one", true, print_figure, TUNING_BUSY, PAGE_FOR_PEOPLE, 0, false },
	{ "cpu_busy_percent", NULL, true, print_figure, TUNING_BUSY, PAGE_MIDDLE, 0, false },
	{ "cpu_busy_low_percent", NULL, true, print_figure, TUNING_BUSY, PAGE_LOW, 0, false },
	{ "cpu_busy_high_percent", NULL, true, print_figure, TUNING_BUSY, PAGE_HIGH, 0, false },
	{ NULL, "CPU us/frame", true, print_figure, TUNING_CPU, PAGE_FOR_PEOPLE, 0, false },
	{ "cpu_per_frame_us", NULL, true, print_figure, TUNING_CPU, PAGE_MIDDLE, 0, false },
	{ "cpu_per_frame_low_us", NULL, true, print_figure, TUNING_CPU, PAGE_LOW, 0, false },
	{ "cpu_per_frame_high_us", NULL, true, print_figure, TUNING_CPU, PAGE_HIGH, 0, false },
	{ NULL, "IRQ/s", true, print_figure, TUNING_IRQ_RATE, PAGE_FOR_PEOPLE, 0, false },
	{ "irq_rate_per_s", NULL, true, print_figure, TUNING_IRQ_RATE, PAGE_MIDDLE, 0, false },
	{ "irq_rate_low_per_s", NULL, true, print_figure, TUNING_IRQ_RATE, PAGE_LOW, 0, false },
	{ "irq_rate_high_per_s", NULL, true, print_figure, TUNING_IRQ_RATE, PAGE_HIGH, 0, false },
	{ NULL, "Mb/s", true, print_figure, TUNING_THROUGHPUT, PAGE_FOR_PEOPLE, 0, false },
	{ "goodput_mbps", NULL, true, print_figure, TUNING_THROUGHPUT, PAGE_MIDDLE, 0, false },
	{ "goodput_low_mbps", NULL, true, print_figure, TUNING_THROUGHPUT, PAGE_LOW, 0, false },
	{ "goodput_high_mbps", NULL, true, print_figure, TUNING_THROUGHPUT, PAGE_HIGH, 0, false },
	{ NULL, "rx in effect", false, print_effective, 0, PAGE_FOR_PEOPLE, 0, false },
	{ "effective_rx_kind", NULL, false, print_effective, 0, PAGE_KIND, 0, false },
	{ "effective_rx_us", NULL, true, print_effective, 0, PAGE_MIDDLE, 0, false },
	{ NULL, "tx in effect", false, print_effective, 0, PAGE_FOR_PEOPLE, 0, true },
	{ "effective_tx_kind", NULL, false, print_effective, 0, PAGE_KIND, 0, true },
	{ "effective_tx_us", NULL, true, print_effective, 0, PAGE_MIDDLE, 0, true },
	{ "place", NULL, false, print_place, 0, PAGE_MIDDLE, 0, false },
	{ NULL, "beside the others", false, print_place, 0, PAGE_FOR_PEOPLE, 0, false },
	{ "is_knee", NULL, false, print_knee, 0, 0, 0, false },
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

	for (; view.cell < group->tuning.grid.count; view.cell++) {
		column->print(column, &view, text);
		if (text[0]) {
			return true;
		}
	}
	return false;
}
