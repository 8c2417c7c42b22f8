/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Vectors on the host, without a kernel:
 *
 *	vectors model DRIVER [OPTIONS] <LINES    what the model does; LINES may be a whole file of vectors
 *	vectors draw DRIVER SEED COUNT           random lines
 *
 * DRIVER is r8169, fec, tsnep or e1000e. Options: --board NAME, --driver VARIANT, --clock HZ, --queues N (of the
 * board); --compact is for lines that do not show it (record.h). test/guest/vectors does the same to a real driver.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "vectors/draw.h"
#include "vectors/modelled.h"
#include "vectors/record.h"

struct options {
	struct board board;
	bool is_compact;
};

static int complain(const struct err *err)
{
	fprintf(stderr, "vectors: %s\n", err->text);
	return 1;
}

static int usage(void)
{
	fprintf(stderr,
		"usage: vectors model DRIVER [--board NAME] [--driver VARIANT] [--clock HZ] [--queues N] [--compact] "
		"<LINES\n       vectors draw DRIVER SEED COUNT\n");
	return 2;
}

static int take_value(struct options *options, const char *name, const char *value, struct err *err)
{
	if (strcmp(name, "--board") == 0) {
		return board_load(&options->board, value, err);
	}
	if (strcmp(name, "--driver") == 0) {
		return board_set_driver(&options->board, value, err);
	}
	if (strcmp(name, "--queues") == 0) {
		return text_parse_u32(value, "--queues", &options->board.queues, err);
	}
	return text_parse_u32(value, "--clock", &options->board.driver_clock_hz, err);
}

/* The number of arguments that were an option; 0: it was none. */
static int take_option(struct options *options, char **arguments, struct err *err, int *ret)
{
	if (strcmp(arguments[0], "--compact") == 0) {
		options->is_compact = true;
		return 1;
	}
	const bool has_value = strcmp(arguments[0], "--board") == 0 || strcmp(arguments[0], "--driver") == 0 ||
			       strcmp(arguments[0], "--clock") == 0 || strcmp(arguments[0], "--queues") == 0;

	if (!has_value || !arguments[1]) {
		return 0;
	}
	*ret = take_value(options, arguments[0], arguments[1], err);
	return 2;
}

static int model(const char *driver, char **arguments)
{
	const struct vector_kind *const kind = vector_kind_find(driver);
	struct options options = { 0 };
	struct vector_modelled modelled;
	struct vector_recorder recorder;
	struct err err = { "" };
	int ret = kind ? board_load(&options.board, kind->board, &err) : 0;

	while (kind && ret == 0 && *arguments) {
		const int taken = take_option(&options, arguments, &err, &ret);

		if (!taken) {
			return usage();
		}
		arguments += taken;
	}
	ret = ret ? ret : vector_modelled_init(&modelled, driver, &options.board, &err);
	ret = ret ? ret : vector_recorder_init(&recorder, &modelled.subject, &err);
	if (ret) {
		return complain(&err);
	}
	recorder.is_compact = options.is_compact;
	return vector_record_all(&recorder, stdin, stdout, &err) ? complain(&err) : 0;
}

static int draw(const char *driver, const char *seed_text, const char *count_text)
{
	const struct vector_kind *const kind = vector_kind_find(driver);
	struct err err = { "" };
	uint64_t seed;
	uint32_t count;

	if (!kind || text_parse_u64(seed_text, "seed", &seed, &err) ||
	    text_parse_u32(count_text, "count", &count, &err)) {
		return kind ? complain(&err) : usage();
	}
	vector_draw(kind, seed, count, stdout);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc >= 3 && strcmp(argv[1], "model") == 0) {
		return model(argv[2], argv + 3);
	}
	if (argc == 5 && strcmp(argv[1], "draw") == 0) {
		return draw(argv[2], argv[3], argv[4]);
	}
	return usage();
}
