/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/repeat.h"

#include <string.h>

#include "base/time.h"
#include "base/wide.h"

static int64_t saturated(uint64_t value)
{
	return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

/* The latency that repeats keep: of round trips where the run has some. */
static enum run_latency kept_latency(const struct run *run)
{
	return run->findings.has & (1u << RUN_RTT) ? RUN_RTT : RUN_ONE_WAY;
}

static bool read_p50(const struct run *run, const struct run_repeat *repeat, int64_t *thousandths)
{
	(void)run;
	*thousandths = repeat->latency_p50_ns;
	return repeat->latency_count > 0;
}

static bool read_p99(const struct run *run, const struct run_repeat *repeat, int64_t *thousandths)
{
	(void)run;
	*thousandths = repeat->latency_p99_ns;
	return repeat->latency_count > 0;
}

static bool read_irq_rate(const struct run *run, const struct run_repeat *repeat, int64_t *thousandths)
{
	if (run_lacks(run, RUN_LACKS_IRQS) || repeat->duration_ns <= 0) {
		return false;
	}
	*thousandths = saturated(
		wide_scale_to_nearest(repeat->irq_count, 1000 * (uint64_t)NS_PER_S, (uint64_t)repeat->duration_ns));
	return true;
}

static bool read_cpu_busy(const struct run *run, const struct run_repeat *repeat, int64_t *thousandths)
{
	*thousandths = run_ppm(repeat->busy_ns, repeat->duration_ns) / 10;
	return !run_lacks(run, RUN_LACKS_CPUS) && repeat->duration_ns > 0;
}

static bool read_cpu_per_frame(const struct run *run, const struct run_repeat *repeat, int64_t *thousandths)
{
	if (run_lacks(run, RUN_LACKS_CPUS) || run_lacks(run, RUN_LACKS_FRAMES) || repeat->frames == 0) {
		return false;
	}
	*thousandths = saturated(((uint64_t)repeat->busy_ns + repeat->frames / 2) / repeat->frames);
	return true;
}

static bool read_goodput(const struct run *run, const struct run_repeat *repeat, int64_t *thousandths)
{
	(void)run;
	if (repeat->app_bytes_span_ns <= 0) {
		return false;
	}
	/* thousandths of Mb/s are kb/s */
	*thousandths = saturated(wide_scale_to_nearest(8 * (uint64_t)NS_PER_S / 1000, repeat->app_bytes,
						       (uint64_t)repeat->app_bytes_span_ns));
	return true;
}

static const struct {
	const char *name;
	bool (*read)(const struct run *run, const struct run_repeat *repeat, int64_t *thousandths);
	bool is_latency;
	enum run_latency latency;
} kept[] = {
	{ "rtt-p50", read_p50, true, RUN_RTT },
	{ "rtt-p99", read_p99, true, RUN_RTT },
	{ "one-way-p50", read_p50, true, RUN_ONE_WAY },
	{ "one-way-p99", read_p99, true, RUN_ONE_WAY },
	{ "irq-rate", read_irq_rate, false, 0 },
	{ "cpu-busy", read_cpu_busy, false, 0 },
	{ "cpu-per-frame", read_cpu_per_frame, false, 0 },
	{ "goodput", read_goodput, false, 0 },
};

bool run_repeat_figure(const struct run *run, unsigned repeat, const struct figure *figure, int64_t *thousandths)
{
	const struct run_measured *const measured = &run->conditions.measured;

	if (run->conditions.source == RUN_MODEL || repeat >= measured->repeat_count) {
		return false;
	}
	for (unsigned i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		if (strcmp(kept[i].name, figure->name) == 0) {
			return (!kept[i].is_latency || kept[i].latency == kept_latency(run)) &&
			       kept[i].read(run, &measured->repeat[repeat], thousandths);
		}
	}
	return false;
}
