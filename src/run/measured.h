/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What only a measured run has: where it was measured, what was so around it, what moved meanwhile, and what the
 * measuring itself has cost. Values without pointers, as the rest of a run.
 */
#ifndef HOLDOFF_RUN_MEASURED_H
#define HOLDOFF_RUN_MEASURED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define RUN_CONDITION_NAME_MAX 48
#define RUN_CONDITION_VALUE_MAX 144
#define RUN_CONDITIONS_MAX 192
#define RUN_TAINTS_MAX 16
#define RUN_TAINT_MAX 240
#define RUN_REPEATS_MAX 60

/* One circumstance, as a name that a script can ask for and a text: "irq.24.affinity" "0-3". */
struct run_condition {
	char name[RUN_CONDITION_NAME_MAX];
	char value[RUN_CONDITION_VALUE_MAX];
};

struct run_condition_list {
	unsigned count;
	unsigned left_out; /* that there was no room for */
	struct run_condition at[RUN_CONDITIONS_MAX];
};

/* What one of the repeats came to by itself: runs differ from one another as these do, which no sum of them tells. */
struct run_repeat {
	int64_t duration_ns;
	uint64_t latency_count; /* of round trips; where there are none, one way; 0: then there is no percentile */
	int64_t latency_p50_ns, latency_p99_ns;
	uint64_t irq_count;
	uint64_t frames; /* received and sent at the interface */
	int64_t busy_ns; /* of all CPUs together */
	uint64_t app_bytes;
	int64_t app_bytes_span_ns; /* 0: goodput was not observed */
};

struct run_measured {
	char device[16];
	char netns[64];     /* "" for that of the process */
	char peer_host[64]; /* as it was given */
	char method[160];   /* how CPU time was taken, with its resolution; "" when it was not */
	char traffic[160];  /* how packets were paced and stamped */
	unsigned repeats;   /* runs that this one is the sum of */
	/* The median latency of each of them: their median, and the interval that holds it with at least 95 %; absent
	 * (0, 0) with fewer than six. */
	int64_t median_ns, median_low_ns, median_high_ns;
	bool is_incomplete;   /* ended early; what is there was measured */
	int64_t own_cpu_ns;   /* CPU time of the measuring process at this end */
	uint64_t kernel_hits; /* programs run in the kernel to count; 0: none were */
	int64_t kernel_hits_ns;
	struct run_condition_list around;
	unsigned taint_count;
	char taint[RUN_TAINTS_MAX][RUN_TAINT_MAX]; /* sentences: why the figures may not be what they seem */
	unsigned repeat_count; /* of those that are told by themselves; what the run lacks, they lack */
	struct run_repeat repeat[RUN_REPEATS_MAX];
};

/* Longer texts are cut; what finds no room is counted. */
void run_condition_put(struct run_condition_list *list, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* NULL when there is none of that name. */
const char *run_condition_value(const struct run_condition_list *list, const char *name);

/* A sentence; when there is no more room the last one says how many there are. */
void run_taint(struct run_measured *measured, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Taints the run for every condition that is not the same before and after. */
void run_taint_by_conditions(struct run_measured *measured, const struct run_condition_list *before,
			     const struct run_condition_list *after);

#endif
