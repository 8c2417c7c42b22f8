/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff validate as one JSON document. */
#include "cmd/cmd.h"
#include "cmd/validate.h"
#include "report/json_writer.h"

static void put_number(struct json_writer *writer, const char *key, enum cell_quantity quantity, int64_t value)
{
	if (quantity == CELL_EXCHANGES) {
		json_put_signed_milli(writer, key, value);
	} else {
		json_put_integer(writer, key, value);
	}
}

static void put_values(struct json_writer *writer, const struct cell *cell)
{
	json_begin_object(writer, "values");
	for (enum cell_quantity quantity = 0; quantity < CELL_QUANTITIES; quantity++) {
		const struct cell_value *value = &cell->value[quantity];
		int64_t error;

		if (!value->is_measured) {
			continue;
		}
		json_begin_object(writer, cell_quantities[quantity].key);
		put_number(writer, "measured", quantity, value->measured);
		if (value->is_modelled) {
			put_number(writer, "modelled", quantity, value->modelled);
		}
		if (cell_error(cell, quantity, &error)) {
			json_put_signed_milli(writer, "error_percent", error);
		}
		json_end_object(writer);
	}
	json_end_object(writer);
}

static void put_cell(struct json_writer *writer, const struct cell *cell)
{
	char workload[WORKLOAD_TEXT_MAX];

	json_begin_object(writer, NULL);
	json_put_string(writer, "name", cell->name);
	json_put_string(writer, "use", validate_use_names[cell->use]);
	json_put_string(writer, "kind", validate_kind_names[cell->kind]);
	json_put_boolean(writer, "is_stable", cell->is_stable);
	json_put_string(writer, "board", cell->board);
	json_put_unsigned(writer, "rx_usecs", cell->rx_usecs);
	json_put_unsigned(writer, "speed_mbps", cell->speed_mbps);
	json_put_string(writer, "host", cell->host);
	json_put_boolean(writer, "is_shared_host", cell->is_shared);
	json_put_string(writer, "workload", workload_print(&cell->workload, workload));
	put_values(writer, cell);
	json_end_object(writer);
}

static void put_cells(struct json_writer *writer, const struct validation *validation)
{
	json_begin_array(writer, "cells");
	for (unsigned i = 0; i < validation->count; i++) {
		if (validation->cells[i].is_mapped) {
			put_cell(writer, &validation->cells[i]);
		}
	}
	json_end_array(writer);
	json_begin_array(writer, "not_mapped");
	for (unsigned i = 0; i < validation->count; i++) {
		if (!validation->cells[i].is_mapped) {
			json_begin_object(writer, NULL);
			json_put_string(writer, "name", validation->cells[i].name);
			json_put_string(writer, "why", validation->cells[i].why_not);
			json_end_object(writer);
		}
	}
	json_end_array(writer);
}

static void put_summary(struct json_writer *writer, const struct validation *validation, const struct summary_of *of)
{
	json_begin_object(writer, NULL);
	json_put_string(writer, "use", validate_use_names[of->use]);
	if (of->has_kind) {
		json_put_string(writer, "kind", validate_kind_names[of->kind]);
	}
	for (enum cell_quantity quantity = 0; quantity < CELL_QUANTITIES; quantity++) {
		const struct summary summary =
			summary_make(validation->cells, validation->count, of, quantity, validation->errors);

		if (summary.count == 0) {
			continue;
		}
		json_begin_object(writer, cell_quantities[quantity].key);
		json_put_unsigned(writer, "cells", summary.count);
		json_put_signed_milli(writer, "median_error_percent", summary.median_milli_percent);
		json_put_signed_milli(writer, "p90_error_percent", summary.p90_milli_percent);
		json_put_signed_milli(writer, "worst_error_percent", summary.worst_milli_percent);
		json_put_string(writer, "worst_cell", summary.worst->name);
		json_put_unsigned(writer, "within_5_percent", summary.within_5);
		json_put_unsigned(writer, "within_10_percent", summary.within_10);
		json_put_unsigned(writer, "within_20_percent", summary.within_20);
		json_put_boolean(writer, "reaches_aim", summary_reaches_aim(&summary));
		json_end_object(writer);
	}
	json_end_object(writer);
}

void validate_print_json(const struct validation *validation, FILE *out)
{
	struct json_writer writer;

	json_begin(&writer, out);
	json_begin_object(&writer, NULL);
	json_put_string(&writer, "schema", "holdoff.validation/1");
	json_put_string(&writer, "version", HOLDOFF_VERSION);
	json_put_boolean(&writer, "model", true);
	json_put_unsigned(&writer, "mapped", validation->mapped);
	json_put_unsigned(&writer, "unstable", validation->unstable);
	put_cells(&writer, validation);
	json_begin_array(&writer, "summaries");
	for (enum cell_use use = 0; use < CELL_USES; use++) {
		put_summary(&writer, validation, &(struct summary_of){ .use = use });
	}
	for (enum cell_kind kind = CELL_PLAIN; kind < CELL_KINDS; kind++) {
		put_summary(&writer, validation, &(struct summary_of){ CELL_PREDICT, true, kind });
	}
	json_end_array(&writer);
	json_end_object(&writer);
	json_end(&writer);
}
