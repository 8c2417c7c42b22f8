/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many runs side by side: a row for each cell of a sweep, as text, Markdown, CSV and JSON (schema
 * holdoff.sweep/1). What a model computed says so in the heading and in every row, with the version, the host
 * profile and what that was fitted on: a row that is copied out of its table still tells. In text, where a row should
 * fit a terminal, its marking is short ("MODEL cortex-a35, scaled from cortex-a53") and the heading has all of it.
 */
#ifndef HOLDOFF_REPORT_TABLE_H
#define HOLDOFF_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "run/run.h"

#define TABLE_SETTING_MAX 256
#define TABLE_CONDITIONS_MAX 512

enum table_format { TABLE_TEXT, TABLE_MARKDOWN, TABLE_CSV, TABLE_JSON, TABLE_FORMATS };

struct table_row {
	char setting[TABLE_SETTING_MAX]; /* place in the grid, as words */
	char workload[WORKLOAD_TEXT_MAX];
	int error;              /* negative errno of a driver that refused the setting: then there are no figures */
	char error_name[24];    /* "EINVAL" */
	bool is_left_out;       /* it was not run, since another row is the same: no figures either */
	char why[ERR_TEXT_MAX]; /* the sentence of either */
	bool model;
	char board[RUN_NAME_MAX] /* of a measured row: the interface */, driver[RUN_NAME_MAX], host[RUN_NAME_MAX],
		host_source[160], host_fit[48];
	char conditions[TABLE_CONDITIONS_MAX]; /* what was said for all rows, as words ("hops 1 duration 1s") */
	unsigned speed_mbps, cpus;
	bool has_latency;
	enum run_latency latency; /* RUN_RTT, or where there is none RUN_ONE_WAY */
	bool ends_at_socket;      /* the one-way time of bulk TCP, which is read in lumps */
	uint64_t latency_count;
	int64_t latency_p50_ns, latency_p99_ns;
	unsigned repeats;  /* runs that a measured row is the sum of, */
	unsigned taints;   /* and reasons to doubt them */
	bool has_interval; /* of the median of the repeats' medians, which it holds with 95 % */
	int64_t median_low_ns, median_high_ns;
	uint32_t lacks; /* enum run_lack: of the figures that follow */
	uint64_t irq_rate_milli_hz;
	bool has_frames_per_irq;
	uint64_t frames_per_irq_milli;
	uint64_t busy_ppm; /* of all CPUs together, as a share of one */
	unsigned irq_masked_ppm;
	bool has_goodput;
	uint64_t goodput_bps;
	uint64_t dropped; /* at the ring and at the socket */
};

/* Takes the figures and conditions of a run; setting stays as it is. */
void table_row_take(struct table_row *row, const struct run *run);

/* -EINVAL with the nearest name. */
int table_format_find(const char *name, enum table_format *format, struct err *err);

/* Rows of one workload stand together. 0, or the negative errno of the first failed write. */
int table_write(const struct table_row *rows, size_t count, enum table_format format, FILE *out);

#endif
