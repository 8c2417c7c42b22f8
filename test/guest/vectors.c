/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vectors DEV [--compact] <LINES: has the driver of DEV do what the lines say (test/vectors/step.h)
 * and writes each with what came of it. LINES may be a whole file of vectors: only the first two columns are read,
 * so a diff with what comes out is the whole comparison. DEV is up, and nobody else's: it is taken down and set.
 *
 * Static and without libraries, so that one compiler call builds it for another machine.
 */
#include <stdio.h>
#include <string.h>

#include "vectors/real.h"
#include "vectors/record.h"

int main(int argc, char **argv)
{
	static struct vector_real real;
	struct vector_recorder recorder;
	struct err err = { "" };
	bool is_compact = false;

	for (int i = 2; i < argc; i++) {
		is_compact |= strcmp(argv[i], "--compact") == 0;
	}
	if (argc != 2 + is_compact) {
		fprintf(stderr, "usage: vectors DEV [--compact] <LINES\n");
		return 2;
	}
	int ret = vector_real_init(&real, argv[1], &err);

	ret = ret ? ret : vector_recorder_init(&recorder, &real.subject, &err);
	if (ret == 0) {
		recorder.is_compact = is_compact;
		ret = vector_record_all(&recorder, stdin, stdout, &err);
	}
	if (ret) {
		fprintf(stderr, "vectors: %s\n", err.text);
	}
	return ret != 0;
}
