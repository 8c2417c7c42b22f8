/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "infer/fit.h"

#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "stats/interval.h"
#include "stats/middle.h"

#define SPAN_FROM_NS 1000
#define SPAN_STEP_PERCENT 12 /* between the spans that are tried first */
#define POLISHES 4
#define COARSE 48            /* so many samples of a setting suffice for the first look */
#define ERROR_PERCENT 15     /* F4: of the largest span, that the mean error may be */
#define RIVAL_PERCENT 150    /* F4: of the best's error, that the next kind's has to be */
#define OFF_LINE_PERCENT 200 /* F1: the same where settings lie on a line */
#define OTHER_OFF_LINE_PERCENT 15
#define OTHER_PATH_PERCENT 140 /* F1: so much more than its error has to be that of the likeliest path */
#define LINE_PERCENT 5         /* F1: settings lie on a line when they are so near to it, or within the resolution */
#define PATHS_MAX 16
#define FLOOR_PARTS 8
#define OTHER_PARTS 4 /* F5: when the interrupt of what was sent comes is known to such a part of the path, at best */
#define FREEDOM_STEPS 16 /* F5 */
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

struct fitting {
	struct fit *fit;
	struct fit_work *work;
	const int64_t *requested_ns;
	int64_t frame_ns;
	enum fit_direction direction;
	unsigned from[FIT_SETTINGS_MAX + 1]; /* samples of setting s: from[s] to from[s + 1] */
	unsigned path_count, likeliest;
	bool is_line; /* the likeliest agrees with a line through the settings, */
	int64_t line_ns,
		line_reach_ns; /* which begins there, and is so far from those that it is near; 0: there is none */
	struct fit_path paths[PATHS_MAX];
	int64_t cap_ns[FIT_SETTINGS_MAX], longest_ns[FIT_SETTINGS_MAX]; /* longest: that frames took, but for a few */
	int64_t delay_uncertainty_ns, shorter_ns, longer_ns;            /* spans may be so much shorter or longer */
};

static int64_t magnitude(int64_t value)
{
	return value < 0 ? -value : value;
}

/* ---- what is predicted ---- */

struct prediction {
	int64_t first_ns, last_ns;
};

/* When requests reach the far end's application. */
static void pass_peer(const struct fit_path *path, int64_t gap_ns, int64_t at_ns[2])
{
	at_ns[0] = 0;
	at_ns[1] = gap_ns;
	if (path->peer_hold_ns) {
		const struct mechanism peer = { .kind = MECHANISM_HOLD_OFF, .span_ns = path->peer_hold_ns };
		const struct mechanism_event events[2] = { { 0, false }, { gap_ns, false } };

		mechanism_tell(&peer, events, 2, at_ns);
	}
}

static void insert(struct mechanism_event *events, unsigned *count, int64_t at_ns, bool is_other)
{
	unsigned at = (*count)++;

	for (; at > 0 && events[at - 1].at_ns > at_ns; at--) {
		events[at] = events[at - 1];
	}
	events[at] = (struct mechanism_event){ at_ns, is_other };
}

static struct prediction predict(const struct mechanism *mechanism, const struct fit_path *path,
				 const struct fit_sample *sample)
{
	struct mechanism_event events[4];
	int64_t told_at_ns[4], at_ns[2];
	unsigned count = 0;

	pass_peer(path, sample->gap_ns, at_ns);
	const int64_t first_at_ns = at_ns[0] + path->delay_ns - path->look_ns;

	insert(events, &count, first_at_ns, false);
	if (sample->is_pair) {
		insert(events, &count,
		       time_max(at_ns[1] + path->later_delay_ns - path->look_ns, first_at_ns + path->spacing_ns),
		       false);
	}
	if (mechanism->other) {
		insert(events, &count, path->other_at_ns, true);
		if (sample->is_pair) {
			insert(events, &count, sample->gap_ns + path->other_at_ns, true);
		}
	}
	struct mechanism looking = *mechanism;

	looking.look_ns = path->look_ns;
	mechanism_tell(&looking, events, count, told_at_ns);
	struct prediction prediction = { -1, -1 };

	for (unsigned i = 0; i < count; i++) {
		if (events[i].is_other) {
			continue;
		}
		if (prediction.first_ns < 0) {
			prediction.first_ns = told_at_ns[i];
		} else {
			prediction.last_ns = told_at_ns[i] - sample->gap_ns;
		}
	}
	return prediction;
}

/* ---- how well it fits ---- */

static int64_t error_of(int64_t predicted_ns, int64_t was_ns, int64_t cap_ns)
{
	return was_ns < 0 ? cap_ns : time_min(magnitude(predicted_ns - was_ns), cap_ns);
}

/* F3, of every step-th sample. */
static int64_t mean_error(const struct fitting *fitting, const struct mechanism *mechanism, const struct fit_path *path,
			  unsigned setting, unsigned step)
{
	const int64_t cap_ns = fitting->cap_ns[setting];
	int64_t sum_ns = 0, count = 0;

	for (unsigned i = fitting->from[setting]; i < fitting->from[setting + 1]; i += step) {
		const struct fit_sample *const sample = &fitting->work->samples[i];
		const struct prediction prediction = predict(mechanism, path, sample);

		sum_ns += error_of(prediction.first_ns, sample->first_ns, cap_ns);
		count++;
		if (sample->is_pair) {
			sum_ns += error_of(prediction.last_ns, sample->last_ns, cap_ns);
			count++;
		}
	}
	return count ? sum_ns / count : 0;
}

/*
 * What each frame says of the span: the predicted time moves by 0, 1, 2 ... times what the span does; where it moves at
 * all, the error over that is how much the span is wrong. Returns how many frames have an opinion.
 */
static unsigned opinions(const struct fitting *fitting, const struct mechanism *mechanism, const struct fit_path *path,
			 unsigned setting, int64_t *span_ns)
{
	struct mechanism longer = *mechanism;
	const int64_t step_ns = time_max(mechanism->span_ns / 256, 16);
	unsigned count = 0;

	longer.span_ns += step_ns;
	for (unsigned i = fitting->from[setting]; i < fitting->from[setting + 1]; i++) {
		const struct fit_sample *const sample = &fitting->work->samples[i];
		const struct prediction now = predict(mechanism, path, sample), then = predict(&longer, path, sample);
		const int64_t was_ns[2] = { sample->first_ns, sample->last_ns };
		const int64_t now_ns[2] = { now.first_ns, now.last_ns }, then_ns[2] = { then.first_ns, then.last_ns };

		for (unsigned j = 0; j < 1u + sample->is_pair; j++) {
			const int64_t slope = (then_ns[j] - now_ns[j] + step_ns / 2) / step_ns;

			if (slope > 0 && slope < 64 && was_ns[j] >= 0 &&
			    magnitude(was_ns[j] - now_ns[j]) < fitting->cap_ns[setting]) {
				span_ns[count++] = mechanism->span_ns + (was_ns[j] - now_ns[j]) / slope;
			}
		}
	}
	return count;
}

static int64_t polish(const struct fitting *fitting, struct mechanism *mechanism, const struct fit_path *path,
		      unsigned setting)
{
	int64_t best_ns = mean_error(fitting, mechanism, path, setting, 1);

	for (unsigned i = 0; i < POLISHES; i++) {
		struct mechanism next = *mechanism;
		const unsigned count = opinions(fitting, mechanism, path, setting, fitting->work->values_ns);

		if (count == 0) {
			break;
		}
		next.span_ns = time_max(1, middle_find(fitting->work->values_ns, count).median_ns);
		const int64_t error_ns = mean_error(fitting, &next, path, setting, 1);

		if (error_ns >= best_ns) {
			break;
		}
		best_ns = error_ns;
		*mechanism = next;
	}
	return best_ns;
}

struct best_span {
	int64_t span_ns, error_ns;
};

static void try_span(const struct fitting *fitting, const struct mechanism *mechanism, const struct fit_path *path,
		     unsigned setting, int64_t span_ns, struct best_span *best)
{
	const unsigned count = fitting->from[setting + 1] - fitting->from[setting];
	struct mechanism tried = *mechanism;

	tried.span_ns = time_max(span_ns, 1);
	const int64_t error_ns = mean_error(fitting, &tried, path, setting, count > COARSE ? count / COARSE : 1);

	if (error_ns < best->error_ns) {
		*best = (struct best_span){ tried.span_ns, error_ns };
	}
}

/* What lone frames wait for is known at once where they wait; a throttle has to be looked for. */
static int64_t first_look(const struct fitting *fitting, const struct mechanism *mechanism, const struct fit_path *path,
			  unsigned setting)
{
	const int64_t lone_ns = fitting->fit->lone_ns[setting] - path->delay_ns - path->peer_hold_ns;
	struct best_span best = { 1, INT64_MAX };

	if (mechanism->kind == MECHANISM_HOLD_OFF || mechanism->kind == MECHANISM_RESTART) {
		for (int64_t tenths = 8; tenths <= 12; tenths++) {
			try_span(fitting, mechanism, path, setting, lone_ns * tenths / 10, &best);
		}
		return best.span_ns;
	}
	for (int64_t span_ns = SPAN_FROM_NS; span_ns < 2 * fitting->longest_ns[setting];
	     span_ns += span_ns * SPAN_STEP_PERCENT / 100) {
		try_span(fitting, mechanism, path, setting, span_ns, &best);
	}
	return best.span_ns;
}

/* F3: the best span of a setting, and its error. */
static int64_t fit_setting(const struct fitting *fitting, struct mechanism *mechanism, const struct fit_path *path,
			   unsigned setting)
{
	static const struct mechanism none = { .kind = MECHANISM_NONE };
	const int64_t none_ns = mean_error(fitting, &none, path, setting, 1);

	mechanism->span_ns = first_look(fitting, mechanism, path, setting);
	const int64_t best_ns = polish(fitting, mechanism, path, setting);

	/* A span that explains no more than none does is none. */
	if (none_ns <= best_ns + best_ns / 16) {
		mechanism->span_ns = 0;
		return none_ns;
	}
	return best_ns;
}

/* ---- the path ---- */

enum which { LONE, FIRST, LAST, ALL };

/* How long frames of a setting took, of those that came. */
static unsigned gather(const struct fitting *fitting, unsigned setting, enum which which, int64_t *values_ns)
{
	unsigned count = 0;

	for (unsigned i = fitting->from[setting]; i < fitting->from[setting + 1]; i++) {
		const struct fit_sample *const sample = &fitting->work->samples[i];

		if (which != LAST && (which != LONE || !sample->is_pair) && sample->first_ns >= 0) {
			values_ns[count++] = sample->first_ns;
		}
		if ((which == LAST || which == ALL) && sample->is_pair && sample->last_ns >= 0) {
			values_ns[count++] = sample->last_ns;
		}
	}
	return count;
}

static unsigned lone_sent(const struct fitting *fitting, unsigned setting)
{
	unsigned count = 0;

	for (unsigned i = fitting->from[setting]; i < fitting->from[setting + 1]; i++) {
		count += !fitting->work->samples[i].is_pair;
	}
	return count;
}

/* In order of size, after middle_find. */
static int64_t percentile(const int64_t *values_ns, unsigned count, unsigned percent)
{
	return count ? values_ns[(count - 1) * percent / 100] : 0;
}

static void look_at_setting(struct fitting *fitting, unsigned setting)
{
	struct fit *const fit = fitting->fit;
	int64_t *const values_ns = fitting->work->values_ns;
	unsigned count = gather(fitting, setting, LONE, values_ns);

	fit->lone_ns[setting] = 2 * count > lone_sent(fitting, setting) ? middle_find(values_ns, count).median_ns : -1;
	if (fit->lone_ns[setting] >= 0 &&
	    (fit->lone_ns[fit->floor] < 0 || fit->lone_ns[setting] < fit->lone_ns[fit->floor])) {
		fit->floor = setting;
	}
	count = gather(fitting, setting, ALL, values_ns);
	middle_find(values_ns, count);
	fitting->cap_ns[setting] =
		time_max(percentile(values_ns, count, 95) - percentile(values_ns, count, 5), NS_PER_US);
	fitting->longest_ns[setting] = percentile(values_ns, count, 98);
}

/* Where a throttle costs lone frames nothing all settings look alike: the one that asks for nothing is the floor. */
static void prefer_none(struct fitting *fitting)
{
	struct fit *const fit = fitting->fit;
	int64_t *const values_ns = fitting->work->values_ns;
	const unsigned count = gather(fitting, fit->floor, LONE, values_ns);
	const struct middle middle = middle_find(values_ns, count);
	const int64_t alike_ns = middle.is_sure ? middle.high_ns : percentile(values_ns, count, 90);

	for (unsigned s = 0; s < fit->setting_count; s++) {
		if (fitting->requested_ns[s] == 0 && fit->lone_ns[s] >= 0 && fit->lone_ns[s] <= alike_ns) {
			fit->floor = s;
		}
	}
}

static void find_floor(struct fitting *fitting)
{
	struct fit *const fit = fitting->fit;
	int64_t *const values_ns = fitting->work->values_ns;

	for (unsigned s = 0; s < fit->setting_count; s++) {
		look_at_setting(fitting, s);
	}
	prefer_none(fitting);
	const unsigned count = gather(fitting, fit->floor, LONE, values_ns);
	const struct middle middle = middle_find(values_ns, count);

	fit->jitter_ns = (percentile(values_ns, count, 75) - percentile(values_ns, count, 25) + 1) / 2;
	fitting->delay_uncertainty_ns = middle.is_sure ? (middle.high_ns - middle.low_ns + 1) / 2 : fit->jitter_ns;
	fit->resolution_ns = time_max(2 * fitting->delay_uncertainty_ns + 2 * fit->jitter_ns, NS_PER_US / 2);
}

/* F1: the closest that the far end's answers, or this end's sendings, come: seen at the floor, with the shortest gaps. */
static int64_t find_spacing(const struct fitting *fitting)
{
	int64_t shortest_ns = INT64_MAX;
	unsigned count = 0;

	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned i = fitting->from[fitting->fit->floor]; i < fitting->from[fitting->fit->floor + 1]; i++) {
			const struct fit_sample *const sample = &fitting->work->samples[i];

			if (!sample->is_pair || sample->first_ns < 0 || sample->last_ns < 0) {
				continue;
			}
			if (pass == 0) {
				shortest_ns = time_min(shortest_ns, sample->gap_ns);
			} else if (sample->gap_ns <= shortest_ns + shortest_ns / 2) {
				fitting->work->values_ns[count++] = sample->gap_ns + sample->last_ns - sample->first_ns;
			}
		}
	}
	return time_max(middle_find(fitting->work->values_ns, count).median_ns, fitting->frame_ns);
}

static void add_path(struct fitting *fitting, const struct fit_path *path)
{
	if (fitting->path_count < PATHS_MAX) {
		fitting->paths[fitting->path_count++] = *path;
	}
}

/* F1: what so many percent of all frames, first ones and later ones, do not take. */
static struct fit_path quick_path(const struct fitting *fitting, unsigned percent)
{
	int64_t *const values_ns = fitting->work->values_ns;
	int64_t delay_ns[2];

	for (unsigned later = 0; later < 2; later++) {
		unsigned count = 0;

		for (unsigned s = 0; s < fitting->fit->setting_count; s++) {
			count += gather(fitting, s, later ? LAST : FIRST, values_ns + count);
		}
		middle_find(values_ns, count);
		delay_ns[later] = percentile(values_ns, count, percent);
	}
	return (struct fit_path){ .delay_ns = time_min(delay_ns[0], delay_ns[1]),
				  .later_delay_ns = delay_ns[1],
				  .spacing_ns = fitting->frame_ns };
}

/* F2: what the far end would have to hold to explain the floor alone; 0 when nothing does better than no hold. */
static int64_t find_peer_hold(const struct fitting *fitting, const struct fit_path *plain)
{
	static const struct mechanism none = { .kind = MECHANISM_NONE };
	const unsigned floor = fitting->fit->floor;
	struct fit_path path = { 0 };
	const int64_t plain_ns = mean_error(fitting, &none, plain, floor, 1);
	int64_t best_ns = plain_ns, hold_ns = 0;

	for (int64_t span_ns = SPAN_FROM_NS; span_ns < plain->delay_ns; span_ns += span_ns / 32 + 1) {
		path.peer_hold_ns = span_ns;
		path.delay_ns = path.later_delay_ns = plain->delay_ns - span_ns;
		const int64_t error_ns = mean_error(fitting, &none, &path, floor, 1);

		if (error_ns < best_ns) {
			best_ns = error_ns;
			hold_ns = span_ns;
		}
	}
	return best_ns < plain_ns / 2 ? hold_ns : 0;
}

/* By how much a frame soon after another is quicker than a lone one (caches, idle states): where both were held alike. */
static int64_t warm_gain(const struct fitting *fitting)
{
	const struct fit *const fit = fitting->fit;
	unsigned count = 0;

	for (unsigned i = fitting->from[fit->floor]; i < fitting->from[fit->floor + 1]; i++) {
		const struct fit_sample *const sample = &fitting->work->samples[i];

		if (sample->is_pair && sample->last_ns >= 0 && sample->gap_ns > 2 * fit->lone_ns[fit->floor]) {
			fitting->work->values_ns[count++] = fit->lone_ns[fit->floor] - sample->last_ns;
		}
	}
	return middle_find(fitting->work->values_ns, count).median_ns;
}

static void add_shorter(struct fitting *fitting, const struct fit_path *path, int64_t floor_span_ns)
{
	const int64_t delay_ns = path->delay_ns - floor_span_ns;
	const int64_t gain_ns = warm_gain(fitting);

	if (floor_span_ns > 0 && delay_ns > 0) {
		add_path(fitting,
			 &(struct fit_path){ .delay_ns = delay_ns,
					     .later_delay_ns = gain_ns > 0 && gain_ns < delay_ns ? delay_ns - gain_ns
												 : delay_ns,
					     .spacing_ns = fitting->frame_ns });
	}
}

static bool is_on_line(const struct fitting *fitting, unsigned setting)
{
	return fitting->fit->lone_ns[setting] >= 0 && fitting->requested_ns[setting] >= 0;
}

/* Of the line that most settings lie on: the median of the slopes between any two (Theil and Sen), in 1/10000. */
static int64_t slope_of_line(const struct fitting *fitting)
{
	const struct fit *const fit = fitting->fit;
	unsigned count = 0;

	for (unsigned i = 0; i < fit->setting_count; i++) {
		for (unsigned j = 0; j < i; j++) {
			const int64_t run_ns = fitting->requested_ns[i] - fitting->requested_ns[j];

			if (is_on_line(fitting, i) && is_on_line(fitting, j) && run_ns != 0) {
				fitting->work->values_ns[count++] =
					(fit->lone_ns[i] - fit->lone_ns[j]) * 10000 / run_ns;
			}
		}
	}
	return middle_find(fitting->work->values_ns, count).median_ns;
}

/*
 * F1: where what lone frames take is a straight line over what was asked for, at three settings of four and at least three,
 * the path is where the line meets 0.
 */
static void find_line(struct fitting *fitting)
{
	const struct fit *const fit = fitting->fit;
	int64_t meets_ns[FIT_SETTINGS_MAX], allowed_ns[FIT_SETTINGS_MAX], sorted_ns[FIT_SETTINGS_MAX];
	const int64_t slope = slope_of_line(fitting);
	unsigned count = 0, near = 0;

	for (unsigned s = 0; s < fit->setting_count; s++) {
		if (is_on_line(fitting, s)) {
			meets_ns[count] = fit->lone_ns[s] - fitting->requested_ns[s] * slope / 10000;
			allowed_ns[count++] = time_max(fit->resolution_ns, fit->lone_ns[s] * LINE_PERCENT / 100);
		}
	}
	memcpy(sorted_ns, meets_ns, count * sizeof(sorted_ns[0]));
	const int64_t delay_ns = middle_find(sorted_ns, count).median_ns;
	int64_t reach_ns = 0;

	for (unsigned i = 0; i < count; i++) {
		if (magnitude(meets_ns[i] - delay_ns) <= allowed_ns[i]) {
			reach_ns = time_max(reach_ns, magnitude(meets_ns[i] - delay_ns));
			near++;
		}
	}
	if (slope > 0 && near >= 3 && 4 * near >= 3 * count) {
		fitting->line_ns = delay_ns;
		fitting->line_reach_ns = reach_ns;
	}
}

/* F1: the floor may hold by itself, unless nothing was asked for there. */
static void add_holding_floors(struct fitting *fitting, const struct fit_path *path)
{
	const int64_t requested_ns = fitting->requested_ns[fitting->fit->floor];
	const int64_t line_ns = fitting->line_ns;

	if (requested_ns == 0) {
		fitting->is_line = line_ns && magnitude(line_ns - path->delay_ns) <=
						      fitting->fit->resolution_ns + fitting->line_reach_ns;
		return;
	}
	if (line_ns > 0 && line_ns < path->delay_ns) {
		fitting->likeliest = fitting->path_count;
		fitting->is_line = true;
		add_shorter(fitting, path, path->delay_ns - line_ns);
	}
	add_shorter(fitting, path, requested_ns);
	for (int64_t part = 1; part < FLOOR_PARTS; part++) {
		add_shorter(fitting, path, path->delay_ns * part / FLOOR_PARTS);
	}
}

static void find_paths(struct fitting *fitting)
{
	static const unsigned percents[] = { 2, 8 };
	int64_t *const values_ns = fitting->work->values_ns;
	const struct fit *const fit = fitting->fit;
	struct fit_path path = { .delay_ns = fit->lone_ns[fit->floor], .spacing_ns = find_spacing(fitting) };

	path.later_delay_ns = middle_find(values_ns, gather(fitting, fit->floor, LAST, values_ns)).median_ns;
	add_path(fitting, &path);
	const int64_t hold_ns = fitting->direction == FIT_RX ? find_peer_hold(fitting, &path) : 0;

	if (hold_ns) {
		add_path(fitting, &(struct fit_path){ .delay_ns = path.delay_ns - hold_ns,
						      .later_delay_ns = path.delay_ns - hold_ns,
						      .peer_hold_ns = hold_ns });
	}
	find_line(fitting);
	add_holding_floors(fitting, &path);
	for (unsigned i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		const struct fit_path quick = quick_path(fitting, percents[i]);

		/* Where the floor holds too, replies come closer than the path lets them. */
		if (path.delay_ns - quick.delay_ns > fit->resolution_ns) {
			add_path(fitting, &quick);
		}
	}
}

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

static void try_paths(const struct fitting *fitting, const struct mechanism *mechanism, struct candidate *best)
{
	for (unsigned p = 0; p < fitting->path_count; p++) {
		struct fit_path path = fitting->paths[p];

		if (p != fitting->likeliest) {
			try_path(fitting, mechanism, &path, fitting->is_line ? OFF_LINE_PERCENT : OTHER_PATH_PERCENT,
				 best);
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
	fitting->delay_uncertainty_ns += fitting->is_line && is_likeliest ? fitting->line_reach_ns : 0;
	if (best->mechanism.other == OTHER_HAS_SAME_TIMER &&
	    best->path.other_at_ns != fitting->line_ns - best->path.look_ns) {
		refine(fitting, true, best);
		fitting->longer_ns += time_max(freedom(fitting, true, -1, best), best->path.delay_ns / OTHER_PARTS);
		fitting->shorter_ns += time_max(freedom(fitting, true, 1, best), best->path.delay_ns / OTHER_PARTS);
	}
	if (!is_certain) {
		refine(fitting, false, best);
		fitting->longer_ns += freedom(fitting, false, -1, best);
		fitting->shorter_ns += freedom(fitting, false, 1, best);
	}
}

/* F6: a throttle that is over before the reply comes is not seen. */
static int64_t unseen_span(const struct fit *fit, const struct candidate *best)
{
	return best->mechanism.kind == MECHANISM_THROTTLE ? time_max(fit->resolution_ns, best->path.delay_ns)
							  : fit->resolution_ns;
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
					   .high_ns = unseen_span(fit, best) };
		if (best->span_ns[s] == 0) {
			continue;
		}
		mechanism.span_ns = best->span_ns[s];
		const unsigned count = opinions(fitting, &mechanism, &best->path, s, values_ns);
		const struct middle middle = middle_find(values_ns, count);
		struct interval interval = { 0 };

		span->count = count;
		span->span_ns = count ? time_max(middle.median_ns, 0) : best->span_ns[s];
		if (middle.is_sure) {
			interval = (struct interval){ middle.median_ns, middle.low_ns, middle.high_ns };
		} else if (!interval_of_median(values_ns, count, &interval)) {
			span->is_known = false;
			continue;
		}
		const int64_t doubt_ns =
			fitting->delay_uncertainty_ns + mean_error(fitting, &mechanism, &best->path, s, 1) / 2;

		span->low_ns = time_max(interval.low - doubt_ns - fitting->shorter_ns, 0);
		span->high_ns = interval.high + doubt_ns + fitting->longer_ns;
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
	find_floor(&fitting);
	if (fit->lone_ns[fit->floor] < 0) {
		return;
	}
	find_paths(&fitting);
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
