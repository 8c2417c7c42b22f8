/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sweep of a real interface. sweep_live.c visits, sweep_live_settings.c knows what is to be set, sweep_live_kept.c what was measured and
 * what is kept of it.
 */
#ifndef HOLDOFF_CMD_SWEEP_LIVE_H
#define HOLDOFF_CMD_SWEEP_LIVE_H

#include "change/change.h"
#include "cmd/measuring.h"
#include "report/table.h"
#include "sim/plan.h"
#include "store/store.h"

#define SWEEP_SETTINGS_MAX 1024
#define SWEEP_ROUNDS_AUTO_MAX 30

/* As the user gives it; borrowed. */
struct sweep_live_request {
	struct measuring_options options;
	const struct plan *plan;
	int64_t duration_ns, warmup_ns;
	int64_t budget_ns; /* of time in all; 0: none */
	unsigned rounds;   /* 0: until the medians are known */
	uint64_t seed;
	bool both, resumes, yes;
	const char *peer_set; /* words for the far end's interface, "same": those that are set here; or NULL */
	const char *store;    /* the file */
	const char *label;    /* or NULL */
	const char *command;  /* that was given, for the store */
	enum table_format format;
	const char *output; /* or NULL */
};

struct live_setting {
	char label[PLAN_LABEL_MAX]; /* "rx-usecs 100 tx-usecs 0" */
	struct change_set wanted;
	bool is_out; /* refused, or the same as another one: it is not visited any more */
	int error;   /* of a refusal */
	char why[ERR_TEXT_MAX];
	bool has_read_back;
	struct change_set reported;
};

/* What is known of one setting under one workload. */
struct live_cell {
	unsigned runs;
	unsigned medians;
	int64_t median_ns[MEASURE_REPEATS_MAX]; /* of each run that has latencies, in the order of time */
	bool is_narrow;
};

struct live_sweep {
	const struct sweep_live_request *request;
	uint32_t settings, workloads;
	struct live_setting *setting;
	struct workload workload[PLAN_WORKLOADS_MAX];
	struct live_cell *cell; /* workload * (settings + 1) + setting; the last of each workload is the control */
	struct measuring measuring;
	struct change change;
	bool sets_peer, sets_peer_same;
	struct coalesce peer_wanted; /* of the far end, unless it is the same as here */
	struct store *store;
	struct store_experiment experiment;
	bool is_tainted, is_incomplete;
	struct err incomplete; /* why */
};

static inline struct live_cell *live_cell_of(struct live_sweep *sweep, uint32_t setting, uint32_t workload)
{
	const uint32_t column = setting < sweep->settings ? setting : sweep->settings;

	return &sweep->cell[workload * (sweep->settings + 1) + column];
}

/* Exit status. */
int sweep_live(const struct sweep_live_request *request);

/* ---- sweep_live_settings.c ---- */

/* Fills setting, workload and their numbers from the plan. Deferral words are for every NAPI instance of the interface. */
int live_settings_make(struct live_sweep *sweep, struct err *err);
/* Settings of which the driver's model knows that they are refused, or write the same registers as one before, are out, with the reason. */
void live_settings_judge(struct live_sweep *sweep, const struct nic_model *model);
/* The same by what the interface has just reported of this one. */
void live_settings_judge_reported(struct live_sweep *sweep, uint32_t setting);
/* Every field that any of them sets. */
void live_settings_touched(const struct live_sweep *sweep, struct change_set *touched);

/* ---- sweep_live_far.c ---- */

/* What peer_set asks for; -EINVAL also where nobody is there to set it. */
int live_far_read(struct live_sweep *sweep, struct err *err);
/* Sets what stays the same for the whole sweep. */
int live_far_begin(struct live_sweep *sweep, struct err *err);
/* For the visit of a setting, or the control. -EREMOTEIO: refused there. */
int live_far_set(struct live_sweep *sweep, uint32_t setting, struct err *err);
/* -EUCLEAN: the far end says that it could not put back what was there. A far end that is gone puts it back by itself. */
int live_far_end(struct live_sweep *sweep, struct err *err);
/* What the far end was asked for in the visit of a setting. */
struct coalesce live_far_requested(const struct live_sweep *sweep, uint32_t setting);

/* ---- sweep_live_kept.c ---- */

/* Opens the store; finds the experiment that is to be resumed, with its runs, or makes one. */
int live_kept_begin(struct live_sweep *sweep, struct err *err);
int live_kept_add(struct live_sweep *sweep, uint32_t setting, uint32_t workload, const struct run *run,
		  struct err *err);
/* A setting is out: its cells say why. */
int live_kept_leave_out(struct live_sweep *sweep, uint32_t setting, struct err *err);
/* Once nothing more is to be measured. */
int live_kept_finish(struct live_sweep *sweep, struct err *err);
/* Rows of all that is kept, one for each cell, then one for each workload's control; the caller frees them. */
int live_kept_rows(struct live_sweep *sweep, struct table_row **rows, size_t *count, struct err *err);

#endif
