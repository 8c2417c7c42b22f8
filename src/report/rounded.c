/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/rounded.h"

#include <inttypes.h>
#include <stdio.h>

char *rounded_print(int64_t thousandths, bool signs, char buffer[ROUNDED_TEXT_MAX])
{
	const uint64_t size = thousandths < 0 ? 0 - (uint64_t)thousandths : (uint64_t)thousandths;
	const char *const sign = thousandths < 0 ? "-" : signs && thousandths > 0 ? "+" : "";

	if (size < 10000) {
		snprintf(buffer, ROUNDED_TEXT_MAX, "%s%" PRIu64 ".%02u", sign, (size + 5) / 10 / 100,
			 (unsigned)((size + 5) / 10 % 100));
	} else if (size < 10000000) {
		snprintf(buffer, ROUNDED_TEXT_MAX, "%s%" PRIu64 ".%u", sign, (size + 50) / 100 / 10,
			 (unsigned)((size + 50) / 100 % 10));
	} else {
		snprintf(buffer, ROUNDED_TEXT_MAX, "%s%" PRIu64, sign, (size + 500) / 1000);
	}
	return buffer;
}
