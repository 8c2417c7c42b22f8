/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests that run a whole world. */
#ifndef HOLDOFF_SIM_WORLD_TESTING_H
#define HOLDOFF_SIM_WORLD_TESTING_H

#include <stdio.h>
#include <stdlib.h>

#include "sim/setup.h"

/* What the pairs of key and value say, ended by NULL. Stops the program on a text that is wrong, as the others do. */
static inline void configure(struct world_config *config, const char *const *texts)
{
	struct setup setup;
	struct err err = { "" };

	setup_init(&setup);
	for (unsigned i = 0; texts[i]; i += 2) {
		if (setup_put(&setup, setup_find(texts[i]), texts[i + 1], &err) < 0) {
			printf("Bail out! %s %s: %s\n", texts[i], texts[i + 1], err.text);
			exit(1);
		}
	}
	if (setup_config(&setup, config, &err) < 0) {
		printf("Bail out! %s\n", err.text);
		exit(1);
	}
}

static inline void run_world(struct run *run, const struct world_config *config)
{
	struct err err = { "" };

	if (world_run(config, run, &err) < 0) {
		printf("Bail out! %s\n", err.text);
		exit(1);
	}
}

static inline void simulate(struct run *run, const char *const *texts)
{
	static struct world_config config;

	configure(&config, texts);
	run_world(run, &config);
}

#define CONFIGURE(config, ...) configure(config, (const char *const[]){ __VA_ARGS__, NULL })
#define SIMULATE(run, ...) simulate(run, (const char *const[]){ __VA_ARGS__, NULL })

#endif
