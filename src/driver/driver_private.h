/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a driver supplies. driver.c is the ethtool core (supported fields, merge, "nothing changed") and the table of
 * variants.
 */
#ifndef HOLDOFF_DRIVER_DRIVER_PRIVATE_H
#define HOLDOFF_DRIVER_DRIVER_PRIVATE_H

#include <assert.h>
#include <errno.h>
#include <stddef.h>

#include "driver/driver.h"

struct driver_ops {
	struct driver_plan plan;
	void (*init)(struct driver *driver);
	void (*open)(struct driver *driver, struct driver_result *result);
	void (*close)(struct driver *driver, struct driver_result *result); /* or NULL: registers keep what they have */
	void (*link)(struct driver *driver, struct driver_result *result);  /* or NULL: nothing is written */
	int (*get)(const struct driver *driver, struct coalesce *reported); /* get and set: both or neither */
	/* `wanted` holds every supported field; sets result->error and why, or the writes. */
	void (*set)(struct driver *driver, const struct coalesce *wanted, const struct coalesce *request,
		    struct driver_result *result);
	/* The two for a single queue: both or neither; they check the number of the queue. */
	/* Or NULL: warnings about what the present settings are, whoever has made them. */
	void (*remark)(const struct driver *driver, struct driver_result *result);
	int (*get_queue)(const struct driver *driver, unsigned queue, struct coalesce *reported);
	void (*set_queue)(struct driver *driver, unsigned queue, const struct coalesce *wanted,
			  const struct coalesce *request, struct driver_result *result);
	bool (*adopt)(struct driver *driver, uint32_t offset, uint32_t value); /* or NULL: no register means anything */
	uint32_t (*rx_frame_flags)(const struct driver *driver);               /* or NULL: every descriptor asks */
	int (*level)(const struct driver *driver);                             /* or NULL: moderation never adapts */
	void (*step)(struct driver *driver, enum driver_step step, const struct driver_input *input,
		     struct driver_actions *actions);
};

extern const struct driver_ops driver_fec_old_ops, driver_fec_612_ops, driver_fec_seed_ops, driver_tsnep_none_ops,
	driver_tsnep_seed_ops, driver_tsnep_ops, driver_r8169_413_ops, driver_r8169_seed_ops, driver_r8169_61_ops,
	driver_r8169_ops, driver_stmmac_61_ops, driver_stmmac_612_ops, driver_e1000e_ops, driver_e1000e_delay_ops,
	driver_macb_ops, driver_enetc_none_ops, driver_enetc_ops;

/* A driver keeps its state in driver->state, through a cast in one function of its own; DRIVER_STATE lets the
 * compiler know that the same memory has two types, DRIVER_STATE_FITS proves that it is large enough. */
#define DRIVER_STATE __attribute__((may_alias))

/* What a driver's functions report through. Texts are left out of a quiet result; too many warnings are our own
 * mistake. */
void driver_result_write(struct driver_result *result, uint32_t offset, uint32_t value);
void driver_result_warn(struct driver_result *result, const char *format, ...) __attribute__((format(printf, 2, 3)));
void driver_result_refuse(struct driver_result *result, int error, enum coalesce_field field, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static inline void driver_action_write(struct driver_actions *actions, uint32_t offset, uint32_t value)
{
	actions->writes[actions->write_count++] = (struct driver_write){ offset, value };
}

#define DRIVER_STATE_FITS(type) \
	static_assert(sizeof(type) <= sizeof(((struct driver *)0)->state), "driver state too small")

#endif
