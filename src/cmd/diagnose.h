/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff diagnose, between its parts: texts that were read, and what the models make of the settings in them. */
#ifndef HOLDOFF_CMD_DIAGNOSE_H
#define HOLDOFF_CMD_DIAGNOSE_H

#include <stdio.h>

#include "cmd/show.h"
#include "diagnose/diagnosis.h"

struct diagnose_request {
	const char *const *names; /* files, folders, "-" */
	unsigned count;
	struct diagnose_options options;
	bool json;
};

/* Texts by name; names and texts are owned. */
struct diagnose_texts {
	unsigned count;
	char *names[DIAGNOSE_FILES_MAX];
	char *texts[DIAGNOSE_FILES_MAX]; /* with room for a NUL behind */
	size_t sizes[DIAGNOSE_FILES_MAX];
};

/*
 * Reads files, folders (their files, in order of their names, but none that begins with a dot) and, as "-", standard
 * input. Of a text that is longer than 32 MiB the beginning is taken, and that is said on stderr. A negative errno with
 * a sentence; in any case to be freed.
 */
int diagnose_texts_read(struct diagnose_texts *texts, const char *const *names, unsigned count, struct err *err);
void diagnose_texts_free(struct diagnose_texts *texts);

/* The interface as show knows one, as far as the text says; and what that comes to goes into the diagnosis. */
void diagnose_find_effects(struct diagnosis *diagnosis, struct show_device *shown);

/* shown: one for each of the diagnosis' interfaces. */
void diagnose_print(const struct diagnosis *diagnosis, const struct show_device *shown, FILE *out);
void diagnose_print_json(const struct diagnosis *diagnosis, const struct show_device *shown, FILE *out);

#endif
