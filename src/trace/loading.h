/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all our programs in the kernel have in common while they are loaded. Only with BPF. */
#ifndef HOLDOFF_TRACE_LOADING_H
#define HOLDOFF_TRACE_LOADING_H

#include <stdint.h>

#include "base/err.h"

struct bpf_object;
struct bpf_program;

/* libbpf says nothing until the end. Where a program fails is said by errno alone; its own words are for who debugs it. */
void loading_begin(void);
void loading_end(void);

/* The inode number of this process's network namespace, or -errno. */
int loading_namespace(unsigned *inode);

/* error, with a sentence that names the capability (-EPERM) or what the kernel lacks (-EOPNOTSUPP); what: "tracing". */
int loading_explain(int error, const char *what, struct err *err);

/* How often the programs of an object ran and how long in all, while somebody had the kernel take their time. */
void loading_cost(struct bpf_object *object, uint64_t *runs, int64_t *run_ns);

/* The mean times of all programs that have run, but for one, together: what a packet pays that meets each of them once. */
int64_t loading_once(struct bpf_object *object, const struct bpf_program *but);

/*
 * What the kernel's taking of a program's time adds to it: the median of runs of a program (of kind raw tracepoint) that
 * does nothing. While somebody has it take times. Negative where it cannot be found.
 */
int64_t loading_timing(int program_fd);

#endif
