/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of measured cells: refused with a line, or each row is mapped to a config that a driver takes, or says why not. */
#include "fuzz/fuzz.h"
#include "validate/summary.h"

static void look_at(const struct cell *cell)
{
	const struct summary_of predicted = { .use = CELL_PREDICT };

	fuzz_require(cell->is_mapped == (cell->why_not[0] == '\0'));
	fuzz_require(!cell->is_mapped || cell->duration_ns > 0);
	for (enum cell_quantity quantity = 0; quantity < CELL_QUANTITIES; quantity++) {
		int64_t errors[1];

		fuzz_require(cell->value[quantity].measured >= 0);
		fuzz_require(summary_make(cell, 1, &predicted, quantity, errors).count == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *const text = fuzz_text(data, size);
	struct err err = { "" };
	struct csv csv;
	int ret = csv_open(&csv, text, "fuzz.csv", &err) == 0 && cell_is_table(&csv);

	for (unsigned rows = 0; ret > 0 && rows < 16; rows++) {
		struct world_config config;
		struct cell cell;

		ret = csv_next(&csv, &err);
		if (ret > 0) {
			cell_read(&cell, &config, &csv);
			look_at(&cell);
		}
	}
	fuzz_require(ret >= 0 || err.text[0]);
	free(text);
	return 0;
}
