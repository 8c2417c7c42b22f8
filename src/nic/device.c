/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an interface is: rtnetlink (addresses, link), ethtool (driver, speed, rings, channels), /sys (PCI id,
 * device tree name) and debugfs (the clock that a driver converts times with).
 *
 * /sys/kernel/debug/clk/clk_summary of newer kernels (6.3 and later) ends each line with the device that uses the
 * clock and its name for it ("ahb"). Older ones do not: there the clock of a board is looked for by the name that
 * Linux gives it, from the clock drivers and device trees of 6.12 (drivers/clk/imx). debugfs is for root only.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <linux/ethtool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "nic/nic_private.h"
#include "nic/stand_in.h"

#define CLOCKS "/sys/kernel/debug/clk"
#define LINE_MAX_BYTES 512
#define TOKENS_MAX 16

/* A driver's name for its clock. */
struct clock_use {
	const char *driver, *connection;
};

static const struct clock_use clock_uses[] = {
	{ "fec", "ahb" },
	{ "st_gmac", "stmmaceth" },
};

struct board_clock {
	const char *driver, *compatible, *clock;
};

static const struct board_clock board_clocks[] = {
	{ "fec", "fsl,imx6sx-fec", "enet_ahb" },
	{ "fec", "fsl,imx6ul-fec", "enet_ahb" },
	{ "fec", "fsl,imx7d-fec", "enet_axi" },
	{ "fec", "fsl,imx8mq-fec", "enet_axi" },
	{ "fec", "fsl,imx8mm-fec", "enet_axi" },
	{ "fec", "fsl,imx8mn-fec", "enet_axi" },
	{ "fec", "fsl,imx8mp-fec", "enet_axi" },
	{ "fec", "fsl,imx93-fec", "wakeup_axi" },
	{ "st_gmac", "nxp,imx8mp-dwmac-eqos", "enet_axi" },
};

/* ---- files ---- */

/* The first line or NUL-terminated string of a file; false if there is none. */
static bool read_first(const char *path, char *text, size_t size)
{
	FILE *const file = fopen(path, "re");

	if (!file) {
		return false;
	}
	const size_t bytes = fread(text, 1, size - 1, file);

	fclose(file);
	text[bytes] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return text[0] != '\0';
}

static bool read_number(const char *path, int base, unsigned long *value)
{
	char text[32], *end;

	if (!read_first(path, text, sizeof(text)) || !isxdigit((unsigned char)text[0])) {
		return false;
	}
	*value = strtoul(text, &end, base);
	return *end == '\0';
}

static void read_pci_id(const char *name, struct nic_identity *identity)
{
	char path[PATH_MAX];
	unsigned long vendor, device;

	snprintf(path, sizeof(path), "/sys/class/net/%s/device/vendor", name);
	if (!read_number(path, 16, &vendor) || vendor > UINT16_MAX) {
		return;
	}
	snprintf(path, sizeof(path), "/sys/class/net/%s/device/device", name);
	if (!read_number(path, 16, &device) || device > UINT16_MAX) {
		return;
	}
	identity->has |= NIC_HAS_PCI_ID;
	identity->pci_vendor = (uint16_t)vendor;
	identity->pci_device = (uint16_t)device;
}

/* ---- clocks ---- */

static unsigned split(char *line, char *tokens[TOKENS_MAX])
{
	unsigned count = 0;
	char *rest = NULL;

	for (char *token = strtok_r(line, " \t\n", &rest); token && count < TOKENS_MAX;
	     token = strtok_r(NULL, " \t\n", &rest)) {
		tokens[count++] = token;
	}
	return count;
}

static bool is_number(const char *token)
{
	return *token && strspn(token, "0123456789") == strlen(token);
}

/*
 * A line of clk_summary: name, three counts, rate, ..., consumer, connection; further consumers stand alone on
 * theirs.
 */
static bool find_in_summary(FILE *file, const char *device, const char *connection, struct nic_identity *identity)
{
	char line[LINE_MAX_BYTES], name[sizeof(identity->clock)] = "";
	unsigned long rate = 0;

	while (fgets(line, sizeof(line), file)) {
		char *tokens[TOKENS_MAX];
		const unsigned count = split(line, tokens);

		if (count >= 5 && is_number(tokens[1]) && is_number(tokens[4])) {
			snprintf(name, sizeof(name), "%s", tokens[0]);
			rate = strtoul(tokens[4], NULL, 10);
		}
		if (count >= 2 && strcmp(tokens[count - 2], device) == 0 &&
		    strcmp(tokens[count - 1], connection) == 0 && rate && rate <= UINT32_MAX) {
			identity->has |= NIC_HAS_CLOCK;
			identity->clock_hz = (uint32_t)rate;
			memcpy(identity->clock, name, sizeof(name));
			return true;
		}
	}
	return false;
}

/* "30be0000.ethernet": what the interface's device is called on its bus. */
static bool device_name(const char *name, char *device, size_t size)
{
	char path[PATH_MAX], target[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/class/net/%s/device", name);
	const ssize_t length = readlink(path, target, sizeof(target) - 1);

	if (length <= 0) {
		return false;
	}
	target[length] = '\0';
	const char *const slash = strrchr(target, '/');

	return snprintf(device, size, "%s", slash ? slash + 1 : target) < (int)size;
}

static const char *connection_of(const char *driver)
{
	for (size_t i = 0; i < sizeof(clock_uses) / sizeof(clock_uses[0]); i++) {
		if (strcmp(clock_uses[i].driver, driver) == 0) {
			return clock_uses[i].connection;
		}
	}
	return NULL;
}

static void find_by_board(struct nic_identity *identity)
{
	for (size_t i = 0; i < sizeof(board_clocks) / sizeof(board_clocks[0]); i++) {
		const struct board_clock *const row = &board_clocks[i];
		char path[PATH_MAX];
		unsigned long rate;

		if (strcmp(row->driver, identity->driver) != 0 || strcmp(row->compatible, identity->compatible) != 0) {
			continue;
		}
		snprintf(path, sizeof(path), CLOCKS "/%s/clk_rate", row->clock);
		if (read_number(path, 10, &rate) && rate && rate <= UINT32_MAX) {
			identity->has |= NIC_HAS_CLOCK;
			identity->clock_hz = (uint32_t)rate;
			snprintf(identity->clock, sizeof(identity->clock), "%s", row->clock);
		}
		return;
	}
}

static void find_clock(const char *name, struct nic_identity *identity)
{
	const char *const connection = connection_of(identity->driver);
	char device[256];
	FILE *const file = connection && device_name(name, device, sizeof(device)) ? fopen(CLOCKS "/clk_summary", "re")
										   : NULL;

	if (!file) {
		return;
	}
	const bool found = find_in_summary(file, device, connection, identity);

	fclose(file);
	if (!found) {
		find_by_board(identity);
	}
}

void nic_device_identify(const struct nic *nic, struct nic_identity *identity)
{
	char path[PATH_MAX];

	read_pci_id(nic->name, identity);
	snprintf(path, sizeof(path), "/sys/class/net/%s/device/of_node/compatible", nic->name);
	if (!read_first(path, identity->compatible, sizeof(identity->compatible))) {
		identity->compatible[0] = '\0';
	}
	find_clock(nic->name, identity);
}

/* ---- everything ---- */

/* Drivers without a word say "N/A" or nothing. */
static void copy_word(char *to, size_t size, const char *from, size_t from_size)
{
	snprintf(to, size, "%.*s", (int)strnlen(from, from_size), from);
	if (strcasecmp(to, "n/a") == 0) {
		to[0] = '\0';
	}
}

static int ask_driver(struct nic *nic, struct nic_identity *identity, struct err *err)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	const int ret = nic_ethtool_ioctl(nic, &info, err);

	if (ret) {
		return ret == -ENODEV ? ret : 0;
	}
	copy_word(identity->driver, sizeof(identity->driver), info.driver, sizeof(info.driver));
	copy_word(identity->driver_version, sizeof(identity->driver_version), info.version, sizeof(info.version));
	copy_word(identity->firmware, sizeof(identity->firmware), info.fw_version, sizeof(info.fw_version));
	copy_word(identity->bus, sizeof(identity->bus), info.bus_info, sizeof(info.bus_info));
	identity->has |= identity->driver[0] ? NIC_HAS_DRIVER : 0;
	return 0;
}

static void ask_kernel(struct nic_identity *identity)
{
	struct utsname names;

	if (uname(&names) == 0) {
		snprintf(identity->kernel, sizeof(identity->kernel), "%.64s", names.release);
		snprintf(identity->build, sizeof(identity->build), "%.64s", names.version);
	}
}

static void copy_link(const struct nic_link *link, struct nic_identity *identity)
{
	memcpy(identity->name, link->name, sizeof(identity->name));
	identity->ifindex = link->ifindex;
	memcpy(identity->address, link->address, sizeof(identity->address));
	identity->address_bytes = link->address_bytes;
	memcpy(identity->permanent_address, link->permanent_address, sizeof(identity->permanent_address));
	identity->permanent_address_bytes = link->permanent_address_bytes;
	identity->has |= link->permanent_address_bytes ? NIC_HAS_PERMANENT_ADDRESS : 0;
	memcpy(identity->queueing, link->queueing, sizeof(identity->queueing));
	identity->is_up = link->is_up;
	identity->has_carrier = link->is_up && link->has_carrier;
}

int nic_identify(struct nic *nic, struct nic_identity *identity, struct err *err)
{
	struct nic_link link;
	int ret = nic_link_get(nic->ifindex, &link, err);

	*identity = (struct nic_identity){ 0 };
	if (ret) {
		return ret;
	}
	copy_link(&link, identity);
	ask_kernel(identity);
	ret = nic->ethtool->is_kernel ? -EOPNOTSUPP : stand_in_identity(identity, err);
	if (ret == -EOPNOTSUPP) {
		ret = ask_driver(nic, identity, err);
		if (nic_check_sysfs(nic, NULL) == 0) {
			nic_device_identify(nic, identity);
		}
	}
	if (!ret) {
		ret = nic_ethtool_identify(nic, identity, err);
	}
	if (!ret && err) {
		err->text[0] = '\0'; /* what a driver lacks is no fault */
	}
	return ret;
}
