/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text that calls itself a trace: read or refused, and whatever is read, sent packets are accounted for. */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "trace/from_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct from_file trace;
	struct err err = { "" };
	FILE *const file = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;

	if (!file) {
		return 0;
	}
	trace = (struct from_file){ .device = "" };
	if (from_file_read(file, "text", &trace, &err)) {
		fuzz_require(err.text[0] != '\0');
	} else {
		const struct path_sums *const sums = &trace.result.sums;

		fuzz_require(sums->sent == sums->completed + sums->handed_on + sums->reused + sums->displaced +
						   trace.result.in_flight);
	}
	fclose(file);
	return 0;
}
