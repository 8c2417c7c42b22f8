/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of a packet's way that may be asked for alone, and which events each of them takes: what is not asked for is not paid. */
#ifndef HOLDOFF_TRACE_PARTS_H
#define HOLDOFF_TRACE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "trace/path.h"

enum trace_part { PART_TRANSMIT, PART_RECEIVE, PART_ANSWERS, PART_INTERRUPTS, PARTS };

/* "tx", "rx,irq", ... into bits 1u << enum trace_part. -EINVAL with a sentence. */
int parts_parse(uint32_t *parts, const char *text, struct err *err);

/* Bits 1u << enum path_kind. The ends of packets need more than their stages do: who does not see that a packet was handed
 * on takes it for completed. */
uint32_t parts_kinds(uint32_t parts);

bool parts_have(uint32_t parts, enum path_stage stage);

#endif
