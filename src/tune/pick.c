/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which setting to take, and what it costs against others: rules 1 to 3 of tuning.h. */
#include <string.h>

#include "base/wide.h"
#include "tune/tuning_private.h"

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

static bool is_candidate(const struct tuning *tuning, uint32_t cell, enum goal_answer least)
{
	return tuning_answer(tuning, cell) >= least && objective_of(tuning, cell)->is_known;
}

static int64_t latency_of(const struct tuning *tuning, uint32_t cell)
{
	const struct front_value *const value = &tuning->point[cell].axis[TUNING_LATENCY];

	return value->is_known ? value->value.median : INT64_MAX;
}

/* The best by the objective of those whose answer is at least this; TUNING_NONE. */
static uint32_t find_best(const struct tuning *tuning, enum goal_answer least)
{
	uint32_t best = TUNING_NONE;

	for (uint32_t i = 0; i < tuning->grid.count; i++) {
		if (is_candidate(tuning, i, least) && (best == TUNING_NONE || is_better(tuning, i, best))) {
			best = i;
		}
	}
	return best;
}

static bool is_as_good(const struct tuning *tuning, uint32_t cell, uint32_t best, enum goal_answer least)
{
	return is_candidate(tuning, cell, least) &&
	       (tuning_are_alike(objective_of(tuning, cell), objective_of(tuning, best)) ||
		tuning_judge_axis(tuning, tuning->objective_axis) == TUNING_MATTERS_NOT);
}

/* Beyond what can be told from nothing. */
static bool is_slower(const struct tuning *tuning, uint32_t cell, uint32_t than)
{
	return latency_of(tuning, cell) > latency_of(tuning, than) &&
	       !tuning_are_alike(&tuning->point[cell].axis[TUNING_LATENCY], &tuning->point[than].axis[TUNING_LATENCY]);
}

/* Rule 2; sets equals. TUNING_NONE when none has an answer that is at least this. */
static uint32_t choose(struct tuning *tuning, enum goal_answer least)
{
	const uint32_t best = find_best(tuning, least), today = tuning->beside[TUNING_TODAY].cell;
	uint32_t pick = best;

	tuning->equals = 0;
	for (uint32_t i = 0; best != TUNING_NONE && i < tuning->grid.count; i++) {
		if (i != best && is_as_good(tuning, i, best, least)) {
			tuning->equals++;
			pick = latency_of(tuning, i) < latency_of(tuning, pick) ? i : pick;
		}
	}
	const bool is_today_as_good = best != TUNING_NONE && today != TUNING_NONE &&
				      is_as_good(tuning, today, best, least) && !is_slower(tuning, today, pick);

	return is_today_as_good ? today : pick;
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

/* Of what is asked for, the objective and each limit; and of latency, by which rule 2 chooses. */
static bool is_indifferent(const struct tuning *tuning)
{
	bool matters = tuning->objective_axis == TUNING_NONE
			       ? tuning->matter[TUNING_LATENCY] != TUNING_MATTERS_NOT ||
					 tuning->matter[TUNING_CPU] != TUNING_MATTERS_NOT
			       : tuning_judge_axis(tuning, tuning->objective_axis) != TUNING_MATTERS_NOT;

	for (unsigned i = 0; i < tuning->question.goal.count; i++) {
		matters |= tuning_judge_axis(tuning, tuning->limit_axis[i]) != TUNING_MATTERS_NOT;
	}
	return !matters && tuning->matter[TUNING_LATENCY] != TUNING_MATTERS;
}

/* The only one on the front; of several equal ones today's, else the first; TUNING_NONE when others are on it too. */
static uint32_t find_only(const struct tuning *tuning)
{
	uint32_t only = TUNING_NONE;

	for (uint32_t i = 0; i < tuning->grid.count; i++) {
		if (tuning->point[i].place != FRONT_ON) {
			continue;
		}
		if (only != TUNING_NONE && !tuning_are_equal(tuning, i, only)) {
			return TUNING_NONE;
		}
		only = only == TUNING_NONE || i == tuning->beside[TUNING_TODAY].cell ? i : only;
	}
	return only;
}

static void choose_unasked(struct tuning *tuning)
{
	tuning->pick = tuning->knee == TUNING_NONE ? find_only(tuning) : tuning->knee;
	tuning->verdict = tuning->pick == TUNING_NONE ? TUNING_NO_KNEE : TUNING_PICKED;
}

static void find_pick(struct tuning *tuning)
{
	if (tuning->objective_axis == TUNING_NONE) {
		choose_unasked(tuning);
		return;
	}
	tuning->verdict = TUNING_PICKED;
	tuning->pick = choose(tuning, GOAL_MET);
	if (tuning->pick == TUNING_NONE) {
		tuning->verdict = TUNING_PICKED_BY_MEDIAN;
		tuning->pick = choose(tuning, GOAL_RATHER_MET);
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
		tuning->pick = tuning->beside[TUNING_TODAY].cell;
	}
}

/* ---- beside the pick ---- */

static void find_neighbours(struct tuning *tuning)
{
	const int64_t own = latency_of(tuning, tuning->pick);
	uint32_t *const faster = &tuning->beside[TUNING_FASTER].cell, *const leaner =
									      &tuning->beside[TUNING_LEANER].cell;

	for (uint32_t i = 0; i < tuning->grid.count; i++) {
		const int64_t latency = latency_of(tuning, i);

		if (tuning->point[i].place != FRONT_ON || i == tuning->pick) {
			continue;
		}
		if (latency < own && (*faster == TUNING_NONE || latency > latency_of(tuning, *faster))) {
			*faster = i;
		}
		if (latency > own && (*leaner == TUNING_NONE || latency < latency_of(tuning, *leaner))) {
			*leaner = i;
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

static struct difference compare(const struct tuning *tuning, uint32_t cell, unsigned axis)
{
	int64_t own[INTERVAL_VALUES_MAX], others[INTERVAL_VALUES_MAX];
	const unsigned own_count = take_values(&tuning->grid.cell[tuning->pick], axis, own);
	const unsigned count = take_values(&tuning->grid.cell[cell], axis, others);

	return difference_find(own, own_count, others, count);
}

/* A setting that is two neighbours at once is asked about once. */
static bool is_asked(const struct tuning *tuning, unsigned neighbour)
{
	const uint32_t cell = tuning->beside[neighbour].cell;

	return cell != TUNING_NONE && cell != tuning->pick &&
	       (neighbour == TUNING_TODAY || cell != tuning->beside[TUNING_TODAY].cell);
}

static void compare_neighbours(struct tuning *tuning)
{
	uint32_t p_ppm[TUNING_NEIGHBOURS * TUNING_TOLD];
	uint32_t *adjusted[TUNING_NEIGHBOURS * TUNING_TOLD];
	unsigned questions = 0;

	for (unsigned i = 0; i < TUNING_NEIGHBOURS; i++) {
		struct tuning_beside *const beside = &tuning->beside[i];

		for (unsigned k = 0; is_asked(tuning, i) && k < tuning->told_axes; k++) {
			const enum tuning_axis axis = tuning->told_axis[k];

			beside->difference[axis] = compare(tuning, beside->cell, axis);
			adjusted[questions] = &beside->adjusted_p_ppm[axis];
			p_ppm[questions++] = beside->difference[axis].p_ppm;
		}
	}
	difference_adjust(p_ppm, questions);
	for (unsigned i = 0; i < questions; i++) {
		*adjusted[i] = p_ppm[i];
	}
	for (unsigned i = TUNING_FASTER; i < TUNING_NEIGHBOURS; i++) {
		tuning->beside[i].cell = is_asked(tuning, i) ? tuning->beside[i].cell : TUNING_NONE;
	}
}

void tuning_find_pick(struct tuning *tuning)
{
	judge(tuning);
	if (tuning->pick != TUNING_NONE) {
		find_neighbours(tuning);
		compare_neighbours(tuning);
	}
}
