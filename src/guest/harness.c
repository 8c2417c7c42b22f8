/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/harness.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* From the folder of the program, nearest first. */
static const char *const places[] = { "/../qemu", "/../../qemu", "/../share/holdoff/qemu" };

#define PLACES (sizeof(places) / sizeof(places[0]))

/* What is run has to come from whom the program came from: next to a program in /tmp anybody could put a qemu folder. */
static bool is_guarded(const char *folder)
{
	char parent[PATH_MAX + sizeof("/..")];
	struct stat of_folder, of_parent;

	snprintf(parent, sizeof(parent), "%s/..", folder);
	return stat(folder, &of_folder) == 0 && stat(parent, &of_parent) == 0 &&
	       !((of_folder.st_mode | of_parent.st_mode) & S_IWOTH);
}

static bool has_run(const char *folder)
{
	char run[PATH_MAX + sizeof("/run")];

	snprintf(run, sizeof(run), "%s/run", folder);
	return access(run, X_OK) == 0;
}

static int find_own_file(char program[PATH_MAX], struct err *err)
{
	const ssize_t length = readlink("/proc/self/exe", program, PATH_MAX);

	if (length < 0 || length == PATH_MAX) {
		return err_set(err, -ENOENT, "/proc does not tell where this program is: %s", strerror(errno));
	}
	program[length] = '\0';
	return 0;
}

static int find_named(const char *named, char folder[PATH_MAX], struct err *err)
{
	if (!realpath(named, folder) || !has_run(folder)) {
		return err_set(err, -ENOENT,
			       "HOLDOFF_QEMU is \"%.200s\", and there is no harness in it: no program run", named);
	}
	return 0;
}

int harness_find(char program[PATH_MAX], char folder[PATH_MAX], struct err *err)
{
	const char *const named = getenv("HOLDOFF_QEMU");
	char place[PATH_MAX + 32];
	int ret = find_own_file(program, err);

	if (ret < 0) {
		return ret;
	}
	if (named && *named) {
		return find_named(named, folder, err);
	}
	const int length = (int)(strrchr(program, '/') - program);

	for (unsigned i = 0; i < PLACES; i++) {
		snprintf(place, sizeof(place), "%.*s%s", length, program, places[i]);
		if (realpath(place, folder) && has_run(folder) && is_guarded(folder)) {
			return 0;
		}
	}
	return err_set(err, -ENOENT,
		       "the harness that boots guests is not here: neither the source tree's qemu nor %.*s%s; name its "
		       "folder in HOLDOFF_QEMU",
		       length, program, places[PLACES - 1]);
}

int harness_nics(const char *folder, char *names, unsigned size)
{
	static const char key[] = "all_nics=\"";
	char path[PATH_MAX + sizeof("/nics")], line[256];
	int ret = -ENOENT;

	snprintf(path, sizeof(path), "%s/nics", folder);
	FILE *const file = fopen(path, "re");
	while (file && ret < 0 && fgets(line, sizeof(line), file)) {
		if (strncmp(line, key, sizeof(key) - 1) == 0) {
			line[strcspn(line + sizeof(key) - 1, "\"\n") + sizeof(key) - 1] = '\0';
			snprintf(names, size, "%s", line + sizeof(key) - 1);
			ret = 0;
		}
	}
	if (file) {
		fclose(file);
	}
	return ret;
}
