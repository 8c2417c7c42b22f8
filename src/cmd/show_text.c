/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An interface as a page for a terminal of 100 columns. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "cmd/cmd.h"
#include "cmd/explanation_text.h"
#include "cmd/show.h"

#define LABEL_WIDTH 14
#define COLUMNS_MAX 8
#define CELL_MAX 96
#define LINE_MAX 600

/* From so many fields on a register is a set of bits. */
#define MASK_FIELDS 8

static const char *const directions[CHIP_DIRECTIONS] = { [CHIP_RX] = "rx", [CHIP_TX] = "tx" };

/* A line that is put together piece by piece; what is too long is cut. */
struct line {
	char text[LINE_MAX];
};

static void append(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void append(struct line *line, const char *format, ...)
{
	const size_t length = strlen(line->text);
	va_list values;

	va_start(values, format);
	vsnprintf(line->text + length, sizeof(line->text) - length, format, values);
	va_end(values);
}

static const char *span_text(int64_t span_ns, char buffer[TEXT_DURATION_MAX])
{
	return span_ns == NEVER_AT_NS ? "no bound" : text_print_duration(span_ns, buffer);
}

/* Sentences begin with the name of the interface, which stands above them here. */
static const char *fault_text(const struct show_device *device, const struct show_fault *fault)
{
	const char *text = fault->err.text[0] ? fault->err.text : strerror(-fault->error);
	const size_t length = strlen(device->name);

	return length && strncmp(text, device->name, length) == 0 && strncmp(text + length, ": ", 2) == 0
		       ? text + length + 2
		       : text;
}

static void print_fault(FILE *out, const char *label, const struct show_device *device, const struct show_fault *fault)
{
	cmd_print_labelled(out, LABEL_WIDTH, label, "not readable: %s", fault_text(device, fault));
}

/* ---- tables ---- */

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
	struct line line = { "" };
	size_t end = 0;

	append(&line, "%-*s", LABEL_WIDTH, label);
	for (unsigned column = 0; column < columns; column++) {
		append(&line, "%-*s  ", widths[column], cells[column]);
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

/* ---- what it is ---- */

static void print_title(FILE *out, const struct show_device *device, const char *text)
{
	char label[IFNAMSIZ + 1];

	snprintf(label, sizeof(label), "%s:", device->name);
	cmd_print_labelled(out, (int)strlen(label) + 1, label, "%s", text);
}

static void append_address(struct line *line, const uint8_t *address, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++) {
		append(line, "%s%02x", i ? ":" : "", address[i]);
	}
}

static void print_driver(FILE *out, const struct show_device *device)
{
	const struct nic_identity *identity = &device->identity;
	struct line line = { "" };

	if (identity->has & NIC_HAS_DRIVER) {
		append(&line, "%s", identity->driver);
		if (identity->driver_version[0] && strcmp(identity->driver_version, identity->kernel) != 0) {
			append(&line, " %s", identity->driver_version);
		}
		if (identity->firmware[0]) {
			append(&line, ", firmware %s", identity->firmware);
		}
		if (identity->bus[0]) {
			append(&line, ", bus %s", identity->bus);
		}
	} else {
		append(&line, "no driver: an interface of the kernel's own");
	}
	append(&line, ", Linux %s", identity->kernel);
	print_title(out, device, line.text);
}

static void print_link(FILE *out, const struct nic_identity *identity)
{
	struct line line = { "" };

	append(&line, "%s, %s", identity->is_up ? "up" : "down", identity->has_carrier ? "carrier" : "no carrier");
	if (identity->has & NIC_HAS_SPEED) {
		append(&line, ", %u Mb/s", identity->speed_mbps);
	}
	if (identity->address_bytes) {
		append(&line, ", address ");
		append_address(&line, identity->address, identity->address_bytes);
	}
	if (identity->has & NIC_HAS_PERMANENT_ADDRESS &&
	    (identity->address_bytes != identity->permanent_address_bytes ||
	     memcmp(identity->address, identity->permanent_address, identity->address_bytes) != 0)) {
		append(&line, " (permanent ");
		append_address(&line, identity->permanent_address, identity->permanent_address_bytes);
		append(&line, ")");
	}
	cmd_print_labelled(out, LABEL_WIDTH, "  link", "%s", line.text);
}

static void append_count(struct line *line, uint32_t count, const char *what)
{
	if (count) {
		append(line, "%s%" PRIu32 " %s", line->text[0] ? ", " : "", count, what);
	}
}

static void print_queues_and_rings(FILE *out, const struct nic_identity *identity)
{
	struct line line = { "" };

	if (identity->has & NIC_HAS_CHANNELS) {
		append_count(&line, identity->combined_channels, "combined");
		append_count(&line, identity->rx_channels, "rx");
		append_count(&line, identity->tx_channels, "tx");
		append_count(&line, identity->other_channels, "other");
	}
	if (identity->has & NIC_HAS_RINGS) {
		append(&line, "%srings of %" PRIu32 " rx and %" PRIu32 " tx descriptors", line.text[0] ? "; " : "",
		       identity->rx_ring, identity->tx_ring);
	}
	if (line.text[0]) {
		cmd_print_labelled(out, LABEL_WIDTH, "  queues", "%s", line.text);
	}
}

static void print_identity(FILE *out, const struct show_device *device)
{
	if (device->identity_fault.error) {
		print_title(out, device, fault_text(device, &device->identity_fault));
		return;
	}
	print_driver(out, device);
	print_link(out, &device->identity);
	print_queues_and_rings(out, &device->identity);
}

/* ---- coalescing ---- */

static unsigned count_bits(uint32_t mask)
{
	unsigned count = 0;

	for (; mask; mask &= mask - 1) {
		count++;
	}
	return count;
}

static void print_queues(FILE *out, const struct show_device *device, bool all_queues)
{
	unsigned same = 0;

	for (unsigned i = 0; i < device->queue_count; i++) {
		char text[COALESCE_TEXT_MAX];

		if (show_queue_differs(device, i) || all_queues) {
			cmd_print_labelled(out, LABEL_WIDTH, "", "queue %u: %s", i,
					   coalesce_print(&device->queues[i], text));
		} else {
			same++;
		}
	}
	if (same) {
		cmd_print_labelled(out, LABEL_WIDTH, "", "%u %squeue%s: like the device", same,
				   same == device->queue_count ? "" : "other ", same == 1 ? "" : "s");
	}
	if (device->queues_fault.error && (all_queues || device->queues_fault.error != -EOPNOTSUPP)) {
		cmd_print_labelled(out, LABEL_WIDTH, "", "single queues: %s",
				   device->queues_fault.error == -EOPNOTSUPP
					   ? "not supported by the driver"
					   : fault_text(device, &device->queues_fault));
	}
}

static void print_coalescing(FILE *out, const struct show_device *device, bool all_queues)
{
	const unsigned supported = count_bits(device->coalesce.present);
	char text[COALESCE_TEXT_MAX];

	if (device->coalesce_fault.error == -EOPNOTSUPP) {
		cmd_print_labelled(out, LABEL_WIDTH, "  coalescing", "not supported by the driver");
		return;
	}
	if (device->coalesce_fault.error) {
		print_fault(out, "  coalescing", device, &device->coalesce_fault);
		return;
	}
	cmd_print_labelled(out, LABEL_WIDTH, "  coalescing", "%s", coalesce_print(&device->coalesce, text));
	cmd_print_labelled(out, LABEL_WIDTH, "", "%u of %d fields: the driver does not have the other %u", supported,
			   COALESCE_FIELDS, COALESCE_FIELDS - supported);
	print_queues(out, device, all_queues);
}

static void print_changed(FILE *out, const struct show_device *device)
{
	const struct change_listed *changed = &device->changed;
	char span[TEXT_DURATION_MAX];

	if (!device->is_changed) {
		return;
	}
	cmd_print_labelled(out, LABEL_WIDTH, "  changed", "by \"%s\", %s: holdoff revert %s puts the old values back",
			   changed->command, changed->since, device->name);
	if (changed->has_trial && changed->left_ns != NEVER_AT_NS) {
		cmd_print_labelled(out, LABEL_WIDTH, "", "and in %s that is done by itself%s",
				   text_print_duration(changed->left_ns / NS_PER_S * NS_PER_S, span),
				   changed->until_confirmed ? ", unless it is confirmed" : "");
	}
	if (changed->failure[0]) {
		cmd_print_labelled(out, LABEL_WIDTH, "", "which has failed: %s", changed->failure);
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

static void napi_cell(const struct show_device *device, unsigned row, unsigned column, char cell[CELL_MAX])
{
	const struct nic_napi *napi = &device->napis[row];
	char span[TEXT_DURATION_MAX];

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
			snprintf(cell, CELL_MAX, "%s", text_print_duration((int64_t)napi->gro_flush_timeout_ns, span));
		}
		break;
	case 5:
		if (napi->present & NIC_NAPI_IRQ_SUSPEND_TIMEOUT) {
			snprintf(cell, CELL_MAX, "%s",
				 text_print_duration((int64_t)napi->irq_suspend_timeout_ns, span));
		}
		break;
	default:
		if (napi->present & NIC_NAPI_THREADED) {
			snprintf(cell, CELL_MAX, "%s", threaded_text(napi->threaded));
		}
		break;
	}
}

static void print_napis(FILE *out, const struct show_device *device)
{
	static const char *const headings[] = {
		"id", "irq", "cpus", "defer-hard-irqs", "gro-flush-timeout", "irq-suspend-timeout", "threaded", NULL
	};
	const struct table table = { headings, device->napi_count, napi_cell };

	if (device->napis_fault.error) {
		print_fault(out, "  napi", device, &device->napis_fault);
	} else if (device->napi_count) {
		print_table(out, "  napi", &table, device);
	} else {
		cmd_print_labelled(out, LABEL_WIDTH, "  napi", "no instances");
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

static void print_vectors(FILE *out, const struct show_device *device)
{
	static const char *const headings[] = { "irq", "name", "cpus", "shared", "carries", NULL };
	const struct table table = { headings, device->vector_count, vector_cell };

	if (device->vectors_fault.error) {
		print_fault(out, "  vectors", device, &device->vectors_fault);
	} else if (device->vector_count) {
		print_table(out, "  vectors", &table, device);
	} else {
		cmd_print_labelled(out, LABEL_WIDTH, "  vectors", "none of its own");
	}
}

/* ---- moderation ---- */

static void append_hold(struct line *line, const struct show_device *device, const struct show_hold *hold)
{
	char text[EXPLANATION_HOLD_MAX], from[TEXT_DURATION_MAX], to[TEXT_DURATION_MAX];

	switch (hold->source) {
	case SHOW_UNKNOWN:
		append(line, "unknown: %s",
		       device->coalesce_fault.error == 0 || device->coalesce_fault.error == -EOPNOTSUPP
			       ? "the driver says nothing"
			       : "its settings are not readable");
		return;
	case SHOW_SOFTWARE:
		append(line, "none: there is no hardware");
		return;
	case SHOW_MODEL:
		append(line, "%s (model %s)", explanation_hold_text(&hold->hold, text),
		       device->explanation.variant->name);
		return;
	case SHOW_NUMBERS:
		append(line, "%s (by the driver's numbers)", explanation_hold_text(&hold->hold, text));
		break;
	case SHOW_MODE:
		append(line, "mode \"%s\": ", hold->mode);
		break;
	case SHOW_ADAPTIVE:
		append(line, "adaptive: ");
		break;
	}
	if (hold->source == SHOW_MODE || hold->source == SHOW_ADAPTIVE) {
		append(line, "%s to %s%s, by traffic", text_print_duration(hold->range.from_ns, from),
		       text_print_duration(hold->range.to_ns, to),
		       nic_quirk_has(device->moderation.quirk, NIC_QUIRK_THROTTLE) ? " between interrupts" : "");
	}
	if (hold->queue >= 0) {
		append(line, ", of queue %d", hold->queue);
	}
}

static void print_hardware(FILE *out, const struct show_device *device)
{
	for (enum chip_direction direction = CHIP_RX; direction < CHIP_DIRECTIONS; direction++) {
		struct line line = { "" };

		append_hold(&line, device, &device->moderation.hardware[direction]);
		cmd_print_labelled(out, LABEL_WIDTH, direction ? "" : "  hardware", "%s %s", directions[direction],
				   line.text);
	}
}

#define WHO_MAX 48

static const char *who_defers(const struct show_moderation *moderation, char who[WHO_MAX])
{
	if (moderation->device_defers || moderation->deferring == moderation->napi_count) {
		return "every NAPI instance";
	}
	snprintf(who, WHO_MAX, "%u of %u NAPI instances", moderation->deferring, moderation->napi_count);
	return who;
}

static void print_deferral(FILE *out, const struct show_moderation *moderation)
{
	const char *label = "  deferral";
	char span[TEXT_DURATION_MAX], who[WHO_MAX];

	if (moderation->deferral_ns) {
		cmd_print_labelled(out, LABEL_WIDTH, label,
				   "%s: after a poll that found frames the interrupt stays off, and a timer polls each "
				   "%s until %" PRIu32 " in a row found none",
				   who_defers(moderation, who), span_text(moderation->deferral_ns, span),
				   moderation->defer_hard_irqs);
		label = "";
		if (moderation->rearms) {
			cmd_print_labelled(
				out, LABEL_WIDTH, label,
				"the driver re-arms its interrupt all the same: the timer only makes polls earlier");
		}
	}
	if (moderation->gro_ns) {
		cmd_print_labelled(out, LABEL_WIDTH, label,
				   "gro-flush-timeout without defer-hard-irqs: interrupts are as ever, segments that "
				   "GRO may still "
				   "merge wait up to %s",
				   span_text(moderation->gro_ns, span));
		label = "";
	}
	if (moderation->suspend_ns) {
		cmd_print_labelled(
			out, LABEL_WIDTH, label,
			"interrupts are suspended up to %s while an application busy-polls with epoll and finds frames",
			span_text(moderation->suspend_ns, span));
		label = "";
	}
	if (*label) {
		cmd_print_labelled(out, LABEL_WIDTH, label, moderation->knows_deferral ? "none" : "unknown");
	}
}

static void append_worst(struct line *line, const struct show_moderation *moderation, enum chip_direction direction)
{
	char span[TEXT_DURATION_MAX];

	append(line, "%s%s ", direction ? ", " : "", directions[direction]);
	if (moderation->has_worst[direction]) {
		append(line, "%s", span_text(moderation->worst_ns[direction], span));
	} else if (moderation->deferral_ns && !moderation->rearms) {
		append(line, "%s or what the hardware adds", span_text(moderation->deferral_ns, span));
	} else {
		append(line, "unknown");
	}
}

static void print_worst(FILE *out, const struct show_moderation *moderation)
{
	struct line line = { "" };

	append_worst(&line, moderation, CHIP_RX);
	append_worst(&line, moderation, CHIP_TX);
	if (moderation->deferral_ns && !moderation->rearms) {
		append(&line, ": the larger of hardware and deferral, not their sum, since the interrupt is masked "
			      "while NAPI is deferred");
	}
	cmd_print_labelled(out, LABEL_WIDTH, "  worst delay", "%s", line.text);
}

/* Masks and acknowledgements, which open writes too, have no part in this. */
static void print_registers(FILE *out, const struct explanation *explanation)
{
	struct line line = { "" };

	for (unsigned i = 0; i < explanation->write_count; i++) {
		const struct driver_write *write = &explanation->writes[i];
		const struct chip_register *reg = chip_register_at(explanation->board.family, write->offset);

		if (reg && reg->field_count < MASK_FIELDS) {
			append(&line, "%s%s=0x%0*" PRIx32, line.text[0] ? " " : "", reg->name, reg->width_bits / 4,
			       write->value);
		}
	}
	if (line.text[0]) {
		cmd_print_labelled(out, LABEL_WIDTH, "  registers", "%s", line.text);
	}
}

static void print_speeds(FILE *out, const struct explanation *explanation)
{
	for (unsigned i = 0; i < explanation->speed_count; i++) {
		char label[24], text[EXPLANATION_HOLD_MAX];

		snprintf(label, sizeof(label), "  at %u", explanation->speeds[i].mbps);
		for (enum chip_direction direction = CHIP_RX; direction < CHIP_DIRECTIONS; direction++) {
			cmd_print_labelled(out, LABEL_WIDTH, direction ? "" : label, "%s %s", directions[direction],
					   explanation_hold_text(&explanation->speeds[i].hold[direction], text));
		}
	}
}

static void print_model(FILE *out, const struct show_device *device)
{
	if (device->model.note[0] && device->identity.has & NIC_HAS_DRIVER) {
		cmd_print_labelled(out, LABEL_WIDTH, "  model", "%s", device->model.note);
	}
	if (device->model.is_known && !device->has_explanation) {
		cmd_print_labelled(out, LABEL_WIDTH, device->model.note[0] ? "" : "  model",
				   "%s does not report such values: not used", device->model.driver.variant->name);
	}
	if (!device->has_explanation) {
		return;
	}
	print_registers(out, &device->explanation);
	print_speeds(out, &device->explanation);
	for (unsigned i = 0; i < device->explanation.result.warning_count; i++) {
		cmd_print_labelled(out, LABEL_WIDTH, "  warning", "%s", device->explanation.result.warnings[i]);
	}
}

static void print_quirk(FILE *out, const struct nic_quirk *quirk)
{
	for (unsigned i = 0; quirk && i < NIC_QUIRK_NOTES_MAX && quirk->notes[i]; i++) {
		const bool is_last = i + 1 == NIC_QUIRK_NOTES_MAX || !quirk->notes[i + 1];

		cmd_print_labelled(out, LABEL_WIDTH, i ? "" : "  driver", "%s%s%s%s", quirk->notes[i],
				   is_last ? " (" : "", is_last ? quirk->source : "", is_last ? ")" : "");
	}
}

void show_print(const struct show_device *device, bool all_queues, FILE *out)
{
	print_identity(out, device);
	print_coalescing(out, device, all_queues);
	print_changed(out, device);
	print_napis(out, device);
	print_vectors(out, device);
	print_hardware(out, device);
	print_deferral(out, &device->moderation);
	print_worst(out, &device->moderation);
	print_model(out, device);
	print_quirk(out, device->moderation.quirk);
}

void show_print_line(const struct show_device *device, FILE *out)
{
	const bool has_driver = device->identity.has & NIC_HAS_DRIVER;
	struct line line = { "" };

	append(&line, "%s%sno coalescing", has_driver ? device->identity.driver : "", has_driver ? ", " : "");
	print_title(out, device, line.text);
}
