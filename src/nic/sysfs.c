/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose interfaces /sys shows: those of the network namespace of who mounted it. A process that has entered another one with nsenter -n or
 * unshare -n finds the old ones there, and under the same names: settings would be read from, and written to, a stranger's interface.
 */
#include <dirent.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "nic/nic_private.h"

#define NET "/sys/class/net"
#define TRIES 3

static bool read_line(const char *name, const char *what, char *text, int size)
{
	char path[sizeof(NET) + 256 + 32];

	snprintf(path, sizeof(path), NET "/%.255s/%s", name, what);
	FILE *const file = fopen(path, "re");

	if (!file) {
		return false;
	}
	const bool has_line = fgets(text, size, file) != NULL;

	fclose(file);
	text[has_line ? strcspn(text, "\n") : 0] = '\0';
	return has_line;
}

static bool has_index(const char *name, unsigned ifindex)
{
	char text[32], expected[32];

	snprintf(expected, sizeof(expected), "%u", ifindex);
	return read_line(name, "ifindex", text, sizeof(text)) && strcmp(text, expected) == 0;
}

static bool has_address(const struct nic_link *link)
{
	char text[3 * NIC_ADDRESS_MAX + 1] = "", expected[3 * NIC_ADDRESS_MAX + 1] = "";

	for (unsigned i = 0; i < link->address_bytes; i++) {
		snprintf(expected + (i ? 3 * i - 1 : 0), 4, "%s%02x", i ? ":" : "", link->address[i]);
	}
	read_line(link->name, "address", text, sizeof(text));
	return strcmp(text, expected) == 0;
}

static bool is_shown(const struct nic_link *link)
{
	return has_index(link->name, (unsigned)link->ifindex) && has_address(link);
}

/* Of how many interfaces there are files. */
static unsigned count_shown(void)
{
	DIR *const folder = opendir(NET);
	unsigned count = 0;
	char text[32];

	if (!folder) {
		return 0;
	}
	for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
		/* There are files of other kinds too: bonding_masters. */
		count += entry->d_name[0] != '.' && read_line(entry->d_name, "ifindex", text, sizeof(text));
	}
	closedir(folder);
	return count;
}

static bool shows_all(void)
{
	struct if_nameindex *const all = if_nameindex();
	unsigned count = 0;
	bool shown = all != NULL;

	for (; shown && all[count].if_name; count++) {
		struct nic_link link;

		shown = nic_link_get((int)all[count].if_index, &link, NULL) == 0 && is_shown(&link);
	}
	if (all) {
		if_freenameindex(all);
	}
	return shown && count_shown() == count;
}

/* Every namespace has a loopback interface with the same name, number and address: it is known by its neighbours, which may come and go
 * meanwhile. */
static bool has_its_neighbours(void)
{
	bool has = false;

	for (unsigned i = 0; i < TRIES && !has; i++) {
		has = shows_all();
	}
	return has;
}

int nic_check_sysfs(const struct nic *nic, struct err *err)
{
	DIR *const folder = opendir(NET);
	struct nic_link link;

	if (!folder) {
		return 0; /* it shows nothing, so nothing false */
	}
	closedir(folder);
	const int ret = nic_link_get(nic->ifindex, &link, err);

	if (ret) {
		return ret;
	}
	if (is_shown(&link) && (link.ifindex != 1 || has_its_neighbours())) {
		return 0;
	}
	return err_set(
		err, -EXDEV,
		"/sys shows another network namespace than the one with %s: --netns /proc/self/ns/net brings its "
		"own",
		link.name);
}
