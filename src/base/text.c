/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "base/wide.h"

#define NANO UINT64_C(1000000000)

/* How much of a wrong text is quoted. */
#define QUOTED "%.60s"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The digits at *at in the given base; leaves *at behind them. -EINVAL without a digit, -ERANGE past 2^64 - 1. */
static int scan_digits(const char **at, unsigned base, uint64_t *value)
{
	const char *const start = *at;
	uint64_t sum = 0;
	bool overflow = false;

	for (; base == 16 ? isxdigit((unsigned char)**at) : is_digit(**at); (*at)++) {
		const char c = (char)tolower((unsigned char)**at);
		const unsigned digit = (unsigned)(is_digit(c) ? c - '0' : c - 'a' + 10);

		overflow |= __builtin_mul_overflow(sum, base, &sum);
		overflow |= __builtin_add_overflow(sum, digit, &sum);
	}
	*value = sum;
	return *at == start ? -EINVAL : overflow ? -ERANGE : 0;
}

/* A bare number, decimal or 0x; nothing behind it. */
static int scan_bare(const char *text, uint64_t *value)
{
	const bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *at = text + (hexadecimal ? 2 : 0);
	const int ret = scan_digits(&at, hexadecimal ? 16 : 10, value);

	return ret != -EINVAL && *at ? -EINVAL : ret;
}

static int complain_empty(const char *what, const char *expected, struct err *err)
{
	return err_set(err, -EINVAL, "%s: the value is empty, expected %s", what, expected);
}

static int complain_negative(const char *text, const char *what, struct err *err)
{
	return err_set(err, -EINVAL, "%s: \"" QUOTED "\" must not be negative", what, text);
}

static bool is_negative_number(const char *text)
{
	return text[0] == '-' && is_digit(text[1]);
}

static int parse_unsigned(const char *text, const char *what, uint64_t max, uint64_t *value, struct err *err)
{
	const char *const expected = "a whole number such as 100 or 0x64";
	uint64_t number = 0;

	if (!*text) {
		return complain_empty(what, expected, err);
	}
	if (is_negative_number(text)) {
		return complain_negative(text, what, err);
	}
	const int ret = scan_bare(text, &number);

	if (ret == -EINVAL) {
		return err_set(err, ret, "%s: \"" QUOTED "\" is no number, expected %s", what, text, expected);
	}
	if (ret || number > max) {
		return err_set(err, -ERANGE, "%s: " QUOTED " is too large, at most %" PRIu64 " is possible", what, text,
			       max);
	}
	*value = number;
	return 0;
}

int text_parse_u64(const char *text, const char *what, uint64_t *value, struct err *err)
{
	return parse_unsigned(text, what, UINT64_MAX, value, err);
}

int text_parse_u32(const char *text, const char *what, uint32_t *value, struct err *err)
{
	uint64_t number;
	const int ret = parse_unsigned(text, what, UINT32_MAX, &number, err);

	if (!ret) {
		*value = (uint32_t)number;
	}
	return ret;
}

int text_parse_i64(const char *text, const char *what, int64_t min, int64_t max, int64_t *value, struct err *err)
{
	const bool negative = text[0] == '-';
	uint64_t magnitude = 0;

	if (!*text) {
		return complain_empty(what, "a whole number", err);
	}
	if (min >= 0 && is_negative_number(text)) {
		return complain_negative(text, what, err);
	}
	const int ret = min >= 0 && negative ? -EINVAL : scan_bare(text + negative, &magnitude);

	if (ret == -EINVAL) {
		return err_set(err, ret, "%s: \"" QUOTED "\" is no number, expected one from %" PRId64 " to %" PRId64,
			       what, text, min, max);
	}
	const uint64_t limit = (uint64_t)INT64_MAX + negative;
	const int64_t number = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;

	if (ret || magnitude > limit || number < min || number > max) {
		return err_set(err, -ERANGE, "%s: " QUOTED " is out of range, expected %" PRId64 " to %" PRId64, what,
			       text, min, max);
	}
	*value = number;
	return 0;
}

/* ---- numbers with units ---- */

struct unit {
	const char *name;
	uint64_t factor;
};

struct quantity {
	const struct unit *units; /* ended by a row without name */
	const char *expected;     /* in sentences */
	const char *smallest;     /* what cannot be divided, for sentences */
	uint64_t max;
	bool unit_required; /* except for 0 */
};

/* Digits, and up to nine decimals as billionths, at *at. */
static int scan_decimal(const char **at, uint64_t *whole, uint64_t *billionths)
{
	const int ret = scan_digits(at, 10, whole);

	*billionths = 0;
	if (ret || **at != '.') {
		return ret;
	}
	(*at)++;
	const char *const start = *at;
	const int fraction_ret = scan_digits(at, 10, billionths);
	const size_t decimals = (size_t)(*at - start);

	if (fraction_ret || decimals > 9) {
		return -EINVAL;
	}
	for (size_t digit = decimals; digit < 9; digit++) {
		*billionths *= 10;
	}
	return 0;
}

static const struct unit *find_unit(const struct unit *units, const char *name)
{
	for (; units->name; units++) {
		if (strcmp(units->name, name) == 0) {
			return units;
		}
	}
	return NULL;
}

static int complain_unit(const char *text, const char *rest, const char *what, const struct quantity *quantity,
			 struct err *err)
{
	if (!*rest) {
		return err_set(err, -EINVAL, "%s: " QUOTED " lacks its unit, expected %s", what, text,
			       quantity->expected);
	}
	return err_set(err, -EINVAL, "%s: \"" QUOTED "\" is no unit in \"" QUOTED "\", expected %s", what, rest, text,
		       quantity->expected);
}

static int parse_quantity(const char *text, const char *what, const struct quantity *quantity, uint64_t *value,
			  struct err *err)
{
	if (!*text) {
		return complain_empty(what, quantity->expected, err);
	}
	if (is_negative_number(text)) {
		return complain_negative(text, what, err);
	}
	const char *rest = text;
	uint64_t whole, billionths;
	const int ret = scan_decimal(&rest, &whole, &billionths);

	if (ret == -EINVAL) {
		return err_set(err, ret, "%s: \"" QUOTED "\" is no number with at most nine decimals, expected %s",
			       what, text, quantity->expected);
	}
	const struct unit *const unit = find_unit(quantity->units, rest);
	const bool is_bare_zero = whole == 0 && strcmp(text, "0") == 0;

	if (!unit || (quantity->unit_required && !*rest && !is_bare_zero)) {
		return complain_unit(text, rest, what, quantity, err);
	}
	uint64_t rest_of_fraction;
	const struct wide fraction = wide_divide(wide_product(billionths, unit->factor), NANO, &rest_of_fraction);
	const struct wide product = wide_add(wide_product(whole, unit->factor), fraction);

	if (ret || wide_less(wide_of(quantity->max), product)) {
		return err_set(err, -ERANGE, "%s: " QUOTED " is too large", what, text);
	}
	if (rest_of_fraction) {
		return err_set(err, -EINVAL, "%s: " QUOTED " is no whole number of %s", what, text, quantity->smallest);
	}
	*value = product.low;
	return 0;
}

int text_parse_duration(const char *text, const char *what, int64_t *value_ns, struct err *err)
{
	static const struct unit units[] = {
		{ "", 1 },
		{ "ns", 1 },
		{ "us", NS_PER_US },
		{ "ms", NS_PER_MS },
		{ "s", NS_PER_S },
		{ "min", 60 * NS_PER_S },
		{ "h", 3600 * NS_PER_S },
		{ "d", 86400 * NS_PER_S },
		{ NULL, 0 },
	};
	/* One less than NEVER_AT_NS, which is no span. */
	static const struct quantity duration = { units, "a time such as 30us (ns us ms s min h d)", "ns",
						  NEVER_AT_NS - 1, true };
	uint64_t value;
	const int ret = parse_quantity(text, what, &duration, &value, err);

	if (!ret) {
		*value_ns = (int64_t)value;
	}
	return ret;
}

int text_parse_bytes(const char *text, const char *what, uint64_t *bytes, struct err *err)
{
	static const struct unit units[] = {
		{ "", 1 },
		{ "B", 1 },
		{ "k", 1000 },
		{ "kB", 1000 },
		{ "M", 1000000 },
		{ "MB", 1000000 },
		{ "G", 1000000000 },
		{ "GB", 1000000000 },
		{ "Ki", UINT64_C(1) << 10 },
		{ "KiB", UINT64_C(1) << 10 },
		{ "Mi", UINT64_C(1) << 20 },
		{ "MiB", UINT64_C(1) << 20 },
		{ "Gi", UINT64_C(1) << 30 },
		{ "GiB", UINT64_C(1) << 30 },
		{ NULL, 0 },
	};
	static const struct quantity size = { units, "bytes such as 1500 or 64Ki (k M G, Ki Mi Gi)", "bytes",
					      UINT64_MAX, false };

	return parse_quantity(text, what, &size, bytes, err);
}

int text_parse_rate(const char *text, const char *what, uint64_t *per_second, struct err *err)
{
	static const struct unit units[] = {
		{ "", 1 }, { "k", 1000 }, { "M", 1000000 }, { "G", 1000000000 }, { NULL, 0 },
	};
	static const struct quantity rate = { units, "a number per second such as 20k (k M G)", "things per second",
					      UINT64_MAX, false };

	return parse_quantity(text, what, &rate, per_second, err);
}

int text_parse_bps(const char *text, const char *what, uint64_t *bits_per_second, struct err *err)
{
	static const struct unit units[] = {
		{ "", 1 }, { "bps", 1 }, { "kbps", 1000 }, { "Mbps", 1000000 }, { "Gbps", 1000000000 }, { NULL, 0 },
	};
	static const struct quantity speed = { units, "bits per second such as 100Mbps (bps kbps Mbps Gbps)",
					       "bits per second", UINT64_MAX, true };

	return parse_quantity(text, what, &speed, bits_per_second, err);
}

int text_parse_hz(const char *text, const char *what, uint64_t *hz, struct err *err)
{
	static const struct unit units[] = {
		{ "", 1 }, { "Hz", 1 }, { "kHz", 1000 }, { "MHz", 1000000 }, { "GHz", 1000000000 }, { NULL, 0 },
	};
	static const struct quantity frequency = { units, "a frequency such as 66MHz (Hz kHz MHz GHz)", "Hz",
						   UINT64_MAX, false };

	return parse_quantity(text, what, &frequency, hz, err);
}

int text_parse_bool(const char *text, const char *what, int *value, struct err *err)
{
	static const char *const words[] = { "off", "on", "0", "1", "no", "yes", "false", "true" };

	for (unsigned word = 0; word < sizeof(words) / sizeof(words[0]); word++) {
		if (strcmp(text, words[word]) == 0) {
			*value = word & 1;
			return 0;
		}
	}
	return err_set(err, -EINVAL, "%s: \"" QUOTED "\" is neither on nor off", what, text);
}

/* ---- printing ---- */

char *text_print_duration(int64_t value_ns, char buffer[TEXT_DURATION_MAX])
{
	static const struct unit units[] = { { "s", NS_PER_S }, { "ms", NS_PER_MS }, { "us", NS_PER_US } };
	const uint64_t magnitude = value_ns < 0 ? 0 - (uint64_t)value_ns : (uint64_t)value_ns;
	const char *const sign = value_ns < 0 ? "-" : "";

	for (unsigned row = 0; row < sizeof(units) / sizeof(units[0]); row++) {
		const uint64_t factor = units[row].factor;
		const unsigned thousandths = (unsigned)(magnitude % factor / (factor / 1000));

		if (magnitude < factor || magnitude % (factor / 1000)) {
			continue;
		}
		int length = snprintf(buffer, TEXT_DURATION_MAX, "%s%" PRIu64, sign, magnitude / factor);

		if (thousandths) {
			length += snprintf(buffer + length, TEXT_DURATION_MAX - (size_t)length, ".%03u", thousandths);
			while (buffer[length - 1] == '0') {
				length--;
			}
		}
		snprintf(buffer + length, TEXT_DURATION_MAX - (size_t)length, "%s", units[row].name);
		return buffer;
	}
	snprintf(buffer, TEXT_DURATION_MAX, "%s%" PRIu64 "ns", sign, magnitude);
	return buffer;
}

/* ---- the nearest name ---- */

#define NEAREST_MAX 48

static unsigned smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Edit distance with swaps of neighbours (optimal string alignment); case does not count. At most NEAREST_MAX long. */
static unsigned edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	unsigned rows[3][NEAREST_MAX + 1];

	for (size_t j = 0; j <= b_length; j++) {
		rows[0][j] = (unsigned)j;
	}
	for (size_t i = 1; i <= a_length; i++) {
		unsigned *const row = rows[i % 3];
		const unsigned *const above = rows[(i - 1) % 3];
		const int here = tolower((unsigned char)a[i - 1]);

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= b_length; j++) {
			const int there = tolower((unsigned char)b[j - 1]);

			row[j] = smaller(smaller(above[j], row[j - 1]) + 1, above[j - 1] + (here != there));
			if (i > 1 && j > 1 && here == tolower((unsigned char)b[j - 2]) &&
			    there == tolower((unsigned char)a[i - 2])) {
				row[j] = smaller(row[j], rows[(i - 2) % 3][j - 2] + 1);
			}
		}
	}
	return rows[a_length % 3][b_length];
}

const char *text_nearest(const char *text, const char *const *names, size_t count)
{
	const size_t length = strlen(text);

	if (length > NEAREST_MAX) {
		return NULL;
	}
	/* One slip for each three letters begun, but never so many that nothing of the word is left. */
	unsigned best_distance = (unsigned)(length + 2) / 3 + 1;
	const char *best = NULL;

	for (size_t name = 0; name < count; name++) {
		const size_t name_length = strlen(names[name]);

		if (name_length > NEAREST_MAX) {
			continue;
		}
		const unsigned distance = edit_distance(text, length, names[name], name_length);

		if (distance < best_distance && distance < length) {
			best_distance = distance;
			best = names[name];
		}
	}
	return best;
}
