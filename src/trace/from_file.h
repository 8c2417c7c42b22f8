/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace that was taken elsewhere, or before: text of ftrace's kind in a file. */
#ifndef HOLDOFF_TRACE_FROM_FILE_H
#define HOLDOFF_TRACE_FROM_FILE_H

#include <stdio.h>

#include "base/err.h"
#include "trace/ftrace.h"

struct from_file {
	char device[64]; /* "" to be found out: then the only one there is, or "" again where no event has one */
	struct ftrace_facts facts;
	uint64_t events, unusable;
	struct path_result result;
};

/*
 * Reads file three times, from its beginning: whose events there are, which interrupts, and then all of it. device has
 * to be set. -EINVAL: no event in it, or none of the device, or of several and none was named; then also which.
 * Otherwise -errno.
 */
int from_file_read(FILE *file, const char *name, struct from_file *trace, struct err *err);

#endif
