/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/step.h"

#include <stdlib.h>
#include <string.h>

#include "stats/middle.h"

#define SURVEY_INTERVALS 16
#define ROUNDS_FIRST 24   /* then twice as many, and so on */
#define ROUNDS_ENOUGH 192 /* a difference that is not clear by then is taken for none, or for what it looks like */
#define ROUNDS_MAX (STEP_SAMPLES_MAX - 1)
#define SLOPES_LEAST 4    /* fewer intervals have no slope in common */
#define NARROW_DIVISOR 25 /* a height is known when its interval reaches so small a part of it to either side */

/* ---- medians ---- */

static int compare(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static struct middle find_middle(struct step_search *search, const struct step_point *point)
{
	memcpy(search->sorted, point->value_ns, point->count * sizeof(search->sorted[0]));
	return middle_find(search->sorted, point->count);
}

/* By how much b lies above a beyond the slope, and the interval of that. */
struct excess {
	int64_t ns, low_ns, high_ns;
	bool is_known;
};

static int64_t slope_over(const struct step_search *search, const struct step_point *a, const struct step_point *b)
{
	return search->slope_ps * (b->x - a->x) / 1000;
}

static struct excess find_excess(struct step_search *search, const struct step_point *a, const struct step_point *b)
{
	const struct middle below = find_middle(search, a), above = find_middle(search, b);
	const int64_t slope_ns = slope_over(search, a, b);

	return (struct excess){
		.ns = above.median_ns - below.median_ns - slope_ns,
		.low_ns = above.low_ns - below.high_ns - slope_ns,
		.high_ns = above.high_ns - below.low_ns - slope_ns,
		.is_known = above.is_sure && below.is_sure,
	};
}

static int64_t size_of(const struct excess *excess)
{
	return excess->ns < 0 ? -excess->ns : excess->ns;
}

/* The largest that it may be. */
static int64_t reach_of(const struct excess *excess)
{
	return excess->high_ns > -excess->low_ns ? excess->high_ns : -excess->low_ns;
}

static bool is_clear(const struct excess *excess)
{
	return excess->is_known && (excess->low_ns > 0 || excess->high_ns < 0);
}

enum opinion { OPINION_NONE, OPINION_STEP, OPINION_OPEN };

/*
 * Whether there is a step between two points, or more measurements are needed. What looks a little too small is followed:
 * it is measured better when it is found.
 */
static enum opinion judge(const struct step_search *search, const struct excess *excess)
{
	const int64_t least_ns = search->least_ns;

	if (is_clear(excess) && size_of(excess) >= least_ns - least_ns / 4) {
		return OPINION_STEP;
	}
	if (excess->is_known && reach_of(excess) < least_ns) {
		return OPINION_NONE;
	}
	return search->rounds >= ROUNDS_ENOUGH ? OPINION_NONE : OPINION_OPEN;
}

/* ---- what is measured in turn ---- */

static void shuffle(struct step_search *search)
{
	search->order_count = 0;
	for (unsigned i = 0; i < search->point_count; i++) {
		if (search->point[i].is_active) {
			search->order[search->order_count++] = i;
		}
	}
	for (unsigned i = search->order_count; i > 1; i--) {
		const unsigned other = (unsigned)random_below(&search->random, i), kept = search->order[i - 1];

		search->order[i - 1] = search->order[other];
		search->order[other] = kept;
	}
	search->position = 0;
}

/* What came before is not compared with what comes now: the far end may have changed in between. */
static void begin_turns(struct step_search *search, enum step_phase phase, const int64_t *x, unsigned count)
{
	search->phase = phase;
	search->point_count = count;
	for (unsigned i = 0; i < count; i++) {
		search->point[i].x = x[i];
		search->point[i].count = 0;
		search->point[i].is_active = true;
	}
	search->round = 0;
	search->rounds = ROUNDS_FIRST;
	shuffle(search);
}

static bool measure_more(struct step_search *search)
{
	if (search->rounds >= ROUNDS_MAX) {
		return false;
	}
	search->rounds = 2 * search->rounds < ROUNDS_MAX ? 2 * search->rounds : ROUNDS_MAX;
	return true;
}

void step_take(struct step_search *search, int64_t x, int64_t value_ns)
{
	for (unsigned i = 0; i < search->point_count; i++) {
		struct step_point *const point = &search->point[i];

		if (point->x == x && point->count < STEP_SAMPLES_MAX) {
			point->value_ns[point->count] = value_ns;
			point->round[point->count++] = search->round;
		}
	}
}

/* ---- what is found ---- */

static void add_step(struct step_search *search, const struct step *step)
{
	unsigned at = search->step_count;

	if (at == STEPS_MAX) {
		return;
	}
	for (; at > 0 && search->steps[at - 1].below > step->below; at--) {
		search->steps[at] = search->steps[at - 1];
	}
	search->steps[at] = *step;
	search->step_count++;
}

/* Values of the same round stand side by side. */
static void count_pairs(const struct step_point *below, const struct step_point *above, struct step *step)
{
	unsigned i = 0;

	for (unsigned j = 0; j < above->count; j++) {
		while (i < below->count && below->round[i] < above->round[j]) {
			i++;
		}
		if (i < below->count && below->round[i] == above->round[j]) {
			step->pairs++;
			step->rising += above->value_ns[j] > below->value_ns[i];
		}
	}
}

static void note_step(struct step_search *search, const struct step_point *below, const struct step_point *above)
{
	const struct excess excess = find_excess(search, below, above);
	const struct middle low = find_middle(search, below), high = find_middle(search, above);
	struct step step = {
		.below = below->x,
		.above = above->x,
		.is_narrow = above->x == below->x + 1,
		.height_ns = excess.ns,
		.low_ns = excess.low_ns,
		.high_ns = excess.high_ns,
		.height_of_min_ns = high.min_ns - low.min_ns - slope_over(search, below, above),
		.median_below_ns = low.median_ns,
		.median_above_ns = high.median_ns,
		.count_below = below->count,
		.count_above = above->count,
	};

	count_pairs(below, above, &step);
	add_step(search, &step);
}

/* ---- one interval after the other ---- */

static void push(struct step_search *search, int64_t low, int64_t high)
{
	if (search->interval_count < STEP_INTERVALS_MAX) {
		search->interval[search->interval_count++] = (struct step_interval){ low, high };
	}
}

static void go_on(struct step_search *search)
{
	if (search->interval_count == 0) {
		search->phase = STEP_DONE;
		search->point_count = 0;
		return;
	}
	const struct step_interval next = search->interval[--search->interval_count];
	const int64_t middle = next.low + (next.high - next.low) / 2;

	if (next.high - next.low == 1) {
		begin_turns(search, STEP_PAIR, (const int64_t[]){ next.low, next.high }, 2);
	} else {
		begin_turns(search, STEP_HALVES, (const int64_t[]){ next.low, middle, next.high }, 3);
	}
}

static bool is_narrow_enough(const struct excess *excess)
{
	return excess->is_known && excess->high_ns - excess->low_ns <= 2 * size_of(excess) / NARROW_DIVISOR;
}

static void judge_pair(struct step_search *search)
{
	const struct excess excess = find_excess(search, &search->point[0], &search->point[1]);
	const enum opinion opinion = judge(search, &excess);

	if (opinion == OPINION_STEP && (is_narrow_enough(&excess) || !measure_more(search))) {
		if (size_of(&excess) >= search->least_ns) {
			note_step(search, &search->point[0], &search->point[1]);
		}
		go_on(search);
	} else if (opinion == OPINION_NONE || (opinion == OPINION_OPEN && !measure_more(search))) {
		go_on(search);
	}
}

static void judge_halves(struct step_search *search)
{
	const struct step_point *const point = search->point;
	const struct excess left = find_excess(search, &point[0], &point[1]),
			    right = find_excess(search, &point[1], &point[2]),
			    whole = find_excess(search, &point[0], &point[2]);
	const enum opinion of_left = judge(search, &left), of_right = judge(search, &right);
	const bool is_open = of_left == OPINION_OPEN || of_right == OPINION_OPEN;
	const bool is_found = of_left == OPINION_STEP || of_right == OPINION_STEP;

	/* An open half beside one that holds all there is needs no more work. */
	if (is_open &&
	    !(is_found &&
	      4 * (size_of(&left) < size_of(&right) ? size_of(&left) : size_of(&right)) < size_of(&whole)) &&
	    measure_more(search)) {
		return;
	}
	const int64_t low = point[0].x, middle = point[1].x, high = point[2].x;

	if (of_right == OPINION_STEP) {
		push(search, middle, high);
	}
	if (of_left == OPINION_STEP) {
		push(search, low, middle);
	}
	/* Neither is clear though both together are: the larger one. */
	if (!is_found && judge(search, &whole) == OPINION_STEP) {
		const bool is_left = size_of(&left) >= size_of(&right);

		push(search, is_left ? low : middle, is_left ? middle : high);
	}
	go_on(search);
}

/* ---- the survey ---- */

static void find_least(struct step_search *search)
{
	int64_t smallest_ns = INT64_MAX;

	for (unsigned i = 0; i < search->point_count; i++) {
		const struct middle middle = find_middle(search, &search->point[i]);

		if (middle.is_sure && middle.median_ns < smallest_ns) {
			smallest_ns = middle.median_ns;
		}
	}
	search->least_ns = search->options.least_ns;
	if (smallest_ns < INT64_MAX) {
		const int64_t part_ns = smallest_ns / 1000000 * search->options.least_ppm +
					smallest_ns % 1000000 * search->options.least_ppm / 1000000;

		search->least_ns = part_ns > search->least_ns ? part_ns : search->least_ns;
	}
}

/* The median of the slopes between neighbours. */
static void find_slope(struct step_search *search)
{
	int64_t slopes[STEP_POINTS_MAX];
	unsigned count = 0;

	search->slope_ps = 0;
	for (unsigned i = 0; i + 1 < search->point_count; i++) {
		const struct step_point *const a = &search->point[i], *const b = &search->point[i + 1];
		const struct middle below = find_middle(search, a), above = find_middle(search, b);

		if (below.is_sure && above.is_sure) {
			slopes[count++] = (above.median_ns - below.median_ns) * 1000 / (b->x - a->x);
		}
	}
	if (count >= SLOPES_LEAST) {
		qsort(slopes, count, sizeof(slopes[0]), compare);
		search->slope_ps = slopes[count / 2];
	}
}

static void judge_survey(struct step_search *search)
{
	bool is_open = false;

	find_least(search);
	find_slope(search);
	for (unsigned i = 0; i < search->point_count; i++) {
		search->point[i].is_active = false;
	}
	for (unsigned i = 0; i + 1 < search->point_count; i++) {
		const struct excess excess = find_excess(search, &search->point[i], &search->point[i + 1]);

		if (judge(search, &excess) == OPINION_OPEN) {
			search->point[i].is_active = search->point[i + 1].is_active = is_open = true;
		}
	}
	if (is_open && measure_more(search)) {
		return;
	}
	for (unsigned i = search->point_count - 1; i > 0; i--) {
		const struct excess excess = find_excess(search, &search->point[i - 1], &search->point[i]);

		if (judge(search, &excess) == OPINION_STEP) {
			push(search, search->point[i - 1].x, search->point[i].x);
		} else if (!excess.is_known) {
			search->unseen_ns = INT64_MAX;
		} else if (reach_of(&excess) > search->unseen_ns) {
			search->unseen_ns = reach_of(&excess);
		}
	}
	go_on(search);
}

static void begin_survey(struct step_search *search)
{
	const int64_t low = search->options.low, high = search->options.high, range = high - low;
	int64_t spacing = search->options.spacing > 0 ? search->options.spacing
						      : (range + SURVEY_INTERVALS - 1) / SURVEY_INTERVALS;
	int64_t x[STEP_POINTS_MAX];
	unsigned count = 0;

	while (range / spacing > STEP_POINTS_MAX - 2) {
		spacing *= 2;
	}
	for (int64_t at = low; at < high; at += spacing) {
		x[count++] = at;
	}
	x[count++] = high;
	begin_turns(search, STEP_SURVEY, x, count);
}

/* ---- the search ---- */

void step_begin(struct step_search *search, const struct step_options *options)
{
	search->options = *options;
	search->interval_count = 0;
	search->asked = 0;
	search->is_cut = false;
	search->unseen_ns = 0;
	search->step_count = 0;
	search->slope_ps = 0;
	search->least_ns = options->least_ns;
	random_init(&search->random, options->seed, 0);
	begin_survey(search);
}

/* All measurements that were wanted have been asked for. */
static void conclude(struct step_search *search)
{
	switch (search->phase) {
	case STEP_SURVEY:
		judge_survey(search);
		break;
	case STEP_HALVES:
		judge_halves(search);
		break;
	case STEP_PAIR:
		judge_pair(search);
		break;
	case STEP_DONE:
		break;
	}
}

bool step_next(struct step_search *search, int64_t *x)
{
	if (search->options.budget && search->asked >= search->options.budget) {
		step_end(search);
	}
	while (search->phase != STEP_DONE) {
		if (search->position < search->order_count) {
			*x = search->point[search->order[search->position++]].x;
			search->asked++;
			return true;
		}
		if (search->order_count > 0 && search->round + 1 < search->rounds) {
			search->round++;
			shuffle(search);
			continue;
		}
		const unsigned rounds = search->rounds;

		conclude(search);
		if (search->phase != STEP_DONE && search->rounds > rounds) {
			search->round++;
			shuffle(search);
		}
	}
	return false;
}

/* What the points at hand show already; that there is a difference between the outer ones was known before. */
static void note_what_is_there(struct step_search *search)
{
	const unsigned before = search->step_count;

	for (unsigned i = 0; i + 1 < search->point_count; i++) {
		const struct excess excess = find_excess(search, &search->point[i], &search->point[i + 1]);

		if (is_clear(&excess) && judge(search, &excess) == OPINION_STEP) {
			note_step(search, &search->point[i], &search->point[i + 1]);
		}
	}
	if (search->phase != STEP_SURVEY && search->step_count == before) {
		push(search, search->point[0].x, search->point[search->point_count - 1].x);
	}
}

/* In these intervals there is a difference, of which only so much is known. */
static void note_waiting(struct step_search *search)
{
	for (unsigned i = 0; i < search->interval_count; i++) {
		add_step(search, &(struct step){ .below = search->interval[i].low, .above = search->interval[i].high });
	}
	search->interval_count = 0;
}

void step_end(struct step_search *search)
{
	if (search->phase == STEP_DONE) {
		return;
	}
	if (search->phase == STEP_SURVEY) {
		find_least(search);
		find_slope(search);
		search->unseen_ns = INT64_MAX;
	}
	note_what_is_there(search);
	note_waiting(search);
	search->phase = STEP_DONE;
	search->point_count = 0;
	search->is_cut = true;
}
