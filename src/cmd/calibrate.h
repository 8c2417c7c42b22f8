/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff calibrate: what its parts share. */
#ifndef HOLDOFF_CMD_CALIBRATE_H
#define HOLDOFF_CMD_CALIBRATE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "calibrate/calibrate.h"
#include "cmd/measuring.h"
#include "sim/setup.h"

#define CALIBRATE_SUBJECT_MAX 96

/* What a calibration is of, and what came of it. */
struct calibrate_session {
	struct setup setup;                  /* the ends, as the model has them */
	const char *text[SETUP_KEYS];        /* how they were given, for the profile; NULL where they were not */
	char subject[CALIBRATE_SUBJECT_MAX]; /* "eth0 (r8169) of host" */
	char driver[RUN_NAME_MAX];           /* of the interface */
	char date[16];                       /* "2026-12-01" */
	unsigned count;
	struct calibrate_point *points; /* CALIBRATE_POINTS_MAX */
	struct calibration calibration;
};

/*
 * The run as another point of the session: its settings, deferral and workload on the session's ends. A run without figures that can
 * be fitted is -EINVAL, as is one whose settings the board's driver does not take.
 */
int calibrate_add_run(struct calibrate_session *session, const struct run *run, struct err *err);

/* The profile, as a file that simulate and sweep take for a host, and predict for all that it says. Whole or not at all. */
int calibrate_write_profile(const struct calibrate_session *session, const char *path, struct err *err);

/* Of residuals in what they may be: from here on the model is not the machine. */
#define CALIBRATE_SPREAD_MAX 3.0

void calibrate_print_text(const struct calibrate_session *session, const char *path, FILE *out);
void calibrate_print_json(const struct calibrate_session *session, const char *path, FILE *out);

#endif
