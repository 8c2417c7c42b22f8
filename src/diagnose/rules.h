/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the facts of a diagnosis mean: a table of rules (rules.c), each with its source. A rule looks at all of the
 * diagnosis and adds remarks under its own name. Rules do not depend on one another, but run in the order of the table.
 */
#ifndef HOLDOFF_DIAGNOSE_RULES_H
#define HOLDOFF_DIAGNOSE_RULES_H

#include <string.h>

#include "diagnose/diagnosis.h"
#include "diagnose/remark.h"

struct rule {
	const char *name, *source;
	void (*run)(struct diagnosis *diagnosis,
		    struct remark_origin *origin); /* origin has name and source, no device */
};

/* ---- settings: rules_settings.c ---- */

void rule_no_settings(struct diagnosis *diagnosis, struct remark_origin *origin);
void rule_zero_is_not_support(struct diagnosis *diagnosis, struct remark_origin *origin);
void rule_mode_code(struct diagnosis *diagnosis, struct remark_origin *origin);
void rule_rate_bound(struct diagnosis *diagnosis, struct remark_origin *origin);
void rule_nanoseconds(struct diagnosis *diagnosis, struct remark_origin *origin);
void rule_adaptive(struct diagnosis *diagnosis, struct remark_origin *origin);
void rule_software_deferral(struct diagnosis *diagnosis, struct remark_origin *origin);
void rule_not_supported(struct diagnosis *diagnosis, struct remark_origin *origin);
void rule_refused(struct diagnosis *diagnosis, struct remark_origin *origin);
void rule_least(struct diagnosis *diagnosis, struct remark_origin *origin);
void rule_drifted(struct diagnosis *diagnosis, struct remark_origin *origin);
void rule_hardware_stamps(struct diagnosis *diagnosis, struct remark_origin *origin);

/* The 2.5 Gb/s chips of r8169: nothing is published about their timers. */
static inline bool rule_is_rtl8125(const struct diagnose_device *device)
{
	return strncmp(device->chip, "RTL8125", 7) == 0 || strncmp(device->chip, "RTL8126", 7) == 0;
}

/* ---- registers: rules_registers.c ---- */

void rule_registers(struct diagnosis *diagnosis, struct remark_origin *origin);

/* ---- interrupts and CPUs: rules_interrupts.c ---- */

void rule_shared_line(struct diagnosis *diagnosis, struct remark_origin *origin);
void rule_one_cpu(struct diagnosis *diagnosis, struct remark_origin *origin);
void rule_no_direction(struct diagnosis *diagnosis, struct remark_origin *origin);
void rule_rate_limit(struct diagnosis *diagnosis, struct remark_origin *origin);
void rule_softnet(struct diagnosis *diagnosis, struct remark_origin *origin);
void rule_drops(struct diagnosis *diagnosis, struct remark_origin *origin);
void rule_affinity(struct diagnosis *diagnosis, struct remark_origin *origin);

/* ---- measurements: rules_measured.c ---- */

void rule_ping_rounds(struct diagnosis *diagnosis, struct remark_origin *origin);
void rule_lock_step(struct diagnosis *diagnosis, struct remark_origin *origin);
void rule_ping_shift(struct diagnosis *diagnosis, struct remark_origin *origin);
void rule_too_small(struct diagnosis *diagnosis, struct remark_origin *origin);
void rule_too_long(struct diagnosis *diagnosis, struct remark_origin *origin);
void rule_pays_hold(struct diagnosis *diagnosis, struct remark_origin *origin);
void rule_small_frames(struct diagnosis *diagnosis, struct remark_origin *origin);
void rule_pairs(struct diagnosis *diagnosis, struct remark_origin *origin);
void rule_trace(struct diagnosis *diagnosis, struct remark_origin *origin);
void rule_iperf3(struct diagnosis *diagnosis, struct remark_origin *origin);

#endif
