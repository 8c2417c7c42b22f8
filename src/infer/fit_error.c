/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "infer/fit_private.h"

#include "base/time.h"
#include "stats/middle.h"

#define SPAN_FROM_NS 1000
#define SPAN_STEP_PERCENT 12 /* between the spans that are tried first */
#define POLISHES 4
#define COARSE 48 /* so many samples of a setting suffice for the first look */

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
	return was_ns < 0 ? cap_ns : time_min(fit_magnitude(predicted_ns - was_ns), cap_ns);
}

int64_t fit_mean_error(const struct fitting *fitting, const struct mechanism *mechanism, const struct fit_path *path,
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

unsigned fit_opinions(const struct fitting *fitting, const struct mechanism *mechanism, const struct fit_path *path,
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
			    fit_magnitude(was_ns[j] - now_ns[j]) < fitting->cap_ns[setting]) {
				span_ns[count++] = mechanism->span_ns + (was_ns[j] - now_ns[j]) / slope;
			}
		}
	}
	return count;
}

static int64_t polish(const struct fitting *fitting, struct mechanism *mechanism, const struct fit_path *path,
		      unsigned setting)
{
	int64_t best_ns = fit_mean_error(fitting, mechanism, path, setting, 1);

	for (unsigned i = 0; i < POLISHES; i++) {
		struct mechanism next = *mechanism;
		const unsigned count = fit_opinions(fitting, mechanism, path, setting, fitting->work->values_ns);

		if (count == 0) {
			break;
		}
		next.span_ns = time_max(1, middle_find(fitting->work->values_ns, count).median_ns);
		const int64_t error_ns = fit_mean_error(fitting, &next, path, setting, 1);

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
	const int64_t error_ns = fit_mean_error(fitting, &tried, path, setting, count > COARSE ? count / COARSE : 1);

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

int64_t fit_setting(const struct fitting *fitting, struct mechanism *mechanism, const struct fit_path *path,
		    unsigned setting)
{
	static const struct mechanism none = { .kind = MECHANISM_NONE };
	const int64_t none_ns = fit_mean_error(fitting, &none, path, setting, 1);

	mechanism->span_ns = first_look(fitting, mechanism, path, setting);
	const int64_t best_ns = polish(fitting, mechanism, path, setting);

	/* A span that explains no more than none does is none. */
	if (none_ns <= best_ns + best_ns / 16) {
		mechanism->span_ns = 0;
		return none_ns;
	}
	return best_ns;
}
