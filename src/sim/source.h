/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where boards, host profiles, scenarios and plans come from: built into the program, or from a file of the user, when the name
 * holds a '/' or ends in ".ini".
 */
#ifndef HOLDOFF_SIM_SOURCE_H
#define HOLDOFF_SIM_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "sim/board.h"

/* What a kind of text is called, where it is built in, and what lists its names. */
struct source_kind {
	const char *what;
	const struct board_text *embedded;
	const char *lister;
};

struct source {
	const char *text;
	char *read; /* from a file: source_close frees it */
};

/* Whether a name is that of a file. */
bool source_is_file(const char *name);

/* -ENODEV with the nearest name when nothing built in is called that. source_close has to follow a success. */
int source_open(struct source *source, const struct source_kind *kind, const char *name, struct err *err);
void source_close(struct source *source);

/* The built-in text of that name; NULL with err filled in when there is none. */
const char *source_embedded(const struct source_kind *kind, const char *name, struct err *err);

/* The last part of a path without ".ini"; `what` is for the error when that has no length or too much. */
int source_name(char *name, size_t size, const char *path, const char *what, struct err *err);

#endif
