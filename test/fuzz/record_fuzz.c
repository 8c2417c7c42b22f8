/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as a record of a run: refused with a sentence, or a run that can be printed in every way and comes back the same. */
#include <stdio.h>

#include "fuzz/fuzz.h"
#include "report/record.h"
#include "report/run_json.h"
#include "report/run_text.h"
#include "report/table.h"
#include "run/figure.h"

static struct run run, copy;

static void print_all(FILE *out)
{
	static struct table_row row;
	unsigned count;
	const struct figure *const figure = figures(&count);
	int64_t thousandths;

	run_json_write(&run, out);
	run_text_write(&run, out);
	for (unsigned i = 0; i < count; i++) {
		figure[i].read(&run, &figure[i], &thousandths);
		figure_samples(&run, &figure[i]);
	}
	memset(&row, 0, sizeof(row));
	table_row_take(&row, &run);
	for (enum table_format format = 0; format < TABLE_FORMATS; format++) {
		table_write(&row, 1, format, out);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { "" };
	char *page = NULL;
	size_t length, length_again;

	if (record_parse(&run, (const char *)data, size, &err)) {
		fuzz_require(err.text[0]);
		return 0;
	}
	FILE *const out = open_memstream(&page, &length);

	print_all(out);
	fclose(out);
	free(page);

	char *const text = record_print(&run, &length);

	fuzz_require(text && record_parse(&copy, text, length, &err) == 0);
	char *const again = record_print(&copy, &length_again);

	fuzz_require(again && length == length_again && memcmp(text, again, length) == 0);
	free(text);
	free(again);
	return 0;
}
