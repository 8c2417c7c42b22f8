/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a fit takes from a measured run, and how far it trusts each figure. */
#include <math.h>
#include <string.h>

#include "calibrate/calibrate.h"
#include "run/repeat.h"

/*
 * As shares, standard deviations: what the model was off in cells that nothing was fitted on (docs/fidelity.md, median errors 0.7 to
 * 1.5 %), doubled or more. Figures that depend on how long a run took are not among them: a short one has a beginning and an end.
 */
static const struct {
	const char *figure;
	double trust;
	bool is_of_loops; /* goodput: of a sender by itself it is what was asked for */
} taken[] = {
	{ "rtt-p50", 0.02, false },
	{ "frames-per-irq", 0.03, false },
	{ "irq-time-per-frame", 0.05, false },
	{ "goodput", 0.03, true },
};

static bool is_loop(const struct workload *workload)
{
	return workload->kind == WORKLOAD_TCP || workload->kind == WORKLOAD_TFTP || workload->kind == WORKLOAD_RR;
}

/* Standard error of the mean over the repeats, as a share of it; 0 where they do not tell. */
static double spread_of_repeats(const struct run *run, const struct figure *figure)
{
	double sum = 0, squares = 0;
	unsigned count = 0;
	int64_t value;

	for (unsigned i = 0; i < run->conditions.measured.repeat_count; i++) {
		if (run_repeat_figure(run, i, figure, &value)) {
			sum += (double)value;
			squares += (double)value * (double)value;
			count++;
		}
	}
	if (count < 2 || sum <= 0) {
		return 0;
	}
	const double mean = sum / count, variance = squares / count - mean * mean;

	return variance > 0 ? sqrt(variance / (count - 1)) / mean : 0;
}

/* Time in interrupts and softirqs is also that of the machine's ticks: a point of one CPU, which is the less of it the busier it is. */
#define TICK_POINTS 1.0

static double trust_in_ticks(const struct run *run)
{
	const double span_ns = (double)run->conditions.duration_ns *
			       (run->conditions.measured.repeats ? run->conditions.measured.repeats : 1);
	double busy_ns = 0;

	for (unsigned i = 0; i < run->findings.cpus; i++) {
		busy_ns += (double)(run->findings.cpu[i].hardirq_ns + run->findings.cpu[i].softirq_ns);
	}

	return busy_ns > 0 ? TICK_POINTS / 100 * span_ns / busy_ns : 1;
}

unsigned calibrate_take(struct calibrate_point *point, const struct run *run)
{
	struct err unused;

	point->count = 0;
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		struct calibrate_observed *const observed = &point->observed[point->count];

		if ((taken[i].is_of_loops && !is_loop(&run->conditions.workload)) ||
		    figure_find(taken[i].figure, &observed->figure, &unused) ||
		    !observed->figure->read(run, observed->figure, &observed->measured) || observed->measured <= 0) {
			continue;
		}
		const double spread = spread_of_repeats(run, observed->figure);

		observed->tolerance = spread > taken[i].trust ? spread : taken[i].trust;
		if (strcmp(taken[i].figure, "irq-time-per-frame") == 0) {
			observed->tolerance += trust_in_ticks(run);
		}
		point->count++;
	}
	return point->count;
}
