/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The texts that holdoff diagnose is given: whole, whatever bytes are in them. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/diagnose.h"

#define TEXT_MAX ((size_t)32 << 20)

/* Up to TEXT_MAX bytes, with room for a NUL behind. NULL with errno set. */
static char *read_stream(FILE *file, size_t *size, bool *is_cut)
{
	size_t room = 65536, length = 0;
	char *text = malloc(room + 1);

	while (text) {
		length += fread(text + length, 1, room - length, file);
		if (length < room || room >= TEXT_MAX) {
			break;
		}
		room *= 2;
		char *const larger = realloc(text, room + 1);

		if (!larger) {
			free(text);
		}
		text = larger;
	}
	*size = length;
	*is_cut = text && length == room && fgetc(file) != EOF;
	return text;
}

static int add(struct diagnose_texts *texts, const char *name, FILE *file, struct err *err)
{
	bool is_cut = false;
	size_t size = 0;

	if (texts->count == DIAGNOSE_FILES_MAX) {
		return err_set(err, -E2BIG, "too many files: at most %d", DIAGNOSE_FILES_MAX);
	}
	errno = 0;
	char *const text = read_stream(file, &size, &is_cut);
	char *const copy = strdup(name);
	const bool is_broken = text && ferror(file);

	if (!text || !copy || is_broken) {
		const int error = text && copy ? errno ? errno : EIO : ENOMEM;

		free(text);
		free(copy);
		return err_set(err, -error, "%.200s cannot be read: %s", name, strerror(error));
	}
	if (is_cut) {
		fprintf(stderr, "holdoff: %s is longer than %zu MiB: what is behind that was not looked at\n", name,
			TEXT_MAX >> 20);
	}
	texts->texts[texts->count] = text;
	texts->sizes[texts->count] = size;
	texts->names[texts->count++] = copy;
	return 0;
}

static int add_file(struct diagnose_texts *texts, const char *name, struct err *err)
{
	FILE *const file = fopen(name, "re");

	if (!file) {
		return err_set(err, -errno, "%.200s cannot be read: %s", name, strerror(errno));
	}
	const int ret = add(texts, name, file, err);

	fclose(file);
	return ret;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Regular files only: what else lies in a folder is no output. */
static int add_folder(struct diagnose_texts *texts, const char *name, struct err *err)
{
	struct dirent **entries;
	const int count = scandir(name, &entries, is_visible, alphasort);
	int ret = count < 0 ? err_set(err, -errno, "%.200s cannot be read: %s", name, strerror(errno)) : 0;

	for (int i = 0; i < count; i++) {
		char path[PATH_MAX];
		struct stat status;

		snprintf(path, sizeof(path), "%s/%s", name, entries[i]->d_name);
		if (ret == 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
			ret = add_file(texts, path, err);
		}
		free(entries[i]);
	}
	if (count >= 0) {
		free(entries);
	}
	return ret;
}

int diagnose_texts_read(struct diagnose_texts *texts, const char *const *names, unsigned count, struct err *err)
{
	for (unsigned i = 0; i < count; i++) {
		struct stat status;
		int ret;

		if (strcmp(names[i], "-") == 0) {
			ret = add(texts, "-", stdin, err);
		} else if (stat(names[i], &status) == 0 && S_ISDIR(status.st_mode)) {
			ret = add_folder(texts, names[i], err);
		} else {
			ret = add_file(texts, names[i], err);
		}
		if (ret < 0) {
			return ret;
		}
	}
	return 0;
}

void diagnose_texts_free(struct diagnose_texts *texts)
{
	for (unsigned i = 0; i < texts->count; i++) {
		free(texts->texts[i]);
		free(texts->names[i]);
	}
}
