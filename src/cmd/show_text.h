/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files that write a page share: show_text.c (what an interface is and is set to), show_tables.c (NAPI,
 * vectors), show_layers.c (what it comes to). */
#ifndef HOLDOFF_CMD_SHOW_TEXT_H
#define HOLDOFF_CMD_SHOW_TEXT_H

#include "cmd/show.h"

#define SHOW_LABEL_WIDTH 14
#define SHOW_LINE_MAX 600

/* A line that is put together piece by piece; what is too long is cut. */
struct show_line {
	char text[SHOW_LINE_MAX];
};

void show_append(struct show_line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sentences begin with the name of the interface, which stands above them here: without it. */
const char *show_fault_text(const struct show_device *device, const struct show_fault *fault);
void show_print_fault(FILE *out, const char *label, const struct show_device *device, const struct show_fault *fault);

void show_print_napis(FILE *out, const struct show_device *device);
void show_print_vectors(FILE *out, const struct show_device *device);
/* Hardware, deferral, worst delay, model and what is known of the driver. */
void show_print_layers(FILE *out, const struct show_device *device);

#endif
