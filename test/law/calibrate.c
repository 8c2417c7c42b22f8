/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fit asked blind: hosts, clocks and paths are drawn at random, what such a machine would measure is simulated with another seed and
 * blurred, and the fit has to find them. Of the intervals that it gives 95 in 100 have to hold the truth; what it cannot know it has to
 * say. CASES and SEED in the environment ask for others, VERBOSE=1 for each case.
 */
#include <inttypes.h>
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/time.h"
#include "calibrate/calibrate.h"
#include "sim/setup.h"
#include "tap.h"

/* Each takes some seconds; instrumented, a minute. */
#ifdef __SANITIZE_ADDRESS__
#define CASES_DEFAULT 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CASES_DEFAULT 1
#endif
#endif
#ifndef CASES_DEFAULT
#define CASES_DEFAULT 3
#endif

static const struct {
	const char *board, *peer;
	bool shared_host;
} ends[] = {
	{ "rtl8168d-bench", "rtl8168d-bench", true },
	{ "tsnep-bench", "tsnep-bench", true },
	{ "imx8mm", "ideal:1us", false },
	{ "e1000e", "ideal:1us", false },
	{ "rtl8168d", "ideal:1us", false },
	{ "macb", "ideal:1us", false },
};

static const char *const workloads[] = { "ping size=56 interval=10ms", "ping size=1400 interval=10ms",
					 "ping size=56 interval=0", "udp rate=2k size=64", "udp rate=20k size=64" };

/* Where little is trusted it is for what the model has no part in, such as other programs: that is no noise here. */
#define BLUR_MOST 0.05

#define ENDS (sizeof(ends) / sizeof(ends[0]))
#define WORKLOADS (sizeof(workloads) / sizeof(workloads[0]))

static double uniform(struct random *random, double low, double high)
{
	return low + (high - low) * (double)(random_u64(random) >> 11) / 9007199254740992.0;
}

/* Near enough: mean 0, deviation 1. */
static double normal(struct random *random)
{
	double sum = -6;

	for (int i = 0; i < 12; i++) {
		sum += uniform(random, 0, 1);
	}
	return sum;
}

static int make_point(struct calibrate_point *point, unsigned which, const char *workload, struct err *err)
{
	struct setup setup;

	setup_init(&setup);
	int ret = setup_put(&setup, SETUP_BOARD, ends[which].board, err);

	ret = ret ? ret : setup_put(&setup, SETUP_PEER, ends[which].peer, err);
	ret = ret || !ends[which].shared_host ? ret : setup_put(&setup, SETUP_SHARED_HOST, "yes", err);
	ret = ret ? ret : setup_put(&setup, SETUP_WORKLOAD, workload, err);
	ret = ret ? ret : setup_put(&setup, SETUP_DURATION, strstr(workload, "10ms") ? "300ms" : "40ms", err);
	ret = ret ? ret : setup_put(&setup, SETUP_WARMUP, "10ms", err);
	return ret ? ret : setup_config(&setup, &point->config, err);
}

static void draw(struct random *random, struct calibrate_value truth[CALIBRATE_PARAMETERS])
{
	for (unsigned i = 0; i < CALIBRATE_PARAMETERS; i++) {
		truth[i].value = calibrate_parameters[i].is_time ? uniform(random, 5000, 200000)
								 : exp(0.35 * normal(random));
	}
}

/* What that machine would have measured. */
static int observe(struct random *random, const struct calibrate_value truth[CALIBRATE_PARAMETERS],
		   struct calibrate_point *point, struct run *run, struct err *err)
{
	struct world_config config = point->config;

	calibrate_apply(truth, &config);
	config.seed = random_u64(random) >> 1;
	const int ret = world_run(&config, run, err);

	if (ret == 0) {
		calibrate_take(point, run);
	}
	for (unsigned i = 0; ret == 0 && i < point->count; i++) {
		struct calibrate_observed *const observed = &point->observed[i];

		observed->measured = llround((double)observed->measured *
					     (1 + fmin(observed->tolerance, BLUR_MOST) * normal(random)));
	}
	return ret;
}

struct tally {
	unsigned cases, fitted, held, far, kept;
	unsigned of_parameter[CALIBRATE_PARAMETERS], held_of[CALIBRATE_PARAMETERS];
	double width[CALIBRATE_PARAMETERS]; /* sum of half widths, as shares */
};

static void judge(const struct calibrate_value truth[CALIBRATE_PARAMETERS], const struct calibration *found,
		  bool is_verbose, struct tally *tally)
{
	for (unsigned i = 0; i < CALIBRATE_PARAMETERS; i++) {
		const struct calibrate_value *const value = &found->value[i];
		const double at = truth[i].value;

		if (is_verbose && value->is_free) {
			tap_note("  %-7s truth %10.3f %s %10.3f (%.3f .. %.3f) with %x%s", calibrate_parameters[i].name,
				 at, value->is_known ? "known" : "open ", value->value, value->low, value->high,
				 value->with, (at < value->low || at > value->high) ? " OUT" : "");
		}
		if (!value->is_free) {
			continue;
		}
		tally->fitted++;
		tally->kept += !value->is_known;
		tally->of_parameter[i]++;
		tally->held += at >= value->low && at <= value->high;
		tally->held_of[i] += at >= value->low && at <= value->high;
		tally->width[i] += (value->high - value->low) / 2 / value->value;
		tally->far += fabs(at - value->value) > 1.5 * (value->high - value->low);
	}
}

static int run_case(unsigned number, struct random *random, struct run *run, struct tally *tally, bool is_verbose)
{
	struct calibrate_point points[WORKLOADS];
	struct calibrate_value truth[CALIBRATE_PARAMETERS] = { 0 };
	struct calibration found;
	struct err err = { "" };
	const unsigned which = number % ENDS;
	int ret = 0;

	memset(points, 0, sizeof(points));
	draw(random, truth);
	for (unsigned i = 0; ret == 0 && i < WORKLOADS; i++) {
		ret = make_point(&points[i], which, workloads[i], &err);
		ret = ret ? ret : observe(random, truth, &points[i], run, &err);
	}
	ret = ret ? ret : calibrate_fit(&found, points, WORKLOADS, UINT32_MAX, &err);
	if (ret) {
		tap_note("%s: %s", ends[which].board, err.text);
		return ret;
	}
	if (is_verbose) {
		tap_note("case %u %s: spread %.2f residual %.4f", number, ends[which].board, found.spread,
			 found.residual);
	}
	tally->cases++;
	judge(truth, &found, is_verbose, tally);
	return 0;
}

int main(void)
{
	const char *const cases = getenv("CASES"), *const seed = getenv("SEED");
	const unsigned wanted = cases ? (unsigned)strtoul(cases, NULL, 10) : CASES_DEFAULT;
	struct run *const run = malloc(sizeof(*run));
	struct tally tally = { 0 };
	struct random random;
	int failed = 0;

	mallopt(M_MMAP_THRESHOLD, 32 << 20); /* as the command does */
	mallopt(M_TRIM_THRESHOLD, 32 << 20);
	random_init(&random, seed ? strtoull(seed, NULL, 10) : 1, 0);
	for (unsigned i = 0; i < wanted; i++) {
		failed += run_case(i, &random, run, &tally, getenv("VERBOSE") != NULL) != 0;
	}
	for (unsigned i = 0; i < CALIBRATE_PARAMETERS; i++) {
		tap_note("%s: %u of %u intervals hold the truth, half as wide as %.1f %%", calibrate_parameters[i].name,
			 tally.held_of[i], tally.of_parameter[i],
			 tally.of_parameter[i] ? 100 * tally.width[i] / tally.of_parameter[i] : 0);
	}
	tap_note("%u fitted, %u kept", tally.fitted, tally.kept);
	tap_is(failed, 0, "%u blind cases are fitted", tally.cases);
	tap_ok(tally.held * 100 >= tally.fitted * (tally.fitted > 100 ? 90 : 75),
	       "%u of %u intervals of 95 %% hold the truth", tally.held, tally.fitted);
	tap_ok(tally.far * 50 <= tally.fitted, "%u are further off than one and a half times their interval",
	       tally.far);
	tap_ok(tally.kept < tally.fitted, "%u parameters are said to be hardly known, and not all", tally.kept);
	free(run);
	return tap_done();
}
