/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tune/tuning.h"

#include <assert.h>
#include <string.h>

#include "base/wide.h"

#define MARGIN_PERCENT 5
#define MARGIN_LEAST_THOUSANDTHS 1000 /* 1 us, one percentage point */
#define EQUAL_PERCENT 1
#define MASKED_THOUSANDTHS 90000 /* percent: what Lunn's "the interrupt will be left disabled" is taken for */
#define EACH_THOUSANDTHS 1100    /* frames for each interrupt */
#define BUDGET_THOUSANDTHS 64000 /* NAPI's: more frames for each interrupt are several full polls in a row */

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
	if (strstr(figure->name, "-busy") || begins(figure, "cpu-per-frame")) {
		return TUNING_CPU;
	}
	return begins(figure, "goodput") ? TUNING_THROUGHPUT : TUNING_TOLD;
}

static const struct figure *usual_latency(const struct run *run)
{
	return find(run->findings.has & (1u << RUN_RTT) ? "rtt-p99" : "one-way-p99");
}

/* The axis of a figure, a new one if need be. What is named first stands for its kind. */
static unsigned place(const struct figure **figure, unsigned *count, bool *is_named, const struct figure *wanted)
{
	const enum tuning_axis kind = kind_of(wanted);

	for (unsigned i = 0; i < *count; i++) {
		if (figure[i] == wanted) {
			if (kind < TUNING_TOLD && kind == i) {
				is_named[kind] = true;
			}
			return i;
		}
	}
	if (kind < TUNING_TOLD && !is_named[kind]) {
		is_named[kind] = true;
		figure[kind] = wanted;
		return kind;
	}
	assert(*count < FRONT_AXES_MAX);
	figure[*count] = wanted;
	return (*count)++;
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

static unsigned place_objective(const struct tuning_question *question, const struct figure **figure, unsigned *count,
				bool *is_named)
{
	if (question->objective) {
		return place(figure, count, is_named, question->objective);
	}
	if (question->is_latency_wanted) {
		return TUNING_LATENCY;
	}
	if (question->goal.count == 0) {
		return TUNING_NONE;
	}
	return limits_cpu(&question->goal) ? TUNING_LATENCY : TUNING_CPU;
}

void tuning_begin(struct tuning *tuning, const struct tuning_question *question, const struct run *first)
{
	const struct figure *figure[FRONT_AXES_MAX] = {
		[TUNING_LATENCY] = usual_latency(first),  [TUNING_CPU] = find("cpu-busy"),
		[TUNING_THROUGHPUT] = find("goodput"),    [TUNING_FRAMES_PER_IRQ] = find("frames-per-irq"),
		[TUNING_IRQ_MASKED] = find("irq-masked"),
	};
	bool is_named[TUNING_TOLD] = { false };
	unsigned count = TUNING_FURTHER;

	static_assert(TUNING_FURTHER + GOAL_LIMITS_MAX + 1 <= FRONT_AXES_MAX,
		      "an axis for each limit and the objective");
	tuning->question = *question;
	for (unsigned i = 0; i < question->goal.count; i++) {
		tuning->limit_axis[i] = place(figure, &count, is_named, question->goal.limit[i].figure);
	}
	tuning->objective_axis = place_objective(question, figure, &count, is_named);
	tuning->more_is_better = question->objective ? question->maximise : false;
	grid_begin(&tuning->grid, figure, count);
}

bool tuning_add(struct tuning *tuning, const struct run *run, const char *machine, bool is_today)
{
	return grid_add(&tuning->grid, run, machine, is_today);
}

/* ---- whether it matters ---- */

static int64_t low(const struct front_value *value)
{
	return value->has_interval ? value->value.low : value->value.median;
}

static int64_t high(const struct front_value *value)
{
	return value->has_interval ? value->value.high : value->value.median;
}

static int64_t percent_of(int64_t value, unsigned percent)
{
	return value > 0 ? (int64_t)wide_scale_to_nearest((uint64_t)value, percent, 100) : 0;
}

static int64_t margin(const struct figure *figure, int64_t least)
{
	const int64_t share = percent_of(least, MARGIN_PERCENT);
	const bool has_floor = strcmp(figure->unit, "us") == 0 || strcmp(figure->unit, "%") == 0;

	return has_floor && share < MARGIN_LEAST_THOUSANDTHS ? MARGIN_LEAST_THOUSANDTHS : share;
}

/* Rule 4. */
static enum tuning_matter judge_axis(const struct tuning *tuning, unsigned axis)
{
	const struct front_value *least = NULL, *most = NULL;
	int64_t lowest = 0, highest = 0;

	for (unsigned i = 0; i < tuning->grid.count; i++) {
		const struct front_value *const value = &tuning->point[i].axis[axis];

		if (!value->is_known) {
			continue;
		}
		lowest = !least || low(value) < lowest ? low(value) : lowest;
		highest = !most || high(value) > highest ? high(value) : highest;
		least = !least || value->value.median < least->value.median ? value : least;
		most = !most || value->value.median > most->value.median ? value : most;
	}
	if (!least) {
		return TUNING_NOT_KNOWN;
	}
	const int64_t allowed = margin(tuning->grid.figure[axis], least->value.median);

	if (most->value.median - least->value.median > allowed && high(least) < low(most)) {
		return TUNING_MATTERS;
	}
	return highest - lowest <= allowed ? TUNING_MATTERS_NOT : TUNING_CANNOT_TELL;
}

/* ---- regimes ---- */

/* Whether all cells that know the axis are on one side of a bound; false when none knows it. */
static bool all(const struct tuning *tuning, unsigned axis, bool above, int64_t bound)
{
	unsigned known = 0;

	for (unsigned i = 0; i < tuning->grid.count; i++) {
		const struct front_value *const value = &tuning->point[i].axis[axis];

		if (value->is_known && (above ? value->value.median < bound : value->value.median > bound)) {
			return false;
		}
		known += value->is_known;
	}
	return known > 0;
}

/* Rule 5. A real NIC does not say how long its interrupt was masked: then it is told by frames. */
static enum tuning_regime find_regime(const struct tuning *tuning)
{
	if (all(tuning, TUNING_IRQ_MASKED, true, MASKED_THOUSANDTHS) ||
	    all(tuning, TUNING_FRAMES_PER_IRQ, true, BUDGET_THOUSANDTHS)) {
		return TUNING_POLLING;
	}
	if (all(tuning, TUNING_FRAMES_PER_IRQ, false, EACH_THOUSANDTHS)) {
		return TUNING_EACH_FRAME;
	}
	return all(tuning, TUNING_FRAMES_PER_IRQ, true, 0) ? TUNING_BETWEEN : TUNING_REGIME_NOT_KNOWN;
}

/* ---- the front ---- */

/* Throughput that is the same everywhere only adds its noise. */
static void choose_axes(struct tuning *tuning)
{
	tuning->front_axes = 0;
	for (enum tuning_axis axis = 0; axis < TUNING_TOLD; axis++) {
		tuning->matter[axis] = judge_axis(tuning, axis);
		if (tuning->matter[axis] != TUNING_NOT_KNOWN &&
		    (axis != TUNING_THROUGHPUT || tuning->matter[axis] == TUNING_MATTERS)) {
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

/* ---- the pick ---- */

enum goal_answer tuning_answer(const struct tuning *tuning, uint32_t cell)
{
	const struct goal *const goal = &tuning->question.goal;
	enum goal_answer answer = GOAL_MET;

	for (unsigned i = 0; i < goal->count; i++) {
		const enum goal_answer one =
			goal_limit_answer(&goal->limit[i], &tuning->point[cell].axis[tuning->limit_axis[i]]);

		answer = one < answer ? one : answer;
	}
	return answer;
}

static const struct front_value *objective_of(const struct tuning *tuning, uint32_t cell)
{
	return &tuning->point[cell].axis[tuning->objective_axis];
}

static bool is_better(const struct tuning *tuning, uint32_t cell, uint32_t than)
{
	const int64_t a = objective_of(tuning, cell)->value.median, b = objective_of(tuning, than)->value.median;

	return tuning->more_is_better ? a > b : a < b;
}

/* Rule 2. */
static bool is_as_good(const struct tuning *tuning, uint32_t cell, uint32_t best)
{
	const struct front_value *const a = objective_of(tuning, cell), *const b = objective_of(tuning, best);
	const int64_t difference = a->value.median - b->value.median;

	if (a->has_interval && b->has_interval) {
		return low(a) <= high(b) && low(b) <= high(a);
	}
	return (difference < 0 ? -difference : difference) <= percent_of(b->value.median, EQUAL_PERCENT);
}

static bool is_candidate(const struct tuning *tuning, uint32_t cell, enum goal_answer least)
{
	return tuning_answer(tuning, cell) >= least && objective_of(tuning, cell)->is_known;
}

static int64_t latency_of(const struct tuning *tuning, uint32_t cell)
{
	const struct front_value *const value = &tuning->point[cell].axis[TUNING_LATENCY];

	return value->is_known ? value->value.median : INT64_MAX;
}

/* The best of those whose answer is at least this; TUNING_NONE. */
static uint32_t find_best(struct tuning *tuning, enum goal_answer least)
{
	uint32_t best = TUNING_NONE, pick;

	for (uint32_t i = 0; i < tuning->grid.count; i++) {
		if (is_candidate(tuning, i, least) && (best == TUNING_NONE || is_better(tuning, i, best))) {
			best = i;
		}
	}
	pick = best;
	tuning->equals = 0;
	for (uint32_t i = 0; best != TUNING_NONE && i < tuning->grid.count; i++) {
		if (i == best || !is_candidate(tuning, i, least) || !is_as_good(tuning, i, best)) {
			continue;
		}
		tuning->equals++;
		pick = latency_of(tuning, i) < latency_of(tuning, pick) ? i : pick;
	}
	return pick;
}

/* How far a setting is from a goal: the worst limit's excess, in millionths of the limit. */
static int64_t excess(const struct tuning *tuning, uint32_t cell)
{
	const struct goal *const goal = &tuning->question.goal;
	int64_t worst = 0;

	for (unsigned i = 0; i < goal->count; i++) {
		const struct goal_limit *const limit = &goal->limit[i];
		const struct front_value *const value = &tuning->point[cell].axis[tuning->limit_axis[i]];
		const int64_t over = limit->is_least ? limit->thousandths - value->value.median
						     : value->value.median - limit->thousandths;

		if (!value->is_known) {
			return INT64_MAX;
		}
		const int64_t share = over <= 0 ? 0
						: (int64_t)wide_scale_to_nearest(
							  (uint64_t)over, 1000000,
							  limit->thousandths > 0 ? (uint64_t)limit->thousandths : 1);

		worst = share > worst ? share : worst;
	}
	return worst;
}

static uint32_t find_nearest(const struct tuning *tuning)
{
	uint32_t nearest = TUNING_NONE;

	for (uint32_t i = 0; i < tuning->grid.count; i++) {
		if (nearest == TUNING_NONE || excess(tuning, i) < excess(tuning, nearest)) {
			nearest = i;
		}
	}
	return nearest;
}

/* Whether some setting has all that is asked for. */
static bool is_observed(const struct tuning *tuning)
{
	for (uint32_t i = 0; i < tuning->grid.count; i++) {
		if (tuning_answer(tuning, i) != GOAL_NOT_KNOWN &&
		    (tuning->objective_axis == TUNING_NONE || objective_of(tuning, i)->is_known)) {
			return true;
		}
	}
	return false;
}

/* Of what is asked for: the objective and each limit, where it is told of every setting. */
static bool is_indifferent(const struct tuning *tuning)
{
	bool matters = tuning->objective_axis == TUNING_NONE
			       ? tuning->matter[TUNING_LATENCY] != TUNING_MATTERS_NOT ||
					 tuning->matter[TUNING_CPU] != TUNING_MATTERS_NOT
			       : judge_axis(tuning, tuning->objective_axis) != TUNING_MATTERS_NOT;

	for (unsigned i = 0; i < tuning->question.goal.count; i++) {
		matters |= judge_axis(tuning, tuning->limit_axis[i]) != TUNING_MATTERS_NOT;
	}
	return !matters;
}

static void find_pick(struct tuning *tuning)
{
	if (tuning->objective_axis == TUNING_NONE) {
		tuning->pick = tuning->knee;
		tuning->verdict = tuning->pick == TUNING_NONE ? TUNING_NO_KNEE : TUNING_PICKED;
		return;
	}
	tuning->verdict = TUNING_PICKED;
	tuning->pick = find_best(tuning, GOAL_MET);
	if (tuning->pick == TUNING_NONE) {
		tuning->verdict = TUNING_PICKED_BY_MEDIAN;
		tuning->pick = find_best(tuning, GOAL_RATHER_MET);
	}
	if (tuning->pick == TUNING_NONE) {
		tuning->verdict = TUNING_UNMET;
		tuning->nearest = find_nearest(tuning);
	}
}

static void judge(struct tuning *tuning)
{
	if (!is_observed(tuning)) {
		tuning->verdict = TUNING_UNOBSERVED;
		return;
	}
	find_pick(tuning);
	if (tuning->verdict == TUNING_UNMET) {
		return;
	}
	if (tuning->grid.count == 1) {
		tuning->verdict = TUNING_ONE_SETTING;
		tuning->pick = 0;
	} else if (is_indifferent(tuning)) {
		tuning->verdict = TUNING_INDIFFERENT;
		tuning->pick = tuning->today;
	}
}

/* ---- beside the pick ---- */

static void find_neighbours(struct tuning *tuning)
{
	const int64_t own = latency_of(tuning, tuning->pick);

	for (uint32_t i = 0; i < tuning->grid.count; i++) {
		const int64_t latency = latency_of(tuning, i);

		if (tuning->point[i].place != FRONT_ON || i == tuning->pick) {
			continue;
		}
		if (latency < own && (tuning->faster == TUNING_NONE || latency > latency_of(tuning, tuning->faster))) {
			tuning->faster = i;
		}
		if (latency > own && (tuning->leaner == TUNING_NONE || latency < latency_of(tuning, tuning->leaner))) {
			tuning->leaner = i;
		}
	}
}

static unsigned take_values(const struct grid_cell *cell, unsigned axis, int64_t *values)
{
	const bool is_of_repeats = cell->is_of_repeats && cell->of_repeats.count[axis] > 0;
	const struct grid_values *const from = is_of_repeats ? &cell->of_repeats : &cell->of_runs;

	memcpy(values, from->value[axis], from->count[axis] * sizeof(values[0]));
	return from->count[axis];
}

static void compare_with_today(struct tuning *tuning)
{
	unsigned questions = 0;
	uint32_t p_ppm[TUNING_TOLD];

	for (unsigned i = 0; i < tuning->front_axes; i++) {
		const enum tuning_axis axis = tuning->front_axis[i];
		int64_t now[INTERVAL_VALUES_MAX], then[INTERVAL_VALUES_MAX];
		const unsigned now_count = take_values(&tuning->grid.cell[tuning->today], axis, now);
		const unsigned then_count = take_values(&tuning->grid.cell[tuning->pick], axis, then);

		tuning->difference[axis] = difference_find(now, now_count, then, then_count);
		p_ppm[questions++] = tuning->difference[axis].p_ppm;
	}
	difference_adjust(p_ppm, questions);
	for (unsigned i = 0; i < questions; i++) {
		tuning->adjusted_p_ppm[tuning->front_axis[i]] = p_ppm[i];
	}
}

uint32_t tuning_find(const struct tuning *tuning, const struct grid_cell *cell)
{
	for (uint32_t i = 0; i < tuning->grid.count; i++) {
		const struct grid_cell *const other = &tuning->grid.cell[i];

		if (coalesce_difference(&cell->settings, &other->settings) == 0 &&
		    cell->gro_flush_timeout_ns == other->gro_flush_timeout_ns &&
		    cell->defer_hard_irqs == other->defer_hard_irqs) {
			return i;
		}
	}
	return TUNING_NONE;
}

void tuning_conclude(struct tuning *tuning)
{
	tuning->pick = tuning->knee = tuning->today = tuning->nearest = TUNING_NONE;
	tuning->faster = tuning->leaner = TUNING_NONE;
	tuning->equals = 0;
	grid_conclude(&tuning->grid, tuning->point);
	for (uint32_t i = 0; i < tuning->grid.count; i++) {
		if (tuning->grid.cell[i].is_today) {
			tuning->today = i;
		}
	}
	choose_axes(tuning);
	tuning->regime = find_regime(tuning);
	find_front(tuning);
	judge(tuning);
	if (tuning->pick != TUNING_NONE) {
		find_neighbours(tuning);
		if (tuning->today != TUNING_NONE && tuning->today != tuning->pick) {
			compare_with_today(tuning);
		}
	}
}
