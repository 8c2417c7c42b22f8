/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "infer/fit.h"

#include "base/time.h"
#include "infer/fit_private.h"
#include "stats/interval.h"
#include "stats/middle.h"

#define ERROR_PERCENT 15     /* F4: of the largest span, that the mean error may be */
#define RIVAL_PERCENT 150    /* F4: of the best's error, that the next kind's has to be */
#define OFF_LINE_PERCENT 200 /* F1: the same where settings lie on a line */
#define OTHER_OFF_LINE_PERCENT 15
#define OTHER_PATH_PERCENT 140 /* F1: so much more than its error has to be that of the likeliest path */
#define HELD_PARTS 5           /* F5: such a part of the path may be another for frames that are held */
#define OTHER_PARTS 3 /* F5: when the interrupt of what was sent comes is known to such a part of the path, at best */
#define FLOOR_PERCENT 150 /* F6: of what was asked for, that may be held unseen */
#define FREEDOM_STEPS 16  /* F5 */
#define FREEDOM_PERCENT 30

/* One kind with its choices. */
static const struct mechanism hypotheses[] = {
	{ .kind = MECHANISM_HOLD_OFF },
	{ .kind = MECHANISM_HOLD_OFF, .other = OTHER_TAKES_ALONG },
	{ .kind = MECHANISM_HOLD_OFF, .other = OTHER_HAS_SAME_TIMER },
	{ .kind = MECHANISM_HOLD_OFF, .frames = 2 },
	{ .kind = MECHANISM_RESTART },
	{ .kind = MECHANISM_RESTART, .frames = 2 },
	{ .kind = MECHANISM_THROTTLE },
	{ .kind = MECHANISM_THROTTLE, .other = OTHER_HAS_SAME_TIMER },
	{ .kind = MECHANISM_DEFERRAL, .polls = 2 },
	{ .kind = MECHANISM_DEFERRAL, .polls = 8 },
};

#define HYPOTHESES (sizeof(hypotheses) / sizeof(hypotheses[0]))

/* ---- which kind ---- */

struct candidate {
	struct mechanism mechanism;
	struct fit_path path;
	int64_t error_ns, weighed_ns;
	int64_t span_ns[FIT_SETTINGS_MAX];
};

static int64_t largest_span(const struct fit *fit, const struct candidate *candidate)
{
	int64_t largest_ns = 0;

	for (unsigned s = 0; s < fit->setting_count; s++) {
		largest_ns = time_max(largest_ns, candidate->span_ns[s]);
	}
	return largest_ns;
}

/* percent: what its error counts for when it is compared. */
static void try_candidate(const struct fitting *fitting, const struct mechanism *mechanism, const struct fit_path *path,
			  int64_t percent, struct candidate *best)
{
	struct candidate candidate = { .mechanism = *mechanism, .path = *path };
	int64_t sum_ns = 0, settings = 0;

	for (unsigned s = 0; s < fitting->fit->setting_count; s++) {
		settings += fitting->fit->lone_ns[s] >= 0;
	}
	/* Those with the most to say come last, where values rise: they are looked at first. */
	for (unsigned s = fitting->fit->setting_count; s-- > 0;) {
		struct mechanism fitted = *mechanism;

		if (fitting->fit->lone_ns[s] < 0) {
			continue;
		}
		sum_ns += fit_setting(fitting, &fitted, path, s);
		if (sum_ns / settings * percent / 100 >= best->weighed_ns) {
			return;
		}
		candidate.span_ns[s] = fitted.span_ns;
	}
	candidate.error_ns = settings ? sum_ns / settings : 0;
	candidate.weighed_ns = candidate.error_ns * percent / 100;
	*best = candidate;
}

/*
 * When the interrupt of what was sent comes is not known: some part of the way there and back; where that starts the timer,
 * the line through all settings begins there.
 */
static void try_path(const struct fitting *fitting, const struct mechanism *mechanism, const struct fit_path *path,
		     int64_t percent, struct candidate *best)
{
	const bool has_line = mechanism->other == OTHER_HAS_SAME_TIMER && fitting->line_ns > path->look_ns;
	struct fit_path tried = *path;

	if (!mechanism->other) {
		try_candidate(fitting, mechanism, path, percent, best);
		return;
	}
	for (int64_t part = 1; part <= 7; part++) {
		tried.other_at_ns = (path->delay_ns + path->peer_hold_ns) * part / 8;
		try_candidate(fitting, mechanism, &tried, has_line ? percent + OTHER_OFF_LINE_PERCENT : percent, best);
	}
	if (has_line) {
		tried.other_at_ns = fitting->line_ns - path->look_ns;
		try_candidate(fitting, mechanism, &tried, percent, best);
	}
}

/* F1: by how much a path that is not the likeliest has to explain more; where nothing is known of what was asked for, none is. */
static int64_t other_percent(const struct fitting *fitting)
{
	if (fitting->requested_ns[fitting->fit->floor] < 0) {
		return 100;
	}
	return fitting->is_line ? OFF_LINE_PERCENT : OTHER_PATH_PERCENT;
}

static void try_paths(const struct fitting *fitting, const struct mechanism *mechanism, struct candidate *best)
{
	for (unsigned p = 0; p < fitting->path_count; p++) {
		struct fit_path path = fitting->paths[p];

		if (p != fitting->likeliest) {
			try_path(fitting, mechanism, &path, other_percent(fitting), best);
			continue;
		}
		for (int64_t part = 0; part <= 2; part++) {
			path.look_ns = path.delay_ns * part / 8;
			try_path(fitting, mechanism, &path, 100, best);
		}
	}
}

/* ---- what of the path is not known ---- */

static int64_t *parameter_of(struct fit_path *path, bool of_other)
{
	return of_other ? &path->other_at_ns : &path->delay_ns;
}

static void move(struct fit_path *path, bool of_other, int64_t by_ns)
{
	*parameter_of(path, of_other) += by_ns;
	if (!of_other) {
		path->later_delay_ns += by_ns;
	}
}

/* Goes where the error is less, in steps that get shorter. */
static void refine(const struct fitting *fitting, bool of_other, struct candidate *best)
{
	for (int64_t step_ns = *parameter_of(&best->path, of_other) / 8; step_ns > fitting->fit->jitter_ns / 2 + 100;
	     step_ns /= 2) {
		for (int64_t sign = -1; sign <= 1; sign += 2) {
			struct fit_path path = best->path;

			move(&path, of_other, sign * step_ns);
			if (*parameter_of(&path, of_other) > 0) {
				try_candidate(fitting, &best->mechanism, &path, 100, best);
			}
		}
	}
}

/* How far it can be moved in one direction before the error is clearly larger. */
static int64_t freedom(const struct fitting *fitting, bool of_other, int64_t sign, const struct candidate *best)
{
	const int64_t allowed_ns =
		best->error_ns + best->error_ns * FREEDOM_PERCENT / 100 + fitting->fit->jitter_ns / 4;
	const int64_t step_ns = *parameter_of((struct fit_path *)&best->path, of_other) / FREEDOM_STEPS + 1;
	int64_t far_ns = 0;

	for (int64_t i = 1; i <= FREEDOM_STEPS; i++) {
		struct candidate moved = { .error_ns = INT64_MAX, .weighed_ns = allowed_ns };
		struct fit_path path = best->path;

		move(&path, of_other, sign * i * step_ns);
		if (*parameter_of(&path, of_other) <= 0) {
			break;
		}
		try_candidate(fitting, &best->mechanism, &path, 100, &moved);
		if (moved.error_ns == INT64_MAX) {
			break;
		}
		far_ns = i * step_ns;
	}
	return far_ns;
}

/* F5: a later path makes spans shorter. */
static void find_doubts(struct fitting *fitting, struct candidate *best)
{
	const bool is_likeliest = best->path.delay_ns == fitting->paths[fitting->likeliest].delay_ns;
	const bool is_certain = is_likeliest && (fitting->requested_ns[fitting->fit->floor] == 0 || fitting->is_line);

	best->weighed_ns = best->error_ns;
	if (best->path.delay_ns != fitting->paths[0].delay_ns) {
		fitting->delay_uncertainty_ns =
			time_max(fitting->delay_uncertainty_ns, fitting->fit->resolution_ns / 2);
	}
	fitting->delay_uncertainty_ns += fitting->likeliest && is_likeliest ? fitting->line_reach_ns : 0;
	/* A frame that had to wait finds another CPU than one that did not: busy, asleep, with other caches. */
	fitting->delay_uncertainty_ns += best->path.delay_ns / HELD_PARTS;
	if (best->mechanism.other == OTHER_HAS_SAME_TIMER) {
		const bool is_of_line = best->path.other_at_ns == fitting->line_ns - best->path.look_ns;
		const int64_t least_ns = best->path.delay_ns / OTHER_PARTS;

		if (!is_of_line) {
			refine(fitting, true, best);
		}
		fitting->longer_ns += is_of_line ? least_ns : time_max(freedom(fitting, true, -1, best), least_ns);
		fitting->shorter_ns += is_of_line ? least_ns : time_max(freedom(fitting, true, 1, best), least_ns);
	}
	if (!is_certain) {
		refine(fitting, false, best);
		fitting->longer_ns += freedom(fitting, false, -1, best);
		fitting->shorter_ns += freedom(fitting, false, 1, best);
	}
}

/* F6: a throttle that is over before the reply comes is not seen, nor is what is held at the floor if that asks for some. */
static int64_t unseen_span(const struct fitting *fitting, const struct candidate *best, unsigned setting)
{
	const struct fit *const fit = fitting->fit;
	const int64_t unseen_ns = best->mechanism.kind == MECHANISM_THROTTLE
					  ? time_max(fit->resolution_ns, best->path.delay_ns)
					  : fit->resolution_ns;

	return setting == fit->floor ? time_max(unseen_ns, fitting->requested_ns[setting] * FLOOR_PERCENT / 100)
				     : unseen_ns;
}

/* F6. The interval of what too few frames speak of is their time alone. */
static bool is_over_in_time(const struct candidate *best, const struct fit_span *span)
{
	const int64_t least_ns = span->low_ns > 0 ? span->low_ns : span->span_ns;

	return best->mechanism.kind == MECHANISM_THROTTLE && least_ns <= best->path.spacing_ns;
}

/* F5. */
static void find_spans(const struct fitting *fitting, const struct candidate *best)
{
	struct fit *const fit = fitting->fit;

	for (unsigned s = 0; s < fit->setting_count; s++) {
		struct mechanism mechanism = best->mechanism;
		struct fit_span *const span = &fit->span[s];
		int64_t *const values_ns = fitting->work->values_ns;

		*span = (struct fit_span){ .is_known = fit->lone_ns[s] >= 0,
					   .never_came = fit->lone_ns[s] < 0,
					   .high_ns = unseen_span(fitting, best, s) };
		if (best->span_ns[s] == 0) {
			continue;
		}
		mechanism.span_ns = best->span_ns[s];
		const unsigned count = fit_opinions(fitting, &mechanism, &best->path, s, values_ns);
		const struct middle middle = middle_find(values_ns, count);
		struct interval interval = { 0 };

		span->count = count;
		span->span_ns = count ? time_max(middle.median_ns, 0) : best->span_ns[s];
		if (middle.is_sure) {
			interval = (struct interval){ middle.median_ns, middle.low_ns, middle.high_ns };
		} else if (!interval_of_median(values_ns, count, &interval)) {
			span->is_known = is_over_in_time(best, span);
			span->span_ns = 0;
			continue;
		}
		const int64_t doubt_ns =
			fitting->delay_uncertainty_ns + fit_mean_error(fitting, &mechanism, &best->path, s, 1) / 2;

		span->low_ns = time_max(interval.low - doubt_ns - fitting->shorter_ns, 0);
		span->high_ns = interval.high + doubt_ns + fitting->longer_ns;
		if (is_over_in_time(best, span)) {
			*span = (struct fit_span){ .is_known = true, .high_ns = unseen_span(fitting, best, s) };
			continue;
		}
		span->common_ns = fitting->delay_uncertainty_ns + time_max(fitting->shorter_ns, fitting->longer_ns);
	}
}

/* F4, F6. */
static void judge(struct fitting *fitting, struct candidate best[MECHANISM_KINDS], unsigned first, unsigned second)
{
	struct fit *const fit = fitting->fit;

	find_doubts(fitting, &best[first]);
	const int64_t largest_ns = largest_span(fit, &best[first]);

	fit->kind = (enum mechanism_kind)first;
	fit->rival = (enum mechanism_kind)second;
	fit->mechanism = best[first].mechanism;
	fit->path = best[first].path;
	fit->error_ns = best[first].error_ns;
	fit->rival_error_ns = best[second].error_ns;
	find_spans(fitting, &best[first]);
	if (largest_ns <= fit->resolution_ns) {
		fit->kind = MECHANISM_NONE;
		fit->mechanism = (struct mechanism){ .kind = MECHANISM_NONE };
		for (unsigned s = 0; s < fit->setting_count; s++) {
			fit->span[s] = (struct fit_span){ .is_known = fit->lone_ns[s] >= 0,
							  .never_came = fit->lone_ns[s] < 0,
							  .high_ns = fit->resolution_ns };
		}
		fit->has_kind = fit->error_ns <= 4 * fit->resolution_ns;
		return;
	}
	fit->has_kind = fit->error_ns <= time_max(2 * fit->resolution_ns, largest_ns * ERROR_PERCENT / 100) &&
			fit->rival_error_ns >= fit->error_ns * RIVAL_PERCENT / 100 + fit->jitter_ns / 4;
}

static void find_ranges(struct fitting *fitting, unsigned sample_count)
{
	unsigned at = 0;

	for (unsigned s = 0; s < fitting->fit->setting_count; s++) {
		fitting->from[s] = at;
		while (at < sample_count && fitting->work->samples[at].setting == s) {
			at++;
		}
		fitting->from[s + 1] = at;
	}
}

void fit_find(struct fit *fit, struct fit_work *work, unsigned sample_count, unsigned setting_count,
	      const int64_t *requested_ns, int64_t frame_ns, enum fit_direction direction)
{
	struct fitting fitting = {
		.fit = fit, .work = work, .requested_ns = requested_ns, .frame_ns = frame_ns, .direction = direction
	};
	struct candidate best[MECHANISM_KINDS];
	unsigned first = MECHANISM_HOLD_OFF, second = MECHANISM_RESTART;

	*fit = (struct fit){ .setting_count = setting_count };
	find_ranges(&fitting, sample_count);
	fit_find_floor(&fitting);
	if (fit->lone_ns[fit->floor] < 0) {
		return;
	}
	fit_find_paths(&fitting);
	for (unsigned k = 0; k < MECHANISM_KINDS; k++) {
		best[k] = (struct candidate){ .error_ns = INT64_MAX, .weighed_ns = INT64_MAX };
	}
	for (unsigned h = 0; h < HYPOTHESES; h++) {
		if (direction == FIT_RX || (!hypotheses[h].other && hypotheses[h].kind != MECHANISM_DEFERRAL)) {
			try_paths(&fitting, &hypotheses[h], &best[hypotheses[h].kind]);
		}
	}
	for (unsigned k = 0; k < MECHANISM_KINDS; k++) {
		if (best[k].weighed_ns < best[first].weighed_ns) {
			first = k;
		}
	}
	second = first == MECHANISM_HOLD_OFF ? MECHANISM_RESTART : MECHANISM_HOLD_OFF;
	for (unsigned k = 0; k < MECHANISM_KINDS; k++) {
		if (k != first && best[k].weighed_ns < best[second].weighed_ns) {
			second = k;
		}
	}
	judge(&fitting, best, first, second);
}
