/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run as JSON, schema holdoff.run/1, described in holdoff-run(5). Keys come in a fixed order and end in their
 * unit; what was not observed is absent. Everything is an integer or a decimal made from integers.
 */
#ifndef HOLDOFF_REPORT_RUN_JSON_H
#define HOLDOFF_REPORT_RUN_JSON_H

#include <stdio.h>

#include "report/json_writer.h"
#include "run/run.h"

/* The object of one run, as a member or element of a larger document. */
void run_json_put(struct json_writer *writer, const char *key, const struct run *run);

/* One document. 0, or the negative errno of the first failed write. */
int run_json_write(const struct run *run, FILE *out);

/* Settings as an object of the given fields, keyed as coalesce_fields[] spells them. */
void run_json_put_settings(struct json_writer *writer, const char *key, const struct coalesce *settings);

#endif
