/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose interrupts are whose, by the names that drivers give their actions: a pasted text has no /sys. Interfaces that
 * only /proc/interrupts knows are made here: by a word that looks like the name of an interface, or, where drivers
 * name their vectors after the device (gve, mlx5, ena, virtio), by the device.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/diagnosis.h"
#include "diagnose/line.h"
#include "nic/interrupts.h"

/*
 * Names of interfaces: those of the kernel, of systemd's scheme (en, then how the rest was found) and of biosdevname;
 * a digit follows.
 */
static bool is_interface_name(const char *word)
{
	static const char *const starts[] = { "eth",  "eno", "ens",  "enp", "enP", "enx", "end", "em",
					      "wlan", "wlp", "wwan", "lan", "wan", "can", "usb", "ib" };

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		const size_t length = strlen(starts[i]);

		if (strncmp(word, starts[i], length) == 0 && isdigit((unsigned char)word[length])) {
			/* A controller of USB is usb1, too. */
			return strcmp(starts[i], "usb") != 0;
		}
	}
	return word[0] == 'p' && isdigit((unsigned char)word[1]) && strchr(word, 'p') != strrchr(word, 'p');
}

/* "gve-ntfy-blk0@pci:0000:00:04.0": drivers whose vectors have the device's name instead of the interface's. */
static bool take_bus(const char *action, char *bus, size_t size)
{
	static const char *const drivers[] = { "gve-", "mlx5_", "mlx4-", "ena-", "mana_" };
	const char *const pci = strstr(action, "@pci:");

	for (size_t i = 0; pci && i < sizeof(drivers) / sizeof(drivers[0]); i++) {
		if (strncmp(action, drivers[i], strlen(drivers[i])) == 0) {
			line_word(pci + strlen("@pci:"), ",", bus, size);
			return bus[0] != '\0';
		}
	}
	if (strncmp(action, "virtio", 6) == 0 && (strstr(action, "-input.") || strstr(action, "-output."))) {
		line_word(action, "-", bus, size);
		return true;
	}
	return false;
}

/* The first word of an action that is an interface's. */
static bool take_name(const char *action, char *name, size_t size)
{
	for (const char *at = action; *at;) {
		size_t length = 0;

		while (isalnum((unsigned char)at[length])) {
			length++;
		}
		if (length && length < size && is_interface_name(at)) {
			memcpy(name, at, length);
			name[length] = '\0';
			return true;
		}
		at += length ? length : 1;
	}
	return false;
}

static struct interrupts_names names_of(const struct diagnosis *diagnosis, unsigned index,
					const char *others[DIAGNOSE_DEVICES_MAX + 1])
{
	const struct diagnose_device *const device = &diagnosis->devices[index];
	unsigned count = 0;

	for (unsigned i = 0; i < diagnosis->device_count; i++) {
		if (i != index && diagnosis->devices[i].name[0]) {
			others[count++] = diagnosis->devices[i].name;
		}
	}
	others[count] = NULL;
	return (struct interrupts_names){ .interface = device->name,
					  .devices = { device->bus[0] ? device->bus : NULL, NULL },
					  .others = others };
}

static bool is_of(const struct diagnosis *diagnosis, const struct diagnose_vector *vector, unsigned index)
{
	const char *others[DIAGNOSE_DEVICES_MAX + 1];
	const struct interrupts_names names = names_of(diagnosis, index, others);
	/* "1f00100000.ethernet-ffffffff:00", the PHY of a platform's only interface (raspberrypi/linux issue 6963). */
	const bool is_only = diagnosis->device_count == 1 && strstr(vector->action, ".ethernet");

	return is_only || interrupts_match(vector->action, &names);
}

static bool is_known(const struct diagnosis *diagnosis, const char *name, const char *bus)
{
	for (unsigned i = 0; i < diagnosis->device_count; i++) {
		if ((name && strcmp(diagnosis->devices[i].name, name) == 0) ||
		    (bus && strcmp(diagnosis->devices[i].bus, bus) == 0)) {
			return true;
		}
	}
	return false;
}

static void make(struct diagnosis *diagnosis, const char *name, const char *bus)
{
	const struct diagnose_counts none = { { -1, -1, -1, -1 } };

	if (is_known(diagnosis, name, bus) || diagnosis->device_count == DIAGNOSE_DEVICES_MAX) {
		return;
	}
	struct diagnose_device *const device = &diagnosis->devices[diagnosis->device_count++];

	*device = (struct diagnose_device){
		.channels = none,
		.channels_max = none,
		.rings = none,
		.rings_max = none,
		.drops = { -1, -1, -1 },
		.family = CHIP_FAMILIES,
	};
	snprintf(device->name, sizeof(device->name), "%s", name ? name : "");
	snprintf(device->bus, sizeof(device->bus), "%s", bus ? bus : "");
}

/* A text about one unnamed interface, whose name stands in the table of interrupts alone. */
static void name_the_only(struct diagnosis *diagnosis, const char *name)
{
	struct diagnose_device *const device = &diagnosis->devices[0];

	if (diagnosis->device_count == 1 && !device->name[0] && !device->bus[0]) {
		snprintf(device->name, sizeof(device->name), "%s", name);
	}
}

static bool has_vector_named(const struct diagnosis *diagnosis, const char *name)
{
	for (unsigned i = 0; i < diagnosis->vector_count; i++) {
		if (interrupts_action_has(diagnosis->vectors[i].action, name)) {
			return true;
		}
	}
	return false;
}

/* How many devices name vectors; bus is set to the last. */
static unsigned count_buses(const struct diagnosis *diagnosis, char *bus, size_t size)
{
	unsigned count = 0;
	char found[64];

	for (unsigned i = 0; i < diagnosis->vector_count; i++) {
		if (take_bus(diagnosis->vectors[i].action, found, sizeof(found)) &&
		    (!count || strcmp(found, bus) != 0)) {
			snprintf(bus, size, "%s", found);
			count++;
		}
	}
	return count;
}

/* A text about one interface, whose name no vector has, and one device whose vectors have its own: they are the same. */
static void bind_the_only(struct diagnosis *diagnosis)
{
	struct diagnose_device *const device = &diagnosis->devices[0];
	char bus[sizeof(device->bus)] = "";

	if (diagnosis->device_count == 1 && device->name[0] && !device->bus[0] &&
	    !has_vector_named(diagnosis, device->name) && count_buses(diagnosis, bus, sizeof(bus)) == 1) {
		memcpy(device->bus, bus, sizeof(bus));
	}
}

static void find_devices(struct diagnosis *diagnosis)
{
	bind_the_only(diagnosis);
	for (unsigned i = 0; i < diagnosis->vector_count; i++) {
		const char *at = diagnosis->vectors[i].action;
		char name[16], bus[64];

		if (take_bus(at, bus, sizeof(bus))) {
			make(diagnosis, NULL, bus);
			continue;
		}
		/* A shared line has an action for each device. */
		for (; at; at = strstr(at, ", ") ? strstr(at, ", ") + 2 : NULL) {
			if (take_name(at, name, sizeof(name))) {
				name_the_only(diagnosis, name);
				make(diagnosis, name, NULL);
			}
		}
	}
}

/* Which of a device's vectors carry frames is decided over all of them. */
static void classify(struct diagnosis *diagnosis, unsigned index)
{
	struct nic_vector *const vectors = calloc(NIC_VECTORS_MAX, sizeof(*vectors));
	const char *others[DIAGNOSE_DEVICES_MAX + 1];
	const struct interrupts_names names = names_of(diagnosis, index, others);
	unsigned count = 0;

	for (unsigned i = 0; vectors && i < diagnosis->vector_count && count < NIC_VECTORS_MAX; i++) {
		const struct diagnose_vector *const from = &diagnosis->vectors[i];

		if (from->devices >> index & 1) {
			vectors[count].is_shared = from->is_shared;
			memcpy(vectors[count++].action, from->action, sizeof(from->action));
		}
	}
	if (vectors) {
		interrupts_classify(vectors, count, &names);
	}
	count = 0;
	for (unsigned i = 0; vectors && i < diagnosis->vector_count && count < NIC_VECTORS_MAX; i++) {
		if (diagnosis->vectors[i].devices >> index & 1) {
			diagnosis->vectors[i].is_data = vectors[count++].is_data;
		}
	}
	free(vectors);
}

void diagnosis_assign(struct diagnosis *diagnosis)
{
	find_devices(diagnosis);
	for (unsigned i = 0; i < diagnosis->vector_count; i++) {
		for (unsigned device = 0; device < diagnosis->device_count; device++) {
			if (is_of(diagnosis, &diagnosis->vectors[i], device)) {
				diagnosis->vectors[i].devices |= UINT32_C(1) << device;
			}
		}
	}
	for (unsigned device = 0; device < diagnosis->device_count; device++) {
		classify(diagnosis, device);
	}
}
