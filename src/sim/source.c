/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/source.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ini/ini.h"

#define NAMES_MAX 128

static size_t stem_length(const char *name)
{
	const size_t length = strlen(name);

	return length > 4 && strcmp(name + length - 4, ".ini") == 0 ? length - 4 : length;
}

bool source_is_file(const char *name)
{
	return strchr(name, '/') || stem_length(name) != strlen(name);
}

static void complain(const struct source_kind *kind, const char *name, struct err *err)
{
	const char *names[NAMES_MAX];
	size_t count = 0;

	while (count < NAMES_MAX && kind->embedded[count].name) {
		names[count] = kind->embedded[count].name;
		count++;
	}
	const char *nearest = text_nearest(name, names, count);
	if (nearest) {
		err_set(err, -ENODEV, "unknown %s \"%s\": did you mean %s? (%s lists them)", kind->what, name, nearest,
			kind->lister);
		return;
	}
	err_set(err, -ENODEV, "unknown %s \"%s\": %s lists them; a file of your own is named with a / or .ini",
		kind->what, name, kind->lister);
}

const char *source_embedded(const struct source_kind *kind, const char *name, struct err *err)
{
	for (const struct board_text *text = kind->embedded; text->name; text++) {
		if (strcmp(text->name, name) == 0) {
			return text->text;
		}
	}
	complain(kind, name, err);
	return NULL;
}

int source_open(struct source *source, const struct source_kind *kind, const char *name, struct err *err)
{
	*source = (struct source){ 0 };
	if (source_is_file(name)) {
		const int ret = ini_read_file(name, &source->read, err);

		source->text = ret == 0 ? source->read : NULL;
		return ret;
	}
	source->text = source_embedded(kind, name, err);
	return source->text ? 0 : -ENODEV;
}

void source_close(struct source *source)
{
	free(source->read);
	*source = (struct source){ 0 };
}

int source_name(char *name, size_t size, const char *path, const char *what, struct err *err)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const size_t length = stem_length(base);

	if (length == 0 || length >= size) {
		return err_set(err, -EINVAL, "%s: the name of a %s has 1 to %zu characters", path, what, size - 1);
	}
	memcpy(name, base, length);
	name[length] = '\0';
	return 0;
}
