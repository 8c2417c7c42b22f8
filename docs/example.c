/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How libholdoff is used: what a ping and the interrupt rate of a telephone call come to on an i.MX8QXP,
 * setting by setting.
 *
 *	cc example.c $(pkg-config --cflags --libs holdoff)
 */
#include <holdoff.h>
#include <inttypes.h>
#include <stdlib.h>

static char error[HOLDOFF_ERROR_MAX];

/* Ends the program with the sentence; a program with more to lose would hand it on. */
static void check(int code)
{
	if (code != 0) {
		fprintf(stderr, "example: %s\n", error);
		exit(1);
	}
}

/* One figure of one simulation, in thousandths of its unit. */
static int64_t figure_of(const struct holdoff_setup *setup, const char *name)
{
	struct holdoff_result *result;
	int64_t thousandths;

	check(holdoff_simulate(setup, &result, error, sizeof(error)));
	check(holdoff_result_figure(result, name, &thousandths, error, sizeof(error)));
	holdoff_result_free(result);
	return thousandths;
}

int main(void)
{
	static const char *const settings[] = { "rx-usecs 1000", "rx-usecs 100", "rx-usecs 30" };
	struct holdoff_setup *setup = holdoff_setup_new();

	if (!setup) {
		return 1;
	}
	check(holdoff_setup_put(setup, "board", "imx8qxp", error, sizeof(error)));
	printf("MODEL by libholdoff %s, not a measurement\n", holdoff_version());
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		check(holdoff_setup_put(setup, "set", settings[i], error, sizeof(error)));
		check(holdoff_setup_put(setup, "workload", "ping size=56 interval=10ms", error, sizeof(error)));
		const int64_t rtt = figure_of(setup, "rtt-mean");

		check(holdoff_setup_put(setup, "workload", "voip", error, sizeof(error)));
		const int64_t rate = figure_of(setup, "irq-rate");

		printf("%-14s  ping %5" PRId64 " us, voip %4" PRId64 " interrupts/s\n", settings[i], rtt / 1000,
		       rate / 1000);
	}
	/* What became of the last one, for a program that reads JSON: */
	check(holdoff_explain(setup, NULL, stdout, error, sizeof(error)));
	holdoff_setup_free(setup);
	return 0;
}
