/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ethtool -d: of the chips that are modelled the registers that bear on moderation, of others only that it was a dump.
 * A line begins with the register's offset and ends in its value. Forms: realtek.c, fec.c, e1000.c of ethtool.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/reader.h"

enum { R8169_PHY_STATUS = 0x6c, E1000E_STATUS = 0x08, E1000E_FIRST = 0x00 };

static bool is_hex(const char *at)
{
	return at[0] == '0' && at[1] == 'x' && strspn(at + 2, "0123456789abcdefABCDEF") > 0;
}

/* "0x0f0:   0xcc8007a1", "0xE2: Interrupt Mitigation   0x5151" */
static bool split_register(const char *line, uint32_t *offset, uint32_t *value)
{
	const char *const last = strrchr(line, ' ');
	const char *const colon = strchr(line, ':');
	char *end;

	if (!is_hex(line) || !colon || !last || !is_hex(last + 1) || last < colon) {
		return false;
	}
	const unsigned long long first = strtoull(line, &end, 16);
	if (end != colon || first > UINT32_MAX) {
		return false;
	}
	const unsigned long long second = strtoull(last + 1, &end, 16);

	*offset = (uint32_t)first;
	*value = (uint32_t)second;
	return line_is_over(end) && second <= UINT32_MAX;
}

static bool is_offset(const char *line)
{
	const size_t digits = is_hex(line) ? strspn(line + 2, "0123456789abcdefABCDEF") : 0;

	return digits >= 2 && digits <= 5 && line[2 + digits] == ':';
}

bool registers_begin(const struct reader *reader, const struct lines *line)
{
	(void)reader;
	return line_begins(line->text, "RealTek RTL") || strcmp(line->text, "MAC Registers") == 0 ||
	       line_begins(line->text, "Offset\t\tValues") || is_offset(line->text);
}

bool registers_go_on(const struct lines *line)
{
	return is_offset(line->text) || line->is_indented || line_begins(line->text, "-----") ||
	       line_begins(line->text, "PHY type:") || line_begins(line->text, "Offset");
}

/* By the heading and the first registers. */
static enum chip_family family_of(const char *text)
{
	static const char *const old[] = { "RealTek RTL8169", "RealTek RTL8110" };

	for (size_t i = 0; i < sizeof(old) / sizeof(old[0]); i++) {
		if (line_begins(text, old[i])) {
			return CHIP_RTL8169;
		}
	}
	if (line_begins(text, "RealTek RTL81") && !line_begins(text, "RealTek RTL8139") &&
	    !line_begins(text, "RealTek RTL8125") && !line_begins(text, "RealTek RTL8126")) {
		return CHIP_RTL8168;
	}
	if (strstr(text, "CTRL (Device control register)")) {
		return CHIP_E1000E;
	}
	/* The FEC's has no heading; its receive control register is at 0x084 and has a name. */
	return strstr(text, "0x084: RCR (Receive Control Register)") || strstr(text, "\n0x0f0:") ? CHIP_FEC
												 : CHIP_FAMILIES;
}

/* PHY status of the 8169 family: bits 4, 3 and 2 are 1000, 100 and 10 Mb/s; STATUS of e1000e: bits 7:6. */
static void take_speed(struct diagnose_device *device, uint32_t offset, uint32_t value)
{
	if ((device->family == CHIP_RTL8168 || device->family == CHIP_RTL8169) && offset == R8169_PHY_STATUS) {
		device->speed_mbps = value & 0x10 ? 1000 : value & 0x08 ? 100 : value & 0x04 ? 10 : 0;
	} else if (device->family == CHIP_E1000E && offset == E1000E_STATUS) {
		device->speed_mbps = (value >> 6 & 3) >= 2 ? 1000 : (value >> 6 & 3) == 1 ? 100 : 10;
	}
}

/* Those that say how long something waits; status and causes are no settings. */
static bool is_moderation(const struct chip_register *reg)
{
	static const char *const names[] = { "IntrMitigate", "CPlusCmd", "TXIC", "RXIC", "RDTR",
					     "RADV",         "TIDV",     "TADV", "ITR",  "EITR" };

	for (size_t i = 0; reg && i < sizeof(names) / sizeof(names[0]); i++) {
		if (line_begins(reg->name, names[i])) {
			return true;
		}
	}
	return false;
}

static void take_register(struct diagnose_device *device, uint32_t offset, uint32_t value)
{
	take_speed(device, offset, value);
	if (device->family == CHIP_FAMILIES || !is_moderation(chip_register_at(device->family, offset)) ||
	    device->register_count == DIAGNOSE_REGISTERS_MAX) {
		return;
	}
	device->registers[device->register_count].offset = offset;
	device->registers[device->register_count++].value = value;
}

void registers_read(struct reader *reader, char *text)
{
	struct diagnose_device *const device = reader_piece_device(reader, NULL);
	struct lines lines;
	uint32_t offset, value;

	if (!device) {
		return;
	}
	device->has_registers = true;
	device->register_count = 0;
	device->family = family_of(text);
	lines_begin(&lines, text, 1);
	while (lines_next(&lines)) {
		if (line_begins(lines.text, "RealTek ")) {
			line_word(lines.text + strlen("RealTek "), "", device->chip, sizeof(device->chip));
		} else if (split_register(lines.text, &offset, &value)) {
			take_register(device, offset, value);
		}
	}
	if (!device->chip[0] && device->family != CHIP_FAMILIES) {
		snprintf(device->chip, sizeof(device->chip), "%s", chip_family_name(device->family));
	}
}
