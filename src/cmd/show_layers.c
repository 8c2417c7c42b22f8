/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of a page about what holds frames back: hardware, deferral, both together, the model behind it, the driver.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "cmd/cmd.h"
#include "cmd/explanation_text.h"
#include "cmd/show_text.h"

/* From so many fields on a register is a set of bits. */
#define MASK_FIELDS 8

static const char *const directions[CHIP_DIRECTIONS] = { [CHIP_RX] = "rx", [CHIP_TX] = "tx" };

static const char *span_text(int64_t span_ns, char buffer[TEXT_DURATION_MAX])
{
	return span_ns == NEVER_AT_NS ? "no bound" : text_print_duration(span_ns, buffer);
}

static void append_hold(struct show_line *line, const struct show_device *device, const struct show_hold *hold)
{
	char text[EXPLANATION_HOLD_MAX], from[TEXT_DURATION_MAX], to[TEXT_DURATION_MAX];

	switch (hold->source) {
	case SHOW_UNKNOWN:
		show_append(line, "unknown: %s",
			    device->coalesce_fault.error == 0 || device->coalesce_fault.error == -EOPNOTSUPP
				    ? "the driver says nothing"
				    : "its settings are not readable");
		return;
	case SHOW_SOFTWARE:
		show_append(line, "none: there is no hardware");
		return;
	case SHOW_MODEL:
		show_append(line, "%s (model %s)", explanation_hold_text(&hold->hold, text),
			    device->explanation.variant->name);
		return;
	case SHOW_NUMBERS:
		show_append(line, "%s (by the driver's numbers)", explanation_hold_text(&hold->hold, text));
		break;
	case SHOW_MODE:
		show_append(line, "mode \"%s\": ", hold->mode);
		break;
	case SHOW_ADAPTIVE:
		show_append(line, "adaptive: ");
		break;
	}
	if (hold->source == SHOW_MODE || hold->source == SHOW_ADAPTIVE) {
		show_append(line, "%s to %s%s, by traffic", text_print_duration(hold->range.from_ns, from),
			    text_print_duration(hold->range.to_ns, to),
			    nic_quirk_has(device->moderation.quirk, NIC_QUIRK_THROTTLE) ? " between interrupts" : "");
	}
	if (hold->queue >= 0) {
		show_append(line, ", of queue %d", hold->queue);
	}
}

static void print_hardware(FILE *out, const struct show_device *device)
{
	for (enum chip_direction direction = CHIP_RX; direction < CHIP_DIRECTIONS; direction++) {
		struct show_line line = { "" };

		append_hold(&line, device, &device->moderation.hardware[direction]);
		cmd_print_labelled(out, SHOW_LABEL_WIDTH, direction ? "" : "  hardware", "%s %s", directions[direction],
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
		cmd_print_labelled(out, SHOW_LABEL_WIDTH, label,
				   "%s: after a poll that found frames the interrupt stays off, and a timer polls each "
				   "%s until %" PRIu32 " in a row found none",
				   who_defers(moderation, who), span_text(moderation->deferral_ns, span),
				   moderation->defer_hard_irqs);
		label = "";
		if (moderation->rearms) {
			cmd_print_labelled(
				out, SHOW_LABEL_WIDTH, label,
				"the driver re-arms its interrupt all the same: the timer only makes polls earlier");
		}
	}
	if (moderation->gro_ns) {
		cmd_print_labelled(out, SHOW_LABEL_WIDTH, label,
				   "gro-flush-timeout without defer-hard-irqs: interrupts are as ever, segments that "
				   "GRO may still "
				   "merge wait up to %s",
				   span_text(moderation->gro_ns, span));
		label = "";
	}
	if (moderation->suspend_ns) {
		cmd_print_labelled(
			out, SHOW_LABEL_WIDTH, label,
			"interrupts are suspended up to %s while an application busy-polls with epoll and finds frames",
			span_text(moderation->suspend_ns, span));
		label = "";
	}
	if (*label) {
		cmd_print_labelled(out, SHOW_LABEL_WIDTH, label, moderation->knows_deferral ? "none" : "unknown");
	}
}

static void append_worst(struct show_line *line, const struct show_moderation *moderation,
			 enum chip_direction direction)
{
	char span[TEXT_DURATION_MAX];

	show_append(line, "%s%s ", direction ? ", " : "", directions[direction]);
	if (moderation->has_worst[direction]) {
		show_append(line, "%s", span_text(moderation->worst_ns[direction], span));
	} else if (moderation->deferral_ns && !moderation->rearms) {
		show_append(line, "%s or what the hardware adds", span_text(moderation->deferral_ns, span));
	} else {
		show_append(line, "unknown");
	}
}

static void print_worst(FILE *out, const struct show_moderation *moderation)
{
	struct show_line line = { "" };

	append_worst(&line, moderation, CHIP_RX);
	append_worst(&line, moderation, CHIP_TX);
	if (moderation->deferral_ns && !moderation->rearms) {
		show_append(&line,
			    ": the larger of hardware and deferral, not their sum, since the interrupt is masked "
			    "while NAPI is deferred");
	}
	cmd_print_labelled(out, SHOW_LABEL_WIDTH, "  worst delay", "%s", line.text);
}

/* Masks and acknowledgements, which open writes too, have no part in this. */
static void print_registers(FILE *out, const struct explanation *explanation)
{
	struct show_line line = { "" };

	for (unsigned i = 0; i < explanation->write_count; i++) {
		const struct driver_write *write = &explanation->writes[i];
		const struct chip_register *reg = chip_register_at(explanation->board.family, write->offset);

		if (reg && reg->field_count < MASK_FIELDS) {
			show_append(&line, "%s%s=0x%0*" PRIx32, line.text[0] ? " " : "", reg->name, reg->width_bits / 4,
				    write->value);
		}
	}
	if (line.text[0]) {
		cmd_print_labelled(out, SHOW_LABEL_WIDTH, "  registers", "%s", line.text);
	}
}

static void print_speeds(FILE *out, const struct explanation *explanation)
{
	for (unsigned i = 0; i < explanation->speed_count; i++) {
		char label[24], text[EXPLANATION_HOLD_MAX];

		snprintf(label, sizeof(label), "  at %u", explanation->speeds[i].mbps);
		for (enum chip_direction direction = CHIP_RX; direction < CHIP_DIRECTIONS; direction++) {
			cmd_print_labelled(out, SHOW_LABEL_WIDTH, direction ? "" : label, "%s %s",
					   directions[direction],
					   explanation_hold_text(&explanation->speeds[i].hold[direction], text));
		}
	}
}

static void print_model(FILE *out, const struct show_device *device)
{
	if (device->model.note[0] && device->identity.has & NIC_HAS_DRIVER) {
		cmd_print_labelled(out, SHOW_LABEL_WIDTH, "  model", "%s%s%s",
				   device->model.is_known ? device->model.driver.variant->name : "",
				   device->model.is_known ? ": " : "", device->model.note);
	}
	if (device->model.is_known && !device->has_explanation) {
		cmd_print_labelled(out, SHOW_LABEL_WIDTH, device->model.note[0] ? "" : "  model",
				   "%s does not report such values: not used", device->model.driver.variant->name);
	}
	if (!device->has_explanation) {
		return;
	}
	print_registers(out, &device->explanation);
	print_speeds(out, &device->explanation);
	for (unsigned i = 0; i < device->explanation.result.warning_count; i++) {
		cmd_print_labelled(out, SHOW_LABEL_WIDTH, "  warning", "%s", device->explanation.result.warnings[i]);
	}
}

static void print_quirk(FILE *out, const struct nic_quirk *quirk)
{
	for (unsigned i = 0; quirk && i < NIC_QUIRK_NOTES_MAX && quirk->notes[i]; i++) {
		const bool is_last = i + 1 == NIC_QUIRK_NOTES_MAX || !quirk->notes[i + 1];

		cmd_print_labelled(out, SHOW_LABEL_WIDTH, i ? "" : "  driver", "%s%s%s%s", quirk->notes[i],
				   is_last ? " (" : "", is_last ? quirk->source : "", is_last ? ")" : "");
	}
}

void show_print_layers(FILE *out, const struct show_device *device)
{
	print_hardware(out, device);
	print_deferral(out, &device->moderation);
	print_worst(out, &device->moderation);
	print_model(out, device);
	print_quirk(out, device->moderation.quirk);
}
