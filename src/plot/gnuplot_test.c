/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plot/gnuplot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static void test_missing(void)
{
	char *const path = strdup(getenv("PATH") ? getenv("PATH") : "");
	struct err err = { "" };
	char *svg;

	setenv("PATH", "/nonexistent", 1);
	tap_is(gnuplot_draw("plot x\n", &svg, &err), -ENOENT, "where there is no gnuplot");
	tap_ok(strstr(err.text, "gnuplot is not installed"), "that is said");
	tap_ok(svg == NULL, "and there is no picture");
	setenv("PATH", path, 1);
	free(path);
}

static void test_drawing(void)
{
	struct err err = { "" };
	char *svg;

	if (gnuplot_draw("set terminal svg\nplot x\n", &svg, &err) == -ENOENT) {
		tap_skip("gnuplot is not installed", "drawing");
		return;
	}
	tap_ok(svg && strstr(svg, "<svg") && strstr(svg, "</svg>"), "a script gives a picture");
	free(svg);
	tap_is(gnuplot_draw("plot 'nothing there'\n", &svg, &err), -EPROTO, "a script that fails gives none");
	tap_is(gnuplot_draw("print 1\n", &svg, &err), -EPROTO, "nor does one without a plot");
	tap_ok(svg == NULL, "and nothing to free");
}

int main(void)
{
	test_missing();
	test_drawing();
	return tap_done();
}
