/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A setup: what a user says about one simulation, as key and value. The same table of keys is behind the
 * options of simulate and sweep and the lines of scenario and plan files, so that what can be said in one can
 * be said in all.
 * A setup is a value; its texts are checked when they are put, how they fit together when the config is made.
 */
#ifndef HOLDOFF_SIM_SETUP_H
#define HOLDOFF_SIM_SETUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "coalesce/settings.h"
#include "run/run.h"
#include "sim/world.h"
#include "workload/workload.h"

enum setup_key {
	SETUP_BOARD,
	SETUP_DRIVER,
	SETUP_SPEED,
	SETUP_PEER,
	SETUP_PEER_DRIVER,
	SETUP_PEER_SET,
	SETUP_PEER_HOST,
	SETUP_PEER_REGISTERS,
	SETUP_SHARED_HOST,
	SETUP_HOPS,
	SETUP_PROPAGATION,
	SETUP_HOST,
	SETUP_CPUS,
	SETUP_IRQ_CPU,
	SETUP_APP_CPU,
	SETUP_GRO_FLUSH_TIMEOUT,
	SETUP_DEFER_HARD_IRQS,
	SETUP_SET,
	SETUP_REGISTERS,
	SETUP_ASSUME,
	SETUP_WORKLOAD,
	SETUP_DURATION,
	SETUP_WARMUP,
	SETUP_SEED,
	SETUP_KEYS
};

struct setup;

struct setup_key_info {
	const char *name;    /* "peer-set", as an option with -- before it */
	const char *value;   /* what it takes, for people */
	const char *meaning; /* one line */
	bool takes_list;     /* a sweep may give several values, separated by commas */
	int (*put)(struct setup *setup, const char *value, struct err *err);
};

struct setup {
	uint32_t given; /* 1u << enum setup_key */
	char board[128], peer[128], host[128], peer_host[128];
	char driver[32], peer_driver[32];
	uint32_t speed_mbps, hops, cpus, irq_cpu, app_cpu, defer_hard_irqs;
	int64_t propagation_ns, gro_flush_timeout_ns;
	struct coalesce request, peer_request;
	char registers[256], peer_registers[256]; /* NAME=VALUE[,NAME=VALUE...] */
	bool shared_host;
	uint32_t assume_given; /* 1u << enum assume_name */
	struct assume assume;
	struct workload workload;
	int64_t duration_ns, warmup_ns;
	uint64_t seed;
};

extern const struct setup_key_info setup_keys[SETUP_KEYS];

void setup_init(struct setup *setup);

/* The key called name, or SETUP_KEYS. */
enum setup_key setup_find(const char *name);

/* Takes the place of an earlier value; `set`, `peer-set` and `assume` go over what was there. -ENODEV: no
 * such board or host profile. */
int setup_put(struct setup *setup, enum setup_key key, const char *value, struct err *err);

/* Coalescing words, and gro-flush-timeout and defer-hard-irqs, each with a value behind it. */
int setup_put_words(struct setup *setup, const char *const *words, unsigned count, struct err *err);

/* A word as setup_put_words takes it: a coalescing field or a deferral knob. */
bool setup_is_word(const char *name);

/* Puts the model choices of `from` over those of `setup`. */
void setup_put_assumes(struct setup *setup, const struct setup *from);

/* Loads boards and profiles and checks that all fits together. Model choices count for both ends. */
int setup_config(const struct setup *setup, struct world_config *config, struct err *err);

/*
 * Whether the drivers of both ends take what is asked of them: 0, or the errno of the one that refuses, with
 * its sentence.
 * So a refusal can be told from a config that cannot be run. *unsupported is set: it is not the value that is refused, but the
 * driver has no such setting.
 */
int setup_try_request(const struct world_config *config, bool *unsupported, struct err *err);

#endif
