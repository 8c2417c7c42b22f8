/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The step finder on made-up measurements whose truth is known: steps of several kinds under noise of several kinds, and
 * slopes without a step. SEEDS searches each (default 40).
 */
#include "stats/step.c"

#include "base/time.h"
#include "tap.h"

#define LOW 18
#define HIGH 1472

enum noise { NOISE_TAIL, NOISE_UNIFORM, NOISE_TWO_MODES, NOISE_DRIFT };

struct jump {
	int64_t at; /* the first x behind it */
	int64_t height_ns;
};

/* What is measured. */
struct truth {
	int64_t slope_ps;
	struct jump jump[3]; /* as many as have a height */
	enum noise noise;
	int64_t noise_ns; /* mean of the tail; width; distance of the modes; swing */
	unsigned lost_percent;
	unsigned outlier_percent; /* of 1 to 3 ms */
};

static struct step_search *search;
static unsigned seeds = 40;

static int64_t make_noise(const struct truth *truth, struct random *random, uint64_t number)
{
	const int64_t width_ns = truth->noise_ns;
	const int64_t swing_ns = width_ns * (int64_t)(number % 1000) / 1000;

	switch (truth->noise) {
	case NOISE_TAIL:
		return random_exponential(random, width_ns);
	case NOISE_UNIFORM:
		return width_ns ? (int64_t)random_below(random, (uint64_t)width_ns) : 0;
	case NOISE_TWO_MODES:
		return random_exponential(random, width_ns / 20) + (random_below(random, 10) < 3 ? width_ns : 0);
	default:
		return swing_ns + random_exponential(random, width_ns / 20);
	}
}

static int64_t measure(const struct truth *truth, struct random *random, int64_t x, uint64_t number)
{
	int64_t value_ns = 30 * NS_PER_US + truth->slope_ps * x / 1000 + make_noise(truth, random, number);

	for (unsigned i = 0; i < 3; i++) {
		value_ns += x >= truth->jump[i].at ? truth->jump[i].height_ns : 0;
	}
	if (random_below(random, 100) < truth->outlier_percent) {
		value_ns += NS_PER_MS + (int64_t)random_below(random, 2 * NS_PER_MS);
	}
	return value_ns;
}

static void run(const struct truth *truth, const struct step_options *options)
{
	struct random random;
	int64_t x;

	random_init(&random, options->seed, 99);
	step_begin(search, options);
	while (step_next(search, &x)) {
		if (x < options->low || x > options->high) {
			tap_ok(false, "asks for %d, which is outside", (int)x);
		}
		if (random_below(&random, 100) >= truth->lost_percent) {
			step_take(search, x, measure(truth, &random, x, search->asked));
		}
	}
}

static unsigned jumps_of(const struct truth *truth)
{
	unsigned count = 0;

	while (count < 3 && truth->jump[count].height_ns) {
		count++;
	}
	return count;
}

/* Exactly the true steps, to the unit; the interval holds the height, which is within `percent`. */
static bool is_right(const struct truth *truth, unsigned percent)
{
	if (search->step_count != jumps_of(truth)) {
		return false;
	}
	for (unsigned i = 0; i < search->step_count; i++) {
		const struct step *const step = &search->steps[i];
		const int64_t height_ns = truth->jump[i].height_ns, miss_ns = step->height_ns - height_ns;
		const int64_t size_ns = height_ns < 0 ? -height_ns : height_ns;

		if (step->above != truth->jump[i].at || !step->is_narrow || step->low_ns > height_ns ||
		    step->high_ns < height_ns || (miss_ns < 0 ? -miss_ns : miss_ns) * 100 > size_ns * percent) {
			return false;
		}
	}
	return true;
}

static struct step_options options_of(unsigned seed)
{
	return (struct step_options){ .low = LOW, .high = HIGH, .least_ns = 2 * NS_PER_US, .seed = seed };
}

static void test(const char *name, const struct truth *truth, int64_t least_ns, unsigned percent)
{
	unsigned right = 0;
	uint64_t asked = 0;

	for (unsigned seed = 1; seed <= seeds; seed++) {
		struct step_options options = options_of(seed);

		options.least_ns = least_ns;
		run(truth, &options);
		right += is_right(truth, percent);
		asked += search->asked;
		for (unsigned i = 0; i < search->step_count && !is_right(truth, percent); i++) {
			tap_note("seed %u: %d -> %d, %d ns (%d .. %d)", seed, (int)search->steps[i].below,
				 (int)search->steps[i].above, (int)search->steps[i].height_ns,
				 (int)search->steps[i].low_ns, (int)search->steps[i].high_ns);
		}
	}
	tap_is(right, seeds, "%s; %u measurements each", name, (unsigned)(asked / seeds));
}

static void test_steps(void)
{
	test("RTL8168 as the thread has it: 240 us at 82, 32 ns a byte, a tail of 10 us",
	     &(struct truth){ 32000, { { 82, 240000 } }, NOISE_TAIL, 10000, 0, 2 }, 2000, 5);
	test("without noise", &(struct truth){ 8000, { { 82, 240000 } }, NOISE_TAIL, 0, 0, 0 }, 2000, 1);
	test("at 100 Mb/s: 320 ns a byte rise by more over the range than the step",
	     &(struct truth){ 320000, { { 82, 240000 } }, NOISE_TAIL, 10000, 0, 2 }, 2000, 5);
	test("a fifth is lost", &(struct truth){ 32000, { { 82, 240000 } }, NOISE_TAIL, 10000, 20, 2 }, 2000, 5);
	test("two steps", &(struct truth){ 32000, { { 82, 240000 }, { 700, 30000 } }, NOISE_TAIL, 5000, 0, 2 }, 2000,
	     10);
	test("two steps between two points of the survey",
	     &(struct truth){ 32000, { { 120, 100000 }, { 160, 100000 } }, NOISE_TAIL, 5000, 0, 2 }, 2000, 10);
	test("three, one down",
	     &(struct truth){ 8000, { { 100, 50000 }, { 257, -20000 }, { 1000, 100000 } }, NOISE_TAIL, 2000, 0, 2 },
	     2000, 10);
	test("a small one", &(struct truth){ 8000, { { 543, 4000 } }, NOISE_TAIL, 1000, 0, 1 }, 2000, 10);
	test("at the lower end", &(struct truth){ 8000, { { LOW + 1, 20000 } }, NOISE_TAIL, 1000, 0, 1 }, 2000, 10);
	test("at the upper end", &(struct truth){ 8000, { { HIGH, 20000 } }, NOISE_TAIL, 1000, 0, 1 }, 2000, 10);
	test("under a throttle: evenly up to 120 us",
	     &(struct truth){ 32000, { { 82, 240000 } }, NOISE_UNIFORM, 120000, 0, 2 }, 2000, 8);
	test("three in ten 100 us later", &(struct truth){ 32000, { { 82, 240000 } }, NOISE_TWO_MODES, 100000, 0, 2 },
	     2000, 8);
	test("while all drifts by 200 us and back",
	     &(struct truth){ 32000, { { 82, 240000 } }, NOISE_DRIFT, 200000, 0, 2 }, 20000, 10);
}

static void test_no_steps(void)
{
	test("nothing but noise", &(struct truth){ 0, { { 0, 0 } }, NOISE_TAIL, 10000, 0, 2 }, 2000, 0);
	test("a wire of 1 Gb/s", &(struct truth){ 8000, { { 0, 0 } }, NOISE_TAIL, 1000, 0, 2 }, 2000, 0);
	test("four segments of it", &(struct truth){ 32000, { { 0, 0 } }, NOISE_TAIL, 10000, 0, 2 }, 2000, 0);
	test("four segments of 100 Mb/s", &(struct truth){ 320000, { { 0, 0 } }, NOISE_TAIL, 10000, 0, 2 }, 2000, 0);
	test("without any noise", &(struct truth){ 80000, { { 0, 0 } }, NOISE_TAIL, 0, 0, 0 }, 2000, 0);
	test("noise far above what is looked for", &(struct truth){ 8000, { { 0, 0 } }, NOISE_TAIL, 500000, 0, 5 },
	     2000, 0);
	test("even noise", &(struct truth){ 8000, { { 0, 0 } }, NOISE_UNIFORM, 240000, 0, 0 }, 2000, 0);
	test("two modes", &(struct truth){ 8000, { { 0, 0 } }, NOISE_TWO_MODES, 100000, 0, 0 }, 2000, 0);
	test("a step that is of no interest", &(struct truth){ 8000, { { 0, 0 } }, NOISE_TAIL, 300, 0, 0 }, 2000, 0);
}

/* What was too small to be seen in that noise is said. */
static void test_resolution(void)
{
	struct step_options options = options_of(1);

	options.budget = 100;
	run(&(struct truth){ 8000, { { 0, 0 } }, NOISE_TAIL, 1000, 0, 0 }, &options);
	tap_ok(search->unseen_ns == INT64_MAX && search->is_cut,
	       "after half a survey anything may have been passed over");
	options.budget = 0;
	run(&(struct truth){ 8000, { { 0, 0 } }, NOISE_TAIL, 1000, 0, 0 }, &options);
	tap_within(search->unseen_ns, 1, 2000, "in a quiet world nothing of 2 us would have been passed over");
	run(&(struct truth){ 8000, { { 0, 0 } }, NOISE_TAIL, 500000, 0, 0 }, &options);
	tap_within(search->unseen_ns, 20000, 1000000, "in a loud one something larger would");
}

/* The least step of interest may be a part of what is measured: 30 us and a tail here. */
static void test_relative_least(void)
{
	struct step_options options = options_of(1);

	options.least_ppm = 100000;
	run(&(struct truth){ 0, { { 82, 2700 } }, NOISE_TAIL, 300, 0, 0 }, &options);
	tap_is(search->step_count, 0, "2.7 us of 30 are less than a tenth");
	tap_within(search->least_ns, 3000, 3100, "which is 3 us");
	run(&(struct truth){ 0, { { 82, 4500 } }, NOISE_TAIL, 300, 0, 0 }, &options);
	tap_is(search->step_count, 1, "4.5 are more");
	options.least_ns = 9000;
	run(&(struct truth){ 0, { { 82, 4500 } }, NOISE_TAIL, 300, 0, 0 }, &options);
	tap_is(search->step_count, 0, "unless a larger one was asked for");
}

static void test_small_ranges(void)
{
	struct step_options options = options_of(1);

	options.low = 81;
	options.high = 82;
	run(&(struct truth){ 32000, { { 82, 240000 } }, NOISE_TAIL, 10000, 0, 2 }, &options);
	tap_ok(is_right(&(struct truth){ .jump = { { 82, 240000 } } }, 5), "a range of two: their difference");
	run(&(struct truth){ 32000, { { 0, 0 } }, NOISE_TAIL, 1000, 0, 2 }, &options);
	tap_is(search->step_count, 0, "or none");
	options.low = 80;
	options.high = 84;
	run(&(struct truth){ 32000, { { 82, 240000 } }, NOISE_TAIL, 10000, 0, 2 }, &options);
	tap_ok(is_right(&(struct truth){ .jump = { { 82, 240000 } } }, 5), "a range of five");
	options.spacing = 1;
	options.low = LOW;
	options.high = HIGH;
	step_begin(search, &options);
	tap_ok(search->point_count <= STEP_POINTS_MAX, "a spacing that makes too many points is raised");
	options.spacing = 5000;
	step_begin(search, &options);
	tap_is(search->point_count, 2, "one that is wider than the range has both ends");
}

/* However early it ends, what it says is true. */
static void test_budget(void)
{
	const struct truth truth = { 32000, { { 82, 240000 } }, NOISE_TAIL, 10000, 0, 2 };
	bool true_so_far = true, was_wide = false, kept = true, has_survey = false;

	for (unsigned budget = 1; budget < 4500; budget += 67) {
		struct step_options options = options_of(7);

		options.budget = budget;
		run(&truth, &options);
		/* What the survey has found is not forgotten. */
		kept = kept && (!has_survey || search->step_count == 1);
		has_survey = has_survey || (search->unseen_ns != INT64_MAX && search->step_count == 1);
		true_so_far = true_so_far && search->asked <= budget && search->step_count <= 1;
		for (unsigned i = 0; i < search->step_count; i++) {
			const struct step *const step = &search->steps[i];

			true_so_far = true_so_far && step->below < 82 && step->above >= 82;
			was_wide = was_wide || !step->is_narrow;
		}
	}
	tap_ok(true_so_far, "a search that is cut off says nothing false");
	tap_ok(kept && has_survey, "nor does it forget what it knew");
	tap_ok(was_wide, "and where it knows no better, between which points it is");
}

static void test_pairs(void)
{
	struct step_options options = options_of(3);

	run(&(struct truth){ 32000, { { 82, 240000 } }, NOISE_TAIL, 10000, 10, 0 }, &options);
	const struct step *const step = &search->steps[0];

	tap_ok(search->step_count == 1 && step->pairs > step->count_below / 2 && step->pairs < step->count_below,
	       "values of the same round are pairs: %u of %u", step->pairs, step->count_below);
	tap_is(step->rising, step->pairs, "and all of them rise");
	tap_within(step->height_of_min_ns, 235000, 245000, "so do the smallest values");
}

int main(void)
{
	const char *const wanted = getenv("SEEDS");

	search = calloc(1, sizeof(*search));
	seeds = wanted ? (unsigned)atoi(wanted) : seeds;
	test_steps();
	test_no_steps();
	test_resolution();
	test_relative_least();
	test_small_ranges();
	test_budget();
	test_pairs();
	free(search);
	return tap_done();
}
