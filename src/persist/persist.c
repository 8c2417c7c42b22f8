/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which formats there are, and which one a text is.
 *
 * Theory of operation. A reader does what the program that owns the format does with the text, and says where that is
 * not what the author can have meant. What such a program takes, is in the settings, however absurd: 100 in a .link
 * file is rx-usecs 100000000. What it ignores is not in the settings, and is a finding. So the settings are what the
 * file really asks for, and the findings are why that surprises.
 *
 * Severities: wrong is what has no effect or another than it says; a warning is a legal line that most likely is not
 * meant; a note is worth knowing. Only what a program is known to do is said; sources stand at the head of each format.
 */
#include "persist/persist.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "persist/persist_private.h"

static const struct {
	const char *name;
	void (*read)(struct persist_file *file, const char *name, const char *text);
	void (*write)(FILE *out, const struct persist_match *match, const struct coalesce *settings);
	bool (*expresses)(enum coalesce_field field, uint32_t value); /* NULL: all there is, or nothing */
} formats[] = {
	[PERSIST_SYSTEMD_LINK] = { "systemd-link", persist_read_systemd_link, persist_write_systemd_link,
				   persist_systemd_link_expresses },
	[PERSIST_NETWORKMANAGER] = { "networkmanager", persist_read_networkmanager, persist_write_networkmanager,
				     persist_networkmanager_expresses },
	[PERSIST_UDEV] = { "udev", persist_read_udev, persist_write_udev, NULL },
	[PERSIST_ETHTOOL] = { "ethtool", persist_read_ethtool, persist_write_ethtool, NULL },
	[PERSIST_NETPLAN] = { "netplan", persist_read_netplan, NULL, NULL },
};

static_assert(sizeof(formats) / sizeof(formats[0]) == PERSIST_FORMATS, "each format has its row");

const char *persist_format_name(enum persist_format format)
{
	return formats[format].name;
}

const char *persist_severity_name(enum persist_severity severity)
{
	static const char *const names[] = { "note", "warning", "wrong" };

	return names[severity];
}

/* ---- writing ---- */

static bool expresses(enum persist_format format, enum coalesce_field field, uint32_t value)
{
	return formats[format].write && (!formats[format].expresses || formats[format].expresses(field, value));
}

int persist_write(FILE *out, enum persist_format format, const struct persist_match *match,
		  const struct coalesce *settings, uint32_t *left_out)
{
	struct coalesce written = { 0 };

	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		if (coalesce_has(settings, field) && expresses(format, field, settings->value[field])) {
			coalesce_put(&written, field, settings->value[field]);
		}
	}
	*left_out = settings->present & ~written.present;
	if (!written.present) {
		return -EOPNOTSUPP;
	}
	struct persist_match named = *match;
	if (!named.name[0]) {
		persist_copy(named.name, sizeof(named.name), "DEV");
	}
	formats[format].write(out, &named, &written);
	return 0;
}

char *persist_why_left_out(enum persist_format format, enum coalesce_field field, uint32_t value,
			   char buffer[PERSIST_WHY_MAX])
{
	const char *const name = coalesce_fields[field].name;
	const char *const key = format == PERSIST_SYSTEMD_LINK ? persist_systemd_link_key(field) : NULL;

	if (format == PERSIST_NETPLAN) {
		snprintf(buffer, PERSIST_WHY_MAX, "%s: netplan has no key for coalescing", name);
	} else if (key && value == 0) {
		snprintf(buffer, PERSIST_WHY_MAX, "%s: %s= takes no 0, systemd ignores the line", name, key);
	} else if (key) {
		snprintf(buffer, PERSIST_WHY_MAX, "%s: %s= takes at most 4294967295 us, which %u s are beyond", name,
			 key, value);
	} else {
		snprintf(buffer, PERSIST_WHY_MAX, "%s: %s has no key for it", name, persist_format_name(format));
	}
	return buffer;
}

/* ---- reading ---- */

struct sign {
	const char *text;
	enum persist_format format;
};

static enum persist_format guess_by_name(const char *name)
{
	static const struct sign suffixes[] = {
		{ ".link", PERSIST_SYSTEMD_LINK },
		{ ".nmconnection", PERSIST_NETWORKMANAGER },
		{ ".rules", PERSIST_UDEV },
	};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		if (persist_has_suffix(name, suffixes[i].text)) {
			return suffixes[i].format;
		}
	}
	return PERSIST_FORMATS;
}

/* By how a line begins. */
static enum persist_format guess_by_start(const char *line)
{
	static const struct sign starts[] = {
		{ "[Match]", PERSIST_SYSTEMD_LINK },
		{ "[Link]", PERSIST_SYSTEMD_LINK },
		{ "[ethtool]", PERSIST_NETWORKMANAGER },
		{ "[connection]", PERSIST_NETWORKMANAGER },
		{ "network:", PERSIST_NETPLAN },
		{ "Coalesce parameters for ", PERSIST_ETHTOOL },
		{ "Adaptive RX:", PERSIST_ETHTOOL },
		{ "netlink error:", PERSIST_ETHTOOL },
		{ "Cannot get device coalesce", PERSIST_ETHTOOL },
		{ "Cannot set device coalesce", PERSIST_ETHTOOL },
		{ "hardware-irq-coalesce-", PERSIST_ETHTOOL },
	};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (strncmp(line, starts[i].text, strlen(starts[i].text)) == 0) {
			return starts[i].format;
		}
	}
	return PERSIST_FORMATS;
}

static bool holds_any(const char *line, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strstr(line, words[i])) {
			return true;
		}
	}
	return false;
}

static enum persist_format guess_by_line(const char *line)
{
	static const char *const of_udev[] = { "SUBSYSTEM==", "ACTION==", "KERNEL==", "RUN+=", "DRIVERS==" };
	const enum persist_format by_start = guess_by_start(line);

	if (by_start != PERSIST_FORMATS || line[0] == '#') {
		return by_start;
	}
	if (holds_any(line, of_udev, sizeof(of_udev) / sizeof(of_udev[0]))) {
		return PERSIST_UDEV;
	}
	return strstr(line, "ethtool") ? PERSIST_ETHTOOL : PERSIST_FORMATS;
}

enum persist_format persist_guess(const char *name, const char *text)
{
	struct persist_lines lines = { .at = text, .next = 1 };
	struct persist_line line;
	enum persist_format format = guess_by_name(name);

	while (format == PERSIST_FORMATS && persist_next_line(&lines, &line)) {
		format = guess_by_line(line.text);
	}
	return format;
}

int persist_read(struct persist_file *file, const char *name, const char *text, struct err *err)
{
	const enum persist_format format = persist_guess(name, text);

	memset(file, 0, sizeof(*file));
	file->format = format;
	if (format == PERSIST_FORMATS) {
		return err_set(err, -EINVAL,
			       "%.120s: this is neither a .link file, a keyfile of NetworkManager, a udev rule nor a "
			       "text with ethtool commands",
			       name);
	}
	formats[format].read(file, name, text);
	persist_check_settings(file);
	return 0;
}
