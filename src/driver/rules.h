/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Drivers whose set rule is known and whose chip is not modelled: which values they take, refuse, round and read back,
 * by one table (rules_table.c) of fields with their steps, limits and odd values. What such a driver does beyond that
 * is not known here: there are no registers and no times of traffic.
 *
 * The ethtool core's part stands in front of the table as in front of the drivers that are modelled (driver.c).
 */
#ifndef HOLDOFF_DRIVER_RULES_H
#define HOLDOFF_DRIVER_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "chip/chip.h"
#include "coalesce/settings.h"
#include "driver/driver.h"

/* What becomes of a value between two steps. */
enum rule_rounding { RULE_EXACT, RULE_DOWN, RULE_UP };

#define RULE_CODES_MAX 4

/* One field of one driver. */
struct rule_field {
	enum coalesce_field field;
	uint32_t least, most; /* accepted, both included; most 0: no limit */
	unsigned code_count;  /* values that are accepted besides, in rising order */
	uint32_t codes[RULE_CODES_MAX];
	bool only_codes;             /* nothing else is */
	int error;                   /* negative errno of other values */
	uint32_t step_ns;            /* of times: what the hardware counts in; 0: whole units of the field */
	enum rule_rounding rounding; /* to the step */
	bool reads_back_rounded;     /* get says the rounded value (rounded down to the unit), else what was asked */
	bool is_ignored;             /* taken and without effect */
	uint32_t wraps_at;           /* only so many low values fit the register: value % wraps_at; 0: all do */
	const char *note;            /* a sentence on a value that is not 0, or NULL */
};

/* Conditions over more than one field. */
enum rule_condition {
	RULE_TX_WITH_PAIRS, /* a tx-usecs that is not 0 where queues are paired */
	RULE_TX_KEPT,       /* a tx-usecs other than the reported one where queues are paired: it follows rx-usecs */
	RULE_NOT_WHILE_ADAPTIVE_RX, /* a changed `field` while adaptive-rx is, or stays, on */
	RULE_NOT_WHILE_ADAPTIVE_TX,
	RULE_FOLLOWS_HIGH,  /* a tx-usecs-high other than the reported rx-usecs-high */
	RULE_BOTH_ZERO_RX,  /* rx-usecs 0 and rx-frames 0 */
	RULE_BUSY_WHILE_UP, /* tx-frames from 0 to more, or back, while the interface is up */
};

struct rule_cross {
	enum rule_condition condition;
	enum coalesce_field field; /* the one that is refused */
	int error;
	const char *why; /* one sentence, of the driver's view */
};

#define RULES_FIELDS_MAX 8
#define RULES_CROSS_MAX 5
#define RULES_DRIVERS_MAX 3

struct driver_rules {
	const char *drivers[RULES_DRIVERS_MAX]; /* as ethtool -i has them */
	const char *kernels;                    /* which were looked at */
	bool has_none;                          /* get and set are -EOPNOTSUPP */
	uint32_t supported;                     /* mask of fields that the core lets through */
	const char *defaults;                   /* as ethtool's words, "" if they are not known */
	enum chip_hold_kind kind;               /* what a time is */
	int64_t unit_ns;                        /* of usecs: 1000, but r8152 */
	bool zero_is_each;                      /* time or frames 0 is an interrupt each */
	bool tx_at_ring_empty;                  /* sent frames: also when the ring is empty, so that none waits */
	bool per_queue;
	bool is_conditional; /* holds for the devices that `kernels` names only, and nothing tells which one it is */
	unsigned field_count;
	struct rule_field fields[RULES_FIELDS_MAX]; /* others that are supported take anything */
	unsigned cross_count;
	struct rule_cross cross[RULES_CROSS_MAX];
	const char *lowest; /* words for the least delay that it can be set to */
	const char *source;
};

/* By the driver's name; NULL: neither here. */
const struct driver_rules *driver_rules_find(const char *driver);
/* All; *count is set. */
const struct driver_rules *driver_rules_all(unsigned *count);

/* What the driver is in. */
struct rules_state {
	struct coalesce reported; /* what get says now */
	bool has_pairs;           /* received and sent frames of a queue share a vector */
	bool is_up;
};

/* As after load: the driver's defaults, queues in pairs, up. */
void rules_state_init(struct rules_state *state, const struct driver_rules *rules);

/*
 * What becomes of a request: error, why, field, unchanged and warnings of *result, in the words of driver_set. On
 * success state->reported is what get says afterwards.
 */
void driver_rules_set(const struct driver_rules *rules, struct rules_state *state, const struct coalesce *request,
		      struct driver_result *result);

/* The nearest value of a field below or above the refused one that is accepted with the rest as it is; false: none. */
bool driver_rules_nearest(const struct driver_rules *rules, const struct rules_state *state,
			  const struct coalesce *request, enum coalesce_field field, bool upwards, uint32_t *value);

/* What the reported settings come to, with the hardware's rounding; adaptive settings and modes are not looked at. */
struct chip_hold driver_rules_hold(const struct driver_rules *rules, const struct rules_state *state,
				   enum chip_direction direction);

#endif
