/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Coalescing settings as a value: which fields are given, and what they are. "Not given" is a cleared
 * presence bit, "zero" a set bit with value 0, and "unsupported" is what a driver's mask of supported fields leaves
 * out; the three never stand for one another.
 */
#ifndef HOLDOFF_COALESCE_SETTINGS_H
#define HOLDOFF_COALESCE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "coalesce/field.h"

struct coalesce {
	uint32_t present;                /* COALESCE_BIT(field) of every given field */
	uint32_t value[COALESCE_FIELDS]; /* in the unit of coalesce_fields[]; 0 where not given */
};

#define COALESCE_BIT(field) (UINT32_C(1) << (field))

static inline bool coalesce_has(const struct coalesce *settings, enum coalesce_field field)
{
	return settings->present & COALESCE_BIT(field);
}

static inline void coalesce_put(struct coalesce *settings, enum coalesce_field field, uint32_t value)
{
	settings->present |= COALESCE_BIT(field);
	settings->value[field] = value;
}

/*
 * Reads ethtool-style words ("rx-usecs", "100", "adaptive-rx", "off", ...) into *settings, replacing what was there.
 * Strict: unknown word (names the nearest), missing value, number with rubbish, negative or over 2^32 - 1, a switch
 * that is not on or off, and a field given twice are each -EINVAL with one sentence, *settings untouched. count 0
 * gives an empty value.
 */
int coalesce_parse(struct coalesce *settings, const char *const *words, unsigned count, struct err *err);

/* The same from one string split at white space, as `--peer-set "rx-usecs 0 rx-frames 0"` has it. */
int coalesce_parse_text(struct coalesce *settings, const char *text, struct err *err);

#define COALESCE_TEXT_MAX 1024

/* Writes "rx-usecs 100 rx-frames 4 adaptive-rx off": the given fields in table order, parseable again; "" if none.
 * Returns buffer. */
char *coalesce_print(const struct coalesce *settings, char buffer[COALESCE_TEXT_MAX]);

/* `base` with the given fields of `change` put over it. */
struct coalesce coalesce_merge(const struct coalesce *base, const struct coalesce *change);

/* The mask of fields that are given in only one of the two or differ in value. */
uint32_t coalesce_difference(const struct coalesce *a, const struct coalesce *b);

#endif
