/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which interrupts are an interface's. The kernel says so in /sys for MSI (DEVICE/msi_irqs) and for a legacy line
 * (DEVICE/irq); where it says nothing (platform devices of ARM boards), what is left is the names that drivers give
 * their actions in /proc/interrupts. Numbers next to one another mean nothing.
 *
 * An interface of virtio or of an auxiliary bus has no interrupts of its own: they are its parent's. One on USB has
 * none either, and its parent's are the host controller's, which tell nothing about it: it has no vectors. Interfaces
 * without a device (veth, bridges, lo) have none.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nic/interrupts.h"
#include "nic/netlink.h"
#include "nic/nic_private.h"

#define OTHERS_MAX 256

/* Where /sys and /proc are: elsewhere in tests. */
struct roots {
	const char *sys, *proc;
};

struct search {
	const struct roots *roots;
	char device[PATH_MAX]; /* the folder that may have interrupts, "" if there is none */
	char names[2][128];    /* of the interface's device and of that one */
	bool by_name;          /* names in /proc/interrupts may be trusted to be this interface's */
	char others[OTHERS_MAX][IFNAMSIZ];
	const char *other_names[OTHERS_MAX + 1];
	char siblings[OTHERS_MAX][IFNAMSIZ]; /* other interfaces of the same device */
	unsigned sibling_count;
};

/* The first line of a small file, without its end; "" when it cannot be read. */
static void read_line(char *line, size_t size, const char *path)
{
	FILE *file = fopen(path, "re");

	line[0] = '\0';
	if (!file) {
		return;
	}
	if (!fgets(line, (int)size, file)) {
		line[0] = '\0';
	}
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
}

/* All of a file of unknown length, to be freed; NULL with errno set. */
static char *read_all(const char *path)
{
	size_t size = 65536, length = 0;
	FILE *file = fopen(path, "re");
	char *text = file ? malloc(size) : NULL;

	while (text) {
		length += fread(text + length, 1, size - length - 1, file);
		if (length < size - 1) {
			text[length] = '\0';
			break;
		}
		size *= 2;
		char *larger = realloc(text, size);
		if (!larger) {
			free(text);
		}
		text = larger;
	}
	if (file) {
		fclose(file);
	}
	return text;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Goes from DIRECTORY to the folder above; false at the top. */
static bool go_up(char *directory)
{
	char *slash = strrchr(directory, '/');

	if (!slash || slash == directory) {
		return false;
	}
	*slash = '\0';
	return true;
}

/* "pci", "usb", "platform", "virtio" ... */
static void bus_of(const char *device, char *bus, size_t size)
{
	char path[PATH_MAX + 16], target[PATH_MAX];

	bus[0] = '\0';
	snprintf(path, sizeof(path), "%s/subsystem", device);
	if (realpath(path, target)) {
		snprintf(bus, size, "%.*s", (int)size - 1, last_part(target));
	}
}

/* Names in a folder, but for `except` and what begins with a dot. */
static unsigned list_names(const char *path, const char *except, char (*names)[IFNAMSIZ], unsigned max)
{
	unsigned count = 0;
	DIR *directory = opendir(path);
	const struct dirent *entry;

	while (directory && count < max && (entry = readdir(directory))) {
		if (entry->d_name[0] != '.' && strcmp(entry->d_name, except) != 0 && strlen(entry->d_name) < IFNAMSIZ) {
			snprintf(names[count++], IFNAMSIZ, "%.15s", entry->d_name);
		}
	}
	if (directory) {
		closedir(directory);
	}
	return count;
}

/* Finds the device, and above it the one that has its interrupts. */
static void find_device(struct search *search, const char *name)
{
	char path[PATH_MAX + 16], bus[32];

	snprintf(path, sizeof(path), "%s/class/net/%s/device", search->roots->sys, name);
	if (!realpath(path, search->device)) {
		search->device[0] = '\0';
		return;
	}
	snprintf(path, sizeof(path), "%s/net", search->device);
	search->sibling_count = list_names(path, name, search->siblings, OTHERS_MAX);
	snprintf(search->names[0], sizeof(search->names[0]), "%.127s", last_part(search->device));
	bus_of(search->device, bus, sizeof(bus));
	search->by_name = strcmp(bus, "usb") != 0;
	if ((strcmp(bus, "virtio") == 0 || strcmp(bus, "auxiliary") == 0) && go_up(search->device)) {
		snprintf(search->names[1], sizeof(search->names[1]), "%.127s", last_part(search->device));
	}
}

static int compare_irqs(const void *a, const void *b)
{
	const struct nic_vector *first = a, *second = b;

	return first->irq < second->irq ? -1 : first->irq > second->irq;
}

static bool parse_irq(const char *text, uint32_t *irq)
{
	char *end;

	errno = 0;
	const unsigned long value = strtoul(text, &end, 10);
	*irq = (uint32_t)value;
	return errno == 0 && end != text && *end == '\0' && value <= UINT32_MAX;
}

static void add(struct nic_vector *vectors, unsigned max, unsigned *count, uint32_t irq, enum nic_vector_source source)
{
	if (*count < max) {
		vectors[*count] = (struct nic_vector){ .irq = irq, .source = source };
		++*count;
	}
}

/* From /sys: a file for each MSI vector, named by its number; else the legacy line, 0 for none. */
static void find_in_sys(const struct search *search, struct nic_vector *vectors, unsigned max, unsigned *count)
{
	char path[PATH_MAX + 16], line[32];
	const struct dirent *entry;
	uint32_t irq;

	snprintf(path, sizeof(path), "%s/msi_irqs", search->device);
	DIR *directory = opendir(path);
	while (directory && (entry = readdir(directory))) {
		if (parse_irq(entry->d_name, &irq)) {
			add(vectors, max, count, irq, NIC_VECTOR_MSI);
		}
	}
	if (directory) {
		closedir(directory);
	}
	if (*count == 0) {
		snprintf(path, sizeof(path), "%s/irq", search->device);
		read_line(line, sizeof(line), path);
		if (parse_irq(line, &irq) && irq != 0) {
			add(vectors, max, count, irq, NIC_VECTOR_LEGACY);
		}
	}
	qsort(vectors, *count, sizeof(vectors[0]), compare_irqs);
}

static void describe(struct nic_vector *vector, const struct interrupts_line *line)
{
	snprintf(vector->action, sizeof(vector->action), "%.*s", (int)sizeof(vector->action) - 1, line->action);
	vector->is_shared = strstr(line->action, ", ") != NULL;
}

/* Takes over what /proc/interrupts says about vectors that are known. */
static void find_actions(const char *text, struct nic_vector *vectors, unsigned count)
{
	struct interrupts_reader reader;
	struct interrupts_line line;

	interrupts_begin(&reader, text);
	while (interrupts_next(&reader, &line)) {
		const struct nic_vector key = { .irq = line.irq };
		struct nic_vector *vector = bsearch(&key, vectors, count, sizeof(vectors[0]), compare_irqs);

		if (vector) {
			describe(vector, &line);
		}
	}
}

static void find_by_name(const char *text, const struct interrupts_names *names, struct nic_vector *vectors,
			 unsigned max, unsigned *count)
{
	struct interrupts_reader reader;
	struct interrupts_line line;

	interrupts_begin(&reader, text);
	while (interrupts_next(&reader, &line)) {
		if (*count < max && interrupts_match(line.action, names)) {
			add(vectors, max, count, line.irq, NIC_VECTOR_NAME);
			describe(&vectors[*count - 1], &line);
		}
	}
	qsort(vectors, *count, sizeof(vectors[0]), compare_irqs);
}

/* Two ports of one device have one list of vectors in /sys: those that are named after another port are not ours. */
static void drop_siblings(const struct search *search, const char *name, struct nic_vector *vectors, unsigned *count)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < *count; i++) {
		bool is_sibling = false;

		for (unsigned j = 0; j < search->sibling_count; j++) {
			is_sibling = is_sibling || interrupts_action_has(vectors[i].action, search->siblings[j]);
		}
		if (!is_sibling || interrupts_action_has(vectors[i].action, name)) {
			vectors[kept++] = vectors[i];
		}
	}
	*count = kept;
}

static void read_affinity(const struct roots *roots, struct nic_vector *vector)
{
	char path[PATH_MAX], mask[1024];

	snprintf(path, sizeof(path), "%s/irq/%u/smp_affinity_list", roots->proc, vector->irq);
	read_line(vector->affinity, sizeof(vector->affinity), path);
	if (vector->affinity[0] == '\0') {
		snprintf(path, sizeof(path), "%s/irq/%u/smp_affinity", roots->proc, vector->irq);
		read_line(mask, sizeof(mask), path);
		if (!interrupts_mask_to_list(mask, vector->affinity, sizeof(vector->affinity))) {
			vector->affinity[0] = '\0';
		}
	}
	snprintf(path, sizeof(path), "%s/irq/%u/effective_affinity_list", roots->proc, vector->irq);
	read_line(vector->effective, sizeof(vector->effective), path);
}

static void names_of(struct search *search, const char *name, struct interrupts_names *names)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/class/net", search->roots->sys);
	const unsigned count = list_names(path, name, search->others, OTHERS_MAX);
	for (unsigned i = 0; i < count; i++) {
		search->other_names[i] = search->others[i];
	}
	search->other_names[count] = NULL;
	*names = (struct interrupts_names){ .interface = name, .others = search->other_names };
	for (unsigned i = 0; i < 2; i++) {
		names->devices[i] = search->names[i][0] ? search->names[i] : NULL;
	}
}

static void list_from(struct search *search, const char *text, const char *name, struct nic_vector *vectors,
		      unsigned max, unsigned *count)
{
	struct interrupts_names names;

	names_of(search, name, &names);
	find_in_sys(search, vectors, max, count);
	if (*count) {
		find_actions(text, vectors, *count);
		drop_siblings(search, name, vectors, count);
	} else if (search->by_name) {
		find_by_name(text, &names, vectors, max, count);
	}
	interrupts_classify(vectors, *count, &names);
	for (unsigned i = 0; i < *count; i++) {
		read_affinity(search->roots, &vectors[i]);
	}
}

static int vector_list(const struct roots *roots, const char *name, struct nic_vector *vectors, unsigned max,
		       unsigned *count, struct err *err)
{
	char path[PATH_MAX];
	struct search *search = calloc(1, sizeof(*search));

	*count = 0;
	if (!search) {
		return err_set(err, -ENOMEM, "no memory for the interrupts of %s", name);
	}
	search->roots = roots;
	find_device(search, name);
	if (search->device[0] == '\0') {
		free(search);
		return 0;
	}
	snprintf(path, sizeof(path), "%s/interrupts", roots->proc);
	errno = 0;
	char *text = read_all(path);
	const int error = text ? 0 : errno ? errno : ENOMEM;
	if (text) {
		list_from(search, text, name, vectors, max, count);
	}
	free(text);
	free(search);
	return error ? err_set(err, -error, "cannot read %s: %s", path, strerror(error)) : 0;
}

int nic_vector_list(struct nic *nic, struct nic_vector *vectors, unsigned max, unsigned *count, struct err *err)
{
	static const struct roots machine = { "/sys", "/proc" };

	*count = 0;
	if (!nic->ethtool->is_kernel) {
		return 0; /* a test's peer has no interrupts */
	}
	const int ret = nic_check_sysfs(nic, err);

	return ret ? ret : vector_list(&machine, nic->name, vectors, max, count, err);
}
