/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Theory of operation. Levenberg-Marquardt over logarithms of the factors, and over the path in units of half the shortest round trip.
 * What is simulated is a step function in the small (whole ns, and who comes first), so derivatives are taken over 3 %, and what has
 * several stable states in the large (a poll that serves both directions), so that the search begins at several places. All runs have
 * one seed: what differs is what the parameters do.
 */
#include <errno.h>
#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "calibrate/calibrate.h"
#include "calibrate/calibrate_private.h"

#define ITERATIONS_MAX 20
#define STEP 0.03      /* of a derivative of the search, in what the fit counts in, */
#define FARTHEST 2.3   /* a factor of ten */
#define TRUST 0.35     /* of the base, rule 3: a factor of two is twice that */
#define TRUST_PATH 1.0 /* of the first guess of a path, in its unit */
#define GOOD 1.5       /* a spread with which no other start is tried */
#define MISSING 20.0   /* residual of what the model did not observe there */
/* ---- the model ---- */

static double bounded(double x)
{
	return fmax(-FARTHEST, fmin(FARTHEST, x));
}

void fit_values(const struct fit *fit, const double *x, struct calibrate_value value[CALIBRATE_PARAMETERS])
{
	memcpy(value, fit->base, sizeof(fit->base));
	for (unsigned i = 0; i < fit->fitted; i++) {
		const double at = x[i] - FIT_ORIGIN;

		value[fit->parameter[i]].value = calibrate_parameters[fit->parameter[i]].is_time
							 ? fabs(at) * fit->path_unit_ns
							 : exp(bounded(at));
	}
}

static int simulate(struct fit *fit, const struct calibrate_value value[CALIBRATE_PARAMETERS],
		    struct calibrate_point *point)
{
	*fit->config = point->config;
	calibrate_apply(value, fit->config);
	const int ret = world_run(fit->config, fit->run, fit->err);

	for (unsigned i = 0; ret == 0 && i < point->count; i++) {
		struct calibrate_observed *const observed = &point->observed[i];

		if (!observed->figure->read(fit->run, observed->figure, &observed->modelled)) {
			observed->modelled = 0;
		}
	}
	return ret;
}

static double error_of(const struct calibrate_observed *observed)
{
	return observed->modelled > 0 ? log((double)observed->modelled / (double)observed->measured)
				      : MISSING * observed->tolerance;
}

bool fit_is_path(const struct fit *fit, unsigned coordinate)
{
	return calibrate_parameters[fit->parameter[coordinate]].is_time;
}

double fit_start(const struct fit *fit, unsigned coordinate)
{
	return FIT_ORIGIN + (fit_is_path(fit, coordinate) ? 0.5 : 0);
}

double fit_trust(const struct fit *fit, unsigned coordinate)
{
	return fit_is_path(fit, coordinate) ? TRUST_PATH : TRUST;
}

/* Those of the figures, then those of what was trusted before. */
int fit_residuals(struct fit *fit, const double *x, double *residual)
{
	struct calibrate_value value[CALIBRATE_PARAMETERS];
	unsigned row = 0;
	int ret = 0;

	fit_values(fit, x, value);
	for (unsigned i = 0; ret == 0 && i < fit->count; i++) {
		ret = simulate(fit, value, &fit->points[i]);
		for (unsigned j = 0; j < fit->points[i].count; j++) {
			const struct calibrate_observed *const observed = &fit->points[i].observed[j];

			residual[row++] = error_of(observed) / observed->tolerance;
		}
	}
	for (unsigned i = 0; i < fit->fitted; i++) {
		residual[row++] = (x[i] - fit_start(fit, i)) / fit_trust(fit, i);
	}
	return ret;
}

/* ---- the search ---- */

static int residuals_for_gsl(const gsl_vector *x, void *context, gsl_vector *f)
{
	struct fit *const fit = context;
	double residual[FIT_ROWS_MAX] = { 0 };

	fit->error = fit->error ? fit->error : fit_residuals(fit, x->data, residual);
	for (size_t i = 0; i < f->size; i++) {
		gsl_vector_set(f, i, residual[i]);
	}
	return fit->error ? GSL_EBADFUNC : GSL_SUCCESS;
}

unsigned fit_rows(const struct fit *fit)
{
	return fit->observed + fit->fitted;
}

static int search(struct fit *fit, const double *start, struct fit_found *found)
{
	gsl_multifit_nlinear_parameters parameters = gsl_multifit_nlinear_default_parameters();
	gsl_multifit_nlinear_fdf system = {
		.f = residuals_for_gsl, .n = fit_rows(fit), .p = fit->fitted, .params = fit
	};
	gsl_vector_const_view begin = gsl_vector_const_view_array(start, fit->fitted);

	parameters.scale = gsl_multifit_nlinear_scale_levenberg;
	parameters.fdtype = GSL_MULTIFIT_NLINEAR_FWDIFF;
	parameters.h_df = STEP / FIT_ORIGIN;
	gsl_multifit_nlinear_workspace *const workspace =
		gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &parameters, system.n, system.p);

	if (!workspace) {
		return err_set(fit->err, -ENOMEM, "no memory for a fit");
	}
	int info;

	gsl_multifit_nlinear_init(&begin.vector, &system, workspace);
	if (!fit->error) {
		gsl_multifit_nlinear_driver(ITERATIONS_MAX, 1e-5, 1e-5, 1e-4, NULL, NULL, &info, workspace);
	}
	const gsl_vector *const f = gsl_multifit_nlinear_residual(workspace);
	double cost;

	gsl_blas_ddot(f, f, &cost);
	found->spread = sqrt(cost / fit->observed);
	memcpy(found->x, gsl_multifit_nlinear_position(workspace)->data, fit->fitted * sizeof(found->x[0]));
	gsl_multifit_nlinear_free(workspace);
	return fit->error;
}

/* From the base, and, where that comes to nothing good, from hosts that are slower or faster. */
static int search_from_several(struct fit *fit, struct fit_found *best)
{
	static const double slower[] = { 0, 0.5, -0.5 };
	struct fit_found found;
	int ret = 0;

	best->spread = HUGE_VAL;
	for (size_t i = 0; ret == 0 && best->spread > GOOD && i < sizeof(slower) / sizeof(slower[0]); i++) {
		double start[CALIBRATE_PARAMETERS];

		for (unsigned j = 0; j < fit->fitted; j++) {
			const bool is_host = fit->parameter[j] == CALIBRATE_KERNEL ||
					     fit->parameter[j] == CALIBRATE_TASK;

			start[j] = fit_start(fit, j) + (is_host ? slower[i] : 0);
		}
		ret = search(fit, start, &found);
		if (ret == 0 && found.spread < best->spread) {
			*best = found;
		}
	}
	return ret;
}

/* ---- all of it ---- */

static int count_observed(struct fit *fit)
{
	fit->observed = 0;
	for (unsigned i = 0; i < fit->count; i++) {
		if (fit->points[i].count == 0) {
			return err_set(fit->err, -EINVAL, "run %u of %u has no figure that can be fitted", i + 1,
				       fit->count);
		}
		fit->observed += fit->points[i].count;
	}
	return 0;
}

/* Half of what the shortest round trip takes: where a path is looked for. */
static double shortest_half_ns(const struct fit *fit)
{
	double shortest = NS_PER_MS;

	for (unsigned i = 0; i < fit->count; i++) {
		for (unsigned j = 0; j < fit->points[i].count; j++) {
			const struct calibrate_observed *const observed = &fit->points[i].observed[j];

			if (strcmp(observed->figure->name, "rtt-p50") == 0) {
				shortest = fmin(shortest, (double)observed->measured);
			}
		}
	}
	return shortest / 2;
}

static void begin(struct fit *fit, uint32_t free_parameters, struct calibration *calibration)
{
	fit->path_unit_ns = shortest_half_ns(fit);
	for (unsigned i = 0; i < CALIBRATE_PARAMETERS; i++) {
		const bool is_time = calibrate_parameters[i].is_time;

		fit->base[i].value = is_time ? (double)fit->points[0].config.end[1].delay_ns : 1;
		calibration->value[i] = fit->base[i];
		if (free_parameters & (1u << i)) {
			calibration->value[i].is_free = true;
			fit->parameter[fit->fitted++] = (enum calibrate_parameter)i;
		}
	}
}

static void conclude(const struct fit *fit, struct calibration *calibration)
{
	double squares = 0, weights = 0;

	calibration->points = fit->count;
	calibration->observed = fit->observed;
	for (unsigned i = 0; i < fit->count; i++) {
		for (unsigned j = 0; j < fit->points[i].count; j++) {
			const struct calibrate_observed *const observed = &fit->points[i].observed[j];
			const double error = error_of(observed),
				     weight = 1 / (observed->tolerance * observed->tolerance);

			squares += weight * error * error;
			weights += weight;
		}
	}
	calibration->residual = sqrt(squares / weights);
}

/* Of a run of another kind the model has another figure, or none: it is left out. */
static int leave_out_unmodelled(struct fit *fit)
{
	int ret = 0;

	for (unsigned i = 0; ret == 0 && i < fit->count; i++) {
		struct calibrate_point *const point = &fit->points[i];
		unsigned kept = 0;

		ret = simulate(fit, fit->base, point);
		for (unsigned j = 0; j < point->count; j++) {
			if (point->observed[j].modelled > 0) {
				point->observed[kept++] = point->observed[j];
			}
		}
		point->count = kept;
	}
	return ret;
}

static int fit_points(struct fit *fit, struct calibration *calibration)
{
	double residual[FIT_ROWS_MAX];
	struct fit_found found;
	int ret = leave_out_unmodelled(fit);

	ret = ret ? ret : count_observed(fit);
	ret = ret ? ret : search_from_several(fit, &found);

	ret = ret ? ret : fit_sample(fit, &found, calibration);
	/* Once more as it came out, so that `modelled` is of that. */
	ret = ret ? ret : fit_residuals(fit, found.x, residual);
	if (ret == 0) {
		conclude(fit, calibration);
		for (unsigned i = 0; i < fit->count; i++) {
			calibrate_apply(calibration->value, &fit->points[i].config);
		}
	}
	return ret;
}

int calibrate_fit(struct calibration *calibration, struct calibrate_point *points, unsigned count,
		  uint32_t free_parameters, struct err *err)
{
	struct fit fit = { .points = points, .count = count, .err = err };
	int ret;

	memset(calibration, 0, sizeof(*calibration));
	if (count == 0) {
		return err_set(err, -EINVAL, "there is no run to fit");
	}
	begin(&fit, free_parameters & calibrate_parameters_of(points, count), calibration);
	if (fit.fitted == 0) {
		return err_set(err, -EINVAL, "there is no parameter to fit");
	}
	gsl_error_handler_t *const handler = gsl_set_error_handler_off();

	fit.run = malloc(sizeof(*fit.run));
	fit.config = malloc(sizeof(*fit.config));
	ret = fit.run && fit.config ? fit_points(&fit, calibration) : err_set(err, -ENOMEM, "no memory for a fit");
	gsl_set_error_handler(handler);
	free(fit.run);
	free(fit.config);
	return ret;
}
