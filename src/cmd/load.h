/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a load is shown: as a page and as JSON. */
#ifndef HOLDOFF_CMD_LOAD_H
#define HOLDOFF_CMD_LOAD_H

#include <stdio.h>

#include "live/load.h"

void load_print(const struct load_request *request, const struct load_result *result, FILE *out);
/* 0, or the negative errno of the first failed write. */
int load_write_json(const struct load_request *request, const struct load_result *result, FILE *out);

/* "ICMP echo", "UDP datagrams in place of the bus": what really goes over the wire; NULL where that is what the workload says. */
const char *load_substitute(const struct load_request *request);

/* Whether there is too little to go by: it ended early, nothing arrived, or the sender did not keep the schedule; then why. */
bool load_is_insufficient(const struct load_result *result, char why[ERR_TEXT_MAX]);

#endif
