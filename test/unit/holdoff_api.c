/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What include/holdoff.h promises, seen from outside. */
#include <errno.h>
#include <holdoff.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static char error[HOLDOFF_ERROR_MAX];

static struct holdoff_setup *ping(const char *board, const char *settings)
{
	struct holdoff_setup *setup = holdoff_setup_new();

	tap_ok(setup != NULL, "a setup for %s", board);
	tap_is(holdoff_setup_put(setup, "board", board, error, sizeof(error)), 0, "%s is known", board);
	tap_is(holdoff_setup_put(setup, "set", settings, error, sizeof(error)), 0, "\"%s\" can be read", settings);
	tap_is(holdoff_setup_put(setup, "workload", "ping size=56 interval=10ms", error, sizeof(error)), 0,
	       "ping is known");
	tap_is_text(error, "", "no sentence after success");
	return setup;
}

/* What fn writes, as an allocated text. */
static char *written(int (*fn)(const struct holdoff_result *, FILE *), const struct holdoff_result *result)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	tap_is(fn(result, out), 0, "it can be written");
	fclose(out);
	return text;
}

static void test_simulate(void)
{
	struct holdoff_setup *setup = ping("imx8qxp", "rx-usecs 100");
	struct holdoff_result *first = NULL, *second = NULL;
	int64_t rtt = 0, slow = 0, kept = 77;

	tap_is(holdoff_simulate(setup, &first, error, sizeof(error)), 0, "a simulation");
	tap_is(holdoff_simulate(setup, &second, error, sizeof(error)), 0, "the same again");
	char *text = written(holdoff_result_json, first), *again = written(holdoff_result_json, second);

	tap_is_text(text, again, "the same setup gives the same bytes");
	tap_ok(strstr(text, "\"schema\": \"holdoff.run/1\"") != NULL, "JSON names its schema");
	free(text);
	free(again);
	text = written(holdoff_result_text, first);
	tap_ok(strstr(text, "MODEL") == text, "the page says MODEL first");
	free(text);

	tap_is(holdoff_result_figure(first, "rtt-mean", &rtt, error, sizeof(error)), 0, "a ping has an rtt-mean");
	tap_is(holdoff_setup_put(setup, "set", "rx-usecs 1000", error, sizeof(error)), 0, "another setting");
	holdoff_result_free(second);
	tap_is(holdoff_simulate(setup, &second, error, sizeof(error)), 0, "a simulation of it");
	tap_is(holdoff_result_figure(second, "rtt-mean", &slow, error, sizeof(error)), 0, "it has one too");
	tap_within(slow - rtt, 1150000, 1250000, "900 us more at 333/250 MHz are 1200 us more, in thousandths of 1 us");

	tap_is(holdoff_result_figure(first, "rtt-maen", &kept, error, sizeof(error)), -EINVAL, "an unknown figure");
	tap_ok(strstr(error, "rtt-me") != NULL, "the nearest is named: %s", error);
	tap_is(holdoff_result_figure(first, "one-way-mean", &kept, error, sizeof(error)), -ENODATA,
	       "a ping has no one way");
	tap_is(kept, 77, "a failed call writes nothing");
	holdoff_result_free(first);
	holdoff_result_free(second);
	holdoff_result_free(NULL);
	holdoff_setup_free(setup);
	holdoff_setup_free(NULL);
}

static void test_refused(void)
{
	struct holdoff_setup *setup = ping("imx8mm", "rx-usecs 20000");
	struct holdoff_result *result = NULL;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	tap_is(holdoff_simulate(setup, &result, error, sizeof(error)), EINVAL, "the driver's errno is positive");
	tap_ok(error[0] && !result, "its reason, no result: %s", error);
	tap_is(holdoff_explain(setup, NULL, out, error, sizeof(error)), 0, "for explain it is an answer");
	fclose(out);
	tap_ok(strstr(text, "\"accepted\": false") != NULL, "the document says so");
	free(text);
	holdoff_setup_free(setup);
}

/* Longer and shorter than the struct of this version. */
struct newer_options {
	struct holdoff_explain_options known;
	uint64_t beyond;
};

static void test_options(void)
{
	struct holdoff_setup *setup = ping("tsnep", "rx-usecs 33");
	struct newer_options newer = { .known = { .size = sizeof(newer), .of_queue = true, .queue = 1 } };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	tap_is(holdoff_explain(setup, &newer.known, out, error, sizeof(error)), 0, "a longer struct, the rest 0: %s",
	       error);
	fflush(out);
	tap_ok(strstr(text, "ECM_INT_DELAY1") && !strstr(text, "ECM_INT_DELAY0"), "queue 1 alone is set");
	newer.beyond = 1;
	tap_is(holdoff_explain(setup, &newer.known, out, error, sizeof(error)), -EINVAL, "an option not yet known");
	newer.known.size = 3;
	tap_is(holdoff_explain(setup, &newer.known, out, error, sizeof(error)), -EINVAL, "a size that is none");
	newer.known.size = sizeof(newer.known);
	newer.known.queue = 99;
	tap_is(holdoff_explain(setup, &newer.known, out, error, sizeof(error)), -EINVAL, "a queue that is none");
	fclose(out);
	free(text);
	holdoff_setup_free(setup);
}

static void test_mistakes(void)
{
	struct holdoff_setup *setup = holdoff_setup_new();
	struct holdoff_result *result = NULL;
	char small[8];

	tap_is(holdoff_simulate(setup, &result, error, sizeof(error)), -EINVAL, "nothing to simulate: %s", error);
	tap_is(holdoff_explain(setup, NULL, stdout, error, sizeof(error)), -EINVAL, "nothing to explain: %s", error);
	tap_is(holdoff_setup_put(setup, "boadr", "imx8mm", error, sizeof(error)), -EINVAL, "an unknown key");
	tap_ok(strstr(error, "board") != NULL, "the nearest is named: %s", error);
	tap_is(holdoff_setup_put(setup, "board", "imx8mn9", error, sizeof(error)), -ENODEV, "an unknown board");
	tap_is(holdoff_setup_put(setup, "board", "./missing.ini", error, sizeof(error)), -ENOENT,
	       "a file that is none");
	tap_is(holdoff_setup_scenario(setup, "no-such", error, sizeof(error)), -ENODEV, "an unknown scenario");
	tap_is(holdoff_setup_put(setup, "duration", "3", small, sizeof(small)), -EINVAL, "a duration without its unit");
	tap_is((int64_t)strlen(small), sizeof(small) - 1, "a long sentence is cut and ended");
	tap_is(holdoff_setup_put(setup, "duration", "3", NULL, 0), -EINVAL, "nobody wants the sentence");
	tap_is(holdoff_setup_scenario(setup, "fec-imx8qxp-100", error, sizeof(error)), 0, "a scenario");
	tap_is(holdoff_simulate(setup, &result, error, sizeof(error)), 0, "is a whole setup: %s", error);
	holdoff_result_free(result);
	holdoff_setup_free(setup);
}

static void test_lists(void)
{
	unsigned keys = 0, names = 0;

	while (holdoff_setup_key(keys)) {
		keys++;
	}
	while (holdoff_figure_name(names) && holdoff_figure_unit(names)) {
		names++;
	}
	tap_ok(keys > 15 && !holdoff_setup_key(keys + 1), "%u keys, then none", keys);
	tap_ok(names > 30 && !holdoff_figure_unit(names), "%u figures, then none", names);
	tap_is_text(holdoff_version(), HOLDOFF_VERSION, "the version");
}

int main(void)
{
	test_simulate();
	test_refused();
	test_options();
	test_mistakes();
	test_lists();
	return tap_done();
}
