/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tune/grid.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/repeat.h"

void grid_begin(struct grid *grid, const struct figure *const *figures, unsigned axes)
{
	assert(axes >= 1 && axes <= FRONT_AXES_MAX);
	memset(grid, 0, offsetof(struct grid, cell)); /* cells when they are used: most of them never are */
	grid->axes = axes;
	memcpy(grid->figure, figures, axes * sizeof(*figures));
}

static void __attribute__((format(printf, 2, 3))) add(char text[GRID_SUBJECT_MAX], const char *format, ...)
{
	const size_t length = strlen(text);
	va_list list;

	va_start(list, format);
	vsnprintf(text + length, GRID_SUBJECT_MAX - length, format, list);
	va_end(list);
}

/* As far as it is not as usual. */
static void add_circumstances(char text[GRID_SUBJECT_MAX], const struct run_conditions *conditions)
{
	if (conditions->irq_cpu != 0) {
		add(text, ", interrupts on CPU %u", conditions->irq_cpu);
	}
	if (conditions->app_cpu != conditions->irq_cpu) {
		add(text, ", application on CPU %u", conditions->app_cpu);
	}
	if (conditions->hops || conditions->propagation_ns) {
		add(text, ", %u hops of %" PRId64 " ns", conditions->hops, conditions->propagation_ns);
	}
	for (unsigned i = 0; i < conditions->assume_count; i++) {
		add(text, ", %s=%" PRId64, conditions->assumes[i].name, conditions->assumes[i].value);
	}
}

/* What has to be the same for settings to be compared. */
static void print_subject(char text[GRID_SUBJECT_MAX], const struct run *run, const char *machine)
{
	const struct run_conditions *const conditions = &run->conditions;
	const bool is_model = conditions->source == RUN_MODEL;

	text[0] = '\0';
	add(text, "%s%s, driver %s, host %s, peer %s, %u Mb/s", is_model ? "MODEL " : conditions->measured.device,
	    is_model ? conditions->board : "", conditions->driver, is_model ? conditions->host : machine,
	    is_model ? conditions->peer : conditions->measured.peer_host, conditions->speed_mbps);
	if (is_model) {
		add(text, ", %u CPU%s", conditions->cpus, conditions->cpus == 1 ? "" : "s");
		add_circumstances(text, conditions);
	}
	if (conditions->shared_host) {
		add(text, ", both ends on one host");
	}
}

static bool is_like(const struct grid *grid, const struct run *run, const char *subject, const char *workload)
{
	return grid->subject[0] == '\0' ||
	       (grid->source == run->conditions.source && strcmp(grid->subject, subject) == 0 &&
		strcmp(grid->workload, workload) == 0);
}

/* Of what an adaptive driver moves by itself a readout says what it was at that moment. */
static struct coalesce in_force(const struct run_conditions *conditions)
{
	static const struct {
		enum coalesce_field adaptive, moved[2];
	} sides[] = {
		{ COALESCE_ADAPTIVE_RX, { COALESCE_RX_USECS, COALESCE_RX_FRAMES } },
		{ COALESCE_ADAPTIVE_TX, { COALESCE_TX_USECS, COALESCE_TX_FRAMES } },
	};
	struct coalesce settings = conditions->reports_settings ? conditions->reported : conditions->requested;

	for (unsigned side = 0; side < 2; side++) {
		for (unsigned i = 0; settings.value[sides[side].adaptive] && i < 2; i++) {
			settings.present &= ~COALESCE_BIT(sides[side].moved[i]);
			settings.value[sides[side].moved[i]] = 0;
		}
	}
	return settings;
}

bool grid_are_same(const struct grid_cell *a, const struct grid_cell *b)
{
	return coalesce_difference(&a->settings, &b->settings) == 0 && coalesce_difference(&a->peer, &b->peer) == 0 &&
	       a->gro_flush_timeout_ns == b->gro_flush_timeout_ns && a->defer_hard_irqs == b->defer_hard_irqs;
}

static struct grid_cell *find_cell(struct grid *grid, const struct run_conditions *conditions)
{
	const struct grid_cell new_cell = { .settings = in_force(conditions),
					    .gro_flush_timeout_ns = conditions->gro_flush_timeout_ns,
					    .defer_hard_irqs = conditions->defer_hard_irqs,
					    .peer = conditions->peer_requested,
					    .number = grid->count };

	for (unsigned i = 0; i < grid->count; i++) {
		if (grid_are_same(&grid->cell[i], &new_cell)) {
			return &grid->cell[i];
		}
	}
	if (grid->count == GRID_CELLS_MAX) {
		grid->cells_left_out++;
		return NULL;
	}
	grid->cell[grid->count] = new_cell;
	return &grid->cell[grid->count++];
}

static void put(struct grid_values *values, unsigned axis, int64_t value)
{
	if (values->count[axis] < INTERVAL_VALUES_MAX) {
		values->value[axis][values->count[axis]++] = value;
	}
}

/*
 * The same seed and the same figures as a run before it. Runs of a cell all have a figure or lack it, as their subject and
 * workload are the same, so values at one place are of one run.
 */
static bool is_again(const struct grid *grid, const struct grid_cell *cell, const struct run *run)
{
	for (unsigned i = 0; i < cell->runs && i < INTERVAL_VALUES_MAX; i++) {
		bool is_same = cell->seed[i] == run->conditions.seed;

		for (unsigned axis = 0; is_same && axis < grid->axes; axis++) {
			int64_t value;

			if (grid->figure[axis]->read(run, grid->figure[axis], &value)) {
				is_same = i < cell->of_runs.count[axis] && cell->of_runs.value[axis][i] == value;
			}
		}
		if (is_same) {
			return true;
		}
	}
	return false;
}

static void note_samples(struct grid_cell *cell, unsigned axis, uint64_t samples)
{
	if (cell->least_samples[axis] == 0 || samples < cell->least_samples[axis]) {
		cell->least_samples[axis] = samples;
	}
}

static void add_values(const struct grid *grid, struct grid_cell *cell, const struct run *run)
{
	for (unsigned axis = 0; axis < grid->axes; axis++) {
		const struct figure *const figure = grid->figure[axis];
		int64_t value;

		if (!figure->read(run, figure, &value)) {
			continue;
		}
		put(&cell->of_runs, axis, value);
		note_samples(cell, axis, figure_samples(run, figure));
		for (unsigned i = 0; i < run->conditions.measured.repeat_count; i++) {
			if (run_repeat_figure(run, i, figure, &value)) {
				put(&cell->of_repeats, axis, value);
			}
		}
	}
}

static void add_to_cell(struct grid *grid, struct grid_cell *cell, const struct run *run)
{
	const bool is_model = run->conditions.source == RUN_MODEL;

	if (is_model && is_again(grid, cell, run)) {
		cell->again++;
		return;
	}
	add_values(grid, cell, run);
	grid->counted_in = cell->number;
	if (cell->runs < INTERVAL_VALUES_MAX) {
		cell->seed[cell->runs] = run->conditions.seed;
	}
	cell->runs++;
	cell->tainted += !is_model && run->conditions.measured.taint_count > 0;
}

bool grid_add(struct grid *grid, const struct run *run, const char *machine, bool is_today)
{
	const struct run_conditions *const conditions = &run->conditions;
	char subject[GRID_SUBJECT_MAX], workload[WORKLOAD_TEXT_MAX];

	print_subject(subject, run, machine);
	workload_print(&conditions->workload, workload);
	if (!is_like(grid, run, subject, workload)) {
		return false;
	}
	grid->source = conditions->source;
	memcpy(grid->subject, subject, sizeof(grid->subject));
	memcpy(grid->workload, workload, sizeof(grid->workload));
	grid->counted_in = GRID_CELLS_MAX;
	if (conditions->source == RUN_MEASURED && conditions->measured.is_incomplete) {
		grid->incomplete++;
		return true;
	}
	struct grid_cell *const cell = find_cell(grid, conditions);

	if (cell) {
		cell->is_today |= is_today;
		add_to_cell(grid, cell, run);
	}
	return true;
}

/* A single run says nothing of how runs differ: then its repeats have to do, as far as they have the figure. */
static struct front_value conclude_axis(struct grid_cell *cell, unsigned axis)
{
	const bool is_of_repeats = cell->is_of_repeats && cell->of_repeats.count[axis] > 0;
	struct grid_values *const values = is_of_repeats ? &cell->of_repeats : &cell->of_runs;
	struct front_value value = { .is_known = values->count[axis] > 0 };

	value.has_interval = interval_of_median(values->value[axis], values->count[axis], &value.value);
	return value;
}

/* By the first setting that differs; not given comes before 0. */
static int compare_settings(const struct coalesce *a, const struct coalesce *b)
{
	const uint32_t different = coalesce_difference(a, b);

	for (enum coalesce_field field = 0; different && field < COALESCE_FIELDS; field++) {
		if (!(different & COALESCE_BIT(field))) {
			continue;
		}
		if (!coalesce_has(a, field) || !coalesce_has(b, field)) {
			return coalesce_has(a, field) ? 1 : -1;
		}
		return a->value[field] < b->value[field] ? -1 : 1;
	}
	return 0;
}

static int compare_cells(const void *a_cell, const void *b_cell)
{
	const struct grid_cell *const a = a_cell, *const b = b_cell;
	const int by_settings = compare_settings(&a->settings, &b->settings);

	if (by_settings) {
		return by_settings;
	}
	if (a->gro_flush_timeout_ns != b->gro_flush_timeout_ns) {
		return a->gro_flush_timeout_ns < b->gro_flush_timeout_ns ? -1 : 1;
	}
	if (a->defer_hard_irqs != b->defer_hard_irqs) {
		return a->defer_hard_irqs < b->defer_hard_irqs ? -1 : 1;
	}
	return compare_settings(&a->peer, &b->peer);
}

static void sort_cells(struct grid *grid)
{
	grid->varied = grid->peer_varied = 0;
	grid->varies_deferral = false;
	for (unsigned i = 1; i < grid->count; i++) {
		const struct grid_cell *const first = &grid->cell[0], *const other = &grid->cell[i];

		grid->varied |= coalesce_difference(&first->settings, &other->settings);
		grid->peer_varied |= coalesce_difference(&first->peer, &other->peer);
		grid->varies_deferral |= first->gro_flush_timeout_ns != other->gro_flush_timeout_ns ||
					 first->defer_hard_irqs != other->defer_hard_irqs;
	}
	qsort(grid->cell, grid->count, sizeof(grid->cell[0]), compare_cells);
}

char *grid_cell_print(const struct grid *grid, const struct grid_cell *cell, char buffer[COALESCE_TEXT_MAX])
{
	const bool is_alone = grid->count == 1;
	struct coalesce settings = cell->settings, peer = cell->peer;
	char text[COALESCE_TEXT_MAX];
	size_t length;

	settings.present &= is_alone ? UINT32_MAX : grid->varied;
	coalesce_print(&settings, buffer);
	length = strlen(buffer);
	if (grid->varies_deferral || (is_alone && (cell->gro_flush_timeout_ns || cell->defer_hard_irqs))) {
		length += (size_t)snprintf(buffer + length, COALESCE_TEXT_MAX - length,
					   "%sgro-flush-timeout %" PRId64 " defer-hard-irqs %" PRIu32,
					   length ? " " : "", cell->gro_flush_timeout_ns, cell->defer_hard_irqs);
	}
	peer.present &= is_alone ? UINT32_MAX : grid->peer_varied;
	if (peer.present && length < COALESCE_TEXT_MAX) {
		length += (size_t)snprintf(buffer + length, COALESCE_TEXT_MAX - length, "%speer %s", length ? " " : "",
					   coalesce_print(&peer, text));
	}
	if (length == 0) {
		snprintf(buffer, COALESCE_TEXT_MAX, "as it is");
	}
	return buffer;
}

void grid_conclude(struct grid *grid, struct front_point *points)
{
	sort_cells(grid);
	for (unsigned i = 0; i < grid->count; i++) {
		struct grid_cell *const cell = &grid->cell[i];

		cell->is_of_repeats = false;
		for (unsigned axis = 0; axis < grid->axes; axis++) {
			cell->is_of_repeats |= cell->runs == 1 && cell->of_repeats.count[axis] > 1;
		}
		memset(&points[i], 0, sizeof(points[i]));
		for (unsigned axis = 0; axis < grid->axes; axis++) {
			points[i].axis[axis] = conclude_axis(cell, axis);
		}
	}
}
