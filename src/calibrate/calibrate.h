/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model fitted to a machine: a few numbers that a board and a base host profile leave open, found by simulating what was
 * measured until it comes out. Nothing here is measured; the forward model is the simulator as it is.
 *
 * Rules:
 *  1. Parameters are few and each has a meaning of its own. Costs of the base profile are scaled in groups, for runs of some
 *     seconds cannot tell single steps apart.
 *  2. Residuals are logarithms of model over measured, each divided by what it may be off: the interval of its runs, or the least
 *     that the model is trusted with, whichever is more.
 *  3. Before anything is measured the base is trusted to a factor of two: the logarithm of each factor has a deviation of 0.35.
 *     That counts as one more residual, so that what the runs do not show stays where it was, and makes nothing else look surer.
 *  4. An interval holds 95 % of what is drawn from all that the runs leave possible, widened where residuals are larger than they may be.
 *     A parameter counts as known when its deviation is at most half of what it was before. Two whose errors are correlated by more
 *     than 0.9 cannot be told apart: one may be larger where the other is smaller.
 */
#ifndef HOLDOFF_CALIBRATE_CALIBRATE_H
#define HOLDOFF_CALIBRATE_CALIBRATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "host/profile.h"
#include "run/figure.h"
#include "run/run.h"
#include "sim/world.h"

enum calibrate_parameter {
	CALIBRATE_KERNEL, /* factor: interrupt, poll, stack, transmit */
	CALIBRATE_IDLE,   /* factor: what idle time costs: line up to handler, caches gone cold */
	CALIBRATE_TASK,   /* factor: system calls, wake-ups, the program itself */
	CALIBRATE_BYTE,   /* factor: what each byte costs */
	CALIBRATE_DMA,    /* factor: NIC to memory and back */
	CALIBRATE_TIMER,  /* factor: all times of the chips; model choice timer-ppm */
	CALIBRATE_PATH, /* ns: from the last bit sent to the first of the reply: peer, switches, wires; of ideal peers alone */
	CALIBRATE_PARAMETERS
};

struct calibrate_parameter_info {
	const char *name;    /* "kernel" */
	const char *meaning; /* for people */
	bool is_time;        /* ns, else a factor */
};

extern const struct calibrate_parameter_info calibrate_parameters[CALIBRATE_PARAMETERS];

#define CALIBRATE_POINTS_MAX 32
#define CALIBRATE_OBSERVED_MAX 6

/* A figure of a measured run. */
struct calibrate_observed {
	const struct figure *figure;
	int64_t measured, modelled; /* thousandths of its unit; modelled is filled in */
	double tolerance;           /* what it may be off, as a share of itself; > 0 */
};

/* One experiment: how the model runs it, and what was measured. All points have the same ends. */
struct calibrate_point {
	struct world_config config;
	unsigned count;
	struct calibrate_observed observed[CALIBRATE_OBSERVED_MAX];
};

struct calibrate_value {
	bool is_free;  /* these ends have it, and it was asked for; else value is the base's */
	bool is_known; /* rule 4 */
	double value;
	double low, high; /* of what is free: 95 % */
	uint32_t with;    /* 1u << those that it cannot be told apart from */
};

struct calibration {
	struct calibrate_value value[CALIBRATE_PARAMETERS];
	unsigned points, observed; /* runs, and figures of them */
	double spread;             /* of the residuals, in what each may be off: about 1 where the model holds */
	/* Root of the mean square of the figures' errors, as a share, each weighted by what it may be off: that of what is trusted
	 * little hardly counts. */
	double residual;
};

/*
 * Takes of a measured run the figures that a fit can use: the median of round trips, frames for each interrupt, time in interrupts
 * and softirqs for each frame, and goodput where it is the path's to say; as far as they were observed and are not 0. Returns how many.
 */
unsigned calibrate_take(struct calibrate_point *point, const struct run *run);

/*
 * Fits. free_parameters: 1u << the parameters that may move; those that these ends do not have are left out. points are as they were but for
 * modelled, and for what was fitted in their configs. -EINVAL: no point, or one without figures or that the model lacks the figures of;
 * -ENOMEM; what setup and simulator refuse.
 */
int calibrate_fit(struct calibration *calibration, struct calibrate_point *points, unsigned count,
		  uint32_t free_parameters, struct err *err);

/* Puts values over a config that has the base's: costs, clock and path. */
void calibrate_apply(const struct calibrate_value value[CALIBRATE_PARAMETERS], struct world_config *config);

#endif
