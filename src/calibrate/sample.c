/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intervals. What runs leave possible is often no ellipse around the best values: two parameters share one cost, or a poll that serves
 * both directions has two stable states. So points are drawn from it, by an ensemble of walkers each of which moves along the line
 * through another one (Goodman and Weare, "Ensemble samplers with affine invariance", 2010): that needs no scale for any parameter.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "calibrate/calibrate.h"
#include "calibrate/calibrate_private.h"

#define WALKERS 16
#define ROUNDS 90
#define FORGOTTEN 40 /* rounds until they have come away from where they began */
#define SAMPLES (WALKERS * (ROUNDS - FORGOTTEN))
#define NEAR 0.2    /* of how far the base is trusted: half of the walkers begin so far around the best, */
#define FAR 1.0     /* the others so far, for what the runs leave open */
#define STRETCH 2.0 /* a move goes to 1/2 to 2 times the distance from the other walker */
#define KNOWN 0.5   /* rule 4 */
#define TOGETHER 0.9

struct walker {
	double x[CALIBRATE_PARAMETERS];
	double squares; /* sum of its residuals' */
};

struct ensemble {
	struct fit *fit;
	struct random random;
	double widened; /* what residuals are divided by, squared: 1 where the model holds */
	struct walker walker[WALKERS], best;
	unsigned count;
	double sample[CALIBRATE_PARAMETERS][SAMPLES];
};

static double uniform(struct random *random)
{
	return (double)(random_u64(random) >> 11) / 9007199254740992.0;
}

static double normal(struct random *random)
{
	return (double)random_normal(random, 0, 1000000) / 1e6;
}

static int weigh(struct ensemble *ensemble, struct walker *walker)
{
	double residual[FIT_ROWS_MAX];
	const int ret = fit_residuals(ensemble->fit, walker->x, residual);

	walker->squares = 0;
	for (unsigned i = 0; ret == 0 && i < fit_rows(ensemble->fit); i++) {
		walker->squares += residual[i] * residual[i];
	}
	if (ret == 0 && walker->squares < ensemble->best.squares) {
		ensemble->best = *walker;
	}
	return ret;
}

static int scatter(struct ensemble *ensemble, const struct fit_found *found)
{
	int ret = 0;

	ensemble->best.squares = HUGE_VAL;
	for (unsigned i = 0; ret == 0 && i < WALKERS; i++) {
		struct walker *const walker = &ensemble->walker[i];

		for (unsigned j = 0; j < ensemble->fit->fitted; j++) {
			walker->x[j] = found->x[j] + (i ? (i % 2 ? FAR : NEAR) * fit_trust(ensemble->fit, j) *
								      normal(&ensemble->random)
							: 0);
		}
		ret = weigh(ensemble, walker);
	}
	return ret;
}

/* Away from or towards another one; taken with the chance that keeps the distribution. */
static int move(struct ensemble *ensemble, unsigned which)
{
	struct walker *const walker = &ensemble->walker[which];
	const unsigned next = (which + 1 + (unsigned)random_below(&ensemble->random, WALKERS - 1)) % WALKERS;
	const double *const other = ensemble->walker[next].x;
	const unsigned dimensions = ensemble->fit->fitted;
	const double root = 1 / sqrt(STRETCH) + (sqrt(STRETCH) - 1 / sqrt(STRETCH)) * uniform(&ensemble->random);
	const double factor = root * root;
	struct walker moved;

	for (unsigned i = 0; i < dimensions; i++) {
		moved.x[i] = other[i] + factor * (walker->x[i] - other[i]);
	}
	const int ret = weigh(ensemble, &moved);
	const double chance =
		(dimensions - 1) * log(factor) + (walker->squares - moved.squares) / 2 / ensemble->widened;

	if (ret == 0 && log(1 - uniform(&ensemble->random)) < chance) {
		*walker = moved;
	}
	return ret;
}

static int walk(struct ensemble *ensemble)
{
	int ret = 0;

	for (unsigned round = 0; ret == 0 && round < ROUNDS; round++) {
		for (unsigned i = 0; ret == 0 && i < WALKERS; i++) {
			ret = move(ensemble, i);
			for (unsigned j = 0; round >= FORGOTTEN && j < ensemble->fit->fitted; j++) {
				ensemble->sample[j][ensemble->count] = ensemble->walker[i].x[j];
			}
			ensemble->count += round >= FORGOTTEN;
		}
	}
	return ret;
}

/* ---- what was drawn ---- */

static double mean_product(const struct ensemble *ensemble, unsigned a, unsigned b)
{
	double sum_a = 0, sum_b = 0, products = 0;

	for (unsigned i = 0; i < ensemble->count; i++) {
		sum_a += ensemble->sample[a][i];
		sum_b += ensemble->sample[b][i];
	}
	for (unsigned i = 0; i < ensemble->count; i++) {
		products += (ensemble->sample[a][i] - sum_a / ensemble->count) *
			    (ensemble->sample[b][i] - sum_b / ensemble->count);
	}
	return products / ensemble->count;
}

static uint32_t those_with(const struct ensemble *ensemble, unsigned coordinate)
{
	uint32_t with = 0;

	for (unsigned i = 0; i < ensemble->fit->fitted; i++) {
		const double both = mean_product(ensemble, coordinate, i);
		const double alone =
			sqrt(mean_product(ensemble, coordinate, coordinate) * mean_product(ensemble, i, i));

		with |= i != coordinate && fabs(both) > TOGETHER * alone ? 1u << ensemble->fit->parameter[i] : 0;
	}
	return with;
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double at(const struct ensemble *ensemble, unsigned coordinate, double x)
{
	struct calibrate_value value[CALIBRATE_PARAMETERS];
	double all[CALIBRATE_PARAMETERS];

	memcpy(all, ensemble->best.x, sizeof(all));
	all[coordinate] = x;
	fit_values(ensemble->fit, all, value);
	return value[ensemble->fit->parameter[coordinate]].value;
}

/* A path's coordinate may have either sign: it is the amount that counts. */
static void fold_path(struct ensemble *ensemble, unsigned coordinate)
{
	for (unsigned i = 0; fit_is_path(ensemble->fit, coordinate) && i < ensemble->count; i++) {
		ensemble->sample[coordinate][i] = FIT_ORIGIN + fabs(ensemble->sample[coordinate][i] - FIT_ORIGIN);
	}
}

static void take(struct ensemble *ensemble, unsigned coordinate, struct calibrate_value *value)
{
	double *const sample = ensemble->sample[coordinate];
	const double deviation = sqrt(mean_product(ensemble, coordinate, coordinate));

	value->with = those_with(ensemble, coordinate);
	value->is_known = deviation <= KNOWN * fit_trust(ensemble->fit, coordinate);
	value->value = at(ensemble, coordinate, ensemble->best.x[coordinate]);
	fold_path(ensemble, coordinate);
	qsort(sample, ensemble->count, sizeof(*sample), by_size);
	value->low = fmin(value->value, at(ensemble, coordinate, sample[ensemble->count * 25 / 1000]));
	value->high = fmax(value->value, at(ensemble, coordinate, sample[ensemble->count * 975 / 1000]));
}

int fit_sample(struct fit *fit, struct fit_found *found, struct calibration *calibration)
{
	struct ensemble *const ensemble = calloc(1, sizeof(*ensemble));

	if (!ensemble) {
		return err_set(fit->err, -ENOMEM, "no memory for a fit");
	}
	ensemble->fit = fit;
	ensemble->widened = fmax(1, found->spread * found->spread);
	random_init(&ensemble->random, 1, 0);
	int ret = scatter(ensemble, found);

	ret = ret ? ret : walk(ensemble);
	if (ret == 0) {
		memcpy(found->x, ensemble->best.x, sizeof(found->x));
		found->spread = sqrt(ensemble->best.squares / fit->observed);
		calibration->spread = found->spread;
	}
	for (unsigned i = 0; ret == 0 && i < fit->fitted; i++) {
		take(ensemble, i, &calibration->value[fit->parameter[i]]);
	}
	free(ensemble);
	return ret;
}
