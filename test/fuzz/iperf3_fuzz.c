/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program that calls itself iperf3 prints: refused with a sentence, or with what it says of a receiver in it. */
#include "fuzz/fuzz.h"
#include "live/iperf3_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct iperf3_report report;
	const struct iperf3_expectation expected = { .is_udp = size % 2,
						     .comes = size % 3 == 0,
						     .both = size % 5 == 0 };
	char *const text = fuzz_text(data, size);
	struct err err = { "" };

	if (iperf3_json_read(text, size, &expected, &report, &err)) {
		fuzz_require(err.text[0] != '\0');
	} else {
		const struct way *const way = &report.ways[expected.comes ? 0 : 1];

		fuzz_require(way_has(way, WAY_RECEIVED_BYTES) && way_has(way, WAY_SENT_BYTES));
		fuzz_require(report.program[0] != '\0');
	}
	free(text);
	return 0;
}
