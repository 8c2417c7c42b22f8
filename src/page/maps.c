/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plots of all workloads of a subject: rate by burst, and what was asked for by what came of it. */
#include <inttypes.h>
#include <string.h>

#include "page/drawing.h"
#include "page/page_private.h"

#define PANELS_MAX 6
#define COLUMNS_MAX 12
#define ROWS_MAX 10
#define RATE_MAX_WIRE UINT64_MAX
#define ROW_POISSON 0
#define PANEL_ROW_HEIGHT 30
#define POINTS_MAX 512

/* ---- rate by burst ---- */

/* Where traffic stands: its mean rate, and frames of a burst (1: evenly spaced; ROW_POISSON: at random). */
struct spot {
	uint64_t rate_per_s, burst;
};

struct map {
	const struct page *page;
	unsigned subject;
	enum tuning_axis axis;
	unsigned column_count, row_count, panel_count;
	uint64_t column[COLUMNS_MAX]; /* rates, ascending */
	uint64_t row[ROWS_MAX];       /* bursts, ascending */
	unsigned left_out;            /* workloads without a place */
	unsigned used, settings;
	const struct page_group *most; /* the group that has most settings, */
	unsigned panel[PANELS_MAX];    /* and which of its cells are shown */
	struct drawing_range range;
};

static bool find_spot(const struct workload *workload, struct spot *spot)
{
	if (workload->kind != WORKLOAD_UDP) {
		return false;
	}
	if (workload->pattern == WORKLOAD_BURST) {
		spot->burst = workload->burst_count;
		spot->rate_per_s = workload->burst_every_ns > 0 ? workload->burst_count * UINT64_C(1000000000) /
									  (uint64_t)workload->burst_every_ns
								: 0;
	} else {
		spot->burst = workload->pattern == WORKLOAD_POISSON ? ROW_POISSON : 1;
		spot->rate_per_s = workload->rate_per_s ? workload->rate_per_s : RATE_MAX_WIRE;
	}
	return true;
}

/* Keeps values sorted and single. False when there is no room. */
static bool insert(uint64_t *values, unsigned *count, unsigned max, uint64_t value)
{
	unsigned at = 0;

	while (at < *count && values[at] < value) {
		at++;
	}
	if (at < *count && values[at] == value) {
		return true;
	}
	if (*count == max) {
		return false;
	}
	memmove(&values[at + 1], &values[at], (*count - at) * sizeof(*values));
	values[at] = value;
	(*count)++;
	return true;
}

static unsigned find(const uint64_t *values, unsigned count, uint64_t value)
{
	unsigned at = 0;

	while (at < count && values[at] != value) {
		at++;
	}
	return at;
}

static const struct front_value *value_of(const struct map *map, const struct page_group *group, unsigned panel)
{
	const struct grid_cell *const wanted = &map->most->tuning.grid.cell[map->panel[panel]];

	for (unsigned i = 0; i < group->tuning.grid.count; i++) {
		const struct grid_cell *const cell = &group->tuning.grid.cell[i];

		if (coalesce_difference(&cell->settings, &wanted->settings) == 0 &&
		    cell->gro_flush_timeout_ns == wanted->gro_flush_timeout_ns &&
		    cell->defer_hard_irqs == wanted->defer_hard_irqs) {
			return &group->tuning.point[i].axis[map->axis];
		}
	}
	return NULL;
}

/* The settings of the group that has most of them. */
static void choose_panels(struct map *map)
{
	struct spot spot;

	for (unsigned i = 0; i < map->page->group_count; i++) {
		const struct page_group *const group = map->page->group[i];

		if (group->subject == map->subject && find_spot(&group->workload, &spot) &&
		    (!map->most || group->tuning.grid.count > map->most->tuning.grid.count)) {
			map->most = group;
		}
	}
	if (map->most) {
		map->settings = map->most->tuning.grid.count;
		map->panel_count = page_choose(map->most, PANELS_MAX, map->panel);
	}
}

static bool is_of(const struct map *map, const struct page_group *group)
{
	struct spot spot;

	return group->subject == map->subject && find_spot(&group->workload, &spot) && page_has(group, map->axis);
}

static void lay_out(struct map *map)
{
	struct spot spot;

	choose_panels(map);
	for (unsigned i = 0; i < map->page->group_count; i++) {
		const struct page_group *const group = map->page->group[i];

		if (!is_of(map, group) || !find_spot(&group->workload, &spot)) {
			continue;
		}
		if (insert(map->column, &map->column_count, COLUMNS_MAX, spot.rate_per_s) &&
		    insert(map->row, &map->row_count, ROWS_MAX, spot.burst)) {
			map->used++;
		} else {
			map->left_out++;
		}
		for (unsigned panel = 0; panel < map->panel_count; panel++) {
			const struct front_value *const value = value_of(map, group, panel);

			if (value && value->is_known && value->value.median > 0) {
				drawing_widen(&map->range, value->value.median);
			}
		}
	}
}

/* "940", "12.3k": few enough characters for a cell. Thousandths in. */
static void put_short(FILE *out, int64_t thousandths)
{
	const int64_t whole = (thousandths + 500) / 1000;

	if (whole >= 1000000) {
		fprintf(out, "%" PRId64 ".%" PRId64 "M", whole / 1000000, whole / 100000 % 10);
	} else if (whole >= 10000) {
		fprintf(out, "%" PRId64 "k", (whole + 500) / 1000);
	} else if (thousandths >= 9950) {
		fprintf(out, "%" PRId64, whole);
	} else {
		fprintf(out, "%" PRId64 ".%" PRId64, (thousandths + 50) / 1000, (thousandths + 50) / 100 % 10);
	}
}

static void put_map_tics(const struct map *map, FILE *out)
{
	fputs("set xtics (", out);
	for (unsigned i = 0; i < map->column_count; i++) {
		fputs(i ? ", '" : "'", out);
		if (map->column[i] == RATE_MAX_WIRE) {
			fputs("wire", out);
		} else {
			put_short(out, (int64_t)(map->column[i] * 1000));
		}
		fprintf(out, "' %u", i);
	}
	fputs(")\nset ytics (", out);
	for (unsigned i = 0; i < map->row_count; i++) {
		fputs(i ? ", " : "", out);
		if (map->row[i] == ROW_POISSON) {
			fprintf(out, "'Poisson' %u", i);
		} else if (map->row[i] == 1) {
			fprintf(out, "'even' %u", i);
		} else {
			fprintf(out, "'bursts of %" PRIu64 "' %u", map->row[i], i);
		}
	}
	fprintf(out, ")\nset xrange [-0.5:%u.5]\nset yrange [-0.5:%u.5]\n", map->column_count - 1, map->row_count - 1);
}

/* Of workloads that differ in something else, the first has the place. */
static void put_map_panel(const struct map *map, unsigned panel, FILE *out)
{
	bool is_taken[COLUMNS_MAX][ROWS_MAX] = { { false } };
	struct spot spot;

	fprintf(out, "$panel%u << EOD\n", panel);
	for (unsigned i = 0; i < map->page->group_count; i++) {
		const struct page_group *const group = map->page->group[i];

		if (!is_of(map, group) || !find_spot(&group->workload, &spot)) {
			continue;
		}
		const unsigned column = find(map->column, map->column_count, spot.rate_per_s);
		const unsigned row = find(map->row, map->row_count, spot.burst);
		const struct front_value *const value = value_of(map, group, panel);

		if (column == map->column_count || row == map->row_count || is_taken[column][row] || !value ||
		    !value->is_known) {
			continue;
		}
		is_taken[column][row] = true;
		fprintf(out, "%u %u ", column, row);
		drawing_put_milli(out, value->value.median > map->range.low ? value->value.median : map->range.low);
		putc(' ', out);
		put_short(out, value->value.median);
		putc('\n', out);
	}
	fputs("EOD\n", out);
}

static void put_map_palette(const struct map *map, FILE *out)
{
	fputs("set palette defined (0 '#fff3df', 1 '#e8924a')\nunset colorbox\n", out);
	fputs(drawing_is_wide(&map->range) ? "set logscale cb\n" : "", out);
	fputs("set cbrange [", out);
	drawing_put_milli(out, drawing_is_wide(&map->range) ? map->range.low : 0);
	putc(':', out);
	drawing_put_milli(out, map->range.high > map->range.low ? map->range.high : map->range.low + 1);
	fputs("]\n", out);
}

bool page_plot_map(const struct page *page, unsigned subject, enum tuning_axis axis, FILE *out)
{
	struct map map = { .page = page, .subject = subject, .axis = axis };

	lay_out(&map);
	/* One row or one column is no map. */
	if (map.column_count < 2 || map.row_count < 2 || !map.range.is_known) {
		return false;
	}
	const unsigned panel_height = 100 + PANEL_ROW_HEIGHT * map.row_count;
	char text[PAGE_TEXT_MAX];

	drawing_begin(out, panel_height * map.panel_count);
	fputs("set border 15\nunset grid\nset tics scale 0\n", out);
	put_map_palette(&map, out);
	put_map_tics(&map, out);
	for (unsigned panel = 0; panel < map.panel_count; panel++) {
		put_map_panel(&map, panel, out);
	}
	fputs("set lmargin 14\nset rmargin 2\nset tmargin 2\nset bmargin 3.5\n", out);
	fprintf(out, "set multiplot layout %u,1\n", map.panel_count);
	for (unsigned panel = 0; panel < map.panel_count; panel++) {
		const bool is_model = page->subject[subject].source == RUN_MODEL;
		char title[PAGE_TEXT_MAX + 32];

		snprintf(title, sizeof(title), "%s, %s", is_model ? "MODEL" : "measured",
			 page_setting(map.most, map.panel[panel], text));
		fputs("set title ", out);
		drawing_put_label(out, title);
		fputs(" offset 0,-0.6\nset xlabel 'frames/s, mean' offset 0,0.4\n", out);
		fprintf(out,
			"plot $panel%u using 1:2:($1-0.48):($1+0.48):($2-0.46):($2+0.46):3 with boxxyerror fillcolor "
			"palette "
			"fillstyle solid noborder, $panel%u using 1:2:4 with labels textcolor rgb '#1b1b1b'\n",
			panel, panel);
	}
	fputs("unset multiplot\n", out);
	return true;
}

void page_map_note(const struct page *page, unsigned subject, char text[PAGE_TEXT_MAX])
{
	struct map map = { .page = page, .subject = subject, .axis = TUNING_IRQ_RATE };
	size_t length = 0;

	lay_out(&map);
	text[0] = '\0';
	if (map.settings > map.panel_count) {
		length = (size_t)snprintf(text, PAGE_TEXT_MAX, "%u of %u settings are shown. ", map.panel_count,
					  map.settings);
	}
	if (map.left_out) {
		length += (size_t)snprintf(text + length, PAGE_TEXT_MAX - length, "%u workloads found no room. ",
					   map.left_out);
	}
	if (map.used > map.column_count * map.row_count) {
		snprintf(text + length, PAGE_TEXT_MAX - length,
			 "Some differ in something besides rate and burst; the first of them is shown.");
	}
}

/* ---- asked for, and what came of it ---- */

struct answer {
	int64_t requested, reported, effective; /* thousandths of a us */
	bool is_reported, is_effective;
};

static bool read_answer(const struct run_conditions *conditions, bool is_transmit, struct answer *answer)
{
	const enum coalesce_field field = is_transmit ? COALESCE_TX_USECS : COALESCE_RX_USECS;

	*answer = (struct answer){ 0 };
	if (!coalesce_has(&conditions->requested, field)) {
		return false;
	}
	answer->requested = (int64_t)conditions->requested.value[field] * 1000;
	answer->is_reported = conditions->reports_settings && coalesce_has(&conditions->reported, field);
	answer->reported = (int64_t)conditions->reported.value[field] * 1000;
	answer->is_effective = page_effective(conditions, is_transmit, &answer->effective) != NULL;
	return answer->is_reported || answer->is_effective;
}

/* One workload is enough: what becomes of a setting does not hang on it. */
static unsigned collect(const struct page *page, unsigned subject, bool is_transmit, struct answer answer[POINTS_MAX])
{
	unsigned count = 0;

	for (unsigned i = 0; i < page->group_count; i++) {
		const struct page_group *const group = page->group[i];

		for (unsigned cell = 0;
		     group->subject == subject && cell < group->tuning.grid.count && count < POINTS_MAX; cell++) {
			const struct run_conditions *const conditions = page_cell(group, cell)->conditions;
			bool is_new = conditions && read_answer(conditions, is_transmit, &answer[count]);

			for (unsigned j = 0; is_new && j < count; j++) {
				is_new = memcmp(&answer[j], &answer[count], sizeof(*answer)) != 0;
			}
			count += is_new;
		}
	}
	return count;
}

static unsigned put_answers(const struct answer *answer, unsigned count, bool is_effective, FILE *out)
{
	unsigned written = 0;

	fprintf(out, "$%s << EOD\n", is_effective ? "effective" : "reported");
	for (unsigned i = 0; i < count; i++) {
		if (is_effective ? answer[i].is_effective : answer[i].is_reported) {
			drawing_put_milli(out, answer[i].requested);
			putc(' ', out);
			drawing_put_milli(out, is_effective ? answer[i].effective : answer[i].reported);
			putc('\n', out);
			written++;
		}
	}
	fputs("EOD\n", out);
	return written;
}

bool page_plot_effective(const struct page *page, unsigned subject, bool is_transmit, FILE *out)
{
	struct answer answer[POINTS_MAX];
	const unsigned count = collect(page, subject, is_transmit, answer);
	struct drawing_range x = { 0, 0, true }, y = { 0, 0, true };
	const bool is_model = page->subject[subject].source == RUN_MODEL;

	if (count < 2) {
		return false;
	}
	for (unsigned i = 0; i < count; i++) {
		drawing_widen(&x, answer[i].requested);
		drawing_widen(&y, answer[i].reported);
		drawing_widen(&y, answer[i].effective);
	}
	drawing_begin(out, 340);
	fprintf(out, "set title '%s' offset 0,-0.5\n", is_model ? "MODEL" : "measured");
	drawing_put_key(out, 3, 1);
	drawing_put_axis(out, 'x', &x, is_transmit ? "tx-usecs asked for" : "rx-usecs asked for");
	drawing_put_axis(out, 'y', &y, "us");
	const unsigned reported = put_answers(answer, count, false, out);
	const unsigned effective = put_answers(answer, count, true, out);

	fputs("plot x with lines dashtype 3 linecolor rgb '" DRAWING_GREY "' title 'as asked'", out);
	if (reported) {
		fputs(", $reported using 1:2 with points pointtype 2 linewidth 2 linecolor rgb '" DRAWING_ORANGE
		      "' title 'reported'",
		      out);
	}
	if (effective) {
		fprintf(out,
			", $effective using 1:2 with points pointtype %s pointsize 1.2 linewidth 2 linecolor rgb "
			"'" DRAWING_BLUE "' title 'in effect, by the model of the chip'",
			is_model ? "6" : "7");
	}
	putc('\n', out);
	return true;
}
