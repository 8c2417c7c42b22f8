/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's own tracer, for kernels without BTF: an instance of our own under instances/ of tracefs, whose text is read
 * and matched here. Needs root (or a tracefs that may be written). Others' tracing is not touched. The instance is removed
 * at the end, by a child that outlives this process if it is killed; one that is left all the same (child killed too) is
 * removed by the next tracefs_open, once its owner is gone.
 *
 * Text has names of interfaces and no namespaces: another interface of the same name is taken for this one.
 */
#ifndef HOLDOFF_TRACE_TRACEFS_H
#define HOLDOFF_TRACE_TRACEFS_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "trace/ftrace.h"

struct tracefs; /* owned by whoever opened it */

/*
 * Begins to trace into a matcher that knows the interface's interrupts. -EOPNOTSUPP: no tracefs is mounted, or it has no
 * instances; -EPERM. *kinds gets 1u << enum path_kind of the events that this kernel has. events, borrowed, gets each
 * line; or NULL.
 */
int tracefs_open(struct tracefs **tracefs, struct path *path, FILE *events, uint32_t *kinds, struct err *err);
/*
 * Takes what the kernel has written by now, a megabyte at most: a machine that is busy may write more than can be read, for ever.
 * Returns 1 if there was more; facts are added to. -errno.
 */
int tracefs_take(struct tracefs *tracefs, struct ftrace_facts *facts, struct err *err);
/* From now on the kernel writes nothing more; what it has written can be taken, and there is an end to it. */
void tracefs_stop(const struct tracefs *tracefs);
void tracefs_close(struct tracefs *tracefs); /* NULL is fine */

#endif
