/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An interface as an object of schema holdoff.show/1, described in holdoff-show(1). What is unsupported or unknown
 * is absent. */
#include <inttypes.h>
#include <string.h>

#include "cmd/show.h"
#include "report/run_json.h"

static void put_text(struct json_writer *writer, const char *key, const char *text)
{
	if (text[0]) {
		json_put_string(writer, key, text);
	}
}

static void put_address(struct json_writer *writer, const char *key, const uint8_t *address, unsigned bytes)
{
	char text[NIC_ADDRESS_MAX * 3 + 1] = "";

	for (unsigned i = 0; i < bytes; i++) {
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%02x", i ? ":" : "", address[i]);
	}
	put_text(writer, key, text);
}

static void put_driver(struct json_writer *writer, const struct nic_identity *identity)
{
	if (!(identity->has & NIC_HAS_DRIVER)) {
		return;
	}
	json_put_string(writer, "driver", identity->driver);
	put_text(writer, "driver_version", identity->driver_version);
	put_text(writer, "firmware", identity->firmware);
	put_text(writer, "bus", identity->bus);
}

static void put_channels(struct json_writer *writer, const struct nic_identity *identity)
{
	if (!(identity->has & NIC_HAS_CHANNELS)) {
		return;
	}
	json_begin_object(writer, "channels");
	json_put_unsigned(writer, "combined", identity->combined_channels);
	json_put_unsigned(writer, "rx", identity->rx_channels);
	json_put_unsigned(writer, "tx", identity->tx_channels);
	json_put_unsigned(writer, "other", identity->other_channels);
	json_end_object(writer);
}

static void put_identity(struct json_writer *writer, const struct nic_identity *identity)
{
	put_driver(writer, identity);
	put_text(writer, "kernel", identity->kernel);
	put_address(writer, "address", identity->address, identity->address_bytes);
	if (identity->has & NIC_HAS_PERMANENT_ADDRESS) {
		put_address(writer, "permanent_address", identity->permanent_address,
			    identity->permanent_address_bytes);
	}
	json_put_integer(writer, "ifindex", identity->ifindex);
	json_put_boolean(writer, "up", identity->is_up);
	json_put_boolean(writer, "carrier", identity->has_carrier);
	if (identity->has & NIC_HAS_SPEED) {
		json_put_unsigned(writer, "speed_mbps", identity->speed_mbps);
	}
	put_channels(writer, identity);
	if (identity->has & NIC_HAS_RINGS) {
		json_put_unsigned(writer, "rx_ring", identity->rx_ring);
		json_put_unsigned(writer, "tx_ring", identity->tx_ring);
	}
}

static void put_fault(struct json_writer *writer, const char *fact, const struct show_fault *fault)
{
	char name[ERR_NAME_MAX];

	if (fault->error == 0) {
		return;
	}
	json_begin_object(writer, NULL);
	json_put_string(writer, "fact", fact);
	json_put_string(writer, "errno", err_name(fault->error, name));
	put_text(writer, "why", fault->err.text);
	json_end_object(writer);
}

static void put_faults(struct json_writer *writer, const struct show_device *device)
{
	json_begin_array(writer, "absent");
	put_fault(writer, "identity", &device->identity_fault);
	put_fault(writer, "coalesce", &device->coalesce_fault);
	put_fault(writer, "queues", &device->queues_fault);
	put_fault(writer, "napis", &device->napis_fault);
	put_fault(writer, "vectors", &device->vectors_fault);
	json_end_array(writer);
}

static void put_queues(struct json_writer *writer, const struct show_device *device)
{
	json_begin_array(writer, "queues");
	for (unsigned i = 0; i < device->queue_count; i++) {
		json_begin_object(writer, NULL);
		json_put_unsigned(writer, "queue", i);
		json_put_boolean(writer, "differs", show_queue_differs(device, i));
		run_json_put_settings(writer, "coalesce", &device->queues[i]);
		json_end_object(writer);
	}
	json_end_array(writer);
}

static const char *cpus_of(const struct nic_vector *vector)
{
	return !vector ? "" : vector->effective[0] ? vector->effective : vector->affinity;
}

static void put_napi(struct json_writer *writer, const struct show_device *device, const struct nic_napi *napi)
{
	json_begin_object(writer, NULL);
	if (napi->id) {
		json_put_unsigned(writer, "id", napi->id);
	}
	if (napi->present & NIC_NAPI_IRQ) {
		json_put_unsigned(writer, "irq", napi->irq);
		put_text(writer, "cpus", cpus_of(show_vector_of_irq(device, napi->irq)));
	}
	if (napi->present & NIC_NAPI_DEFER_HARD_IRQS) {
		json_put_unsigned(writer, "defer_hard_irqs", napi->defer_hard_irqs);
	}
	if (napi->present & NIC_NAPI_GRO_FLUSH_TIMEOUT) {
		json_put_unsigned(writer, "gro_flush_timeout_ns", napi->gro_flush_timeout_ns);
	}
	if (napi->present & NIC_NAPI_IRQ_SUSPEND_TIMEOUT) {
		json_put_unsigned(writer, "irq_suspend_timeout_ns", napi->irq_suspend_timeout_ns);
	}
	if (napi->present & NIC_NAPI_THREADED) {
		json_put_unsigned(writer, "threaded", napi->threaded);
	}
	if (napi->present & NIC_NAPI_PID) {
		json_put_unsigned(writer, "pid", napi->pid);
	}
	json_end_object(writer);
}

static void put_vector(struct json_writer *writer, const struct nic_vector *vector)
{
	static const char *const sources[] = {
		[NIC_VECTOR_MSI] = "msi",
		[NIC_VECTOR_LEGACY] = "legacy",
		[NIC_VECTOR_NAME] = "name",
	};

	json_begin_object(writer, NULL);
	json_put_unsigned(writer, "irq", vector->irq);
	json_put_string(writer, "source", sources[vector->source]);
	put_text(writer, "action", vector->action);
	put_text(writer, "affinity", vector->affinity);
	put_text(writer, "effective", vector->effective);
	json_put_boolean(writer, "shared", vector->is_shared);
	json_put_boolean(writer, "data", vector->is_data);
	json_end_object(writer);
}

static void put_layers(struct json_writer *writer, const struct show_device *device)
{
	json_begin_array(writer, "napis");
	for (unsigned i = 0; i < device->napi_count; i++) {
		put_napi(writer, device, &device->napis[i]);
	}
	json_end_array(writer);
	json_begin_array(writer, "vectors");
	for (unsigned i = 0; i < device->vector_count; i++) {
		put_vector(writer, &device->vectors[i]);
	}
	json_end_array(writer);
}

static void put_hardware(struct json_writer *writer, const struct show_hold *hold)
{
	static const char *const sources[] = {
		[SHOW_UNKNOWN] = "unknown", [SHOW_SOFTWARE] = "software", [SHOW_MODEL] = "model",
		[SHOW_NUMBERS] = "numbers", [SHOW_MODE] = "mode",         [SHOW_ADAPTIVE] = "adaptive",
	};

	json_put_string(writer, "source", sources[hold->source]);
	if (hold->queue >= 0) {
		json_put_integer(writer, "queue", hold->queue);
	}
	switch (hold->source) {
	case SHOW_MODEL:
	case SHOW_NUMBERS:
		explanation_put_hold(writer, "hardware", &hold->hold);
		break;
	case SHOW_MODE:
		json_put_string(writer, "mode", hold->mode);
		/* fall through */
	case SHOW_ADAPTIVE:
		json_put_integer(writer, "from_ns", hold->range.from_ns);
		json_put_integer(writer, "to_ns", hold->range.to_ns);
		break;
	case SHOW_UNKNOWN:
	case SHOW_SOFTWARE:
		break;
	}
}

static void put_direction(struct json_writer *writer, const char *key, const struct show_moderation *moderation,
			  enum chip_direction direction)
{
	json_begin_object(writer, key);
	put_hardware(writer, &moderation->hardware[direction]);
	if (moderation->has_worst[direction]) {
		const bool unbounded = moderation->worst_ns[direction] == NEVER_AT_NS;

		json_put_boolean(writer, "unbounded", unbounded);
		if (!unbounded) {
			json_put_integer(writer, "worst_ns", moderation->worst_ns[direction]);
		}
	}
	json_end_object(writer);
}

static void put_deferral(struct json_writer *writer, const struct show_moderation *moderation)
{
	json_begin_object(writer, "deferral");
	json_put_unsigned(writer, "napis", moderation->napi_count);
	json_put_unsigned(writer, "deferring",
			  moderation->device_defers ? moderation->napi_count : moderation->deferring);
	json_put_boolean(writer, "whole_device", moderation->device_defers);
	if (moderation->deferral_ns) {
		json_put_unsigned(writer, "defer_hard_irqs", moderation->defer_hard_irqs);
		json_put_integer(writer, "gro_flush_timeout_ns", moderation->deferral_ns);
	}
	if (moderation->gro_ns) {
		json_put_integer(writer, "gro_only_timeout_ns", moderation->gro_ns);
	}
	if (moderation->suspend_ns) {
		json_put_integer(writer, "irq_suspend_timeout_ns", moderation->suspend_ns);
	}
	json_put_boolean(writer, "rearms", moderation->rearms);
	json_end_object(writer);
}

static void put_moderation(struct json_writer *writer, const struct show_moderation *moderation)
{
	json_begin_object(writer, "moderation");
	put_direction(writer, "rx", moderation, CHIP_RX);
	put_direction(writer, "tx", moderation, CHIP_TX);
	if (moderation->knows_deferral) {
		put_deferral(writer, moderation);
	}
	json_end_object(writer);
}

static void put_model(struct json_writer *writer, const struct show_device *device)
{
	const struct explanation *explanation = &device->explanation;

	json_begin_object(writer, "model");
	if (device->model.is_known) {
		json_put_string(writer, "driver", device->model.driver.variant->name);
	}
	put_text(writer, "note", device->model.note);
	json_put_boolean(writer, "used", device->has_explanation);
	if (device->has_explanation) {
		explanation_put_writes(writer, "programmed", explanation);
		explanation_put_speeds(writer, "other_speeds", explanation);
		json_begin_array(writer, "warnings");
		for (unsigned i = 0; i < explanation->result.warning_count; i++) {
			json_put_string(writer, NULL, explanation->result.warnings[i]);
		}
		json_end_array(writer);
	}
	json_end_object(writer);
}

static void put_quirk(struct json_writer *writer, const struct nic_quirk *quirk)
{
	json_begin_array(writer, "driver_notes");
	for (unsigned i = 0; quirk && i < NIC_QUIRK_NOTES_MAX && quirk->notes[i]; i++) {
		json_put_string(writer, NULL, quirk->notes[i]);
	}
	json_end_array(writer);
	if (quirk) {
		json_put_string(writer, "driver_notes_source", quirk->source);
	}
}

static void put_changed(struct json_writer *writer, const struct show_device *device)
{
	const struct change_listed *changed = &device->changed;

	if (!device->is_changed) {
		return;
	}
	json_begin_object(writer, "changed_by_holdoff");
	put_text(writer, "command", changed->command);
	put_text(writer, "since", changed->since);
	json_put_boolean(writer, "trial", changed->has_trial);
	if (changed->has_trial && changed->left_ns != NEVER_AT_NS) {
		json_put_integer(writer, "left_ns", changed->left_ns);
		json_put_boolean(writer, "until_confirmed", changed->until_confirmed);
	}
	if (changed->helper_is_gone) {
		json_put_boolean(writer, "helper_is_gone", true);
	}
	put_text(writer, "failure", changed->failure);
	json_end_object(writer);
}

void show_put_layers_json(struct json_writer *writer, const struct show_device *device)
{
	put_moderation(writer, &device->moderation);
	put_model(writer, device);
	put_quirk(writer, device->moderation.quirk);
}

void show_put_json(struct json_writer *writer, const struct show_device *device)
{
	json_begin_object(writer, NULL);
	json_put_string(writer, "name", device->name);
	if (device->identity_fault.error == 0) {
		put_identity(writer, &device->identity);
	}
	if (device->coalesce_fault.error == 0) {
		run_json_put_settings(writer, "coalesce", &device->coalesce);
	}
	put_queues(writer, device);
	put_layers(writer, device);
	show_put_layers_json(writer, device);
	put_changed(writer, device);
	put_faults(writer, device);
	json_end_object(writer);
}
