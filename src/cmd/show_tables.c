/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of a page: NAPI instances and interrupt vectors. Columns are as wide as their widest cell. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/show_text.h"

#define COLUMNS_MAX 8
#define CELL_MAX 96

/* Writes one cell, "" for what is not there. */
typedef void cell_fn(const struct show_device *device, unsigned row, unsigned column, char cell[CELL_MAX]);

struct table {
	const char *const *headings; /* ended by NULL */
	unsigned rows;
	cell_fn *cell;
};

static void print_row(FILE *out, const char *label, const int widths[COLUMNS_MAX], unsigned columns,
		      char cells[COLUMNS_MAX][CELL_MAX])
{
	struct show_line line = { "" };
	size_t end = 0;

	show_append(&line, "%-*s", SHOW_LABEL_WIDTH, label);
	for (unsigned column = 0; column < columns; column++) {
		show_append(&line, "%-*s  ", widths[column], cells[column]);
	}
	for (size_t i = 0; line.text[i]; i++) {
		end = line.text[i] == ' ' ? end : i + 1;
	}
	fprintf(out, "%.*s\n", (int)end, line.text);
}

/* Columns as wide as their widest cell. */
static void print_table(FILE *out, const char *label, const struct table *table, const struct show_device *device)
{
	char cells[COLUMNS_MAX][CELL_MAX];
	int widths[COLUMNS_MAX] = { 0 };
	unsigned columns = 0;

	while (table->headings[columns]) {
		widths[columns] = (int)strlen(table->headings[columns]);
		snprintf(cells[columns], CELL_MAX, "%s", table->headings[columns]);
		columns++;
	}
	for (unsigned row = 0; row < table->rows; row++) {
		for (unsigned column = 0; column < columns; column++) {
			char cell[CELL_MAX] = "";

			table->cell(device, row, column, cell);
			widths[column] = (int)strlen(cell) > widths[column] ? (int)strlen(cell) : widths[column];
		}
	}
	print_row(out, label, widths, columns, cells);
	for (unsigned row = 0; row < table->rows; row++) {
		memset(cells, 0, sizeof(cells));
		for (unsigned column = 0; column < columns; column++) {
			table->cell(device, row, column, cells[column]);
		}
		print_row(out, "", widths, columns, cells);
	}
}

/* ---- NAPI and vectors ---- */

/* "2", or "2 of 0-3" where it could be another one. */
static void cpus_text(const struct nic_vector *vector, char cell[CELL_MAX])
{
	if (!vector) {
		return;
	}
	if (vector->effective[0] && vector->affinity[0] && strcmp(vector->effective, vector->affinity) != 0) {
		snprintf(cell, CELL_MAX, "%.40s of %.40s", vector->effective, vector->affinity);
	} else {
		snprintf(cell, CELL_MAX, "%.80s", vector->effective[0] ? vector->effective : vector->affinity);
	}
}

static const char *threaded_text(uint32_t threaded)
{
	static const char *const texts[] = { "off", "on", "busy poll" };

	return threaded < sizeof(texts) / sizeof(texts[0]) ? texts[threaded] : "?";
}

/* The kernel takes times that no signed number of ns holds. */
static void span_cell(uint64_t span_ns, char cell[CELL_MAX])
{
	char span[TEXT_DURATION_MAX];

	if (span_ns > INT64_MAX) {
		snprintf(cell, CELL_MAX, "%" PRIu64 "ns", span_ns);
	} else {
		snprintf(cell, CELL_MAX, "%s", text_print_duration((int64_t)span_ns, span));
	}
}

static void napi_cell(const struct show_device *device, unsigned row, unsigned column, char cell[CELL_MAX])
{
	const struct nic_napi *napi = &device->napis[row];

	switch (column) {
	case 0:
		if (napi->id) {
			snprintf(cell, CELL_MAX, "%" PRIu32, napi->id);
		} else {
			snprintf(cell, CELL_MAX, "all");
		}
		break;
	case 1:
		if (napi->present & NIC_NAPI_IRQ) {
			snprintf(cell, CELL_MAX, "%" PRIu32, napi->irq);
		}
		break;
	case 2:
		cpus_text(napi->present & NIC_NAPI_IRQ ? show_vector_of_irq(device, napi->irq) : NULL, cell);
		break;
	case 3:
		if (napi->present & NIC_NAPI_DEFER_HARD_IRQS) {
			snprintf(cell, CELL_MAX, "%" PRIu32, napi->defer_hard_irqs);
		}
		break;
	case 4:
		if (napi->present & NIC_NAPI_GRO_FLUSH_TIMEOUT) {
			span_cell(napi->gro_flush_timeout_ns, cell);
		}
		break;
	case 5:
		if (napi->present & NIC_NAPI_IRQ_SUSPEND_TIMEOUT) {
			span_cell(napi->irq_suspend_timeout_ns, cell);
		}
		break;
	default:
		if (napi->present & NIC_NAPI_THREADED) {
			snprintf(cell, CELL_MAX, "%s", threaded_text(napi->threaded));
		}
		break;
	}
}

void show_print_napis(FILE *out, const struct show_device *device)
{
	static const char *const headings[] = {
		"id", "irq", "cpus", "defer-hard-irqs", "gro-flush-timeout", "irq-suspend-timeout", "threaded", NULL
	};
	const struct table table = { headings, device->napi_count, napi_cell };

	if (device->napis_fault.error) {
		show_print_fault(out, "  napi", device, &device->napis_fault);
	} else if (device->napi_count) {
		print_table(out, "  napi", &table, device);
	} else {
		cmd_print_labelled(out, SHOW_LABEL_WIDTH, "  napi", "no instances");
	}
}

static void vector_cell(const struct show_device *device, unsigned row, unsigned column, char cell[CELL_MAX])
{
	const struct nic_vector *vector = &device->vectors[row];

	switch (column) {
	case 0:
		snprintf(cell, CELL_MAX, "%" PRIu32, vector->irq);
		break;
	case 1:
		snprintf(cell, CELL_MAX, "%.48s", vector->action[0] ? vector->action : "(not requested)");
		break;
	case 2:
		cpus_text(vector, cell);
		break;
	case 3:
		snprintf(cell, CELL_MAX, "%s", vector->is_shared ? "shared" : "");
		break;
	default:
		snprintf(cell, CELL_MAX, "%s", vector->is_data ? "frames" : "");
		break;
	}
}

void show_print_vectors(FILE *out, const struct show_device *device)
{
	static const char *const headings[] = { "irq", "name", "cpus", "shared", "carries", NULL };
	const struct table table = { headings, device->vector_count, vector_cell };

	if (device->vectors_fault.error) {
		show_print_fault(out, "  vectors", device, &device->vectors_fault);
	} else if (device->vector_count) {
		print_table(out, "  vectors", &table, device);
	} else {
		cmd_print_labelled(out, SHOW_LABEL_WIDTH, "  vectors", "none of its own");
	}
}
