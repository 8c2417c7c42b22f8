/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stages of packets' ways in a measured run. */
#ifndef HOLDOFF_CMD_MEASURE_TRACE_H
#define HOLDOFF_CMD_MEASURE_TRACE_H

#include "base/err.h"
#include "nic/nic.h"
#include "run/run.h"
#include "trace/probes.h"

/* Traces all packets of the interface until the end. -EPERM, -EOPNOTSUPP as probes_open. */
int measure_trace_begin(struct probes **probes, struct nic *nic, struct err *err);

/* Puts the stages that were seen into the run, of the warm-up too; and closes. NULL: there is nothing. */
void measure_trace_end(struct probes *probes, struct run *run);

#endif
