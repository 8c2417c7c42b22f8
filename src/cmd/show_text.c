/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An interface as a page for a terminal of 100 columns: what it is and what it is set to. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "cmd/cmd.h"
#include "cmd/show_text.h"

void show_append(struct show_line *line, const char *format, ...)
{
	const size_t length = strlen(line->text);
	va_list values;

	va_start(values, format);
	vsnprintf(line->text + length, sizeof(line->text) - length, format, values);
	va_end(values);
}

const char *show_fault_text(const struct show_device *device, const struct show_fault *fault)
{
	const char *text = fault->err.text[0] ? fault->err.text : strerror(-fault->error);
	const size_t length = strlen(device->name);

	return length && strncmp(text, device->name, length) == 0 && strncmp(text + length, ": ", 2) == 0
		       ? text + length + 2
		       : text;
}

void show_print_fault(FILE *out, const char *label, const struct show_device *device, const struct show_fault *fault)
{
	cmd_print_labelled(out, SHOW_LABEL_WIDTH, label, "not readable: %s", show_fault_text(device, fault));
}

/* ---- what it is ---- */

static void print_title(FILE *out, const struct show_device *device, const char *text)
{
	char label[IFNAMSIZ + 1];

	snprintf(label, sizeof(label), "%s:", device->name);
	cmd_print_labelled(out, (int)strlen(label) + 1, label, "%s", text);
}

static void append_address(struct show_line *line, const uint8_t *address, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++) {
		show_append(line, "%s%02x", i ? ":" : "", address[i]);
	}
}

static void print_driver(FILE *out, const struct show_device *device)
{
	const struct nic_identity *identity = &device->identity;
	struct show_line line = { "" };

	if (identity->has & NIC_HAS_DRIVER) {
		show_append(&line, "%s", identity->driver);
		if (identity->driver_version[0] && strcmp(identity->driver_version, identity->kernel) != 0) {
			show_append(&line, " %s", identity->driver_version);
		}
		if (identity->firmware[0]) {
			show_append(&line, ", firmware %s", identity->firmware);
		}
		if (identity->bus[0]) {
			show_append(&line, ", bus %s", identity->bus);
		}
	} else {
		show_append(&line, "no driver: an interface of the kernel's own");
	}
	show_append(&line, ", Linux %s", identity->kernel);
	print_title(out, device, line.text);
}

static void print_link(FILE *out, const struct nic_identity *identity)
{
	struct show_line line = { "" };

	show_append(&line, "%s, %s", identity->is_up ? "up" : "down", identity->has_carrier ? "carrier" : "no carrier");
	if (identity->has & NIC_HAS_SPEED) {
		show_append(&line, ", %u Mb/s", identity->speed_mbps);
	}
	if (identity->address_bytes) {
		show_append(&line, ", address ");
		append_address(&line, identity->address, identity->address_bytes);
	}
	if (identity->has & NIC_HAS_PERMANENT_ADDRESS &&
	    (identity->address_bytes != identity->permanent_address_bytes ||
	     memcmp(identity->address, identity->permanent_address, identity->address_bytes) != 0)) {
		show_append(&line, " (permanent ");
		append_address(&line, identity->permanent_address, identity->permanent_address_bytes);
		show_append(&line, ")");
	}
	cmd_print_labelled(out, SHOW_LABEL_WIDTH, "  link", "%s", line.text);
}

static void append_count(struct show_line *line, uint32_t count, const char *what)
{
	if (count) {
		show_append(line, "%s%" PRIu32 " %s", line->text[0] ? ", " : "", count, what);
	}
}

static void print_queues_and_rings(FILE *out, const struct nic_identity *identity)
{
	struct show_line line = { "" };

	if (identity->has & NIC_HAS_CHANNELS) {
		append_count(&line, identity->combined_channels, "combined");
		append_count(&line, identity->rx_channels, "rx");
		append_count(&line, identity->tx_channels, "tx");
		append_count(&line, identity->other_channels, "other");
	}
	if (identity->has & NIC_HAS_RINGS) {
		show_append(&line, "%srings of %" PRIu32 " rx and %" PRIu32 " tx descriptors", line.text[0] ? "; " : "",
			    identity->rx_ring, identity->tx_ring);
	}
	if (line.text[0]) {
		cmd_print_labelled(out, SHOW_LABEL_WIDTH, "  queues", "%s", line.text);
	}
}

static void print_identity(FILE *out, const struct show_device *device)
{
	if (device->identity_fault.error) {
		print_title(out, device, show_fault_text(device, &device->identity_fault));
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
			cmd_print_labelled(out, SHOW_LABEL_WIDTH, "", "queue %u: %s", i,
					   coalesce_print(&device->queues[i], text));
		} else {
			same++;
		}
	}
	if (same) {
		cmd_print_labelled(out, SHOW_LABEL_WIDTH, "", "%u %squeue%s: like the device", same,
				   same == device->queue_count ? "" : "other ", same == 1 ? "" : "s");
	}
	if (device->queues_fault.error && (all_queues || device->queues_fault.error != -EOPNOTSUPP)) {
		cmd_print_labelled(out, SHOW_LABEL_WIDTH, "", "single queues: %s",
				   device->queues_fault.error == -EOPNOTSUPP
					   ? "not supported by the driver"
					   : show_fault_text(device, &device->queues_fault));
	}
}

static void print_coalescing(FILE *out, const struct show_device *device, bool all_queues)
{
	const unsigned supported = count_bits(device->coalesce.present);
	char text[COALESCE_TEXT_MAX];

	if (device->coalesce_fault.error == -EOPNOTSUPP) {
		cmd_print_labelled(out, SHOW_LABEL_WIDTH, "  coalescing", "not supported by the driver");
		return;
	}
	if (device->coalesce_fault.error) {
		show_print_fault(out, "  coalescing", device, &device->coalesce_fault);
		return;
	}
	cmd_print_labelled(out, SHOW_LABEL_WIDTH, "  coalescing", "%s", coalesce_print(&device->coalesce, text));
	cmd_print_labelled(out, SHOW_LABEL_WIDTH, "", "%u of %d fields: the driver does not have the other %u",
			   supported, COALESCE_FIELDS, COALESCE_FIELDS - supported);
	print_queues(out, device, all_queues);
}

static void print_changed(FILE *out, const struct show_device *device, const char *netns)
{
	const struct change_listed *changed = &device->changed;
	char span[TEXT_DURATION_MAX], words[CMD_NETNS_MAX];

	if (!device->is_changed) {
		return;
	}
	if (changed->is_damaged) {
		cmd_print_labelled(out, SHOW_LABEL_WIDTH, "  changed", "by holdoff, but %s", changed->failure);
		return;
	}
	cmd_print_labelled(out, SHOW_LABEL_WIDTH, "  changed",
			   "by \"%s\", %s: holdoff revert %s%s puts the old values back", changed->command,
			   changed->since, device->name, cmd_netns_words(netns, words));
	if (changed->helper_is_gone) {
		cmd_print_labelled(out, SHOW_LABEL_WIDTH, "",
				   "and it is not done by itself any more: its helper is gone");
	} else if (changed->has_trial && changed->left_ns != NEVER_AT_NS) {
		cmd_print_labelled(out, SHOW_LABEL_WIDTH, "", "and in %s that is done by itself%s",
				   text_print_duration(changed->left_ns / NS_PER_S * NS_PER_S, span),
				   changed->until_confirmed ? ", unless it is confirmed" : "");
	}
	if (changed->failure[0]) {
		cmd_print_labelled(out, SHOW_LABEL_WIDTH, "", "which has failed: %s", changed->failure);
	}
}

void show_print(const struct show_device *device, bool all_queues, const char *netns, FILE *out)
{
	print_identity(out, device);
	print_coalescing(out, device, all_queues);
	print_changed(out, device, netns);
	show_print_napis(out, device);
	show_print_vectors(out, device);
	show_print_layers(out, device);
}

void show_print_line(const struct show_device *device, FILE *out)
{
	const bool has_driver = device->identity.has & NIC_HAS_DRIVER;
	struct show_line line = { "" };

	show_append(&line, "%s%sno coalescing", has_driver ? device->identity.driver : "", has_driver ? ", " : "");
	print_title(out, device, line.text);
}
