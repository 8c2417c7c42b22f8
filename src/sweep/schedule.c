/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sweep/schedule.h"

#include "base/random.h"

static void swap(struct sweep_visit *a, struct sweep_visit *b)
{
	const struct sweep_visit old = *a;

	*a = *b;
	*b = old;
}

/* Whole blocks of so many visits. Fisher and Yates's shuffle. */
static void shuffle(struct sweep_visit *visits, uint32_t blocks, uint32_t size, struct random *random)
{
	for (uint32_t left = blocks; left > 1; left--) {
		const uint32_t picked = (uint32_t)random_below(random, left);

		for (uint32_t i = 0; i < size; i++) {
			swap(&visits[picked * size + i], &visits[(left - 1) * size + i]);
		}
	}
}

void sweep_round(uint64_t seed, uint32_t round, uint32_t settings, uint32_t workloads, struct sweep_visit *visits)
{
	struct random random;

	random_init(&random, seed, round);
	for (uint32_t setting = 0; setting <= settings; setting++) {
		struct sweep_visit *const block = &visits[setting * workloads];

		for (uint32_t workload = 0; workload < workloads; workload++) {
			block[workload].setting = setting < settings ? setting : SWEEP_CONTROL;
			block[workload].workload = workload;
		}
		shuffle(block, workloads, 1, &random);
	}
	shuffle(visits, settings + 1, workloads, &random);
}
