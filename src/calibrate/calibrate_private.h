/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HOLDOFF_CALIBRATE_CALIBRATE_PRIVATE_H
#define HOLDOFF_CALIBRATE_CALIBRATE_PRIVATE_H

#include <stdint.h>

#include "calibrate/calibrate.h"

#define FIT_ROWS_MAX (CALIBRATE_POINTS_MAX * CALIBRATE_OBSERVED_MAX + CALIBRATE_PARAMETERS)

/* Where a coordinate is 0: GSL takes steps in proportion to it. */
#define FIT_ORIGIN 10.0

struct fit {
	struct calibrate_point *points;
	unsigned count, observed;
	unsigned fitted;
	enum calibrate_parameter parameter[CALIBRATE_PARAMETERS]; /* of each coordinate */
	struct calibrate_value base[CALIBRATE_PARAMETERS];        /* what those that are not fitted have */
	double path_unit_ns;                                      /* of its coordinate */
	struct run *run;
	struct world_config *config;
	int error; /* of the simulator */
	struct err *err;
};

/* What a search has come to. */
struct fit_found {
	double x[CALIBRATE_PARAMETERS];
	double spread; /* root of the residuals' mean square: rule 4 */
};

/* Of a coordinate: whether it is the path (a multiple of path_unit_ns, else a logarithm), where it begins, and how far that is trusted. */
bool fit_is_path(const struct fit *fit, unsigned coordinate);
double fit_start(const struct fit *fit, unsigned coordinate);
double fit_trust(const struct fit *fit, unsigned coordinate);

/* All parameters, with those of the coordinates. */
void fit_values(const struct fit *fit, const double *x, struct calibrate_value value[CALIBRATE_PARAMETERS]);

/* Simulates all points there: residuals of the figures, then those of rule 3; fit_rows of them. */
int fit_residuals(struct fit *fit, const double *x, double *residual);
unsigned fit_rows(const struct fit *fit);

/* Draws from what the runs leave possible, for intervals; *found becomes the best that it comes by. */
int fit_sample(struct fit *fit, struct fit_found *found, struct calibration *calibration);

/* Those that these ends have: 1u << enum calibrate_parameter. */
uint32_t calibrate_parameters_of(const struct calibrate_point *points, unsigned count);

#endif
