/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plots of one group: what its settings do, beside each other. */
#include <inttypes.h>
#include <string.h>

#include "page/drawing.h"
#include "page/page_private.h"

#define LABELS_MAX 12
#define ROWS_MAX 24
#define CURVES_MAX 6
#define ROW_HEIGHT 27
#define BEHIND (1u << FRONT_BEHIND | 1u << FRONT_UNSURE)

static void put_source(const struct page_group *group, FILE *out)
{
	fputs(group->tuning.grid.source == RUN_MODEL ? "set title 'MODEL' offset 0,-0.5\n"
						     : "set title 'measured' offset 0,-0.5\n",
	      out);
}

static void put_setting_label(const struct page_group *group, unsigned cell, FILE *out)
{
	char text[PAGE_TEXT_MAX];

	page_setting(group, cell, text);
	if (strlen(text) > 36) {
		snprintf(text + 33, 4, "...");
	}
	drawing_put_label(out, text);
}

/* ---- the front ---- */

struct front_plot {
	const struct page_group *group;
	struct drawing_range x, y;
	unsigned label_count;
	unsigned label[LABELS_MAX];
};

static const struct interval *at(const struct page_group *group, unsigned cell, enum tuning_axis axis)
{
	return &group->tuning.point[cell].axis[axis].value;
}

static bool is_drawn(const struct page_group *group, unsigned cell)
{
	return group->tuning.point[cell].axis[TUNING_LATENCY].is_known &&
	       group->tuning.point[cell].axis[page_cost(group)].is_known;
}

static void widen_by(struct drawing_range *range, const struct front_value *value)
{
	drawing_widen(range, value->value.median);
	if (value->has_interval) {
		drawing_widen(range, value->value.low);
		drawing_widen(range, value->value.high);
	}
}

/* A label needs some 30 % of the width and 6 % of the height. */
static bool has_room(const struct front_plot *plot, unsigned cell)
{
	const int64_t x = drawing_position(&plot->x, at(plot->group, cell, TUNING_LATENCY)->median);
	const int64_t y = drawing_position(&plot->y, at(plot->group, cell, page_cost(plot->group))->median);

	for (unsigned i = 0; i < plot->label_count; i++) {
		const int64_t dx =
			x - drawing_position(&plot->x, at(plot->group, plot->label[i], TUNING_LATENCY)->median);
		const int64_t dy =
			y - drawing_position(&plot->y, at(plot->group, plot->label[i], page_cost(plot->group))->median);

		if (dx > -320 && dx < 320 && dy > -70 && dy < 70) {
			return false;
		}
	}
	return true;
}

static void label(struct front_plot *plot, unsigned cell)
{
	if (plot->label_count < LABELS_MAX && has_room(plot, cell)) {
		plot->label[plot->label_count++] = cell;
	}
}

/* The knee first, then the ends of the front, then what has room. */
static void choose_labels(struct front_plot *plot)
{
	const struct page_group *const group = plot->group;
	unsigned first = PAGE_NO_CELL, last = PAGE_NO_CELL;

	for (unsigned i = 0; i < group->tuning.grid.count; i++) {
		if (group->tuning.point[i].place != FRONT_ON) {
			continue;
		}
		if (first == PAGE_NO_CELL ||
		    at(group, i, TUNING_LATENCY)->median < at(group, first, TUNING_LATENCY)->median) {
			first = i;
		}
		if (last == PAGE_NO_CELL ||
		    at(group, i, TUNING_LATENCY)->median > at(group, last, TUNING_LATENCY)->median) {
			last = i;
		}
	}
	if (page_has_knee(group)) {
		label(plot, group->tuning.knee);
	}
	if (first != PAGE_NO_CELL) {
		label(plot, first);
		label(plot, last);
	}
	for (unsigned place = FRONT_LEFT_OUT; place <= FRONT_BEHIND; place++) {
		for (unsigned i = 0; i < group->tuning.grid.count; i++) {
			if (group->tuning.point[i].place == place) {
				label(plot, i);
			}
		}
	}
}

static void put_points(const struct page_group *group, const char *name, unsigned places, FILE *out)
{
	fprintf(out, "$%s << EOD\n", name);
	for (unsigned i = 0; i < group->tuning.grid.count; i++) {
		if (is_drawn(group, i) && places & (1u << group->tuning.point[i].place)) {
			drawing_put_milli(out, at(group, i, TUNING_LATENCY)->median);
			putc(' ', out);
			drawing_put_milli(out, at(group, i, page_cost(group))->median);
			putc('\n', out);
		}
	}
	fputs("EOD\n", out);
}

static void put_ends(const struct front_value *value, FILE *out)
{
	putc(' ', out);
	drawing_put_milli(out, value->has_interval ? value->value.low : value->value.median);
	putc(' ', out);
	drawing_put_milli(out, value->has_interval ? value->value.high : value->value.median);
}

static unsigned put_intervals(const struct page_group *group, FILE *out)
{
	unsigned count = 0;

	fputs("$intervals << EOD\n", out);
	for (unsigned i = 0; i < group->tuning.grid.count; i++) {
		const struct front_point *const point = &group->tuning.point[i];

		if (!is_drawn(group, i) ||
		    !(point->axis[TUNING_LATENCY].has_interval || point->axis[page_cost(group)].has_interval)) {
			continue;
		}
		drawing_put_milli(out, point->axis[TUNING_LATENCY].value.median);
		putc(' ', out);
		drawing_put_milli(out, point->axis[page_cost(group)].value.median);
		put_ends(&point->axis[TUNING_LATENCY], out);
		put_ends(&point->axis[page_cost(group)], out);
		putc('\n', out);
		count++;
	}
	fputs("EOD\n", out);
	return count;
}

static void put_labels(const struct front_plot *plot, FILE *out)
{
	for (unsigned i = 0; i < plot->label_count; i++) {
		const unsigned cell = plot->label[i];
		const int64_t x = at(plot->group, cell, TUNING_LATENCY)->median;

		fputs("set label ", out);
		put_setting_label(plot->group, cell, out);
		fputs(" at ", out);
		drawing_put_milli(out, x);
		putc(',', out);
		drawing_put_milli(out, at(plot->group, cell, page_cost(plot->group))->median);
		fprintf(out, " %s front\n",
			drawing_position(&plot->x, x) > 600 ? "right offset 0.3,-1.1" : "left offset 0.6,0.8");
	}
}

static unsigned count_places(const struct page_group *group, unsigned places)
{
	unsigned count = 0;

	for (unsigned i = 0; i < group->tuning.grid.count; i++) {
		count += is_drawn(group, i) && places & (1u << group->tuning.point[i].place);
	}
	return count;
}

static void put_knee(const struct page_group *group, FILE *out)
{
	fputs("$knee << EOD\n", out);
	drawing_put_milli(out, at(group, group->tuning.knee, TUNING_LATENCY)->median);
	putc(' ', out);
	drawing_put_milli(out, at(group, group->tuning.knee, page_cost(group))->median);
	fputs("\nEOD\n", out);
}

/* What a plot of the front is made of, each with its entry of the key; the data of a layer has its name. */
struct layer {
	const char *name;
	bool is_there;
	const char *how; /* after "using"; @ stands for the shape of what was measured, or of a model */
};

static void put_layers(const struct layer *layer, unsigned count, const char *shape, FILE *out)
{
	const char *before = "plot ";

	for (unsigned i = 0; i < count; i++) {
		if (!layer[i].is_there) {
			continue;
		}
		fprintf(out, "%s$%s using ", before, layer[i].name);
		for (const char *how = layer[i].how; *how; how++) {
			if (*how == '@') {
				fputs(shape, out);
			} else {
				putc(*how, out);
			}
		}
		before = ", ";
	}
	putc('\n', out);
}

static void put_front_layers(const struct page_group *group, bool has_intervals, FILE *out)
{
	const bool has_front = count_places(group, 1u << FRONT_ON) > 0;
	const struct layer layers[] = {
		{ "front", has_front, "1:2 smooth unique with lines dashtype 2 linecolor rgb '" DRAWING_BLUE "'" },
		{ "intervals", has_intervals,
		  "1:2:3:4:5:6 with xyerrorbars pointtype 0 linecolor rgb '" DRAWING_GREY "' title '95 % interval'" },
		{ "behind", count_places(group, BEHIND) > 0,
		  "1:2 with points pointtype 2 pointsize 0.8 linecolor rgb '" DRAWING_GREY
		  "' title 'beaten by another'" },
		{ "apart", count_places(group, 1u << FRONT_LEFT_OUT) > 0,
		  "1:2 with points pointtype @ pointsize 0.8 linecolor rgb '" DRAWING_GREY "' title 'not compared'" },
		{ "front", has_front,
		  "1:2 with points pointtype @ linewidth 2 linecolor rgb '" DRAWING_BLUE "' title 'beaten by none'" },
		{ "knee", page_has_knee(group),
		  "1:2 with points pointtype 4 pointsize 2.2 linewidth 2 linecolor rgb '" DRAWING_ORANGE
		  "' title 'where it bends'" },
	};
	const unsigned count = sizeof(layers) / sizeof(layers[0]);
	unsigned entries = 0;

	for (unsigned i = 1; i < count; i++) {
		entries += layers[i].is_there;
	}
	drawing_put_key(out, entries, 2);
	/* Open and filled circles. */
	put_layers(layers, count, group->tuning.grid.source == RUN_MODEL ? "6" : "7", out);
}

bool page_plot_front(const struct page_group *group, FILE *out)
{
	struct front_plot plot = { .group = group };

	for (unsigned i = 0; i < group->tuning.grid.count; i++) {
		if (is_drawn(group, i)) {
			widen_by(&plot.x, &group->tuning.point[i].axis[TUNING_LATENCY]);
			widen_by(&plot.y, &group->tuning.point[i].axis[page_cost(group)]);
		}
	}
	if (!plot.x.is_known) {
		return false;
	}
	choose_labels(&plot);
	drawing_begin(out, 400);
	put_source(group, out);
	drawing_put_axis(out, 'x', &plot.x,
			 group->latency == RUN_RTT ? "p99 of the round trip, us" : "p99 one way, us");
	drawing_put_axis(out, 'y', &plot.y, page_cost_name(group));
	put_points(group, "front", 1u << FRONT_ON, out);
	put_points(group, "behind", BEHIND, out);
	put_points(group, "apart", 1u << FRONT_LEFT_OUT, out);
	const unsigned intervals = put_intervals(group, out);

	if (page_has_knee(group)) {
		put_knee(group, out);
	}
	put_labels(&plot, out);
	put_front_layers(group, intervals > 0, out);
	return true;
}

/* ---- distributions ---- */

/* Those of the chosen that have latencies. */
static unsigned choose_with_latency(const struct page_group *group, unsigned max, unsigned chosen[])
{
	const unsigned count = page_choose(group, max, chosen);
	unsigned kept = 0;

	for (unsigned i = 0; i < count; i++) {
		if (page_cell(group, chosen[i])->latency && page_cell(group, chosen[i])->latency->count) {
			chosen[kept++] = chosen[i];
		}
	}
	return kept;
}

static void put_row_labels(const struct page_group *group, const unsigned *row, unsigned count, FILE *out)
{
	fputs("set ytics (", out);
	for (unsigned i = 0; i < count; i++) {
		fputs(i ? ", " : "", out);
		put_setting_label(group, row[i], out);
		fprintf(out, " %u", count - i);
	}
	fprintf(out, ")\nset yrange [0.4:%u.6]\n", count);
}

static void put_percentiles(const struct page_group *group, const unsigned *row, unsigned count, FILE *out)
{
	static const unsigned ppm[] = { 10000, 250000, 500000, 750000, 990000 };

	fputs("$rows << EOD\n", out);
	for (unsigned i = 0; i < count; i++) {
		fprintf(out, "%u", count - i);
		for (unsigned j = 0; j < sizeof(ppm) / sizeof(ppm[0]); j++) {
			putc(' ', out);
			drawing_put_milli(out, histogram_percentile(page_cell(group, row[i])->latency, ppm[j]));
		}
		putc('\n', out);
	}
	fputs("EOD\n", out);
}

static struct drawing_range range_of_latencies(const struct page_group *group, const unsigned *row, unsigned count)
{
	struct drawing_range range = { 0, 0, false };

	for (unsigned i = 0; i < count; i++) {
		drawing_widen(&range, histogram_percentile(page_cell(group, row[i])->latency, 10000));
		drawing_widen(&range, histogram_percentile(page_cell(group, row[i])->latency, 990000));
	}
	return range;
}

static const char *latency_axis(const struct page_group *group)
{
	return group->latency == RUN_RTT ? "round trip, us" : "one way, us";
}

bool page_plot_latency(const struct page_group *group, FILE *out)
{
	unsigned row[ROWS_MAX];
	const unsigned count = choose_with_latency(group, ROWS_MAX, row);

	if (count == 0) {
		return false;
	}
	const struct drawing_range range = range_of_latencies(group, row, count);
	const char *const fill = group->tuning.grid.source == RUN_MODEL ? "empty" : "solid 0.5";

	drawing_begin(out, 150 + ROW_HEIGHT * count);
	put_source(group, out);
	drawing_put_key(out, 3, 3);
	drawing_put_axis(out, 'x', &range, latency_axis(group));
	put_row_labels(group, row, count, out);
	put_percentiles(group, row, count, out);
	fprintf(out,
		"plot $rows using 2:1:($6-$2):(0) with vectors nohead linewidth 1.5 linecolor rgb '" DRAWING_GREY
		"' title 'p1 to p99', $rows using 4:1:3:5:($1-0.27):($1+0.27) with boxxyerror linecolor rgb "
		"'" DRAWING_BLUE
		"' fillstyle %s border title 'p25 to p75', $rows using 4:($1-0.36):(0):(0.72) with vectors nohead "
		"linewidth 3 linecolor rgb '" DRAWING_ORANGE "' title 'median'\n",
		fill);
	return true;
}

/* Of a key: two only where the labels leave room for it. */
static unsigned columns_for(const struct page_group *group, const unsigned *row, unsigned count)
{
	char text[PAGE_TEXT_MAX];
	unsigned columns = 2;

	for (unsigned i = 0; i < count; i++) {
		if (strlen(page_setting(group, row[i], text)) > 16) {
			columns = 1;
		}
	}
	return columns;
}

bool page_plot_curves(const struct page_group *group, FILE *out)
{
	static const char *const colors[CURVES_MAX] = { DRAWING_BLUE,   DRAWING_ORANGE, DRAWING_GREEN,
							DRAWING_PURPLE, DRAWING_YELLOW, DRAWING_GREY };
	unsigned row[CURVES_MAX];
	const unsigned count = choose_with_latency(group, CURVES_MAX, row);

	if (count == 0) {
		return false;
	}
	const struct drawing_range range = range_of_latencies(group, row, count);
	const unsigned columns = columns_for(group, row, count);

	drawing_begin(out, 360 + 20 * (count / columns));
	put_source(group, out);
	drawing_put_key(out, count, columns);
	drawing_put_axis(out, 'x', &range, latency_axis(group));
	fputs("set yrange [0:100]\nset ylabel 'share that took at most so long, %'\n", out);
	for (unsigned i = 0; i < count; i++) {
		fprintf(out, "$curve%u << EOD\n", i);
		for (unsigned percent = 1; percent <= 99; percent++) {
			drawing_put_milli(out,
					  histogram_percentile(page_cell(group, row[i])->latency, 10000 * percent));
			fprintf(out, " %u\n", percent);
		}
		fputs("EOD\n", out);
	}
	fputs("plot ", out);
	for (unsigned i = 0; i < count; i++) {
		fprintf(out, "%s$curve%u using 1:2 with lines linewidth 2 dashtype %u linecolor rgb '%s' title ",
			i ? ", " : "", i, i + 1 > 5 ? 1 : i + 1, colors[i]);
		put_setting_label(group, row[i], out);
	}
	putc('\n', out);
	return true;
}

/* ---- stages ---- */

static bool has_stages(const struct page_cell *cell)
{
	for (unsigned i = 0; i < PAGE_STAGES; i++) {
		if (cell->stage_count[i] == 0) {
			return false;
		}
	}
	return true;
}

static int64_t stage_mean(const struct page_cell *cell, unsigned stage)
{
	return (int64_t)(cell->stage_sum_ns[stage] / cell->stage_count[stage]);
}

bool page_plot_stages(const struct page_group *group, FILE *out)
{
	static const char *const titles[PAGE_STAGES] = { "NIC to interrupt", "interrupt to poll",
							 "poll to application" };
	static const char *const fills[PAGE_STAGES] = { "solid 0.75", "pattern 4", "pattern 1" };
	static const char *const colors[PAGE_STAGES] = { DRAWING_BLUE, DRAWING_YELLOW, DRAWING_GREEN };
	unsigned row[ROWS_MAX], count = 0;
	const unsigned chosen = page_choose(group, ROWS_MAX, row);
	int64_t most = 0;

	for (unsigned i = 0; i < chosen; i++) {
		if (has_stages(page_cell(group, row[i]))) {
			row[count++] = row[i];
		}
	}
	if (count == 0) {
		return false;
	}
	drawing_begin(out, 180 + ROW_HEIGHT * count);
	put_source(group, out);
	drawing_put_key(out, PAGE_STAGES, 2);
	fputs("$rows << EOD\n", out);
	for (unsigned i = 0; i < count; i++) {
		int64_t sum = 0;

		fprintf(out, "%u 0", count - i);
		for (unsigned stage = 0; stage < PAGE_STAGES; stage++) {
			sum += stage_mean(page_cell(group, row[i]), stage);
			putc(' ', out);
			drawing_put_milli(out, sum);
		}
		most = sum > most ? sum : most;
		putc('\n', out);
	}
	fputs("EOD\n", out);
	drawing_put_axis(out, 'x', &(struct drawing_range){ 0, most, true }, "mean, us");
	put_row_labels(group, row, count, out);
	fputs("plot ", out);
	for (unsigned stage = 0; stage < PAGE_STAGES; stage++) {
		fprintf(out,
			"%s$rows using %u:1:%u:%u:($1-0.33):($1+0.33) with boxxyerror linecolor rgb '%s' fillstyle %s "
			"border title '%s'",
			stage ? ", " : "", stage + 2, stage + 2, stage + 3, colors[stage], fills[stage], titles[stage]);
	}
	putc('\n', out);
	return true;
}
