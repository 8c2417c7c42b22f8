/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cell: one run of a real kernel in virtual time, as a row of a table (test/data/refdata/README.md has the columns), and
 * what the model gives for it. Reading makes a config that can be run; what cannot be mapped says why.
 */
#ifndef HOLDOFF_VALIDATE_CELL_H
#define HOLDOFF_VALIDATE_CELL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "run/run.h"
#include "sim/world.h"
#include "validate/csv.h"

enum cell_quantity {
	CELL_LATENCY_MEAN, /* round trips, or one way; ns */
	CELL_LATENCY_P50,
	CELL_LATENCY_P99,
	CELL_IRQS,       /* of the board's NIC */
	CELL_PEER_IRQS,  /* of the other NIC on the same host */
	CELL_CPU_BUSY,   /* CPU time of the traffic; ns */
	CELL_EXCHANGES,  /* closed loops: thousandths of exchanges per second */
	CELL_THROUGHPUT, /* payload; bit/s */
	CELL_LOST,       /* datagrams */
	CELL_QUANTITIES
};

struct cell_quantity_info {
	const char *key;  /* in JSON */
	const char *name; /* for people */
	const char *unit; /* "ns", "", "bit/s" */
};

extern const struct cell_quantity_info cell_quantities[CELL_QUANTITIES];

enum cell_use {
	CELL_FIT,     /* costs were fitted on it */
	CELL_PREDICT, /* they were not */
	CELL_USES
};

/* Why a cell is hard to meet: it counts like any other, and is counted apart as well. */
enum cell_kind {
	CELL_PLAIN,
	CELL_RESONANCE, /* the frames' period is the hold-off: what an interrupt finds is a matter of some hundred ns */
	CELL_OVERLOAD,  /* datagrams were lost */
	CELL_SATURATED, /* none were, but the CPU was busy for more than 97 % of the time */
	CELL_KINDS
};

struct cell_value {
	bool is_measured, is_modelled;
	int64_t measured, modelled;
};

struct cell {
	char name[64];
	bool is_mapped;
	char why_not[ERR_TEXT_MAX]; /* when it is not */
	enum cell_use use;
	enum cell_kind kind;
	bool is_stable; /* two campaigns of measurements repeated it within 3 %; also where the table does not say */
	bool is_shared; /* both NICs are on one host */
	char board[32], host[32]; /* of the model */
	unsigned rx_usecs, speed_mbps, ns_per_instruction;
	struct workload workload;
	struct cell_value value[CELL_QUANTITIES];
	int64_t sent, received, duration_ns; /* as measured */
	bool has_whole_us;                   /* its latencies were printed in whole us */
};

/* Whether a table has the columns that no cell can be without. */
bool cell_is_table(const struct csv *csv);

/* From the present row. What cannot be mapped has is_mapped false and a reason; else *config is set. */
void cell_read(struct cell *cell, struct world_config *config, const struct csv *csv);

/* What the run came to, in the measured cell's terms: counts for as many exchanges or datagrams as were measured. */
void cell_take_run(struct cell *cell, const struct run *run);

/*
 * How far the model is off, in thousandths of a percent of what was measured; of lost datagrams, of those that were
 * sent. False where either is missing or nothing was measured.
 */
bool cell_error(const struct cell *cell, enum cell_quantity quantity, int64_t *milli_percent);

#endif
