/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff runs: what its files share. */
#ifndef HOLDOFF_CMD_RUNS_H
#define HOLDOFF_CMD_RUNS_H

#include <stdio.h>

#include "base/err.h"
#include "store/store.h"

enum runs_format { RUNS_TEXT, RUNS_CSV, RUNS_JSON };

/* A line for each run. *skipped counts the runs that are damaged, which are named on stderr and left out. */
int runs_list(struct store *store, const struct store_filter *filter, enum runs_format format, FILE *out,
	      uint64_t *skipped, struct err *err);

/* One run: what is kept beside it, then its page; as JSON holdoff.run/1 alone. */
int runs_show(const struct store_entry *entry, const struct run *run, enum runs_format format, FILE *out,
	      struct err *err);

/* Text that a file may have had a part in: what would drive a terminal becomes '?'. */
void runs_put_printable(FILE *out, const char *text);

#define RUNS_TIME_MAX 24

/* "2026-12-01 04:02:13", UTC. Returns buffer. */
char *runs_print_time(int64_t at_ns, char buffer[RUNS_TIME_MAX]);

#endif
