/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of holdoff infer share. */
#ifndef HOLDOFF_CMD_INFER_H
#define HOLDOFF_CMD_INFER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "change/change.h"
#include "infer/plan.h"
#include "infer/verdict.h"
#include "live/host.h"
#include "live/trains.h"
#include "nic/nic.h"

#define INFER_SCHEMA "holdoff.infer/1"
#define INFER_OTHERS_MAX 4

/* What was asked. */
struct infer_command {
	const char *device, *peer_host, *values, *netns;
	bool wants_rx, wants_tx, no_set, json;
	unsigned rounds;
	int64_t longest_ns; /* 0: not given */
	uint64_t seed;
};

/* A value that the driver would not take. */
struct infer_refusal {
	uint32_t usecs;
	char why[160];
};

/* One direction: what is tried, and what came out. */
struct infer_direction {
	enum fit_direction direction;
	bool is_done;
	enum coalesce_field field; /* that is varied */
	const char *skipped;       /* why nothing is, or NULL */
	unsigned row_count;        /* settings */
	uint32_t usecs[FIT_SETTINGS_MAX];
	struct verdict_row rows[FIT_SETTINGS_MAX];
	unsigned refusal_count;
	struct infer_refusal refusals[FIT_SETTINGS_MAX];
	unsigned other_count;
	struct coalesce others[INFER_OTHERS_MAX];
	bool is_adaptive, has_verdict;
	struct verdict verdict;
	unsigned payload_bytes;
	uint64_t sent, lost;
	struct plan plan;
};

/* Everything; about 3 MB. */
struct infer_session {
	struct infer_command command;
	struct nic nic;
	struct nic_identity identity;
	struct host host;
	struct route route;
	struct coalesce present; /* settings as they are found */
	bool has_settings;
	uint32_t defer_hard_irqs; /* the largest of its instances */
	uint64_t gro_flush_timeout_ns;
	struct change change;
	struct trains *trains;
	bool has_drains;
	struct err no_drains;
	int stop_fd;
	struct infer_direction directions[2]; /* enum fit_direction */
};

/* ---- infer_probe.c ---- */

/*
 * Tries the values given (ascending; none: some of its own), probes, and concludes; the NIC is as before at the end, also of a failure. 0 or a negative errno; -EUCLEAN: it is not
 * as before.
 */
int infer_run(struct infer_session *session, const uint32_t *given, unsigned given_count, struct err *err);

/* ---- infer_text.c, infer_json.c ---- */

void infer_print_text(const struct infer_session *session, FILE *out);
/* 0 or a negative errno. */
int infer_print_json(const struct infer_session *session, FILE *out);

/* "rx", "tx" */
static inline const char *infer_direction_name(enum fit_direction direction)
{
	return direction == FIT_RX ? "rx" : "tx";
}

#endif
