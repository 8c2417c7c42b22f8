/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the writers of a page share: the columns of its table, its sentences, and which settings a plot has room for. */
#ifndef HOLDOFF_PAGE_PAGE_PRIVATE_H
#define HOLDOFF_PAGE_PAGE_PRIVATE_H

#include "page/page.h"

#define PAGE_TEXT_MAX 1280 /* of a cell of a table or a sentence */
#define PAGE_OVERVIEW_MAX 128
#define PAGE_NO_CELL GRID_CELLS_MAX

struct page_view {
	const struct page *page;
	const struct page_group *group;
	unsigned cell;
};

enum page_part { PAGE_MIDDLE, PAGE_LOW, PAGE_HIGH, PAGE_KIND, PAGE_FOR_PEOPLE };

/*
 * A column of the tables of settings: in HTML and Markdown where it has a heading, in CSV where it has a key. print gives
 * "" for what was not observed.
 */
struct page_column {
	const char *key, *heading;
	bool is_number;
	void (*print)(const struct page_column *column, const struct page_view *view, char text[PAGE_TEXT_MAX]);
	enum tuning_axis axis; /* for print, */
	enum page_part part;
	unsigned ppm; /* and for percentiles */
	bool is_transmit;
};

const struct page_column *page_columns(unsigned *count);
/* Whether any setting of the group has something there. */
bool page_column_is_used(const struct page *page, const struct page_group *group, const struct page_column *column);

/* What the page keeps of the cell at that place of the grid. */
const struct page_cell *page_cell(const struct page_group *group, unsigned cell);
/* "rx-usecs 100", or "as it is" for a setting without words. Returns text. */
char *page_setting(const struct page_group *group, unsigned cell, char text[PAGE_TEXT_MAX]);
/* "round trip" or "one way". */
const char *page_latency_name(const struct page_group *group);
/* Of one CPU; else, where each frame waits for the last one's reply, CPU time is that for each frame. */
bool page_cpu_is_share(const struct page_group *group);
bool page_has_knee(const struct page_group *group);
/* What latency is held against in a plot: CPU time; where that was not observed, interrupts. */
enum tuning_axis page_cost(const struct page_group *group);
const char *page_cost_name(const struct page_group *group); /* with its unit */
const char *page_place_name(enum front_place place);        /* "front", "behind", ... */
/* What kind of moderation is in effect, by the model of the chip, and its time; NULL: nobody knows, as of a real NIC. */
const char *page_effective(const struct run_conditions *conditions, bool is_transmit, int64_t *ns);
/* Whether any setting of the group has the figure. */
bool page_has(const struct page_group *group, enum tuning_axis axis);

/* Sentences, without markup: one call for each. */
typedef void page_say_fn(void *context, const char *sentence);
void page_say_all(const struct page *page, page_say_fn *say, void *context);
void page_say_group(const struct page_group *group, page_say_fn *say, void *context);

/* A group in a line. */
struct page_overview {
	char latency[PAGE_OVERVIEW_MAX], cpu[PAGE_OVERVIEW_MAX]; /* "62.2 to 1335.3 us"; "" where not observed */
	char verdict[PAGE_TEXT_MAX];
};

void page_overview(const struct page_group *group, struct page_overview *overview);

/*
 * At most max cells, in the order of settings: all, or where there are more the ends, the knee, and others as evenly as
 * that goes. Returns how many.
 */
unsigned page_choose(const struct page_group *group, unsigned max, unsigned chosen[]);

/* ---- plots: scripts for gnuplot, written to `out`. False: there is nothing to draw, and nothing was written. ---- */

bool page_plot_front(const struct page_group *group, FILE *out);
bool page_plot_latency(const struct page_group *group, FILE *out);
bool page_plot_curves(const struct page_group *group, FILE *out);
bool page_plot_stages(const struct page_group *group, FILE *out);
/* Of all groups of a subject. */
bool page_plot_effective(const struct page *page, unsigned subject, bool is_transmit, FILE *out);
bool page_plot_map(const struct page *page, unsigned subject, enum tuning_axis axis, FILE *out);

/* What a plot leaves out, as a sentence, or "". */
void page_map_note(const struct page *page, unsigned subject, char text[PAGE_TEXT_MAX]);

#endif
