/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "infer/plan.h"

#include <string.h>

#include "base/time.h"
#include "stats/middle.h"

#define OTHERS_EACH 9
#define LONES 4      /* in a block of the survey */
#define GAP_PARTS 18 /* pairs in a block of the survey */
#define GAP_LEAST_NS (4 * NS_PER_US)
#define EDGE_ROUNDS 2
#define EDGE_PAIRS 18
#define QUIET_LEAST_NS NS_PER_MS
#define SIZES_EACH 14 /* frames of a length in a block */
#define HALVES_EACH 9
#define CHECKS_EACH 20
#define BURSTS_EACH 5
#define BURSTS_FIRST 2
#define SIZE_PATHS \
	2 /* P2: the span has to be so many times the path's delay, once where the floor shows what is not held, */
#define CLEAR_RESOLUTIONS 32 /* or once, where the floor shows what is not held, and so many times what can be told, */
#define HOLD_PATHS 3         /* P3: and so many times here */

/* ---- what a block holds ---- */

static int64_t draw_quiet(struct plan *plan)
{
	const int64_t least_ns = time_max(3 * plan->options.longest_ns, QUIET_LEAST_NS);

	return least_ns + (int64_t)random_below(&plan->random, (uint64_t)least_ns / 2);
}

static void add_train(struct plan *plan, struct plan_block *block, unsigned frames, unsigned payload_bytes,
		      int64_t gap_ns)
{
	block->trains[block->count++] = (struct plan_train){
		.frames = frames, .payload_bytes = payload_bytes, .quiet_ns = draw_quiet(plan), .gap_ns = gap_ns
	};
}

static void shuffle_trains(struct plan *plan, struct plan_block *block)
{
	for (unsigned i = block->count; i > 1; i--) {
		const unsigned other = (unsigned)random_below(&plan->random, i);
		const struct plan_train kept = block->trains[i - 1];

		block->trains[i - 1] = block->trains[other];
		block->trains[other] = kept;
	}
}

/* ---- P0 ---- */

static void other_block(struct plan *plan, struct plan_block *block)
{
	block->direction = FIT_TX;
	block->setting = plan->options.setting_count - 1;
	block->other = plan->position;
	for (unsigned i = 0; i < OTHERS_EACH; i++) {
		add_train(plan, block, 1, plan->options.payload_bytes, 0);
	}
}

/* Frames that do not drain in time are no better than those that take long. */
static void other_answers(struct plan *plan, const struct plan_block *block, const struct plan_answer *answers)
{
	int64_t values_ns[OTHERS_EACH];
	unsigned count = 0;

	for (unsigned i = 0; i < block->count; i++) {
		if (answers[i].first_ns >= 0) {
			values_ns[count++] = answers[i].first_ns;
		}
	}
	const int64_t drained_ns = 2 * count > block->count ? middle_find(values_ns, count).median_ns : -1;

	if (drained_ns >= 0 && (plan->drained_ns < 0 || drained_ns < plan->drained_ns)) {
		plan->other = block->other;
		plan->drained_ns = drained_ns;
	}
	if (++plan->position == plan->options.other_count) {
		plan->position = 0;
		plan->phase = PLAN_SURVEY;
	}
}

/* ---- P1 ---- */

static void shuffle_settings(struct plan *plan)
{
	for (unsigned i = plan->options.setting_count; i > 1; i--) {
		const unsigned other = (unsigned)random_below(&plan->random, i), kept = plan->order[i - 1];

		plan->order[i - 1] = plan->order[other];
		plan->order[other] = kept;
	}
}

static int64_t shortest_gap(const struct plan *plan)
{
	return time_max(2 * plan->options.frame_ns, GAP_LEAST_NS);
}

/* Parts are equal by the logarithm: found by doubling, and evenly within a doubling. */
static int64_t draw_gap(struct plan *plan, unsigned part)
{
	const int64_t from_ns = shortest_gap(plan);
	const int64_t to_ns = time_max(plan->options.longest_ns * 5 / 2, 16 * from_ns);
	unsigned doublings = 1;

	while (from_ns << doublings < to_ns) {
		doublings++;
	}
	const uint64_t place = ((uint64_t)part * 1024 + random_below(&plan->random, 1024)) * doublings / GAP_PARTS;
	const int64_t base_ns = from_ns << (place / 1024);

	return time_min(base_ns + base_ns * (int64_t)(place % 1024) / 1024, to_ns);
}

static void survey_block(struct plan *plan, struct plan_block *block)
{
	if (plan->position == 0) {
		shuffle_settings(plan);
	}
	block->setting = plan->order[plan->position];
	for (unsigned i = 0; i < LONES; i++) {
		add_train(plan, block, 1, plan->options.payload_bytes, 0);
	}
	for (unsigned i = 0; i < GAP_PARTS; i++) {
		add_train(plan, block, 2, plan->options.payload_bytes, draw_gap(plan, i));
	}
	shuffle_trains(plan, block);
}

static void keep_samples(struct plan *plan, const struct plan_block *block, const struct plan_answer *answers)
{
	for (unsigned i = 0; i < block->count && plan->sample_count < FIT_SAMPLES_MAX; i++) {
		plan->work.samples[plan->sample_count++] = (struct fit_sample){
			.setting = block->setting,
			.is_pair = block->trains[i].frames == 2,
			.gap_ns = answers[i].gap_ns,
			.first_ns = answers[i].first_ns,
			.last_ns = answers[i].last_ns,
		};
	}
}

/* By setting, each setting's in the order in which they came. */
static void sort_samples(struct plan *plan)
{
	struct fit_sample *const samples = plan->work.samples;

	for (unsigned i = 1; i < plan->sample_count; i++) {
		const struct fit_sample kept = samples[i];
		unsigned at = i;

		for (; at > 0 && samples[at - 1].setting > kept.setting; at--) {
			samples[at] = samples[at - 1];
		}
		samples[at] = kept;
	}
}

static bool holds_lone_frames(const struct plan *plan)
{
	return plan->fit.has_kind && (plan->fit.kind == MECHANISM_HOLD_OFF || plan->fit.kind == MECHANISM_RESTART);
}

static int64_t longest_span(const struct plan *plan)
{
	return plan->fit.span[plan->most].span_ns;
}

static bool has_floor(const struct plan *plan)
{
	return plan->fit.floor != plan->most && plan->fit.span[plan->fit.floor].span_ns < longest_span(plan) / 8;
}

static void find_fit(struct plan *plan)
{
	sort_samples(plan);
	fit_find(&plan->fit, &plan->work, plan->sample_count, plan->options.setting_count, plan->options.requested_ns,
		 plan->options.frame_ns, plan->options.direction);
	for (unsigned s = 0; s < plan->options.setting_count; s++) {
		if (plan->fit.span[s].span_ns > plan->fit.span[plan->most].span_ns) {
			plan->most = s;
		}
	}
}

static void sizes_begin(struct plan *plan)
{
	const bool is_clear = has_floor(plan) && longest_span(plan) >= CLEAR_RESOLUTIONS * plan->fit.resolution_ns;
	const int64_t least_ns = (is_clear ? 1 : SIZE_PATHS) * plan->fit.path.delay_ns;

	plan->search = (struct plan_search){ 0 };
	plan->position = 0;
	plan->phase = holds_lone_frames(plan) && longest_span(plan) >= least_ns ? PLAN_SIZES : PLAN_DONE;
}

/* ---- P1b ---- */

static bool has_edge(const struct plan *plan, unsigned setting)
{
	const struct fit *const fit = &plan->fit;

	return fit->lone_ns[setting] - fit->lone_ns[fit->floor] > 2 * fit->resolution_ns;
}

/* From this position on; false when no setting is left. */
static bool find_edge(struct plan *plan)
{
	while (plan->position < plan->options.setting_count && !has_edge(plan, plan->order[plan->position])) {
		plan->position++;
	}
	return plan->position < plan->options.setting_count;
}

static void edges_begin(struct plan *plan)
{
	plan->round = plan->position = 0;
	shuffle_settings(plan);
	plan->phase = PLAN_EDGES;
	if (plan->options.direction != FIT_RX ||
	    (plan->fit.kind != MECHANISM_HOLD_OFF && plan->fit.rival != MECHANISM_HOLD_OFF) || !find_edge(plan)) {
		sizes_begin(plan);
	}
}

static void edges_block(struct plan *plan, struct plan_block *block)
{
	const struct fit *const fit = &plan->fit;
	const unsigned setting = plan->order[plan->position];
	const int64_t to_ns = fit->lone_ns[setting], from_ns = to_ns - fit->lone_ns[fit->floor];
	const uint64_t part_ns = (uint64_t)(to_ns - from_ns) / EDGE_PAIRS + 1;

	block->setting = setting;
	for (unsigned i = 0; i < EDGE_PAIRS; i++) {
		const int64_t gap_ns = from_ns + (int64_t)(i * part_ns + random_below(&plan->random, part_ns));

		add_train(plan, block, 2, plan->options.payload_bytes, time_max(gap_ns, shortest_gap(plan)));
	}
	shuffle_trains(plan, block);
}

static void edges_answers(struct plan *plan, const struct plan_block *block, const struct plan_answer *answers)
{
	keep_samples(plan, block, answers);
	plan->position++;
	if (find_edge(plan)) {
		return;
	}
	if (++plan->round < EDGE_ROUNDS) {
		plan->position = 0;
		shuffle_settings(plan);
		find_edge(plan);
		return;
	}
	find_fit(plan);
	sizes_begin(plan);
}

static void survey_answers(struct plan *plan, const struct plan_block *block, const struct plan_answer *answers)
{
	keep_samples(plan, block, answers);
	if (++plan->position < plan->options.setting_count) {
		return;
	}
	plan->position = 0;
	if (++plan->round == plan->options.rounds) {
		find_fit(plan);
		edges_begin(plan);
	}
}

/* ---- medians of a block ---- */

static int64_t median_of(const struct plan_block *block, const struct plan_answer *answers, unsigned payload_bytes)
{
	int64_t values_ns[PLAN_TRAINS_MAX];
	unsigned count = 0;

	for (unsigned i = 0; i < block->count; i++) {
		if (block->trains[i].payload_bytes == payload_bytes && answers[i].first_ns >= 0) {
			values_ns[count++] = answers[i].first_ns;
		}
	}
	return middle_find(values_ns, count).median_ns;
}

/* ---- P2 ---- */

static void sizes_block(struct plan *plan, struct plan_block *block)
{
	const struct plan_options *const options = &plan->options;
	const unsigned lengths[2] = { options->smallest_payload, options->largest_payload };

	block->setting = plan->position == 0 && has_floor(plan) ? plan->fit.floor : plan->most;
	block->holds_other = true;
	for (unsigned i = 0; i < 2 * SIZES_EACH; i++) {
		add_train(plan, block, 1, lengths[i % 2], 0);
	}
	shuffle_trains(plan, block);
}

/* What a frame of this length would take if it were not held. */
static int64_t unheld_ns(const struct plan *plan, unsigned payload_bytes)
{
	const struct plan_options *const options = &plan->options;
	const int64_t span = (int64_t)options->largest_payload - options->smallest_payload;

	return plan->floor_small_ns + (plan->floor_large_ns - plan->floor_small_ns) *
					      ((int64_t)payload_bytes - options->smallest_payload) / span;
}

static bool is_held(const struct plan *plan, int64_t took_ns, unsigned payload_bytes)
{
	return took_ns - unheld_ns(plan, payload_bytes) > longest_span(plan) / 2;
}

static void frames_begin(struct plan *plan)
{
	plan->search = (struct plan_search){ 0 };
	plan->phase = PLAN_FRAMES;
}

static void sizes_answers(struct plan *plan, const struct plan_block *block, const struct plan_answer *answers)
{
	const struct plan_options *const options = &plan->options;
	const int64_t small_ns = median_of(block, answers, options->smallest_payload);
	const int64_t large_ns = median_of(block, answers, options->largest_payload);

	if (plan->position++ == 0 && has_floor(plan)) {
		plan->floor_small_ns = small_ns;
		plan->floor_large_ns = large_ns;
		return;
	}
	plan->most_small_ns = small_ns;
	plan->most_large_ns = large_ns;
	if (!has_floor(plan)) {
		/* The quicker ones are taken for those that are not held; the check at the end tells. */
		plan->floor_small_ns = plan->floor_large_ns = time_min(small_ns, large_ns);
	}
	plan->looked_at_sizes = true;
	const bool small_held = is_held(plan, small_ns, options->smallest_payload);
	const bool large_held = is_held(plan, large_ns, options->largest_payload);

	if (small_held == large_held) {
		frames_begin(plan);
		return;
	}
	plan->small_are_held = small_held;
	plan->search = (struct plan_search){ .is_begun = true,
					     .low = options->smallest_payload,
					     .high = options->largest_payload };
}

static void halves_block(struct plan *plan, struct plan_block *block)
{
	struct plan_search *const search = &plan->search;

	block->setting = plan->most;
	block->holds_other = true;
	if (search->high - search->low > 1) {
		for (unsigned i = 0; i < HALVES_EACH; i++) {
			add_train(plan, block, 1, search->low + (search->high - search->low) / 2, 0);
		}
		return;
	}
	for (unsigned i = 0; i < 2 * CHECKS_EACH; i++) {
		add_train(plan, block, 1, i % 2 ? search->high : search->low, 0);
	}
	shuffle_trains(plan, block);
}

static void halves_answers(struct plan *plan, const struct plan_block *block, const struct plan_answer *answers)
{
	struct plan_search *const search = &plan->search;
	const unsigned length = block->trains[0].payload_bytes;

	if (search->high - search->low > 1) {
		const bool is_like_small = is_held(plan, median_of(block, answers, length), length) ==
					   plan->small_are_held;

		*(is_like_small ? &search->low : &search->high) = length;
		return;
	}
	const int64_t step_ns = median_of(block, answers, search->high) - median_of(block, answers, search->low);

	plan->has_bypass = (plan->small_are_held ? -step_ns : step_ns) > longest_span(plan) / 2;
	plan->bypass_below_payload = search->high;
	frames_begin(plan);
}

/* ---- P3 ---- */

static bool fits_span(const struct plan *plan, unsigned frames)
{
	const int64_t each_ns = time_max(plan->fit.path.spacing_ns, plan->options.frame_ns);

	return frames <= PLAN_BURST_MAX && frames * each_ns <= longest_span(plan) / 2;
}

/* The first number of frames is tried only where what is early can be told. */
static bool frames_wanted(struct plan *plan)
{
	struct plan_search *const search = &plan->search;

	if (!search->is_begun) {
		*search = (struct plan_search){ .is_begun = true, .low = 1, .high = BURSTS_FIRST };
		if (plan->options.skips_frames || !has_floor(plan) ||
		    longest_span(plan) < HOLD_PATHS * plan->fit.lone_ns[plan->fit.floor] ||
		    !fits_span(plan, BURSTS_FIRST)) {
			return false;
		}
		plan->looked_at_frames = true;
	}
	return !search->is_checked;
}

static unsigned frames_tried(const struct plan *plan)
{
	const struct plan_search *const search = &plan->search;

	return plan->has_frames ? search->low + (search->high - search->low) / 2 : search->high;
}

static void frames_block(struct plan *plan, struct plan_block *block)
{
	const bool small_pass = plan->has_bypass && !plan->small_are_held;
	const unsigned payload_bytes = small_pass ? plan->options.payload_bytes : plan->options.smallest_payload;

	block->setting = plan->most;
	block->holds_other = true;
	for (unsigned i = 0; i < BURSTS_EACH; i++) {
		add_train(plan, block, frames_tried(plan), payload_bytes, 0);
	}
}

static void frames_answers(struct plan *plan, const struct plan_block *block, const struct plan_answer *answers)
{
	struct plan_search *const search = &plan->search;
	const unsigned tried = frames_tried(plan), payload_bytes = block->trains[0].payload_bytes;
	const bool is_early = !is_held(plan, median_of(block, answers, payload_bytes), payload_bytes);

	if (is_early) {
		plan->has_frames = true;
		search->high = tried;
	} else {
		search->low = tried;
		search->high = plan->has_frames ? search->high : 2 * tried;
	}
	plan->frames_seen = search->low;
	plan->frames = plan->has_frames ? search->high : 0;
	search->is_checked = plan->has_frames ? search->high - search->low == 1 : !fits_span(plan, search->high);
}

/* ---- all of it ---- */

void plan_begin(struct plan *plan, const struct plan_options *options)
{
	memset(plan, 0, sizeof(*plan));
	plan->options = *options;
	plan->phase = options->direction == FIT_RX && options->other_count > 1 ? PLAN_OTHER : PLAN_SURVEY;
	plan->drained_ns = -1;
	random_init(&plan->random, options->seed, 1);
	for (unsigned s = 0; s < options->setting_count; s++) {
		plan->order[s] = s;
	}
}

bool plan_next(struct plan *plan, struct plan_block *block)
{
	*block = (struct plan_block){ .direction = plan->options.direction, .other = plan->other };
	if (plan->phase == PLAN_SIZES && plan->options.skips_sizes) {
		frames_begin(plan);
	}
	if (plan->phase == PLAN_FRAMES && !frames_wanted(plan)) {
		plan->phase = PLAN_DONE;
	}
	switch (plan->phase) {
	case PLAN_OTHER:
		other_block(plan, block);
		return true;
	case PLAN_SURVEY:
		survey_block(plan, block);
		return true;
	case PLAN_EDGES:
		edges_block(plan, block);
		return true;
	case PLAN_SIZES:
		(plan->search.is_begun ? halves_block : sizes_block)(plan, block);
		return true;
	case PLAN_FRAMES:
		frames_block(plan, block);
		return true;
	default:
		return false;
	}
}

void plan_take(struct plan *plan, const struct plan_block *block, const struct plan_answer *answers)
{
	switch (plan->phase) {
	case PLAN_OTHER:
		other_answers(plan, block, answers);
		break;
	case PLAN_SURVEY:
		survey_answers(plan, block, answers);
		break;
	case PLAN_EDGES:
		edges_answers(plan, block, answers);
		break;
	case PLAN_SIZES:
		(plan->search.is_begun ? halves_answers : sizes_answers)(plan, block, answers);
		break;
	case PLAN_FRAMES:
		frames_answers(plan, block, answers);
		break;
	default:
		break;
	}
}
