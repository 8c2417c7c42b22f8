/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Has the models do what the real drivers were asked (test/data/vectors), and compares every line, byte for byte:
 * errno, what ethtool printed, the field that the kernel's log names, read-back and registers. Run from the root of
 * the source tree.
 */
#include <stdio.h>
#include <string.h>

#include "tap.h"
#include "vectors/modelled.h"
#include "vectors/record.h"

#define DIFFERENCES_SHOWN 10

struct recording {
	const char *name, *driver; /* of the file in test/data/vectors, without .txt */
	unsigned lines;
	/* What is not as the board of the driver has it; NULL or 0: as there. */
	const char *variant;
	unsigned queues;
	uint32_t clock_hz;
	bool has_packet_counter_disable;
};

static const struct recording recordings[] = {
	{ .name = "fec_6.1.0-50-armmp_ahb132MHz", .driver = "fec", .lines = 75 },
	{ .name = "fec_6.1.0-50-armmp_ahb266MHz", .driver = "fec", .lines = 75, .clock_hz = 266000000 },
	{ .name = "r8169_6.1.0-57_xid283", .driver = "r8169", .variant = "r8169@6.1", .lines = 137 },
	{ .name = "r8169_6.1.0-57_xid283", .driver = "r8169", .lines = 137 }, /* 6.12.95 did the same */
	{ .name = "r8169_6.1.0-57_xid283_100Mbps", .driver = "r8169", .lines = 68 },
	{ .name = "tsnep_6.12.95", .driver = "tsnep", .lines = 40 },
};

/* Drawn: each line goes on from where the last has left the driver, and one check is for all of a file. */
static const struct recording drawn_recordings[] = {
	{ .name = "fec_6.1.0-50-armmp_ahb132MHz_drawn", .driver = "fec", .lines = 2000 },
	{ .name = "fec_6.1.0-50-armmp_ahb266MHz_drawn", .driver = "fec", .lines = 500, .clock_hz = 266000000 },
	{ .name = "r8169_6.1.0-57_xid283_drawn", .driver = "r8169", .variant = "r8169@6.1", .lines = 2000 },
	{ .name = "r8169_6.1.0-57_xid541_drawn",
	  .driver = "r8169",
	  .variant = "r8169@6.1",
	  .lines = 500,
	  .has_packet_counter_disable = true },
	{ .name = "r8169_6.12.95_xid283_drawn", .driver = "r8169", .variant = "r8169@6.12", .lines = 500 },
	{ .name = "tsnep_6.12.95_4queues_drawn", .driver = "tsnep", .lines = 2000, .queues = 4 },
	{ .name = "e1000e_6.1.0-57_82574_drawn", .driver = "e1000e", .lines = 2000 },
};

static int start(const struct recording *recording, struct vector_modelled *modelled, struct vector_recorder *recorder,
		 struct err *err)
{
	struct board board;
	int ret = board_load(&board, vector_kind_find(recording->driver)->board, err);

	ret = ret || !recording->variant ? ret : board_set_driver(&board, recording->variant, err);
	board.queues = recording->queues ? recording->queues : board.queues;
	board.driver_clock_hz = recording->clock_hz ? recording->clock_hz : board.driver_clock_hz;
	board.has_packet_counter_disable |= recording->has_packet_counter_disable;
	ret = ret ? ret : vector_modelled_init(modelled, recording->driver, &board, err);
	return ret ? ret : vector_recorder_init(recorder, &modelled->subject, err);
}

/* What a line is compared by: a check of its own, or counted. */
typedef void compare_fn(const struct recording *recording, const char *line, const char *modelled, unsigned *different);

static void compare_each(const struct recording *recording, const char *line, const char *modelled, unsigned *different)
{
	const int words_length = (int)strcspn(line + strcspn(line, "|") + 1, "|");

	(void)different;
	tap_is_text(modelled, line, "%s: %.*s", recording->variant ? recording->variant : recording->driver,
		    (int)strcspn(line, "|") + 1 + words_length, line);
}

static void count_different(const struct recording *recording, const char *line, const char *modelled,
			    unsigned *different)
{
	(void)recording;
	if (strcmp(modelled, line) != 0 && (*different)++ < DIFFERENCES_SHOWN) {
		tap_note("driver %s", line);
		tap_note("model  %s", modelled);
	}
}

/* The number of lines that differ by the function; *lines: that there are. */
static unsigned check_lines(const struct recording *recording, FILE *file, struct vector_recorder *recorder,
			    compare_fn *compare, unsigned *lines)
{
	char line[VECTOR_LINE_MAX], modelled[VECTOR_LINE_MAX];
	unsigned different = 0;

	for (*lines = 0; fgets(line, sizeof(line), file);) {
		struct err err = { "" };

		line[strcspn(line, "\n")] = '\0';
		if (vector_record(recorder, line, modelled, &err)) {
			snprintf(modelled, sizeof(modelled), "%s", err.text);
		}
		if (line[0] != '#') {
			compare(recording, line, modelled, &different);
			++*lines;
		}
	}
	return different;
}

static void check_recording(const struct recording *recording, compare_fn *compare)
{
	struct vector_modelled modelled;
	struct vector_recorder recorder;
	struct err err = { "" };
	char path[120];
	unsigned lines;

	snprintf(path, sizeof(path), "test/data/vectors/%s.txt", recording->name);
	FILE *const file = fopen(path, "r");

	if (!file || start(recording, &modelled, &recorder, &err)) {
		tap_ok(false, "%s can be read and has a model: %s", path, err.text);
		return;
	}
	const unsigned different = check_lines(recording, file, &recorder, compare, &lines);

	fclose(file);
	tap_is(lines, recording->lines, "%s: every line was done", recording->name);
	if (compare == count_different) {
		tap_is(different, 0, "%s: no line differs", recording->name);
	}
}

int main(void)
{
	for (size_t i = 0; i < sizeof(recordings) / sizeof(recordings[0]); i++) {
		check_recording(&recordings[i], compare_each);
	}
	for (size_t i = 0; i < sizeof(drawn_recordings) / sizeof(drawn_recordings[0]); i++) {
		check_recording(&drawn_recordings[i], count_different);
	}
	return tap_done();
}
