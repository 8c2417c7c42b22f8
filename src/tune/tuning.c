/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tune/tuning.h"

#include <assert.h>
#include <string.h>

#include "base/wide.h"
#include "tune/tuning_private.h"

#define EQUAL_PERCENT 1

/* ---- figures ---- */

static const struct figure *find(const char *name)
{
	const struct figure *figure = NULL;
	const int ret = figure_find(name, &figure, NULL);

	assert(ret == 0);
	(void)ret;
	return figure;
}

static bool begins(const struct figure *figure, const char *beginning)
{
	return strncmp(figure->name, beginning, strlen(beginning)) == 0;
}

/* Of the figures that a setting is told by, the one that this may stand for; TUNING_TOLD: none. */
static enum tuning_axis kind_of(const struct figure *figure)
{
	if (begins(figure, "rtt-") || begins(figure, "one-way-") || begins(figure, "send-to-recv-")) {
		return TUNING_LATENCY;
	}
	if (strstr(figure->name, "-busy") || strstr(figure->name, "-per-frame")) {
		return TUNING_CPU;
	}
	return begins(figure, "goodput") ? TUNING_THROUGHPUT : TUNING_TOLD;
}

static const struct figure *usual_latency(const struct run *run)
{
	return find(run->findings.has & (1u << RUN_RTT) ? "rtt-p99" : "one-way-p99");
}

/* Rule 5. */
static const struct figure *usual_cpu(const struct run *run)
{
	const struct workload *const workload = &run->conditions.workload;
	const bool waits =
		workload->kind == WORKLOAD_TFTP ||
		((workload->kind == WORKLOAD_PING || workload->kind == WORKLOAD_RR) && workload->interval_ns == 0);

	if (!waits) {
		return find("cpu-busy");
	}
	return find(run->conditions.source == RUN_MODEL ? "cpu-per-frame" : "irq-time-per-frame");
}

struct axes {
	const struct run *run;
	unsigned count;
	const struct figure *figure[FRONT_AXES_MAX];
	bool is_named[TUNING_TOLD];
};

/* The axis of a figure, a new one if need be. What is named first, and was observed, stands for its kind. */
static unsigned place(struct axes *axes, const struct figure *wanted)
{
	const enum tuning_axis kind = kind_of(wanted);
	int64_t value;

	if (kind < TUNING_TOLD && !axes->is_named[kind] && wanted->read(axes->run, wanted, &value)) {
		axes->is_named[kind] = true;
		axes->figure[kind] = wanted;
	}
	if (kind < TUNING_TOLD && axes->figure[kind] == wanted) {
		return kind;
	}
	for (unsigned i = TUNING_FURTHER; i < axes->count; i++) {
		if (axes->figure[i] == wanted) {
			return i;
		}
	}
	assert(axes->count < FRONT_AXES_MAX);
	axes->figure[axes->count] = wanted;
	return axes->count++;
}

/* Rule 3. */
static bool limits_cpu(const struct goal *goal)
{
	bool is_limited = false;

	for (unsigned i = 0; i < goal->count; i++) {
		is_limited |= kind_of(goal->limit[i].figure) == TUNING_CPU;
	}
	return is_limited;
}

static unsigned place_objective(const struct tuning_question *question, struct axes *axes)
{
	if (question->objective) {
		return place(axes, question->objective);
	}
	if (question->is_latency_wanted || question->is_cpu_wanted) {
		return question->is_latency_wanted ? TUNING_LATENCY : TUNING_CPU;
	}
	if (question->goal.count == 0) {
		return TUNING_NONE;
	}
	return limits_cpu(&question->goal) ? TUNING_LATENCY : TUNING_CPU;
}

void tuning_begin(struct tuning *tuning, const struct tuning_question *question, const struct run *first)
{
	struct axes axes = {
		.run = first,
		.count = TUNING_FURTHER,
		.figure = { [TUNING_LATENCY] = usual_latency(first),
			    [TUNING_CPU] = usual_cpu(first),
			    [TUNING_THROUGHPUT] = find("goodput"),
			    [TUNING_FRAMES_PER_IRQ] = find("frames-per-irq"),
			    [TUNING_IRQ_MASKED] = find("irq-masked"),
			    [TUNING_BUSY] = find("cpu-busy"),
			    [TUNING_IRQ_RATE] = find("irq-rate"),
			    [TUNING_TX_RATE] = find("tx-rate") },
	};

	static_assert(TUNING_FURTHER + GOAL_LIMITS_MAX + 1 <= FRONT_AXES_MAX,
		      "an axis for each limit and the objective");
	tuning->question = *question;
	tuning->is_sent = first->conditions.workload.direction == WORKLOAD_TX &&
			  usual_latency(first) != find("rtt-p99");
	for (unsigned i = 0; i < question->goal.count; i++) {
		tuning->limit_axis[i] = place(&axes, question->goal.limit[i].figure);
	}
	tuning->objective_axis = place_objective(question, &axes);
	tuning->more_is_better = question->objective ? question->maximise : false;
	grid_begin(&tuning->grid, axes.figure, axes.count);
}

bool tuning_add(struct tuning *tuning, const struct run *run, const char *machine, bool is_today)
{
	return grid_add(&tuning->grid, run, machine, is_today);
}

/* ---- values ---- */

int64_t tuning_low(const struct front_value *value)
{
	return value->has_interval ? value->value.low : value->value.median;
}

int64_t tuning_high(const struct front_value *value)
{
	return value->has_interval ? value->value.high : value->value.median;
}

int64_t tuning_percent_of(int64_t value, unsigned percent)
{
	return value > 0 ? (int64_t)wide_scale_to_nearest((uint64_t)value, percent, 100) : 0;
}

bool tuning_are_alike(const struct front_value *value, const struct front_value *other)
{
	const int64_t difference = value->value.median - other->value.median;

	if (!value->is_known || !other->is_known) {
		return false;
	}
	if (value->has_interval && other->has_interval) {
		return tuning_low(value) <= tuning_high(other) && tuning_low(other) <= tuning_high(value);
	}
	return (difference < 0 ? -difference : difference) <= tuning_percent_of(other->value.median, EQUAL_PERCENT);
}

/* ---- the front ---- */

/* Throughput that is the same everywhere only adds its noise: rule 4. */
static bool is_told(const struct tuning *tuning, enum tuning_axis axis)
{
	return tuning->matter[axis] != TUNING_NOT_KNOWN &&
	       (axis != TUNING_THROUGHPUT || tuning->matter[axis] == TUNING_MATTERS);
}

static void choose_axes(struct tuning *tuning)
{
	tuning->told_axes = tuning->front_axes = 0;
	for (enum tuning_axis axis = 0; axis < TUNING_TOLD; axis++) {
		tuning->matter[axis] = tuning_judge_axis(tuning, axis);
		if (!is_told(tuning, axis)) {
			continue;
		}
		tuning->told_axis[tuning->told_axes++] = axis;
		if (tuning->matter[axis] != TUNING_MATTERS_NOT) {
			tuning->front_axis[tuning->front_axes++] = axis;
		}
	}
}

static void find_front(struct tuning *tuning)
{
	struct front_point point[GRID_CELLS_MAX];
	struct front front = { .axes = tuning->front_axes, .count = tuning->grid.count, .point = point };

	memset(point, 0, sizeof(point));
	for (unsigned axis = 0; axis < front.axes; axis++) {
		front.more_is_better[axis] = tuning->front_axis[axis] == TUNING_THROUGHPUT;
		for (unsigned i = 0; i < front.count; i++) {
			point[i].axis[axis] = tuning->point[i].axis[tuning->front_axis[axis]];
		}
	}
	if (front.axes == 0 || front.count == 0) {
		return;
	}
	front_find(&front);
	for (unsigned i = 0; i < front.count; i++) {
		tuning->point[i].place = point[i].place;
		tuning->point[i].beaten_by = point[i].beaten_by;
	}
	const bool has_both = front.axes >= 2 && tuning->front_axis[0] == TUNING_LATENCY &&
			      tuning->front_axis[1] == TUNING_CPU;
	unsigned knee;

	if (has_both && front_knee(&front, 0, 1, &knee)) {
		tuning->knee = knee;
	}
}

bool tuning_are_equal(const struct tuning *tuning, uint32_t a, uint32_t b)
{
	for (unsigned i = 0; i < tuning->front_axes; i++) {
		const enum tuning_axis axis = tuning->front_axis[i];

		if (tuning->point[a].axis[axis].value.median != tuning->point[b].axis[axis].value.median) {
			return false;
		}
	}
	return true;
}

uint32_t tuning_find(const struct tuning *tuning, const struct grid_cell *cell)
{
	for (uint32_t i = 0; i < tuning->grid.count; i++) {
		if (grid_are_same(&tuning->grid.cell[i], cell)) {
			return i;
		}
	}
	return TUNING_NONE;
}

void tuning_conclude(struct tuning *tuning)
{
	tuning->pick = tuning->knee = tuning->nearest = TUNING_NONE;
	tuning->equals = 0;
	for (unsigned i = 0; i < TUNING_NEIGHBOURS; i++) {
		tuning->beside[i] = (struct tuning_beside){ .cell = TUNING_NONE };
	}
	grid_conclude(&tuning->grid, tuning->point);
	for (uint32_t i = 0; i < tuning->grid.count; i++) {
		if (tuning->grid.cell[i].is_today) {
			tuning->beside[TUNING_TODAY].cell = i;
		}
	}
	choose_axes(tuning);
	tuning->regime = tuning_find_regime(tuning);
	find_front(tuning);
	tuning_find_pick(tuning);
}
