/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * systemd .link files: applied by udev when a device appears, and on later "add" events.
 *
 * Theory of operation. udev reads all .link files in order of their names; the first whose [Match] fits a device is
 * applied, as a whole, and no other. The coalescing keys of [Link] (systemd 250) become one ioctl ETHTOOL_SCOALESCE:
 * the present settings are read, the given ones laid over them, and all sent if anything differs. A key that ends in
 * Sec= takes a time span: a bare number is seconds. What does not fit 32 bits of microseconds is not wrapped but
 * ignored, as is every line that cannot be parsed; udev logs a warning that few people see.
 *
 * Sources: systemd.link(5), systemd.syntax(7); link-config-gperf.gperf, ethtool-util.c, parse-util.c and
 * conf-parser.c of systemd 252 to 257.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "persist/persist_private.h"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"
#define DEFAULT_FILE "99-default.link"
#define SAMPLE_INTERVAL_MAX 4294 /* whole seconds in 32 bits of us */

static const char *const field_keys[COALESCE_FIELDS] = {
	[COALESCE_RX_USECS] = "RxCoalesceSec",
	[COALESCE_RX_FRAMES] = "RxMaxCoalescedFrames",
	[COALESCE_RX_USECS_IRQ] = "RxCoalesceIrqSec",
	[COALESCE_RX_FRAMES_IRQ] = "RxMaxCoalescedIrqFrames",
	[COALESCE_TX_USECS] = "TxCoalesceSec",
	[COALESCE_TX_FRAMES] = "TxMaxCoalescedFrames",
	[COALESCE_TX_USECS_IRQ] = "TxCoalesceIrqSec",
	[COALESCE_TX_FRAMES_IRQ] = "TxMaxCoalescedIrqFrames",
	[COALESCE_STATS_BLOCK_USECS] = "StatisticsBlockCoalesceSec",
	[COALESCE_ADAPTIVE_RX] = "UseAdaptiveRxCoalesce",
	[COALESCE_ADAPTIVE_TX] = "UseAdaptiveTxCoalesce",
	[COALESCE_PKT_RATE_LOW] = "CoalescePacketRateLow",
	[COALESCE_RX_USECS_LOW] = "RxCoalesceLowSec",
	[COALESCE_RX_FRAMES_LOW] = "RxMaxCoalescedLowFrames",
	[COALESCE_TX_USECS_LOW] = "TxCoalesceLowSec",
	[COALESCE_TX_FRAMES_LOW] = "TxMaxCoalescedLowFrames",
	[COALESCE_PKT_RATE_HIGH] = "CoalescePacketRateHigh",
	[COALESCE_RX_USECS_HIGH] = "RxCoalesceHighSec",
	[COALESCE_RX_FRAMES_HIGH] = "RxMaxCoalescedHighFrames",
	[COALESCE_TX_USECS_HIGH] = "TxCoalesceHighSec",
	[COALESCE_TX_FRAMES_HIGH] = "TxMaxCoalescedHighFrames",
	[COALESCE_SAMPLE_INTERVAL] = "CoalescePacketRateSampleIntervalSec",
};

/* Keys of [Link] that are not about coalescing, and those of [Match]. */
/* clang-format off */
static const char *const other_keys[] = {
	"Description", "Property", "ImportProperty", "UnsetProperty", "Alias", "MACAddressPolicy",
	"MACAddress", "NamePolicy", "Name", "AlternativeNamesPolicy", "AlternativeName", "TransmitQueues",
	"ReceiveQueues", "TransmitQueueLength", "MTUBytes", "BitsPerSecond", "Duplex", "AutoNegotiation",
	"WakeOnLan", "WakeOnLanPassword", "Port", "Advertise", "ReceiveChecksumOffload",
	"TransmitChecksumOffload", "TCPSegmentationOffload", "TCP6SegmentationOffload",
	"UDPSegmentationOffload", "GenericSegmentationOffload", "PartialGenericSegmentationOffload",
	"GenericReceiveOffload", "GenericReceiveOffloadHardware", "LargeReceiveOffload",
	"ReceivePacketSteeringCPUMask", "ReceiveVLANCTAGHardwareAcceleration",
	"TransmitVLANCTAGHardwareAcceleration", "ReceiveVLANCTAGFilter",
	"TransmitVLANSTAGHardwareAcceleration", "NTupleFilter", "RxChannels", "TxChannels", "OtherChannels",
	"CombinedChannels", "RxBufferSize", "RxMiniBufferSize", "RxJumboBufferSize", "TxBufferSize",
	"RxFlowControl", "TxFlowControl", "AutoNegotiationFlowControl", "GenericSegmentOffloadMaxBytes",
	"GenericSegmentOffloadMaxSegments", "MDI", "SR-IOVVirtualFunctions",
};

static const char *const match_keys[] = {
	"MACAddress",   "PermanentMACAddress", "Path",           "Driver",
	"Type",         "Kind",                "Property",       "OriginalName",
	"Host",         "Virtualization",      "KernelVersion",  "KernelCommandLine",
	"Architecture", "Credential",          "Firmware",       "Version",
};
/* clang-format on */

#define OTHER_KEYS (sizeof(other_keys) / sizeof(other_keys[0]))
#define MATCH_KEYS (sizeof(match_keys) / sizeof(match_keys[0]))

const char *persist_systemd_link_key(enum coalesce_field field)
{
	return field_keys[field];
}

bool persist_systemd_link_expresses(enum coalesce_field field, uint32_t value)
{
	switch (field) {
	case COALESCE_SAMPLE_INTERVAL:
		return value > 0 && value <= SAMPLE_INTERVAL_MAX;
	case COALESCE_STATS_BLOCK_USECS:
		return value > 0;
	default:
		return field_keys[field] != NULL;
	}
}

/* ---- writing ---- */

static void write_match(FILE *out, const struct persist_match *match)
{
	fputs("[Match]\n", out);
	if (match->permanent_address[0]) {
		fprintf(out, "PermanentMACAddress=%s\n", match->permanent_address);
	} else if (match->path[0]) {
		fprintf(out, "Path=%s\n", match->path);
	} else {
		fprintf(out, "OriginalName=%s\n", match->name);
	}
}

void persist_write_systemd_link(FILE *out, const struct persist_match *match, const struct coalesce *settings)
{
	fprintf(out,
		"# %s: put this into /etc/systemd/network under a name that sorts before 99-default.link,\n"
		"# such as 10-%s.link. Only the first file that matches applies: the policies are those of\n"
		"# 99-default.link, which this file takes the place of.\n",
		match->name, match->name);
	write_match(out, match);
	fputs("\n[Link]\n"
	      "NamePolicy=keep kernel database onboard slot path\n"
	      "AlternativeNamesPolicy=database onboard slot path\n"
	      "MACAddressPolicy=persistent\n",
	      out);
	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		const uint32_t value = settings->value[field];

		if (!coalesce_has(settings, field)) {
			continue;
		}
		if (coalesce_fields[field].unit == COALESCE_UNIT_SWITCH) {
			fprintf(out, "%s=%s\n", field_keys[field], value ? "yes" : "no");
			continue;
		}
		fprintf(out, "%s=%" PRIu32 "%s\n", field_keys[field], value,
			coalesce_fields[field].unit == COALESCE_UNIT_USECS     ? "us"
			: coalesce_fields[field].unit == COALESCE_UNIT_SECONDS ? "s"
									       : "");
	}
}

/* ---- reading keys ---- */

struct reader {
	struct persist_file *file;
	unsigned match_line; /* of the first condition; 0: none yet */
	bool has_name;       /* a policy or a name is given */
	bool is_link_section_seen;
};

static void take_queues(struct reader *reader, unsigned line, const char *key, const char *value)
{
	uint32_t number;

	/* Nobody has that many queues; a ring of descriptors is what is meant. */
	if (persist_parse_number(value, &number) == 0 && number >= 256) {
		persist_find(reader->file, line, PERSIST_WARNING,
			     "%s=%" PRIu32 " is a number of queues and no ring size: %s=%" PRIu32 " is the ring", key,
			     number, key[0] == 'R' ? "RxBufferSize" : "TxBufferSize", number);
	}
}

static void take_link_key(struct reader *reader, unsigned line, const char *key, const char *value)
{
	const char *known[COALESCE_FIELDS + OTHER_KEYS];
	size_t count = 0;

	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		if (field_keys[field] && strcmp(key, field_keys[field]) == 0) {
			persist_take_link_setting(reader->file, line, field_keys[field], value, field);
			return;
		}
		if (field_keys[field]) {
			known[count++] = field_keys[field];
		}
	}
	for (size_t i = 0; i < OTHER_KEYS; i++) {
		if (strcmp(key, other_keys[i]) == 0) {
			reader->has_name = reader->has_name || strcmp(key, "NamePolicy") == 0 ||
					   strcmp(key, "Name") == 0;
			if (strcmp(key, "ReceiveQueues") == 0 || strcmp(key, "TransmitQueues") == 0) {
				take_queues(reader, line, key, value);
			}
			return;
		}
		known[count++] = other_keys[i];
	}
	persist_unknown_key(reader->file, line, "Link", key, known, count, "systemd ignores the line");
}

static void keep_condition(struct persist_file *file, const char *key, const char *value)
{
	struct persist_condition *condition = NULL;

	for (unsigned i = 0; i < file->condition_count; i++) {
		if (strcmp(file->conditions[i].key, key) == 0) {
			condition = &file->conditions[i];
		}
	}
	if (!condition && file->condition_count == PERSIST_CONDITIONS_MAX) {
		file->conditions_cut = true;
		return;
	}
	if (!condition) {
		condition = &file->conditions[file->condition_count++];
		persist_copy(condition->key, sizeof(condition->key), key);
	}
	const size_t length = strlen(condition->value), place = sizeof(condition->value) - length;
	if (strlen(value) + 2 > place) {
		file->conditions_cut = true;
		return;
	}
	snprintf(condition->value + length, place, "%s%s", length ? " " : "", value);
}

/* A single thing to match by is also kept in terms of all formats. */
static void keep_match(struct persist_file *file, const char *key, const char *value)
{
	struct persist_match *const match = &file->match;

	if (strpbrk(value, " \t!*?[") && strcmp(key, "Path") != 0) {
		return;
	}
	if (strcmp(key, "PermanentMACAddress") == 0) {
		persist_copy(match->permanent_address, sizeof(match->permanent_address), value);
	} else if (strcmp(key, "Path") == 0) {
		persist_copy(match->path, sizeof(match->path), value);
	} else if (strcmp(key, "Driver") == 0) {
		persist_copy(match->driver, sizeof(match->driver), value);
	} else if (strcmp(key, "OriginalName") == 0) {
		persist_copy(match->name, sizeof(match->name), value);
	}
}

static void check_name(struct persist_file *file, unsigned line, const char *value)
{
	if (strcmp(value, "*") == 0) {
		persist_find(file, line, PERSIST_NOTE, "OriginalName=* matches every interface, also lo and bridges");
	} else if (strcmp(value, "DEV") == 0) {
		persist_find(file, line, PERSIST_WARNING, "DEV stands for a name that was to be put here");
	} else if (persist_is_kernel_name(value) || strpbrk(value, "*?[")) {
		persist_find(file, line, PERSIST_WARNING,
			     "OriginalName=%.40s matches by what the kernel happens to call the device at boot: "
			     "PermanentMACAddress= or Path= survives",
			     value);
	} else if (strncmp(value, "en", 2) == 0 || strncmp(value, "wl", 2) == 0) {
		persist_find(file, line, PERSIST_WRONG,
			     "OriginalName=%.40s looks like a name that udev gave, and never matches at boot: the "
			     "kernel's name (eth0) is compared, before renaming",
			     value);
	}
}

static void take_match_key(struct reader *reader, unsigned line, const char *key, const char *value)
{
	for (size_t i = 0; i < MATCH_KEYS; i++) {
		if (strcmp(key, match_keys[i]) != 0) {
			continue;
		}
		if (!value[0]) {
			return;
		}
		reader->match_line = reader->match_line ? reader->match_line : line;
		keep_condition(reader->file, key, value);
		keep_match(reader->file, key, value);
		if (strcmp(key, "OriginalName") == 0) {
			check_name(reader->file, line, value);
		}
		return;
	}
	persist_unknown_key(reader->file, line, "Match", key, match_keys, MATCH_KEYS, "systemd ignores the line");
}

static void take_section(struct reader *reader, unsigned line, const char *section)
{
	static const char *const sections[] = { "Match", "Link", "SR-IOV", "EnergyEfficientEthernet" };
	const size_t count = sizeof(sections) / sizeof(sections[0]);

	for (size_t i = 0; i < count; i++) {
		if (strcmp(section, sections[i]) == 0) {
			reader->is_link_section_seen = reader->is_link_section_seen || strcmp(section, "Link") == 0;
			return;
		}
	}
	if (strncmp(section, "X-", 2) == 0) {
		return;
	}
	const char *const nearest = text_nearest(section, sections, count);
	persist_find(reader->file, line, PERSIST_WRONG, "there is no section [%.40s]: systemd ignores all of it%s%s%s",
		     section, nearest ? "; [" : "", nearest ? nearest : "", nearest ? "] may be meant" : "");
}

static void take_key(struct reader *reader, const struct persist_ini *ini)
{
	const unsigned line = ini->line.number;

	if (strcmp(ini->section, "Link") == 0) {
		take_link_key(reader, line, ini->key, ini->value);
	} else if (strcmp(ini->section, "Match") == 0) {
		take_match_key(reader, line, ini->key, ini->value);
	} else if (!ini->section[0]) {
		persist_find(reader->file, line, PERSIST_WRONG,
			     "%.40s= stands before any section: systemd ignores the line", ini->key);
	}
}

/* ---- the whole file ---- */

static void check_file_name(struct persist_file *file, const char *name)
{
	const char *const base = persist_base_name(name);

	if (strstr(name, ".link.d/") || strcmp(base, "-") == 0) {
		return;
	}
	if (!persist_has_suffix(base, ".link")) {
		persist_find(file, 1, PERSIST_NOTE, "systemd reads only files whose names end in .link");
	} else if (strcmp(base, DEFAULT_FILE) > 0) {
		persist_find(file, 1, PERSIST_WRONG,
			     "\"%.80s\" sorts behind " DEFAULT_FILE ", which matches everything: it never applies",
			     base);
	}
}

static void check_whole(const struct reader *reader, const char *name)
{
	struct persist_file *const file = reader->file;
	const bool is_drop_in = strstr(name, ".link.d/") != NULL;

	if (!reader->match_line && reader->is_link_section_seen && !is_drop_in) {
		persist_find(file, 1, PERSIST_WARNING,
			     "nothing in [Match]: the file applies to every interface; OriginalName=* says so on "
			     "purpose");
	}
	if (reader->is_link_section_seen && !reader->has_name && !is_drop_in) {
		persist_find(file, 1, PERSIST_NOTE,
			     "no NamePolicy= or Name=: the device keeps the kernel's name, since " DEFAULT_FILE
			     " no longer applies to it");
	}
}

void persist_read_systemd_link(struct persist_file *file, const char *name, const char *text)
{
	/* systemd passes over it (seen with 252). */
	const size_t mark = strncmp(text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0 ? strlen(BYTE_ORDER_MARK) : 0;
	struct persist_ini ini = { .lines = { .at = text + mark, .next = 1, .joint = " " } };
	struct reader reader = { .file = file };

	check_file_name(file, name);
	while (persist_next_ini(&ini)) {
		if (ini.line.is_cut) {
			persist_find(file, ini.line.number, PERSIST_WARNING,
				     "the line is longer than what is looked at");
		}
		switch (ini.kind) {
		case PERSIST_INI_SECTION:
			take_section(&reader, ini.line.number, ini.section);
			break;
		case PERSIST_INI_KEY:
			take_key(&reader, &ini);
			break;
		case PERSIST_INI_RUBBISH:
			persist_find(file, ini.line.number, PERSIST_WRONG,
				     "\"%.60s\" is neither [section] nor key=value: systemd ignores the line",
				     ini.line.text);
			break;
		}
	}
	check_whole(&reader, name);
}
