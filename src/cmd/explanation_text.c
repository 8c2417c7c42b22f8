/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/explanation_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "cmd/cmd.h"

#define LABEL_WIDTH 11
#define WRITE_TEXT_MAX 400

/* From so many fields on a register is a set of bits: only those that are set are worth a word. */
#define BITS_FIELDS 8

static void append(char buffer[EXPLANATION_HOLD_MAX], const char *format, ...) __attribute__((format(printf, 2, 3)));

static void append(char buffer[EXPLANATION_HOLD_MAX], const char *format, ...)
{
	const size_t length = strlen(buffer);
	va_list values;

	va_start(values, format);
	vsnprintf(buffer + length, EXPLANATION_HOLD_MAX - length, format, values);
	va_end(values);
}

char *explanation_hold_text(const struct chip_hold *hold, char buffer[EXPLANATION_HOLD_MAX])
{
	char span[TEXT_DURATION_MAX];

	buffer[0] = '\0';
	if (hold->hold_ns == NEVER_AT_NS) {
		append(buffer, "hold-off until there are %u frames, however long that takes", hold->frames);
		return buffer;
	}
	text_print_duration(hold->hold_ns, span);
	switch (hold->kind) {
	case CHIP_HOLD_NONE:
		append(buffer, "none: an interrupt at once");
		break;
	case CHIP_HOLD_OFF:
		append(buffer, "hold-off %s from the first frame not yet signalled", span);
		break;
	case CHIP_HOLD_RESTART:
		append(buffer, "restarting hold-off %s from the latest frame", span);
		if (hold->limit_ns) {
			append(buffer, ", at most %s from the first", text_print_duration(hold->limit_ns, span));
		}
		break;
	case CHIP_HOLD_THROTTLE:
		append(buffer, "throttle %s between interrupts, a frame after a quiet time is not held", span);
		break;
	}
	if (hold->frames) {
		append(buffer, ", or %u frame%s", hold->frames, hold->frames == 1 ? ": an interrupt each" : "s");
	}
	if (hold->throttle_ns && hold->kind != CHIP_HOLD_THROTTLE) {
		append(buffer, "; at least %s between interrupts", text_print_duration(hold->throttle_ns, span));
	}
	if (hold->bypass_below_bytes) {
		append(buffer, "; frames below %u bytes are not held", hold->bypass_below_bytes);
	}
	return buffer;
}

static void print_clock(FILE *out, const struct board *board)
{
	const uint32_t hz = board->driver_clock_hz;

	if (hz) {
		cmd_print_labelled(out, LABEL_WIDTH, "clock",
				   "%" PRIu32 ".%06" PRIu32 " MHz, with which the driver converts", hz / 1000000,
				   hz % 1000000);
	}
}

/* Model choices that are not the default, be it the board's or the user's. */
static void print_assumptions(FILE *out, const struct assume *assume)
{
	for (unsigned i = 0; i < ASSUME_COUNT; i++) {
		const struct assume_info *info = &assume_infos[i];

		if (assume->value[i] != info->initial) {
			cmd_print_labelled(out, LABEL_WIDTH, "assumed", "%s=%" PRId64 " (default %" PRId64 "): %s",
					   info->name, assume->value[i], info->initial, info->meaning);
		}
	}
}

static void print_conditions(FILE *out, const struct explanation *explanation)
{
	const struct board *board = &explanation->board;

	cmd_print_labelled(out, LABEL_WIDTH, "board", "%s: %s", board->name, board->title);
	cmd_print_labelled(out, LABEL_WIDTH, "driver", "%s: Linux %s", explanation->variant->name,
			   explanation->variant->kernels);
	if (explanation->of_queue) {
		cmd_print_labelled(out, LABEL_WIDTH, "link", "%u Mb/s, queue %u", board->speed_mbps,
				   explanation->queue);
	} else {
		cmd_print_labelled(out, LABEL_WIDTH, "link", "%u Mb/s", board->speed_mbps);
	}
	print_clock(out, board);
	print_assumptions(out, &board->assume);
}

static void print_requested(FILE *out, const struct explanation *explanation)
{
	char text[COALESCE_TEXT_MAX];

	switch (explanation->subject) {
	case EXPLAIN_DEFAULTS:
		cmd_print_labelled(out, LABEL_WIDTH, "requested",
				   "nothing: the driver's defaults, after ifup and link up");
		break;
	case EXPLAIN_REQUEST:
		cmd_print_labelled(out, LABEL_WIDTH, "requested", "%s", coalesce_print(&explanation->requested, text));
		break;
	case EXPLAIN_REGISTERS:
		cmd_print_labelled(out, LABEL_WIDTH, "requested",
				   "unknown: registers as read out, the others as after ifup");
		break;
	}
}

static void append_fields(char text[WRITE_TEXT_MAX], const struct chip_register *reg, uint32_t value)
{
	const bool is_bits = reg->field_count >= BITS_FIELDS;
	const char *separator = "";

	for (unsigned i = 0; i < reg->field_count; i++) {
		const struct chip_register_field *field = &reg->fields[i];
		const uint32_t part = explanation_field(field, value);
		const size_t length = strlen(text);

		if (is_bits && part == 0) {
			continue;
		}
		if (is_bits && field->high == field->low) {
			snprintf(text + length, WRITE_TEXT_MAX - length, "%s%s", separator, field->name);
		} else {
			snprintf(text + length, WRITE_TEXT_MAX - length, "%s%s %" PRIu32, separator, field->name, part);
		}
		separator = is_bits ? " " : ", ";
	}
}

static void print_write(FILE *out, const struct explanation *explanation, const struct driver_write *write,
			const char *label)
{
	const struct chip_register *reg = chip_register_at(explanation->board.family, write->offset);
	const int digits = reg ? reg->width_bits / 4 : 8;
	char left[80], fields[WRITE_TEXT_MAX] = "";

	snprintf(left, sizeof(left), "%-*s%-14s 0x%03" PRIx32 " = 0x%0*" PRIx32, LABEL_WIDTH, label,
		 reg ? reg->name : "?", write->offset, digits, write->value);
	if (reg) {
		append_fields(fields, reg, write->value);
	}
	cmd_print_labelled(out, (int)strlen(left) + 2, left, "%s", fields);
}

static void print_writes(FILE *out, const struct explanation *explanation)
{
	const char *label = explanation->subject == EXPLAIN_REGISTERS ? "registers" : "programmed";

	if (explanation->write_count == 0) {
		cmd_print_labelled(out, LABEL_WIDTH, label, "nothing is written");
	}
	for (unsigned i = 0; i < explanation->write_count; i++) {
		print_write(out, explanation, &explanation->writes[i], i ? "" : label);
	}
}

static void print_reported(FILE *out, const struct explanation *explanation)
{
	char text[COALESCE_TEXT_MAX], name[ERR_NAME_MAX];

	if (explanation->get_error == 0) {
		cmd_print_labelled(out, LABEL_WIDTH, "reported", "%s", coalesce_print(&explanation->reported, text));
	} else {
		cmd_print_labelled(out, LABEL_WIDTH, "reported", "nothing: get answers %s",
				   err_name(explanation->get_error, name));
	}
}

static void print_holds(FILE *out, const char *label, const struct chip_hold hold[CHIP_DIRECTIONS])
{
	static const char *const directions[CHIP_DIRECTIONS] = { [CHIP_RX] = "rx", [CHIP_TX] = "tx" };
	char text[EXPLANATION_HOLD_MAX];

	for (unsigned i = 0; i < CHIP_DIRECTIONS; i++) {
		cmd_print_labelled(out, LABEL_WIDTH, i ? "" : label, "%s %s", directions[i],
				   explanation_hold_text(&hold[i], text));
	}
}

static void print_nearest(FILE *out, const struct explanation *explanation)
{
	const char *field = coalesce_fields[explanation->result.field].name;
	char text[EXPLANATION_HOLD_MAX];

	if (explanation->has_below) {
		cmd_print_labelled(out, LABEL_WIDTH, "nearest", "%s %" PRIu32 " below: %s", field, explanation->below,
				   explanation_hold_text(&explanation->below_hold, text));
	}
	if (explanation->has_above) {
		cmd_print_labelled(out, LABEL_WIDTH, explanation->has_below ? "" : "nearest",
				   "%s %" PRIu32 " above: %s", field, explanation->above,
				   explanation_hold_text(&explanation->above_hold, text));
	}
	if (!explanation->has_below && !explanation->has_above) {
		cmd_print_labelled(out, LABEL_WIDTH, "nearest",
				   "no value of %s near it is accepted with the rest as it is", field);
	}
}

void explanation_print_verdict(const struct explanation *explanation, FILE *out)
{
	const struct driver_result *result = &explanation->result;
	char name[ERR_NAME_MAX];

	if (explanation->subject != EXPLAIN_REQUEST) {
		return;
	}
	if (result->error == 0) {
		cmd_print_labelled(out, LABEL_WIDTH, "verdict",
				   result->unchanged ? "already so: the ethtool core does not call the driver"
						     : "accepted");
		return;
	}
	cmd_print_labelled(out, LABEL_WIDTH, "verdict", "refused with %s: %s", err_name(result->error, name),
			   result->why);
	if (!result->core_refused && result->error != -EOPNOTSUPP && result->field != COALESCE_FIELDS) {
		print_nearest(out, explanation);
	}
}

void explanation_print_warnings(const struct explanation *explanation, FILE *out)
{
	for (unsigned i = 0; i < explanation->result.warning_count; i++) {
		cmd_print_labelled(out, LABEL_WIDTH, "warning", "%s", explanation->result.warnings[i]);
	}
}

void explanation_print(const struct explanation *explanation, FILE *out)
{
	print_conditions(out, explanation);
	print_requested(out, explanation);
	print_writes(out, explanation);
	print_reported(out, explanation);
	print_holds(out, "effective", explanation->hold);
	for (unsigned i = 0; i < explanation->speed_count; i++) {
		char label[24];

		snprintf(label, sizeof(label), "at %u", explanation->speeds[i].mbps);
		print_holds(out, label, explanation->speeds[i].hold);
	}
	explanation_print_verdict(explanation, out);
	explanation_print_warnings(explanation, out);
}
