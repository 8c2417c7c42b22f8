/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entries read back: see journal.h for what is refused. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/time.h"
#include "change/journal_format.h"
#include "change/request.h"
#include "ini/ini.h"

/* The keys of [entry]. */
struct head {
	uint32_t format;
	uint64_t netns;
	int64_t ifindex;
	char boot[JOURNAL_BOOT_MAX], name[IFNAMSIZ], driver[32], bus[64], address[3 * NIC_ADDRESS_MAX];
};

static const struct ini_key head_keys[] = {
	{ .name = "format",
	  .type = INI_U32,
	  .offset = offsetof(struct head, format),
	  .required = true,
	  .help = "the number of the format" },
	{ .name = "boot",
	  .type = INI_TEXT,
	  .offset = offsetof(struct head, boot),
	  .size = JOURNAL_BOOT_MAX,
	  .required = true,
	  .help = "the boot id" },
	{ .name = "netns",
	  .type = INI_BYTES,
	  .offset = offsetof(struct head, netns),
	  .required = true,
	  .help = "inode of the network namespace" },
	{ .name = "ifindex",
	  .type = INI_I64,
	  .offset = offsetof(struct head, ifindex),
	  .min = 1,
	  .max = INT32_MAX,
	  .required = true,
	  .help = "number of the interface" },
	{ .name = "name",
	  .type = INI_TEXT,
	  .offset = offsetof(struct head, name),
	  .size = IFNAMSIZ,
	  .required = true,
	  .help = "name of the interface" },
	{ .name = "driver",
	  .type = INI_TEXT,
	  .offset = offsetof(struct head, driver),
	  .size = 32,
	  .help = "its driver" },
	{ .name = "bus", .type = INI_TEXT, .offset = offsetof(struct head, bus), .size = 64, .help = "where it is" },
	{ .name = "permanent-address",
	  .type = INI_TEXT,
	  .offset = offsetof(struct head, address),
	  .size = 3 * NIC_ADDRESS_MAX,
	  .help = "its address" },
};

#define HEAD_KEYS (sizeof(head_keys) / sizeof(head_keys[0]))

static const struct ini_key layer_keys[] = {
	{ .name = "applied",
	  .type = INI_BOOL,
	  .offset = offsetof(struct journal_layer, is_applied),
	  .required = true,
	  .help = "on or off" },
	{ .name = "token",
	  .type = INI_BYTES,
	  .offset = offsetof(struct journal_layer, token),
	  .required = true,
	  .help = "a number" },
	{ .name = "pid",
	  .type = INI_U32,
	  .offset = offsetof(struct journal_layer, pid),
	  .required = true,
	  .help = "a process" },
	{ .name = "helper-pid",
	  .type = INI_U32,
	  .offset = offsetof(struct journal_layer, helper_pid),
	  .help = "the process that puts it back" },
	{ .name = "speed-mbps",
	  .type = INI_U32,
	  .offset = offsetof(struct journal_layer, speed_mbps),
	  .required = true,
	  .help = "the link's speed" },
	{ .name = "deadline-boottime-ns",
	  .type = INI_I64,
	  .offset = offsetof(struct journal_layer, deadline_at_ns),
	  .min = 0,
	  .max = INT64_MAX,
	  .help = "when it is put back" },
	{ .name = "until-confirmed",
	  .type = INI_BOOL,
	  .offset = offsetof(struct journal_layer, until_confirmed),
	  .help = "on or off" },
	{ .name = "command",
	  .type = INI_TEXT,
	  .offset = offsetof(struct journal_layer, command),
	  .size = 160,
	  .help = "who" },
	{ .name = "since",
	  .type = INI_TEXT,
	  .offset = offsetof(struct journal_layer, since),
	  .size = 32,
	  .help = "when" },
	{ .name = "failure",
	  .type = INI_TEXT,
	  .offset = offsetof(struct journal_layer, failure),
	  .size = ERR_TEXT_MAX,
	  .help = "why it could not be put back" },
};

#define LAYER_KEYS (sizeof(layer_keys) / sizeof(layer_keys[0]))

struct reading {
	struct journal *journal;
	struct head head;
	uint64_t head_seen, layer_seen[2]; /* open, kept */
	bool has_end;
};

static const char *const layer_names[] = { "open", "kept" };

static struct journal_layer *layer_of(struct reading *reading, unsigned index)
{
	return index == 0 ? &reading->journal->open : &reading->journal->kept;
}

/* ---- scopes ---- */

static int read_changed(struct journal_layer *layer, const char *value, struct err *err)
{
	char copy[COALESCE_TEXT_MAX], *rest = NULL;

	snprintf(copy, sizeof(copy), "%s", value);
	for (char *name = strtok_r(copy, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
		const enum coalesce_field field = coalesce_field_find(name);

		if (field == COALESCE_FIELDS || (layer->device_changed & COALESCE_BIT(field))) {
			return err_set(err, -EINVAL, "\"%s\" is unknown or comes twice", name);
		}
		layer->device_changed |= COALESCE_BIT(field);
	}
	return 0;
}

static int read_settings(struct coalesce *settings, const char *value, struct err *err)
{
	if (settings->present) {
		return err_set(err, -EINVAL, "a scope is given twice");
	}
	return coalesce_parse_text(settings, value, err);
}

static struct change_set *set_of(struct journal_layer *layer, const char *key)
{
	return strcmp(key, "old") == 0 ? &layer->old : strcmp(key, "left") == 0 ? &layer->left : NULL;
}

static int read_queue(struct change_set *set, uint32_t number, const char *value, struct err *err)
{
	struct change_queue *const queue = change_set_queue(set, number, true);

	return queue ? read_settings(&queue->settings, value, err) : err_set(err, -EINVAL, "too many queues");
}

static int read_napi(struct change_set *set, uint32_t number, const char *value, struct err *err)
{
	struct nic_napi *const napi = change_set_napi(set, number, true);

	if (!napi || napi->present) {
		return err_set(err, -EINVAL, "too many NAPI instances, or one that comes twice");
	}
	return change_napi_parse_text(napi, value, err);
}

/* "device", "queue N" or "napi N" of a layer. */
static int read_scope(struct journal_layer *layer, const char *scope, const struct ini_entry *entry, struct err *err)
{
	struct change_set *const set = set_of(layer, entry->key);
	uint32_t number;

	if (strcmp(scope, "device") == 0 && strcmp(entry->key, "changed") == 0) {
		return read_changed(layer, entry->value, err);
	}
	if (!set) {
		return err_set(err, -EINVAL, "[%s] has no key \"%s\"", entry->section, entry->key);
	}
	if (strcmp(scope, "device") == 0) {
		return read_settings(&set->device, entry->value, err);
	}
	if (strncmp(scope, "queue ", 6) == 0) {
		const int ret = text_parse_u32(scope + 6, "queue", &number, err);

		return ret ? ret : read_queue(set, number, entry->value, err);
	}
	if (strncmp(scope, "napi ", 5) == 0) {
		const int ret = text_parse_u32(scope + 5, "napi", &number, err);

		return ret ? ret : read_napi(set, number, entry->value, err);
	}
	return err_set(err, -EINVAL, "there is no section [%s]", entry->section);
}

static int take_entry(void *context, const struct ini_entry *entry, struct err *err)
{
	struct reading *const reading = context;

	if (strcmp(entry->section, "entry") == 0) {
		return ini_store(head_keys, HEAD_KEYS, &reading->head, &reading->head_seen, entry, err);
	}
	if (strcmp(entry->section, "end") == 0) {
		reading->has_end = true;
		return 0;
	}
	for (unsigned i = 0; i < 2; i++) {
		const size_t length = strlen(layer_names[i]);

		if (strncmp(entry->section, layer_names[i], length) != 0) {
			continue;
		}
		if (entry->section[length] == '\0') {
			layer_of(reading, i)->is_present = true;
			return ini_store(layer_keys, LAYER_KEYS, layer_of(reading, i), &reading->layer_seen[i], entry,
					 err);
		}
		if (entry->section[length] == ' ') {
			return read_scope(layer_of(reading, i), entry->section + length + 1, entry, err);
		}
	}
	return err_set(err, -EINVAL, "there is no section [%s]", entry->section);
}

/* ---- the whole ---- */

static int read_address(struct journal *journal, const char *text, struct err *err)
{
	unsigned count = 0;

	while (*text) {
		if (!isxdigit((unsigned char)text[0]) || !isxdigit((unsigned char)text[1]) ||
		    (text[2] && text[2] != ':') || count == NIC_ADDRESS_MAX) {
			return err_set(err, -EINVAL, "permanent-address is no address");
		}
		journal->permanent_address[count++] = (uint8_t)strtoul((char[]){ text[0], text[1], '\0' }, NULL, 16);
		text += text[2] ? 3 : 2;
	}
	journal->permanent_address_bytes = count;
	return 0;
}

static int check_layer(struct reading *reading, unsigned index, struct err *err)
{
	struct journal_layer *const layer = layer_of(reading, index);

	if (!layer->is_present) {
		return layer->old.device.present || layer->old.queue_count || layer->old.napi_count
			       ? err_set(err, -EINVAL, "[%s] is missing", layer_names[index])
			       : 0;
	}
	if (!layer->is_applied && !change_set_is_empty(&layer->left)) {
		return err_set(err, -EINVAL, "[%s] is not applied and yet has left something", layer_names[index]);
	}
	if (layer->device_changed & ~layer->old.device.present) {
		return err_set(err, -EINVAL, "[%s device] has changed what it does not tell the old value of",
			       layer_names[index]);
	}
	return ini_required(layer_keys, LAYER_KEYS, reading->layer_seen[index], layer_names[index], err);
}

static int check_whole(struct reading *reading, struct err *err)
{
	struct journal *const journal = reading->journal;
	const struct head *const head = &reading->head;
	int ret = ini_required(head_keys, HEAD_KEYS, reading->head_seen, "entry", err);

	if (ret == 0 && head->format != JOURNAL_FORMAT) {
		ret = err_set(err, -EINVAL, "it has format %" PRIu32 ", this program knows %d", head->format,
			      JOURNAL_FORMAT);
	}
	if (ret == 0 && (!reading->has_end || (!journal->open.is_present && !journal->kept.is_present))) {
		ret = err_set(err, -EINVAL, "it has no end or nothing to put back");
	}
	for (unsigned i = 0; ret == 0 && i < 2; i++) {
		ret = check_layer(reading, i, err);
	}
	if (ret) {
		return ret;
	}
	journal->netns = head->netns;
	journal->ifindex = (int)head->ifindex;
	memcpy(journal->boot, head->boot, sizeof(journal->boot));
	memcpy(journal->name, head->name, sizeof(journal->name));
	memcpy(journal->driver, head->driver, sizeof(journal->driver));
	memcpy(journal->bus, head->bus, sizeof(journal->bus));
	return read_address(journal, head->address, err);
}

static bool has_checksum(const char *text)
{
	const size_t length = strlen(text);
	char expected[JOURNAL_CHECKSUM_BYTES + 1];

	if (length < JOURNAL_CHECKSUM_BYTES) {
		return false;
	}
	const size_t body = length - JOURNAL_CHECKSUM_BYTES;

	snprintf(expected, sizeof(expected), JOURNAL_CHECKSUM "%016" PRIx64 "\n", journal_checksum(text, body));
	return strcmp(text + body, expected) == 0;
}

static int read_text(struct journal *journal, const char *text, const char *path, struct err *err)
{
	struct reading reading = { .journal = journal };

	memset(journal, 0, sizeof(*journal));
	journal->open.deadline_at_ns = journal->kept.deadline_at_ns = NEVER_AT_NS;
	if (!has_checksum(text)) {
		return err_set(err, -EBADMSG, "%s is damaged: its checksum does not fit", path);
	}
	int ret = ini_parse_text(text, path, take_entry, &reading, err);

	if (ret == 0 && check_whole(&reading, err)) {
		ret = err_prefix(err, -EBADMSG, "%s", path);
	}
	return ret ? -EBADMSG : 0;
}

/* A regular file of ours or of root's. */
static int check_owner(const char *path, struct err *err)
{
	struct stat status;

	if (lstat(path, &status) < 0) {
		const int code = errno;

		return err_set(err, -code, "%s: %s", path, strerror(code));
	}
	if (!S_ISREG(status.st_mode) || (status.st_uid != geteuid() && status.st_uid != 0)) {
		return err_set(err, -EBADMSG, "%s is no file of the one who runs this, nor of root: it is left alone",
			       path);
	}
	return 0;
}

int journal_read(struct journal *journal, const char *path, struct err *err)
{
	char *text;
	int ret = check_owner(path, err);

	if (ret == 0) {
		ret = ini_read_file(path, &text, err);
		/* Too large, or with a NUL in it. */
		ret = ret == -EINVAL || ret == -EFBIG ? -EBADMSG : ret;
	}
	if (ret) {
		return ret;
	}
	ret = read_text(journal, text, path, err);
	free(text);
	return ret;
}
