/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workload strings: refused with a sentence, or in their limits and printed to read back the same; time never goes back. */
#include "base/err.h"
#include "fuzz/fuzz.h"
#include "workload/workload.h"

static void check_schedule(const struct workload *workload)
{
	struct workload_schedule schedule;
	int64_t last_ns = 0;

	workload_schedule_init(&schedule, workload, 0, 1);
	for (unsigned frame = 0; frame < 20; frame++) {
		const int64_t at_ns = workload_schedule_next(&schedule);

		fuzz_require(at_ns >= last_ns);
		last_ns = at_ns;
	}
}

static void check_workload(const struct workload *workload)
{
	struct workload again;
	char printed[WORKLOAD_TEXT_MAX], reprinted[WORKLOAD_TEXT_MAX];

	fuzz_require(workload_frame_bytes(workload->kind, workload->size) <= 1518);
	fuzz_require(workload_parse(&again, workload_print(workload, printed), NULL) == 0);
	fuzz_require(strcmp(workload_print(&again, reprinted), printed) == 0);
	fuzz_require(again.size == workload->size && again.rate_per_s == workload->rate_per_s &&
		     again.interval_ns == workload->interval_ns && again.window_bytes == workload->window_bytes);
	check_schedule(workload);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *const text = fuzz_text(data, size);
	struct workload workload = { .size = 4242 };
	struct err err = { "" };

	if (workload_parse(&workload, text, &err)) {
		fuzz_require(err.text[0] != '\0' && workload.size == 4242);
	} else {
		check_workload(&workload);
	}
	free(text);
	return 0;
}
