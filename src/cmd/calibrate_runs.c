/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a measured run to how the model runs the same. */
#include <errno.h>
#include <stdio.h>

#include "base/time.h"
#include "cmd/calibrate.h"
#include "driver/driver.h"

#define CPUS_MAX 8
#define DURATION_LEAST_NS (60 * NS_PER_MS)
#define DURATION_MOST_NS (2 * NS_PER_S)
#define INTERVALS 30 /* that a slow workload has in a run of the fit */
#define WARMUP_NS (10 * NS_PER_MS)

/* Of what the interface reports, what the driver takes: others report as 0 what they do not have. */
static void take_settings(const struct run *run, struct end_config *end)
{
	const char *const name = end->driver[0] ? end->driver : end->board.driver;
	const struct driver_variant *const variant = driver_variant_find(name);
	const struct coalesce *const reported = &run->conditions.reported;

	for (enum coalesce_field field = 0; run->conditions.reports_settings && field < COALESCE_FIELDS; field++) {
		if (coalesce_has(reported, field) && variant && variant->supported & COALESCE_BIT(field)) {
			coalesce_put(&end->request, field, reported->value[field]);
		}
	}
	end->gro_flush_timeout_given = end->defer_hard_irqs_given = true;
	end->gro_flush_timeout_ns = run->conditions.gro_flush_timeout_ns;
	end->defer_hard_irqs = run->conditions.defer_hard_irqs;
}

static void take_machine(const struct run *run, struct world_config *config)
{
	const unsigned measured = run->findings.cpus + run->findings.other_cpus;
	const unsigned cpus = measured == 0 ? config->end[0].cpus : measured > CPUS_MAX ? CPUS_MAX : measured;

	for (unsigned i = 0; i < 2; i++) {
		config->end[i].cpus = config->end[i].profile.cpus = cpus;
		/* Only a machine that has just been started waits for its random numbers. */
		config->end[i].profile.ping_jiffy_ns = 0;
	}
}

/* Long enough for what is rare, and no longer: it is run a thousand times. */
static int64_t duration_of(const struct workload *workload)
{
	const int64_t wanted_ns = INTERVALS * workload->interval_ns;

	return wanted_ns < DURATION_LEAST_NS  ? DURATION_LEAST_NS
	       : wanted_ns > DURATION_MOST_NS ? DURATION_MOST_NS
					      : wanted_ns;
}

static int configure(const struct calibrate_session *session, const struct run *run, struct world_config *config,
		     struct err *err)
{
	struct setup setup = session->setup;

	setup.workload = run->conditions.workload;
	setup.given |= 1u << SETUP_WORKLOAD;
	int ret = setup_config(&setup, config, err);

	if (ret) {
		return ret;
	}
	config->duration_ns = duration_of(&setup.workload);
	config->warmup_ns = WARMUP_NS;
	take_machine(run, config);
	take_settings(run, &config->end[0]);
	if (config->shared_host) {
		config->end[1].gro_flush_timeout_given = config->end[1].defer_hard_irqs_given = true;
		config->end[1].gro_flush_timeout_ns = config->end[0].gro_flush_timeout_ns;
		config->end[1].defer_hard_irqs = config->end[0].defer_hard_irqs;
	}
	return 0;
}

int calibrate_add_run(struct calibrate_session *session, const struct run *run, struct err *err)
{
	char workload[WORKLOAD_TEXT_MAX];
	struct calibrate_point *const point = &session->points[session->count];
	bool unsupported;

	workload_print(&run->conditions.workload, workload);
	if (session->count == CALIBRATE_POINTS_MAX) {
		return err_set(err, -E2BIG, "more than %d runs: choose some with --filter", CALIBRATE_POINTS_MAX);
	}
	int ret = configure(session, run, &point->config, err);

	ret = ret ? ret : setup_try_request(&point->config, &unsupported, err);
	if (ret == 0 && calibrate_take(point, run) == 0) {
		ret = err_set(err, -EINVAL, "it has no figure that a fit can use");
	}
	if (ret) {
		return err_prefix(err, ret, "the run of \"%s\"", workload);
	}
	session->count++;
	return 0;
}
