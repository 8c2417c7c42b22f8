/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "infer/verdict.h"

#include "base/time.h"
#include "base/wide.h"
#include "stats/middle.h"

#define EXACT_PERCENT 2  /* V3 */
#define SCALED_PERCENT 5 /* V7 */
#define STEP_ROWS 3
#define STEP_INTERVALS 3 /* a step is so many times wider than what is not known of a time */

static const struct {
	const char *key, *words;
} names[VERDICT_KINDS] = {
	[VERDICT_CANNOT_TELL] = { "cannot tell", "cannot be told" },
	[VERDICT_ADAPTIVE] = { "adaptive-overridden", "adaptive moderation decides, not the setting" },
	[VERDICT_EXACT] = { "exact", "what is set is what happens" },
	[VERDICT_INERT] = { "inert", "the setting makes no difference" },
	[VERDICT_CLAMPED] = { "clamped", "the setting counts on one side of a limit only" },
	[VERDICT_QUANTISED] = { "quantised", "the setting is rounded to a step" },
	[VERDICT_SCALED] = { "scaled", "all settings come to the same multiple of themselves" },
	[VERDICT_DIFFERS] = { "differs", "what happens is not what is set, by no rule that was found" },
};

const char *verdict_key(enum verdict_kind kind)
{
	return names[kind].key;
}

const char *verdict_words(enum verdict_kind kind)
{
	return names[kind].words;
}

struct judging {
	struct verdict *verdict;
	struct verdict_row *rows;
	unsigned count;
	int64_t resolution_ns;
};

static int64_t magnitude(int64_t value)
{
	return value < 0 ? -value : value;
}

/* What is not known of an effective time, to either side. */
static int64_t doubt_of(const struct judging *judging, const struct fit_span *span)
{
	return time_max((span->high_ns - span->low_ns + 1) / 2, judging->resolution_ns / 2);
}

/* The same without what would move all of them together: what is not known of how times differ. */
static int64_t own_doubt_of(const struct judging *judging, const struct fit_span *span)
{
	return time_max((span->high_ns - span->low_ns + 1) / 2 - span->common_ns, judging->resolution_ns / 2);
}

/* V3. */
static bool is_as(const struct judging *judging, const struct fit_span *span, int64_t expected_ns)
{
	const int64_t allowed_ns = time_max(judging->resolution_ns, expected_ns * EXACT_PERCENT / 100);

	return span->is_known && expected_ns >= span->low_ns - allowed_ns && expected_ns <= span->high_ns + allowed_ns;
}

/* ---- steps ---- */

static bool is_multiple(int64_t value_ns, int64_t step_ns, int64_t doubt_ns)
{
	const int64_t rest_ns = value_ns % step_ns;

	return time_min(rest_ns, step_ns - rest_ns) <= time_max(doubt_ns, step_ns / 32);
}

static bool is_near(const struct verdict_row *row, const struct verdict_row *centre)
{
	return row->effective.is_known && row->effective.span_ns > 0 &&
	       row->effective.span_ns <= 2 * centre->effective.span_ns &&
	       2 * row->effective.span_ns >= centre->effective.span_ns;
}

/* Whether all rows nearby are multiples of it, moved together as far as that may be, and enough of them differ. */
static bool is_step(const struct judging *judging, const struct verdict_row *centre, int64_t step_ns)
{
	const int64_t offset_ns =
		(centre->effective.span_ns + step_ns / 2) / step_ns * step_ns - centre->effective.span_ns;
	unsigned levels = 0;

	if (magnitude(offset_ns) > doubt_of(judging, &centre->effective)) {
		return false;
	}
	for (unsigned i = 0; i < judging->count; i++) {
		const struct verdict_row *const row = &judging->rows[i];
		const int64_t doubt_ns = own_doubt_of(judging, &row->effective);
		bool is_new = true;

		if (!is_near(row, centre)) {
			continue;
		}
		if (step_ns < STEP_INTERVALS * doubt_ns ||
		    !is_multiple(row->effective.span_ns + offset_ns, step_ns, doubt_ns)) {
			return false;
		}
		for (unsigned j = 0; j < i; j++) {
			is_new &= !is_near(&judging->rows[j], centre) ||
				  magnitude(judging->rows[j].effective.span_ns - row->effective.span_ns) > step_ns / 2;
		}
		levels += is_new;
	}
	return levels >= STEP_ROWS;
}

/* The largest distance between neighbours, or part of it, that is a step. */
static int64_t find_step(const struct judging *judging, const struct verdict_row *centre)
{
	int64_t best_ns = 0;

	for (unsigned i = 0; i < judging->count; i++) {
		for (unsigned j = 0; j < judging->count; j++) {
			const int64_t distance_ns =
				judging->rows[i].effective.span_ns - judging->rows[j].effective.span_ns;

			for (int64_t part = 1; distance_ns > 0 && part <= 4; part++) {
				if (distance_ns / part > best_ns && is_near(&judging->rows[i], centre) &&
				    is_near(&judging->rows[j], centre) &&
				    is_step(judging, centre, distance_ns / part)) {
					best_ns = distance_ns / part;
				}
			}
		}
	}
	return best_ns;
}

/* How far the effective times are from what is reported, or from what was asked for; moved together, as far as that may be. */
static int64_t distance_ns(const struct judging *judging, bool from_reported, bool may_move)
{
	int64_t residual_ns[FIT_SETTINGS_MAX], common_ns = 0, sum_ns = 0;
	unsigned count = 0;

	for (unsigned i = 0; i < judging->count && count < FIT_SETTINGS_MAX; i++) {
		const struct verdict_row *const row = &judging->rows[i];

		if (row->reported_ns >= 0 && row->effective.span_ns > 0) {
			residual_ns[count++] =
				row->effective.span_ns - (from_reported ? row->reported_ns : row->requested_ns);
			common_ns = time_max(common_ns, row->effective.common_ns);
		}
	}
	if (count == 0) {
		return 0;
	}
	const int64_t median_ns = middle_find(residual_ns, count).median_ns;
	const int64_t offset_ns = may_move ? time_max(time_min(median_ns, common_ns), -common_ns) : 0;

	for (unsigned i = 0; i < count; i++) {
		sum_ns += magnitude(residual_ns[i] - offset_ns);
	}
	return sum_ns;
}

/* Where both are within the intervals: by how times differ, and if that is alike in both, by what they are. */
static bool is_nearer_to_reported(const struct judging *judging)
{
	const int64_t reported_ns = distance_ns(judging, true, true), requested_ns = distance_ns(judging, false, true);

	if (magnitude(reported_ns - requested_ns) > judging->resolution_ns) {
		return reported_ns < requested_ns;
	}
	return distance_ns(judging, true, false) < distance_ns(judging, false, false);
}

/* Times that are what was asked for show no steps, whatever they are multiples of. */
static bool has_rounded_neighbour(const struct judging *judging, const struct verdict_row *centre)
{
	const bool is_as_reported = is_nearer_to_reported(judging);

	for (unsigned i = 0; i < judging->count; i++) {
		const struct verdict_row *const row = &judging->rows[i];

		if (is_near(row, centre) &&
		    ((is_as_reported && row->reported_ns >= 0 && row->reported_ns != row->requested_ns) ||
		     !is_as(judging, &row->effective, row->requested_ns))) {
			return true;
		}
	}
	return false;
}

static void find_steps(struct judging *judging)
{
	for (unsigned i = 0; i < judging->count; i++) {
		struct verdict_row *const row = &judging->rows[i];

		if (!has_rounded_neighbour(judging, row)) {
			continue;
		}
		row->step_ns = row->effective.is_known && row->effective.span_ns > 0 ? find_step(judging, row) : 0;
		judging->verdict->step_ns = time_max(judging->verdict->step_ns, row->step_ns);
	}
}

/* ---- rules ---- */

/* Rounding to the step of the row, or to what the driver says it has rounded to. */
static bool is_rounded(const struct judging *judging, const struct verdict_row *row)
{
	if (row->reported_ns >= 0 && is_as(judging, &row->effective, row->reported_ns)) {
		return true;
	}
	return row->step_ns && magnitude(row->effective.span_ns - row->requested_ns) <=
				       row->step_ns + doubt_of(judging, &row->effective);
}

static bool is_exact(const struct judging *judging)
{
	if (is_nearer_to_reported(judging)) {
		return false;
	}
	for (unsigned i = 0; i < judging->count; i++) {
		if (!is_as(judging, &judging->rows[i].effective, judging->rows[i].requested_ns)) {
			return false;
		}
	}
	return true;
}

static bool is_quantised(const struct judging *judging)
{
	for (unsigned i = 0; i < judging->count; i++) {
		if (!is_as(judging, &judging->rows[i].effective, judging->rows[i].requested_ns) &&
		    !is_rounded(judging, &judging->rows[i])) {
			return false;
		}
	}
	return true;
}

static int64_t widest_doubt(const struct judging *judging)
{
	int64_t doubt_ns = 0;

	for (unsigned i = 0; i < judging->count; i++) {
		doubt_ns = time_max(doubt_ns, doubt_of(judging, &judging->rows[i].effective));
	}
	return doubt_ns;
}

/* V4. */
static bool is_inert(const struct judging *judging)
{
	int64_t least_ns = INT64_MAX, most_ns = 0, requested_least_ns = INT64_MAX, requested_most_ns = 0;

	for (unsigned i = 0; i < judging->count; i++) {
		const struct verdict_row *const row = &judging->rows[i];

		least_ns = time_min(least_ns, row->effective.span_ns);
		most_ns = time_max(most_ns, row->effective.span_ns);
		requested_least_ns = time_min(requested_least_ns, row->requested_ns);
		requested_most_ns = time_max(requested_most_ns, row->requested_ns);
	}
	const int64_t doubt_ns = 2 * widest_doubt(judging);

	return most_ns - least_ns <= time_max(doubt_ns, (requested_most_ns - requested_least_ns) / 20) &&
	       requested_most_ns - requested_least_ns > 2 * time_max(doubt_ns, judging->resolution_ns);
}

/* V5: of the limits that the rows themselves suggest, one that explains them all. */
static bool is_clamped_at(const struct judging *judging, int64_t limit_ns, bool is_low)
{
	unsigned clamped = 0, free_rows = 0;

	for (unsigned i = 0; i < judging->count; i++) {
		const struct verdict_row *const row = &judging->rows[i];
		const bool is_itself = is_as(judging, &row->effective, row->requested_ns);
		const bool is_beyond = is_low ? row->requested_ns < limit_ns : row->requested_ns > limit_ns;

		if (is_beyond ? !is_as(judging, &row->effective, limit_ns) : !is_itself && !is_rounded(judging, row)) {
			return false;
		}
		free_rows += is_itself;
		clamped += is_beyond && !is_itself;
	}
	return clamped >= 2 || (clamped == 1 && free_rows >= 2);
}

static bool find_clamp(struct judging *judging)
{
	struct verdict *const verdict = judging->verdict;

	for (unsigned i = 0; i < judging->count; i++) {
		const struct fit_span *const span = &judging->rows[i].effective;

		for (unsigned is_low = 0; span->is_known && is_low < 2; is_low++) {
			if (!is_clamped_at(judging, span->span_ns, is_low)) {
				continue;
			}
			verdict->has_low_limit = is_low;
			verdict->has_high_limit = !is_low;
			verdict->low_limit_ns = is_low ? span->span_ns : 0;
			verdict->high_limit_ns = is_low ? 0 : span->span_ns;
			return true;
		}
	}
	return false;
}

/* V5: none up to some request, from the next on as asked for. */
static bool find_dead(struct judging *judging)
{
	int64_t dead_until_ns = 0, alive_from_ns = INT64_MAX;

	for (unsigned i = 0; i < judging->count; i++) {
		const struct verdict_row *const row = &judging->rows[i];
		const bool is_none = row->effective.span_ns == 0;

		if (is_as(judging, &row->effective, row->requested_ns)) {
			alive_from_ns = is_none ? alive_from_ns : time_min(alive_from_ns, row->requested_ns);
		} else if (is_none) {
			dead_until_ns = time_max(dead_until_ns, row->requested_ns);
		} else if (!is_rounded(judging, row)) {
			return false;
		}
	}
	if (dead_until_ns == 0 || alive_from_ns == INT64_MAX || alive_from_ns <= dead_until_ns) {
		return false;
	}
	judging->verdict->dead_until_ns = dead_until_ns;
	return true;
}

/* V7, by the row with the largest request. */
static bool find_scale(struct judging *judging)
{
	const struct verdict_row *largest = &judging->rows[0];

	for (unsigned i = 1; i < judging->count; i++) {
		largest = judging->rows[i].requested_ns > largest->requested_ns ? &judging->rows[i] : largest;
	}
	if (largest->requested_ns <= 0 || largest->effective.span_ns <= 0) {
		return false;
	}
	for (unsigned i = 0; i < judging->count; i++) {
		const struct verdict_row *const row = &judging->rows[i];
		const int64_t expected_ns = (int64_t)wide_scale((uint64_t)row->requested_ns,
								(uint64_t)largest->effective.span_ns,
								(uint64_t)largest->requested_ns);

		if (magnitude(row->effective.span_ns - expected_ns) >
		    time_max(expected_ns * SCALED_PERCENT / 100,
			     doubt_of(judging, &row->effective) + judging->resolution_ns)) {
			return false;
		}
	}
	judging->verdict->scale_ppm =
		(unsigned)wide_scale((uint64_t)largest->effective.span_ns, 1000000, (uint64_t)largest->requested_ns);
	return true;
}

/* V1. */
static bool is_unsteady(const struct judging *judging)
{
	for (unsigned i = 1; i < judging->count; i++) {
		const struct fit_span *const span = &judging->rows[i].effective, *const before = &judging->rows[i - 1]
													  .effective;
		const int64_t allowed_ns = 2 * (doubt_of(judging, span) + doubt_of(judging, before)) +
					   before->span_ns * EXACT_PERCENT / 100;

		if (judging->rows[i].is_again && magnitude(span->span_ns - before->span_ns) > allowed_ns) {
			return true;
		}
	}
	return false;
}

static bool can_tell(struct judging *judging)
{
	int64_t requested_ns = 0, effective_ns = 0;

	for (unsigned i = 0; i < judging->count; i++) {
		if (!judging->rows[i].effective.is_known) {
			return false;
		}
		requested_ns = time_max(requested_ns, judging->rows[i].requested_ns);
		effective_ns = time_max(effective_ns, judging->rows[i].effective.span_ns);
	}
	judging->verdict->is_unsteady = is_unsteady(judging);
	return !judging->verdict->is_unsteady &&
	       (requested_ns > judging->resolution_ns || effective_ns > judging->resolution_ns);
}

static enum verdict_kind decide(struct judging *judging, bool is_adaptive)
{
	if (!can_tell(judging)) {
		return VERDICT_CANNOT_TELL;
	}
	find_steps(judging);
	if (is_exact(judging)) {
		return VERDICT_EXACT;
	}
	if (is_adaptive) {
		return VERDICT_ADAPTIVE;
	}
	if (is_inert(judging)) {
		return VERDICT_INERT;
	}
	if (find_clamp(judging) || find_dead(judging)) {
		return VERDICT_CLAMPED;
	}
	if (is_quantised(judging)) {
		return VERDICT_QUANTISED;
	}
	return find_scale(judging) ? VERDICT_SCALED : VERDICT_DIFFERS;
}

void verdict_find(struct verdict *verdict, struct verdict_row *rows, unsigned count, int64_t resolution_ns,
		  bool is_adaptive)
{
	struct judging judging = { .verdict = verdict, .rows = rows, .count = count, .resolution_ns = resolution_ns };

	*verdict = (struct verdict){ .resolution_ns = resolution_ns };
	verdict->kind = decide(&judging, is_adaptive);
	for (unsigned i = 0; i < count && verdict->kind != VERDICT_CANNOT_TELL; i++) {
		verdict->misreports |= rows[i].reported_ns >= 0 &&
				       !is_as(&judging, &rows[i].effective, rows[i].reported_ns);
	}
}
