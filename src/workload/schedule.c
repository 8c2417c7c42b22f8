/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/time.h"
#include "workload/workload.h"

/* Poisson gaps are drawn in 1/1024 ns: at 1.5 million frames a second, half a ns is already 1 part in 1300. */
#define FRACTION_BITS 10

void workload_schedule_init(struct workload_schedule *schedule, const struct workload *workload, int64_t start_at_ns,
			    uint64_t seed)
{
	const uint64_t rate = workload->rate_per_s;

	*schedule = (struct workload_schedule){
		.next_at_ns = start_at_ns,
		.rate_per_s = rate,
		.pattern = workload->pattern,
		.burst_count = workload->burst_count,
		.left_in_burst = workload->burst_count,
		.burst_every_ns = workload->burst_every_ns,
		.burst_at_ns = start_at_ns,
		.start_at_ns = start_at_ns,
		.step_ns = rate ? (int64_t)((uint64_t)NS_PER_S / rate) : 0,
		.step_rest = rate ? (uint64_t)NS_PER_S % rate : 0,
	};
	random_init(&schedule->random, seed, 0);
}

static int64_t next_constant(struct workload_schedule *schedule)
{
	const int64_t at_ns = schedule->next_at_ns;

	schedule->next_at_ns += schedule->step_ns;
	schedule->rest += schedule->step_rest;
	if (schedule->rest >= schedule->rate_per_s) {
		schedule->rest -= schedule->rate_per_s;
		schedule->next_at_ns++;
	}
	return at_ns;
}

static int64_t next_poisson(struct workload_schedule *schedule)
{
	const uint64_t rate = schedule->rate_per_s;
	const uint64_t mean = (((uint64_t)NS_PER_S << FRACTION_BITS) + rate / 2) / rate;
	const uint64_t gap = (uint64_t)random_exponential(&schedule->random, (int64_t)mean) + schedule->rest;

	schedule->rest = gap & ((1u << FRACTION_BITS) - 1);
	schedule->next_at_ns += (int64_t)(gap >> FRACTION_BITS);
	return schedule->next_at_ns;
}

static int64_t next_in_burst(struct workload_schedule *schedule)
{
	if (schedule->left_in_burst == 0) {
		schedule->left_in_burst = schedule->burst_count;
		schedule->burst_at_ns += schedule->burst_every_ns;
	}
	schedule->left_in_burst--;
	schedule->next_at_ns = schedule->burst_at_ns;
	return schedule->next_at_ns;
}

int64_t workload_schedule_next(struct workload_schedule *schedule)
{
	schedule->sent++;
	if (schedule->pattern == WORKLOAD_BURST) {
		return next_in_burst(schedule);
	}
	if (schedule->rate_per_s == 0) {
		return schedule->start_at_ns;
	}
	return schedule->pattern == WORKLOAD_POISSON ? next_poisson(schedule) : next_constant(schedule);
}
