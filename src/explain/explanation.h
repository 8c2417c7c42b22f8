/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What became of a request, from the words to the wait: the value between the one who asks and the renderers.
 * Requested, programmed, reported and effective are four things; where they differ is what people come for.
 */
#ifndef HOLDOFF_EXPLAIN_EXPLANATION_H
#define HOLDOFF_EXPLAIN_EXPLANATION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "chip/chip.h"
#include "coalesce/settings.h"
#include "driver/driver.h"
#include "report/json_writer.h"
#include "sim/board.h"

#define EXPLANATION_WRITES_MAX (2 * DRIVER_WRITES_MAX)
#define EXPLANATION_SPEEDS_MAX 4

/* What the same registers do at another link speed. */
struct explanation_speed {
	unsigned mbps;
	struct chip_hold hold[CHIP_DIRECTIONS];
};

/* What is asked. */
struct explanation_request {
	struct board board; /* with driver, speed and model choices as wanted */
	bool of_queue;      /* of a single one, not of the interface */
	unsigned queue;
	struct coalesce settings; /* nothing given: what the driver leaves after open and link up is explained */
	const char *registers; /* NULL, or NAME=VALUE[,NAME=VALUE...] as read out: decoded, and settings are ignored */
};

struct explanation {
	struct board board;
	const struct driver_variant *variant;
	bool of_queue; /* of a single one, not of the interface */
	unsigned queue;

	enum {
		EXPLAIN_DEFAULTS, /* no request: what the driver leaves after open and link up */
		EXPLAIN_REQUEST,
		EXPLAIN_REGISTERS, /* registers that somebody read out; the others are as after open */
	} subject;
	struct coalesce requested;
	struct driver_result result; /* of the request */
	bool has_below, has_above;   /* of result.field, when the value was refused: the nearest that are accepted */
	uint32_t below, above;
	struct chip_hold below_hold, above_hold; /* what they come to: far above it is often little */

	unsigned write_count; /* register writes, or the registers given */
	struct driver_write writes[EXPLANATION_WRITES_MAX];

	int get_error; /* of the driver's get, 0 or negative errno */
	struct coalesce reported;
	struct chip_hold hold[CHIP_DIRECTIONS]; /* at the board's link speed */
	unsigned speed_count;                   /* other speeds at which it is not the same */
	struct explanation_speed speeds[EXPLANATION_SPEEDS_MAX];
};

/* The value of a field within a register's value. */
static inline uint32_t explanation_field(const struct chip_register_field *field, uint32_t value)
{
	const unsigned width = field->high - field->low + 1u;

	return value >> field->low & (width < 32 ? (UINT32_C(1) << width) - 1 : UINT32_MAX);
}

const char *explanation_hold_kind(enum chip_hold_kind kind); /* "none", "hold-off", "restarting hold-off", "throttle" */

/*
 * What driver and chip make of the request: 0, also when the driver refuses it, which is an answer and stands in
 * explanation->result; -EINVAL with a sentence for a request that makes no sense.
 */
int explanation_make(struct explanation *explanation, const struct explanation_request *request, struct err *err);

/* One document, schema holdoff.explain/1. 0, or the negative errno of the first failed write. */
int explanation_print_json(const struct explanation *explanation, FILE *out);

/* Parts of it, for documents of others: one direction's hold, the register writes with their fields, the other link speeds. */
void explanation_put_hold(struct json_writer *writer, const char *key, const struct chip_hold *hold);
/* Whether it was accepted, why not, and the warnings. */
void explanation_put_verdict(struct json_writer *writer, const struct explanation *explanation);
void explanation_put_writes(struct json_writer *writer, const char *key, const struct explanation *explanation);
void explanation_put_speeds(struct json_writer *writer, const char *key, const struct explanation *explanation);

#endif
