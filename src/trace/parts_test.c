/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/parts.h"

#include <errno.h>
#include <string.h>

#include "tap.h"

#define ALL ((1u << PARTS) - 1)

static void refuses(const char *text, const char *word)
{
	uint32_t parts;
	struct err err = { "" };

	tap_ok(parts_parse(&parts, text, &err) == -EINVAL && strstr(err.text, word), "\"%s\": %s", text, err.text);
}

int main(void)
{
	uint32_t parts;
	struct err err = { "" };
	unsigned of_one = 0, needed = 0;

	tap_is(parts_parse(&parts, "irq,tx", &err), 0, "two parts");
	tap_is(parts, 1u << PART_TRANSMIT | 1u << PART_INTERRUPTS, "in any order");
	refuses("", "\"\"");
	refuses("tx,", "\"\"");
	refuses("txx", "\"txx\"");
	refuses("tx,t", "\"t\"");

	for (enum path_stage stage = 0; stage < PATH_STAGES; stage++) {
		unsigned owners = 0;

		for (enum trace_part part = 0; part < PARTS; part++) {
			owners += parts_have(1u << part, stage);
		}
		of_one += owners == 1;
	}
	tap_is(of_one, PATH_STAGES, "each stage is of one part");
	for (enum trace_part part = 0; part < PARTS; part++) {
		needed += (parts_kinds(1u << part) & ~parts_kinds(ALL)) == 0 &&
			  parts_kinds(1u << part) != parts_kinds(ALL);
	}
	tap_is(needed, PARTS, "each part alone needs fewer events than all");
	tap_ok(!(parts_kinds(1u << PART_TRANSMIT) & (1u << PATH_EVENT_RUN)), "transmit does not look at threads");
	tap_ok(parts_kinds(1u << PART_TRANSMIT) & 1u << PATH_EVENT_RECEIVE, "but sees what is handed on");
	return tap_done();
}
