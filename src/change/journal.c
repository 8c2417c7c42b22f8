/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading and writing of entries. The checksum (FNV-1a, 64 bits) is no protection against malice: who can write the folder can
 * write an entry. It tells an entry that arrived whole from one that did not, on file systems that promise less than they should.
 */
#include "change/journal_format.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/time.h"
#include "change/request.h"

/* ---- where ---- */

static int check_folder(const char *folder, struct err *err)
{
	struct stat status;

	if (lstat(folder, &status) < 0) {
		const int code = errno;

		return err_set(err, -code, "%s: %s", folder, strerror(code));
	}
	if (!S_ISDIR(status.st_mode)) {
		return err_set(err, -ENOTDIR, "%s is no folder, the journal needs one there", folder);
	}
	if ((status.st_uid != geteuid() && status.st_uid != 0) || (status.st_mode & (S_IWGRP | S_IWOTH))) {
		return err_set(err, -EACCES,
			       "%s can be written by others: the journal needs a folder that only its owner can write",
			       folder);
	}
	return 0;
}

int journal_folder(char folder[JOURNAL_PATH_MAX], bool make, struct err *err)
{
	const char *const given = getenv("HOLDOFF_STATE_DIR");
	const char *const runtime = getenv("XDG_RUNTIME_DIR");
	int length;

	if (given && *given) {
		length = snprintf(folder, JOURNAL_PATH_MAX, "%s", given);
	} else if (geteuid() == 0) {
		length = snprintf(folder, JOURNAL_PATH_MAX, "%s", JOURNAL_FOLDER_OF_ROOT);
	} else if (runtime && *runtime) {
		length = snprintf(folder, JOURNAL_PATH_MAX, "%s/holdoff", runtime);
	} else {
		return err_set(
			err, -ENOENT,
			"there is no XDG_RUNTIME_DIR to keep the journal in: name a folder in HOLDOFF_STATE_DIR");
	}
	/* The helper leaves the working folder. */
	if (folder[0] != '/') {
		return err_set(err, -EINVAL,
			       "the journal's folder \"%.200s\" is no absolute path: it must begin with /", folder);
	}
	if (length > JOURNAL_PATH_MAX - 64) {
		return err_set(err, -ENAMETOOLONG, "the name of the journal's folder is too long");
	}
	if (!make) {
		return 0;
	}
	if (mkdir(folder, 0755) < 0 && errno != EEXIST) {
		const int code = errno;

		return err_set(err, -code, "the journal's folder %s cannot be made: %s", folder, strerror(code));
	}
	return check_folder(folder, err);
}

uint64_t journal_netns(void)
{
	struct stat status;

	return stat("/proc/self/ns/net", &status) == 0 ? (uint64_t)status.st_ino : 0;
}

int journal_boot(char boot[JOURNAL_BOOT_MAX], struct err *err)
{
	static const char path[] = "/proc/sys/kernel/random/boot_id";
	const int file = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t got = file < 0 ? -1 : read(file, boot, JOURNAL_BOOT_MAX - 1);

	if (file >= 0) {
		close(file);
	}
	if (got <= 0) {
		return err_set(err, -EIO, "%s cannot be read: the journal needs it to recognise a reboot", path);
	}
	boot[got] = '\0';
	boot[strcspn(boot, "\n")] = '\0';
	return 0;
}

void journal_path(char path[JOURNAL_PATH_MAX], const char *folder, uint64_t netns, int ifindex, const char *suffix)
{
	snprintf(path, JOURNAL_PATH_MAX, "%.440s/net%" PRIu64 "-if%d%s", folder, netns, ifindex, suffix);
}

/* ---- what ---- */

int journal_init(struct journal *journal, const struct nic_identity *identity, struct err *err)
{
	memset(journal, 0, sizeof(*journal));
	journal->netns = journal_netns();
	journal->ifindex = identity->ifindex;
	snprintf(journal->name, sizeof(journal->name), "%s", identity->name);
	snprintf(journal->driver, sizeof(journal->driver), "%s", identity->driver);
	snprintf(journal->bus, sizeof(journal->bus), "%s", identity->bus);
	if (identity->has & NIC_HAS_PERMANENT_ADDRESS) {
		journal->permanent_address_bytes = identity->permanent_address_bytes;
		memcpy(journal->permanent_address, identity->permanent_address, identity->permanent_address_bytes);
	}
	return journal_boot(journal->boot, err);
}

static bool is_other_interface(const struct journal *journal, const struct nic_identity *identity)
{
	const bool both = journal->permanent_address_bytes && (identity->has & NIC_HAS_PERMANENT_ADDRESS);

	if (both &&
	    (journal->permanent_address_bytes != identity->permanent_address_bytes ||
	     memcmp(journal->permanent_address, identity->permanent_address, journal->permanent_address_bytes) != 0)) {
		return true;
	}
	return journal->ifindex != identity->ifindex || strcmp(journal->driver, identity->driver) != 0 ||
	       strcmp(journal->bus, identity->bus) != 0;
}

bool journal_is_stale(const struct journal *journal, const struct nic_identity *identity, struct err *err)
{
	char boot[JOURNAL_BOOT_MAX];

	if (journal_boot(boot, NULL) == 0 && strcmp(boot, journal->boot) != 0) {
		err_set(err, 0,
			"%s: what was changed before the last reboot is no longer to be put back (its journal entry is "
			"dropped)",
			journal->name);
		return true;
	}
	if (is_other_interface(journal, identity)) {
		err_set(err, 0,
			"%s is not the interface any more that was changed: it was made anew since (its journal entry "
			"is dropped)",
			identity->name);
		return true;
	}
	return false;
}

/* ---- writing ---- */

uint64_t journal_checksum(const char *text, size_t length)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < length; i++) {
		sum = (sum ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	}
	return sum;
}

/* What would end a value or begin a comment is left out of a free text. */
static void write_text(FILE *out, const char *key, const char *text)
{
	if (!*text) {
		return;
	}
	fprintf(out, "%s = ", key);
	for (; *text; text++) {
		const bool is_plain = (unsigned char)*text >= ' ' && *text != 0x7f && *text != '#' && *text != ';';

		fputc(is_plain ? *text : '?', out);
	}
	fputc('\n', out);
}

static void write_address(FILE *out, const struct journal *journal)
{
	if (!journal->permanent_address_bytes) {
		return;
	}
	fputs("permanent-address = ", out);
	for (unsigned i = 0; i < journal->permanent_address_bytes; i++) {
		fprintf(out, "%s%02x", i ? ":" : "", journal->permanent_address[i]);
	}
	fputc('\n', out);
}

static void write_settings(FILE *out, const char *key, const struct coalesce *settings)
{
	char text[COALESCE_TEXT_MAX];

	if (settings && settings->present) {
		fprintf(out, "%s = %s\n", key, coalesce_print(settings, text));
	}
}

static void write_changed(FILE *out, uint32_t changed)
{
	fputs("changed =", out);
	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		if (changed & COALESCE_BIT(field)) {
			fprintf(out, " %s", coalesce_fields[field].name);
		}
	}
	fputc('\n', out);
}

static void write_scopes(FILE *out, const char *layer, const struct journal_layer *from)
{
	char text[CHANGE_NAPI_TEXT_MAX];

	if (from->old.device.present) {
		fprintf(out, "\n[%s device]\n", layer);
		if (from->device_changed) {
			write_changed(out, from->device_changed);
		}
		write_settings(out, "old", &from->old.device);
		write_settings(out, "left", &from->left.device);
	}
	for (unsigned i = 0; i < from->old.queue_count; i++) {
		fprintf(out, "\n[%s queue %" PRIu32 "]\n", layer, from->old.queues[i].queue);
		write_settings(out, "old", &from->old.queues[i].settings);
		write_settings(out, "left", change_set_queue_settings(&from->left, from->old.queues[i].queue));
	}
	for (unsigned i = 0; i < from->old.napi_count; i++) {
		const struct nic_napi *const left = change_set_napi_settings(&from->left, from->old.napis[i].id);

		fprintf(out, "\n[%s napi %" PRIu32 "]\nold = %s\n", layer, from->old.napis[i].id,
			change_napi_print(&from->old.napis[i], text));
		if (left && left->present) {
			fprintf(out, "left = %s\n", change_napi_print(left, text));
		}
	}
}

static void write_layer(FILE *out, const char *name, const struct journal_layer *layer)
{
	if (!layer->is_present) {
		return;
	}
	fprintf(out, "\n[%s]\napplied = %s\ntoken = %" PRIu64 "\npid = %" PRIu32 "\nspeed-mbps = %u\n", name,
		layer->is_applied ? "on" : "off", layer->token, layer->pid, layer->speed_mbps);
	if (layer->deadline_at_ns != NEVER_AT_NS) {
		fprintf(out, "deadline-boottime-ns = %" PRId64 "\nuntil-confirmed = %s\n", layer->deadline_at_ns,
			layer->until_confirmed ? "on" : "off");
	}
	if (layer->helper_pid) {
		fprintf(out, "helper-pid = %" PRIu32 "\n", layer->helper_pid);
	}
	write_text(out, "command", layer->command);
	write_text(out, "since", layer->since);
	write_text(out, "failure", layer->failure);
	write_scopes(out, name, layer);
}

static int print_entry(const struct journal *journal, char **text, size_t *length)
{
	FILE *const out = open_memstream(text, length);

	if (!out) {
		return -ENOMEM;
	}
	fprintf(out, "# What holdoff has changed and will put back: holdoff revert %s\n", journal->name);
	fprintf(out, "[entry]\nformat = %d\nboot = %s\nnetns = %" PRIu64 "\nifindex = %d\n", JOURNAL_FORMAT,
		journal->boot, journal->netns, journal->ifindex);
	write_text(out, "name", journal->name);
	write_text(out, "driver", journal->driver);
	write_text(out, "bus", journal->bus);
	write_address(out, journal);
	write_layer(out, "open", &journal->open);
	write_layer(out, "kept", &journal->kept);
	fputs("\n[end]\n", out);
	fflush(out);
	fprintf(out, JOURNAL_CHECKSUM "%016" PRIx64 "\n", journal_checksum(*text, *length));
	return fclose(out) == 0 ? 0 : -ENOMEM;
}

static int write_all(int file, const char *text, size_t length)
{
	while (length) {
		const ssize_t written = write(file, text, length);

		if (written < 0 && errno != EINTR) {
			return -errno;
		}
		text += written > 0 ? written : 0;
		length -= written > 0 ? (size_t)written : 0;
	}
	return fsync(file) < 0 ? -errno : 0;
}

static int sync_folder(const char *folder)
{
	const int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (file < 0) {
		return -errno;
	}
	/* A file system that cannot sync a folder keeps none over a crash either. */
	const int ret = fsync(file) < 0 && errno != EINVAL ? -errno : 0;

	close(file);
	return ret;
}

static int write_temporary(const char *path, const char *text, size_t length)
{
	const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);

	if (file < 0) {
		return -errno;
	}
	const int ret = write_all(file, text, length);

	return close(file) < 0 && ret == 0 ? -errno : ret;
}

static int replace(const struct journal *journal, const char *folder, const char *text, size_t length)
{
	char temporary[JOURNAL_PATH_MAX], path[JOURNAL_PATH_MAX];

	journal_path(temporary, folder, journal->netns, journal->ifindex, ".new");
	journal_path(path, folder, journal->netns, journal->ifindex, ".entry");
	int ret = write_temporary(temporary, text, length);

	if (ret == 0 && rename(temporary, path) < 0) {
		ret = -errno;
	}
	if (ret) {
		unlink(temporary);
		return ret;
	}
	return sync_folder(folder);
}

int journal_write(const struct journal *journal, const char *folder, struct err *err)
{
	char *text = NULL;
	size_t length = 0;

	if (!journal->open.is_present && !journal->kept.is_present) {
		return journal_remove(folder, journal->netns, journal->ifindex, err);
	}
	int ret = print_entry(journal, &text, &length);

	if (ret == 0) {
		ret = replace(journal, folder, text, length);
	}
	free(text);
	return ret ? err_set(err, ret, "the journal in %s cannot be written: %s", folder, strerror(-ret)) : 0;
}

int journal_remove(const char *folder, uint64_t netns, int ifindex, struct err *err)
{
	static const char *const suffixes[] = { ".new", ".entry" };
	char path[JOURNAL_PATH_MAX];

	for (unsigned i = 0; i < 2; i++) {
		journal_path(path, folder, netns, ifindex, suffixes[i]);
		if (unlink(path) < 0 && errno != ENOENT) {
			const int code = errno;

			return err_set(err, -code, "%s cannot be removed: %s", path, strerror(code));
		}
	}
	const int ret = sync_folder(folder);

	return ret ? err_set(err, ret, "the journal in %s cannot be written: %s", folder, strerror(-ret)) : 0;
}
