/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strict scanning of numbers and units, and the nearest known name for a mistyped one.
 *
 * Every parser takes the whole of its text: rubbish behind a number, a sign, white space, an
 * empty text and a value that does not fit are all errors. On error the result is not written,
 * -EINVAL or -ERANGE is returned and err says what was wrong and what would be right; `what`
 * names the thing in that sentence ("rx-usecs", "duration", ...).
 */
#ifndef HOLDOFF_BASE_TEXT_H
#define HOLDOFF_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* A bare decimal number, or hexadecimal with 0x. */
int text_parse_u32(const char *text, const char *what, uint32_t *value, struct err *err);
int text_parse_u64(const char *text, const char *what, uint64_t *value, struct err *err);
/* A bare number from min to max; a minus sign is accepted where min is negative. */
int text_parse_i64(const char *text, const char *what, int64_t min, int64_t max, int64_t *value, struct err *err);

/*
 * A span with its unit: ns us ms s min h d, with up to nine decimals ("1.5ms", "30us"). The unit
 * is required, except for a bare 0. Fractions of a ns are an error, never cut.
 */
int text_parse_duration(const char *text, const char *what, int64_t *value_ns, struct err *err);

/* A count of bytes: bare, or with k M G (1000s) or Ki Mi Gi (1024s); an optional B may follow. */
int text_parse_bytes(const char *text, const char *what, uint64_t *bytes, struct err *err);

/* A count of things per second: bare or with k M G ("20k", "1.5M"): packets, not bits. */
int text_parse_rate(const char *text, const char *what, uint64_t *per_second, struct err *err);

/* Bits per second; the unit is required: bps kbps Mbps Gbps. */
int text_parse_bps(const char *text, const char *what, uint64_t *bits_per_second, struct err *err);

/* A frequency: bare, or with Hz kHz MHz GHz ("66MHz", "266.67MHz"). */
int text_parse_hz(const char *text, const char *what, uint64_t *hz, struct err *err);

/* "on"/"off", also 1/0, yes/no, true/false. */
int text_parse_bool(const char *text, const char *what, int *value, struct err *err);

/* Longest text that text_print_duration writes, with its end. */
#define TEXT_DURATION_MAX 32

/* Writes a span as people read it ("1.32ms", "30us", "640ns", "2s"): exact, shortest unit that needs no
 * more than three decimals, else ns. Returns buffer. */
char *text_print_duration(int64_t value_ns, char buffer[TEXT_DURATION_MAX]);

/*
 * The name of names[0..count-1] that is nearest to a mistyped text (edit distance, counting a swap of
 * neighbours as one), or NULL if none is near enough to be meant.
 */
const char *text_nearest(const char *text, const char *const *names, size_t count);

#endif
