/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of fit share: fit_error.c has what a mechanism predicts and how well that fits, fit_path.c what the path may be, fit.c
 * decides. */
#ifndef HOLDOFF_INFER_FIT_PRIVATE_H
#define HOLDOFF_INFER_FIT_PRIVATE_H

#include "infer/fit.h"

#define FIT_PATHS_MAX 16

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
	struct fit_path paths[FIT_PATHS_MAX];
	int64_t cap_ns[FIT_SETTINGS_MAX], longest_ns[FIT_SETTINGS_MAX]; /* longest: that frames took, but for a few */
	int64_t delay_uncertainty_ns, shorter_ns, longer_ns;            /* spans may be so much shorter or longer */
};

static inline int64_t fit_magnitude(int64_t value)
{
	return value < 0 ? -value : value;
}

/* ---- fit_error.c ---- */

/* F3, of every step-th sample. */
int64_t fit_mean_error(const struct fitting *fitting, const struct mechanism *mechanism, const struct fit_path *path,
		       unsigned setting, unsigned step);
/*
 * What each frame says of the span: the predicted time moves by 0, 1, 2 ... times what the span does; where it moves at
 * all, the error over that is how much the span is wrong. Returns how many frames have an opinion.
 */
unsigned fit_opinions(const struct fitting *fitting, const struct mechanism *mechanism, const struct fit_path *path,
		      unsigned setting, int64_t *span_ns);
/* F3: finds the best span of a setting; returns its error. */
int64_t fit_setting(const struct fitting *fitting, struct mechanism *mechanism, const struct fit_path *path,
		    unsigned setting);

/* ---- fit_path.c ---- */

/* What frames took at each setting, the floor, jitter and resolution. */
void fit_find_floor(struct fitting *fitting);
/* F1, F2: all paths that are tried, and which of them is likeliest. */
void fit_find_paths(struct fitting *fitting);

#endif
