/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time spans as systemd reads them where a key ends in Sec=: a sequence of numbers, each with a unit or, without one,
 * in seconds. There is no unit below the us. Source: systemd.time(7), and src/basic/time-util.c of systemd 252 to 257
 * for what the page leaves open: fractions are cut digit by digit, white space before a unit is allowed, a sign is
 * not.
 */
#include <errno.h>
#include <string.h>

#include "persist/persist_private.h"

#define US_PER_SECOND UINT64_C(1000000)

static const struct unit {
	const char *name;
	uint64_t us;
} units[] = {
	{ "usec", 1 },
	{ "us", 1 },
	{ "\xce\xbcs", 1 }, /* Greek mu */
	{ "\xc2\xb5s", 1 }, /* micro sign */
	{ "msec", 1000 },
	{ "ms", 1000 },
	{ "seconds", US_PER_SECOND },
	{ "second", US_PER_SECOND },
	{ "sec", US_PER_SECOND },
	{ "s", US_PER_SECOND },
	{ "minutes", 60 * US_PER_SECOND },
	{ "minute", 60 * US_PER_SECOND },
	{ "min", 60 * US_PER_SECOND },
	{ "m", 60 * US_PER_SECOND },
	{ "hours", 3600 * US_PER_SECOND },
	{ "hour", 3600 * US_PER_SECOND },
	{ "hr", 3600 * US_PER_SECOND },
	{ "h", 3600 * US_PER_SECOND },
	{ "days", 86400 * US_PER_SECOND },
	{ "day", 86400 * US_PER_SECOND },
	{ "d", 86400 * US_PER_SECOND },
	{ "weeks", 7 * 86400 * US_PER_SECOND },
	{ "week", 7 * 86400 * US_PER_SECOND },
	{ "w", 7 * 86400 * US_PER_SECOND },
	{ "months", 2629800 * US_PER_SECOND },
	{ "month", 2629800 * US_PER_SECOND },
	{ "M", 2629800 * US_PER_SECOND },
	{ "years", 31557600 * US_PER_SECOND },
	{ "year", 31557600 * US_PER_SECOND },
	{ "y", 31557600 * US_PER_SECOND },
};

/* The longest unit that the text begins with, or NULL. */
static const struct unit *find_unit(const char *text)
{
	const struct unit *longest = NULL;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		const size_t length = strlen(units[i].name);

		if (strncmp(text, units[i].name, length) == 0 && (!longest || length > strlen(longest->name))) {
			longest = &units[i];
		}
	}
	return longest;
}

static const char *skip_white(const char *text)
{
	return text + strspn(text, " \t\r\n");
}

static int add(uint64_t *sum, uint64_t us)
{
	if (us >= UINT64_MAX - *sum) {
		return -ERANGE;
	}
	*sum += us;
	return 0;
}

/* The whole part, then the fraction, each in the unit. */
static int add_number(struct persist_timespan *span, const char *whole, size_t whole_digits, const char *fraction,
		      size_t fraction_digits, uint64_t unit_us)
{
	uint64_t number = 0, scale = unit_us;

	for (size_t i = 0; i < whole_digits; i++) {
		const uint64_t digit = (uint64_t)(whole[i] - '0');

		if (number > (INT64_MAX - digit) / 10) {
			return -ERANGE;
		}
		number = number * 10 + digit;
	}
	if (number >= UINT64_MAX / unit_us || add(&span->us, number * unit_us) < 0) {
		return -ERANGE;
	}
	for (size_t i = 0; i < fraction_digits; i++) {
		const uint64_t digit = (uint64_t)(fraction[i] - '0');

		span->is_rounded = span->is_rounded || (digit && scale % 10);
		scale /= 10;
		if (add(&span->us, digit * scale) < 0) {
			return -ERANGE;
		}
	}
	return 0;
}

/* One number with its unit; *at is moved behind it. */
static int parse_part(struct persist_timespan *span, const char **at)
{
	static const char digits[] = "0123456789";

	if (**at == '-') {
		return -ERANGE;
	}
	const char *const whole = *at + (**at == '+');
	const size_t whole_digits = strspn(whole, digits);
	const bool has_point = whole[whole_digits] == '.';
	const char *const fraction = whole + whole_digits + has_point;
	const size_t fraction_digits = has_point ? strspn(fraction, digits) : 0;
	const char *const end = fraction + fraction_digits;
	const char *const behind = skip_white(end);
	const struct unit *const unit = find_unit(behind);

	if ((whole_digits == 0 && !has_point) || (has_point && fraction_digits == 0) ||
	    (!unit && behind == end && *behind)) {
		return -EINVAL;
	}
	const uint64_t before = span->us;
	const int ret =
		add_number(span, whole, whole_digits, fraction, fraction_digits, unit ? unit->us : US_PER_SECOND);

	span->has_bare = span->has_bare || (!unit && span->us != before);
	span->has_m = span->has_m || (unit && (strcmp(unit->name, "m") == 0 || strcmp(unit->name, "M") == 0));
	*at = skip_white(unit ? behind + strlen(unit->name) : behind);
	return ret;
}

int persist_parse_timespan(const char *text, struct persist_timespan *span)
{
	static const char infinity[] = "infinity";
	const char *at = skip_white(text);

	*span = (struct persist_timespan){ 0 };
	if (strncmp(at, infinity, sizeof(infinity) - 1) == 0) {
		span->us = UINT64_MAX;
		return *skip_white(at + sizeof(infinity) - 1) ? -EINVAL : 0;
	}
	if (!*at) {
		return -EINVAL;
	}
	while (*at) {
		const int ret = parse_part(span, &at);

		if (ret < 0) {
			return ret;
		}
	}
	return 0;
}
