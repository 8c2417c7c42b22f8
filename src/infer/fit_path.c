/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "infer/fit_private.h"

#include <string.h>

#include "base/time.h"
#include "stats/interval.h"
#include "stats/middle.h"

#define SPAN_FROM_NS 1000
#define LINE_PERCENT 5 /* F1: settings lie on a line when they are so near to it, or within the resolution */
#define FLOOR_PARTS 8

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

void fit_find_floor(struct fitting *fitting)
{
	struct fit *const fit = fitting->fit;
	int64_t *const values_ns = fitting->work->values_ns;

	for (unsigned s = 0; s < fit->setting_count; s++) {
		look_at_setting(fitting, s);
	}
	prefer_none(fitting);
	const unsigned count = gather(fitting, fit->floor, LONE, values_ns);
	struct interval interval;

	middle_find(values_ns, count);
	fit->jitter_ns = (percentile(values_ns, count, 75) - percentile(values_ns, count, 25) + 1) / 2;
	fitting->delay_uncertainty_ns = interval_of_median(values_ns, count, &interval)
						? (interval.high - interval.low + 1) / 2
						: fit->jitter_ns;
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
	if (fitting->path_count < FIT_PATHS_MAX) {
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
	const int64_t plain_ns = fit_mean_error(fitting, &none, plain, floor, 1);
	int64_t best_ns = plain_ns, hold_ns = 0;

	for (int64_t span_ns = SPAN_FROM_NS; span_ns < plain->delay_ns; span_ns += span_ns / 32 + 1) {
		path.peer_hold_ns = span_ns;
		path.delay_ns = path.later_delay_ns = plain->delay_ns - span_ns;
		const int64_t error_ns = fit_mean_error(fitting, &none, &path, floor, 1);

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
		if (fit_magnitude(meets_ns[i] - delay_ns) <= allowed_ns[i]) {
			reach_ns = time_max(reach_ns, fit_magnitude(meets_ns[i] - delay_ns));
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
		fitting->is_line = line_ns && fit_magnitude(line_ns - path->delay_ns) <=
						      fitting->fit->resolution_ns + fitting->line_reach_ns;
		return;
	}
	if (line_ns > 0 && line_ns < path->delay_ns) {
		fitting->likeliest = fitting->path_count;
		fitting->is_line = true;
		add_shorter(fitting, path, path->delay_ns - line_ns);
	}
	/* A throttle holds no lone frame, but what comes soon after it. */
	add_path(fitting, &(struct fit_path){ .delay_ns = path->delay_ns,
					      .later_delay_ns = path->delay_ns,
					      .spacing_ns = fitting->frame_ns });
	add_shorter(fitting, path, requested_ns);
	for (int64_t part = 1; part < FLOOR_PARTS; part++) {
		add_shorter(fitting, path, path->delay_ns * part / FLOOR_PARTS);
	}
}

void fit_find_paths(struct fitting *fitting)
{
	static const unsigned percents[] = { 2, 8 };
	int64_t *const values_ns = fitting->work->values_ns;
	const struct fit *const fit = fitting->fit;
	struct fit_path path = { .delay_ns = fit->lone_ns[fit->floor], .spacing_ns = find_spacing(fitting) };

	path.later_delay_ns = middle_find(values_ns, gather(fitting, fit->floor, LAST, values_ns)).median_ns;
	add_path(fitting, &path);
	/* With one setting alone nothing tells a hold at the far end from one here. */
	const bool is_told_apart = fitting->direction == FIT_RX && fit->setting_count > 1;
	const int64_t hold_ns = is_told_apart ? find_peer_hold(fitting, &path) : 0;

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
