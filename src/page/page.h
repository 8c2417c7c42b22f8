/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands in many runs, as one page to look at: as HTML with plots, Markdown, CSV and JSON (schema holdoff.report/1).
 * Runs of one subject (a board of the model, or a device of a machine) and one workload are a group: their settings
 * beside each other, and what tune/tuning.h makes of them without a goal: which of them none beats, where that front bends,
 * and whether they matter at all.
 *
 * Names come from files that anybody may have made: each writer escapes them for its format, and none of them reaches a
 * plot's script. Times of a cell are of all its runs together, with their number; figures are medians of runs, with the 95 %
 * interval of tune/grid.h where there is one.
 */
#ifndef HOLDOFF_PAGE_PAGE_H
#define HOLDOFF_PAGE_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "run/run.h"
#include "tune/tuning.h"

#define PAGE_SCHEMA "holdoff.report/1"
#define PAGE_SUBJECTS_MAX 16
#define PAGE_GROUPS_MAX 64
#define PAGE_COMMANDS_MAX 32
#define PAGE_COMMAND_MAX 1024
#define PAGE_TAINTS_MAX 8
#define PAGE_VALUE_MAX 200

/* From the last bit at the NIC to the return of the receiving call. */
enum page_stage { PAGE_FRAME_TO_IRQ, PAGE_IRQ_TO_POLL, PAGE_POLL_TO_APP, PAGE_STAGES };

struct page_cell {
	struct histogram *latency; /* the page's; NULL: not observed */
	uint64_t stage_count[PAGE_STAGES];
	uint64_t stage_sum_ns[PAGE_STAGES];
	struct run_conditions *conditions; /* of the first run: what was requested, reported, effective; the page's */
};

struct page_group {
	unsigned subject;
	struct workload workload;
	enum run_latency latency;              /* RUN_RTT, or where there is none RUN_ONE_WAY */
	struct tuning tuning;                  /* asked without a goal */
	struct page_cell cell[GRID_CELLS_MAX]; /* by the grid's numbers of its cells: page_cell() */
};

enum page_condition_name {
	PAGE_DRIVER,
	PAGE_HOST,
	PAGE_HOST_SOURCE,
	PAGE_KERNEL,
	PAGE_PEER,
	PAGE_SPEED,
	PAGE_CPUS,
	PAGE_DURATION,
	PAGE_ASSUMES,
	PAGE_METHOD,
	PAGE_TRAFFIC,
	PAGE_VERSION,
	PAGE_CONDITIONS
};

extern const char *const page_condition_names[PAGE_CONDITIONS]; /* "driver", "host", ... */

struct page_condition {
	char value[PAGE_VALUE_MAX]; /* of the first run; "": it has none */
	bool is_known, varies;
};

struct page_subject {
	char text[GRID_SUBJECT_MAX]; /* the grid's */
	char name[2 * RUN_NAME_MAX]; /* the board, or the device and its machine */
	enum run_source source;
	unsigned runs, tainted;
	struct page_condition condition[PAGE_CONDITIONS];
	unsigned taint_count, taints_left_out;
	char taint[PAGE_TAINTS_MAX][RUN_TAINT_MAX];
};

struct page {
	unsigned runs, models, measured; /* that count */
	unsigned incomplete, again;      /* left out: ended early; of a model that gave the same figures again */
	unsigned left_out;               /* there was no room for their subject, workload or setting */
	int64_t first_at_ns, last_at_ns; /* since 1970; 0: not known */
	unsigned subject_count;
	struct page_subject subject[PAGE_SUBJECTS_MAX];
	unsigned group_count;
	struct page_group *group[PAGE_GROUPS_MAX]; /* those of a subject together after page_conclude */
	unsigned command_count, commands_left_out;
	char command[PAGE_COMMANDS_MAX][PAGE_COMMAND_MAX];
	char taken[64];                     /* the caller's: those times in words, as the page has no calendar; or "" */
	char own_command[PAGE_COMMAND_MAX]; /* the caller's: what made this page */
};

/* What is known of a run beside the run. */
struct page_origin {
	const char *machine, *version, *command;
	int64_t taken_at_ns;
	bool is_today; /* of what the subject was set to before anybody varied it */
};

/* NULL without memory. The caller ends it. */
struct page *page_begin(void);
void page_end(struct page *page); /* NULL is nothing */
/* 0, also for a run that does not count; -ENOMEM. */
int page_add(struct page *page, const struct run *run, const struct page_origin *origin, struct err *err);
/* When all runs are in. */
void page_conclude(struct page *page);

/* Draws: *svg, which the caller frees, is the picture that gnuplot makes of a script, or NULL with a sentence in err. */
typedef int page_draw_fn(void *context, const char *script, char **svg, struct err *err);

/* Each 0, or the negative errno of the first failed write. Without a picture the page has the sentence in its place. */
int page_html_write(const struct page *page, page_draw_fn *draw, void *context, FILE *out);
int page_markdown_write(const struct page *page, FILE *out);
int page_csv_write(const struct page *page, FILE *out);
int page_json_write(const struct page *page, FILE *out);

#endif
