/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "page/drawing.h"

#include <inttypes.h>
#include <string.h>

#define WIDE 15 /* from which factor an axis is logarithmic */

void drawing_begin(FILE *out, unsigned height)
{
	fprintf(out,
		"set terminal svg size %u,%u dynamic noenhanced font 'sans-serif,13' linewidth 1\n"
		"set encoding utf8\n"
		"set border 3 linewidth 1\n"
		"set tics nomirror\n"
		"set grid linecolor rgb 'gray' linewidth 0.5\n"
		"set key noautotitle\n"
		"set tmargin 2\n",
		DRAWING_WIDTH, height);
}

/* Below the plot, over the whole width: where gnuplot puts it by itself, long labels of rows push it off the edge. */
void drawing_put_key(FILE *out, unsigned entries, unsigned columns)
{
	const unsigned rows = (entries + columns - 1) / columns;

	fprintf(out, "set key at screen 0.5, screen 0.02 center bottom horizontal maxcols %u\nset bmargin %u.%u\n",
		columns, (36 + 13 * rows) / 10, (36 + 13 * rows) % 10);
}

void drawing_put_label(FILE *out, const char *text)
{
	putc('\'', out);
	for (; *text; text++) {
		const bool is_plain = (*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'z') ||
				      (*text >= 'A' && *text <= 'Z') || strchr(" .,:;/%=+-()", *text);

		putc(is_plain ? *text : '?', out);
	}
	putc('\'', out);
}

void drawing_put_milli(FILE *out, int64_t thousandths)
{
	const int64_t size = thousandths < 0 ? -thousandths : thousandths;

	fprintf(out, "%s%" PRId64 ".%03" PRId64, thousandths < 0 ? "-" : "", size / 1000, size % 1000);
}

int64_t drawing_logarithm(int64_t value)
{
	int64_t bits = 0;

	while (value >> bits > 31) {
		bits++;
	}
	return 16 * bits + (value >> bits); /* 16 to 31 in each octave */
}

void drawing_widen(struct drawing_range *range, int64_t value)
{
	range->low = !range->is_known || value < range->low ? value : range->low;
	range->high = !range->is_known || value > range->high ? value : range->high;
	range->is_known = true;
}

bool drawing_is_wide(const struct drawing_range *range)
{
	return range->is_known && range->low > 0 && range->high / range->low >= WIDE;
}

/* 1, 2, 5, 10, 20, ... */
static void put_logarithmic_tics(FILE *out, char axis, int64_t low, int64_t high)
{
	static const int64_t steps[] = { 1, 2, 5 };
	bool is_first = true;

	fprintf(out, "set %ctics (", axis);
	for (int64_t decade = 1; decade <= high && decade <= INT64_MAX / 10; decade *= 10) {
		for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
			const int64_t at = decade * steps[i];

			if (at >= low && at <= high) {
				fputs(is_first ? "" : ", ", out);
				drawing_put_milli(out, at);
				is_first = false;
			}
		}
	}
	fputs(")\n", out);
}

void drawing_put_axis(FILE *out, char axis, const struct drawing_range *range, const char *label)
{
	const bool is_wide = drawing_is_wide(range);
	const int64_t low = is_wide ? range->low * 3 / 4 : 0;
	const int64_t high = range->high <= 0 ? 1000
			     : is_wide        ? range->high + range->high / 2
					      : range->high + range->high / 6;

	fprintf(out, "%sset logscale %c\nset %crange [", is_wide ? "" : "un", axis, axis);
	drawing_put_milli(out, low);
	putc(':', out);
	drawing_put_milli(out, high);
	fprintf(out, "]\nset format %c '%%g'\n", axis);
	if (is_wide) {
		put_logarithmic_tics(out, axis, low, high);
	}
	fprintf(out, "set %clabel ", axis);
	drawing_put_label(out, label);
	fputs(axis == 'x' ? " offset 0,0.3\n" : "\n", out);
}

int64_t drawing_position(const struct drawing_range *range, int64_t value)
{
	const bool is_wide = drawing_is_wide(range);
	const int64_t low = is_wide ? drawing_logarithm(range->low) : 0;
	const int64_t high = is_wide ? drawing_logarithm(range->high) : range->high;

	return high > low ? ((is_wide ? drawing_logarithm(value) : value) - low) * 1000 / (high - low) : 0;
}
