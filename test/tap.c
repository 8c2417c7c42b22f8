/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static unsigned run, failed;

__attribute__((format(printf, 2, 0))) static void report(bool passed, const char *format, va_list arguments)
{
	run++;
	if (!passed) {
		failed++;
	}
	printf("%sok %u - ", passed ? "" : "not ", run);
	vprintf(format, arguments);
	putchar('\n');
	fflush(stdout);
}

bool tap_ok(bool passed, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	report(passed, format, arguments);
	va_end(arguments);
	return passed;
}

bool tap_is(int64_t got, int64_t expected, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	report(got == expected, format, arguments);
	va_end(arguments);
	if (got != expected) {
		tap_note("got %" PRId64 ", expected %" PRId64, got, expected);
	}
	return got == expected;
}

bool tap_is_text(const char *got, const char *expected, const char *format, ...)
{
	const bool same = got && strcmp(got, expected) == 0;
	va_list arguments;

	va_start(arguments, format);
	report(same, format, arguments);
	va_end(arguments);
	if (!same) {
		tap_note("got \"%s\", expected \"%s\"", got ? got : "(nothing)", expected);
	}
	return same;
}

bool tap_within(int64_t got, int64_t low, int64_t high, const char *format, ...)
{
	const bool within = got >= low && got <= high;
	va_list arguments;

	va_start(arguments, format);
	report(within, format, arguments);
	va_end(arguments);
	if (!within) {
		tap_note("got %" PRId64 ", expected %" PRId64 " .. %" PRId64, got, low, high);
	}
	return within;
}

void tap_skip(const char *why, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	run++;
	printf("ok %u - ", run);
	vprintf(format, arguments);
	printf(" # SKIP %s\n", why);
	va_end(arguments);
}

void tap_note(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	printf("# ");
	vprintf(format, arguments);
	putchar('\n');
	va_end(arguments);
}

int tap_done(void)
{
	printf("1..%u\n", run);
	return failed == 0 && run > 0 ? 0 : 1;
}
