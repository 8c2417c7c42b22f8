/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Has the models do what the real drivers were asked (test/data/vectors), and compares every line, byte for byte: errno,
 * what ethtool printed, the field that the kernel's log names, read-back and registers. Run from the root of the source
 * tree.
 */
#include <stdio.h>
#include <string.h>

#include "tap.h"
#include "vectors/modelled.h"
#include "vectors/record.h"

#define DIFFERENCES_SHOWN 10

struct recording {
	const char *path, *driver;
	unsigned lines;
	const char *board, *variant; /* NULL: those of the driver's kind */
	unsigned queues;             /* 0: the board's */
	bool is_drawn;               /* many lines, each from where the last has left the driver: one check for all */
};

static const struct recording recordings[] = {
	{ .path = "test/data/vectors/fec_6.1.0-50-armmp_ahb132MHz.txt", .driver = "fec", .lines = 75 },
	{ .path = "test/data/vectors/r8169_6.1.0-57_xid283.txt", .driver = "r8169", .lines = 137 },
	{ .path = "test/data/vectors/tsnep_6.12.95.txt", .driver = "tsnep", .lines = 40 },
	{ .path = "test/data/vectors/tsnep_6.12.95_4queues_drawn.txt",
	  .driver = "tsnep",
	  .lines = 2000,
	  .queues = 4,
	  .is_drawn = true },
	{ .path = "test/data/vectors/e1000e_6.1.0-57_82574_drawn.txt",
	  .driver = "e1000e",
	  .lines = 2000,
	  .is_drawn = true },
};

static int start(const struct recording *recording, struct vector_modelled *modelled, struct vector_recorder *recorder,
		 struct err *err)
{
	const char *const board_name = recording->board ? recording->board : vector_kind_find(recording->driver)->board;
	struct board board;
	int ret = board_load(&board, board_name, err);

	ret = ret || !recording->variant ? ret : board_set_driver(&board, recording->variant, err);
	board.queues = recording->queues ? recording->queues : board.queues;
	ret = ret ? ret : vector_modelled_init(modelled, recording->driver, &board, err);
	return ret ? ret : vector_recorder_init(recorder, &modelled->subject, err);
}

static void check_line(const struct recording *recording, struct vector_recorder *recorder, const char *line,
		       unsigned *different)
{
	char written[VECTOR_LINE_MAX];
	struct err err = { "" };

	if (vector_record(recorder, line, written, &err)) {
		snprintf(written, sizeof(written), "%s", err.text);
	}
	const bool is_same = strcmp(written, line) == 0;

	if (!recording->is_drawn) {
		tap_is_text(written, line, "%s: %.*s", recording->driver, (int)strcspn(line + 5, "|") + 5, line);
	} else if (!is_same && (*different)++ < DIFFERENCES_SHOWN) {
		tap_note("driver %s", line);
		tap_note("model  %s", written);
	}
}

static void check_recording(const struct recording *recording)
{
	struct vector_modelled modelled;
	struct vector_recorder recorder;
	struct err err = { "" };
	char line[VECTOR_LINE_MAX];
	unsigned lines = 0, different = 0;
	FILE *const file = fopen(recording->path, "r");

	if (!file || start(recording, &modelled, &recorder, &err)) {
		tap_ok(false, "%s can be read and has a model: %s", recording->path, err.text);
		return;
	}
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] != '#') {
			check_line(recording, &recorder, line, &different);
			lines++;
		}
	}
	fclose(file);
	tap_is(lines, recording->lines, "%s: every line was done", recording->path);
	if (recording->is_drawn) {
		tap_is(different, 0, "%s: none of %u differs", recording->path, lines);
	}
}

int main(void)
{
	for (size_t i = 0; i < sizeof(recordings) / sizeof(recordings[0]); i++) {
		check_recording(&recordings[i]);
	}
	return tap_done();
}
