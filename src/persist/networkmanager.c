/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keyfiles of NetworkManager: a connection profile, whose [ethtool] is applied each time the profile is activated, when
 * the device is up.
 *
 * The keys are ethtool's words behind "coalesce-"; all values are decimal numbers, the adaptive ones 0 or 1. A key
 * that is unknown or whose value is no number is dropped with a warning in the log; an adaptive value above 1 makes
 * the whole profile invalid. What is set goes through the old ioctl, as with systemd.
 *
 * Sources: nm-settings-keyfile(5), nm-settings-nmcli(5) of 1.42; nm-keyfile.c, nm-setting-ethtool.c; nmstate issue
 * 2044.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "persist/persist_private.h"

#define PREFIX "coalesce-"

bool persist_networkmanager_expresses(enum coalesce_field field, uint32_t value)
{
	(void)value;
	return field <= COALESCE_SAMPLE_INTERVAL;
}

/* ---- writing ---- */

void persist_write_networkmanager(FILE *out, const struct persist_match *match, const struct coalesce *settings)
{
	fprintf(out,
		"# %s: a profile of its own, for /etc/NetworkManager/system-connections (mode 600). To change one\n"
		"# that exists, take only the lines of [ethtool], or: nmcli connection modify ID ethtool.KEY VALUE\n"
		"[connection]\nid=holdoff-%s\ntype=ethernet\n",
		match->name, match->name);
	if (match->permanent_address[0]) {
		fprintf(out, "\n[ethernet]\nmac-address=%s\n", match->permanent_address);
	} else if (match->path[0]) {
		fprintf(out, "\n[match]\npath=%s\n", match->path);
	} else {
		fprintf(out, "interface-name=%s\n", match->name);
	}
	fputs("\n[ethtool]\n", out);
	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		if (coalesce_has(settings, field)) {
			fprintf(out, PREFIX "%s=%" PRIu32 "\n", coalesce_fields[field].name, settings->value[field]);
		}
	}
	fputs("\n[ipv4]\nmethod=auto\n\n[ipv6]\nmethod=auto\n", out);
}

/* ---- reading ---- */

struct reader {
	struct persist_file *file;
	bool has_device; /* something says which device it is for */
	unsigned interface_line;
	char interface[32];
	bool has_ethtool;
};

static void take_switch(struct persist_file *file, unsigned line, const char *key, const char *value,
			enum coalesce_field field)
{
	int is_on;
	uint32_t number;

	if (text_parse_u32(value, "", &number, NULL) == 0 && number > 1) {
		persist_find(
			file, line, PERSIST_WRONG,
			"%s=%.40s: it takes 0 or 1, and with anything else NetworkManager refuses the whole profile",
			key, value);
	} else if (strcmp(value, "0") == 0 || strcmp(value, "1") == 0) {
		persist_put(file, line, key, field, value[0] == '1');
	} else if (text_parse_bool(value, "", &is_on, NULL) == 0) {
		persist_find(file, line, PERSIST_WRONG,
			     "%s=%.40s is no number and is dropped: here it must be %d, ethtool's words are not taken",
			     key, value, is_on);
	} else {
		persist_find(file, line, PERSIST_WRONG, "%s=%.40s is dropped: it takes 0 or 1", key, value);
	}
}

static void take_number(struct persist_file *file, unsigned line, const char *key, const char *value,
			enum coalesce_field field)
{
	uint32_t number;

	if (value[0] == '-') {
		persist_find(file, line, PERSIST_WRONG,
			     "%s=%.40s: nothing negative is allowed; to leave the value alone, leave the line out", key,
			     value);
	} else if (strcmp(value, "ignore") == 0) {
		persist_find(file, line, PERSIST_WRONG,
			     "%s=ignore is a word of nmcli: in a file the line is left out instead", key);
	} else if (strspn(value, "0123456789") != strlen(value) || text_parse_u32(value, "", &number, NULL)) {
		persist_find(file, line, PERSIST_WRONG,
			     "%s=%.40s is dropped: it takes a bare number from 0 to 4294967295, %s", key, value,
			     coalesce_fields[field].unit == COALESCE_UNIT_USECS ? "in us" : "without a unit");
	} else {
		persist_put(file, line, key, field, number);
	}
}

static bool is_other_key(const char *key)
{
	static const char *const prefixes[] = { "feature-", "ring-", "pause-", "channels-", "eee-", "fec-" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (strncmp(key, prefixes[i], strlen(prefixes[i])) == 0) {
			return true;
		}
	}
	return false;
}

/* The nearest is looked for behind the prefix, which all of them have. */
static void find_unknown(struct persist_file *file, unsigned line, const char *key)
{
	const bool has_prefix = strncmp(key, PREFIX, strlen(PREFIX)) == 0;
	const char *const nearest = coalesce_field_nearest(has_prefix ? key + strlen(PREFIX) : key);
	const enum coalesce_field field = nearest ? coalesce_field_find(nearest) : COALESCE_FIELDS;

	if (field == COALESCE_FIELDS) {
		persist_find(file, line, PERSIST_WRONG,
			     "there is no key \"%.60s\" in [ethtool]: NetworkManager drops it", key);
	} else if (!persist_networkmanager_expresses(field, 0)) {
		persist_find(file, line, PERSIST_WRONG, "\"%.60s\" is dropped: NetworkManager has no key for %s", key,
			     nearest);
	} else {
		persist_find(file, line, PERSIST_WRONG,
			     "there is no key \"%.60s\" in [ethtool]: NetworkManager drops it; " PREFIX
			     "%s may be meant",
			     key, nearest);
	}
}

static void take_ethtool(struct reader *reader, unsigned line, const char *key, const char *value)
{
	reader->has_ethtool = true;
	for (enum coalesce_field field = 0; field <= COALESCE_SAMPLE_INTERVAL; field++) {
		if (strncmp(key, PREFIX, strlen(PREFIX)) != 0 ||
		    strcmp(key + strlen(PREFIX), coalesce_fields[field].name) != 0) {
			continue;
		}
		if (coalesce_fields[field].unit == COALESCE_UNIT_SWITCH) {
			take_switch(reader->file, line, key, value, field);
		} else {
			take_number(reader->file, line, key, value, field);
		}
		return;
	}
	if (!is_other_key(key)) {
		find_unknown(reader->file, line, key);
	}
}

static void take_connection(struct reader *reader, unsigned line, const char *key, const char *value)
{
	if (strcmp(key, "interface-name") == 0) {
		reader->has_device = true;
		reader->interface_line = line;
		persist_copy(reader->interface, sizeof(reader->interface), value);
		persist_copy(reader->file->match.name, sizeof(reader->file->match.name), value);
	}
}

static void take_match(struct reader *reader, const char *key, const char *value)
{
	struct persist_match *const match = &reader->file->match;

	reader->has_device = true;
	if (strcmp(key, "path") == 0) {
		persist_copy(match->path, sizeof(match->path), value);
	} else if (strcmp(key, "driver") == 0) {
		persist_copy(match->driver, sizeof(match->driver), value);
	}
	/* Lists end their items with a semicolon. */
	match->path[strcspn(match->path, ";")] = '\0';
	match->driver[strcspn(match->driver, ";")] = '\0';
}

static void take_key(struct reader *reader, const struct persist_ini *ini)
{
	const unsigned line = ini->line.number;

	if (strcmp(ini->section, "ethtool") == 0) {
		take_ethtool(reader, line, ini->key, ini->value);
	} else if (strcmp(ini->section, "connection") == 0) {
		take_connection(reader, line, ini->key, ini->value);
	} else if (strcmp(ini->section, "match") == 0) {
		take_match(reader, ini->key, ini->value);
	} else if ((strcmp(ini->section, "ethernet") == 0 || strcmp(ini->section, "802-3-ethernet") == 0) &&
		   strcmp(ini->key, "mac-address") == 0) {
		reader->has_device = true;
		persist_copy(reader->file->match.permanent_address, sizeof(reader->file->match.permanent_address),
			     ini->value);
	}
}

static void check_device(const struct reader *reader)
{
	struct persist_file *const file = reader->file;
	const struct persist_match *const match = &file->match;

	if (!reader->has_device && reader->has_ethtool) {
		persist_find(
			file, 1, PERSIST_WARNING,
			"nothing says which device this is for: mac-address= in [ethernet] or path= in [match] does");
	}
	if (strcmp(reader->interface, "DEV") == 0) {
		persist_find(file, reader->interface_line, PERSIST_WARNING,
			     "DEV stands for a name that was to be put here");
	} else if (persist_is_kernel_name(reader->interface) && !match->permanent_address[0] && !match->path[0]) {
		persist_find(file, reader->interface_line, PERSIST_WARNING,
			     "interface-name=%.32s is what the kernel happens to call the device at boot: mac-address= "
			     "in [ethernet] or path= in [match] survives",
			     reader->interface);
	}
}

void persist_read_networkmanager(struct persist_file *file, const char *name, const char *text)
{
	struct persist_ini ini = { .lines = { .at = text, .next = 1 } };
	struct reader reader = { .file = file };

	(void)name;
	while (persist_next_ini(&ini)) {
		if (ini.line.is_cut) {
			persist_find(file, ini.line.number, PERSIST_WARNING,
				     "the line is longer than what is looked at");
		}
		if (ini.kind == PERSIST_INI_KEY) {
			take_key(&reader, &ini);
		} else if (ini.kind == PERSIST_INI_RUBBISH) {
			persist_find(file, ini.line.number, PERSIST_WRONG,
				     "\"%.60s\" is neither [section] nor key=value: NetworkManager refuses the file",
				     ini.line.text);
		}
	}
	check_device(&reader);
}
